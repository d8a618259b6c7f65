-- SPDX-License-Identifier: MIT
-- The path of a route as a list of segments, each a list of pieces: a literal, a variable, a
-- literal, and so on. Literals are decoded.
local templates = {}

local decoded = require "endpoint.text".decoded

local sub = string.sub

-- The path of a route's URL, and the literal query after it: in both are no expressions of the
-- query. is_whole: has the URL a server of its own?
local function parts_of(url)
  local rest = url:gsub("{[?&#][^}]*}", ""):gsub("#.*$", "")
  local path, query = rest:match "^([^?]*)%??(.*)$"
  local own = path:match "^%a[%w+.-]*://[^/]*(.*)$"
  return own or path, query, own ~= nil
end

-- Notes where the text of each variable ends: at the literal after it, or at the operator that the
-- next variable begins with.
local function add_stops(pieces)
  for position = 2, #pieces - 3, 2 do
    local literal, following = pieces[position + 1], pieces[position + 2]
    pieces[position].stop = literal ~= "" and literal or following.operator
  end
end

-- The pieces of a text. `{+name}` has any text, the others have no slash.
local function pieces_of(text)
  local pieces, position = {}, 1
  for from, operator, name, star, after in text:gmatch "(){([+./;]?)([^{}*]*)(%*?)}()" do
    pieces[#pieces + 1] = decoded(sub(text, position, from - 1))
    pieces[#pieces + 1] = { name = name, operator = operator, explode = star ~= "" }
    position = after
  end
  pieces[#pieces + 1] = decoded(sub(text, position))
  add_stops(pieces)
  return pieces
end

-- The bytes of the literals of a list of pieces.
local function size_of(pieces)
  local size = 0
  for position = 1, #pieces, 2 do
    size = size + #pieces[position]
  end
  return size
end

-- The same for texts that differ only in the names of their variables.
local function key_of(text)
  return (text:gsub("{([+./;]?)[^{}*]*(%*?)}", "{%1%2}"))
end

local function segment_of(text)
  local pieces = pieces_of(text)
  local is_variable = #pieces == 3 and pieces[1] == "" and pieces[3] == ""
  return {
    pieces = pieces,
    key = key_of(text),
    size = size_of(pieces),
    literal = pieces[2] == nil and pieces[1] or nil,
    is_variable = is_variable and pieces[2].operator == "",
  }
end

-- The segments of a path. What follows `{+name}` is one segment with it, since its value may have
-- slashes.
local function segments_of(path)
  local segments, position = {}, 2
  while position <= #path + 1 do
    local slash = path:find("/", position, true) or #path + 1
    local text = sub(path, position, slash - 1)
    if text:find("{+", 1, true) then
      text, slash = sub(path, position), #path + 1
    end
    local segment = segment_of(text)
    segment.is_rest = text:find("{+", 1, true) ~= nil
    segments[#segments + 1] = segment
    position = slash + 1
  end
  return segments
end

-- The names of a path's variables, in their order.
local function names_of(segments)
  local names = {}
  for _, segment in ipairs(segments) do
    for position = 2, #segment.pieces, 2 do
      names[#names + 1] = segment.pieces[position].name
    end
  end
  return names
end

-- The pairs of a literal query, such as ?view=all in a path.
local function pairs_of(query)
  local list = {}
  for name, value in query:gmatch "([^&=]+)=?([^&]*)" do
    list[#list + 1] = { decoded(name), decoded(value) }
  end
  return list
end

-- A route as a template: `method`, `segments`, the `names` of its variables, and `pairs`, those of
-- its literal query. base: the path before those of all routes without a server of their own; it
-- does not end in "/".
function templates.of_route(route, base)
  local method, url = route:match "^(%S+) (.*)$"
  local path, query, is_whole = parts_of(url)
  local segments = segments_of(is_whole and path or base .. path)
  return {
    method = method,
    segments = segments,
    names = names_of(segments),
    pairs = pairs_of(query),
    is_root = path == "/" and not is_whole,
  }
end

-- The path of a document's server, without "/" at its end.
function templates.path_of_server(url)
  local path = url:match "^%a[%w+.-]*://[^/]*(.*)$" or url
  return (path:gsub("/+$", ""))
end

return templates

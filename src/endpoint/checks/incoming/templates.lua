-- SPDX-License-Identifier: MIT
-- The path of a route as a list of segments, each a list of pieces: a literal, a variable, a
-- literal, and so on.
local templates = {}

local decoded = require "endpoint.text".decoded
local upper = require "endpoint.text".upper

local sub = string.sub

-- --- spellings --------------------------------------------------------------------

local function triplet(byte)
  return ("%%%02X"):format(byte:byte())
end

local function spelled_triplet(digits)
  local byte = string.char(tonumber(digits, 16))
  return byte:find "[A-Za-z0-9._~-]" and byte or "%" .. upper(digits)
end

-- A path in one spelling, of several that are the same (RFC 3986, section 6.2.2): unreserved bytes
-- as they are, other triplets in upper case, and a triplet for what no path has, such as UTF-8.
function templates.spelled(path)
  path = path:gsub("%%(%x%x)", spelled_triplet)
  return (path:gsub("[^%w._~!$&'()*+,;=:@/%%-]", triplet))
end

-- A literal in that spelling. has_triplets: for its reserved bytes, too.
local function spelled_literal(text, has_triplets)
  local unsafe = has_triplets and "[^%w._~-]" or "[^%w._~!$&'()*+,;=:@-]"
  return (text:gsub("[^/]+", function(part)
    return (decoded(part):gsub(unsafe, triplet))
  end))
end

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

-- The pieces of a text. `{+name}` has any text, the others have no slash. has_triplets: of the
-- literals.
local function pieces_of(text, has_triplets)
  local pieces, position = {}, 1
  for from, operator, name, star, after in text:gmatch "(){([+./;]?)([^{}*]*)(%*?)}()" do
    pieces[#pieces + 1] = spelled_literal(sub(text, position, from - 1), has_triplets)
    pieces[#pieces + 1] = { name = name, operator = operator, explode = star ~= "" }
    position = after
  end
  pieces[#pieces + 1] = spelled_literal(sub(text, position), has_triplets)
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
  local pieces, others = pieces_of(text), pieces_of(text, true)
  local is_variable = #pieces == 3 and pieces[1] == "" and pieces[3] == ""
  return {
    pieces = pieces,
    others = size_of(others) > size_of(pieces) and others or nil,
    key = key_of(text),
    size = size_of(pieces),
    literal = pieces[2] == nil and decoded(text) or nil,
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

-- What an operator writes before the text of a variable.
local BEFORE = { ["."] = ".", [";"] = ";x=" }

-- A path that these segments take.
local function example_of(segments)
  local texts = {}
  for number, segment in ipairs(segments) do
    local pieces, written = segment.others or segment.pieces, {}
    for position, piece in ipairs(pieces) do
      written[position] = position % 2 == 1 and piece or (BEFORE[piece.operator] or "") .. "x"
    end
    texts[number] = table.concat(written)
  end
  return "/" .. table.concat(texts, "/")
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

-- The pairs of a literal query, such as ?view=all&page={p} in a path: a list of names and values;
-- and of those whose value is a variable, by its name, the `name`, and whether it is `explode`d.
local function pairs_of(query)
  local list, written = {}, {}
  for name, value in query:gmatch "([^&=]+)=?([^&]*)" do
    local variable, star = value:match "^{%+?([^{}*]+)(%*?)}$"
    if variable then
      written[variable] = { name = decoded(name), explode = star ~= "" }
    else
      list[#list + 1] = { decoded(name), decoded(value) }
    end
  end
  return list, written
end

-- A route as a template: `method`, `segments`, the `names` of its variables, `pairs`, those of its
-- literal query, `written`, those of them whose value is a variable, and `example`, a path that it
-- takes. base: the path before those of all routes without a server of their own; it does not
-- end in "/".
function templates.of_route(route, base)
  local method, url = route:match "^(%S+) (.*)$"
  local path, query, is_whole = parts_of(url)
  local segments = segments_of(is_whole and path or base .. path)
  local pair_list, written = pairs_of(query)
  return {
    method = method,
    segments = segments,
    names = names_of(segments),
    pairs = pair_list,
    written = written,
    example = example_of(segments),
    is_root = path == "/" and not is_whole,
  }
end

-- The path of a document's server, without "/" at its end.
function templates.path_of_server(url)
  local path = url:match "^%a[%w+.-]*://[^/]*(.*)$" or url
  return templates.spelled((path:gsub("/+$", "")))
end

return templates

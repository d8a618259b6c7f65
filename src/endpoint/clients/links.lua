-- SPDX-License-Identifier: MIT
-- URLs that a server writes: references (RFC 3986), as templates that mean exactly themselves and resolved
-- against the URL of the request, and Link header fields (RFC 8288), from relation type to such a template.
-- The time is linear, whatever the server sent.
local links = {}

local text = require "endpoint.text"
local fail = require "endpoint.clients.errors".fail

-- --- references ----------------------------------------------------------------

-- All but the characters that RFC 3986 allows in a URL.
local FOREIGN = "[^!#$%%&'()*+,./0-9:;=?@A-Z%[%]_a-z~-]"

-- Has it a scheme, but no // behind it, as mailto:x? No template can mean such a URL: without ://
-- it would be a path of the baseUrl.
function links.has_bare_scheme(url)
  local behind = url:match("^[A-Za-z][A-Za-z0-9+.-]*:(.*)$")
  return behind ~= nil and behind:sub(1, 2) ~= "//"
end

-- Encodes each ":" that would begin a name.
local function without_names(path)
  return (
    path:gsub("():%f[A-Za-z_]", function(at)
      if not path:find("^[A-Za-z0-9_]", at - 1) then
        return "%3A"
      end
    end)
  )
end

-- The template of a URL. A host that is none stays as it is, so that `endpoint` refuses it; but
-- braces there would be an expression.
function links.literal(url)
  local origin, rest = url:match("^([A-Za-z][A-Za-z0-9+.-]*://[^/?#]*)(.*)$")
  local path, behind = (rest or url):gsub(FOREIGN, text.encoded):match("([^?#]*)(.*)$")
  return (origin or ""):gsub("[{}]", text.encoded) .. without_names(path) .. behind
end

-- The parts of a URL or of a relative reference (RFC 3986, appendix B). A part that is missing
-- is nil, but for the path. query and fragment: with their "?" and "#".
local function split(url)
  local scheme, rest = url:match("^([A-Za-z][A-Za-z0-9+.-]*):(//.*)$")
  rest = rest or url
  local authority, behind = rest:match("^//([^/?#]*)(.*)$")
  local path, tail = (behind or rest):match("([^?#]*)(.*)$")
  local query = tail:match("^%?[^#]*")
  local fragment = tail:sub(#(query or "") + 1)
  return { scheme = scheme, authority = authority, path = path, query = query, fragment = fragment }
end

-- The path that a relative one means below a directory (RFC 3986, section 5.2.4), of which the slashes
-- are known: ".." takes only a look at them, however long the directory is.
local function path_below(directory, slashes, path)
  local kept, last, depth = {}, nil, #slashes
  for segment in (path .. "/"):gmatch("([^/]*)/") do
    last = segment
    if segment == ".." and #kept == 0 then
      depth = math.max(1, depth - 1)
    elseif segment == ".." then
      kept[#kept] = nil
    elseif segment ~= "." then
      kept[#kept + 1] = segment
    end
  end
  if last == "." or last == ".." then
    kept[#kept + 1] = ""
  end
  return directory:sub(1, slashes[depth]) .. table.concat(kept, "/")
end

local ROOT = { 1 }

-- A path from the root without its dot segments. An empty path stays.
local function whole_path(path)
  return path == "" and path or path_below("/", ROOT, path:sub(2))
end

-- The parts of an absolute URL with an authority, as a template, for many references.
function links.base(url)
  local base = split(links.literal(url))
  base.directory, base.slashes = whole_path(base.path:match("^.*/") or "/"), {}
  for at in base.directory:gmatch("()/") do
    base.slashes[#base.slashes + 1] = at
  end
  return base
end

-- The template of the URL that a reference means (RFC 3986, sections 5.2.2 and 5.3). The reference
-- has no scheme without "//".
function links.resolved(url, base)
  if url:sub(1, 2) == "//" then
    url = base.scheme .. ":" .. url
  end
  local parts = split(links.literal(url))
  if parts.authority or parts.path:sub(1, 1) == "/" then
    parts.path = whole_path(parts.path)
  elseif parts.path == "" then
    parts.path, parts.query = base.path, parts.query or base.query
  else
    parts.path = path_below(base.directory, base.slashes, parts.path)
  end
  return (parts.scheme or base.scheme)
    .. "://"
    .. (parts.authority or base.authority)
    .. parts.path
    .. (parts.query or "")
    .. parts.fragment
end

-- --- Link header fields --------------------------------------------------------

local QUOTE = 34

-- The position behind a quoted string (RFC 9110, section 5.6.4) that begins at
-- `at`; nil if it does not end.
local function skip_quoted(value, at)
  at = at + 1
  while true do
    at = value:find('["\\]', at)
    if not at then
      return nil
    end
    if value:byte(at) == QUOTE then
      return at + 1
    end
    at = at + 2
  end
end

-- The position of the next comma outside quotes, from `at` on, or of the last byte.
local function skip_to_comma(value, at)
  while true do
    at = value:find('[",]', at)
    if not at then
      return #value
    end
    if value:byte(at) ~= QUOTE then
      return at
    end
    at = skip_quoted(value, at)
    if not at then
      return #value
    end
  end
end

local function skip_white_space(value, at)
  return value:find("[^ \t]", at) or #value + 1
end

-- The text of a parameter's value, and the position behind it; nil if it is malformed. A
-- value without quotes may hold more characters than a token, as many servers send it:
-- type=text/html.
local function read_value(value, at)
  if value:byte(at) ~= QUOTE then
    local _, last = value:find('^[^ \t;,"<>]*', at)
    return value:sub(at, last), last + 1
  end
  local behind = skip_quoted(value, at)
  if not behind then
    return nil
  end
  local inside = value:sub(at + 1, behind - 2)
  if inside:find "\\" then
    inside = inside:gsub("\\(.)", "%1")
  end
  return inside, behind
end

-- The parameters of a link, which begin at `at`, behind its target: lower-case name -> value,
-- the first of each name; and the position behind them. nil if they are malformed.
local function read_parameters(value, at)
  local parameters = {}
  while true do
    at = skip_white_space(value, at)
    if value:sub(at, at) ~= ";" then
      break
    end
    local start, last = value:find('^[^ \t;,="<>]*', skip_white_space(value, at + 1))
    local name, parameter = text.lower(value:sub(start, last)), ""
    at = skip_white_space(value, last + 1)
    if value:sub(at, at) == "=" then
      parameter, at = read_value(value, skip_white_space(value, at + 1))
      if not parameter or name == "" then
        return nil
      end
    end
    if name ~= "" and not parameters[name] then
      parameters[name] = parameter
    end
  end
  if at <= #value and value:sub(at, at) ~= "," then
    return nil
  end
  return parameters, at
end

-- More relation types than any server means. A relative target is written with all of the base
-- before it, so without a limit a short header could make a text of any size.
local MOST = 100

-- RFC 8288, section 2.1.1: relation types are compared without regard to case.
-- Section 3.2: a link with an anchor describes another resource.
local function add(found, url, base, parameters)
  if parameters.anchor or not parameters.rel or links.has_bare_scheme(url) then
    return
  end
  local template
  for relation in text.lower(parameters.rel):gmatch("%S+") do
    if not found.links[relation] and found.count < MOST then
      template = template or (base and links.resolved(url, base) or links.literal(url))
      found.links[relation], found.count = template, found.count + 1
    end
  end
end

-- RFC 3986 allows no control characters, spaces and " < > \ in a reference. Braces, which it
-- does not allow either, come from servers that send a template.
local TARGET = '^<([^%c <>"\\]*)>()'

-- The position behind a malformed link that begins at `at`: that of the next comma. A
-- target ends at its ">" (RFC 8288, appendix B.2), whatever it holds.
local function skip_link(value, at)
  return skip_to_comma(value, value:match("^<[^<>]*>()", at) or at)
end

-- Adds the links of one header field to found. base: what relative targets are resolved against, or
-- nil.
local function read(found, value, base)
  local at = 1
  while at <= #value do
    at = skip_white_space(value, at)
    local url, behind = value:match(TARGET, at)
    local parameters
    if url then
      parameters, behind = read_parameters(value, behind)
    end
    if parameters then
      add(found, url, base, parameters)
    end
    at = (parameters and behind or skip_link(value, at)) + 1
  end
end

-- The links of header fields, a text, a list of texts or nil. url: the base, or nil.
function links.of(value, url)
  local found, base = { links = {}, count = 0 }, url and links.base(url)
  for _, field in ipairs(type(value) == "table" and value or { value }) do
    if type(field) ~= "string" then
      fail("link: expected a string or a list of strings, got a %s", type(field))
    end
    read(found, field, base)
  end
  return found.links
end

return links

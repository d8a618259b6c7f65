-- SPDX-License-Identifier: MIT
-- URLs that a server writes: references (RFC 3986), as templates that mean exactly themselves, and
-- resolved against the URL of the request. The time is linear, whatever the server sent.
local references = {}

local text = require "endpoint.text"

-- All but the characters that RFC 3986 allows in a URL.
local FOREIGN = "[^!#$%%&'()*+,./0-9:;=?@A-Z%[%]_a-z~-]"

-- Has it a scheme without //, as mailto:x? No template can mean such a URL: without :// it would be
-- a path of the baseUrl.
function references.has_bare_scheme(url)
  local rest = url:match("^[A-Za-z][A-Za-z0-9+.-]*:(.*)$")
  return rest ~= nil and rest:sub(1, 2) ~= "//"
end

-- All but control characters and spaces.
local SEEN = "[^%z\1-\32]"

-- A URL without what browsers drop, and with "/" for the "\" that they take for one (WHATWG URL,
-- section 4.4). Other characters that no URL has are encoded when it becomes a template.
function references.as_browsers_read(url)
  url = url:gsub("[\t\n\r]", "")
  local first = url:find(SEEN)
  if not first then
    return ""
  end
  url = url:sub(first):match("^.*" .. SEEN)
  local before, after = url:match "^([^?#]*)(.*)$"
  return before:gsub("\\", "/") .. after
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

-- The template of a URL. An invalid host stays as it is, so that `endpoint` refuses it; but braces
-- in it would be an expression.
function references.literal(url)
  local origin, rest = url:match("^([A-Za-z][A-Za-z0-9+.-]*://[^/?#]*)(.*)$")
  local path, tail = (rest or url):gsub(FOREIGN, text.encoded):match("([^?#]*)(.*)$")
  return (origin or ""):gsub("[{}]", text.encoded) .. without_names(path) .. tail
end

-- The parts of a URL or of a relative reference (RFC 3986, appendix B). A part that is missing
-- is nil, but for the path. query and fragment: with their "?" and "#".
local function split(url)
  local scheme, rest = url:match("^([A-Za-z][A-Za-z0-9+.-]*):(//.*)$")
  rest = rest or url
  local authority, below = rest:match("^//([^/?#]*)(.*)$")
  local path, tail = (below or rest):match("([^?#]*)(.*)$")
  local query = tail:match("^%?[^#]*")
  local fragment = tail:sub(#(query or "") + 1)
  return { scheme = scheme, authority = authority, path = path, query = query, fragment = fragment }
end

-- The path that a relative one means below a directory (RFC 3986, section 5.2.4). slashes: their
-- positions in the directory, so that ".." costs the same however long the directory is.
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
function references.base(url)
  local base = split(references.literal(url))
  base.directory, base.slashes = whole_path(base.path:match("^.*/") or "/"), {}
  for at in base.directory:gmatch("()/") do
    base.slashes[#base.slashes + 1] = at
  end
  return base
end

-- The template of the URL that a reference means (RFC 3986, sections 5.2.2 and 5.3). The reference
-- has no scheme without "//".
function references.resolved(url, base)
  if url:sub(1, 2) == "//" then
    url = base.scheme .. ":" .. url
  end
  local parts = split(references.literal(url))
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

return references

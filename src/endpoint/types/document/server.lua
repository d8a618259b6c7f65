-- SPDX-License-Identifier: MIT
-- Where an API is: the first Server Object of a document, of a path or of an operation (OpenAPI
-- 3.1, "Server Object").
local server = {}

local reader = require "endpoint.types.document.reader"
local values = require "endpoint.types.document.values"
local as_table, as_string = values.as_table, values.as_string

-- A longer address is not taken: all routes of its operations would hold it.
local LONGEST = 2000

-- --- Swagger 2.0 ------------------------------------------------------------------

-- Swagger 2.0, "Swagger Object", `schemes`: "https" if it is one of them or none is named, else
-- "http" or nil.
local function swagger_scheme(doc)
  local found, scheme = false, nil
  for _, name in reader.each(doc, doc.root.schemes) do
    found = true
    if name == "https" or name == "http" and not scheme then
      scheme = name
    end
  end
  if not found then
    return "https"
  end
  return scheme
end

-- Swagger 2.0, "Swagger Object", `host` and `basePath` as Server Objects. They are joined so that
-- no part changes another. One that is unusable makes a server without a URL.
local function swagger_servers(doc)
  local root, scheme = doc.root, swagger_scheme(doc)
  local path, host = as_string(root.basePath) or "", root.host
  if host == nil then
    return { { url = path } }
  end
  if not scheme or not as_string(host) or host == "" or host:find "[/?#@\\]" then
    return { {} }
  end
  return { { url = scheme .. "://" .. host .. "/" .. path:gsub("^/+", "") } }
end

-- --- URLs ---------------------------------------------------------------------------

-- OpenAPI 3.1, "Server Variable Object", `default`.
local function default_of(variables, name)
  local value = as_table(as_table(variables)[name]).default
  if type(value) == "number" and value % 1 == 0 then
    return ("%.0f"):format(value)
  end
  return as_string(value)
end

-- The URL of the first Server Object of a list, with its variables' defaults, and a list of these
-- as "name = default"; nil without a URL.
local function url_of(servers)
  local first, taken = as_table(as_table(servers)[1]), {}
  local written = as_string(first.url)
  local size = written and #written or math.huge
  if size > LONGEST then
    return nil
  end
  local url = written:gsub("{([^{}]*)}", function(name)
    local value = default_of(first.variables, name)
    if not value then
      return nil
    end
    size = size + #value - #name - 2
    if size > LONGEST then -- its braces stay, and no address has these
      return nil
    end
    taken[#taken + 1] = name .. " = " .. value
    return value
  end)
  if size <= LONGEST then
    return url, taken
  end
end

-- A string without these characters at its end, in linear time.
local function without_last(value, character)
  local last = #value
  while value:sub(last, last) == character do
    last = last - 1
  end
  return value:sub(1, last)
end

-- A URL as a baseUrl: absolute, or a path that begins with "/".
local function base_of(url)
  if url:find "^//" then
    url = "https:" .. url
  end
  local start = url:match "^%a[%w+.-]*://"
  if start then
    return start .. without_last(url:sub(#start + 1), "/")
  end
  return "/" .. without_last((url .. "/"):gsub("^%.?/+", ""), "/")
end

-- The document's baseUrl, "/" if it names no server, nil if the first has no URL; and the
-- defaults that it takes for variables.
function server.of_document(doc)
  local servers = as_table(doc.root.swagger and swagger_servers(doc) or doc.root.servers)
  if servers[1] == nil then
    return "/", {}
  end
  local url, taken = url_of(servers)
  return url and base_of(url), taken
end

-- A server of an operation, beside the document's: an absolute URL, a path below the same
-- host, or nil where it is the document's own. A host that is not known leaves the path.
function server.of_operation(base, servers)
  local url = url_of(servers)
  if not url then
    return nil
  end
  local own = base_of(url)
  if own == base then
    return nil
  end
  local host = (base or ""):match "^%a.-//[^/?#]*"
  if own:sub(1, 1) == "/" and host then
    own = host .. without_last(own, "/")
  end
  return own ~= base and own or nil
end

return server

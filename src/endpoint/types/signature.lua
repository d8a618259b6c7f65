-- SPDX-License-Identifier: MIT
-- One operation as a call of an endpoint: its route, and the options that the call takes.
local signature = {}

local address = require "endpoint.types.signature.address"
local body_fields = require "endpoint.types.signature.body_fields"
local endpoint = require "endpoint"
local field = require "endpoint.types.signature.field"
local text = require "endpoint.text"

-- OpenAPI says that parameters with these names mean nothing.
local NOT_HEADERS = { accept = true, authorization = true, ["content-type"] = true }

-- No header can have a name with such a character (RFC 9110, section 5.6.2).
local NO_TOKEN = "[^%w!#$%%&'*+.^_`|~-]"

local function add_headers(doc, operation, new_signature)
  local cookies = {}
  for _, parameter in ipairs(operation.parameters) do
    local name = text.lower(parameter.name)
    if parameter.place == "cookie" then
      cookies[#cookies + 1] = parameter.name .. "=..."
    elseif parameter.place == "header" and not NOT_HEADERS[name] and not name:find(NO_TOKEN) then
      local header, kind = field.for_parameter(doc, parameter)
      if kind ~= "scalar" then
        header = field.joined(name, parameter, ",")
      end
      -- The defaults may have it.
      header.name, header.is_asked, header.required = name, header.required, false
      new_signature.headers[#new_signature.headers + 1] = header
    end
  end
  if #cookies > 0 then
    new_signature.headers[#new_signature.headers + 1] = field.scalar(
      "cookie",
      { "string", "string[]" },
      {},
      table.concat(cookies, "; ")
    )
  end
end

-- The names that the map of the query must not have.
local function names_in(operation, properties)
  local names = {}
  for _, parameter in ipairs(operation.parameters) do
    names[parameter.name] = true
  end
  for _, property in ipairs(properties) do
    names[property.name] = true
  end
  return names
end

-- Does the module take the route? Each variable gets a text.
local function check(url, base)
  local options = { url = url, baseUrl = base }
  local is_read, variables = pcall(endpoint.variables, url)
  for _, variable in ipairs(is_read and variables or {}) do
    options[variable.name] = "x"
  end
  local is_taken, problem = pcall(endpoint.parse, options)
  if not is_taken then
    address.leave_out("%s", (problem:gsub("^endpoint: ", "")))
  end
end

local function url_of(operation, base, template)
  local server = operation.server
  if not server then
    return template
  end
  if not server:find "^%a" and base ~= "/" then
    address.leave_out "its server has no host"
  end
  if server:find "[?#]" then
    address.leave_out "its server has a query"
  end
  if server:find "[{}]" then
    address.leave_out "its server has a variable without a default"
  end
  return address.without_colons(server, #server) .. template
end

local function read(doc, base, operation)
  local new_signature = {
    method = operation.method,
    path = operation.path,
    id = operation.id,
    summary = operation.summary,
    description = operation.description,
    security = operation.security,
    deprecated = operation.deprecated,
    fields = {},
    body_fields = {},
    variables = {},
    headers = {},
    notes = {},
    deep = {},
    responses = operation.responses,
    source = operation.source,
  }
  local properties = body_fields.properties(doc, operation.body)
  local plain = address.path(doc, operation, new_signature)
  local template, has_plain =
    address.query(doc, operation, new_signature, plain, names_in(operation, properties))
  body_fields.add(doc, operation, new_signature, properties)
  add_headers(doc, operation, new_signature)
  local url = url_of(operation, base, template)
  check(url, base)
  new_signature.route = operation.method .. " " .. url
  if has_plain then
    new_signature.plain = operation.method .. " " .. url_of(operation, base, plain)
  end
  return new_signature
end

-- The call of an operation: `route`, perhaps `plain` (the same without the query's expression),
-- `fields`, `body_fields`, `rest` (what other properties the body may have), `headers` (fields),
-- `notes`, `deep` (the parameters of the style deepObject that have free keys), the schemas of
-- `responses`, its `source` (the table of the document), and where there are some, `params` and
-- `data` (a name and fields) and `body` (its schema, `format` and media type); or nil and why it is
-- left out. base: the document's server.
function signature.new(doc, base, operation)
  local is_made, result = pcall(read, doc, base, operation)
  if is_made then
    return result
  end
  if type(result) ~= "table" then
    error(result, 0)
  end
  return nil, result.reason
end

return signature

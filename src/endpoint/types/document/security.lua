-- SPDX-License-Identifier: MIT
-- What an operation asks for to be allowed: OpenAPI 3.1, "Security Requirement Object" and
-- "Security Scheme Object"; Swagger 2.0, "Security Definitions Object".
local security = {}

local budget = require "endpoint.types.document.budget"
local reader = require "endpoint.types.document.reader"
local references = require "endpoint.types.document.references"
local values = require "endpoint.types.document.values"
local as_table, as_string = values.as_table, values.as_string

local function security_schemes(doc)
  if doc.root.swagger then
    return as_table(doc.root.securityDefinitions)
  end
  return as_table(as_table(doc.root.components).securitySchemes)
end

-- Swagger 2.0, "Security Scheme Object": a type that OpenAPI 3 calls http with the scheme basic.
local SWAGGER_TYPES = { basic = { type = "http", scheme = "basic" } }

local function strings_in(doc, list)
  local strings = {}
  for _, element in reader.each(doc, list) do
    strings[#strings + 1] = as_string(element)
  end
  return strings
end

-- One scheme as a list, "" for what it does not say: its name in the document, its type, place and
-- name of an API key, scheme of HTTP, and the scopes that are asked for.
local function scheme_of(doc, name, scopes)
  local scheme_object = references.resolve(doc, as_table(security_schemes(doc)[name]))
  local written_type = as_string(scheme_object.type) or ""
  local swagger = SWAGGER_TYPES[written_type] or {}
  local is_key = written_type == "apiKey"
  local scheme = {
    name,
    swagger.type or written_type,
    is_key and as_string(scheme_object["in"]) or "",
    is_key and as_string(scheme_object.name) or "",
    as_string(scheme_object.scheme) or swagger.scheme or "",
    strings_in(doc, scopes),
  }
  for position = 1, 5 do
    budget.spend(doc, #scheme[position])
  end
  return scheme
end

-- The requirements of an operation, or of the document where the operation has none. One of them is
-- enough: each is a list of schemes, and an empty list asks for nothing.
function security.read(doc, operation_object)
  local requirements = operation_object.security
  if type(requirements) ~= "table" then
    requirements = doc.root.security
  end
  local found = {}
  for _, requirement_object in reader.each(doc, requirements) do
    local schemes = {}
    for _, name in ipairs(reader.keys(doc, requirement_object)) do
      schemes[#schemes + 1] = scheme_of(doc, name, requirement_object[name])
    end
    found[#found + 1] = schemes
  end
  return found
end

return security

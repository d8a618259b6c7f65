-- SPDX-License-Identifier: MIT
-- What an operation asks for to be allowed: its security requirements, with the schemes that they
-- name.
local security = {}

local budget = require "endpoint.types.document.budget"
local reader = require "endpoint.types.document.reader"
local references = require "endpoint.types.document.references"
local values = require "endpoint.types.document.values"
local as_table, as_string = values.as_table, values.as_string

local function schemes_of(doc)
  local components = as_table(doc.root.components)
  return as_table(doc.root.swagger and doc.root.securityDefinitions or components.securitySchemes)
end

-- What Swagger 2.0 calls a type of its own.
local TYPES = { basic = { "http", "basic" } }

local function scopes_of(doc, list)
  local scopes = {}
  for _, scope in reader.each(doc, list) do
    scopes[#scopes + 1] = as_string(scope)
  end
  return scopes
end

-- One scheme as a list, "" for what it does not say: its name in the document, type, place and name
-- of an API key, scheme of HTTP, and its scopes.
local function scheme_of(doc, name, scopes)
  local scheme = references.resolve(doc, as_table(schemes_of(doc)[name]))
  local kind = as_string(scheme.type) or ""
  local other = TYPES[kind] or {}
  local is_key = kind == "apiKey"
  local found = {
    name,
    other[1] or kind,
    is_key and as_string(scheme["in"]) or "",
    is_key and as_string(scheme.name) or "",
    as_string(scheme.scheme) or other[2] or "",
    scopes_of(doc, scopes),
  }
  for position = 1, 5 do
    budget.spend(doc, #found[position])
  end
  return found
end

-- The requirements of an operation. One of them is enough: each is a list of schemes, and an empty
-- list asks for nothing.
function security.read(doc, raw)
  local requirements = raw.security
  if type(requirements) ~= "table" then
    requirements = doc.root.security
  end
  local found = {}
  for _, requirement in reader.each(doc, requirements) do
    local schemes = {}
    for _, name in ipairs(reader.keys(doc, requirement)) do
      schemes[#schemes + 1] = scheme_of(doc, name, requirement[name])
    end
    found[#found + 1] = schemes
  end
  return found
end

return security

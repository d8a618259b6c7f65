-- SPDX-License-Identifier: MIT
-- The headers of an operation: its Parameter Objects that are in "header" or "cookie" (OpenAPI 3.1,
-- "Parameter Locations").
local headers = {}

local option_field = require "endpoint.types.signature.option_field"
local text = require "endpoint.text"

-- OpenAPI 3.1, "Parameter Object": parameters with these names count as absent.
local IS_IGNORED = { accept = true, authorization = true, ["content-type"] = true }

-- No header can have a name with such a character (RFC 9110, section 5.6.2).
local NO_TOKEN = "[^%w!#$%%&'*+.^_`|~-]"

-- Is a parameter a header that a program may give?
function headers.is_header(parameter)
  local name = text.lower(parameter.name)
  return parameter.place == "header" and not IS_IGNORED[name] and not name:find(NO_TOKEN)
end

-- The field of a header. The defaults may have the header, so a call need not. `is_asked` says that
-- the document requires it.
local function field_of(doc, parameter)
  local name = text.lower(parameter.name)
  local field, kind = option_field.of_parameter(doc, parameter)
  if kind ~= "scalar" then
    field = option_field.joined(name, parameter, ",")
  end
  field.name, field.is_asked, field.required = name, field.required, false
  return field
end

-- The one field of all cookies.
local function field_of_cookies(cookies)
  return option_field.scalar("cookie", { "string", "string[]" }, {}, table.concat(cookies, "; "))
end

-- Adds the fields of the headers to a signature.
function headers.add(doc, operation, signature)
  local cookies, fields = {}, signature.headers
  for _, parameter in ipairs(operation.parameters) do
    if parameter.place == "cookie" then
      cookies[#cookies + 1] = parameter.name .. "=..."
    elseif headers.is_header(parameter) then
      fields[#fields + 1] = field_of(doc, parameter)
    end
  end
  if #cookies > 0 then
    fields[#fields + 1] = field_of_cookies(cookies)
  end
end

return headers

-- SPDX-License-Identifier: MIT
-- Values of a decoded document. It comes from a stranger: a part of a wrong type counts as absent.
local values = {}

local text = require "endpoint.text"

values.NOTHING = {} -- never written to

-- The table that a value is, or an empty one.
function values.as_table(value)
  return type(value) == "table" and value or values.NOTHING
end

-- The string that a value is, or nil.
function values.as_string(value)
  return type(value) == "string" and value or nil
end

-- Is a value a list that is not empty?
function values.is_list(value)
  return type(value) == "table" and value[1] ~= nil
end

-- May a value of a schema be null? Documents of Swagger 2.0 have an extension for it.
function values.is_nullable(schema)
  return schema.nullable == true or schema["x-nullable"] == true
end

local LONGEST_QUOTED = 100

-- A string of the document as errors quote it.
function values.quoted(value)
  return text.shown(value, LONGEST_QUOTED, "quoted")
end

return values

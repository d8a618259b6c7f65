-- SPDX-License-Identifier: MIT
-- Lists and objects that a program gives as one string, joined by a separator: their elements are
-- checked as those of a value.
local joined = {}

local kinds = require "endpoint.checks.incoming.kinds"
local reader = require "endpoint.checks.incoming.reader"
local texts = require "endpoint.checks.incoming.texts"
local value = require "endpoint.checks.validator.value"

local STYLES = { [","] = "form", [" "] = "spaceDelimited", ["|"] = "pipeDelimited" }
STYLES["\t"] = "tabDelimited"

-- The parameters of an operation that are joined, by name; made once.
local function parameters_of(rulebook, operation)
  local found = operation.joined
  if found then
    return found
  end
  found = {}
  local rules = operation.rules
  for _, pair in ipairs(rules.styles or {}) do
    local style, node = STYLES[pair[2]], rules.values.properties[pair[1]]
    if style and node then
      found[pair[1]] = { node = node, kinds = kinds.of(rulebook, node), style = style }
    end
  end
  operation.joined = found
  return found
end

local function as_it_is(raw)
  return raw
end

-- What is wrong with the elements of a string; nil if nothing is, or the parameter is not joined.
function joined.problem(rulebook, operation, name, given)
  local parameter = operation.rules.styles and parameters_of(rulebook, operation)[name]
  if not parameter or type(given) ~= "string" then
    return nil
  end
  local values = {}
  texts.read(reader.new(rulebook), values, "value", parameter, given, as_it_is)
  return value.problem(rulebook, parameter.node, values.value)
end

return joined

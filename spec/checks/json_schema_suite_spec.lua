-- The official test suite of JSON Schema 2020-12, read where it is: beside the project. Each schema
-- is the property of a JSON body of an OpenAPI 3.1 document, and the rules are open; closed ones
-- are made, too.
package.path = "src/?.lua;" .. package.path
local json = require "cjson"
local types = require "endpoint.types"

local FOLDER = "../shared/data/json-schema/"

-- Files of the suite, by the keywords that they try.
local FILES = {
  "additionalProperties",
  "allOf",
  "anyOf",
  "boolean_schema",
  "contains",
  "dependentRequired",
  "enum",
  "exclusiveMaximum",
  "exclusiveMinimum",
  "if-then-else",
  "infinite-loop-detection",
  "maxContains",
  "maxItems",
  "maxLength",
  "maxProperties",
  "maximum",
  "minContains",
  "minItems",
  "minLength",
  "minProperties",
  "minimum",
  "multipleOf",
  "pattern",
  "patternProperties",
  "prefixItems",
  "properties",
  "propertyNames",
  "required",
  "type",
  "unevaluatedProperties",
  "uniqueItems",
}

-- lua-cjson gives the same table for [] and {}, and Lua does not tell them apart: what one of them
-- fits, passes.
local EMPTY = "[] and {} are the same table in Lua"

-- What does not agree: its file, the description of the schema, that of the value, and why.
local DISAGREE = {
  { "contains", "contains keyword validation", "empty array is invalid", EMPTY },
  { "contains", "contains keyword with boolean schema true", "empty array is invalid", EMPTY },
  { "contains", "contains keyword with boolean schema false", "empty array is invalid", EMPTY },
  { "contains", "contains with false if subschema", "empty array is invalid", EMPTY },
  { "minProperties", "minProperties validation", "too short is invalid", EMPTY },
  { "minProperties", "minProperties validation with a decimal", "too short is invalid", EMPTY },
  {
    "required",
    "required properties whose names are Javascript object property names",
    "none of the properties mentioned",
    EMPTY,
  },
  { "type", "object type matches objects", "an array is not an object", EMPTY },
  { "type", "array type matches arrays", "an object is not an array", EMPTY },
  { "unevaluatedProperties", "dynamic evalation inside nested refs", "Empty is invalid", EMPTY },
  {
    "unevaluatedProperties",
    "unevaluatedProperties with $dynamicRef",
    "with unevaluated properties",
    "$dynamicRef is not followed",
  },
}

local function key_of(file, schema, value)
  return table.concat({ file, schema, value }, ": ")
end

local REASONS = {}
for _, row in ipairs(DISAGREE) do
  REASONS[key_of(row[1], row[2], row[3])] = row[4]
end

-- A schema with its references below the place that it has in the document.
local function placed(value)
  if type(value) ~= "table" then
    return value
  end
  local copy = {}
  for key, one in pairs(value) do
    local is_reference = key == "$ref" and type(one) == "string" and one:find "^#"
    copy[key] = is_reference and "#/components/schemas/S" .. one:sub(2) or placed(one)
  end
  return copy
end

-- The check of values by a schema: says whether one is valid; or nil and why there is none.
local function check_of(schema, is_closed)
  local reference = { ["$ref"] = "#/components/schemas/S" }
  local body = { type = "object", properties = { value = reference } }
  local root = {
    openapi = "3.1.0",
    components = { schemas = { S = placed(schema) } },
    paths = {
      ["/x"] = {
        post = { requestBody = { content = { ["application/json"] = { schema = body } } } },
      },
    },
  }
  local is_made, made = pcall(types.generate, root, "api", { checks = true, open = not is_closed })
  if not is_made then
    return nil, made
  end
  local rules
  for _, file in ipairs(made.files) do
    rules = file.name == "api-checks.lua" and (loadstring or load)(file.text)() or rules
  end
  return function(value)
    return pcall(rules.check, "POST /x", { data = { value = value } })
  end
end

local function read(file)
  local stream = io.open(FOLDER .. file .. ".json")
  local text = stream and stream:read "*a"
  return stream and stream:close() and json.decode(text) or nil
end

-- Without a library for regular expressions, nobody knows what a pattern says.
local has_patterns = require "endpoint.checks.validator.patterns".are_known()
local NEEDS_PATTERNS = {
  additionalProperties = true,
  pattern = true,
  patternProperties = true,
  properties = true,
  propertyNames = true,
  unevaluatedProperties = true,
}

local function try(file, case)
  local check, problem = check_of(case.schema)
  for _, test in ipairs(case.tests) do
    local is_valid, message = nil, problem
    if check then
      is_valid, message = check(test.data)
    end
    local agrees = is_valid == test.valid
    local reason = REASONS[key_of(file, case.description, test.description)]
    assert.equal(reason == nil, agrees, ("%s: %s"):format(test.description, tostring(message)))
  end
end

-- Closed rules know what documents mean, so they may say something else of a value; but they say
-- something.
local function try_closed(case)
  local check, problem = check_of(case.schema, true)
  assert.truthy(check, problem)
  for _, test in ipairs(case.tests) do
    local is_valid, message = check(test.data)
    assert.truthy(is_valid or message:find("endpoint.checks: POST /x: ", 1, true), message)
  end
end

describe("JSON Schema's test suite:", function()
  for _, file in ipairs(FILES) do
    local cases = read(file)
    if not cases then
      pending(file .. ": the folder " .. FOLDER .. " is not here")
    elseif NEEDS_PATTERNS[file] and not has_patterns then
      pending(file .. ": there is neither ngx.re nor lrexlib")
    else
      for number, case in ipairs(cases) do
        it(("%s, case %d: %s"):format(file, number, case.description), function()
          try(file, case)
        end)

        it(("%s, case %d, closed: %s"):format(file, number, case.description), function()
          try_closed(case)
        end)
      end
    end
  end
end)

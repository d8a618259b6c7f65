-- SPDX-License-Identifier: MIT
-- Usage: lua spec/checks/fuzz_schemas.lua SEED COUNT
--
-- Changes schemas of JSON Schema's official suite at random, makes rules of them, closed and open,
-- and checks values by these. Each must end with rules and a verdict, or with a sentence: no error
-- of the program. `.ci/check fuzz` runs it where the suite is beside the project.
package.path = "src/?.lua;" .. package.path
local json = require "cjson"
local types = require "endpoint.types"

local FOLDER = "../shared/data/json-schema/"
local FILES = {
  "additionalProperties",
  "allOf",
  "anyOf",
  "boolean_schema",
  "contains",
  "dependentRequired",
  "enum",
  "if-then-else",
  "infinite-loop-detection",
  "maxContains",
  "maximum",
  "minContains",
  "minProperties",
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

local seed, count = tonumber(arg[1]) or 1, tonumber(arg[2]) or 2000

local state = seed * 2654435761 % 2147483647
local function random(most)
  state = state * 48271 % 2147483647
  return state % most + 1
end
local function one_of(list)
  return list[random(#list)]
end

-- --- changes ------------------------------------------------------------------------------

local KEYWORDS = {
  "type",
  "enum",
  "const",
  "allOf",
  "anyOf",
  "oneOf",
  "not",
  "if",
  "then",
  "else",
  "items",
  "prefixItems",
  "contains",
  "minContains",
  "properties",
  "required",
  "additionalProperties",
  "patternProperties",
  "propertyNames",
  "dependentRequired",
  "dependentSchemas",
  "unevaluatedProperties",
  "unevaluatedItems",
  "discriminator",
  "nullable",
  "readOnly",
  "writeOnly",
  "$ref",
  "multipleOf",
  "maximum",
  "exclusiveMinimum",
  "maxLength",
  "pattern",
  "uniqueItems",
  "description",
  "format",
}

local function new_value()
  return one_of {
    true,
    false,
    json.null,
    0,
    1.5,
    -1,
    2 ^ 60,
    "a",
    "object",
    "#/components/schemas/S",
    "#/components/schemas/T",
    {},
    { true },
    { false },
    { "a", "b" },
    { { type = "integer" }, true },
    { { required = { "a" } }, { required = { "b" } } },
    { type = "object", properties = { a = { const = 1 } }, required = { "a" } },
    { { ["$ref"] = "#/components/schemas/T" }, { ["$ref"] = "#/components/schemas/S" } },
    { propertyName = "a", mapping = { x = "T" } },
    { ["$ref"] = "#/components/schemas/T" },
    { a = { type = "string", readOnly = true }, b = false },
    { type = { "object", "null" } },
  }
end

-- The tables in a table, each once, in an order that is the same in each run.
local function tables_in(value)
  local list, is_known = { value }, { [value] = true }
  for _, one in ipairs(list) do
    local keys = {}
    for key in pairs(one) do
      keys[#keys + 1] = key
    end
    table.sort(keys, function(a, b)
      return type(a) == type(b) and a < b or type(a) ~= type(b) and type(a) < type(b)
    end)
    one = { value = one, keys = keys }
    for _, key in ipairs(keys) do
      local inner = one.value[key]
      if type(inner) == "table" and not is_known[inner] then
        list[#list + 1], is_known[inner] = inner, true
      end
    end
  end
  return list
end

local function change(schema)
  local target = one_of(tables_in(schema))
  local keys = {}
  for key in pairs(target) do
    keys[#keys + 1] = key
  end
  table.sort(keys, function(a, b)
    return tostring(a) < tostring(b)
  end)
  local how = random(4)
  if how == 1 and keys[1] ~= nil then
    target[one_of(keys)] = new_value()
  elseif how == 2 and target[1] ~= nil then
    table.remove(target, random(#target))
  elseif how == 2 and keys[1] ~= nil then
    target[one_of(keys)] = nil
  elseif target[1] == nil then
    target[one_of(KEYWORDS)] = new_value()
  else
    target[#target + 1] = new_value()
  end
end

-- --- what must come out ---------------------------------------------------------------------

local failed = 0

local function fail(schema, open, problem)
  failed = failed + 1
  if failed <= 5 then
    print(("%s\n  open: %s\n  %s"):format(problem, tostring(open), json.encode(schema)))
  end
end

local function document_of(schema)
  local body = { type = "object", properties = { v = { ["$ref"] = "#/components/schemas/S" } } }
  return {
    openapi = one_of { "3.0.3", "3.1.0" },
    components = {
      schemas = { S = schema, T = { type = "object", properties = { a = { type = "string" } } } },
    },
    paths = {
      ["/x"] = {
        post = {
          requestBody = { content = { ["application/json"] = { schema = body } } },
          responses = { ["200"] = { content = { ["application/json"] = { schema = body } } } },
        },
      },
    },
  }
end

local VALUES = { 1, "a", true, json.null, { a = 1, b = "x" }, { 1, "a", 1 }, { a = { a = {} } } }

local function try(schema, open)
  local is_made, made = pcall(
    types.generate,
    document_of(schema),
    "m",
    { checks = true, responses = true, open = open }
  )
  if not is_made then
    if not tostring(made):find "^endpoint%.types: " then
      fail(schema, open, made)
    end
    return
  end
  local rules, problem = (loadstring or load)(made.files[#made.files - 1].text)
  rules = rules and rules()
  if not rules then
    return fail(schema, open, problem)
  end
  for _, value in ipairs(VALUES) do
    local fits, message = pcall(rules.check, "POST /x", { data = { v = value } })
    if not fits and not tostring(message):find "endpoint%.checks: " then
      fail(schema, open, message)
    end
    local is_answered, answer = pcall(rules.response, "POST /x", 200, { v = value })
    if not is_answered and not tostring(answer):find "endpoint%.checks: " then
      fail(schema, open, answer)
    end
  end
end

local texts = {}
for _, file in ipairs(FILES) do
  local stream = io.open(FOLDER .. file .. ".json")
  for _, case in ipairs(stream and json.decode(stream:read "*a") or {}) do
    texts[#texts + 1] = json.encode { case.schema }
  end
end
if not texts[1] then
  print("fuzz: schemas: NOT RUN (the folder " .. FOLDER .. " is not here)")
  return
end
local made = 0
for _ = 1, count do
  local holder = json.decode(one_of(texts))
  if type(holder[1]) == "table" then
    for _ = 1, random(3) do
      change(holder[1])
    end
    made = made + 2
    try(holder[1], false)
    try(holder[1], true)
  end
end
print(("fuzz: schemas: seed %d, %d made, %d failed"):format(seed, made, failed))
os.exit(failed == 0)

-- SPDX-License-Identifier: MIT
-- The editor's type of a property and the rules of its values are made of one node: what the type
-- has, the rules take, and what it lacks, they refuse.
local endpoint = require "endpoint"
local support = require "support"
local types = require "endpoint.types"

local NULL = endpoint.null
local TEXT, WHOLE = { type = "string" }, { type = "integer" }

-- Values of scalar types, and lists and objects of them.
local VALUES = { "a", "b", "z", "1", 1, 2, 9, 1.5, true, false, NULL, { "a" }, { a = "a" } }

local function of_literal(text, value)
  if text:find '^"' then
    return value == text:sub(2, -2)
  end
  return tonumber(text) ~= nil and value == tonumber(text)
    or type(value) == "boolean" and text == tostring(value)
end

local IS_OF = {
  string = function(value)
    return type(value) == "string"
  end,
  number = function(value)
    return type(value) == "number"
  end,
  integer = function(value)
    return type(value) == "number" and value % 1 == 0
  end,
  boolean = function(value)
    return type(value) == "boolean"
  end,
  ["endpoint.Null"] = function(value)
    return value == NULL
  end,
  any = function()
    return true
  end,
}

-- Does a value fit a type of the editor? Tables are not looked into. text: nil for a property that
-- is no field, since no value fits it.
local function fits(text, value)
  for one in ((text or "") .. "|"):gmatch "([^|]+)|" do
    local is_table = one:find "%[%]$" or one == "table" or one:find "^table<" or one:find "^api%."
    if IS_OF[one] then
      if IS_OF[one](value) then
        return true
      end
    elseif is_table and type(value) == "table" or of_literal(one, value) then
      return true
    end
  end
  return false
end

local ROWS = {
  { enum = { "a", 1, true, NULL } },
  { type = "integer", enum = { "1", "2" } },
  { allOf = { { enum = { "a", "b" } }, { enum = { "b", "z" } } } },
  { enum = { "a", "b" }, const = "b" },
  { allOf = { { type = "number" }, WHOLE } },
  { type = { "string", "integer" }, allOf = { TEXT } },
  { type = "string", anyOf = { { enum = { "a" } }, { enum = { "b" } } } },
  { type = "integer", oneOf = { { const = 1 }, { const = 2 } } },
  { oneOf = { { type = "null" }, TEXT } },
  { oneOf = { false, WHOLE } },
  { anyOf = { WHOLE, true } },
  { type = "string", nullable = true, enum = { "a" } },
  { nullable = true, allOf = { TEXT } },
  { allOf = { { type = "string", nullable = true }, TEXT } },
  { const = 1 },
  { type = "null", oneOf = { TEXT, WHOLE } },
  { type = "string", ["not"] = { type = "integer" } },
  { ["$ref"] = "#/components/schemas/Word" },
  { allOf = { { ["$ref"] = "#/components/schemas/Word" }, { nullable = true } } },
  { anyOf = { { ["$ref"] = "#/components/schemas/Word" }, { type = "null" } } },
}

-- The type of v in the definitions of a body, and a function that says whether the rules take it.
local function read(schema, version, open)
  local body = { type = "object", properties = { v = schema } }
  local content = { ["application/json"] = { schema = body } }
  local made = types.generate({
    openapi = version,
    components = { schemas = { Word = { type = "string", enum = { "a", "b" } } } },
    paths = { ["/x"] = { post = { operationId = "send", requestBody = { content = content } } } },
  }, "api", { checks = true, open = open })
  local rules = (loadstring or load)(made.files[#made.files - 1].text)()
  return made.files[1].text:match "%-%-%-@field v%?? ([^\n]*)",
    function(value)
      return (pcall(rules.check, "POST /x", { data = { v = value } }))
    end
end

describe("the editor and the rules agree on", function()
  for _, version in ipairs { "3.0.3", "3.1.0" } do
    for _, open in ipairs { false, true } do
      for position, schema in ipairs(ROWS) do
        local title = ("schema %d, %s, %s"):format(position, version, open and "open" or "closed")
        it(title .. ": " .. support.shown(schema), function()
          local text, takes = read(schema, version, open)
          for _, value in ipairs(VALUES) do
            assert.equal(
              fits(text, value),
              takes(value),
              (text or "no field") .. " " .. support.shown(value)
            )
          end
        end)
      end
    end
  end
end)

describe("the editor's question", function()
  it("for a required name that no schema describes adds none to the open rules", function()
    local schema = { type = "object", properties = { a = TEXT }, required = { "b" } }
    local body = { type = "object", properties = { v = schema } }
    local content = { ["application/json"] = { schema = body } }
    local made = types.generate({
      openapi = "3.1.0",
      paths = { ["/x"] = { post = { operationId = "send", requestBody = { content = content } } } },
    }, "api", { checks = true, open = true })
    local written = made.files[#made.files - 1].text
    assert.truthy(made.files[1].text:find("---@field b ", 1, true))
    assert.truthy(written:find('properties={a={type="string"}}', 1, true), written)
  end)
end)

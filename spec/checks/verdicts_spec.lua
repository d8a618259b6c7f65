-- SPDX-License-Identifier: MIT
-- Which values the rules of a schema take, closed and open: what JSON Schema says, but for names
-- that no schema describes and for the words of documents that contradict each other.
package.path = "src/?.lua;" .. package.path
local endpoint = require "endpoint"
local support = require "support"
local types = require "endpoint.types"

local NULL, TEXT, WHOLE = endpoint.null, { type = "string" }, { type = "integer" }

-- A function that says whether the rules of a body with the property v take a value.
local function taker_of(schema, open, version)
  local body = { type = "object", properties = { v = schema } }
  local content = { ["application/json"] = { schema = body } }
  local made = types.generate({
    openapi = version or "3.1.0",
    paths = { ["/x"] = { post = { requestBody = { content = content } } } },
  }, "api", { checks = true, open = open })
  local rules = (loadstring or load)(made.files[#made.files - 1].text)()
  return function(value)
    return (pcall(rules.check, "POST /x", { data = { v = value } }))
  end
end

-- `takes` and `refuses` are the same with and without --open, `only_open` is not.
local ROWS = {
  {
    what = "a required name that properties do not have must be there, and may",
    schema = { type = "object", required = { "a", "z" }, properties = { a = {} } },
    takes = { { a = 1, z = 2 } },
    refuses = { { a = 1 }, {} },
    only_open = { { a = 1, z = 2, y = 3 } },
  },
  {
    what = "a required name that only another schema of allOf has must be there",
    schema = {
      allOf = {
        { type = "object", properties = { a = {} } },
        { type = "object", required = { "z" } },
      },
    },
    takes = { { a = 1, z = 2 }, { z = 1 } },
    refuses = { { a = 1 } },
    only_open = { { z = 1, y = 2 } },
  },
  {
    what = "a required name of an alternative may be there",
    schema = {
      type = "object",
      properties = { a = {} },
      anyOf = { { required = { "a" } }, { required = { "z" } } },
    },
    takes = { { a = 1 }, { z = 1 }, { a = 1, z = 1 } },
    refuses = { {} },
    only_open = { { a = 1, y = 1 } },
  },
  {
    what = "an object of nothing but a required name takes others",
    schema = { type = "object", required = { "z" } },
    takes = { { z = 1 }, { z = 1, y = 2 } },
    refuses = { { y = 2 } },
  },
  {
    what = "exactly one of two required names may be there",
    schema = {
      type = "object",
      properties = { a = {}, b = {} },
      oneOf = { { required = { "a" } }, { required = { "b" }, description = "b" } },
    },
    takes = { { a = 1 }, { b = 1 } },
    refuses = { {}, { a = 1, b = 1 } },
  },
  {
    what = "objects that overlap fit a oneOf together, unless it is open",
    schema = {
      oneOf = {
        { type = "object", properties = { a = {} } },
        { type = "object", properties = { b = {} } },
      },
    },
    takes = {},
    refuses = { "x" },
    only_closed = { { a = 1 }, { a = 1, b = 1 } },
  },
  {
    what = "true is an alternative that any value fits",
    schema = { anyOf = { WHOLE, true } },
    takes = { 1, "x", true, { a = 1 } },
    refuses = {},
  },
  {
    what = "true and an integer exclude each other in a oneOf",
    schema = { oneOf = { WHOLE, true } },
    takes = { "x", { a = 1 } },
    refuses = { 1 },
  },
  {
    what = "false is an alternative that no value fits",
    schema = { anyOf = { WHOLE, false } },
    takes = { 1 },
    refuses = { "x" },
  },
  {
    what = "a type beside const counts where they contradict, unless they are closed",
    schema = { type = "string", const = 1 },
    takes = {},
    refuses = { 2, "x" },
    only_closed = { 1, "1" },
  },
  {
    what = "a type beside an enumeration counts",
    schema = { type = "string", enum = { "a", 1 } },
    takes = { "a" },
    refuses = { "b", 2 },
    only_closed = { 1 },
  },
  {
    what = "nullable adds no null to the values of its schema",
    version = "3.0.3",
    schema = { type = "string", nullable = true, enum = { "a" } },
    takes = { "a" },
    refuses = { NULL, "b" },
  },
  {
    what = "nullable beside values with null lets null in",
    version = "3.0.3",
    schema = { type = "string", nullable = true, enum = { "a", NULL } },
    takes = { "a", NULL },
    refuses = { "b" },
  },
  {
    what = "nullable beside allOf lets null in",
    version = "3.0.3",
    schema = { nullable = true, allOf = { { type = "string", enum = { "a" } } } },
    takes = { "a", NULL },
    refuses = { "b" },
  },
  {
    what = "type null beside alternatives means that null fits, too, unless it is open",
    schema = { type = "null", oneOf = { TEXT, WHOLE } },
    takes = {},
    refuses = { true },
    only_closed = { "a", 1, NULL },
  },
  {
    what = "scalars beside the type array are meant for the items, unless it is open",
    schema = { type = "array", items = TEXT, enum = { "a", "b" } },
    takes = {},
    refuses = { "a", 1, { 1 } },
    only_closed = { { "a" } },
  },
  {
    what = "a scalar constant beside the type array is meant for the items, unless it is open",
    schema = { type = "array", const = "a" },
    refuses = { "a" },
    only_closed = { { "a" } },
  },
}

for _, open in ipairs { false, true } do
  describe(open and "open rules:" or "closed rules:", function()
    for _, row in ipairs(ROWS) do
      it(row.what, function()
        local takes = taker_of(row.schema, open, row.version)
        local function try(list, expected)
          for _, value in ipairs(list or {}) do
            assert.equal(expected, takes(value), support.shown(value))
          end
        end
        try(row.takes, true)
        try(row.refuses, false)
        try(row.only_open, open)
        try(row.only_closed, not open)
      end)
    end
  end)
end

describe("rules of responses:", function()
  it("exactly one of two required names may be there", function()
    local schema = {
      type = "object",
      properties = { a = {}, b = {} },
      oneOf = { { required = { "a" } }, { required = { "b" } } },
    }
    local answer = { ["200"] = { content = { ["application/json"] = { schema = schema } } } }
    for _, open in ipairs { false, true } do
      local made = types.generate({
        openapi = "3.1.0",
        paths = { ["/x"] = { get = { responses = answer } } },
      }, "api", { checks = true, responses = true, open = open })
      local rules = (loadstring or load)(made.files[#made.files - 1].text)()
      assert.truthy((rules.response("GET /x", 200, { a = 1, c = 1 })))
      assert.falsy((rules.response("GET /x", 200, { a = 1, b = 1 })))
    end
  end)
end)

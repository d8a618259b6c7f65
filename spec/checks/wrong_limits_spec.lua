-- SPDX-License-Identifier: MIT
-- Limits of another type than their keywords take: they are not checked, and left_out says so.
package.path = "src/?.lua;" .. package.path
local types = require "endpoint.types"

local function rules_of(schema)
  local content = { ["application/json"] = { schema = { properties = { v = schema } } } }
  local made = types.generate({
    openapi = "3.1.0",
    paths = { ["/x"] = { post = { requestBody = { content = content } } } },
  }, "api", { checks = true })
  return (loadstring or load)(made.files[#made.files - 1].text)()
end

describe("a limit of a wrong type is told by left_out:", function()
  for keyword, row in pairs {
    minimum = { value = "10", given = 1 },
    maximum = { value = {}, given = 1 },
    exclusiveMinimum = { value = "1", given = 1 },
    exclusiveMaximum = { value = "1", given = 1 },
    multipleOf = { value = 0, given = 1 },
    minLength = { value = "3", given = "x" },
    maxLength = { value = -1, given = "x" },
    pattern = { value = 1, given = "x" },
    minItems = { value = 1.5, given = { 1 } },
    maxItems = { value = true, given = { 1 } },
    minContains = { value = 1.5, given = { 1 } },
    maxContains = { value = "1", given = { 1 } },
    minProperties = { value = "2", given = { a = 1 } },
    maxProperties = { value = "0", given = { a = 1 } },
  } do
    it(keyword, function()
      local schema = { [keyword] = row.value, contains = keyword:find "Contains" and {} or nil }
      local rules = rules_of(schema)
      rules.check("POST /x", { v = row.given })
      assert.same(
        { keyword .. " is not checked where its value is of a wrong type" },
        rules.left_out()
      )
    end)
  end

  it("each keyword once, in the order of the alphabet", function()
    local rules = rules_of {
      properties = { a = { maxLength = "1" }, b = { maxLength = "2", maximum = "3" } },
    }
    assert.same({
      "maxLength is not checked where its value is of a wrong type",
      "maximum is not checked where its value is of a wrong type",
    }, rules.left_out())
  end)

  it("but not one of a right type, nor true and false of older forms", function()
    local rules = rules_of {
      minimum = 1,
      exclusiveMinimum = false,
      maximum = 2,
      exclusiveMaximum = true,
      maxLength = 2.0,
    }
    assert.same({}, rules.left_out())
  end)
end)

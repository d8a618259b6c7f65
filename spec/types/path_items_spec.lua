-- SPDX-License-Identifier: MIT
-- Path Item Objects: what stands beside their $ref.
local types = require "endpoint.types"

local ID = { name = "id", ["in"] = "path", required = true, schema = { type = "integer" } }

local function made_of(path_item, items)
  return types.generate({
    openapi = "3.1.0",
    servers = { { url = "https://h.example" } },
    paths = { ["/p/{id}"] = path_item },
    components = { pathItems = items },
  }, "api", { checks = true })
end

local function rules_of(made)
  return (loadstring or load)(made.files[#made.files - 1].text)()
end

local function ref(name)
  return "#/components/pathItems/" .. name
end

describe("a path item with a $ref", function()
  it("has the operations and the parameters beside it, too", function()
    local made = made_of({
      ["$ref"] = ref "P",
      put = { operationId = "h" },
      parameters = { ID },
    }, { P = { get = { operationId = "g" } } })
    assert.same({ 2, {} }, { made.operations, made.notes })
    local check = rules_of(made).check
    for _, method in ipairs { "GET", "PUT" } do
      assert.is_true((pcall(check, method .. " /p/{id}", { id = 1 })))
      assert.is_false((pcall(check, method .. " /p/{id}", { id = "x" })))
    end
  end)

  it("has what a chain of them says", function()
    local made = made_of({ ["$ref"] = ref "P" }, {
      P = { ["$ref"] = ref "Q", put = {} },
      Q = { get = {}, parameters = { ID } },
    })
    assert.equal(2, made.operations)
    assert.is_false((pcall(rules_of(made).check, "PUT /p/{id}", { id = "x" })))
  end)

  it("has the field beside it where both have one, and a note says so", function()
    local made = made_of({
      ["$ref"] = ref "P",
      parameters = { ID },
      ["x-a"] = 1,
    }, { P = { get = {}, parameters = {}, ["x-a"] = 2 } })
    assert.same({
      '/p/{id}: "parameters" stands beside its $ref and where that leads: the former counts',
    }, made.notes)
    assert.is_false((pcall(rules_of(made).check, "GET /p/{id}", { id = "x" })))
  end)

  it("is left out where the $ref leads nowhere, or in a circle", function()
    for _, items in ipairs { {}, { P = { ["$ref"] = ref "P" } } } do
      local made = made_of({ ["$ref"] = ref "P", get = {} }, items)
      assert.same({ 1, 1 }, { made.operations, #made.left_out })
    end
  end)
end)

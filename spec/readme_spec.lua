-- Every Lua block of the README is run; what it prints must be what its "-->"
-- comments say. A block that is a table is what the block before it returns.
local endpoint = require "endpoint"
local examples = require "examples"
local support = require "support"

local load_text = loadstring or load

local function rows_of_templates(text)
  local rows = {}
  for template, url in text:gmatch("\n| `(/[^`]-)`[^|]*| `(/[^`]-)` |") do
    rows[#rows + 1] = { template, url }
  end
  return rows
end

describe("the README", function()
  local text = support.read("README.md")
  local result

  for _, block in ipairs(examples.blocks_of(text)) do
    it("is right from line " .. block.line, function()
      if block.code:sub(1, 1) == "{" then
        assert.same(assert(load_text("return " .. block.code))(), result)
      else
        local printed
        printed, result = examples.run(block.code, "README.md")
        assert.same(examples.promised(block.code), printed)
      end
    end)
  end

  it("has blocks and templates to run", function()
    assert.is_true(#examples.blocks_of(text) > 10)
    assert.is_true(#rows_of_templates(text) == 9)
  end)

  it("is right about each template in its table", function()
    for _, row in ipairs(rows_of_templates(text)) do
      local variables = { id = "a/b", list = { "x", "y" }, map = { k = 1, l = 2 } }
      local used = {}
      for name, value in pairs(variables) do
        if row[1]:find("%f[%w]" .. name .. "%f[%W]") then used[name] = value end
      end
      assert.equal("https://api.service.example" .. row[2], endpoint(row[1], used).url, row[1])
    end
  end)

  it("names every member and option", function()
    for _, name in ipairs { "merge", "parse", "defaults", "DEFAULTS", "null", "_VERSION" } do
      assert.truthy(text:find("`endpoint." .. name, 1, true), name)
    end
    for _, name in ipairs { "method", "url", "baseUrl", "headers", "mediaType", "data", "request" } do
      assert.truthy(text:find("\n| `" .. name .. "` |", 1, true), name)
    end
  end)
end)

-- docs/error-messages.md has a row for each message of the C sources, as they stand there.
local support = require "support"

local PAGE = support.read "docs/error-messages.md"

local function without_comments(code)
  return (code:gsub("/%*.-%*/", ""))
end

-- The string literals of C, those beside each other joined.
local function literals_of(code)
  local literals = {}
  local rest = without_comments(code):gsub('\\"', "\1"):gsub('"%s*\n%s*"', "")
  for text in rest:gmatch '"([^"\n]*)"' do
    literals[#literals + 1] = (text:gsub("\1", '"'))
  end
  return literals
end

-- A format as the page shows it.
local function shown(format)
  return (format:gsub("%%[sd]", "…"):gsub("%%%%", "%%"))
end

local messages = {}
for _, path in ipairs(support.files "src/*.c") do
  for _, literal in ipairs(literals_of(support.read(path))) do
    local message = literal:match "^endpoint: (.+)$"
    if message then
      messages[shown(message)] = path
    end
  end
end

-- What is wrong with a template, an address or a path: sentences without the beginning.
for _, path in ipairs { "src/core/template.c", "src/core/url.c" } do
  for _, literal in ipairs(literals_of(support.read(path))) do
    if literal:find " " and #literal > 8 then
      messages[literal] = path
    end
  end
end

describe("the page of error messages", function()
  for message, path in pairs(messages) do
    it(("has what %s says: %s"):format(path, message), function()
      assert.truthy(PAGE:find("`" .. message .. "`", 1, true), message)
    end)
  end

  it("has the messages of all kinds", function()
    assert.is_true(#support.keys(messages) > 80)
  end)
end)

describe("a message of the page", function()
  for row in PAGE:gmatch "\n| `([^\n]-)` |" do
    it("is one that a source has: " .. row, function()
      assert.truthy(messages[row] or row == "not enough memory" or row:find "`, `", row)
    end)
  end
end)

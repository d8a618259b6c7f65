-- In a release each of these parts is one Lua file, which .ci/dist writes. It has all that it
-- requires, or clients.lua has it.
local support = require "support"

-- The files of each, as patterns.
local PARTS = {
  clients = { "clients.lua", "clients/*.lua", "clients/*/*.lua" },
  request = { "request.lua", "request/*.lua", "request/*/*.lua", "request/*/*/*.lua" },
  checks = { "checks.lua", "checks/*.lua", "checks/*/*.lua", "checks/*/*/*.lua" },
}

local read = support.read

-- The files beside those of a part in its one file.
local function shared_by(part)
  local names = {}
  for name in read(".ci/dist"):match("\nprint_lua " .. part .. "([^>]*)>"):gmatch "%S+" do
    names[name] = true
  end
  return names
end

local function files_of(part)
  local patterns = {}
  for i, pattern in ipairs(PARTS[part]) do
    patterns[i] = "src/endpoint/" .. pattern
  end
  return support.files((table.unpack or unpack)(patterns))
end

local function is_lua(name)
  return support.read_if_there("src/endpoint/" .. name .. ".lua") ~= nil
end

-- Is a file of endpoint/ in the one file of a part?
local function has(part, name)
  return name == part or name:sub(1, #part + 1) == part .. "/" or shared_by(part)[name] == true
end

describe("in a release", function()
  for part in pairs(PARTS) do
    it("the one file of " .. part .. " has what it requires", function()
      local lost, count = {}, 0
      for _, path in ipairs(files_of(part)) do
        for dotted in read(path):gmatch 'require%s*%(?%s*"endpoint%.([%w_.]+)"' do
          local name = dotted:gsub("%.", "/")
          count = count + 1
          if is_lua(name) and not (has(part, name) or has("clients", name)) then
            lost[#lost + 1] = path .. ": " .. name
          end
        end
      end
      assert.same({}, lost)
      assert.truthy(count > 5, "expected requires")
    end)
  end
end)

-- Rules on the sources that no compiler checks.
local support = require "support"

local LUA_FILES = support.files("src/endpoint/*.lua", "src/endpoint/checks/*.lua", "src/endpoint/clients/*.lua",
  "src/endpoint/request/*.lua", "src/endpoint/types/*.lua", "src/bin/*", "spec/*/*.lua", "examples/*.lua",
  "examples/love/*.lua", "examples/neovim/lua/*.lua", "bench/*.lua")

-- The line and name of the first assignment to the control variable of a for loop, its
-- first variable, which is read-only from Lua 5.5 on (manual section 8.1). A local of
-- the same name is another variable.
local function assigned_control_variable(text)
  local loops, number = {}, 0
  for line in text:gmatch "([^\n]*)\n" do
    number = number + 1
    local indent, code = line:match "^(%s*)(.*)$"
    if code:find "^end%f[^%w]" and loops[#loops] and loops[#loops].indent == indent then loops[#loops] = nil end
    for _, loop in ipairs(loops) do
      if code:find("^" .. loop.name .. "%f[^%w_][%w_, ]* = ") then return number, loop.name end
    end
    local name = code:match "^for ([%w_]+)"
    if name and not code:find "%f[%w]end%f[^%w]" then loops[#loops + 1] = { indent = indent, name = name } end
  end
end

describe("the Lua sources", function()
  it("assign to no control variable of a for loop, as Lua 5.5 demands", function()
    assert.equal(2, (assigned_control_variable "for k, v in pairs(t) do\n  k = v\nend\n"))
    assert.is_nil(assigned_control_variable "for k, v in pairs(t) do\n  v = k\n  local k = v\nend\nk = 1\n")
    for _, path in ipairs(LUA_FILES) do
      local line, name = assigned_control_variable(support.read(path))
      assert.is_nil(line, ("%s:%s: %s"):format(path, tostring(line), tostring(name)))
    end
  end)
end)

describe("the C sources", function()
  -- src/compat.h says why.
  it("call ep_error and ep_checkstack, not luaL_error and luaL_checkstack", function()
    for _, path in ipairs(support.files("src/*.c", "src/core/*.c")) do
      local text = support.read(path)
      assert.is_nil(text:match "luaL_error%s*%(" or text:match "luaL_checkstack%s*%(", path)
    end
  end)
end)

-- The chance in pauses is endpoint.request's own. waits_wire_spec.lua compares processes.
local NAME = "endpoint.request.call.chance"

-- The module as a new process has it, with this in the place of the global io.
local function loaded(files)
  local kept, own = package.loaded[NAME], io
  package.loaded[NAME] = nil
  local chance = require(NAME)
  package.loaded[NAME] = kept
  return function(now)
    rawset(_G, "io", files)
    local ok, number = pcall(chance.number, now)
    rawset(_G, "io", own)
    return assert(ok and number, number)
  end
end

local function now()
  return 1
end

describe("endpoint.request.call.chance", function()
  it("gives numbers from 0 to 1, of which each tenth has its part", function()
    local number, counts = loaded(io), {}
    for _ = 1, 2000 do
      local value = number(now)
      assert.is_true(value >= 0 and value < 1, value)
      local tenth = math.floor(value * 10)
      counts[tenth] = (counts[tenth] or 0) + 1
    end
    for tenth = 0, 9 do
      assert.is_true((counts[tenth] or 0) > 120, ("tenth %d: %s"):format(tenth, counts[tenth]))
    end
  end)

  -- Without files the addresses of tables make the difference, and one may come again.
  for _, row in ipairs { { "as it is", io, 20 }, { "without files", {}, 2 } } do
    it("begins with other numbers each time: " .. row[1], function()
      local seen, different = {}, 0
      for _ = 1, 20 do
        local value = loaded(row[2])(now)
        different = different + (seen[value] and 0 or 1)
        seen[value] = true
      end
      assert.is_true(different >= row[3], different)
    end)
  end

  it("leaves the program's own chance alone", function()
    local own = math.random
    math.random = error -- luacheck: ignore 122
    local ok = pcall(loaded(io), now)
    math.random = own -- luacheck: ignore 122
    assert.is_true(ok)
  end)
end)

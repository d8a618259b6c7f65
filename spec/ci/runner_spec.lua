-- spec/lib/run.lua takes the place of busted where that is not to be had: under wine, on emulated
-- machines, and with mutants. It has fewer assertions.
local support = require "support"

local runner = support.read "spec/lib/run.lua"

describe("the runner without busted", function()
  for _, path in ipairs(support.files "spec/*/*_spec.lua") do
    if not path:find "_wire_spec%.lua$" then
      it("has the assertions of " .. path, function()
        for name in support.read(path):gmatch "assert%.([%w_]+)" do
          assert.truthy(runner:find("\n  " .. name .. " = ", 1, true), name)
        end
      end)
    end
  end
end)

-- Routes of a real REST API, with all their parameters, as {name} and as :name, put to the judge.
local judge = require "oracle.judge"
local routes = dofile "bench/routes.lua"

describe("the catalogue", function()
  it("gives what the judge says for each of its routes", function()
    for _, row in ipairs(routes) do
      local parameters = {}
      for name in pairs(row.parameters) do parameters[name] = name .. " ü/?&%.." end -- needs encoding
      -- A hyphen would end the name: such names stay in braces.
      for _, route in ipairs { row.route, (row.route:gsub("{([%w_]+)}", ":%1")) } do
        assert.is_true(judge.check(nil, route, parameters)[1], route)
      end
    end
    assert.is_true(#routes > 40, #routes)
  end)
end)

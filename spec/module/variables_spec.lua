-- endpoint.variables, beyond the rows of spec/vectors/variables.json.
local endpoint = require "endpoint"
local support = require "support"

local api = endpoint.defaults { baseUrl = "https://h" }
local variables = api.variables

describe("endpoint.variables", function()
  it("lists name, operator, explode, prefix and required of each variable, in a new table each time", function()
    for _ = 1, 2 do
      local list = variables("GET /repos/{owner}{/path*}{?q:3}")
      assert.same({
        { name = "owner", operator = "", explode = false, required = true },
        { name = "path", operator = "/", explode = true, required = false },
        { name = "q", operator = "?", explode = false, prefix = 3, required = false },
      }, list)
      list[1].name, list[2] = "spoiled", "spoiled"
    end
  end)

  it("raises on more arguments", function()
    support.raises({ "argument 2", "nothing after the route", "table" }, api.variables, api, { url = "/x" }, {})
    support.raises({ "argument 3", "nothing after the options", "number" }, variables, "/x", nil, 5)
  end)

  it("lists the parameters of a real API's routes, all of them required", function()
    local count = 0
    for line in support.read("spec/tools/routes.tsv"):gmatch("[^\n]+") do
      local route, path = line:match("^(%u+ [^\t]+)\t([^\t]*)")
      if route then
        local names, expected = {}, {}
        for i, v in ipairs(variables(route)) do
          names[i] = v.name
          assert.is_true(v.required, line)
        end
        for name in path:gmatch("[^, ]+") do expected[#expected + 1] = name end
        table.sort(names)
        table.sort(expected)
        assert.same(expected, names, line)
        count = count + 1
      end
    end
    assert.is_true(count > 50, "too few routes: " .. count)
  end)
end)

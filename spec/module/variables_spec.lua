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
end)

-- Which tables of strangers may be laid over a call: src/endpoint/parameters.lua.
local endpoint = require "endpoint"
local parameters = require "endpoint.parameters"

local api = endpoint.defaults { baseUrl = "http://h", tenant = "mine" }
local ROUTE = "GET /users/{id}{/part}{.format}{?cursor}{#place}"

describe("endpoint.parameters", function()
  it("lets parameters through that the call, its path and the defaults do not fix", function()
    local first = { id = 7, cursor = "a", place = "b", limit = 10 }
    for _, given in ipairs {
      {},
      { starting_after = "c1" },
      { cursor = "b", place = "c", limit = 20 },
      { cursor = endpoint.null, list = { 1, { 2 } }, map = { method = "DELETE" } },
      { part = "x", format = "json" }, -- of the path, but not set by the call
      { Method = "a", baseURL = "b", [""] = "c", ["m\0ethod"] = "d" },
    } do
      assert.is_nil(parameters.refusal(given, api, ROUTE, first))
    end
  end)

  for _, name in ipairs { "method", "url", "baseUrl", "headers", "mediaType", "data", "request" } do
    it("refuses the option " .. name .. ", whatever its value is", function()
      local why = ('"%s" is an option, not a parameter'):format(name)
      for _, value in ipairs { "x", 1, false, endpoint.null, { a = "b" } } do
        local given = { cursor = "x", [name] = value }
        assert.equal(why, parameters.refusal(given, api, ROUTE, {}))
        assert.equal(why, parameters.refusal(given, api))
      end
    end)
  end

  it("refuses what the endpoint's defaults hold", function()
    local why = '"tenant" is a default of the endpoint'
    assert.equal(why, parameters.refusal({ tenant = "other" }, api))
    assert.equal(why, parameters.refusal({ tenant = endpoint.null }, api, ROUTE, {}))
    assert.is_nil(parameters.refusal({ tenant = "other" }, endpoint))
  end)

  for name, route in pairs {
    id = ROUTE,
    part = ROUTE,
    format = ROUTE,
    name = { url = "/users/:name" },
    rest = "/files/{+rest}",
    version = "http://h/x{;version}",
  } do
    it("refuses the variable " .. name .. " of the path if the call has set it", function()
      local why = ('"%s" is a variable of the path, which the call has set'):format(name)
      assert.equal(why, parameters.refusal({ [name] = "x" }, api, route, { [name] = "y" }))
      assert.is_nil(parameters.refusal({ [name] = "x" }, api, route, {}))
      assert.is_nil(parameters.refusal({ [name] = "x" }, api, route))
      assert.is_nil(parameters.refusal({ [name] = "x" }, api))
    end)
  end

  for what, given in pairs {
    string = "x",
    number = 1,
    boolean = true,
    userdata = endpoint.null,
    ["nil"] = false,
  } do
    it("refuses a " .. what .. " in the place of an object", function()
      given = given ~= false and given or nil
      assert.equal(
        "expected an object of parameters, got a " .. what,
        parameters.refusal(given, api)
      )
    end)
  end

  it("refuses a list, whose keys are not names", function()
    local why = "expected names of parameters, got a number as a key"
    assert.equal(why, parameters.refusal({ "a" }, api))
    assert.equal(why, parameters.refusal({ [0.5] = "a" }, api))
  end)

  it("shows at most 40 bytes of a name, and no control character", function()
    local name = "\27[31m" .. ("x"):rep(100)
    local strict = endpoint.defaults { [name] = 1 }
    local why = parameters.refusal({ [name] = "x" }, strict)
    assert.equal('"?[31m' .. ("x"):rep(32) .. '..." is a default of the endpoint', why)
  end)

  it("calls no metamethod", function()
    local hostile = setmetatable({ cursor = "x" }, {
      __index = error,
      __pairs = error,
      __len = error,
      __newindex = error,
      __tostring = error,
    })
    assert.is_nil(parameters.refusal(hostile, api, ROUTE, hostile))
  end)

  it("never raises, not even for a route that is wrong", function()
    for _, route in ipairs { "", "/{", { url = 1 }, {} } do
      assert.is_nil(parameters.refusal({ a = "b" }, api, route, { a = "b" }))
    end
  end)
end)

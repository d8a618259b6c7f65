-- Which tables of strangers may be laid over a call: src/endpoint/parameters.lua.
local endpoint = require "endpoint"
local parameters = require "endpoint.parameters"
local support = require "support"

local api = endpoint.defaults { baseUrl = "http://h", tenant = "mine" }
local ROUTE = "GET /users/{id}{/part}{.format}{?cursor}{#place}"

describe("endpoint.parameters", function()
  for title, given in pairs {
    ["an empty table"] = {},
    ["one that the call has not set"] = { starting_after = "c1" },
    ["others of the query and the fragment"] = { cursor = "b", place = "c", limit = 20 },
    ["null, a list and a map that holds an option's name"] = {
      cursor = endpoint.null,
      list = { 1, { 2 } },
      map = { method = "DELETE" },
    },
    ["variables of the path that the call has not set"] = { part = "x", format = "json" },
    ["names that are almost those of options"] = {
      Method = "a",
      baseURL = "b",
      [""] = "c",
      ["m\0ethod"] = "d",
    },
  } do
    it("lets parameters through: " .. title, function()
      local first = { id = 7, cursor = "a", place = "b", limit = 10 }
      assert.is_nil(parameters.refusal(given, api, ROUTE, first))
    end)
  end

  for _, name in ipairs { "method", "url", "baseUrl", "headers", "mediaType", "data", "request" } do
    for _, value in ipairs { "x", 1, false, endpoint.null, { a = "b" } } do
      it(("refuses the option %s = %s"):format(name, support.shown(value)), function()
        local why = ('"%s" is an option, not a parameter'):format(name)
        local given = { cursor = "x", [name] = value }
        assert.equal(why, parameters.refusal(given, api, ROUTE, {}))
        assert.equal(why, parameters.refusal(given, api))
      end)
    end
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

  for _, route in ipairs { "", "/{", { url = 1 }, {} } do
    it("never raises, not even for a route that is wrong: " .. support.shown(route), function()
      assert.is_nil(parameters.refusal({ a = "b" }, api, route, { a = "b" }))
    end)
  end
end)

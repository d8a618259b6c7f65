-- Arguments, and merge: defaults and options as one table, the template unresolved. What JSON can
-- say of both is in spec/vectors/calls.json and errors.json.
local endpoint = require "endpoint"
local support = require "support"

local null = endpoint.null
local merge = endpoint.merge

-- Refused by each function that takes a route and options; where there is no route by defaults, too.
local function raises_everywhere(words, first, ...)
  local readers = { endpoint, merge, type(first) ~= "string" and endpoint.defaults or nil }
  for _, reader in ipairs(readers) do support.raises(words, reader, first, ...) end
end

local OTHERS = { 5, true, false, null, print, io.stdout, coroutine.create(function() end),
  newproxy and newproxy() } -- luacheck: ignore 113

local function type_of(value) return value == null and "null" or type(value) end

describe("arguments", function()
  it("are refused if the first is neither string nor table", function()
    for _, value in ipairs(OTHERS) do
      raises_everywhere({ "argument 1", "options", "got " .. type_of(value) }, value)
      raises_everywhere({ "argument 1", "options", "got " .. type_of(value) }, value, {})
      support.raises({ "argument 1", "route" }, merge, value)
      support.raises({ "argument 1", "got " .. type_of(value) }, endpoint.parse, value)
      support.raises({ "argument 1", "got " .. type_of(value) }, endpoint.variables, value)
    end
  end)

  it("are refused if the second is no table", function()
    for _, value in ipairs { "/y", support.unpack(OTHERS) } do
      raises_everywhere({ "argument 2", "options", "got " .. type_of(value) }, "/x", value)
      raises_everywhere({ "argument 2", "options", "got " .. type_of(value) }, nil, value)
    end
  end)

  it("are refused if a table follows a table, or anything but nil the options", function()
    raises_everywhere({ "argument 2", "nothing after a table of options", "table" }, { url = "/x" }, {})
    raises_everywhere({ "argument 3", "nothing after the options", "got table" }, nil, {}, {})
    raises_everywhere({ "argument 3", "got null" }, "/x", {}, null)
    raises_everywhere({ "argument 4", "got string" }, nil, nil, nil, "x")
    support.raises({ "argument 3", "got table" }, endpoint.parse, { url = "https://h" }, nil, {})
    assert.equal("https://h/x", endpoint("https://h/x", nil, nil, nil).url)
    endpoint.defaults(nil, {}, nil, nil)
  end)

  it("are counted in errors without the endpoint of a method call", function()
    support.raises("argument 1", merge, endpoint, 5)
    support.raises("argument 2", merge, endpoint, "/x", 5)
    support.raises("argument 3", merge, endpoint, nil, {}, false)
    support.raises("argument 1", endpoint.defaults, endpoint, "/x", {})
    support.raises("argument 2", endpoint.defaults, endpoint, {}, {})
    support.raises("argument 2", endpoint.variables, endpoint, {}, {})
    support.raises("argument 3", endpoint.variables, endpoint, "/x", nil, {})
    support.raises("argument 2", endpoint.parse, endpoint, { url = "https://h" }, {})
  end)

  it("are refused if a key of the options is no string", function()
    for _, key in ipairs { 1, 2.5, true, {}, print } do
      raises_everywhere({ "options", "string", type(key) }, "/x", { a = 1, [key] = "b" })
      raises_everywhere({ "options", "string", type(key) }, { url = "/x", [key] = 1 })
      support.raises({ "options", "string", type(key) }, endpoint.variables, { url = "/x", [key] = 1 })
    end
  end)
end)

describe("the type of an option", function()
  local types = { method = "string", url = "string", baseUrl = "string", headers = "table", mediaType = "table" }
  for name, right in pairs(types) do
    it("is checked: " .. name, function()
      for _, value in ipairs { "text", {}, 5, true, false, print, io.stdout, coroutine.create(function() end) } do
        local options = { url = "/x" }
        options[name] = value
        local words = { ('option "%s"'):format(name), right, type(value) }
        if type(value) ~= right then
          raises_everywhere(words, options)
          support.raises(words, endpoint.variables, options)
        end
      end
    end)
  end
end)

describe("merge's output", function()
  it("has the null that the call gives for a default parameter that the url's own query names", function()
    assert.equal(null, endpoint.defaults({ page = 1 }).merge("/x?page=2", { page = null }).page)
  end)

  it("is unchanged when it is merged again", function()
    local merged = merge("PUT /:id", { a = null, headers = { A = "b" }, mediaType = { format = "raw" } })
    assert.same(merged, merge(merged))
  end)
end)

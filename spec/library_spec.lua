-- The definitions for lua-language-server in src/library name all that there
-- is, and nothing else, and say something about each.
package.path = "src/?.lua;" .. package.path
local clients = require "endpoint.clients"
local endpoint = require "endpoint"
local support = require "support"

local load_text = loadstring or load

local LIBRARY = support.read "src/library/endpoint.lua"
local CLIENTS = support.read "src/library/endpoint/clients.lua"

-- The name and the rest of each field of a class.
local function fields_of(text, class)
  local block = text:match("\n%-%-%-@class [^\n]*%f[%w]" .. class:gsub("%.", "%%.") .. "%f[^%w.][^\n]*\n(.-)\n[^-]")
    or error("no class " .. class)
  local fields = {}
  for name, rest in block:gmatch("%-%-%-@field ([%w_%[%]]+)%??([^\n]*)") do fields[name] = rest end
  return fields
end

-- Name -> parameters of each function of a module.
local function functions_of(text, module)
  local functions = {}
  for name, parameters in text:gmatch("\nfunction " .. module .. "%.([%w_]+)%(([^)]*)%)") do
    functions[name] = parameters
  end
  return functions
end

-- The lines of comment that end right before a function.
local function comment_above(text, module, name)
  local before = text:sub(1, (text:find("function " .. module .. "." .. name .. "(", 1, true)) - 1)
  return before:match("\n\n([^\n].*)$"):gsub("^.*\n\n", "")
end

local function option_names()
  local names, list = {}, support.read("src/options.c"):match("ep_option_names[^{]*(%b{})")
  for name in list:gmatch('"(%w+)"') do names[#names + 1] = name end
  table.sort(names)
  return names
end

describe("the editor's definitions", function()
  for _, file in ipairs { { "endpoint.lua", LIBRARY }, { "endpoint/clients.lua", CLIENTS } } do
    it("of " .. file[1] .. " are Lua and meant for no interpreter", function()
      assert.truthy(load_text(file[2], file[1]))
      assert.truthy(file[2]:find("^%-%-%-@meta endpoint"))
    end)
  end

  it("have every member of an endpoint", function()
    local fields, functions = fields_of(LIBRARY, "endpoint.Endpoint"), functions_of(LIBRARY, "endpoint")
    for _, name in ipairs { "DEFAULTS", "null", "_VERSION" } do
      assert.truthy(endpoint[name] ~= nil and fields[name], name)
      fields[name] = nil
    end
    for _, name in ipairs { "merge", "parse", "defaults", "variables" } do
      assert.truthy(type(endpoint[name]) == "function" and functions[name], name)
      functions[name] = nil
    end
    assert.same({ {}, {} }, { support.keys(fields), support.keys(functions) })
    -- No member that this list forgot: the C source adds them by name.
    local source = support.read "src/endpoint.c"
    local members = {}
    for name in source:match("members%[%] = (%b{})"):gmatch('{"(%w+)"') do members[#members + 1] = name end
    assert.same({ "merge", "parse", "defaults", "variables" }, members)
  end)

  it("make the class callable in both ways", function()
    assert.truthy(LIBRARY:find("\n---@overload fun(route: string, options?: endpoint.Options): endpoint.Request\n", 1, true))
    assert.truthy(LIBRARY:find("\n---@overload fun(options: endpoint.Options): endpoint.Request\n", 1, true))
  end)

  -- The checker refuses pcall(endpoint, ...) and { authorization = token and ... } else.
  it("let the class be called by pcall, and a header be nil", function()
    assert.truthy(LIBRARY:find("\n---@class endpoint.Endpoint: function\n", 1, true))
    assert.truthy(fields_of(LIBRARY, "endpoint.Options").headers:find("endpoint.Null|nil>", 1, true))
  end)

  it("have every option, all optional, and leave room for parameters", function()
    local fields = fields_of(LIBRARY, "endpoint.Options")
    assert.truthy(fields["[string]"])
    fields["[string]"] = nil
    assert.same(option_names(), support.keys(fields))
    for name, rest in pairs(fields) do
      assert.truthy(LIBRARY:find("\n---@field " .. name .. "? ", 1, true), name)
      assert.truthy(#rest > 25, name .. " is not documented")
    end
    assert.same({ "format", "previews" }, support.keys(fields_of(LIBRARY, "endpoint.MediaType")))
  end)

  it("have what a result and merged options have", function()
    local fields = fields_of(LIBRARY, "endpoint.Request")
    local r = endpoint("POST /x", { a = 1, request = {} })
    assert.same(support.keys(r), support.keys(fields))
    fields = fields_of(LIBRARY, "endpoint.Merged")
    for name in pairs(endpoint.merge("POST /x", { mediaType = { format = "raw" }, data = 1, request = {} })) do
      assert.truthy(fields[name], name)
    end
  end)

  it("have every function of the clients, with the same parameters", function()
    local source, defined = support.read "src/endpoint/clients.lua", functions_of(CLIENTS, "clients")
    assert.same(support.keys(clients), support.keys(defined))
    for name in pairs(clients) do
      local parameters = source:match("\nfunction clients%." .. name .. "%(([^)]*)%)")
      assert.equal(parameters, defined[name])
      local comment = comment_above(CLIENTS, "clients", name)
      assert.truthy(comment:find("^%-%-%-%u"), comment)
      assert.truthy(comment:find("---@return", 1, true), name)
      for parameter in parameters:gmatch("[%w_]+") do
        assert.truthy(comment:find("%-%-%-@param " .. parameter .. "%?? "), name .. ": " .. parameter)
      end
    end
  end)

  it("have the options of the clients", function()
    local r = endpoint "/x"
    local function nothing() end
    local values = { encode = nothing, sink = nothing, easy = { setopt = nothing }, backend = "curl",
      nested = "brackets" }
    for class, f in pairs {
      Options = clients.resty_http, PlainOptions = clients.plain, SocketOptions = clients.luasocket,
      CurlOptions = clients.curl, LuaHttpsOptions = clients.lua_https, CurlCommandOptions = clients.curl_command,
      FormOptions = function(_, options) return clients.form({}, options) end } do
      local options = {}
      for name in pairs(fields_of(CLIENTS, "endpoint.clients." .. class)) do options[name] = values[name] or true end
      assert.truthy(next(options))
      assert.truthy((f(r, options)))
    end
  end)
end)

-- The doc comments that `make docs` makes the reference of.
describe("the doc comments of the module", function()
  -- The doc comment that ends its first tag so, without the stars of its lines.
  local function comment_with(tag)
    for text in support.read("src/endpoint.c"):gmatch("/%*%*%*\n(.-)%*/") do
      local comment = ("\n" .. text):gsub("\n %* ?", "\n")
      if comment:find("\n@" .. tag .. "\n", 1, true) then return comment end
    end
    error("no doc comment has @" .. tag)
  end

  it("state each parameter, each result and what is raised", function()
    local functions = functions_of(LIBRARY, "endpoint")
    functions.endpoint = "route, options"
    for name, parameters in pairs(functions) do
      local comment = comment_with("function " .. name)
      for parameter in parameters:gmatch("%w+") do
        assert.truthy(comment:find("\n@tparam%S* [%a|]+ " .. parameter .. "%f[^%w]"), name .. ": " .. parameter)
      end
      assert.truthy(comment:find("\n@t?return "), name)
      assert.truthy(comment:find("\n@raise "), name)
    end
  end)

  it("say of a call what its options can make it raise", function()
    local raised = comment_with("function endpoint"):match("\n@raise (.*)$")
    for _, words in ipairs { "another endpoint", "named like an option", "a map left for the query", "left over under",
      "`data` under GET", "`accept` that is no string" } do
      assert.truthy(raised:gsub("%s+", " "):find(words, 1, true), words)
    end
  end)

  it("have every option and every field of a result", function()
    local result = support.keys(fields_of(LIBRARY, "endpoint.Request"))
    for name, expected in pairs { Options = option_names(), Request = result } do
      local fields = {}
      for line in comment_with("table " .. name):gmatch("\n@(t?field[^\n]*)") do
        fields[#fields + 1] = line:match("^tfield%S* %a+ (%a+) ") or line:match("^field%S* (%a+) ")
      end
      table.sort(fields)
      assert.same(expected, fields)
    end
  end)
end)

describe("the doc comments of the clients", function()
  local source = support.read "src/endpoint/clients.lua"
  local RAISED = { "a body under GET, HEAD or TRACE", "the method CONNECT", "a URL that is not?", "an unknown option",
    "a body that cannot be encoded" }

  it("state each parameter, each result and what is raised", function()
    for name in pairs(clients) do
      local comment = comment_above(source, "clients", name)
      local parameters = source:match("\nfunction clients%." .. name .. "%(([^)]*)%)")
      for parameter in parameters:gmatch("[%w_]+") do
        assert.truthy(comment:find("\n%-%- @tparam%S* [%w|]+ " .. parameter .. " "), name .. ": " .. parameter)
      end
      assert.truthy(comment:find("\n%-%- @t?return "), name)
      local raised = comment:match("\n%-%- @raise (.*)$"):gsub("\n%-%- ", " ")
      for _, words in ipairs(parameters:find("^r,") and RAISED or { "of another type" }) do
        assert.truthy(raised:find(words), name .. ": " .. words)
      end
    end
  end)
end)

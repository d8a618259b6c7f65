-- The editor's addon: its definitions agree with the module, their examples run, and
-- the reference is made of them.
local clients = require "endpoint.clients"
local endpoint = require "endpoint"
local examples = require "docs.examples"
local fake_nginx = require "clients.fake_nginx"
local json = require "cjson"
local reference = require "docs.reference"
local requests = require "clients.requests"
local support = require "support"

local load_text = loadstring or load

-- The definitions of both files, in their order and by name.
local ordered, definitions = {}, {}
for _, path in ipairs(reference.files) do
  for _, entry in ipairs(reference.read(path)) do
    ordered[#ordered + 1], definitions[entry.name] = entry, entry
  end
end

-- Name -> item, of the tags of a kind; a name has no "?".
local function items_of(entry, tag)
  local items = {}
  for _, item in ipairs(entry.items) do
    if item.tag == tag then items[item.name:gsub("%?$", "")] = item end
  end
  return items
end

local function fields_of(class)
  return items_of(definitions[class], "field")
end

-- The sorted names of the functions whose definitions begin with a module's name.
local function functions_of(module)
  local names = {}
  for name, entry in pairs(definitions) do
    local member = name:match("^" .. module .. "%.([%w_]+)$")
    if entry.tag == "function" and member then names[#names + 1] = member end
  end
  table.sort(names)
  return names
end

-- The sorted names of what can be read from an endpoint: a function of src/endpoint.c names
-- them all but DEFAULTS, and each must be there.
local function members()
  local names = { "DEFAULTS" }
  local body = support.read("src/endpoint.c"):match "push_member%b()%s*(%b{})"
  for name in body:gmatch('"([%w_]+)"') do names[#names + 1] = name end
  for _, name in ipairs(names) do assert.truthy(endpoint[name], name) end
  table.sort(names)
  return names
end

describe("the editor's definitions", function()
  for _, path in ipairs(reference.files) do
    it("in " .. path .. " are Lua and meant for no interpreter", function()
      assert.truthy(load_text(support.read(path), path))
      assert.truthy(support.read(path):find("^%-%-%-@meta endpoint"))
    end)
  end

  it("name every member of an endpoint and nothing else", function()
    local names = functions_of "endpoint"
    for name in pairs(fields_of "endpoint.Endpoint") do names[#names + 1] = name end
    table.sort(names)
    assert.same(members(), names)
  end)

  it("name every function of endpoint.types", function()
    for name, value in pairs(require "endpoint.types") do
      assert.truthy(type(value) ~= "function" or definitions["types." .. name], name)
    end
  end)

  it("name every function of the clients, with its parameters, and nothing else", function()
    local source = support.read "src/endpoint/clients.lua"
    assert.same(support.keys(clients), functions_of "clients")
    for name in pairs(clients) do
      local parameters = source:match("\nfunction clients%." .. name .. "(%b())")
      assert.equal("clients." .. name .. parameters, definitions["clients." .. name].signature)
    end
  end)

  it("describe each definition, parameter, field and result, and give each function a result and an example", function()
    for name, entry in pairs(definitions) do
      assert.truthy(entry.text:find "^[%u`]", name)
      local list = {}
      for i, item in ipairs(entry.items) do
        assert.truthy(item.tag == "overload" or item.text ~= "", name .. ": " .. tostring(item.name))
        list[i] = item.tag == "param" and item.name:gsub("%?$", "") or nil
      end
      if entry.tag == "function" then
        assert.equal(entry.signature, name .. "(" .. table.concat(list, ", ") .. ")")
        assert.truthy(entry.items[#list + 1].tag == "return", name)
        assert.equal(1, #examples.programs_of(entry.text .. "\n"), name)
      end
    end
  end)

  it("make the class callable in both ways, and known as a function to pcall", function()
    local signatures = {}
    for _, item in ipairs(definitions["endpoint.Endpoint"].items) do
      if item.tag == "overload" then signatures[#signatures + 1] = item.type end
    end
    assert.same({ "fun(route: string, options?: endpoint.Options): endpoint.Request",
      "fun(options: endpoint.Options): endpoint.Request" }, signatures)
    assert.equal("function", definitions["endpoint.Endpoint"].type)
  end)

  it("have every option, all optional, and leave room for parameters", function()
    local fields = fields_of "endpoint.Options"
    assert.truthy(fields["[string]"])
    fields["[string]"] = nil
    assert.same(support.option_names(), support.keys(fields))
    for name, field in pairs(fields) do assert.equal(name .. "?", field.name) end
    assert.same({ "format", "previews" }, support.keys(fields_of "endpoint.MediaType"))
    -- Else the checker refuses { authorization = token and ... }.
    assert.truthy(fields.headers.type:find("endpoint.Null|nil>", 1, true))
  end)

  it("have the fields of results, merged options and variables", function()
    local fields, of_result = fields_of "endpoint.Merged", fields_of "endpoint.Request"
    fields["[string]"] = nil
    assert.same(support.option_names(), support.keys(fields))
    for _, option in ipairs(support.option_names()) do
      local ok, r = pcall(endpoint, "POST /x", { a = 1, [option] = {} })
      for name in pairs(ok and r or {}) do assert.truthy(of_result[name], name) end
    end
    assert.same(support.keys(endpoint.variables("/{x:3}")[1]), support.keys(fields_of "endpoint.Variable"))
  end)

  it("have the fields of what the clients return", function()
    local r = endpoint("POST https://h/x?a", { a = 1 })
    for class, made in pairs { Plain = clients.plain(r), RestyParams = select(2, clients.resty_http(r)),
      SocketRequest = clients.luasocket(r), CurlSettings = clients.curl(r), LuaHttpsRequest = select(2,
      clients.lua_https(r)) } do
      local fields = fields_of("endpoint.clients." .. class)
      for name in pairs(made) do assert.truthy(fields[name], class .. ": " .. name) end
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
      for name in pairs(fields_of("endpoint.clients." .. class)) do options[name] = values[name] or true end
      assert.truthy(next(options))
      assert.truthy((f(r, options)))
    end
  end)
end)

-- The lines that an example prints, or its error. nginx and lua-http's request, which two
-- examples need, have stand-ins.
local function run_example(code)
  local function nothing() end
  local request = { headers = { upsert = nothing, append = nothing, delete = nothing } }
  local library = { ["http.request"] = { new_from_uri = function() return request end } }
  local _, ran, done = requests.while_loaded(library, fake_nginx.call, { phase = code:find "ngx_proxy" and "access" },
    examples.run, code, "example")
  return ran and done or { done }
end

describe("the example", function()
  for _, entry in ipairs(ordered) do
    for _, program in ipairs(examples.programs_of(entry.text .. "\n")) do
      it("of " .. entry.name .. " prints what it says", function()
        local promised = examples.promised(program.code)
        assert.truthy(#promised > 0)
        assert.same(promised, run_example(program.code))
      end)
    end
  end
end)

describe("the editor's addon", function()
  local config = json.decode(support.read "src/addon/config.json")

  -- lua-language-server offers an addon if one of its words stands in a file by itself.
  local function is_offered(text)
    for _, word in ipairs(config.words) do
      local captures = { text:match("([%w_]?)" .. word .. "([%w_]?)") }
      if captures[1] == "" and captures[#captures] == "" then return true end
    end
    return false
  end

  it("is called like the module, and offered to a file that loads it, and to no other", function()
    assert.equal("endpoint", config.name)
    for text, expected in pairs { ['local e = require "endpoint"'] = true, ["require('endpoint')"] = true,
      ["require [[endpoint]]"] = true, ['local c = require "endpoint.clients"'] = true, ['require "endpoints"'] = false,
      ['require "my.endpoint"'] = false, ['require "endpoint.other"'] = false, ["endpoint()"] = false } do
      assert.equal(expected, is_offered(text), text)
    end
  end)
end)

describe("the reference", function()
  local page = reference.markdown "usage: endpoint-types FILE\n"

  it("has a line in the index and a section for each definition, each value and the program", function()
    for _, more in ipairs { "endpoint.null", "endpoint.DEFAULTS", "endpoint._VERSION", "endpoint-types" } do
      definitions[more] = definitions[more] or { name = more }
    end
    for name in pairs(definitions) do
      assert.truthy(page:find(("\n- [`%s`](#%s): %%u"):format(name, name):gsub("[][()#.-]", "%%%0")), name)
      assert.truthy(page:find(("\n### %s\n"):format(name), 1, true), name)
    end
  end)

  it("has the types in signatures, and the options of a function whole, with what several share", function()
    assert.truthy(page:find("\nclients.plain(r: endpoint.Request, options?: endpoint.clients.PlainOptions)", 1, true))
    local plain = page:match "\n### clients%.plain\n.-\n### "
    for _, name in ipairs { "encode", "nested", "canonical" } do
      assert.truthy(plain:find(("\n  - **`%s?`** `"):format(name), 1, true), name)
    end
  end)
end)

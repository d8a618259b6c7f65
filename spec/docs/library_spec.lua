-- The editor's addon: its definitions agree with the module, their examples run, and
-- the reference is made of them.
local clients = require "endpoint.clients"
local endpoint = require "endpoint"
local examples = require "docs.examples"
local json = require "cjson"
local reference = require "docs.reference"
local requests = require "clients.requests"
local support = require "support"

local definitions = reference.known

-- Name -> item; a name has no "?".
local function fields_of(class)
  local fields = {}
  for _, item in ipairs(definitions[class].items) do
    if item.tag == "field" then fields[item.name:gsub("%?$", "")] = item end
  end
  return fields
end

-- The set of the functions whose definitions begin with a module's name.
local function functions_of(module)
  local names = {}
  for name, entry in pairs(definitions) do
    local member = name:match("^" .. module .. "%.([%w_]+)$")
    if entry.tag == "function" and member then names[member] = true end
  end
  return names
end

describe("the editor's definitions", function()
  it("name every member of an endpoint and nothing else", function()
    local names, members = functions_of "endpoint", { DEFAULTS = true } -- a function of src/endpoint.c names all others
    local source = support.read "src/endpoint.c"
    for name in source:match "push_member%b()%s*(%b{})":gmatch '"([%w_]+)"' do members[name] = true end
    for name in pairs(fields_of "endpoint.Endpoint") do names[name] = true end
    assert.same(members, names)
    for name in pairs(members) do assert.truthy(endpoint[name], name) end
  end)

  it("name every function of endpoint.types and of the clients, and of these the parameters", function()
    for name, value in pairs(require "endpoint.types") do
      assert.truthy(type(value) ~= "function" or definitions["types." .. name], name)
    end
    local source = support.read "src/endpoint/clients.lua"
    assert.same(support.keys(clients), support.keys(functions_of "clients"))
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

describe("the example", function()
  -- What three examples need: nginx, and lua-http's request.
  local function nothing() end
  local functions = { http_version = nothing, get_method = function() return "GET" end }
  setmetatable(functions, { __index = function() return function() return {} end end })
  local nginx = { HTTP_GET = 2, HTTP_POST = 8, var = {}, req = functions }
  local request = { headers = { upsert = nothing, append = nothing, delete = nothing } }
  local library = { ["http.request"] = { new_from_uri = function() return request end } }

  for _, name in ipairs(support.keys(definitions)) do
    for _, program in ipairs(examples.programs_of(definitions[name].text .. "\n")) do
      it("of " .. name .. " prints what it says", function()
        local promised = examples.promised(program.code)
        assert.truthy(#promised > 0)
        nginx.get_phase = function() return program.code:find "ngx_proxy" and "access" or "content" end
        rawset(_G, "ngx", nginx)
        local ran, printed = requests.while_loaded(library, pcall, examples.run, program.code, "example")
        rawset(_G, "ngx", nil)
        assert.same(promised, ran and printed or { printed }) -- an example may show an error
      end)
    end
  end
end)

describe("the editor's addon", function()
  local config = json.decode(support.read "src/addon/config.json")

  it("is called like the module, and offered to a file that loads it, and to no other", function()
    assert.equal("endpoint", config.name)
    for _, path in ipairs(reference.files) do assert.truthy(support.read(path):find "^%-%-%-@meta endpoint", path) end
    for text, expected in pairs { ['local e = require "endpoint"'] = true, ["require('endpoint')"] = true,
      ["require [[endpoint]]"] = true, ['local c = require "endpoint.clients"'] = true, ['require "endpoints"'] = false,
      ['require "my.endpoint"'] = false, ['require "endpoint.other"'] = false, ["endpoint()"] = false } do
      local is_offered = false -- lua-language-server does so if one of the words stands in it by itself
      for _, word in ipairs(config.words) do
        is_offered = is_offered or (text .. " "):find("%f[%w_]" .. word .. "[^%w_]") ~= nil
      end
      assert.equal(expected, is_offered, text)
    end
  end)
end)

describe("the reference", function()
  it("has each definition, the types in signatures, and the options of a function, with what several share", function()
    local page = reference.markdown()
    for name in pairs(definitions) do assert.truthy(page:find("\n### " .. name .. "\n", 1, true), name) end
    assert.truthy(page:find("\nclients.plain(r: endpoint.Request, options?: endpoint.clients.PlainOptions)", 1, true))
    local plain = page:match "\n### clients%.plain\n.-\n### "
    for _, name in ipairs { "encode", "nested", "canonical" } do
      assert.truthy(plain:find(("\n    - **`%s?`** `"):format(name), 1, true), name)
    end
  end)
end)

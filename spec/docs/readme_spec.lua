-- What users read is right: the documents, and the definitions that the editor shows. Each Lua
-- example must print what its "-->" comments say. programs_wire_spec really sends those of
-- README.md, and interpreters_wire_spec runs the blocks that have a file's name.
local clients = require "endpoint.clients"
local endpoint = require "endpoint"
local examples = require "docs.examples"
local json = require "cjson"
local reference = require "docs.reference"
local requests = require "clients.requests"
local support = require "support"

local README, REFERENCE = support.read "README.md", support.read "docs/reference.md"

-- Lua 5.1 has no pool without coxpcall.
local has_pool = pcall(require("endpoint.request").pool, { at_once = 1 })

-- Where floats have 32 bits, the time of day is exact to two minutes.
local HAS_CLOCK = 2 ^ 31 + 1 ~= 2 ^ 31

-- Is a program pending on this Lua, and why?
local function reason_to_wait(code)
  if code:find("request.pool", 1, true) and not has_pool then
    return "Lua 5.1 has no pool without coxpcall"
  elseif not HAS_CLOCK and (code:find "request%.token" or code:find "request%.cache") then
    return "tokens and caches need the time of day in seconds"
  end
end

for _, path in ipairs(examples.documents()) do
  describe("the examples of " .. path, function()
    for _, program in ipairs(examples.programs_of(support.read(path))) do
      it("print what they promise: " .. program.section, function()
        local reason = reason_to_wait(program.code)
        if reason then
          pending(reason)
        end
        assert.same(examples.promised(program.code), examples.run(program.code, path))
      end)
    end
  end)
end

-- --- the cookbook: each row of its tables is a call and what comes out of it

local COOKBOOK = support.read "docs/url-templates.md"
local HEAD = examples.blocks_in(COOKBOOK, "lua")[1].code

-- The cells of each row: a list of what stands between backquotes. A bar in a table is written with
-- a backslash.
local function rows_of(text, columns)
  local rows = {}
  for line in text:gmatch "[^\n]+" do
    local cells = {}
    for cell in line:gsub("\\|", "\1"):gmatch "|([^|]+)" do
      local spans = {}
      for span in cell:gmatch "`([^`]+)`" do
        spans[#spans + 1] = (span:gsub("\1", "|"))
      end
      cells[#cells + 1] = spans
    end
    if #cells == columns and cells[3][1] then
      rows[#rows + 1] = cells
    end
  end
  return rows
end

-- The URL as the cookbook shows it, and the body of a result if it has one; or a text.
local function outcome_of(value)
  if type(value) == "string" then
    return { value }
  end
  local url = value.url:sub(1, #support.BASE) == support.BASE and value.url:sub(#support.BASE + 1)
    or value.url
  return { url, value.body ~= nil and clients.plain(value).body or nil }
end

describe("the cookbook", function()
  local calls, styles = rows_of(COOKBOOK, 3), rows_of(COOKBOOK, 6)

  for _, row in ipairs(calls) do
    local code, outcome = row[2][1], row[3]

    it("is right about the call " .. code, function()
      assert.same(outcome, outcome_of(assert((loadstring or load)(HEAD .. "\nreturn " .. code))()))
    end)
  end

  it("has only calls in its tables that these specs read", function()
    assert.equal(select(2, COOKBOOK:gsub("\n| [^\n]*endpoint[^\n]*", "")), #calls)
  end)

  for _, row in ipairs(styles) do
    local template = row[3][1]
    for what, cell in pairs {
      ["a string"] = { value = "blue", shown = row[4] },
      ["a list"] = { value = { "blue", "black", "brown" }, shown = row[5] },
      ["an object"] = { value = { R = 100, G = 200, B = 150 }, shown = row[6] },
    } do
      it(("is right about the styles of OpenAPI: %s with %s"):format(template, what), function()
        local result = endpoint("GET " .. template, { color = cell.value })
        assert.same({ cell.shown[1] }, outcome_of(result))
      end)
    end
  end

  it("has 8 styles of OpenAPI", function()
    assert.equal(8, #styles)
  end)
end)

-- The values that the reference names above its table of templates. Under POST those that a
-- template does not use are not in the URL.
local VALUES = { id = "a/b", list = { "x", "y" }, map = { k = 1, l = 2 } }

describe("the reference of the rules", function()
  local count = 0
  for line in REFERENCE:gmatch "\n(| `/[^\n]*)" do
    for template, url in line:gmatch "| `([^`]*)`[^|]*| `([^`]*)` |" do
      count = count + 1

      it("is right about the template " .. template, function()
        assert.equal(support.BASE .. url, endpoint("POST " .. template, VALUES).url)
      end)
    end
  end

  it("has 10 templates, two side by side, which are read", function()
    assert.equal(10, count)
  end)

  it("lists the built-in defaults", function()
    local defaults = endpoint.DEFAULTS
    local rows, part = {}, REFERENCE:match "\n| default | value (.-)\n\n"
    for name, value in part:gmatch "\n| `([^`]*)` | `([^`]*)` |" do
      rows[name] = value
    end
    assert.same({
      method = defaults.method,
      baseUrl = defaults.baseUrl,
      ["headers.accept"] = defaults.headers.accept,
      ['headers["user-agent"]'] = defaults.headers["user-agent"],
    }, rows)
  end)

  for _, name in ipairs(reference.clients()) do
    it("has a row for the client " .. name, function()
      assert.truthy(support.read "docs/clients.md":find("\n| `clients." .. name .. "(r", 1, true))
    end)
  end

  for _, name in ipairs {
    "merge",
    "parse",
    "defaults",
    "variables",
    "DEFAULTS",
    "null",
    "_VERSION",
  } do
    it("has a row for the member " .. name, function()
      assert.truthy(REFERENCE:find("\n| `endpoint." .. name, 1, true))
    end)
  end

  for _, name in ipairs(support.option_names()) do
    it("has a row for the option " .. name, function()
      assert.truthy(REFERENCE:find("\n| `" .. name .. "` |", 1, true))
    end)
  end
end)

describe("the documents", function()
  for _, path in ipairs(support.files "docs/*.md") do
    it("are each in the navigation of the pages: " .. path, function()
      assert.truthy(support.read ".mkdocs.yml":find(": " .. path .. "\n", 1, true))
    end)

    it("are each linked from README.md: " .. path, function()
      assert.truthy(README:find("](" .. path, 1, true))
    end)
  end
end)

-- The lines of a page above its first block.
local function lines_above_example(path)
  local above = support.read(path):match "^(.-)\n```"
  return above and select(2, above:gsub("\n", "")) or math.huge
end

describe("the guides", function()
  local nav = support.read(".mkdocs.yml"):match "\n  %- Guides:\n(.-)\n  %- Reference:\n"
  for path in nav:gmatch ": (docs/[^\n]+)" do
    it("begin with an example: " .. path, function()
      assert.is_true(lines_above_example(path) <= 10)
    end)

    it("have no section that is called like them: " .. path, function()
      local text = support.read(path)
      local title = text:match "^# ([^\n:]+)"
      assert.is_nil(text:find("\n## " .. title .. "\n", 1, true))
    end)
  end

  -- One page a task. A longer one has two tasks, or says what a reader looks up elsewhere.
  for path in nav:match "^(.-\n)  %- ":gmatch ": (docs/[^\n]+)" do
    it("have at most 150 lines: " .. path, function()
      assert.is_true(select(2, support.read(path):gsub("\n", "")) <= 150)
    end)
  end
end)

describe("ci.yml", function()
  local text = support.read ".github/workflows/ci.yml"

  for path in text:gmatch "spec/[%w_/]+_spec%.lua" do
    it("names a spec file that exists: " .. path, function()
      assert(io.open(path)):close()
    end)
  end
end)

describe("CONTRIBUTING", function()
  local text = support.read ".github/CONTRIBUTING.md"

  for _, path in ipairs(support.files("src/*.c", "src/core/*.c", ".ci/*")) do
    it("says what is in " .. path, function()
      assert.truthy(text:find("`" .. path:match "^[^/]+/(.*)$" .. "`", 1, true))
    end)
  end

  for room, heading in pairs {
    clients = "## The way of a result through clients",
    request = "## The way of a call through request",
    types = "## The way of a document through types",
    checks = "## The way of a value through checks",
  } do
    it("says what each Lua file of endpoint." .. room .. " does", function()
      local first = assert(text:find(heading, 1, true))
      local section = text:sub(first, text:find("\n## ", first + 1, true))
      local folder = "src/endpoint/" .. room .. "/"
      local patterns = { folder .. "*.lua", folder .. "*/*.lua" }
      if room == "request" then
        patterns[3] = folder .. "*/*/*.lua"
      end
      for _, path in ipairs(support.files((table.unpack or unpack)(patterns))) do
        assert.truthy(section:find("`" .. path:sub(#folder + 1) .. "`", 1, true), path)
      end
    end)
  end

  it("names files that exist", function()
    local count, is_windows = 0, package.config:sub(1, 1) == "\\" -- which opens no folder
    for _, pattern in ipairs {
      "([%w_/]+%.[ch])%f[^%w_]",
      "`([%w_.-]+/[%w_./-]*)`",
      " (%.?%l+/[%w_./-]+)",
    } do
      for name in text:gmatch(pattern) do
        local is_there = false
        for _, folder in ipairs {
          "",
          "src/",
          "src/core/",
          "src/endpoint/request/",
          "src/endpoint/clients/",
          "src/endpoint/types/",
          "src/endpoint/checks/",
        } do
          is_there = is_there or io.open(folder .. name)
        end
        assert.truthy(
          is_there or name:find "^build/" or is_windows and not name:find "%.%w+$",
          name
        )
        count = count + 1
      end
    end
    assert.is_true(count > 0)
  end)
end)

-- --- the definitions

local definitions = reference.known

-- Name -> item; a name has no "?".
local function fields_of(class)
  local fields = {}
  for _, item in ipairs(definitions[class].items) do
    if item.tag == "field" then
      fields[item.name:gsub("%?$", "")] = item
    end
  end
  return fields
end

-- The set of the functions whose definitions begin with a module's name.
local function functions_of(module)
  local names = {}
  for name, entry in pairs(definitions) do
    local member = name:match("^" .. module .. "%.([%w_]+)$")
    if entry.tag == "function" and member then
      names[member] = true
    end
  end
  return names
end

describe("the editor's definitions", function()
  it("name every member of an endpoint and nothing else", function()
    -- A function of src/endpoint.c names all others.
    local names, members = functions_of "endpoint", { DEFAULTS = true }
    local source = support.read "src/endpoint.c"
    for name in source:match "push_member%b()%s*(%b{})":gmatch '"([%w_]+)"' do
      members[name] = true
    end
    for name in pairs(fields_of "endpoint.Endpoint") do
      names[name] = true
    end
    assert.same(members, names)
    for name in pairs(members) do
      assert.truthy(endpoint[name], name)
    end
  end)

  it(
    "name every function of endpoint.types and of the clients, and of these the parameters",
    function()
      for name, value in pairs(require "endpoint.types") do
        assert.truthy(type(value) ~= "function" or definitions["types." .. name], name)
      end
      local source = support.read "src/endpoint/clients.lua"
      assert.same(support.keys(clients), support.keys(functions_of "clients"))
      for name in pairs(clients) do
        local parameters = source:match("\nfunction clients%." .. name .. "(%b())")
        assert.equal("clients." .. name .. parameters, definitions["clients." .. name].signature)
      end
    end
  )

  it(
    "describe each definition, parameter, field and result, and give each function a result and "
      .. "an example",
    function()
      for name, entry in pairs(definitions) do
        assert.truthy(entry.text:find "^[%u`]", name)
        local list = {}
        for i, item in ipairs(entry.items) do
          assert.truthy(
            item.tag == "overload" or item.text ~= "",
            name .. ": " .. tostring(item.name)
          )
          list[i] = item.tag == "param" and item.name:gsub("%?$", "") or nil
        end
        if entry.tag == "function" then
          assert.equal(entry.signature, name .. "(" .. table.concat(list, ", ") .. ")")
          assert.truthy(entry.items[#list + 1].tag == "return", name)
          assert.equal(1, #examples.programs_of(entry.text .. "\n"), name)
        end
      end
    end
  )

  it("have every option, all optional, and leave room for parameters", function()
    local fields = fields_of "endpoint.Options"
    assert.truthy(fields["[string]"])
    fields["[string]"] = nil
    assert.same(support.option_names(), support.keys(fields))
    for name, field in pairs(fields) do
      assert.equal(name .. "?", field.name)
    end
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
      for name in pairs(ok and r or {}) do
        assert.truthy(of_result[name], name)
      end
    end
    assert.same(
      support.keys(endpoint.variables("/{x:3}")[1]),
      support.keys(fields_of "endpoint.Variable")
    )
  end)

  local RESULT = endpoint("POST https://h/x?a", { a = 1 })
  for class, made in pairs {
    Plain = clients.plain(RESULT),
    RestyParams = select(2, clients.resty_http(RESULT)),
    SocketRequest = clients.luasocket(RESULT),
    CurlSettings = clients.curl(RESULT),
    LuaHttpsRequest = select(2, clients.lua_https(RESULT)),
  } do
    it("have the fields of what the clients return: " .. class, function()
      local fields = fields_of("endpoint.clients." .. class)
      for name in pairs(made) do
        assert.truthy(fields[name], name)
      end
    end)
  end

  it("have the options of the clients", function()
    local r = endpoint "/x"
    local function nothing() end
    local values = {
      encode = nothing,
      sink = nothing,
      easy = { setopt = nothing },
      backend = "curl",
      nested = "brackets",
    }
    for class, f in pairs {
      Options = clients.resty_http,
      PlainOptions = clients.plain,
      SocketOptions = clients.luasocket,
      CurlOptions = clients.curl,
      LuaHttpsOptions = clients.lua_https,
      CurlCommandOptions = clients.curl_command,
      FormOptions = function(_, options)
        return clients.form({}, options)
      end,
    } do
      local options = {}
      for name in pairs(fields_of("endpoint.clients." .. class)) do
        options[name] = values[name] or true
      end
      assert.truthy(next(options))
      assert.truthy((f(r, options)))
    end
  end)
end)

describe("the example", function()
  -- What three examples need: nginx, and lua-http's request.
  local function nothing() end
  local functions = {
    http_version = nothing,
    get_method = function()
      return "GET"
    end,
  }
  setmetatable(functions, {
    __index = function()
      return function()
        return {}
      end
    end,
  })
  local nginx = { HTTP_GET = 2, HTTP_POST = 8, var = {}, req = functions }
  local request = { headers = { upsert = nothing, append = nothing, delete = nothing } }
  local library =
    { ["http.request"] = {
      new_from_uri = function()
        return request
      end,
    } }

  for _, name in ipairs(support.keys(definitions)) do
    local text = definitions[name].text .. "\n"
    for _, program in ipairs(examples.programs_of(text, examples.LOADED)) do
      it("of " .. name .. " prints what it says", function()
        local reason = reason_to_wait(program.code)
        if reason then
          pending(reason)
        end
        local promised = examples.promised(program.code)
        assert.truthy(#promised > 0)
        nginx.get_phase = function()
          return program.code:find "ngx_proxy" and "access" or "content"
        end
        rawset(_G, "ngx", nginx)
        local ran, printed =
          requests.while_loaded(library, pcall, examples.run, program.code, "example")
        rawset(_G, "ngx", nil)
        assert.same(promised, ran and printed or { printed }) -- an example may show an error
      end)
    end
  end
end)

describe("the editor's addon", function()
  local config = json.decode(support.read "src/addon/config.json")

  it("is called like the module", function()
    assert.equal("endpoint", config.name)
  end)

  for _, path in ipairs(reference.files) do
    it("is of the module: " .. path, function()
      assert.truthy(support.read(path):find "^%-%-%-@meta endpoint")
    end)
  end

  -- Lua-language-server offers it if one of its words is in a file by itself.
  local function is_offered(text)
    for _, word in ipairs(config.words) do
      if (text .. " "):find("%f[%w_]" .. word .. "[^%w_]") then
        return true
      end
    end
    return false
  end

  for _, text in ipairs {
    'local e = require "endpoint"',
    "require('endpoint')",
    "require [[endpoint]]",
    'local c = require "endpoint.clients"',
  } do
    it("is offered to a file that loads the module: " .. text, function()
      assert.is_true(is_offered(text))
    end)
  end

  for _, text in ipairs {
    'require "endpoints"',
    'require "my.endpoint"',
    'require "endpoint.other"',
    "endpoint()",
  } do
    it("is not offered to another file: " .. text, function()
      assert.is_false(is_offered(text))
    end)
  end
end)

describe("the pages of all functions", function()
  local pages = reference.pages()
  local clients_page = pages["endpoint.clients"]

  it("have each definition, on the page of its module", function()
    for name in pairs(definitions) do
      local found = 0
      for _, page in pairs(pages) do
        found = found + select(2, page:gsub("\n## " .. name:gsub("%.", "%%.") .. "\n", ""))
      end
      assert.equal(1, found, name)
    end
  end)

  it("have the types in signatures", function()
    assert.truthy(
      clients_page:find(
        "\nclients.plain(r: endpoint.Request, options?: endpoint.clients.PlainOptions)",
        1,
        true
      )
    )
  end)

  it("have the options of a function, with what several share", function()
    local plain = clients_page:match "\n## clients%.plain\n.-\n## "
    for _, name in ipairs { "encode", "nested", "canonical" } do
      assert.truthy(plain:find(("\n    - **`%s?`** `"):format(name), 1, true), name)
    end
  end)
end)

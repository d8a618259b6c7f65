-- What holds of each option and of each client, so that a new one is not half there. The lists
-- in .github/CONTRIBUTING.md, "How to add", say what to change.
local clients = require "endpoint.clients"
local endpoint = require "endpoint"
local reference = require "docs.reference"
local support = require "support"

local null = endpoint.null

-- A value of each option that is not its built-in default.
local VALUES = {
  method = "PUT", url = "/x", baseUrl = "https://h.example", headers = { ["x-a"] = "b" },
  mediaType = { format = "raw" }, data = { a = 1 }, request = { timeout = 5 },
}

-- Is `part` in the value? A part of a table is a table with some of its fields.
local function contains(value, part)
  if type(part) ~= "table" then return value == part end
  if type(value) ~= "table" then return false end
  for key, field in pairs(part) do
    if not contains(value[key], field) then return false end
  end
  return true
end

describe("the options", function()
  it("each have a value in this spec, and give a result that the clients take, all together", function()
    assert.same(support.option_names(), support.keys(VALUES))
    local p = clients.plain(endpoint(VALUES))
    assert.same({ "PUT", "https://h.example/x" }, { p.method, p.url })
  end)
end)

for _, name in ipairs(support.option_names()) do
  local value = VALUES[name]

  describe("the option " .. name, function()
    local set = { [name] = value }

    it("is handed out by merge, kept by defaults and by those on top of them, and gives way to null", function()
      local api, none = endpoint.defaults(set), { [name] = null }
      for _, kept in ipairs { endpoint.merge(set), api.merge(), api.DEFAULTS, api.defaults().DEFAULTS,
        api.defaults({ other = 1 }).DEFAULTS } do
        assert.is_true(contains(kept[name], value))
      end
      for _, left in ipairs { api.merge(none), api.defaults(none).DEFAULTS } do
        assert.is_false(contains(left[name], value))
      end
    end)

    it("is the name of no variable, but for data", function()
      local message = support.message_of(endpoint, "GET /{" .. name .. "}")
      assert.equal(name == "data" and "endpoint: parameter" or "endpoint: template", message:match "^%w+: %w+")
    end)
  end)
end

local README = support.read "docs/clients.md"
local SENDERS, SENT = support.read "spec/clients/send.lua", support.read "spec/clients/clients_wire_spec.lua"

-- What nginx sends itself, or through a client that runs inside it: locations of clients_spec.
local IN_NGINX = { ngx = true, ngx_proxy = true, resty_http = true }

for _, name in ipairs(reference.clients()) do
  describe("clients." .. name, function()
    it("has a row in the table of clients", function()
      assert.truthy(README:find("\n| `clients." .. name .. "(r", 1, true))
    end)

    it("refuses what is no result, and an option that it does not have", function()
      local r = { method = "get", url = name == "ngx" and "/x" or "http://h/" }
      support.client_raises("got a nil", clients[name], nil)
      support.client_raises("got merged options", clients[name], endpoint.merge "GET /x")
      support.client_raises({ "options", '"encoder"' }, clients[name], r, { encoder = print })
    end)

    it("is really sent by spec/clients/clients_wire_spec.lua", function()
      if name == "plain" then return end -- the others are made of it
      if IN_NGINX[name] then
        assert.truthy(SENT:find('require "endpoint.clients".' .. name .. "%f[^%w_]"))
      else
        assert.truthy(SENDERS:find("\nfunction send%." .. name .. "%(") or SENDERS:find("\nsend%." .. name .. " = "))
        assert.truthy(SENT:find('\n  { name = "' .. name .. '", ', 1, true))
      end
    end)
  end)
end

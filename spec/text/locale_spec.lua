-- Numbers that a server, a document or a program writes, under a locale with a decimal comma.
local clients = require "endpoint.clients"
local endpoint = require "endpoint"
local request = require "endpoint.request"
local support = require "support"
local text = require "endpoint.text"
local types = require "endpoint.types"

local load_text = loadstring or load

-- The seconds that a call waits which a server refuses once, with these headers.
local function pause_after(headers)
  local count, slept = 0, nil
  local send = request.new(endpoint, {
    client = function()
      count = count + 1
      return count == 1 and 429 or 200, headers, ""
    end,
    sleep = function(seconds)
      slept = seconds
    end,
  })
  send "GET /x"
  return slept
end

local function rules_of(schema)
  local made = types.generate({
    openapi = "3.1.0",
    paths = {
      ["/x/{a}"] = {
        get = {
          parameters = { { name = "a", ["in"] = "path", required = true, schema = schema } },
        },
      },
    },
  }, "api", { checks = true })
  return assert(load_text(made.files[#made.files - 1].text))()
end

local function read(schema, written)
  local _, values = rules_of(schema).request { method = "GET", path = "/x/" .. written }
  return values.path and values.path.a
end

local function fits(schema, value)
  return (pcall(rules_of(schema).check, "GET /x/{a}", { a = value }))
end

-- What a call says that takes longer than it may.
local function late()
  local clock = 0
  local function around(r, send)
    clock = clock + 2
    return send(r)
  end
  local settings = {
    around = around,
    client = error,
    timeout = 1.5,
    now = function()
      return clock
    end,
  }
  local _, failure = pcall(request.new(endpoint, settings), "GET /x")
  return failure.message
end

-- What a setting says that is too small.
local function small()
  local _, problem = pcall(request.new, endpoint, { timeout = -0.5 })
  return problem
end

-- title, what is asked, what comes: the same under each locale.
local ROWS = {
  { "a number", text.number, { "0.5" }, 0.5 },
  { "a number with an exponent", text.number, { "1.5e3" }, 1500 },
  { "what is no number", text.number, { "1.5.5" }, nil },
  { "what string.format writes", text.pointed, { "-1,5e-07" }, "-1.5e-07" },
  { "a pause", pause_after, { { ["retry-after"] = "0.5" } }, 0.5 },
  { "a pause in milliseconds", pause_after, { { ["retry-after-ms"] = "2.5" } }, 0.0025 },
  { "a duration", pause_after, { { ["x-ratelimit-reset"] = "1.5s" } }, 1.5 },
  { "the limit of a call", late, {}, "within 1.5 s, of which the hook took 2 s" },
  { "a setting", small, {}, "timeout: expected a number of at least 0.001, got -0.5" },
  { "a number in a path", read, { { type = "number" }, "1.5" }, 1.5 },
  { "a number as a text", fits, { { type = "string", enum = { 0.5 } }, "0.5" }, true },
  { "a text as a number", fits, { { type = "number", enum = { "0.5" } }, 0.5 }, true },
  { "a limit", fits, { { type = "number", minimum = 0.5 }, 0.25 }, false },
}

-- Runs a spec under the first of these locales that is installed.
local function it_under(locales, title, run)
  it(title, function()
    if not support.under_locale(locales, run) then
      pending "no such locale is installed"
    end
  end)
end

describe("a decimal comma changes nothing in", function()
  local function it_is_same(title, run)
    it_under(support.COMMA_LOCALES, title, run)
  end

  for _, row in ipairs(ROWS) do
    it_is_same(row[1], function()
      local got = row[2]((table.unpack or unpack)(row[3]))
      if type(got) == "string" then
        assert.equal(row[4], got:sub(-#row[4]))
      else
        assert.equal(row[4], got)
      end
    end)
  end

  it_is_same("a large fraction in JSON", function()
    if not pcall(require, "cjson") then
      pending "there is no lua-cjson"
    end
    if 2e12 + 0.5 == 2e12 then
      pending "numbers of this Lua have too few digits"
    end
    local body = clients.plain(endpoint("POST /x", { a = 2e12 + 0.5 })).body
    assert.equal('{"a":2000000000000.5}', body)
  end)

  it_is_same("the version of a document in YAML", function()
    local document = { swagger = 2.0, paths = { ["/x"] = { get = {} } } }
    assert.equal(1, types.generate(document, "api").operations)
  end)
end)

describe("a dotless i changes nothing in", function()
  local function it_is_same(title, run)
    it_under(support.DOTLESS_LOCALES, title, run)
  end

  local KEY = { type = "apiKey", ["in"] = "header", name = "X-ID" }
  local HEADER = { name = "X-ID", ["in"] = "header", required = true, schema = { type = "string" } }
  local DOCUMENT = {
    openapi = "3.1.0",
    components = { securitySchemes = { key = KEY } },
    paths = {
      ["/x"] = { options = { parameters = { HEADER }, security = { { key = {} } } } },
    },
  }

  local function rules()
    local made = types.generate(DOCUMENT, "api", { checks = true, only = { "OPTIONS /x" } })
    return assert(load_text(made.files[#made.files - 1].text))()
  end

  it_is_same("letters", function()
    assert.equal("OPTIONS I\253", text.upper "options i\253")
  end)

  it_is_same("the method of a route", function()
    rules().check "options /x"
    local given = { method = "OPTIONS", path = "/x", headers = { ["x-id"] = "a" } }
    assert.equal("OPTIONS /x", rules().request(given).route)
  end)

  it_is_same("the choice of tools", function()
    assert.equal("OPTIONS", rules().tools({ method = "options" })[1].method)
  end)

  it_is_same("the name of a header that holds a credential", function()
    assert.is_nil(next(rules().tools()[1].parameters.properties))
  end)
end)

-- endpoint.request where modules that it may use are missing, or Lua's library debug.
local endpoint = require "endpoint"
local reloaded = require "request.reloaded"
local scripted = require "request.scripted"

local outcome, while_modules_are = scripted.outcome, reloaded.while_modules_are

describe("endpoint.request", function()
  -- What a call over TLS raises.
  local function said()
    return outcome(function()
      local api = endpoint.defaults { baseUrl = "https://127.0.0.1" }
      return require "endpoint.request".new(api)("GET /x")
    end)
  end

  it("does not load the client of nginx outside of it", function()
    while_modules_are({ ssl = false, socket = {} }, function()
      require "endpoint.request"
      assert.is_nil(package.loaded["endpoint.request.clients.resty_http"])
    end)
  end)

  for _, name in ipairs {
    "clients.own",
    "downloads",
    "pages",
    "pool",
    "sinks.events",
    "sinks.lines",
    "tokens",
  } do
    it("loads a file when it is first used: " .. name, function()
      while_modules_are({ socket = {} }, function()
        require "endpoint.request"
        assert.is_nil(package.loaded["endpoint.request." .. name])
      end)
    end)

    it("loads all that nginx may use at once: " .. name, function()
      while_modules_are({ socket = {} }, function()
        local globals = package.loaded._G
        local outside = globals.ngx
        globals.ngx = outside or {}
        local ok, problem = pcall(require, "endpoint.request")
        globals.ngx = outside
        assert.is_true(ok, problem)
        assert.truthy(package.loaded["endpoint.request." .. name])
      end)
    end)
  end

  for _, name in ipairs { "failures.masks", "failures.mistakes", "response.reasons" } do
    it("loads at once what a failure needs, where no file may be opened: " .. name, function()
      while_modules_are({ socket = {} }, function()
        require "endpoint.request"
        assert.truthy(package.loaded["endpoint.request." .. name])
      end)
    end)
  end

  it("says that LuaSec is missing", function()
    while_modules_are({ ssl = false, socket = {} }, function()
      assert.equal(
        "endpoint.request: expected the module ssl (LuaSec, or another client): not here",
        said()
      )
    end)
  end)

  it("says that LuaSocket is missing", function()
    while_modules_are({ socket = false }, function()
      assert.equal(
        "endpoint.request: expected the module socket (LuaSocket, or another client): not here",
        said()
      )
    end)
  end)

  it("says that lua-cjson is missing", function()
    while_modules_are({ cjson = false }, function()
      local function client()
        return 200, { ["content-type"] = "a/json" }, "1"
      end
      local send = require "endpoint.request".new(scripted.api, { client = client })
      local raised = outcome(send, "GET /x")
      local expected =
        "endpoint.request: expected the module cjson (lua-cjson, or the setting decode): "
      assert.equal(expected, raised:sub(1, #expected))
    end)
  end)

  describe("without the library debug", function()
    local send
    setup(function()
      local library, globals = debug, package.loaded._G
      globals.debug = nil
      while_modules_are({}, function()
        local found, request = pcall(require, "endpoint.request")
        globals.debug = library
        assert(found, request)
        send = request.new(scripted.api, {
          client = function()
            return 404, {}, ""
          end,
        })
      end)
    end)

    it("raises a failure without a position", function()
      local _, raised = pcall(send, "GET /x")
      assert.equal("GET /x: the server answers 404", tostring(raised))
    end)

    it("raises a mistake of the call without a position", function()
      local _, raised = pcall(send, "GET /{id}")
      assert.equal("endpoint: parameter", tostring(raised):sub(1, 19))
    end)
  end)
end)

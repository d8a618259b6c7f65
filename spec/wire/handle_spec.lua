-- The handle of Debian's lua-curl, made as src/endpoint/README.md says, really sends.
local echo = require "wire.echo"
local examples = require "examples"
local json = require "cjson"
local server = require "wire.server"
local support = require "support"

local BEFORE = 'local endpoint, clients = require "endpoint", require "endpoint.clients"\n'

-- Sends twice with the same handle, and prints what came back.
local BEHIND = [[
local api = endpoint.defaults { baseUrl = arg[1] }
print(send(api("POST /x", { data = "a\0b" })))
print(send(api("GET /y", { q = "z" })))
]]

describe("the guide's handle of lua-curl", function()
  local running

  setup(function()
    running = echo.start()
    for _, block in ipairs(examples.blocks_of(support.read "src/endpoint/README.md")) do
      if block.name == "lua-curl.lua" then
        support.write(running.directory .. "/handle.lua", BEFORE .. block.code .. BEHIND)
      end
    end
  end)

  teardown(function() server.stop(running) end)

  for _, lua in ipairs(server.with_modules { "lua5.1", "lua5.2", "luajit" }) do
    if not echo.has_module(lua, "curl") then
      pending("sends on " .. lua .. ": there is no module curl")
    else
      it("sends on " .. lua, function()
        local printed, seen = echo.run(running, lua, "handle.lua"), {}
        for text in printed:gmatch "200\t(%x+)" do seen[#seen + 1] = json.decode(echo.from_hex(text)) end
        assert.equal(2, #seen, printed)
        assert.same({ "POST", "/x", "610062" }, { seen[1].method, seen[1].uri, seen[1].body })
        assert.same({ "GET", "/y?q=z", "" }, { seen[2].method, seen[2].uri, seen[2].body })
      end)
    end
  end
end)

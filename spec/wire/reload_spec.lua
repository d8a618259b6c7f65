-- A new version in the place of the old one, and nginx reloaded: the shared object stays the
-- old one, the Lua files are read anew. The new version differs in its number alone.
local endpoint = require "endpoint"
local server = require "wire.server"
local support = require "support"

local OLD, NEW = endpoint._VERSION, endpoint._VERSION:gsub("%d+$", function(last) return (last + 1) % 10 end)

-- Copies a file and writes one version for the other, as an installation does: into a new file,
-- which takes the place of the old one.
local function install(from, to)
  server.shell(("sed 's/%s/%s/g' %s >%s.new && mv %s.new %s"):format(OLD:gsub("%.", "\\."), NEW, from, to, to, to))
end

describe("a reload of nginx", function()
  local directory, running

  setup(function()
    directory = server.shell "mktemp -d"
    server.shell(("cp -r src/endpoint build/luajit/endpoint.so %s"):format(directory))
    running = server.start([[
      server { listen 127.0.0.1:@OWN@; location / { content_by_lua_block {
        ngx.print(require "endpoint"._VERSION, " ", require "endpoint.clients".plain(require "api" "GET /x").path)
      } } }
    ]], nil, directory)
  end)

  teardown(function()
    server.stop(running)
    server.shell("rm -r " .. directory)
  end)

  it("behind an installation is refused, with the advice to restart, and the old workers go on", function()
    install("build/luajit/endpoint.so", directory .. "/endpoint.so")
    install("src/endpoint/clients.lua", directory .. "/endpoint/clients.lua")
    server.shell("kill -HUP " .. running.pid)
    local log
    for _ = 1, 100 do
      log = support.read(running.directory .. "/error.log")
      if log:find("restart the program", 1, true) then break end
      server.shell "sleep 0.1"
    end
    assert.truthy(log:find(("endpoint.clients: version %s, but the endpoint that is loaded is version %s"):format(NEW, OLD),
      1, true), log)
    assert.truthy(log:find("restart the program", 1, true), log)
    assert.equal(OLD .. " /api/x", server.shell(("curl -s -m 10 http://127.0.0.1:%d/"):format(running.own_port)))
  end)
end)

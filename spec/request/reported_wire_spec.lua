-- What users of other clients have reported and what needs real sockets: calls that never end as
-- a server is silent while TLS begins, and hosts that are IPv6 addresses.
local runs = require "request.runs"
local server = require "server"

local PROGRAMS = "spec/request/programs/"

-- Starts a server at the IPv6 address ::1; returns its port, nil where there is no IPv6, and the
-- function that ends it.
local function start()
  local program = "exec lua5.4 " .. PROGRAMS .. "refusing_server.lua 413 2>/dev/null"
  local pipe = io.popen("echo $$; ADDRESS=::1 " .. program)
  local pid, port = pipe:read "*l", pipe:read "*l"
  return port, function()
    server.shell("kill " .. pid .. " 2>/dev/null")
    pipe:close()
  end
end

-- The lines that the program prints for a client, and "none" as the port where there is no IPv6.
local function lines_of(run, port)
  local words = ("%s %ssilent_handshake.lua %s %s"):format(
    run.lua,
    PROGRAMS,
    run.client,
    port or "none"
  )
  local lines = {}
  for line in (server.run(run.lua, words) .. "\n"):gmatch "([^\n]*)\n" do
    lines[#lines + 1] = line
  end
  return lines
end

for _, pair in ipairs(runs.PAIRS) do
  local run = { lua = pair[1], client = pair[2] }
  if run.lua ~= "nginx" then
    describe(("a call by %s on %s"):format(run.client, run.lua), function()
      local port, stop, lines
      setup(function()
        port, stop = start()
        lines = lines_of(run, port)
      end)
      teardown(function()
        stop()
      end)

      it("ends after connect_timeout where a server is silent while TLS begins", function()
        assert.equal("GET /x: connect_timeout: no connection within 0.5 s", lines[1])
      end)

      it("ends after timeout where a server is silent while TLS begins", function()
        assert.equal("GET /x: timeout: no complete response within 0.5 s", lines[2])
      end)

      it("reaches a host that is an IPv6 address", function()
        if not port then
          pending "no IPv6 on this machine"
        end
        assert.equal("GET /x: the server answers 413", lines[3])
      end)
    end)
  end
end

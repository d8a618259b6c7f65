-- How specs on the wire run programs of endpoint.request: with each client, on each Lua, and inside
-- nginx.
local server = require "server"
local support = require "support"

local runs = {}

-- The interpreters and clients that go together. Of "nginx" the programs run inside the server that
-- they ask.
runs.PAIRS = { { "nginx", "resty_http" } }
for _, lua in ipairs(server.luas()) do
  for module, client in pairs { ["ssl.https"] = "luasocket", curl = "curl", cURL = "curl" } do
    if server.has_module(lua, module) then
      runs.PAIRS[#runs.PAIRS + 1] = { lua, client }
    end
  end
end

-- The locations of nginx that run a program, and answer with any bytes.
runs.LOCATIONS = support.read "spec/request/programs/runs.conf"

-- Some programs open more descriptors than many systems give a process.
local MORE_DESCRIPTORS = "ulimit -S -n 4096; "

-- The shell's text that runs a program's file with this environment.
function runs.command_of(running, program, file, environment)
  local settings = {}
  local form = program.lua == "nginx" and "--data-urlencode '%s=%s'" or "%s=%s"
  for name, value in pairs(environment) do
    settings[#settings + 1] = form:format(name, value)
  end
  settings = table.concat(settings, " ")
  if program.lua ~= "nginx" then
    return MORE_DESCRIPTORS
      .. server.command(
        program.lua,
        (program.command or program.lua .. " FILE"):gsub("FILE", file),
        settings
      )
  end
  return ("curl -s -m 120 -G --data-urlencode file=%s %s %s/run"):format(
    file,
    settings,
    running.url
  )
end

return runs

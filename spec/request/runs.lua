-- How specs on the wire run programs of endpoint.request: with each client, on each Lua, and inside
-- nginx.
local server = require "server"

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

-- The location of nginx that runs a program: a file, and its environment.
runs.RUN = [[
location = /run { content_by_lua_block {
  local args, chunk = ngx.req.get_uri_args(), assert(loadfile(ngx.req.get_uri_args().file))
  local its_os = { getenv = function(name) return args[name] end }
  local own = { os = setmetatable(its_os, { __index = os }) }
  function own.print(...)
    local words = { ... }
    for i = 1, select("#", ...) do words[i] = tostring(words[i]) end
    ngx.print(table.concat(words, "\t"), "\n")
  end
  local ok, problem = pcall(setfenv(chunk, setmetatable(own, { __index = _G })))
  if not ok then ngx.print(tostring(problem)) end
} }
]]

-- The shell's text that runs a program's file with this environment.
function runs.command_of(running, program, file, environment)
  local settings = {}
  local form = program.lua == "nginx" and "--data-urlencode '%s=%s'" or "%s=%s"
  for name, value in pairs(environment) do
    settings[#settings + 1] = form:format(name, value)
  end
  settings = table.concat(settings, " ")
  if program.lua ~= "nginx" then
    return server.command(
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

-- The location /raw answers with the bytes of `text` alone, in which {3|ab} is ababab, and then
-- with `more` for ever.
runs.RAW = [[
location /raw { content_by_lua_block {
  local args, socket = ngx.req.get_uri_args(), ngx.req.socket(true)
  socket:settimeout(30000)
  socket:send((args.text:gsub("{(%d+)|([^}]*)}", function(count, unit) return unit:rep(count) end)))
  local pause = tonumber(args.pause)
  while args.more and socket:send(args.more) do if pause then ngx.sleep(pause) end end
  while args.drains and socket:receiveany(65536) do end
  if args.is_held then socket:receive(1) end -- until the client leaves
  ngx.exit(444)
} }
]]

return runs

-- Programs with the setting `wait`: many requests at once in the loops that programs have. The code of each loop, and
-- of a program, is that of docs/many-at-once.md.
local examples = require "docs.examples"
local server = require "server"

local loops = {}

loops.LOCATIONS = [[
location /slow { content_by_lua_block { ngx.sleep(0.4) ngx.print(ngx.var.args) } }
location /slow_echo { content_by_lua_block { ngx.sleep(0.2) ngx.req.read_body() ngx.print(ngx.req.get_body_data()) } }
location /again { return 503; }
location /orgs/ { default_type application/json; return 200 '{"id": "x"}'; }
]]

-- The Luas that have each loop.
local LOOPS = {
  { name = "select", luas = { "lua5.1", "lua5.2", "lua5.3", "lua5.4", "luajit" }, module = "socket" },
  { name = "copas", luas = { "lua5.1", "lua5.2", "luajit" } },
  { name = "luv", luas = { "lua5.1", "lua5.2", "lua5.3", "lua5.4", "luajit" } },
  { name = "cqueues", luas = { "lua5.1", "lua5.2", "lua5.3", "lua5.4", "luajit" } },
}

local API = 'local endpoint = require "endpoint"\nlocal api = endpoint.defaults { baseUrl = os.getenv "HTTP" }\n'

-- Behind the page's program: sends 20 slow requests at once, which would be 8 s one by one, 20 small ones that may share
-- connections, a stream, to what is silent, and to what takes no connection.
local CODE = [[
    local socket = require "socket"
    local settings = { wait = wait, sleep = sleep, cafile = os.getenv "CA" }
    local send = request.new(endpoint.defaults { baseUrl = os.getenv "API" }, settings)
    local function all(count, f)
      local done, began = 0, socket.gettime()
      for i = 1, count do
        spawn(function()
          f(i)
          done = done + 1
        end)
      end
      run(function() return done == count end)
      return done, socket.gettime() - began
    end
    local done, seconds = all(20, function(i) assert(send("GET /slow", { n = i }) == "n=" .. i) end)
    print(done .. " " .. tostring(seconds < 5 or seconds)) -- Neovim prints no tab
    print((all(20, function() for _ = 1, 3 do assert(send "GET /slow?n=1" == "n=1") end end)))
    local long = ("0123456789"):rep(TIMES)
    print((all(2, function() assert(send("POST /slow_echo", { data = long }) == long) end)))
    local function fails(route, request)
      local said
      local _, seconds = all(1, function()
        local ok, failure = pcall(send, route, { request = request })
        said = not ok and failure.message
      end)
      print((tostring(said):gsub("%d%d%d+:", "PORT:")) .. " " .. tostring(seconds < 5 or seconds))
    end
    fails("GET /late", { timeout = 0.3, tries = 1 })
    fails("GET /again", { tries = 2 })
    local full, clients = socket.bind("127.0.0.1", 0, 1), {}
    local _, port = full:getsockname()
    for i = 1, 4 do
      clients[i] = socket.tcp()
      clients[i]:settimeout(0)
      clients[i]:connect("127.0.0.1", port)
    end
    fails("GET http://0x7f.1:" .. port, { connect_timeout = 0.3, tries = 1 })
    print "--"
]]

-- What is printed: a row of request_wire_spec.
loops.ROW = { "sends many at once", nil, { "x", "x", "20 true", "20", "2", "GET /late: timeout: 0.3 s are over true",
  "GET /again: the server answers 503 true", "GET http://0x7f.1:PORT: connect_timeout: 0.3 s are over true" } }

-- Neovim exports a function socket_connect, which Debian's LuaSocket would call in the place of its own, and crash.
local ARCHIVE = server.shell "command -v nvim >/dev/null && ls /usr/lib/*/liblua5.1-socket.a 2>/dev/null"

-- Makes a LuaSocket for Neovim.
function loops.prepare(directory)
  if ARCHIVE == "" then return end
  server.shell(("cd %s && mkdir socket && cc -shared -Wl,-Bsymbolic -o socket/core.so -Wl,--whole-archive %s "
    .. "-Wl,--no-whole-archive"):format(directory, ARCHIVE))
end

-- The code of a program. One loop sends what the sockets do not take while the server sleeps.
local function code_of(loop, is_long)
  return loop .. API .. examples.recipe "many.lua" .. CODE:gsub("TIMES", is_long and 800000 or 1)
end

-- A list of programs of request_wire_spec; `missing` says why one cannot run.
function loops.programs()
  local list = {}
  for _, loop in ipairs(LOOPS) do
    for _, lua in ipairs(server.luas(loop.luas)) do
      local is_old, missing = lua == "lua5.1", nil
      for _, module in ipairs { loop.module or loop.name, is_old and "coxpcall" or "ssl" } do
        if not server.has_module(lua, module) then missing = "no module " .. module end
      end
      local code = (is_old and examples.recipe "coxpcall.lua" or "") .. examples.recipe(loop.name .. ".lua")
      list[#list + 1] = { loop.name .. " on " .. lua, lua = lua, missing = missing,
        code = code_of(code, loop.name == "select") }
    end
  end
  local code, count = examples.recipe "luv.lua":gsub('require "luv"', "vim.loop")
    :gsub("function run%(%) uv%.run%(%)", "function run(is_done) vim.wait(5000, is_done, 5)")
  assert(count == 1)
  list[#list + 1] = { "Neovim", lua = "luajit", command = "nvim --headless --clean -c 'luafile FILE' -c qall",
    code = code_of("package.cpath = os.getenv 'HERE' .. '/?.so;' .. package.cpath\n" .. code),
    missing = ARCHIVE == "" and "no nvim, or no lua-socket-dev" or nil }
  return list
end

return loops

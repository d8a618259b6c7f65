-- The setting `wait`: many requests at once in the loops that programs have, over http and https. The code of each
-- loop, and of a program, is that of docs/many-at-once.md.
local examples = require "docs.examples"
local server = require "server"
local support = require "support"

-- The Luas that have each loop.
local LOOPS = {
  { name = "select", luas = { "lua5.1", "lua5.2", "lua5.3", "lua5.4", "luajit" }, module = "socket" },
  { name = "copas", luas = { "lua5.1", "lua5.2", "luajit" } },
  { name = "luv", luas = { "lua5.1", "lua5.2", "lua5.3", "lua5.4", "luajit" } },
  { name = "cqueues", luas = { "lua5.1", "lua5.2", "lua5.3", "lua5.4", "luajit" } },
}

local API = 'local endpoint = require "endpoint"\nlocal api = endpoint.defaults { baseUrl = os.getenv "HTTP" }\n'

-- Behind the page's program: sends 20 slow requests at once, 20 small ones that may share connections, a stream, to
-- what is silent, and to what takes no connection.
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
    print(done, seconds < 2 or seconds)
    print((all(20, function() for _ = 1, 3 do assert(send "GET /slow?n=1" == "n=1") end end)))
    local long = ("0123456789"):rep(os.getenv "TIMES")
    print((all(2, function() assert(send("POST /echo", { data = long }) == long) end)))
    local function fails(route, request)
      local said
      local _, seconds = all(1, function()
        local ok, failure = pcall(send, route, { request = request })
        said = not ok and failure.message
      end)
      print(said, seconds < 1.5 or seconds)
    end
    fails("GET /silent", { timeout = 0.3, tries = 1 })
    fails("GET /again", { tries = 2 })
    local full, clients = socket.bind("127.0.0.1", 0, 1), {}
    local _, port = full:getsockname()
    for i = 1, 4 do
      clients[i] = socket.tcp()
      clients[i]:settimeout(0)
      clients[i]:connect("127.0.0.1", port)
    end
    fails("GET http://127.0.0.1:" .. port .. "/full", { connect_timeout = 0.3, tries = 1 })
]]

local SAID = "x\nx\n20 true\n20\n2\nGET /silent: timeout: 0.3 s are over true\nGET /again: the server answers 503 true\n"
  .. "GET http://127.0.0.1:PORT/full: connect_timeout: 0.3 s are over true"

-- Neovim exports a function socket_connect, which Debian's LuaSocket would call in the place of its own, and crash.
local ARCHIVE = server.shell "command -v nvim >/dev/null && ls /usr/lib/*/liblua5.1-socket.a 2>/dev/null"

-- A list of { title, lua, code, command }, or of { title, lua, missing =, a reason }.
local function programs()
  local list = {}
  for _, loop in ipairs(LOOPS) do
    for _, lua in ipairs(server.luas(loop.luas)) do
      local is_old = lua == "lua5.1"
      local code = (is_old and examples.recipe "coxpcall.lua" or "") .. examples.recipe(loop.name .. ".lua")
      local row = { ("sends many at once by %s, on %s"):format(loop.name, lua), lua, code, lua .. " FILE",
        is_long = loop.name == "select" }
      for _, module in ipairs { loop.module or loop.name, is_old and "coxpcall" or "ssl" } do
        if not server.has_module(lua, module) then row.missing = "no module " .. module end
      end
      list[#list + 1] = row
    end
  end
  local code, count = examples.recipe "luv.lua":gsub('require "luv"', "vim.loop")
    :gsub("function run%(%) uv%.run%(%)", "function run(is_done) vim.wait(5000, is_done, 5)")
  assert(count == 1)
  list[#list + 1] = { "sends many at once in Neovim", "luajit", "package.cpath = 'HERE/?.so;' .. package.cpath\n" .. code,
    "nvim --headless --clean -c 'luafile FILE' -c qall", missing = ARCHIVE == "" and "no nvim, or no lua-socket-dev" }
  return list
end

describe("endpoint.request in a loop", function()
  local running, start, stop = server.plan { errors = "", locations = [[
    location /slow { content_by_lua_block { ngx.sleep(0.2) ngx.print(ngx.var.args) } }
    location /silent { content_by_lua_block { ngx.sleep(2) } }
    location /echo { content_by_lua_block { ngx.sleep(0.2) ngx.req.read_body() ngx.print(ngx.req.get_body_data()) } }
    location /again { return 503; }
    location /orgs/ { default_type application/json; return 200 '{"id": "x"}'; }
  ]] }
  local rows, texts = programs(), nil

  -- The commands that run the code of each, that of the page's program, and the above, over http and over https.
  local function commands()
    local list, here = {}, running.directory
    for number, row in ipairs(rows) do
      local file = ("%s/%d.lua"):format(here, number)
      support.write(file, row[3]:gsub("HERE", here) .. API .. examples.recipe "many.lua" .. CODE)
      for _, url in ipairs { running.url, running.tls_url } do
        -- One loop sends what the sockets do not take while the server sleeps.
        list[#list + 1] = row.missing and "true" or server.command(row[2], row[4]:gsub("FILE", file),
          ("HTTP=%s API=%s CA=%s/certificate.pem TIMES=%d"):format(running.url, url, here, row.is_long and 800000 or 1))
      end
    end
    return list
  end

  setup(function()
    start()
    if ARCHIVE ~= "" then
      server.shell(("cd %s && mkdir socket && cc -shared -Wl,-Bsymbolic -o socket/core.so -Wl,--whole-archive %s "
        .. "-Wl,--no-whole-archive"):format(running.directory, ARCHIVE))
    end
    texts = server.run_all(running, commands())
  end)
  teardown(stop)

  for number, row in ipairs(rows) do
    it(row[1], function()
      if row.missing then pending(row.missing) end
      for _, said in ipairs { texts[2 * number - 1], texts[2 * number] } do
        assert.equal(SAID, (said:gsub("\r", ""):gsub("\t", " "):gsub("(127%.0%.0%.1:)%d+", "%1PORT")))
      end
    end)
  end
end)

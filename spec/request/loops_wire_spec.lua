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
    local long = ("0123456789"):rep(800000) -- more than the sockets take while the server sleeps
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

describe("endpoint.request in a loop", function()
  local running, start, stop = server.plan { errors = "", locations = [[
    location /slow { content_by_lua_block { ngx.sleep(0.2) ngx.print(ngx.var.args) } }
    location /silent { content_by_lua_block { ngx.sleep(2) } }
    location /echo { content_by_lua_block { ngx.sleep(0.2) ngx.req.read_body() ngx.print(ngx.req.get_body_data()) } }
    location /again { return 503; }
    location /orgs/ { default_type application/json; return 200 '{"id": "x"}'; }
  ]] }
  setup(start)
  teardown(stop)

  -- Runs the loop's code, that of the page's program, and the above. program: its command
  local function assert_sends(lua, loop, program, before)
    for _, url in ipairs { running.url, running.tls_url } do
      local environment = ("HTTP=%s API=%s CA=%s/certificate.pem"):format(running.url, url, running.directory)
      local code = (before or "") .. loop .. API .. examples.recipe "many.lua" .. CODE
      support.write(running.directory .. "/code.lua", code)
      local said = server.run(lua, (program:gsub("FILE", running.directory .. "/code.lua")), environment)
      assert.equal(SAID, (said:gsub("\r", ""):gsub("\t", " "):gsub("(127%.0%.0%.1:)%d+", "%1PORT")))
    end
  end

  for _, loop in ipairs(LOOPS) do
    for _, lua in ipairs(server.luas(loop.luas)) do
      it(("sends many at once by %s, on %s"):format(loop.name, lua), function()
        local is_old = lua == "lua5.1"
        for _, module in ipairs { loop.module or loop.name, is_old and "coxpcall" or "ssl" } do
          if not server.has_module(lua, module) then pending("no module " .. module) end
        end
        assert_sends(lua, examples.recipe(loop.name .. ".lua"), lua .. " FILE", is_old and examples.recipe "coxpcall.lua")
      end)
    end
  end

  -- Neovim exports a function socket_connect, which Debian's LuaSocket would call in the place of its own, and crash.
  it("sends many at once in Neovim", function()
    local archive = server.shell "command -v nvim >/dev/null && ls /usr/lib/*/liblua5.1-socket.a 2>/dev/null"
    if archive == "" then pending "no nvim, or no lua-socket-dev" end
    local code, count = examples.recipe "luv.lua":gsub('require "luv"', "vim.loop")
      :gsub("function run%(%) uv%.run%(%)", "function run(is_done) vim.wait(5000, is_done, 5)")
    assert.equal(1, count)
    server.shell(("cd %s && mkdir socket && cc -shared -Wl,-Bsymbolic -o socket/core.so -Wl,--whole-archive %s "
      .. "-Wl,--no-whole-archive"):format(running.directory, archive))
    assert_sends("luajit", code, "nvim --headless --clean -c 'luafile FILE' -c qall",
      "package.cpath = '" .. running.directory .. "/?.so;' .. package.cpath\n")
  end)
end)

-- The setting `wait`: many requests at once in the loops that programs have, over http and https.
local server = require "server"

-- What a program does with its loop: sets `wait` and `sleep`, `spawn(f)` and `run()`, which runs all of them.
local LOOPS = {
  select = { luas = { "lua5.1", "lua5.2", "lua5.3", "lua5.4", "luajit" }, code = [[
    local socket, ready, waiting = require "socket", {}, {}
    local function spawn(f) ready[#ready + 1] = { co = coroutine.create(f) } end
    local function wait(sock, direction, seconds)
      return coroutine.yield { sock = sock, direction = direction, ends = socket.gettime() + seconds }
    end
    local function sleep(seconds) coroutine.yield { ends = socket.gettime() + seconds } end
    local function go_on(task, is_ready)
      local ok, waits = coroutine.resume(task.co, is_ready)
      assert(ok, waits)
      if coroutine.status(task.co) == "suspended" then waiting[waits], waits.co = true, task.co end
    end
    local function lists_of()
      local lists, ends = { r = {}, w = {} }, math.huge
      for task in pairs(waiting) do
        if task.sock then table.insert(lists[task.direction], task.sock) end
        ends = math.min(ends, task.ends)
      end
      return lists, ends - socket.gettime()
    end
    local function run()
      while #ready > 0 do go_on(table.remove(ready)) end
      while next(waiting) do
        local lists, left = lists_of()
        local r, w = socket.select(lists.r, lists.w, math.max(left, 0))
        local now, going = socket.gettime(), {}
        for task in pairs(waiting) do
          local is_ready = task.sock and (task.direction == "r" and r or w)[task.sock] and true or nil
          if is_ready or task.ends <= now then going[task] = is_ready or false end
        end
        for task, is_ready in pairs(going) do
          waiting[task] = nil
          go_on(task, is_ready or nil)
        end
      end
    end]] },
  copas = { luas = { "lua5.1", "lua5.2", "luajit" }, module = "copas", code = [[
    local copas, left, sleep = require "copas", 0, nil
    local function wait(sock, direction)
      local probe, is_ready = { getfd = function() return sock:getfd() end, dirty = function() return false end }, false
      function probe.close() end -- copas closes what a thread waited for last
      function probe.receive()
        if is_ready then return "" end
        is_ready = true
        return nil, "timeout", ""
      end
      function probe.send()
        if is_ready then return 0 end
        is_ready = true
        return nil, "timeout", 0
      end
      copas[direction == "r" and "receive" or "send"](probe, "")
      return true
    end
    local function spawn(f)
      left = left + 1
      copas.addthread(function()
        f()
        left = left - 1
      end)
    end
    local function run() while left > 0 do copas.step(1) end end]] },
  luv = { luas = { "lua5.2", "lua5.3", "lua5.4", "luajit" }, module = "luv", code = [[
    local uv = require "luv"
    local function wait(sock, direction, seconds)
      local co, poll, timer = coroutine.running(), uv.new_poll(sock:getfd()), uv.new_timer()
      local function wake(is_ready)
        poll:close()
        timer:close()
        assert(coroutine.resume(co, is_ready))
      end
      poll:start(direction, function() wake(true) end)
      timer:start(math.ceil(seconds * 1000), 0, function() wake(nil) end)
      return coroutine.yield()
    end
    local function sleep(seconds)
      local co, timer = coroutine.running(), uv.new_timer()
      timer:start(math.ceil(seconds * 1000), 0, function()
        timer:close()
        assert(coroutine.resume(co))
      end)
      coroutine.yield()
    end
    local function spawn(f) assert(coroutine.resume(coroutine.create(f))) end
    local function run() uv.run() end]] },
  cqueues = { luas = { "lua5.2", "lua5.3", "lua5.4", "luajit" }, module = "cqueues", code = [[
    local cqueues = require "cqueues"
    local queue, sleep = cqueues.new(), cqueues.sleep
    local function wait(sock, direction, seconds)
      local what = { pollfd = sock:getfd(), events = direction }
      local is_ready = cqueues.poll(what, seconds) == what
      cqueues.cancel(what.pollfd)
      return is_ready or nil
    end
    local function spawn(f) queue:wrap(f) end
    local function run() assert(queue:loop()) end]] },
}

-- Sends 20 slow requests at once, 20 small ones that may share connections, what is silent, and a stream.
local CODE = [[
    local endpoint, request, socket = require "endpoint", require "endpoint.request", require "socket"
    local send = request.new(endpoint.defaults { baseUrl = os.getenv "API" },
      { wait = wait, sleep = sleep, cafile = os.getenv "CA" })
    local function all(count, f)
      local done = 0
      for i = 1, count do
        spawn(function()
          f(i)
          done = done + 1
        end)
      end
      local began = socket.gettime()
      run()
      return done, socket.gettime() - began
    end
    local done, seconds = all(20, function(i) assert(send("GET /slow", { n = i }) == "n=" .. i) end)
    print(done, seconds < 2 or seconds)
    print((all(20, function() for _ = 1, 3 do assert(send "GET /slow?n=1" == "n=1") end end)))
    local long = ("x"):rep(3000000)
    print((all(3, function() assert(send("POST /echo", { data = long }) == long) end)))
    local said
    print((all(1, function()
      local ok, failure = pcall(send, "GET /silent", { request = { timeout = 0.3, tries = 1 } })
      said = not ok and failure.message
    end)), said)
]]

describe("endpoint.request in a loop", function()
  local running, start, stop = server.plan { errors = "", locations = [[
    location /slow { content_by_lua_block { ngx.sleep(0.2) ngx.print(ngx.var.args) } }
    location /silent { content_by_lua_block { ngx.sleep(2) } }
    location /echo { content_by_lua_block { ngx.req.read_body() ngx.print(ngx.req.get_body_data()) } }
  ]] }
  setup(start)
  teardown(stop)

  for name, loop in pairs(LOOPS) do
    for _, lua in ipairs(server.luas(loop.luas)) do
      local pcalls = lua == "lua5.1" and "coxpcall" or "ssl"
      if server.has_module(lua, loop.module or "socket") and server.has_module(lua, pcalls) then
        it(("sends many at once by %s, on %s"):format(name, lua), function()
          local before = lua == "lua5.1" and "pcall = require 'coxpcall'.pcall\n" or ""
          for _, url in ipairs { running.url, running.tls_url } do
            assert.equal("20\ttrue\n20\n3\n1\tGET /silent: timeout: 0.3 s are over", server.run_code(running, lua,
              before .. loop.code .. CODE, "", ("API=%s CA=%s/certificate.pem"):format(url, running.directory)))
          end
        end)
      end
    end
  end
end)

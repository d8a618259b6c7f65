-- request.pool: so many jobs at once. One job of each pool here is the server that the others ask.
-- request_wire_spec.lua sends many at once through a pool, over http and https, on every Lua.
local endpoint = require "endpoint"
local request = require "endpoint.request"

local has_socket, socket = pcall(require, "socket")

-- Has this Lua what a pool needs? Lua 5.1 has not, without coxpcall.
local can_run = has_socket and pcall(request.pool, { at_once = 1 })

describe("request.pool", function()
  if not can_run then
    pending "LuaSocket is not here, or a Lua that leaves coroutines within pcall"
    return
  end

  it("runs so many jobs at once at most, and begins the next as one ends", function()
    local pool, now, most = request.pool { at_once = 3 }, 0, 0
    local results, problems = pool.run({ 1, 2, 3, 4, 5, 6, 7 }, function(item, i)
      now = now + 1
      most = math.max(most, now)
      pool.sleep(0.01)
      now = now - 1
      return item * 10 + i
    end)
    assert.same({ 11, 22, 33, 44, 55, 66, 77 }, results)
    assert.same({}, problems)
    assert.equal(3, most)
  end)

  it("runs what is added to the list meanwhile", function()
    local pool, list = request.pool { at_once = 2 }, { 3 }
    local results = pool.run(list, function(item)
      if item > 1 then
        list[#list + 1] = item - 1
      end
      return item
    end)
    assert.same({ 3, 2, 1 }, results)
  end)

  it("gives the error of each job, and runs the others", function()
    local pool = request.pool { at_once = 2 }
    local results, problems = pool.run({ 1, 2, 3 }, function(item)
      pool.sleep(0.01)
      if item == 2 then
        error { "mine" }
      end
      return item
    end)
    assert.same({ 1, nil, 3 }, results)
    assert.same({ [2] = { "mine" } }, problems)
  end)

  it("tells of a job that raised nil", function()
    local results, problems = request.pool({ at_once = 1 }).run({ 1 }, function()
      error(nil)
    end)
    assert.same({}, results)
    assert.equal("string", type(problems[1]))
  end)

  it("is cancelled: jobs that wait end, and other jobs do not begin", function()
    local pool, begun = request.pool { at_once = 2 }, 0
    local results, problems = pool.run({ 1, 2, 3, 4 }, function(item)
      begun = begun + 1
      if item == 2 then
        pool.sleep(0.01)
        pool.cancel "enough"
        return "last"
      end
      pool.sleep(60)
    end)
    assert.same({ [2] = "last" }, results)
    assert.same({ "enough", [3] = "enough", [4] = "enough" }, problems)
    assert.equal(2, begun)
    assert.same({ "x" }, (pool.run({ 1 }, function()
      return "x"
    end)))
  end)

  it("waits outside of its jobs, too", function()
    local pool, before = request.pool { at_once = 1 }, socket.gettime()
    pool.sleep(0.02)
    assert.is_true(socket.gettime() - before >= 0.015)
    local listener = assert(socket.bind("127.0.0.1", 0))
    assert.is_nil(pool.wait(listener, "r", 0.01))
    local client = socket.connect("127.0.0.1", (select(2, listener:getsockname())))
    assert.is_true(pool.wait(listener, "r", 1))
    client:close()
    listener:close()
  end)

  it("ends a job that yields by itself with a problem", function()
    local _, problems = request.pool({ at_once = 1 }).run({ 1 }, coroutine.yield)
    assert.truthy(problems[1]:find("the job yields by itself", 1, true), problems[1])
  end)

  for what, arguments in pairs {
    ["expected a table"] = { 5 },
    ["at_once: expected a finite number of at least 1, got 0"] = { { at_once = 0 } },
    ["at_once: expected a finite number of at least 1, got NaN"] = { { at_once = 0 / 0 } },
    ["at_once: expected a finite number of at least 1, got infinity"] = { { at_once = math.huge } },
    ["at_once: expected a number, got a nil"] = { {} },
    ['pool: there is no setting "pace"'] = { { at_once = 1, pace = 2 } },
    ['pool: there is no setting "atonce", is it "at_once"?'] = { { atonce = 2 } },
    ['pool: there is no setting "1"'] = { { 5 } },
  } do
    it("raises for what is wrong: " .. what, function()
      local ok, raised = pcall(request.pool, arguments[1])
      assert.falsy(ok)
      assert.truthy(raised:find(what, 1, true), raised)
    end)
  end

  for what, list in pairs {
    ["a hole"] = { missing = 2, 1, nil, 3 },
    ["a list without a first element"] = { missing = 1, [2] = 2 },
    ["an element before the first"] = { missing = 1, [0] = 0 },
    ["an element before the first, and a hole"] = { missing = 1, [0] = 0, [2] = 2 },
  } do
    it("raises for a list with " .. what .. ", and runs nothing", function()
      local begun = 0
      local ok, raised = pcall(request.pool({ at_once = 1 }).run, list, function()
        begun = begun + 1
      end)
      assert.is_false(ok)
      local said = "expected a list with the keys 1..n, got one without the key " .. list.missing
      assert.truthy(raised:find(said, 1, true), raised)
      assert.equal(0, begun)
    end)
  end

  it("says that there was no job for an element that a job has added after a hole", function()
    local list = { 1 }
    local results, problems = request.pool({ at_once = 1 }).run(list, function(item)
      list[4] = "late"
      return item
    end)
    assert.same({ 1 }, results)
    assert.same({ [4] = "endpoint.request: pool: a hole in the list is before it" }, problems)
  end)

  it("runs again after an error in the loop, such as that of Ctrl-C", function()
    local pool = request.pool { at_once = 1 }
    local select = socket.select
    socket.select = function() -- luacheck: ignore 122
      error("interrupted!", 0)
    end
    local _, raised = pcall(pool.run, { 1 }, function()
      pool.sleep(60)
    end)
    socket.select = select -- luacheck: ignore 122
    assert.equal("interrupted!", raised)
    assert.same({ "x" }, (pool.run({ 1 }, function()
      return "x"
    end)))
  end)

  it("runs again after an error while a job ran", function()
    local pool, resume = request.pool { at_once = 1 }, coroutine.resume
    coroutine.resume = function(...) -- luacheck: ignore 122
      resume(...)
      coroutine.resume = resume -- luacheck: ignore 122
      error("interrupted!", 0)
    end
    local _, raised = pcall(pool.run, { 1 }, type)
    coroutine.resume = resume -- luacheck: ignore 122
    assert.equal("interrupted!", raised)
    assert.same({ "x" }, (pool.run({ 1 }, function()
      return "x"
    end)))
  end)

  it("is not run by a job of its own", function()
    local pool = request.pool { at_once = 1 }
    local _, problems = pool.run({ 1 }, function()
      pool.run({ 2 }, type)
    end)
    assert.truthy(problems[1]:find("pool: it is already running", 1, true), problems[1])
  end)

  it("holds back the next call of a job that runs in a pause that the server asks for", function()
    local pool, times = request.pool { at_once = 2 }, {}
    local function client(r)
      local path = r.url:match "/(%a+)$"
      times[path] = times[path] or socket.gettime()
      if path == "first" and not times.refused then
        times.refused = socket.gettime()
        return 429, { ["retry-after"] = "0.4" }, ""
      end
      return 200, {}, ""
    end
    local api = endpoint.defaults { baseUrl = "http://h" }
    local send = request.new(api, { client = client, sleep = pool.sleep })
    local _, problems = pool.run({ "other", "first" }, function(name)
      if name == "other" then
        pool.sleep(0.05)
      end
      send("GET /" .. name)
    end)
    assert.same({}, problems)
    assert.is_true(times.other - times.refused > 0.35, times.other - times.refused)
  end)

  -- --- pauses that a server asks for

  -- Runs a job for each path, with senders whose requests go to `answer(path, count)`, which
  -- returns a status and headers. settings: of the senders. Returns the paths that were sent, and
  -- the problems as strings by path.
  local function run_jobs(paths, answer, settings, at_once)
    local pool, sent, counts = request.pool { at_once = at_once or 1 }, {}, {}
    local function client(r)
      local path = r.url:match "^http://(.*)$"
      sent[#sent + 1] = path
      counts[path] = (counts[path] or 0) + 1
      local status, headers = answer(path, counts[path])
      return status, headers or {}, ""
    end
    settings = settings or {}
    settings.client, settings.sleep = client, settings.sleep or pool.sleep
    local send = request.new(endpoint.defaults { baseUrl = "" }, settings)
    local _, problems = pool.run(paths, function(path)
      send("GET http://" .. path)
    end)
    local said = {}
    for i, problem in pairs(problems) do
      said[paths[i]] = tostring(problem)
    end
    return sent, said, pool
  end

  local LATER = "timeout: nothing was sent, since the server asks all to wait "

  -- what: how a server asks for an hour's pause. status, headers: its answer.
  for _, row in ipairs {
    { what = "429", status = 429, headers = { ["retry-after"] = "3600" } },
    { what = "503", status = 503, headers = { ["retry-after"] = "3600" } },
    { what = "403", status = 403, headers = { ["retry-after"] = "3600" } },
    { what = "milliseconds", status = 429, headers = { ["retry-after-ms"] = "3600000" } },
    {
      what = "a limit that is used up",
      status = 403,
      headers = {
        ["x-ratelimit-remaining"] = "0",
        ["x-ratelimit-reset"] = tostring(os.time() + 3600),
      },
    },
    { what = "429, to a call that is tried once", status = 429, tries = 1 },
    { what = "429, to a call that tries other statuses", status = 429, retry_on = { 500 } },
  } do
    it("sends nothing in a pause that is longer than a call's time: " .. row.what, function()
      local sent, said = run_jobs({ "h/1", "h/2", "H:80/3" }, function()
        return row.status, row.headers or { ["retry-after"] = "3600" }
      end, { tries = row.tries, retry_on = row.retry_on })
      assert.same({ "h/1" }, sent)
      assert.truthy(said["h/1"]:find("the server answers " .. row.status, 1, true), said["h/1"])
      for _, path in ipairs { "h/2", "H:80/3" } do
        assert.truthy(said[path]:find(LATER, 1, true), said[path])
        assert.truthy(said[path]:find "s more, and the call has [%d.]+ s left", said[path])
      end
    end)
  end

  it("gives a call that is not sent in a pause the reason of a time limit", function()
    local pool = request.pool { at_once = 1 }
    local function client()
      return 429, { ["retry-after"] = "3600" }, ""
    end
    local send = request.new(endpoint, { client = client, sleep = pool.sleep })
    local _, problems = pool.run({ 1, 2 }, function()
      send "GET /x"
    end)
    assert.equal("status", problems[1].reason)
    assert.equal("timeout", problems[2].reason)
    assert.is_nil(problems[2].status)
  end)

  for what, row in pairs {
    ["another origin"] = { path = "other/2" },
    ["another port"] = { path = "h:81/2" },
    ["a status that is not of the whole server"] = { path = "h/2", status = 404 },
    ["403 that asks for nothing"] = { path = "h/2", status = 403, headers = {} },
    ["a limit with requests left"] = {
      path = "h/2",
      status = 403,
      headers = { ["x-ratelimit-remaining"] = "1", ["x-ratelimit-reset"] = "3600" },
    },
  } do
    it("keeps no pause of all for " .. what, function()
      local sent = run_jobs({ "h/1", row.path }, function(path)
        if path == "h/1" then
          return row.status or 429, row.headers or { ["retry-after"] = "3600" }
        end
        return 200
      end)
      assert.same({ "h/1", row.path }, sent)
    end)
  end

  it("keeps a pause that the answer to a request of a hook asks for", function()
    local pool, sent = request.pool { at_once = 1 }, 0
    local function client()
      sent = sent + 1
      return 429, { ["retry-after"] = "3600" }, ""
    end
    local function around(r, send)
      send(r)
      return { status = 200 }
    end
    local send = request.new(endpoint, { client = client, sleep = pool.sleep, around = around })
    pool.run({ 1, 2, 3 }, function()
      send "GET /x"
    end)
    assert.equal(1, sent)
  end)

  it("keeps a pause by a sleep in a function of the program's own", function()
    local slept, pool = 0, nil
    local function sleep(seconds)
      slept = slept + 1
      pool.sleep(seconds)
    end
    pool = request.pool { at_once = 2 }
    local times = {}
    local function client(r)
      times[#times + 1] = { r.url:match "%a+$", socket.gettime() }
      if #times == 1 then
        return 429, { ["retry-after"] = "0.3" }, ""
      end
      return 200, {}, ""
    end
    local send = request.new(endpoint, { client = client, sleep = sleep })
    local _, problems = pool.run({ "first", "second" }, function(name)
      coroutine.wrap(function() -- a coroutine within the job
        send("GET /{name}", { name = name, request = { tries = name == "first" and 1 or nil } })
      end)()
    end)
    assert.equal("second", times[2][1])
    assert.is_true(times[2][2] - times[1][2] > 0.25)
    assert.is_nil(problems[2])
    assert.equal(1, slept)
  end)

  -- --- the clock

  local OK = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok"
  local LATER_BY_A_SECOND =
    "HTTP/1.1 429 X\r\nretry-after: 1\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"

  -- step: what the time of day is set forward by while two jobs wait; nothing may come of it.
  for _, step in ipairs { 3600, -5 } do
    it(
      ("waits by the clock of the setting now while another is set by %d s"):format(step),
      function()
        local real, offset = socket.gettime, 0
        socket.gettime = function() -- luacheck: ignore 122
          return real() + offset
        end
        local pool, tries = request.pool { at_once = 2 }, 0
        local listener = assert(socket.bind("127.0.0.1", 0))
        local api = endpoint.defaults {
          baseUrl = "http://127.0.0.1:" .. select(2, listener:getsockname()),
        }
        local settings = { wait = pool.wait, sleep = pool.sleep, now = real, timeout = 20 }
        local send, before = request.new(api, settings), real()
        local function serve()
          listener:settimeout(0)
          for number = 1, 2 do
            local one
            repeat
              pool.sleep(0.02)
              one = listener:accept()
            until one
            pool.sleep(0.1)
            offset = number == 1 and step or offset
            pool.sleep(0.1)
            one:settimeout(5)
            one:receive()
            one:send(number == 1 and LATER_BY_A_SECOND or OK)
            one:close()
          end
        end
        local results, problems = pool.run({ "client", "server" }, function(job)
          if job == "server" then
            return serve()
          end
          return send("GET /x", {
            request = {
              log = function(entry)
                tries = tries + (entry.reason and 0 or 1)
              end,
            },
          })
        end)
        local took = real() - before
        socket.gettime = real -- luacheck: ignore 122
        listener:close()
        assert.same({ {}, "ok", 2 }, { problems, results[1], tries })
        assert.is_true(took > 1 and took < 4, took)
      end
    )
  end

  -- Asks a server, which is a job as well, for each of so many items; it answers when as many are
  -- there as `together` says. repeated: how many are asked twice. Returns what the pool gives, and
  -- how long it took.
  local function ask(count, at_once, together, answer, settings, repeated)
    local pool = request.pool { at_once = at_once + 1 }
    local listener = assert(socket.bind("127.0.0.1", 0, 2048))
    listener:settimeout(0)
    local api = endpoint.defaults {
      baseUrl = "http://127.0.0.1:" .. select(2, listener:getsockname()),
    }
    settings = settings or {}
    settings.wait, settings.sleep = pool.wait, pool.sleep
    settings.timeout, settings.connect_timeout = 600, 300 -- for a machine with much other work
    local send, list, here, asked = request.new(api, settings), { 0 }, {}, 0
    for i = 1, count do
      list[i + 1] = i
    end
    local function serve()
      while asked < count + (repeated or 0) do
        pool.wait(listener, "r", 60)
        local client = listener:accept()
        while client do
          here[#here + 1] = client
          client = listener:accept()
        end
        for _, one in ipairs(#here >= together and here or {}) do
          asked = asked + 1
          pool.wait(one, "r", 60)
          one:settimeout(60)
          repeat
            local line = one:receive()
          until line == "" or not line
          one:send(answer(asked))
          one:close()
        end
        here = #here >= together and {} or here
      end
    end
    local before = socket.gettime()
    local results, problems = pool.run(list, function(item)
      if item == 0 then
        return serve()
      end
      return send("GET /x", { n = item })
    end)
    listener:close()
    return results, problems, socket.gettime() - before
  end

  local function ok()
    return OK
  end

  it("sends at once as many as it may", function()
    local results, problems = ask(40, 20, 20, ok)
    assert.same({}, problems)
    for i = 2, 41 do
      assert.equal("ok", results[i])
    end
  end)

  it("waits until a socket can be written, and then until it can be read", function()
    local directions = {}
    local pool = request.pool { at_once = 2 }
    local function wait(socket_, direction, seconds)
      directions[#directions + 1] = direction
      return pool.wait(socket_, direction, seconds)
    end
    local listener = assert(socket.bind("127.0.0.1", 0))
    local port = select(2, listener:getsockname())
    local api = endpoint.defaults { baseUrl = "http://127.0.0.1:" .. port }
    local send = request.new(api, { wait = wait, sleep = pool.sleep })
    local _, problems = pool.run({ "client", "server" }, function(job)
      if job == "client" then
        return send "GET /x"
      end
      pool.wait(listener, "r", 60)
      local client = listener:accept()
      pool.sleep(0.05) -- until the client waits for the answer
      client:settimeout(60)
      client:receive()
      client:send(ok())
      client:close()
    end)
    listener:close()
    assert.same({}, problems)
    assert.equal("w", directions[1])
    assert.equal("r", directions[#directions])
  end)

  it("waits with further jobs until the end of a pause that the server asks for", function()
    local begun = {}
    local _, problems = ask(4, 2, 1, function(asked)
      begun[asked] = socket.gettime()
      return asked == 1 and LATER_BY_A_SECOND or OK
    end, {}, 1)
    assert.same({}, problems)
    for asked = 3, 5 do -- the second was begun with the first
      local waited = begun[asked] - begun[1]
      assert.is_true(waited > 0.9, ("job %d begins after %.3f s"):format(asked, waited))
    end
  end)

  it("takes 1,100 jobs at once without an error of select", function()
    local results, problems = ask(1100, 1100, 1, ok)
    assert.same({}, problems)
    assert.equal("ok", results[1101])
  end)

  it("waits for sockets whose descriptors select does not take", function()
    local held = {}
    for i = 1, 1100 do
      held[i] = io.open "README.md"
    end
    if not held[1100] then
      pending "this process may not open 1,100 files"
      return
    end
    local results, problems = ask(50, 50, 10, ok)
    for _, file in ipairs(held) do
      file:close()
    end
    assert.same({}, problems)
    assert.equal("ok", results[51])
  end)
end)

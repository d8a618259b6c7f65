-- request.token: a hook that fetches a token once for all who wait for it, renews it before it ends
-- and after a refusal, and shares it by a store. tokens_wire_spec.lua has it in nginx's workers.
local endpoint = require "endpoint"
local request = require "endpoint.request"
local support = require "support"

-- The time, which sleeping lets go on.
local clock
local function now()
  return clock
end

-- What the API is sent, and how it answers: a function of the token.
local seen, status_for
local function api_client(r)
  seen[#seen + 1] = r.headers.authorization or "none"
  return status_for(r.headers.authorization), {}, "you sent " .. tostring(r.headers.authorization)
end

local api = endpoint.defaults { baseUrl = "http://h" }

-- A sender with a hook of these settings, and the tokens t1, t2 ... of so many seconds.
local fetched
local function sender_of(given, settings)
  given.now = now
  given.fetch = given.fetch
    or function()
      fetched = fetched + 1
      return "t" .. fetched, 10
    end
  local all = {
    client = api_client,
    now = now,
    sleep = function(seconds)
      clock = clock + seconds
    end,
    around = request.token(given),
  }
  for name, value in pairs(settings or {}) do
    all[name] = value
  end
  return request.new(api, all)
end

local function message_of(...)
  local ok, failure = pcall(...)
  assert(not ok, "expected an error, got a result")
  return type(failure) == "table" and failure.message or failure, failure
end

-- A store such as nginx's dictionaries, which two hooks may have.
local function new_store()
  local store, values = { calls = {} }, {}
  local function get(key)
    local kept = values[key]
    return kept and clock < kept.ends and kept.value or nil
  end
  function store.get(_, key)
    return get(key)
  end
  function store.set(_, key, value, seconds)
    assert(type(value) == "string" and seconds > 0 and seconds < math.huge)
    values[key] = { value = value, ends = clock + seconds }
    return true
  end
  function store:add(key, value, seconds)
    if get(key) then
      return false, "exists"
    end
    return self:set(key, value, seconds)
  end
  function store.delete(_, key)
    values[key] = nil
  end
  store.values = values
  return store
end

describe("request.token", function()
  before_each(function()
    clock, fetched, seen = 1000, 0, {}
    function status_for()
      return 200
    end
  end)

  it("fetches a token for the first call, and not for the next", function()
    local send = sender_of {}
    send "GET /x"
    send "GET /x"
    assert.same({ "Bearer t1", "Bearer t1" }, seen)
    assert.equal(1, fetched)
  end)

  it("writes another header in another form", function()
    local sent
    local send = sender_of({ header = "X-Key", form = "token %s." }, {
      client = function(r)
        sent = r.headers["x-key"]
        return 200, {}, ""
      end,
    })
    send "GET /x"
    assert.equal("token t1.", sent)
  end)

  it("writes a token with a percent sign as it is", function()
    local send = sender_of {
      fetch = function()
        return "a%1b%%", 10
      end,
    }
    send "GET /x"
    assert.same({ "Bearer a%1b%%" }, seen)
  end)

  -- after: seconds after the fetch. count: of fetches then. before: the setting.
  for _, row in ipairs {
    { after = 8.9, count = 1 },
    { after = 9.1, count = 2 },
    { after = 10, count = 2 },
    { after = 6.9, count = 1, before = 3 },
    { after = 7.1, count = 2, before = 3 },
    { after = 4.9, count = 1, before = 99 },
    { after = 5.1, count = 2, before = 99 },
    { after = 9.9, count = 1, before = 0 },
  } do
    local title = "has fetched %d times %.1f s after a token of 10 s, with before = %s"
    it(title:format(row.count, row.after, tostring(row.before)), function()
      local send = sender_of { before = row.before }
      send "GET /x"
      clock = clock + row.after
      send "GET /x"
      assert.equal(row.count, fetched)
    end)
  end

  it("counts the seconds from before the fetch", function()
    local send = sender_of {
      fetch = function()
        fetched, clock = fetched + 1, clock + 6
        return "t" .. fetched, 10
      end,
    }
    send "GET /x"
    clock = clock + 4
    send "GET /x"
    assert.equal(2, fetched)
  end)

  for title, seconds in pairs {
    ["without seconds"] = false,
    ["whose seconds are null"] = endpoint.null,
  } do
    it(("keeps a token %s for a day"):format(title), function()
      local send = sender_of {
        fetch = function()
          fetched = fetched + 1
          return "t" .. fetched, seconds or nil
        end,
      }
      send "GET /x"
      clock = clock + 86000
      send "GET /x"
      assert.equal(1, fetched)
      clock = clock + 401
      send "GET /x"
      assert.equal(2, fetched)
    end)
  end

  it("takes seconds that are a text of digits", function()
    local send = sender_of {
      fetch = function()
        fetched = fetched + 1
        return "t" .. fetched, "10"
      end,
    }
    send "GET /x"
    clock = clock + 11
    send "GET /x"
    assert.equal(2, fetched)
  end)

  for _, seconds in ipairs { math.huge, 1e300 } do
    it(("keeps a token of %g seconds"):format(seconds), function()
      local send = sender_of {
        store = new_store(),
        key = "k",
        fetch = function()
          fetched = fetched + 1
          return "t" .. fetched, seconds
        end,
      }
      send "GET /x"
      clock = clock + 1e6
      send "GET /x"
      assert.equal(1, fetched)
    end)
  end

  it("says at once that the function fetch needs the token that it fetches", function()
    local send
    send = sender_of {
      fetch = function()
        return send "POST /token", 10
      end,
    }
    local said = message_of(send, "GET /x")
    local expected = "endpoint.request: fetch: expected a request without the token that it fetches"
    assert.equal(expected, (said:gsub("^.-:%d+: ", "", 1)))
    assert.equal(1000, clock)
  end)

  it("sends a token of 0 seconds once", function()
    local send = sender_of {
      fetch = function()
        fetched = fetched + 1
        return "t" .. fetched, 0
      end,
    }
    send "GET /x"
    send "GET /x"
    assert.same({ "Bearer t1", "Bearer t2" }, seen)
  end)
end)

describe("after 401, request.token", function()
  before_each(function()
    clock, fetched, seen = 1000, 0, {}
    function status_for(authorization)
      return authorization == "Bearer t2" and 200 or 401
    end
  end)

  it("fetches another token, and sends again", function()
    local _, response = sender_of {} "GET /x"
    assert.equal(200, response.status)
    assert.same({ "Bearer t1", "Bearer t2" }, seen)
  end)

  it("sends a body again", function()
    local _, response = sender_of {}("POST /x", { data = "b" })
    assert.equal(200, response.status)
  end)

  it("does not send a stream again, but has another token for the next call", function()
    local send = sender_of {}
    local said = message_of(send, "POST /x", { data = function() end })
    assert.equal("POST /x: the server answers 401", said)
    assert.equal(200, select(2, send "GET /x").status)
    assert.same({ "Bearer t1", "Bearer t2" }, seen)
  end)

  it("takes the token that another call has fetched", function()
    local send = sender_of {}
    local inner
    function status_for(authorization)
      if authorization == "Bearer t1" and not inner then
        inner = true
        send "GET /inner"
      end
      return authorization == "Bearer t2" and 200 or 401
    end
    send "GET /x"
    assert.equal(2, fetched)
  end)

  it("gives up after the second 401, and fetches no other for 5 s", function()
    function status_for()
      return 401
    end
    local send = sender_of {}
    for _ = 1, 5 do
      assert.equal("GET /x: the server answers 401", (message_of(send, "GET /x")))
    end
    assert.equal(2, fetched)
    clock = clock + 5.1
    message_of(send, "GET /x")
    assert.equal(3, fetched)
  end)

  it("masks the token in what the server says, whatever the header is called", function()
    local send = sender_of({ header = "x-thing" }, {
      client = function(r)
        local json = '{"message": "no %s"}'
        return 403, { ["content-type"] = "application/json" }, json:format(r.headers["x-thing"])
      end,
      fetch = nil,
    })
    local said = message_of(send, "GET /x")
    assert.equal("GET /x: the server answers 403: no Bearer t1", said) -- 2 bytes are no secret
    send = sender_of({
      header = "x-thing",
      fetch = function()
        return "s3cr3t-t0ken", 9
      end,
    }, {
      client = function(r)
        local json = '{"message": "no %s"}'
        return 403, { ["content-type"] = "application/json" }, json:format(r.headers["x-thing"])
      end,
    })
    assert.equal("GET /x: the server answers 403: no Bearer ***", (message_of(send, "GET /x")))
  end)
end)

-- --- fetches that fail ----------------------------------------------------------------

describe("a fetch that fails", function()
  local refuse, authority
  before_each(function()
    clock, fetched, seen = 1000, 0, {}
    function status_for()
      return 200
    end
    refuse = true
    authority = request.new(api, {
      tries = 1,
      client = function()
        fetched = fetched + 1
        if refuse then
          local reason = '{"error_description": "bad client"}'
          return 400, { ["content-type"] = "application/json" }, reason
        end
        return 200, {}, "t" .. fetched
      end,
    })
  end)

  local function fetch()
    local body = authority "POST /token"
    return body, 10
  end

  it("is told as such, with the reason token", function()
    local said, failure = message_of(sender_of { fetch = fetch }, "GET /x")
    local expected = "GET /x: token: POST /token: the server answers 400: bad client"
    assert.equal(expected, said)
    assert.equal("token", failure.reason)
    assert.same({}, seen)
  end)

  it("is not tried again at once, and then after pauses that are doubled, up to 30 s", function()
    local send, at = sender_of { fetch = fetch }, {}
    for _ = 1, 1200 do
      local before = fetched
      message_of(send, "GET /x")
      if fetched > before then
        at[#at + 1] = clock - 1000
      end
      clock = clock + 0.125
    end
    assert.same({ 0, 1, 3, 7, 15, 31, 61, 91, 121 }, at)
  end)

  it("is tried again when its server says", function()
    local answers = request.new(api, {
      tries = 1,
      client = function()
        fetched = fetched + 1
        return 429, { ["retry-after"] = "20" }, ""
      end,
    })
    local send = sender_of {
      fetch = function()
        return (answers "POST /token")
      end,
    }
    message_of(send, "GET /x")
    clock = clock + 19.9
    message_of(send, "GET /x")
    assert.equal(1, fetched)
    clock = clock + 0.2
    message_of(send, "GET /x")
    assert.equal(2, fetched)
  end)

  it("is forgotten after a success", function()
    local send = sender_of { fetch = fetch }
    message_of(send, "GET /x")
    refuse, clock = false, clock + 1
    send "GET /x"
    assert.same({ "Bearer t2" }, seen)
  end)

  it("before the end of a token leaves that in use", function()
    local send = sender_of { fetch = fetch }
    refuse = false
    send "GET /x"
    refuse, clock = true, clock + 9.5
    send "GET /x"
    send "GET /x"
    assert.same({ "Bearer t1", "Bearer t1", "Bearer t1" }, seen)
    assert.equal(2, fetched)
  end)

  -- What fetch returns: title, a list, and what is told.
  for _, row in ipairs {
    { "nothing", {}, "expected a token, a string, got a nil" },
    { "a number", { 7 }, "expected a token, a string, got a number" },
    { "an empty string", { "" }, "expected a token, got a string that cannot be sent" },
    { "a line end", { "a\r\nb: c" }, "expected a token, got a string that cannot be sent" },
    { "no seconds", { "a", {} }, "expected the seconds that the token is valid, a number" },
    { "NaN", { "a", 0 / 0 }, "expected the seconds that the token is valid, a number" },
    { "less than 0", { "a", -1 }, "expected the seconds that the token is valid, a number" },
    { "nil and a message", { nil, "no net" }, "no net" },
    { "nil and a table", { nil, {} }, "a table instead of a message" },
  } do
    it("is one that returns " .. row[1], function()
      local send = sender_of {
        fetch = function()
          return row[2][1], row[2][2]
        end,
      }
      assert.equal("GET /x: token: " .. row[3], (message_of(send, "GET /x")))
    end)
  end

  it("by an error of the program raises that, and then tells of it without its words", function()
    local send = sender_of {
      fetch = function()
        error("my secret bug", 0)
      end,
    }
    assert.equal("my secret bug", (message_of(send, "GET /x")))
    local said = message_of(send, "GET /x")
    assert.equal("GET /x: token: the function fetch raised an error", said)
  end)

  it("for the time of its call does not count for the next call", function()
    local send = sender_of({
      fetch = function()
        fetched = fetched + 1
        if fetched == 1 then
          clock = clock + 2
          return nil, "late"
        end
        return "t", 10
      end,
    }, { timeout = 1 })
    message_of(send, "GET /x")
    send "GET /x"
    assert.same({ "Bearer t" }, seen)
  end)

  it("has fetch_timeout for its calls", function()
    local left
    local slow = request.new(api, {
      client = function(_, settings)
        left = settings.timeout
        return 200, {}, "t"
      end,
      now = now,
    })
    sender_of {
      fetch_timeout = 3,
      fetch = function()
        return (slow "POST /token")
      end,
    } "GET /x"
    assert.equal(3, left)
  end)
end)

-- --- many at once ---------------------------------------------------------------------

-- In Lua 5.1 no coroutine can be left within pcall.
local can_yield = coroutine.resume(coroutine.create(function()
  pcall(coroutine.yield)
end)) and _VERSION ~= "Lua 5.1" or rawget(_G, "jit") ~= nil

-- Runs functions at once: each sleeps by leaving its coroutine. Returns how each ended.
local function at_once(functions)
  local tasks, results = {}, {}
  for number, f in ipairs(functions) do
    tasks[number] = { co = coroutine.create(f), ends = clock }
  end
  while next(tasks) do
    for number, task in pairs(tasks) do
      if clock >= task.ends then
        local ok, value = coroutine.resume(task.co)
        if coroutine.status(task.co) == "dead" then
          tasks[number], results[number] = nil, ok and (value or true) or tostring(value)
        else
          task.ends = clock + value
        end
      end
    end
    clock = clock + 0.001
  end
  return results
end

describe("of calls at once", function()
  local function sleep(seconds)
    coroutine.yield(seconds)
  end

  before_each(function()
    clock, fetched, seen = 1000, 0, {}
    function status_for()
      return 200
    end
  end)

  local function slow_fetch()
    fetched = fetched + 1
    local number = fetched
    sleep(0.5)
    return "t" .. number, 10
  end

  -- An `it` for where a coroutine can be left.
  local function it_yields(title, f)
    it(title, can_yield and f or function()
      pending "in this Lua no coroutine can be left within pcall"
    end)
  end

  it_yields("one fetches, and the others wait", function()
    local send = sender_of({ fetch = slow_fetch }, { sleep = sleep })
    local list = {}
    for number = 1, 50 do
      list[number] = function()
        send "GET /x"
      end
    end
    at_once(list)
    assert.equal(1, fetched)
    assert.equal(50, #seen)
  end)

  it_yields("of two hooks with one store and key one fetches", function()
    local store, list = new_store(), {}
    for number = 1, 20 do
      local given = { fetch = slow_fetch, store = store, key = "tenant " .. number % 2 }
      local send = sender_of(given, { sleep = sleep })
      list[number] = function()
        send "GET /x"
      end
    end
    at_once(list)
    assert.equal(2, fetched)
    assert.equal(20, #seen)
  end)

  it_yields("a fetch that fails is told to all, and was tried once", function()
    local send = sender_of({
      fetch = function()
        fetched = fetched + 1
        sleep(0.5)
        return nil, "down"
      end,
    }, { sleep = sleep })
    local list = {}
    for number = 1, 20 do
      list[number] = function()
        return (message_of(send, "GET /x"))
      end
    end
    for _, said in ipairs(at_once(list)) do
      assert.equal("GET /x: token: down", said)
    end
    assert.equal(1, fetched)
  end)

  it_yields("two with the same old token fetch once after 401", function()
    function status_for(authorization)
      sleep(0.01)
      return authorization == "Bearer t1" and 401 or 200
    end
    local send = sender_of({ fetch = slow_fetch }, { sleep = sleep })
    local list = {}
    for number = 1, 20 do
      list[number] = function()
        send "GET /x"
      end
    end
    at_once(list)
    assert.equal(2, fetched)
  end)

  it_yields("the others use a token that ends soon while one renews it", function()
    local send = sender_of({ fetch = slow_fetch }, { sleep = sleep })
    at_once {
      function()
        send "GET /x"
      end,
    }
    clock, seen = clock + 9.1, {}
    local function call()
      send "GET /x"
    end
    at_once { call, call, call }
    table.sort(seen)
    assert.same({ "Bearer t1", "Bearer t1", "Bearer t2" }, seen)
  end)

  it_yields("one that never comes back holds up the others for fetch_timeout", function()
    local send = sender_of({
      fetch_timeout = 2,
      fetch = function()
        fetched = fetched + 1
        if fetched == 1 then
          sleep(math.huge)
        end
        return "t", 10
      end,
    }, { sleep = sleep })
    local dead = coroutine.create(function()
      send "GET /x"
    end)
    coroutine.resume(dead)
    local began = clock
    at_once {
      function()
        send "GET /x"
      end,
    }
    assert.is_true(clock - began >= 1.9 and clock - began < 2.2, clock - began)
  end)

  it_yields("one whose time is over says so", function()
    local send = sender_of({ fetch = slow_fetch }, { sleep = sleep, timeout = 0.2 })
    local said = at_once {
      function()
        pcall(send, "GET /x")
      end,
      function()
        return (message_of(send, "GET /x"))
      end,
    }
    local expected = "GET /x: token: another call fetches one, and the time of this call is over"
    assert.equal(expected, said[2])
  end)
end)

-- --- stores ---------------------------------------------------------------------------

describe("a store of request.token", function()
  before_each(function()
    clock, fetched, seen = 1000, 0, {}
    function status_for()
      return 200
    end
  end)

  it("has the token for another hook", function()
    local store = new_store()
    sender_of { store = store, key = "k" } "GET /x"
    sender_of { store = store, key = "k" } "GET /x"
    assert.same({ "Bearer t1", "Bearer t1" }, seen)
  end)

  it("keeps tokens of other keys apart", function()
    local store = new_store()
    sender_of { store = store, key = "k" } "GET /x"
    sender_of { store = store, key = "l" } "GET /x"
    assert.same({ "Bearer t1", "Bearer t2" }, seen)
  end)

  it("that is full does not make each call fetch", function()
    local store = new_store()
    function store.set()
      return nil, "no memory"
    end
    function store.add()
      return nil, "no memory"
    end
    local send = sender_of { store = store, key = "k" }
    send "GET /x"
    send "GET /x"
    assert.same({ "Bearer t1", "Bearer t1" }, seen)
  end)

  it("with strange values is as one without any", function()
    local store = new_store()
    local send = sender_of { store = store, key = "k" }
    for number, value in ipairs { "", "x", "1 2", "9e9 9e9\nt", ("9"):rep(400) .. " 1 t" } do
      store:set("k", value, 10)
      send "GET /x"
      assert.equal("Bearer t" .. number, seen[number])
    end
  end)

  it("may return null for nothing, as clients of Redis do", function()
    local store = new_store()
    local get, add = store.get, store.add
    function store.get(...)
      return get(...) or endpoint.null
    end
    function store.add(...)
      return add(...) or endpoint.null
    end
    store:set("k lock", "1", 3)
    status_for = function(authorization)
      return authorization == "Bearer t1" and 401 or 200
    end
    sender_of { store = store, key = "k" } "GET /x"
    assert.same({ "Bearer t1", "Bearer t2" }, seen)
    assert.is_true(clock >= 1003)
  end)

  it("that raises an error raises it to the caller", function()
    local store = new_store()
    function store.get()
      error("no net", 0)
    end
    assert.equal("no net", (message_of(sender_of { store = store, key = "k" }, "GET /x")))
  end)
end)

-- --- mistakes -------------------------------------------------------------------------

-- What request.token refuses: the settings, and what is said.
local function fetch()
  return "t"
end
local MISTAKES = {
  { {}, "token: expected the setting fetch, which is missing" },
  { { fetch = "t" }, "fetch: expected a function, got a string" },
  { { fetch = fetch, befor = 1 }, 'token: there is no setting "befor", is it "before"?' },
  { { fetch = fetch, store = {} }, "store: needs the setting key, which names the token in it" },
  {
    { fetch = fetch, store = {}, key = "k" },
    "store: expected the method get, got a nil",
  },
  { { fetch = fetch, before = -1 }, "before: expected a number of at least 0, got -1" },
  { { fetch = fetch, form = "x" }, "form: expected a text with one %s, where the token stands" },
  { { fetch = fetch, form = "%s%s" }, "form: expected a text with one %s, where the token stands" },
  {
    { fetch = fetch, form = "a\r\nb: %s" },
    "form: expected a text with one %s, where the token stands",
  },
  { { fetch = fetch, header = "a b" }, "header: expected the name of a header" },
  {
    { fetch = fetch, fetch_timeout = 0 },
    "fetch_timeout: expected a number of at least 0.001, got 0",
  },
  {
    { fetch = fetch, fetch_timeout = math.huge },
    "fetch_timeout: expected a finite number, got infinity",
  },
}

describe("a mistake of request.token", function()
  for _, row in ipairs(MISTAKES) do
    it("is refused: " .. row[2], function()
      local said = message_of(request.token, row[1])
      assert.equal("endpoint.request: " .. row[2], (said:gsub("^.-:%d+: ", "", 1)))
    end)
  end

  it("is refused: a hook that is not one", function()
    local said = message_of(request.token { fetch = fetch }, { headers = {} }, fetch)
    support.holds(said:find("token: it is for the setting around", 1, true), said)
  end)
end)

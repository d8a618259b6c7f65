-- request.cache: a private cache for GET (RFC 9111).
local endpoint = require "endpoint"
local request = require "endpoint.request"
local support = require "support"

local clock, seen, answer

local function now()
  return clock
end

-- A sender with a cache, whose server answers with answer(r).
local function sender_of(given, settings)
  given = given or {}
  given.now = now
  local all = {
    tries = 1,
    around = request.cache(given),
    client = function(r)
      seen[#seen + 1] = r
      local status, headers, body = answer(r)
      return status, headers, body or ("body " .. #seen)
    end,
  }
  for name, value in pairs(settings or {}) do
    all[name] = value
  end
  return request.new(endpoint.defaults { baseUrl = "http://h" }, all)
end

describe("request.cache", function()
  local headers
  before_each(function()
    clock, seen, headers = 1000, {}, {}
    function answer()
      return 200, headers
    end
  end)

  -- How often two calls are sent, so many seconds after one another.
  local function sent(seconds, options, second)
    local send = sender_of()
    pcall(send, "GET /x", options)
    clock = clock + (seconds or 0)
    pcall(send, "GET /x", second or options)
    return #seen
  end

  -- fields: of the response. fresh: seconds after which it is still served; nil if it never is.
  for _, row in ipairs {
    { fields = { ["cache-control"] = "max-age=60" }, fresh = 59 },
    { fields = { ["cache-control"] = 'private, MAX-AGE="60"' }, fresh = 59 },
    { fields = { ["cache-control"] = "max-age=60", age = "50" }, fresh = 9 },
    { fields = { ["cache-control"] = "max-age=60", age = "50, 1" }, fresh = 9 },
    { fields = { ["cache-control"] = "max-age=60, max-age=60" }, fresh = 59 },
    { fields = { ["cache-control"] = "max-age=60, max-age=0" } },
    { fields = { ["cache-control"] = 'private="a, max-age=60"' } },
    { fields = { ["cache-control"] = "max-age=60, no-cache" } },
    { fields = { ["cache-control"] = "max-age=60, no-store" } },
    { fields = { ["cache-control"] = "max-age=x" } },
    { fields = { ["cache-control"] = "max-age=-1" } },
    { fields = { ["cache-control"] = "s-maxage=60" } },
    { fields = { ["cache-control"] = "max-age=60", vary = "*" } },
    { fields = { ["cache-control"] = "max-age=60", vary = "accept-language, x-a" }, fresh = 59 },
    { fields = { ["cache-control"] = "max-age=60", ["set-cookie"] = "a=b" } },
    { fields = {} },
    { fields = { etag = '"1"' } },
  } do
    local shown = {}
    for _, name in ipairs(support.keys(row.fields)) do
      shown[#shown + 1] = name .. ": " .. row.fields[name]
    end
    local title = "serves a response with { %s } %s"
    local fate = row.fresh and ("for %d s"):format(row.fresh) or "never without asking"
    it(title:format(table.concat(shown, "; "), fate), function()
      headers = row.fields
      assert.equal(row.fresh and 1 or 2, sent(row.fresh))
      if row.fresh then
        seen = {}
        assert.equal(2, sent(row.fresh + 2))
      end
    end)
  end

  for name, value in pairs { etag = '"1"', ["last-modified"] = "Sat, 29 Oct 1994 19:43:31 GMT" } do
    it(("asks with the field %s, and serves what is kept after 304"):format(name), function()
      function answer(r)
        local asked = r.headers["if-none-match"] or r.headers["if-modified-since"]
        if asked then
          return 304, { [name] = value, ["x-new"] = "n" }, ""
        end
        return 200, { [name] = value, ["content-type"] = "text/x" }
      end
      local send = sender_of()
      send "GET /x"
      local body, response = send "GET /x"
      assert.equal("body 1", body)
      assert.equal(200, response.status)
      assert.equal("n", response.headers["x-new"])
      assert.equal("text/x", response.headers["content-type"])
      assert.equal(2, #seen)
    end)
  end

  it("sums up the age that a response had, and forgets it after a 304", function()
    function answer(r)
      if r.headers["if-none-match"] then
        return 304, { ["cache-control"] = "max-age=60" }, ""
      end
      return 200, { ["cache-control"] = "max-age=60", age = "50", etag = '"1"' }
    end
    local send = sender_of()
    send "GET /x"
    clock = clock + 7
    assert.equal("57", select(2, send "GET /x").headers.age)
    clock = clock + 7
    assert.is_nil(select(2, send "GET /x").headers.age)
    clock = clock + 59
    send "GET /x"
    assert.equal(2, #seen)
  end)

  it("reads the body as it was, whatever type and length the 304 has", function()
    function answer(r)
      if r.headers["if-none-match"] then
        return 304, { ["content-type"] = "text/html", ["transfer-encoding"] = "chunked" }, ""
      end
      return 200, { etag = '"1"', ["content-type"] = "application/json" }, '{"a": "b"}'
    end
    local send = sender_of()
    send "GET /x"
    local body, response = send "GET /x"
    assert.equal("b", body.a)
    assert.is_nil(response.headers["transfer-encoding"])
  end)

  it("asks for all of it where the 304 speaks of another response", function()
    function answer(r)
      if r.headers["if-none-match"] then
        return 304, { etag = '"2"' }, ""
      end
      return 200, { etag = '"1"' }
    end
    local send = sender_of()
    send "GET /x"
    assert.equal("body 3", (send "GET /x"))
    assert.is_nil(seen[3].headers["if-none-match"])
  end)

  it("takes a weak tag in a 304 for that of the response", function()
    function answer(r)
      if r.headers["if-none-match"] then
        return 304, { etag = 'W/"1"' }, ""
      end
      return 200, { etag = '"1"' }
    end
    local send = sender_of()
    send "GET /x"
    assert.equal("body 1", (send "GET /x"))
  end)

  it("serves nothing anew that a 304 says is not to be stored", function()
    function answer(r)
      if r.headers["if-none-match"] then
        return 304, { ["cache-control"] = "max-age=60, no-store" }, ""
      end
      return 200, { etag = '"1"' }
    end
    local send = sender_of()
    for _ = 1, 3 do
      send "GET /x"
    end
    assert.equal(3, #seen)
  end)

  it("does not serve what was asked for before a write ended", function()
    local send = sender_of()
    function answer()
      clock = clock + 1
      if #seen == 1 then
        send "PUT /x"
        clock = clock + 1
      end
      return 200, { ["cache-control"] = "max-age=60" }
    end
    send "GET /x"
    assert.equal("body 3", (send "GET /x"))
  end)

  it("serves nothing of before a write after its note is gone from the store", function()
    headers = { ["cache-control"] = "max-age=600" }
    local send = sender_of {
      store = require("endpoint.request.tokens.memory").new(function()
        return clock
      end),
      keeps = 5,
    }
    send "GET /x"
    clock = clock + 1
    send "PUT /x"
    clock = clock + 5
    assert.equal("body 3", (send "GET /x"))
  end)

  for _, row in ipairs {
    { name = "certificate", first = "LICENSE", second = "README.md" },
    { name = "socket_path", first = "/a", second = "/b" },
  } do
    it("keeps senders with another apart: " .. row.name, function()
      headers = { ["cache-control"] = "max-age=60" }
      local values = {}
      local store = {
        get = function(_, key)
          return values[key]
        end,
        set = function(_, key, value)
          values[key] = value
        end,
      }
      for _, value in ipairs { row.first, row.second, row.first } do
        sender_of({ store = store }, { [row.name] = value }) "GET /x"
      end
      assert.equal(2, #seen)
    end)
  end

  for title, fields in pairs {
    ["a line feed in a value"] = { ["x-a"] = "a\n\nb:c" },
    ["a colon in a name"] = { ["x:a"] = "b" },
  } do
    it("keeps no headers that a client made with " .. title, function()
      headers = { ["cache-control"] = "max-age=60" }
      for name, value in pairs(fields) do
        headers[name] = value
      end
      assert.equal(2, sent())
    end)
  end

  it("serves what came at the time 0, where the clock of the program begins", function()
    clock, headers = 0, { ["cache-control"] = "max-age=60" }
    assert.equal(1, sent())
  end)

  it("asks where the clock was set back", function()
    headers = { ["cache-control"] = "max-age=60" }
    assert.equal(2, sent(-1))
  end)

  it("asks at once where the clock has parts of a millisecond", function()
    clock, headers = 1000.0008, { etag = '"1"' }
    assert.equal(2, sent())
  end)

  it("says how old a response is", function()
    headers = { ["cache-control"] = "max-age=60" }
    local send = sender_of()
    send "GET /x"
    clock = clock + 7
    assert.equal("7", select(2, send "GET /x").headers.age)
  end)

  for name, value in pairs {
    authorization = "Bearer 2",
    cookie = "a=2",
    ["x-api-key"] = "2",
    accept = "text/html",
  } do
    it("keeps responses to requests with another apart: " .. name, function()
      headers = { ["cache-control"] = "max-age=60" }
      local first = { headers = { [name] = "1" } }
      assert.equal(2, sent(0, first, { headers = { [name] = value } }))
      seen = {}
      assert.equal(1, sent(0, first, first))
    end)
  end

  for _, name in ipairs { "range", "if-none-match", "cache-control" } do
    it("is not asked by a request with its own: " .. name, function()
      headers = { ["cache-control"] = "max-age=60" }
      assert.equal(2, sent(0, nil, { headers = { [name] = "x" } }))
    end)
  end

  for _, row in ipairs {
    { method = "POST", count = 3 },
    { method = "DELETE", count = 3 },
    { method = "HEAD", count = 2 },
    { method = "QUERY", count = 2 },
  } do
    it(("after %s sends %d requests for two GETs and it"):format(row.method, row.count), function()
      headers = { ["cache-control"] = "max-age=60" }
      local send = sender_of()
      send "GET /x"
      clock = clock + 1
      send(row.method .. " /x")
      clock = clock + 1
      send "GET /x"
      assert.equal(row.count, #seen)
    end)
  end

  for _, written in ipairs {
    "http://H:80/x",
    "HTTP://h:/x",
    "http://h:0080/x",
    "http://me:2@h/x",
    "http://h/x#a",
  } do
    it("serves nothing of before a write to " .. written, function()
      headers = { ["cache-control"] = "max-age=60" }
      local send = sender_of()
      send "GET http://me:1@h:80/x"
      clock = clock + 1
      send("PUT " .. written)
      clock = clock + 1
      assert.equal("body 3", (send "GET http://me:1@h:80/x"))
    end)
  end

  for _, written in ipairs { "https://h/x", "http://h:81/x", "http://h.x/x", "http://h/x?a" } do
    it("serves what it has after a write to " .. written, function()
      headers = { ["cache-control"] = "max-age=60" }
      local send = sender_of()
      send "GET /x"
      clock = clock + 1
      send("PUT " .. written)
      clock = clock + 1
      assert.equal("body 1", (send "GET /x"))
    end)
  end

  it("keeps one response for a URL with whatever fragment", function()
    headers = { ["cache-control"] = "max-age=60" }
    local send = sender_of()
    send "GET /x#a"
    assert.equal("body 1", (send "GET /x#b"))
    clock = clock + 1
    send "PUT /x"
    clock = clock + 1
    assert.equal("body 3", (send "GET /x#a"))
  end)

  it("keeps no response of another status", function()
    function answer()
      return 404, { ["cache-control"] = "max-age=60" }
    end
    assert.equal(2, sent())
  end)

  it("gives what it has kept to a sink, and keeps nothing that a sink took", function()
    headers = { ["cache-control"] = "max-age=60" }
    local taken = {}
    local function sink(piece)
      taken[#taken + 1] = piece
      return true
    end
    local send = sender_of()
    send("GET /y", { request = { sink = sink } })
    assert.equal("body 2", (send "GET /y"))
    send("GET /y", { request = { sink = sink } })
    assert.same({ "body 1", "body 2" }, taken)
    assert.equal(2, #seen)
  end)

  it("shares a store", function()
    headers = { ["cache-control"] = "max-age=60" }
    local values = {}
    local store = {
      get = function(_, key)
        return values[key]
      end,
      set = function(_, key, value, seconds)
        assert(type(value) == "string" and seconds >= 60)
        values[key] = value
        return true
      end,
    }
    assert.equal("body 1", (sender_of { store = store } "GET /x"))
    assert.equal("body 1", (sender_of { store = store } "GET /x"))
  end)

  it("asks the server where the store has a strange value", function()
    for _, value in ipairs { "", "x", "1 2\n", "1 2\na:b\n", 7, {}, endpoint.null } do
      local store = {
        get = function()
          return value
        end,
        set = function() end,
      }
      seen = {}
      assert.equal("body 1", (sender_of { store = store } "GET /x"))
    end
  end)

  it("keeps bodies of any bytes, and JSON", function()
    local body = '{"a": "\\n\\n\128"}\n\n\r\n'
    function answer()
      return 200, { ["cache-control"] = "max-age=9", ["content-type"] = "application/json" }, body
    end
    local send = sender_of()
    send "GET /x"
    local value, response = send "GET /x"
    assert.equal(body, response.text)
    assert.equal("\n\n\128", value.a)
  end)

  it("has no more than max_size bytes", function()
    function answer()
      return 200, { ["cache-control"] = "max-age=999" }, ("x"):rep(1000)
    end
    local send = sender_of { max_size = 20000 }
    for number = 1, 100 do
      send("GET /x", { n = number })
    end
    seen = {}
    for number = 1, 100 do
      send("GET /x", { n = 101 - number })
    end
    assert.is_true(#seen >= 80 and #seen < 100, #seen)
  end)

  for _, row in ipairs {
    { { kepes = 1 }, 'cache: there is no setting "kepes", is it "keeps"?' },
    { { store = {} }, "store: expected the method get, got a nil" },
    { { max_size = 0 }, "max_size: expected a number of at least 1, got 0" },
  } do
    it("refuses a mistake: " .. row[2], function()
      local _, said = pcall(request.cache, row[1])
      assert.truthy(said:find("endpoint.request: " .. row[2], 1, true), said)
    end)
  end

  it("serves what is kept to a hook around it that sends again, as after a 401", function()
    local token, cache = "1", nil
    function answer(r)
      if r.headers.authorization ~= "Bearer " .. token then
        return 401, {}
      end
      local is_kept = r.headers["if-none-match"] == '"1"'
      return is_kept and 304 or 200, { etag = '"1"' }, is_kept and "" or "text"
    end
    local authorize = request.token {
      now = now,
      fetch = function()
        return token
      end,
    }
    local send = sender_of(nil, {
      around = function(r, ask)
        return authorize(r, function(changed)
          return cache(changed or r, ask)
        end)
      end,
    })
    cache = request.cache { now = now }
    assert.equal("text", (send "GET /x"))
    token = "2"
    local text, response = send "GET /x"
    assert.same({ "text", 200 }, { text, response.status })
    assert.equal(3, #seen)
  end)
end)

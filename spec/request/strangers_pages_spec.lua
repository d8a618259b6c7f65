-- What names the next page was often written by the server: a URL or parameters, and nothing else.
-- Whatever it is, it reaches no option, no default and no path, and is never the program's mistake.
local endpoint = require "endpoint"
local scripted = require "request.scripted"
local support = require "support"

local HOME = "http://h/v1"
local api = endpoint.defaults {
  baseUrl = HOME,
  headers = { authorization = "Bearer 0123" },
  tenant = "mine",
}

-- Walks through a list whose server names the next page so. Returns what was raised, or nil.
-- body: what `page` gets, whose `items` and `following` it returns.
local function walk(body, route, options)
  scripted.reset()
  scripted.answers = function()
    return scripted.json "{}"
  end
  local send = scripted.sender({
    decode = function()
      return body
    end,
  }, api)
  local function page(got)
    if type(got) == "table" then
      return got.items, got.following
    end
  end
  local ok, raised = pcall(function()
    for _ in send.each(route, options, { page = page, max = 3 }) do -- luacheck: ignore 542
    end
  end)
  return not ok and raised or nil
end

local function walk_to(following, route, options)
  return walk({ items = { 1 }, following = following }, route or "GET /users/{id}{?after}", options)
end

local function message(failure)
  return type(failure) == "table" and failure.message or failure
end

describe("a next page that the server names by parameters", function()
  before_each(scripted.reset)

  it("lays a cursor over the first call", function()
    local raised = walk_to({ after = "c1" }, nil, { id = 7, limit = 10 })
    assert.equal(
      "GET /users/{id}: the next page was already read",
      message(raised):gsub("{%?after}", "")
    )
    assert.equal(2, #scripted.sent)
    local first, second = scripted.sent[1]:match "^[^\r]*", scripted.sent[2]:match "^[^\r]*"
    assert.equal("GET /v1/users/7?limit=10&tenant=mine HTTP/1.1", first)
    assert.equal("GET /v1/users/7?after=c1&limit=10&tenant=mine HTTP/1.1", second)
  end)

  local why = "GET /users/{id}: the next page cannot be asked for: "
  for name, value in pairs {
    method = "DELETE",
    url = "/users/1",
    baseUrl = HOME .. "/admin",
    headers = { authorization = "x" },
    mediaType = { format = "raw" },
    data = "x",
    request = { max_size = 1e15, timeout = 1e9 },
  } do
    for _, given in ipairs { value, endpoint.null, false, 1, {} } do
      it(("refuses the option %s, a %s"):format(name, type(given)), function()
        local raised = walk_to({ after = "x", [name] = given }, nil, { id = 7 })
        assert.equal(('%s"%s" is an option, not a parameter'):format(why, name), message(raised))
        assert.equal(1, #scripted.sent)
      end)
    end
  end

  it("refuses a default of the endpoint", function()
    local raised = walk_to({ tenant = "other" }, nil, { id = 7 })
    assert.equal(why .. '"tenant" is a default of the endpoint', message(raised))
    assert.equal(1, #scripted.sent)
  end)

  it("refuses another value for a variable of the path", function()
    local is_of_path = '"id" is a variable of the path, which the call has set'
    assert.equal(why .. is_of_path, message(walk_to({ id = 1 }, nil, { id = 7 })))
    local options = { url = "/users/{id}", id = 7 }
    assert.equal(why .. is_of_path, message(walk_to({ id = 1 }, options)))
    assert.equal(1, #scripted.sent)
  end)

  for _, route in ipairs { "GET /list?after={after}", "GET /list?after={+after}" } do
    it("lays a cursor over a variable of the query's own text: " .. route, function()
      walk_to({ after = "c2" }, route, { after = "c1" })
      assert.equal(2, #scripted.sent)
      assert.equal("GET /v1/list?after=c2&tenant=mine HTTP/1.1", scripted.sent[2]:match "^[^\r]*")
    end)
  end

  it("takes nothing that a metatable adds", function()
    local function steer()
      return function(_, name)
        if name == nil then
          return "method", "DELETE"
        end
      end
    end
    local following = setmetatable({ after = "c2" }, {
      __pairs = steer,
      __index = { method = "DELETE" },
    })
    walk_to(following, "/list", {})
    assert.equal("GET /v1/list?after=c2&tenant=mine HTTP/1.1", scripted.sent[2]:match "^[^\r]*")
  end)

  it("refuses a list", function()
    local raised = walk_to({ "x" }, nil, { id = 7 })
    assert.equal(why .. "expected names of parameters, got a number as a key", message(raised))
  end)

  for _, route in ipairs { "GET /users/{id}", "POST /users/{id}" } do
    it("fails where a value is too deep, and blames no line of the program: " .. route, function()
      local raised = walk_to({ after = support.nested(2000, {}) }, route, { id = 7 })
      assert.equal("table", type(raised))
      local words = "the next page cannot be asked for: "
      assert.truthy(raised.message:find(words, 1, true), raised.message)
    end)
  end
end)

-- --- JSON of every type in every place ----------------------------------------------

-- Random numbers that are the same on every Lua.
local function generator(seed)
  return function(most)
    seed = (seed * 16807) % 2147483647
    return seed % most + 1
  end
end

local STRINGS = {
  "",
  "c1",
  "..",
  "../..",
  "/users/1",
  "users/7?after=2",
  "?after=2",
  "http://h/v1/users/7?after=2",
  "HTTP://H:80/v1/x",
  "http://evil.example/",
  "//evil.example/x",
  "http://me:pw@h/v1/x",
  "http:x",
  "file:///etc/passwd",
  "\0",
  "a\r\nhost: evil",
  "{id}",
  "/{tenant}/:x",
  "\255\254",
  ("x"):rep(5000),
}
local NUMBERS = { 0, -1, 0.5, 7, 2 ^ 53, -2 ^ 60, 1e300, 1e15 }
local NAMES = {
  "method",
  "url",
  "baseUrl",
  "headers",
  "mediaType",
  "data",
  "request",
  "tenant",
  "id",
  "after",
  "limit",
  "part",
  "labels[]",
  "",
  "a=b&c",
  "__index",
}

local json

local function list(random, depth)
  local made = {}
  for i = 1, random(4) - 1 do
    made[i] = json(random, depth - 1)
  end
  return made
end

local function object(random, depth)
  local made = {}
  for _ = 1, random(4) - 1 do
    made[NAMES[random(#NAMES)]] = json(random, depth - 1)
  end
  return made
end

local function nested(random)
  local made = json(random, 0)
  for _ = 1, ({ 5, 50, 150, 1500 })[random(4)] do
    made = random(2) == 1 and { made } or { after = made }
  end
  return made
end

function json(random, depth)
  local kind = random(depth > 0 and 9 or 4)
  if kind == 1 then
    return STRINGS[random(#STRINGS)]
  elseif kind == 2 then
    return NUMBERS[random(#NUMBERS)]
  elseif kind == 3 then
    return random(2) == 1
  elseif kind == 4 then
    return endpoint.null
  elseif kind == 5 then
    return list(random, depth)
  elseif kind == 6 then
    return nested(random)
  end
  return object(random, depth)
end

local CALLS = {
  { "GET /users/{id}{?after}", { id = 7 } },
  { "GET /users/{id}{/part}", { id = 7, limit = 1 } },
  { "POST /users/{id}", { id = 7, query = "x" } },
  { { method = "POST", url = "/users/{id}", id = 7, headers = { ["x-a"] = "b" } } },
}

-- What every request must be, whatever the server said. named: is the next page a URL?
local function check_request(text, route, named)
  local line = text:match "^[^\r]*"
  local method = type(route) == "table" and "POST" or route:match "%S+"
  assert.truthy(line:find("^" .. (named and "%u+" or method) .. " "), line)
  assert.truthy(named or line:find " /v1/users/7[/? ]", line)
  assert.falsy(named and line:find("^DELETE", 1), line)
  assert.truthy(text:find "\r\nhost: [hH]:?%d*\r\n", text)
  assert.truthy(text:find("\r\nauthorization: Bearer 0123\r\n", 1, true), text)
  assert.truthy(named or line:find "tenant=mine" or text:find('"tenant":"mine"', 1, true), text)
end

describe("a next page that is JSON of any type in any place", function()
  local COUNT = 3000
  for number, call in ipairs(CALLS) do
    it("is asked for as the same call, or is a failure: call " .. number, function()
      local random, counts = generator(number), { sent = 0, failed = 0 }
      for _ = 1, COUNT / #CALLS do
        local body = { items = { 1 }, following = json(random, 3) }
        if random(10) == 1 then
          body = json(random, 3)
        elseif random(10) == 1 then
          body.items = json(random, 2)
        end
        local raised = walk(body, call[1], call[2])
        assert.truthy(raised == nil or type(raised) == "table", raised)
        local named = type(body) == "table" and type(body.following) == "string"
        for at, text in ipairs(scripted.sent) do
          check_request(text, call[1], named and at > 1)
        end
        counts.sent = counts.sent + #scripted.sent
        counts.failed = counts.failed + (raised and 1 or 0)
      end
      assert.truthy(counts.sent > COUNT / #CALLS, counts.sent)
      assert.truthy(counts.failed > 100, counts.failed)
    end)
  end
end)

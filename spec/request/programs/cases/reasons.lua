-- The word of a failure that says why there is no response, by each client.
local case, sending = ...
local endpoint, socket = require "endpoint", require "socket"
local equal = require "support".equal

-- The failure that a call raises.
local function failure_of(settings, route, options)
  local ok, failure = pcall(sending.with(settings), route, options)
  assert(not ok, "expected an error, got a result")
  return failure
end

-- The endpoint at a base.
local function at(base)
  return endpoint.defaults { baseUrl = base }
end

-- A port at which nobody listens.
local function closed_port()
  local listener = socket.bind("127.0.0.1", 0)
  local _, port = listener:getsockname()
  listener:close()
  return port
end

-- The proxy of programs/proxy.lua.
local function proxy()
  return "http://me:pw@127.0.0.1:" .. sending.getenv "PROXY"
end

local OK = "HTTP/1.1 200 OK\n"

-- title: what must hold. reason: the word. settings: of the sender, or a function that makes them.
-- text: what the server says; or route.
for _, row in ipairs {
  {
    title = "a name without an address is a reason of resolve",
    reason = "resolve",
    settings = function()
      return { api = at "http://nobody.invalid" }
    end,
    route = "GET /x",
  },
  {
    title = "a port without a server is a reason of connect",
    reason = "connect",
    settings = function()
      return { api = at("http://127.0.0.1:" .. closed_port()) }
    end,
    route = "GET /x",
  },
  {
    title = "a proxy that nobody is at is a reason of proxy",
    reason = "proxy",
    settings = function()
      return { proxy = "http://127.0.0.1:" .. closed_port() }
    end,
    route = "GET /x",
  },
  {
    title = "a proxy that closes the connection is a reason of proxy",
    reason = "proxy",
    settings = function()
      return { api = at "https://mute.example", proxy = proxy() }
    end,
    route = "GET /x",
  },
  {
    title = "a proxy that answers no HTTP is a reason of proxy",
    reason = "proxy",
    settings = function()
      return { api = at "https://odd.example", proxy = proxy() }
    end,
    route = "GET /x",
  },
  {
    title = "a certificate of another host is a reason of tls",
    reason = "tls",
    settings = function()
      return { api = at("https://127.0.0.3:" .. sending.getenv "SECOND") }
    end,
    route = "GET /x",
  },
  {
    title = "a late response is a reason of timeout",
    reason = "timeout",
    settings = { timeout = 0.2 },
    route = "GET /late",
  },
  {
    title = "a silence within a response is a reason of timeout",
    reason = "timeout",
    settings = { idle_timeout = 0.2 },
    text = OK .. "content-length: 9\n\nabc",
    more = { is_held = 1 },
  },
  {
    title = "a connection that is closed without a response is a reason of cut off",
    reason = "cut off",
    text = "",
  },
  {
    title = "a response that is cut off is a reason of cut off",
    reason = "cut off",
    text = OK .. "content-length: 9\n\nabc",
  },
  {
    title = "a response that is not HTTP is a reason of protocol",
    reason = "protocol",
    text = "hello\n\n",
  },
  {
    title = "an encoding that nobody asked for is a reason of protocol",
    reason = "protocol",
    text = OK .. "content-encoding: br\ncontent-length: 1\n\na",
  },
  {
    title = "a response that is longer than max_size is a reason of too long",
    reason = "too long",
    settings = { max_size = 2 },
    text = OK .. "content-length: 3\n\nabc",
  },
  {
    title = "a sink that takes no more is a reason of sink",
    reason = "sink",
    settings = {
      sink = function()
        return nil, "full"
      end,
    },
    text = OK .. "content-length: 3\n\nabc",
  },
  {
    title = "broken JSON is a reason of not JSON",
    reason = "not JSON",
    text = OK .. "content-type: application/json\ncontent-length: 1\n\n{",
  },
  {
    title = "a redirect that is not followed is a reason of redirect",
    reason = "redirect",
    text = "HTTP/1.1 302 Found\nlocation: /x\ncontent-length: 0\n\n",
  },
  {
    title = "a refusal is a reason of status, with the time that it asks for",
    reason = "status",
    retry_after = 90,
    text = "HTTP/1.1 429 X\nretry-after: 90\ncontent-length: 0\n\n",
  },
} do
  case(row.title, function()
    local settings = type(row.settings) == "function" and row.settings() or row.settings or {}
    settings.tries = 1
    local route, options = row.route, nil
    if row.text then
      route, options = sending.raw(row.text, row.more)
    end
    local failure = failure_of(settings, route, options)
    equal(row.reason, failure.reason, tostring(failure))
    equal(row.retry_after, failure.retry_after)
  end)
end

-- Which requests share a connection.
-- luacheck: globals ngx
local case, sending = ...
local endpoint = require "endpoint"
local equal, holds = require "support".equal, require "support".holds

-- Does the client keep connections? libcurl 7.84 to 8.0 keeps none.
local function keeps()
  if not sending.is_curl then
    return true
  end
  local found, curl = pcall(require, "cURL")
  local major, minor = (found and curl or require "curl").version():match "(%d+)%.(%d+)"
  local version = 1000 * tonumber(major) + tonumber(minor)
  return version < 7084 or version >= 8001
end

-- How many requests each of the connections of these requests had then.
local function counts_of(methods, settings)
  local own, counts = sending.with(settings or {}), {}
  for number, method in ipairs(methods) do
    counts[number] = tonumber((own(method .. " /count")))
  end
  return counts
end

case("a second GET is sent over the connection of the first", function()
  local counts = counts_of { "GET", "GET" }
  equal(keeps() and 1 or 0, counts[2] - counts[1])
end)

-- lua-curl holds the functions of a handle until that has others.
case("a connection that is kept keeps no function of the call, unless libcurl sends", function()
  local own, functions = sending.with {}, setmetatable({}, { __mode = "k" })
  local function ask()
    local bytes = 0
    local function sink(piece)
      bytes = bytes + #(piece or "")
      return bytes >= 0
    end
    functions[sink] = true
    own("GET /count", { request = { sink = sink } })
  end
  ask()
  collectgarbage()
  collectgarbage()
  holds(sending.is_curl or next(functions) == nil, "a sink is still there")
end)

-- How many of 20 POSTs were sent over the connection of the one before. libcurl would send what it
-- loses there again, so it gets a new connection for each.
case("20 POSTs are sent over one connection, unless libcurl sends", function()
  local methods = {}
  for number = 1, 20 do
    methods[number] = "POST"
  end
  local counts, shared = counts_of(methods), 0
  for number = 2, 20 do
    shared = shared + (counts[number] > counts[number - 1] and 1 or 0)
  end
  equal(sending.is_curl and 0 or 19, shared)
end)

case("a POST with reuse_within = 0 is sent over a connection of its own", function()
  local counts = counts_of({ "GET", "GET", "POST", "POST" }, { reuse_within = 0 })
  equal(1, counts[3], "requests of the first POST's connection")
  equal(1, counts[4], "requests of the second POST's connection")
end)

case("a POST is not sent over a connection that nobody used for reuse_within", function()
  local sleep = sending.client == "resty_http" and ngx.sleep or require("socket").sleep
  local own = sending.with { reuse_within = 0.3 }
  own "POST /count"
  sleep(0.6)
  equal(1, tonumber((own "POST /count")))
end)

case("a POST is not sent over a connection that the server closes after a second", function()
  local own = sending.with {}
  own "POST /brief"
  equal(1, tonumber((own "POST /brief")))
end)

case("100 GETs need five connections at most", function()
  local own, seen, different = sending.with {}, {}, 0
  for _ = 1, 100 do
    local number = own "GET /connection"
    if not seen[number] then
      seen[number], different = true, different + 1
    end
  end
  holds(different <= (keeps() and 5 or 100), different .. " connections")
end)

case("a connection is kept for its port alone", function()
  local base = "http://127.0.0.1:"
  local function ask(port)
    local own = sending.with {
      api = endpoint.defaults { baseUrl = base .. sending.getenv(port) },
    }
    return (own "GET /count")
  end
  holds(ask("PORT"):find "^%d+$", "the answer of the first port")
  local answer = ask "THIRD"
  holds(answer:find "^GET /count ", answer)
end)

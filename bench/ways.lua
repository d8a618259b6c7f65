-- Ways to send a request, for bench/requests.lua.
--   ways.lua WAY CASE BASE CAFILE COUNT   prints the microseconds of CPU that a request takes
-- Each way is a function of a base address and a file of certificates, which returns a function
-- that sends the request of a case and returns its decoded body. All keep their connection.
local json = require "cjson"

local ways = {}

-- The requests, by their case. `fields` is the body of a POST.
local FIELDS = { title = "Found a bug", body = "It is here.", labels = { "bug" }, state = 1 }
local CASES = {
  small = { method = "GET", path = "/small" },
  headers = { method = "GET", path = "/headers" },
  post = { method = "POST", path = "/small", fields = FIELDS },
}

-- --- ours -------------------------------------------------------------------------

local function of_client(client)
  return function(base, cafile)
    local headers = { accept = "application/json" }
    local api = require("endpoint").defaults { baseUrl = base, headers = headers }
    local send = require("endpoint.request").new(api, { client = client, cafile = cafile })
    return function(case)
      local route = case.method .. " " .. case.path
      local fields = case.fields
      return fields
          and send(route, {
            title = fields.title,
            body = fields.body,
            labels = fields.labels,
            state = fields.state,
          })
        or send(route, {})
    end
  end
end

ways.luasocket, ways.curl = of_client "luasocket", of_client "curl"
ways.resty_http = of_client "resty_http"

-- --- the peers --------------------------------------------------------------------

local function connected(base, cafile)
  local socket = require "socket"
  local scheme, host, port = base:match "^(%a+)://(.-):(%d+)$"
  local sock = assert(socket.connect(host, tonumber(port)))
  assert(sock:setoption("tcp-nodelay", true))
  sock:settimeout(30)
  if scheme == "https" then
    sock = assert(require("ssl").wrap(sock, {
      mode = "client",
      protocol = "any",
      verify = "peer",
      cafile = cafile,
      options = { "all", "no_sslv2", "no_sslv3", "no_tlsv1", "no_tlsv1_1" },
    }))
    assert(sock:dohandshake())
  end
  return sock, host .. ":" .. port
end

-- The least that sends the same over LuaSocket and reads the response: it knows that a length comes
-- and that nothing goes wrong.
ways["by hand"] = function(base, cafile)
  local sock, host = connected(base, cafile)
  return function(case)
    local body = case.fields and json.encode(case.fields)
    local more = body
        and ("content-type: application/json\r\ncontent-length: %d\r\n\r\n%s"):format(#body, body)
      or "\r\n"
    assert(
      sock:send(
        ("%s %s HTTP/1.1\r\nhost: %s\r\naccept: application/json\r\n%s"):format(
          case.method,
          case.path,
          host,
          more
        )
      )
    )
    local status, headers = assert(sock:receive "*l"):match "^HTTP/1%.1 (%d%d%d)", {}
    assert(status == "200")
    local line = sock:receive "*l"
    while line ~= "" do
      local name, value = line:match "^(.-):%s*(.*)$"
      headers[name:lower()] = value
      line = assert(sock:receive "*l")
    end
    return json.decode((assert(sock:receive(tonumber(headers["content-length"])))))
  end
end

-- libcurl's own option, and as endpoint.request has it: to read the system's certificates would
-- take 85 ms.
local CAINFO, CAPATH, URL, POSTFIELDS = 10065, 10097, 10002, 10015
local WRITEFUNCTION, HEADERFUNCTION, HTTPHEADER = 20011, 20079, 10023

ways["lua-curl"] = function(base, cafile)
  local easy = require("curl").easy_init()
  easy:setopt(CAINFO, cafile)
  easy:setopt(CAPATH, "/dev/null")
  return function(case)
    local pieces, headers = {}, {}
    local words = { "accept: application/json" }
    if case.fields then
      words[2] = "content-type: application/json"
      easy:setopt(POSTFIELDS, json.encode(case.fields))
    end
    easy:setopt(URL, base .. case.path)
    easy:setopt(HTTPHEADER, words)
    easy:setopt(HEADERFUNCTION, function(line)
      headers[#headers + 1] = line
      return #line
    end)
    easy:setopt(WRITEFUNCTION, function(piece)
      pieces[#pieces + 1] = piece
      return #piece
    end)
    assert(easy:perform())
    assert(headers[1]:find "^HTTP/1.1 200")
    return json.decode(table.concat(pieces))
  end
end

ways["lua-resty-http"] = function(base)
  local http = require "resty.http"
  return function(case)
    local response = assert(http.new():request_uri(base .. case.path, {
      method = case.method,
      headers = { accept = "application/json", ["content-type"] = "application/json" },
      body = case.fields and json.encode(case.fields),
    }))
    return json.decode(response.body)
  end
end

-- --- measuring --------------------------------------------------------------------

-- Requests before those that count: they connect, and LuaJIT compiles.
local FIRST = 200

function ways.microseconds(way, case, base, cafile, count)
  local ask = ways[way](base, cafile)
  case = CASES[case]
  for _ = 1, FIRST do
    assert(ask(case).id == "x")
  end
  local began = os.clock()
  for _ = 1, count do
    assert(ask(case).id == "x")
  end
  return (os.clock() - began) / count * 1e6
end

if arg and arg[0]:find "ways%.lua$" then
  print(("%.2f"):format(ways.microseconds(arg[1], arg[2], arg[3], arg[4], tonumber(arg[5]))))
end

return ways

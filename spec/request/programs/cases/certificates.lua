-- Hosts whose servers show good and bad certificates: tls.lua has the servers, proxy.lua is before
-- those that have a name.
local case, sending = ...
local endpoint = require "endpoint"
local equal, holds = require "support".equal, require "support".holds

-- settings: of the sender. proxy: the number of the address 127.0.0.N at which the proxy is asked,
-- which takes it for that of every host; nil for no proxy. user: of the proxy.
-- Returns the body, or the message of the error.
local function ask(base, proxy, settings, route, user)
  settings.api = endpoint.defaults { baseUrl = base, headers = { authorization = "0123" } }
  if proxy then
    local form = "http://%s127.0.0.%d:%s"
    settings.proxy = form:format(user or "me:pw@", proxy, sending.getenv "PROXY")
  end
  return sending.outcome(sending.with(settings), route or "POST /x", { secret = "x" })
end

local function secure(host)
  return "https://" .. host .. ":" .. sending.getenv "SECOND"
end

-- host: what is asked for. server: the number of its address. is_sent: is the certificate right?
-- what: the certificate is. More names, for LuaSec, are in luasec_spec.lua.
for _, row in ipairs {
  { host = "api.example", server = 2, is_sent = true, what = "its own" },
  { host = "API.Example", server = 2, is_sent = true, what = "its own in lower case" },
  { host = "api.example", server = 3, what = "that of other.example" },
  { host = "example", server = 2, what = "that of api.example" },
  { host = "a.wild.example", server = 2, is_sent = true, what = "that of *.wild.example" },
  { host = "a.b.wild.example", server = 2, what = "that of *.wild.example" },
  { host = "wild.example", server = 2, what = "that of *.wild.example" },
  { host = "127.0.0.2", server = 2, is_sent = true, what = "that of its address" },
  { host = "127.0.0.3", server = 3, what = "that of the address 127.0.0.9" },
  { host = "api.example", server = 4, what = "its own, which has expired" },
  { host = "api.example", server = 5, what = "its own, which it signed itself" },
  { host = "api.example", server = 6, what = "its own, which a stranger signed" },
  { host = "127.0.0.6", server = 6, what = "that of its address, which a stranger signed" },
} do
  local is_name = row.host:find "%a" ~= nil
  local form = "of a request to %s, whose server's certificate is %s, %s"
  local fate = row.is_sent and "all is sent" or "no byte is sent"
  case(form:format(row.host, row.what, fate), function()
    local said = ask(secure(row.host), is_name and row.server or nil, {})
    if said == "sent" then
      sending.note "sent" -- the spec compares these with what the servers got
    end
    -- nginx compares no addresses.
    if row.is_sent and (is_name or sending.client ~= "resty_http") then
      equal("sent", said)
    else
      sending.says("cert", said:lower())
    end
  end)
end

case("a proxy that is not told its user refuses a tunnel", function()
  local said = ask(secure "api.example", 2, {}, nil, "")
  -- Lua-cURL 3 says the second.
  holds(said:find "407" or said:find "RECV_ERROR", "expected 407 or RECV_ERROR in: " .. said)
end)

case("bytes that a proxy sends before TLS begins end the call", function()
  local said = ask(secure "early.example", 2, {})
  -- libcurl gives them to TLS, which fails.
  local expected = sending.is_curl and "POST /x: " or "the proxy sends more"
  sending.says(expected, said)
end)

local LONG = ("x"):rep(40000) -- what long_answer.lua sends

for server, version in pairs { [8] = "TLS 1.2", [9] = "TLS 1.3" } do
  case("an answer without a length is whole where " .. version .. " was closed", function()
    local said = ask(secure "whole.cut.example", server, {})
    if sending.client == "resty_http" then -- nginx cannot tell that
      equal("POST /x: the response is cut off: TLS was not closed", said)
    else
      holds(said == LONG, "expected the whole body, got: " .. said:sub(1, 200))
    end
  end)

  for host, how in pairs { fin = "closed", rst = "reset" } do
    local form = "an answer without a length is cut off where %s was not closed, but TCP was %s"
    case(form:format(version, how), function()
      local said = ask(secure(host .. ".cut.example"), server, {})
      sending.says(" is cut off", said)
    end)
  end
end

case("a status after the one head that a proxy sends is the server's", function()
  local said = ask(secure "fin.cut.example", 8, {}, "POST /404")
  equal("POST /404: ", said:sub(1, 11))
  holds(not said:find "proxy", "expected nothing of the proxy in: " .. said)
end)

-- The answer of a server that asks for the client's certificate.
local function asked_for_certificate(settings)
  local here = sending.getenv "HERE" .. "/"
  for name, file in pairs(settings) do
    settings[name] = here .. file
  end
  return ask(secure "asking.example", 10, settings)
end

case("a server that wants a certificate refuses a client without one", function()
  local said = asked_for_certificate {}
  sending.says("POST /x: ", said)
end)

case("a server that wants a certificate is shown that of the settings", function()
  local said = asked_for_certificate { certificate = "right.pem", key = "right.key" }
  equal("SUCCESS CN=api.example", said)
end)

case("a server that wants a certificate is shown one whose file has the key, too", function()
  equal("SUCCESS CN=api.example", asked_for_certificate { certificate = "both.pem" })
end)

case("a proxied request is not sent over the connection of a direct one", function()
  local base, read = "http://127.0.0.1:" .. sending.getenv "PORT", require "echo".read
  equal("/x?secret=x", read(ask(base, nil, {}, "GET /x")).uri)
  local proxied = read(ask(base, 1, {}, "GET /x?a=b"))
  equal("/proxied/x?a=b&secret=x", proxied.uri)
  equal("Basic bWU6cHc=", proxied.headers["proxy-authorization"])
end)

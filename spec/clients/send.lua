-- Usage: LUA spec/clients/send.lua CLIENT BASE CERTIFICATE FILE
-- Sends what requests.lua lists as sent with one client and prints a line for each: status, the
-- header x-echo, the body of the response. What a client needs to write goes into FILE.
local clients = require "endpoint.clients"
local requests = require "clients.requests"
local support = require "support"

local name, base, certificate, path = ...

-- Each takes a result and returns the status, x-echo and the body.
local send = {}

-- The status and x-echo in the lines of a header.
local function read_head(text)
  return text:match "HTTP/%S+ (2%d%d)", text:match "\nx%-echo: (%x+)"
end

-- The same table for both times, unless its body is a stream. LuaSec leaves there what it refuses
-- then.
local function with_socket(http, r, settings)
  local parts = {}
  local request = clients.luasocket(r, { sink = require "ltn12".sink.table(parts) })
  assert(request.redirect == false, "it follows redirects")
  for key, value in pairs(settings) do
    request[key] = value
  end
  local sent, status, headers = http.request(request)
  if sent and type(r.body) ~= "function" then
    local _, refused = http.request(request)
    assert(not settings.cafile or refused == "create function not permitted", refused)
    request.create = nil
    for i = #parts, 1, -1 do
      parts[i] = nil
    end
    sent, status, headers = http.request(request)
  end
  if not sent then
    error(status, 0)
  end
  return status, headers["x-echo"], table.concat(parts)
end

function send.luasocket(r)
  return with_socket(require "socket.http", r, {})
end

function send.luasec(r)
  return with_socket(require "ssl.https", r, { verify = "peer", cafile = certificate })
end

function send.lua_http(r)
  local request = clients.lua_http(r)
  assert(
    request.follow_redirects == false and request.cookie_store == false,
    "it goes or keeps more than it is told"
  )
  local headers, stream = request:go(20)
  assert(headers, stream)
  return headers:get ":status", headers:get "x-echo", stream:get_body_as_string(20)
end

local OPT_HEADERFUNCTION, OPT_WRITEFUNCTION, OPT_POSTFIELDS = 20079, 20011, 10015

-- One handle for all requests, as programs use it, each sent twice but for streams:
-- nothing may stay behind. The handle had post fields of its own before.
local function with_easy(easy, r)
  local head, body = {}, {}
  clients.curl(r, { easy = easy })
  easy:setopt(OPT_HEADERFUNCTION, function(line)
    head[#head + 1] = line
    return #line
  end)
  easy:setopt(OPT_WRITEFUNCTION, function(part)
    body[#body + 1] = part
    return #part
  end)
  assert(easy:perform())
  if type(r.body) ~= "function" then
    head, body = {}, {}
    assert(easy:perform())
  end
  local status, seen = read_head(table.concat(head))
  return status, seen, table.concat(body)
end

local function with_handle(make)
  local easy
  return function(r)
    local used = easy or make()
    easy = nil -- a handle is of no more use after an error inside it
    local status, seen, body = with_easy(used, r)
    easy = used
    return status, seen, body
  end
end

send.curl = with_handle(function()
  local easy = require "curl".easy_init()
  easy:setopt(OPT_POSTFIELDS, "OLD=1")
  return easy
end)

-- Lua-cURL 3, with a table, a new handle for each.
function send.cURL(r)
  local head, body = {}, {}
  local easy = require "cURL".easy(clients.curl(r))
  easy:setopt_headerfunction(function(line)
    head[#head + 1] = line
  end)
  easy:setopt_writefunction(function(part)
    body[#body + 1] = part
  end)
  easy:perform():close()
  local status, seen = read_head(table.concat(head))
  return status, seen, table.concat(body)
end

send.cURL_handle = with_handle(function()
  return require "cURL".easy()
end)

-- LÖVE's lua-https. It keeps the space before a header's value.
function send.lua_https(r)
  local status, body, headers = require "https".request(clients.lua_https(r))
  return status, headers["x-echo"]:match "%x+", body
end

-- Runs a command with this text as its standard input. curl writes the header of HEAD for its body.
local function run(r, command, input)
  support.write(path .. ".input", input)
  local pipe = assert(io.popen(command .. " <" .. path .. ".input"))
  local body = pipe:read("*a")
  pipe:close()
  local status, seen = read_head(support.read(path .. ".head"))
  return status, seen, r.method ~= "head" and body or ""
end

function send.curl_command(r)
  support.write(
    path,
    clients.curl_command(r, { secrets = true }) .. " -sS --dump-header " .. path .. ".head\n"
  )
  return run(r, "sh " .. path, "")
end

-- Without a shell, as editors run programs, and with nothing of the request in the list of
-- processes.
function send.argv(r)
  local words, input = clients.argv(r)
  support.write(path, table.concat(words, "\0") .. "\0-sS\0--dump-header\0" .. path .. ".head\0")
  return run(r, "xargs -0 -a " .. path .. " env", input)
end

for _, request in ipairs(requests.sent) do
  local made, status, seen, body = pcall(send[name], requests.result(request, base))
  print(
    made and ("%s %s %s"):format(status, seen, body ~= "" and body or "-")
      or (tostring(status):gsub("\n.*", ""))
  )
end

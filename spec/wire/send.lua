-- Usage: LUA spec/wire/send.lua CLIENT BASE CERTIFICATE [REQUESTS]
-- Sends all requests of a module, wire.requests unless given, with one client and prints a
-- line for each: status, the header x-echo, the body of the response.
local endpoint = require "endpoint"
local clients = require "endpoint.clients"

local name, base, certificate, module = ...
local requests = require(module or "wire.requests")

-- Each takes a result and returns the status, x-echo and the body.
local send = {}

local function with_socket(http, prepare)
  return function(r)
    local parts = {}
    local request = clients.luasocket(r, { sink = require "ltn12".sink.table(parts) })
    prepare(request)
    local sent, status, headers = http.request(request)
    if not sent then error(status, 0) end
    return status, headers["x-echo"], table.concat(parts)
  end
end

function send.luasocket(r)
  return with_socket(require "socket.http", function() end)(r)
end

function send.luasec(r)
  return with_socket(require "ssl.https", function(request)
    request.verify, request.cafile = "peer", certificate
  end)(r)
end

function send.lua_http(r)
  local headers, stream = clients.lua_http(r):go(20)
  assert(headers, stream)
  return headers:get ":status", headers:get "x-echo", stream:get_body_as_string(20)
end

local OPT_HEADERFUNCTION, OPT_WRITEFUNCTION, OPT_POSTFIELDS = 20079, 20011, 10015

-- One handle for all requests, as programs use it, each sent twice but for streams:
-- nothing may stay behind. The handle had post fields of its own before.
local function with_easy(easy)
  return function(r)
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
    local text = table.concat(head)
    return text:match "HTTP/%S+ (2%d%d)", text:match "\nx%-echo: (%x+)", table.concat(body)
  end
end

local function with_handle(make)
  local send_with
  return function(r)
    send_with = send_with or with_easy(make())
    local results = { pcall(send_with, r) }
    if results[1] then return results[2], results[3], results[4] end
    send_with = nil -- a handle is of no more use after an error inside it
    error(results[2], 0)
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
  easy:setopt_headerfunction(function(line) head[#head + 1] = line end)
  easy:setopt_writefunction(function(part) body[#body + 1] = part end)
  easy:perform():close()
  local text = table.concat(head)
  return text:match "HTTP/%S+ (2%d%d)", text:match "\nx%-echo: (%x+)", table.concat(body)
end

send.cURL_handle = with_handle(function() return require "cURL".easy() end)

-- LÖVE's lua-https. It keeps the space before a header's value.
function send.lua_https(r)
  local status, body, headers = require "https".request(clients.lua_https(r))
  return status, headers["x-echo"]:match "%x+", body
end

-- Reads what the curl program wrote: the header lines and the body.
local function read_response(r, head, body)
  return head:match "HTTP/%S+ (2%d%d)", head:match "\nx%-echo: (%x+)", r.method ~= "head" and body or ""
end

local function write(path, text)
  local file = assert(io.open(path, "wb"))
  file:write(text)
  file:close()
end

-- Runs a command line in a shell, with this text as its standard input.
local function run(r, command, input)
  write(certificate .. ".input", input)
  write(certificate, command .. " --silent --show-error --dump-header " .. certificate .. ".head\n")
  local pipe = assert(io.popen("sh " .. certificate .. " <" .. certificate .. ".input"))
  local body = pipe:read("*a")
  pipe:close()
  local head = assert(io.open(certificate .. ".head", "rb"))
  local text = head:read("*a")
  head:close()
  return read_response(r, text, body)
end

function send.curl_command(r)
  return run(r, clients.curl_command(r, { secrets = true }), "")
end

function send.argv(r)
  local words, input = clients.argv(r)
  return run(r, table.concat(words, " "), input)
end

-- Without a shell, and with nothing of the request in the list of processes.
function send.argv_process(r)
  local words, input = clients.argv(r)
  words[#words + 1] = "-siS" -- silent, but with errors, and with the header
  local output, shown = require "wire.process".run(words, input)
  assert(shown == "curl\0-q\0--globoff\0--path-as-is\0--config\0-\0-siS\0", shown)
  local head, body = output:match "^(HTTP/%S+ [2-5].-\r\n\r\n)(.*)$"
  if not head then head, body = output:match "\n(HTTP/%S+ [2-5].-\r\n\r\n)(.*)$" end -- behind a 100
  return read_response(r, head, body)
end

local function line_of(request)
  local at = base
  if request.userinfo then at = base:gsub("://", "://" .. request.userinfo:gsub("%%", "%%%%") .. "@") end
  local r = endpoint.defaults { baseUrl = at } (request.route, request.make_options())
  local made, status, seen, body = pcall(send[name], r)
  if not made then return (tostring(status):gsub("\n.*", "")) end
  return ("%s %s %s"):format(status, seen, body ~= "" and body or "-")
end

for _, request in ipairs(requests) do print(line_of(request)) end

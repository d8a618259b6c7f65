-- Usage: LUA spec/nginx/send.lua CLIENT BASE [CERTIFICATE]
-- Sends all of spec/nginx/requests.lua with one client and prints a line for
-- each: status, the header x-echo, the body of the response.
local endpoint = require "endpoint"
local clients = require "endpoint.clients"
local requests = require "nginx.requests"

local name, base, certificate = ...

-- Each takes a result and returns the status, x-echo and the body.
local send = {}

local function with_socket(http, prepare)
  return function(r)
    local parts = {}
    local request = clients.luasocket(r, { sink = require "ltn12".sink.table(parts) })
    prepare(request)
    local _, status, headers = http.request(request)
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

-- One handle for all requests, as programs use it, each sent twice: nothing may
-- stay behind. The handle had post fields of its own before.
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
    head, body = {}, {}
    assert(easy:perform())
    local text = table.concat(head)
    return text:match "HTTP/%S+ (2%d%d)", text:match "\nx%-echo: (%x+)", table.concat(body)
  end
end

function send.curl(r)
  local easy = require "curl".easy_init()
  easy:setopt(OPT_POSTFIELDS, "OLD=1")
  send.curl = with_easy(easy)
  return send.curl(r)
end

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

function send.cURL_handle(r)
  send.cURL_handle = with_easy(require "cURL".easy())
  return send.cURL_handle(r)
end

-- LÖVE's lua-https; it has a header's value with the space in front.
function send.lua_https(r)
  local status, body, headers = require "https".request(clients.lua_https(r))
  return status, headers["x-echo"]:match "%x+", body
end

function send.curl_command(r)
  local file = assert(io.open(certificate, "wb")) -- a name to use: the shell reads the command from there
  file:write(clients.curl_command(r, { secrets = true }), " --silent --show-error --dump-header ", certificate, ".head\n")
  file:close()
  local pipe = assert(io.popen("sh " .. certificate))
  local body = pipe:read("*a")
  pipe:close()
  local text = assert(io.open(certificate .. ".head", "rb")):read("*a")
  if r.method == "head" then body = "" end
  return text:match "HTTP/%S+ (2%d%d)", text:match "\nx%-echo: (%x+)", body
end

local function line_of(request)
  local at = base
  if request.userinfo then at = base:gsub("://", "://" .. request.userinfo:gsub("%%", "%%%%") .. "@") end
  local r = endpoint.defaults { baseUrl = at } (request.route, request.options)
  if request.refused and request.refused[name] then return (select(2, pcall(send[name], r))) end
  local status, seen, body = send[name](r)
  return ("%s %s %s"):format(status, seen, body ~= "" and body or "-")
end

for _, request in ipairs(requests) do print(line_of(request)) end

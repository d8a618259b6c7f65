-- A real nginx that says what reached it: method, request URI, headers and
-- body, as JSON in hex, in the body of the response and, for HEAD, in its
-- header `x-echo`. On loopback, over HTTP and TLS.
local server = require "wire.server"
local support = require "support"

local echo = {}

local CONFIGURATION = [[
@USER@
worker_processes 1;
pid nginx.pid;
env TOKEN=0123;
error_log error.log warn;
load_module @MODULES@/ndk_http_module.so;
load_module @MODULES@/ngx_http_lua_module.so;
events { worker_connections 64; }
http {
  access_log off;
  lua_package_path "@ROOT@/src/?.lua;@ROOT@/spec/?.lua;@ROOT@/spec/tools/?.lua;@LUA_PATH@;;";
  lua_package_cpath "@ROOT@/build/luajit/?.so;;";
  client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi; scgi_temp_path scgi;
  client_max_body_size 8m;
  client_body_buffer_size 8m;
  proxy_buffer_size 64k;
  proxy_buffers 4 64k;
  proxy_busy_buffers_size 64k;
@OUTSIDE@
  server {
    listen 127.0.0.1:@PORT@;
    listen 127.0.0.1:@TLS@ ssl;
    ssl_certificate certificate.pem;
    ssl_certificate_key key.pem;
    location / { content_by_lua_block { require "wire.echo".answer() } }
    location = /answered { content_by_lua_block { require "wire.echo".count() } }
@MORE@
  }
}
]]

local function start_at(port, directory, more, outside)
  local facts = {
    USER = server.shell("id -u") == "0" and "user root;" or "",
    ROOT = server.shell("pwd"),
    MODULES = server.shell("dirname $(ls /usr/lib*/nginx/modules/ngx_http_lua_module.so | head -n 1)"),
    PORT = tostring(port),
    TLS = tostring(port + 1),
    DIRECTORY = directory,
    LUA_PATH = os.getenv "NGINX_LUA_PATH" or "",
  }
  local text = CONFIGURATION:gsub("@MORE@", function() return more or "" end)
    :gsub("@OUTSIDE@", function() return outside or "" end):gsub("@([A-Z_]+)@", facts)
  support.write(directory .. "/nginx.conf", text)
  return os.execute("nginx -p " .. directory .. "/ -c nginx.conf -e error.log 2>" .. directory .. "/start.log")
end

-- Starts it, with more locations of the spec's own, and more outside its server, where @PORT@,
-- @TLS@, @DIRECTORY@ and @ROOT@ stand for its ports, its directory and that of the sources. server.stop stops it.
function echo.start(more, outside)
  local directory = server.shell("mktemp -d")
  server.shell("cd " .. directory .. " && openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=127.0.0.1"
    .. " -addext 'subjectAltName=IP:127.0.0.1,DNS:api.github.com,DNS:*.wild.example'"
    .. " -keyout key.pem -out certificate.pem 2>openssl.log")
  local first = server.first_port(40000)
  for port = first, first + 40, 2 do
    local ok = start_at(port, directory, more, outside)
    if ok == true or ok == 0 then
      return { directory = directory, port = port, tls_port = port + 1, pid = support.read(directory .. "/nginx.pid") }
    end
  end
  error("nginx does not start: " .. support.read(directory .. "/start.log"))
end

local function to_hex(text)
  return (text:gsub(".", function(byte) return ("%02x"):format(byte:byte()) end))
end

-- URI -> how often it was answered: the module is loaded once by the one worker.
local answered = {}

-- In nginx: answers how often the URI in the query was answered.
function echo.count()
  local ngx = rawget(_G, "ngx")
  ngx.print(answered[ngx.var.arg_uri] or 0)
end

-- In nginx: answers with what was received. Of a long body the ends are shown.
function echo.answer()
  local ngx = rawget(_G, "ngx")
  ngx.req.read_body()
  answered[ngx.var.request_uri] = (answered[ngx.var.request_uri] or 0) + 1
  local body = ngx.req.get_body_data() or ""
  local seen = to_hex(require "cjson".encode {
    method = ngx.req.get_method(),
    uri = ngx.var.request_uri,
    headers = ngx.req.get_headers(0),
    length = #body,
    body = to_hex(#body <= 256 and body or body:sub(1, 128) .. body:sub(-128)),
  })
  ngx.header["x-echo"] = seen
  ngx.header["content-length"] = #seen
  ngx.print(seen)
end

-- In nginx: keeps the body under its content type, a MIME message, in the file `kept` and the
-- last segment of the path.
function echo.keep()
  local ngx = rawget(_G, "ngx")
  ngx.req.read_body()
  support.write(ngx.config.prefix() .. "kept" .. ngx.var.uri:match "[^/]*$",
    "Content-Type: " .. (ngx.var.http_content_type or "") .. "\r\n\r\n" .. (ngx.req.get_body_data() or ""))
  ngx.header["x-echo"] = "00"
  ngx.print(ngx.req.get_headers(0)["transfer-encoding"] or ngx.var.http_content_length)
end

-- In nginx, before it answers: keeps a line for each request, with the origin
-- that the client meant, in the file `seen`.
function echo.record()
  local ngx = rawget(_G, "ngx")
  local file = assert(io.open(ngx.config.prefix() .. "seen", "ab"))
  file:write(("%s %s://%s%s %s\n"):format(ngx.req.get_method(), ngx.var.scheme, ngx.var.http_host,
    ngx.var.request_uri, ngx.var.http_authorization or "-"))
  file:close()
end

-- The lines since the last call.
function echo.seen(running)
  local file, lines = io.open(running.directory .. "/seen", "rb"), {}
  if not file then return lines end
  for line in file:lines() do lines[#lines + 1] = line end
  file:close()
  os.remove(running.directory .. "/seen")
  return lines
end

-- --- the clients that send to it -----------------------------------------------

local function environment(lua)
  return ("LUA_CPATH='build/%s/?.so;%s;;' LUA_PATH='src/?.lua;spec/?.lua;%s;;' ")
    :format(lua, os.getenv("CLIENTS_CPATH_" .. lua:gsub("%.", "")) or "", os.getenv "CLIENTS_PATH" or "")
end

function echo.has_module(lua, module)
  return server.shell(environment(lua) .. lua .. " -e 'require [[" .. module .. "]]' >/dev/null 2>&1 && echo yes") == "yes"
end

-- What a program in its directory prints, which gets its address.
function echo.run(running, lua, name)
  return server.shell(("%stimeout 60 %s %s/%s http://127.0.0.1:%d 2>&1")
    :format(environment(lua), lua, running.directory, name, running.port))
end

-- The lines of send.lua, one for each request. client: its name, and whether it sends over
-- TLS. requests: the module that has them, wire.requests unless given.
function echo.sent_by(running, lua, client, requests)
  local base = client.tls and "https://127.0.0.1:" .. running.tls_port or "http://127.0.0.1:" .. running.port
  local file = running.directory .. (client.tls and "/certificate.pem" or "/command")
  local text = server.shell(("%stimeout 60 %s spec/wire/send.lua %s %s %s %s 2>&1")
    :format(environment(lua), lua, client.name, base, file, requests or ""))
  local lines = {}
  for line in text:gmatch("[^\n]+") do lines[#lines + 1] = line end
  return lines
end

function echo.from_hex(text)
  return (text:gsub("%x%x", function(digits) return string.char(tonumber(digits, 16)) end))
end

return echo

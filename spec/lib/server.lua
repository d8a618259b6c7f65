-- A real nginx for a spec, on loopback, in a directory of its own; and programs that ask it.
local support = require "support"

local server = {}

-- Runs a shell command; returns what it printed, without the last newline.
function server.shell(command)
  local pipe = assert(io.popen(command))
  local text = pipe:read("*a")
  pipe:close()
  return (text:gsub("\n$", ""))
end
local shell = server.shell

-- --- nginx ------------------------------------------------------------------------

-- One worker, which says over HTTP and TLS what reached it (see echo.lua).
local ECHO = [[
worker_processes 1;
pid nginx.pid;
env TOKEN=0123;
error_log error.log warn;
events { worker_connections 1024; }
http {
  access_log off;
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
    listen 127.0.0.1:@SECOND@ ssl;
    ssl_certificate certificate.pem;
    ssl_certificate_key certificate.key;
    location / { content_by_lua_block { require "echo".answer() } }
@LOCATIONS@
  }
}
]]

-- The configuration that README.md shows, whose API is at api_port, or at the second port; with the
-- spec's own text at the end of its http section.
function server.shown(own, api_port)
  local http, count = support
    .read("examples/nginx.conf")
    :gsub("127%.0%.0%.1:8080", "127.0.0.1:@PORT@")
    :gsub("8081", tostring(api_port or "@SECOND@"))
    :gsub("\n}\n$", "\n  keepalive_requests 100000;\n@LOCATIONS@\n}\n")
  assert(count == 1, "expected the http section at the end of nginx.conf")
  return { configuration = http, locations = own }
end

-- A certificate with the names that specs ask for.
local function write_certificate(directory)
  shell(
    (
      "cd %s && openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 "
      .. "-keyout certificate.key -out certificate.pem -subj /CN=127.0.0.1 -addext "
      .. "subjectAltName=IP:127.0.0.1,DNS:api.github.com,DNS:*.wild.example 2>openssl.log"
    ):format(directory)
  )
end

-- The command of nginx, and what loads its Lua module. $NGINX is one in which that is built in, as
-- in OpenResty; $NGINX_LUA_PATH and $NGINX_LUA_CPATH are where its Lua modules are. nginx itself
-- would take $NGINX for sockets.
local function find_nginx()
  local own = os.getenv "NGINX"
  if own then
    return "env -u NGINX " .. own, ""
  end
  local modules = shell "dirname $(ls /usr/lib*/nginx/modules/ngx_http_lua_module.so | head -n 1)"
  return "nginx",
    ("load_module %s/ndk_http_module.so;\nload_module %s/ngx_http_lua_module.so;\n"):format(
      modules,
      modules
    )
end

-- Has it `resolve` in groups (since 1.27.3) and keepalive_min_timeout (since 1.27.4)?
server.version = shell(find_nginx() .. " -v 2>&1"):match "/([%d.]+)"
local major, minor, patch = server.version:match "(%d+)%.(%d+)%.(%d+)"
server.is_new = major * 1000000 + minor * 1000 + patch >= 1027004

-- Text of the documents, with what their comments say of a new nginx, if this is one.
function server.fitted(text)
  if not server.is_new then
    return text
  end
  local fitted, count =
    text:gsub("# From nginx [%d.]+ on: ", ""):gsub("; # from [%d.]+ on also: resolve", " resolve;")
  assert(count == 1 or not text:find("also: resolve", 1, true))
  return fitted
end

local function start_at(port, directory, more)
  local root, command, modules = shell "pwd", find_nginx()
  local facts = {
    PORT = port,
    SECOND = port + 1,
    DIRECTORY = directory,
    ROOT = root,
    LOCATIONS = more.locations or "",
    OUTSIDE = more.outside or "",
  }
  for name, value in pairs(more.facts or {}) do
    facts[name] = value
  end
  local text = more.configuration or ECHO
  for _ = 1, 2 do
    text = text:gsub("@([A-Z]+)@", facts)
  end -- the spec's own text has facts, too
  support.write(
    directory .. "/nginx.conf",
    (shell "id -u" == "0" and "user root;\n" or "") .. modules .. text
  )
  local libraries, sources =
    root .. "/build/luajit", root .. "/?.lua;" .. root .. "/spec/?.lua;" .. root .. "/spec/lib"
  local paths = ("LUA_CPATH='%s/?.so;%s;;' LUA_PATH='%s/?.lua;%s/?.lua;%s;;'"):format(
    more.installed or libraries,
    os.getenv "NGINX_LUA_CPATH" or "",
    more.installed or root .. "/src",
    sources,
    os.getenv "NGINX_LUA_PATH" or ""
  )
  shell(("find %s -type s -delete"):format(directory)) -- sockets that a try at another port left
  local ok = os.execute(
    ("%s %s %s -p %s/ -c nginx.conf -e error.log 2>%s/start.log"):format(
      paths,
      more.under or "",
      command,
      directory,
      directory
    )
  )
  return ok == true or ok == 0
end

-- Starts nginx. Fields of `more`:
--   locations      of the spec's own
--   outside        more of the http section, outside the server
--   configuration  another than ECHO
--   facts          words @NAME@ of these texts, beside @PORT@ and @SECOND@, the ports, and
--                  @DIRECTORY@ and @ROOT@, its directory and that of the sources
--   installed      where the module is
--   errors         the text of lines that may be logged as errors
--   under          a command that runs nginx
--   prepare        a function that writes more into its directory
-- The process id selects the ports, so that specs that run side by side try different ones.
local function start(running, more)
  local directory, first = shell "mktemp -d", 20000 + tonumber(shell "echo $$") % 300 * 40
  write_certificate(directory)
  if more.prepare then
    more.prepare(directory)
  end
  for port = first, first + 38, 2 do
    if start_at(port, directory, more) then
      running.directory, running.port, running.second_port = directory, port, port + 1
      running.url, running.tls_url = "http://127.0.0.1:" .. port, "https://127.0.0.1:" .. port + 1
      return
    end
  end
  error("nginx does not start: " .. support.read(directory .. "/start.log"))
end

-- Stops it and removes its directory. An error if it has logged one. The last thing that nginx does
-- is to remove the file of its process id.
local function stop(running, errors)
  if not running.directory then
    return -- it has not started, as `setup` says
  end
  shell(
    "cd "
      .. running.directory
      .. " && kill -QUIT $(cat nginx.pid)\n"
      .. "i=0; while [ -f nginx.pid ] && [ $i -lt 400 ]; do sleep 0.025; i=$((i + 1)); done"
  )
  local log = support.read(running.directory .. "/error.log")
  shell("rm -r " .. running.directory)
  for line in log:gmatch "[^\n]+" do
    if
      line:find("[alert]", 1, true)
      or line:find("[error]", 1, true) and not (errors and line:find(errors, 1, true))
    then
      error(line, 0)
    end
  end
end

-- An nginx for a spec: what it is when it runs, and the functions for `setup` and `teardown`.
function server.plan(more)
  local running = {}
  return running,
    function()
      start(running, more or {})
    end,
    function()
      stop(running, more and more.errors)
    end
end

-- What curl prints, asked for a path.
function server.fetch(running, path, words)
  return shell(("curl -s -m 20 %s '%s%s'"):format(words or "", running.url, path))
end

-- --- programs ---------------------------------------------------------------------

-- The shell's text of a command with the modules for this Lua, which prints to one stream. It ends
-- after ten minutes, and says so: on a machine that does much else, programs of one minute take
-- several.
function server.command(lua, command, settings)
  local paths = (
    "LUA_CPATH='build/%s/?.so;%s;;' " .. "LUA_PATH='src/?.lua;spec/lib/?.lua;spec/?.lua;%s;;'"
  ):format(
    lua,
    os.getenv("CLIENTS_CPATH_" .. lua:gsub("%.", "")) or "",
    os.getenv "CLIENTS_PATH" or ""
  )
  return ("%s %s timeout --verbose 600 %s 2>&1"):format(paths, settings or "", command)
end

-- Runs it, and returns what it printed.
function server.run(lua, command, settings)
  return shell(server.command(lua, command, settings))
end

-- Runs commands, some at a time, so that what one waits for costs the others nothing. Returns what
-- each printed.
function server.run_all(running, commands)
  for i, command in ipairs(commands) do
    support.write(
      ("%s/%d.sh"):format(running.directory, i),
      ("{ %s; } >%s/%d.out"):format(command, running.directory, i)
    )
  end
  shell(("ls %s/*.sh | xargs -P 8 -n 1 sh"):format(running.directory))
  local texts = {}
  for i = 1, #commands do
    texts[i] = support.read(("%s/%d.out"):format(running.directory, i)):gsub("\n$", "")
  end
  return texts
end

-- Runs code in the server's directory.
function server.run_code(running, lua, code, words, settings)
  support.write(running.directory .. "/code.lua", code)
  return server.run(
    lua,
    ("%s %s/code.lua %s"):format(lua, running.directory, words or ""),
    settings
  )
end

function server.has_module(lua, module)
  return server.run(lua, ("%s -e 'require [[%s]] print [[yes]]'"):format(lua, module)) == "yes"
end

-- Has apt this package?
function server.is_packaged(package)
  return package
    and shell(("apt-cache show %s >/dev/null 2>&1 && echo yes"):format(package)) == "yes"
end

-- Those of these interpreters, of all unless given, for which lua-cjson and LuaSocket are here, and
-- the others. $LUAS names those that a run of mutants is content with.
function server.luas(luas)
  local found, missing, only = {}, {}, os.getenv "LUAS"
  for _, lua in ipairs(luas or { "lua5.1", "lua5.2", "lua5.3", "lua5.4", "luajit" }) do
    if not only or (" " .. only .. " "):find(" " .. lua .. " ", 1, true) then
      local printed =
        server.run(lua, lua .. " -e 'require [[cjson]] require [[socket]] print [[yes]]'")
      local list = printed == "yes" and found or missing
      list[#list + 1] = lua
    end
  end
  return found, missing
end

return server

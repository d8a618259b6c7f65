-- A real nginx for a spec: two workers on loopback, with its own
-- configuration and directory, stopped by its pid.
local support = require "support"
local server = {}

local function read(path)
  local file = io.open(path, "rb")
  if not file then return nil end
  local text = file:read("*a")
  file:close()
  return text
end

-- Runs a shell command; returns what it printed, without the last newline.
function server.shell(command)
  local pipe = assert(io.popen(command))
  local text = pipe:read("*a")
  pipe:close()
  return (text:gsub("\n$", ""))
end

-- Those of these interpreters for which lua-cjson and LuaSocket are here: .ci/test prints
-- NOT RUN for one of the others.
function server.with_modules(luas)
  local found = {}
  for _, lua in ipairs(luas) do
    local command = lua .. " -e 'require [[cjson]] require [[socket]]' >/dev/null 2>&1 && echo yes"
    if server.shell(command) == "yes" then found[#found + 1] = lua end
  end
  return found
end

-- The first of 40 ports among the 10,000 from `base` on. The process id selects them, so that
-- specs that run side by side try different ports.
function server.first_port(base)
  return base + tonumber(server.shell "echo $$") % 250 * 40
end

-- spec/wire/nginx.conf with these ports, and with the spec's own text at the end of
-- its http section.
local function configuration(port, api_port, own)
  local text = read("spec/wire/nginx.conf"):gsub("127%.0%.0%.1:8080", "127.0.0.1:" .. port)
    :gsub("8081", tostring(api_port))
  local http = assert(text:match "^(.*\n)}\n$", "expected the http section at the end of nginx.conf")
  return http .. "  keepalive_requests 100000;\n" .. own .. "}\n"
end

local function modules_directory()
  for _, directory in ipairs { "/usr/lib/nginx/modules", "/usr/lib64/nginx/modules" } do
    if read(directory .. "/ngx_http_lua_module.so") then return directory end
  end
  error("expected nginx's Lua module (Debian: libnginx-mod-http-lua)")
end

-- What comes before nginx.conf: the Lua module, which OpenResty has built in.
local function start_at(port, directory, own, api_port, installed)
  local modules, root = modules_directory(), server.shell "pwd"
  local head = ("load_module %s/ndk_http_module.so;\nload_module %s/ngx_http_lua_module.so;\n"):format(modules, modules)
  if server.shell "id -u" == "0" then head = "user root;\n" .. head end
  own = own:gsub("@OWN@", tostring(port + 1))
  support.write(directory .. "/nginx.conf", head .. configuration(port, api_port or port + 1, own))
  return os.execute(("LUA_CPATH='%s/?.so;;' LUA_PATH='%s/?.lua;;' nginx -p %s/ -c nginx.conf -e error.log 2>%s/start.log")
    :format(installed or root .. "/build/luajit", installed or root .. "/src", directory, directory))
end

-- Starts nginx with spec/wire/nginx.conf and more of the spec's own, where @OWN@
-- stands for its port. The API is there, or at `api_port`. The module is the one that was
-- built, or in the directory `installed`. Returns the running server.
function server.start(own, api_port, installed)
  local directory = server.shell("mktemp -d")
  local first = server.first_port(20000)
  for port = first, first + 40, 2 do
    local ok = start_at(port, directory, own, api_port, installed)
    if ok == true or ok == 0 then
      return { directory = directory, port = port, own_port = port + 1, pid = read(directory .. "/nginx.pid") }
    end
  end
  error("nginx does not start: " .. (read(directory .. "/start.log") or ""))
end

-- Stops it and removes its directory. Returns what it logged.
function server.stop(running)
  local pid = running.pid:match("%d+")
  server.shell("kill -QUIT " .. pid .. "; i=0; while kill -0 " .. pid ..
    " 2>/dev/null && [ $i -lt 100 ]; do sleep 0.1; i=$((i + 1)); done")
  local log = read(running.directory .. "/error.log")
  server.shell("rm -r " .. running.directory)
  return log
end

return server

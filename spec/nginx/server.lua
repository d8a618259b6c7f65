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

-- The first of 40 ports that no other spec tries at this time: of 10,000 from `base` on.
function server.first_port(base)
  return base + tonumber(server.shell "echo $$") % 250 * 40
end

-- The http section of the README's OpenResty part.
local function readme_configuration()
  local blocks = {}
  for block in read("README.md"):gmatch("```nginx\n(.-)```") do blocks[#blocks + 1] = block end
  assert(#blocks == 1, "expected one nginx block in the README")
  return blocks[1]
end

-- The README's programs by name: the blocks that have a file's name beside the
-- language.
function server.programs()
  local found = {}
  for name, code in read("README.md"):gmatch("\n```lua ([%w_]+%.lua)\n(.-)```") do found[name] = code end
  return found
end

local MAIN = [[
%s
worker_processes 2;
pid nginx.pid;
error_log error.log warn;
load_module %s/ndk_http_module.so;
load_module %s/ngx_http_lua_module.so;
events { worker_connections 1024; }
http {
  access_log off;
  keepalive_requests 100000;
  lua_package_cpath "%s/?.so;;";
  client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi; scgi_temp_path scgi;
%s
%s
}
]]

local function modules_directory()
  for _, directory in ipairs { "/usr/lib/nginx/modules", "/usr/lib64/nginx/modules" } do
    if read(directory .. "/ngx_http_lua_module.so") then return directory end
  end
  error("expected nginx's Lua module (Debian: libnginx-mod-http-lua)")
end

local function start_at(port, directory, own, upstream)
  local readme = readme_configuration():gsub("127%.0%.0%.1:8080", "127.0.0.1:" .. port)
    :gsub("8081", tostring(upstream or port + 1))
  local modules, build = modules_directory(), server.shell("pwd") .. "/build/luajit"
  local user = server.shell("id -u") == "0" and "user root;" or ""
  own = own:gsub("@OWN@", tostring(port + 1))
  support.write(directory .. "/nginx.conf", MAIN:format(user, modules, modules, build, readme, own))
  return os.execute("nginx -p " .. directory .. "/ -c nginx.conf -e error.log 2>" .. directory .. "/start.log")
end

-- Starts nginx with the README's configuration and one of the spec's own,
-- where @OWN@ stands for its port; the README's API is there, or at the port
-- `upstream`. Returns the running server.
function server.start(own, upstream)
  local directory = server.shell("mktemp -d")
  local first = server.first_port(20000)
  for port = first, first + 40, 2 do
    local ok = start_at(port, directory, own, upstream)
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

-- What other parsers read in the URLs of random calls: the same host, port and path, and no dot
-- segment once the path is decoded. Under URLS=100000 it tries that many.
local endpoint = require "endpoint"
local differential = require "differential"
local support = require "support"
local judge_url = require "judge_url"
local server = require "wire.server"

local COUNT = tonumber(os.getenv "URLS") or 20000
local PORTS = { http = 80, https = 443, ws = 80, wss = 443, ftp = 21 }

-- The caller's whole URL, in whose host nothing is checked.
local function whole_url(random)
  local starts = { "http://h.example", "https://u:p@h:80", "WS://[::1]", "wss://h.", "ftp://H:0021" }
  local ends = { "/", "?", "#" }
  local url = starts[random(#starts)] .. ends[random(#ends)] .. differential.random_text(random)
  return { given = { baseUrl = "", url = { "{+u}" }, method = "POST", parameters = { u = url } } }
end

-- Does RFC 3986 section 3.2 allow the authority? The module leaves it to templates that "[" and
-- ":" stand in their places, and parsers disagree on https://[::1]x and https://h:1:2.
local function has_authority(url)
  local host = url:match "^%a+://([^/?#]*)":gsub("^.*@", ""):gsub(":%d*$", "")
  return host:find "^[%w%-._~!$&'()*+,;=%%]+$" or host:find "^%[[%x:.]+%]$"
end

-- URLs that the module lets pass, of schemes that clients send. All parsers read these.
local function passing_urls(count)
  local random, urls, known = support.random(20240711), {}, {}
  while #urls < count do
    local call = random(5) == 1 and whole_url(random) or differential.random_call(random)
    local ok, result = pcall(endpoint.parse, differential.options(call.given))
    local scheme = ok and result.url:match "^(%a+)://"
    if scheme and PORTS[scheme:lower()] and has_authority(result.url) and not known[result.url] then
      urls[#urls + 1], known[result.url] = result.url, true
    end
  end
  return urls
end

local urls = passing_urls(COUNT)

-- --- what is expected ---------------------------------------------------------------

local function decoded_once(path)
  return (path:gsub("%%(%x%x)", function(digits) return string.char(tonumber(digits, 16)) end))
end

local function has_dots(path)
  for segment in (decoded_once(path):gsub("\\", "/") .. "/"):gmatch "([^/]*)/" do
    local counted = segment:match "^[^;]*"
    if counted == "." or counted == ".." then return true end
  end
  return false
end

-- Parsers that follow the WHATWG's URL standard make IPv4 addresses of such hosts, and write
-- IPv6 addresses in their shortest form.
local function is_normalised(host)
  return host:find "%f[^.\0]%d[%w]*%.?$" ~= nil or host:find "^%[" ~= nil
end

-- What differs, or nil. `read` has host, port and path.
local function difference(url, read)
  local scheme, _, host, port, path = judge_url.read(url)
  local read_host, own_host = read.host:lower():gsub("[%[%]]", ""), host:lower():gsub("[%[%]]", "")
  if read_host ~= own_host and not is_normalised(host) then return "host" end
  if (tonumber(read.port) or PORTS[scheme:lower()]) ~= (tonumber(port) or PORTS[scheme:lower()]) then return "port" end
  if read.path ~= path and (read.path ~= "/" or path ~= "") then return "path" end
  if has_dots(read.path) then return "dot segment" end
end

-- Compares what one parser read, a list of tables, or false for what it refused.
local function compare(list)
  local refused = 0
  assert.equal(#urls, #list)
  for i, url in ipairs(urls) do
    local what = list[i] and difference(url, list[i])
    if what then error(("another %s in %s: %s"):format(what, url, support.shown(list[i]))) end
    refused = refused + (list[i] and 0 or 1)
  end
  assert.is_true(refused < #urls / 10, refused .. " refused")
end

-- --- the parsers ----------------------------------------------------------------------

local function is_program(name)
  return server.shell("command -v " .. name) ~= ""
end

local function read_by_program(command)
  local path, list = os.tmpname(), {}
  support.write(path, table.concat(urls, "\n") .. "\n")
  for line in (server.shell(command .. " <" .. path) .. "\n"):gmatch "([^\n]*)\n" do
    local host, port, rest = line:match "^([^\t]*)\t([^\t]*)\t([^\t]*)$"
    assert(host or line == "refused", line)
    list[#list + 1] = host and { host = host, port = port, path = rest } or false
  end
  os.remove(path)
  return list
end

local function read_by_luasocket(parse)
  local list = {}
  for i, url in ipairs(urls) do
    local parsed = assert(parse(url))
    local path = (parsed.path or "") .. (parsed.params and ";" .. parsed.params or "")
    list[i] = { host = (parsed.host or ""):lower(), port = parsed.port or "", path = path }
  end
  return list
end

describe(("%d URLs of random calls"):format(COUNT), function()
  for _, case in ipairs { { "node", "node spec/wire/parsers.js" }, { "python3", "python3 spec/wire/parsers.py" } } do
    it("are read by " .. case[1] .. " as they are written", function()
      if not is_program(case[1]) then
        print(("\nURLs read by %s: NOT RUN (there is no %s)"):format(case[1], case[1]))
        pending("no " .. case[1])
      end
      compare(read_by_program(case[2]))
    end)
  end

  it("are read by LuaSocket as they are written", function()
    local ok, socket_url = pcall(require, "socket.url")
    if not ok then
      print "\nURLs read by LuaSocket: NOT RUN (there is no LuaSocket)"
      pending "no LuaSocket"
    end
    compare(read_by_luasocket(socket_url.parse))
  end)

  it("have many hosts, ports and paths", function()
    local hosts, ports, paths = {}, {}, {}
    for _, url in ipairs(urls) do
      local _, _, host, port, path = judge_url.read(url)
      hosts[host], ports[port], paths[path] = true, true, true
    end
    assert.is_true(#support.keys(hosts) > 50 and #support.keys(ports) > 5 and #support.keys(paths) > COUNT / 4,
      ("%d hosts, %d ports, %d paths"):format(#support.keys(hosts), #support.keys(ports), #support.keys(paths)))
  end)
end)

-- What other parsers read in the URLs of random calls, and in those of edited results that clients
-- send: the same host, port and path, from which no dot segment was removed. Under URLS=100000 it
-- tries that many of both.
local clients = require "endpoint.clients"
local endpoint = require "endpoint"
local differential = require "oracle.differential"
local support = require "support"
local judge_url = require "oracle.judge_url"
local server = require "server"

local COUNT = tonumber(os.getenv "URLS") or 10000
local PORTS = judge_url.PORTS

-- URLs that the module lets pass, of schemes that clients send. All parsers read these.
local function passing_urls(count)
  local random, urls, known = support.random(20240711), {}, {}
  while #urls < count do
    local ok, result =
      pcall(endpoint.parse, differential.options(differential.random_call(random).given))
    local scheme = ok and result.url:match "^(%a+)://"
    if scheme and PORTS[scheme:lower()] and not known[result.url] then
      urls[#urls + 1], known[result.url] = result.url, true
    end
  end
  return urls
end

-- URLs with random authorities that a client sends. A program may have written them into a result.
local PIECES = { "u", "h", "a.b", ":", ":", "@", "@", "8", "80", "%41", "%zz", "[", "]", "[::1]" }
for byte in ("\\\"<>^`|!$&'()*+,;=-._~"):gmatch "." do
  PIECES[#PIECES + 1] = byte
end
local function sent_urls(count)
  local random, urls, known = support.random(20261128), {}, {}
  while #urls < count do
    local pieces = {}
    for i = 1, random(7) do
      pieces[i] = PIECES[random(#PIECES)]
    end
    local url = ("http://%s/x"):format(table.concat(pieces))
    if not known[url] and pcall(clients.plain, { method = "get", url = url }) then
      urls[#urls + 1] = url
    end
    known[url] = true
  end
  return urls
end

-- Parsers that follow the WHATWG's URL standard make IPv4 addresses of such hosts, and write
-- IPv6 addresses in their shortest form.
local function is_normalised(host)
  return host:find "%f[^.\0]%d[%w]*%.?$" ~= nil or host:find "^%[" ~= nil
end

-- What differs, or nil. line: what a parser read: host, port and path, with tabs between them.
local function difference(url, line)
  local scheme, _, host, port, path = judge_url.read(url)
  local read_host, read_port, read_path = line:match "^([^\t]*)\t([^\t]*)\t([^\t]*)$"
  if not read_host then
    return "line"
  end
  local hosts_differ = read_host:lower():gsub("[%[%]]", "") ~= host:lower():gsub("[%[%]]", "")
  if hosts_differ and not is_normalised(host) then
    return "host"
  end
  if
    (tonumber(read_port) or PORTS[scheme:lower()]) ~= (tonumber(port) or PORTS[scheme:lower()])
  then
    return "port"
  end
  if read_path ~= path and (read_path ~= "/" or path ~= "") then
    return "path"
  end
end

-- A program that prints for each line host, port and path with tabs between them, or "refused".
local NODE = [[const lines = require("fs").readFileSync(0, "latin1").trimEnd().split("\n");
  process.stdout.write(lines.map((line) => {
  try {
    const url = new URL(line);
    return [url.hostname, url.port, url.pathname].join("\t") + "\n";
  }
  catch (error) { return "refused\n"; }
}).join(""))]]
local function node(urls)
  local path = os.tmpname()
  support.write(path, table.concat(urls, "\n") .. "\n")
  local lines = server.shell(("node -e '%s' <%s"):format(NODE, path))
  os.remove(path)
  return lines .. "\n"
end

local function luasocket(urls)
  local lines, parse = {}, require "socket.url".parse
  for i, url in ipairs(urls) do
    local parsed = parse(url)
    local path = (parsed.path or "") .. (parsed.params and ";" .. parsed.params or "")
    lines[i] = ("%s\t%s\t%s\n"):format(parsed.host or "", parsed.port or "", path)
  end
  return table.concat(lines)
end

for what, urls in pairs {
  ["URLs of random calls"] = passing_urls(COUNT),
  ["URLs with random authorities that clients send"] = sent_urls(COUNT),
} do
  describe(("%d %s"):format(COUNT, what), function()
    for name, read in pairs { node = node, LuaSocket = luasocket } do
      it("are read by " .. name .. " as they are written, but for a few that it refuses", function()
        local count, refused = 0, 0
        for line in read(urls):gmatch "([^\n]*)\n" do
          count = count + 1
          local differs = line ~= "refused" and difference(urls[count], line)
          if differs then
            error(("another %s in %s: %s"):format(differs, urls[count], support.shown(line)))
          end
          refused = refused + (line == "refused" and 1 or 0)
        end
        assert.equal(#urls, count)
        assert.is_true(refused < #urls / 10, refused .. " refused")
      end)
    end
  end)
end

-- endpoint.request, under each Lua and with each client that is here: each promise of docs/request.md, against
-- an nginx that plays the API, over TLS with an authority of its own.
local server = require "wire.server"
local support = require "support"

-- The interpreters and clients that go together.
local PAIRS = {}
for _, lua in ipairs(server.luas()) do
  for client, module in pairs { luasocket = "ssl.https", curl = "curl", lua_http = "http.request" } do
    if server.has_module(lua, module) then PAIRS[#PAIRS + 1] = { lua, client } end
  end
end

-- --- TLS --------------------------------------------------------------------------

-- What the authority signs; the certificate of each line is that of the loopback address 127.0.0.N.
local CERTIFICATES = {
  { "right", "DNS:api.example,DNS:*.wild.example,IP:127.0.0.1" },
  { "other", "DNS:other.example,IP:127.0.0.9" },
  { "expired", "DNS:api.example,IP:127.0.0.3", dates = "-startdate 20200101000000Z -enddate 20200201000000Z" },
  { "self", "DNS:api.example,IP:127.0.0.4", signed = "-selfsign -keyfile self.key" },
  { "unknown", "DNS:api.example,IP:127.0.0.5", signed = "-cert stranger.pem -keyfile stranger.key" },
  { "nul", "DNS:*.example,DNS:*,DNS:api.example.evil.example,DNS:127.0.0.6" },
}

local AUTHORITY = [[
cd DIRECTORY && touch index.txt && cat >ca.cnf <<'END'
[ca]
default_ca = own
[own]
database = index.txt
new_certs_dir = .
rand_serial = yes
unique_subject = no
default_md = sha256
policy = any
[any]
commonName = supplied
END
new='openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes'
for name in authority stranger; do $new -x509 -days 2 -keyout $name.key -out $name.pem -subj /CN=$name; done
]]

local SIGN = [[
$new -keyout NAME.key -out NAME.csr -subj /CN=api.example
printf 'basicConstraints=CA:FALSE\nsubjectAltName=%s\n' NAMES >NAME.ext
openssl ca -batch -config ca.cnf -in NAME.csr -out NAME.pem -extfile NAME.ext -notext SIGNED DATES
]]

-- Makes the certificates, and returns a server for each, which logs a connection if one byte of a request arrived.
local function write_certificates(directory)
  local commands, servers = { (AUTHORITY:gsub("DIRECTORY", directory)) }, {}
  for number, row in ipairs(CERTIFICATES) do
    local facts = { NAME = row[1], NAMES = row[2], DATES = row.dates or "-days 2",
      SIGNED = row.signed or "-cert authority.pem -keyfile authority.key" }
    commands[#commands + 1] = SIGN:gsub("%u+", facts)
    servers[number] = ([[
      server { listen 127.0.0.%d:@SECOND@ ssl; ssl_certificate %s/%s.pem; ssl_certificate_key %s/%s.key;
        access_log bytes.log; location / { return 200 "sent"; } }]])
      :format(number, directory, row[1], directory, row[1])
  end
  support.write(directory .. "/certificates.sh", table.concat(commands))
  local said = server.shell("sh -e " .. directory .. "/certificates.sh 2>&1; echo status $?")
  assert(said:find "status 0$", said)
  return table.concat(servers, "\n")
end

-- The host that is asked for, the number of the certificate that is shown, and whether anything is sent.
local HOSTS = {
  { "api.example", 1, true }, { "API.Example", 1, true }, { "api.example", 2 }, { "other.example", 2, true },
  { "example", 1 }, { "api.example.evil", 1 }, { "evil.api.example", 1 },
  { "a.wild.example", 1, true }, { "A.WILD.example", 1, true }, { "a.b.wild.example", 1 }, { "wild.example", 1 },
  { "127.0.0.1", 1, true }, { "127.0.0.2", 2 }, { "127.0.0.6", 6 },
  { "api.example", 3 }, { "api.example", 4 }, { "api.example", 5 }, { "127.0.0.4", 4 }, { "127.0.0.5", 5 },
  { "evil.example", 6 }, { "anything", 6 },
}

-- A proxy, which takes its own address for that of every host.
local PROXY = [[
local socket = require "socket"
local listener, other = assert(socket.bind("0.0.0.0", tonumber(arg[1]), 64)), {}
local function open(client)
  local head = {}
  repeat head[#head + 1] = client:receive() until head[#head] == "" or #head > 99
  local upstream = socket.connect((client:getsockname()), head[1]:match ":(%d+)[/ ]")
  if head[1]:find "^CONNECT" then
    client:send "HTTP/1.1 200 OK\r\n\r\n"
  else
    upstream:send(table.concat(head, "\r\n"):gsub(" %a+://[^/]*", " /proxied", 1) .. "\r\n")
  end
  other[client], other[upstream] = upstream, client
end
while true do
  local list = { listener }
  for peer in pairs(other) do list[#list + 1] = peer end
  for _, peer in ipairs((socket.select(list))) do
    if peer == listener then
      open(peer:accept())
    elseif other[peer] then
      peer:settimeout(0)
      local piece, problem, part = peer:receive(8192)
      other[peer]:send(piece or part)
      if problem == "closed" then
        local upstream = other[peer]
        upstream:close()
        peer:close()
        other[peer], other[upstream] = nil, nil
      end
    end
  end
end
]]

-- Asks for each host, whose certificate is at that address. LuaSocket has no proxy for TLS, but a
-- connection that a spec can turn.
local TLS_CODE = [[
local endpoint, request = require "endpoint", require "endpoint.request"
local client, cafile, port, proxy_port = arg[1], arg[2], arg[3], arg[4]
local address
if client == "luasocket" then
  local tcp = getmetatable(require "socket".tcp()).__index
  local connect = tcp.connect
  function tcp.connect(self, _, ...) return connect(self, address, ...) end
end
for host, number in (arg[5] .. " "):gmatch "(%S+)=(%d) " do
  address = "127.0.0." .. number
  local api = endpoint.defaults { baseUrl = "https://" .. host .. ":" .. port, headers = { authorization = "0123" } }
  local proxy = client ~= "luasocket" and host:find "%a" and "http://" .. address .. ":" .. proxy_port or nil
  local ok, said = pcall(request.new(api, { client = client, cafile = cafile, proxy = proxy }), "POST /x", { secret = "x" })
  print(ok and said or tostring(said):gsub("[^:]*:%d+: ", "", 1))
end
]]

describe("endpoint.request over TLS", function()
  local more = { errors = "" }
  local directory, proxy_port
  local running, start, stop = server.plan(more)
  setup(function()
    directory = server.shell "mktemp -d"
    more.outside = write_certificates(directory)
    start()
    proxy_port = running.port + 1000
    support.write(directory .. "/proxy.lua", PROXY)
    server.run("lua5.4", ("sh -c 'cd %s && lua5.4 proxy.lua %d >proxy.log 2>&1 & echo $! >%s/proxy.pid'")
      :format(directory, proxy_port, directory))
  end)
  teardown(function()
    stop()
    server.shell("kill $(cat " .. directory .. "/proxy.pid); cat " .. directory .. "/proxy.log; rm -r " .. directory)
  end)

  -- The first bytes of the requests since the last call.
  local at = 0
  local function logged()
    local log = support.read(running.directory .. "/bytes.log")
    local new = log:sub(at + 1)
    at = #log
    return new
  end

  for _, pair in ipairs(PAIRS) do
    local lua, client = pair[1], pair[2]
    it(("sends to the host that it asked for, and not one byte to another, with %s on %s"):format(client, lua), function()
      local words, expected, count = {}, {}, 0
      for i, row in ipairs(HOSTS) do
        words[i] = row[1] .. "=" .. row[2]
        expected[i] = words[i] .. (row[3] and " sent" or " refused")
        count = count + (row[3] and 1 or 0)
      end
      local text = server.run_code(running, lua, TLS_CODE, ("%s %s/authority.pem %s %s '%s'"):format(client, directory,
        running.second_port, proxy_port, table.concat(words, " ")))
      local seen, number = {}, 0
      for line in text:gmatch "[^\n]+" do
        number = number + 1
        seen[number] = (words[number] or "") .. (line == "sent" and " sent" or " refused")
        assert.truthy(line == "sent" or line:find "^POST /x: " and line:lower():find "cert", line)
      end
      assert.same(expected, seen)
      local _, requests = logged():gsub("[^\n]+", "")
      assert.equal(count, requests)
    end)
  end
end)

-- --- the API ----------------------------------------------------------------------

-- /wait and /lost fail the first `times` times; /raw answers with the bytes of `text` alone.
local API = [[
rewrite_by_lua_block { require "wire.echo".record() }
location /items { content_by_lua_block {
  local page = tonumber(ngx.var.arg_page or 1)
  if page < 3 then ngx.header.link = '<?page=' .. page + 1 .. '>; rel="next"' end
  ngx.header.content_type = "application/vnd.x+json; charset=utf-8"
  ngx.print(page == 2 and "[]" or '[{"n": ' .. page .. '}, {"n": null}]')
} }
location /cursor { content_by_lua_block {
  local after = tonumber(ngx.var.arg_after or 0)
  ngx.header.content_type = "application/json"
  local link = ngx.var.arg_link and ('"@odata.nextLink": "/cursor?after=%d&link=1&f=a b", '):format(after + 1) or ""
  ngx.print(('{%s"data": [{"id": %d}], "has_more": %s}'):format(after < 2 and link or "", after + 1, after < 2))
} }
location /echo { content_by_lua_block {
  ngx.req.read_body()
  ngx.header.content_type = ngx.req.get_uri_args().type
  ngx.print(ngx.req.get_body_data() or "")
} }
location /fail { content_by_lua_block {
  local args, asked = ngx.req.get_uri_args(), package.loaded
  ngx.req.read_body()
  asked[args.id] = (asked[args.id] or 0) + 1
  if asked[args.id] <= tonumber(args.times) then
    if args.status == "0" then return ngx.exit(444) end
    ngx.status = tonumber(args.status)
    ngx.header["retry-after"] = args.seconds and ngx.http_time(ngx.time() + args.seconds) or args.after
    if args.reset then
      ngx.header["x-ratelimit-remaining"], ngx.header["x-ratelimit-reset"] = "0", ngx.time() + args.reset
    end
  end
  ngx.header.content_type = "text/plain"
  ngx.print(asked[args.id])
} }
location /answer { content_by_lua_block {
  local args = ngx.req.get_uri_args()
  ngx.status = tonumber(args.status or 200)
  ngx.header.content_type = args.type or "application/json"
  ngx.header.link, ngx.header.location, ngx.header["content-encoding"] = args.link, args.location, args.coding
  ngx.print(args.text or "")
} }
location /raw { content_by_lua_block {
  local args, socket = ngx.req.get_uri_args(), ngx.req.socket(true)
  socket:send((args.text:gsub("{(%d+)}", function(count) return ("x-header: 1\r\n"):rep(count) end)))
  if args.seconds then ngx.sleep(args.seconds) end
  ngx.exit(444)
} }
]]

-- What stands above the snippets. `slept` records what the program would have slept.
local HEAD = [[
local endpoint, request = require "endpoint", require "endpoint.request"
local clients = require "endpoint.clients"
local base = os.getenv "API"
local api = endpoint.defaults { baseUrl = base, headers = { authorization = "Bearer 0123" } }
local slept, asked = {}, 0
local function with(settings)
  settings.client, settings.cafile = settings.client or os.getenv "CLIENT", os.getenv "CA"
  settings.sleep = settings.sleep or function(seconds) slept[#slept + 1] = math.floor(seconds + 0.5) end
  return request.new(settings.api or api, settings)
end
local send = with {}
local function message_of(f, ...)
  local ok, failure = pcall(f, ...)
  assert(not ok, "expected an error")
  return (tostring(failure):gsub("^%S*code.lua:%d+: ", "", 1))
end
local function fail(query, method) -- with an id of its own
  asked = asked + 1
  return ("%s /fail?id=%s-%d&%s"):format(method or "GET", arg[1], asked, query)
end
local function raw(text, more)
  local options = { text = text:gsub("\n", "\r\n") }
  for name, value in pairs(more or {}) do options[name] = value end
  return "GET /raw{?text,seconds}", options
end
]]

-- What it does, a snippet, and the lines that the snippet prints. URL is the server's address, TLS that over TLS.
local ROWS = {
  { "walks through pages",
    'for item in send.each("GET /items", { q = "x" }) do print(item.n == endpoint.null or math.floor(item.n)) end',
    { "1", "true", "3", "true" } },
  { "sends a table and decodes the answer, by content type alone", [[
    local note, answer = send("POST /echo?type=application/json", { title = "Bug" })
    print(note.title, answer.status, answer.headers["content-type"], answer.text)
    for _, kind in ipairs { "text/plain", "application/json-seq", "application/x-ndjson" } do
      print(send("POST /echo?type=" .. kind, { data = "[1]" }) == "[1]")
    end
    print(send "GET /answer?status=204", send("HEAD /items"), send("GET /answer?text=null") == endpoint.null)
    print(message_of(send, "GET /answer", { text = "{S3CRET" }))]],
    { 'Bug\t200\tapplication/json\t{"title":"Bug"}', "true", "true", "true", "nil\tnil\ttrue",
      "GET /answer: the answer is no JSON" } },
}

describe("endpoint.request", function()
  local running, start, stop = server.plan { locations = API, errors = "" }
  setup(start)
  teardown(stop)

  local function at_home(text)
    local places = { TLS = running.tls_url, URL = running.url, HOST = running.url:sub(8), PORT = running.port }
    return (text:gsub("%u+", places))
  end

  for _, pair in ipairs(PAIRS) do
    local lua, client = pair[1], pair[2]
    for _, base in ipairs { "URL", "TLS" } do
      it(("does what it promises, with %s on %s, at its %s"):format(client, lua, base), function()
        local code = { HEAD }
        for _, row in ipairs(ROWS) do
          code[#code + 1] = ("do\n  slept = {}\n%s\nend\nprint '--'\n"):format(row[2])
        end
        local text = server.run_code(running, lua, table.concat(code), lua .. client .. base,
          at_home(("API=%s CLIENT=%s CA=%s/certificate.pem"):format(base, client, running.directory)))
        local printed = {}
        for lines in text:gsub("%.0(%s)", "%1"):gmatch "(.-)%-%-\n?" do printed[#printed + 1] = lines end
        for i, row in ipairs(ROWS) do
          local expected = at_home(table.concat(row[3], "\n"):gsub("BASE", base)) .. "\n"
          assert.equal(row[1] .. "\n" .. expected, row[1] .. "\n" .. (printed[i] or text))
        end
      end)
    end
  end
end)

-- endpoint.request, under each Lua and with each client that is here: each promise of docs/request.md, against
-- an nginx that plays the API, over TLS with an authority of its own.
local echo = require "echo"
local server = require "server"
local support = require "support"

-- The interpreters and clients that go together. Of "nginx" the programs run inside the server that they ask.
local PAIRS = { { "nginx", "resty_http" } }
for _, lua in ipairs(server.luas()) do
  for module, client in pairs { ["ssl.https"] = "luasocket", curl = "curl", cURL = "curl" } do
    if server.has_module(lua, module) then PAIRS[#PAIRS + 1] = { lua, client } end
  end
end

-- The location of nginx that runs a program: a file, the words of its command line, and its environment.
local RUN = [[
location = /run { content_by_lua_block {
  local args, chunk = ngx.req.get_uri_args(), assert(loadfile(ngx.req.get_uri_args().file))
  local system = setmetatable({ getenv = function(name) return args[name] end }, { __index = os })
  local own = { arg = {}, os = system }
  for word in args.words:gmatch "%S+" do own.arg[#own.arg + 1] = word end
  function own.print(...)
    local words = { ... }
    for i = 1, select("#", ...) do words[i] = tostring(words[i]) end
    ngx.print(table.concat(words, "\t"), "\n")
  end
  local ok, problem = pcall(setfenv(chunk, setmetatable(own, { __index = _G })))
  if not ok then ngx.print(tostring(problem)) end
} }
]]

-- The shell's text that runs a program of the server's directory, with these words and this environment.
local function command_of(running, lua, file, words, environment)
  file = running.directory .. "/" .. file
  local settings = {}
  if lua == "nginx" then
    for name, value in pairs(environment) do settings[#settings + 1] = ("--data-urlencode '%s=%s'"):format(name, value) end
    return ("curl -s -m 120 -G --data-urlencode file=%s --data-urlencode 'words=%s' %s %s/run"):format(file, words,
      table.concat(settings, " "), running.url)
  end
  for name, value in pairs(environment) do settings[#settings + 1] = name .. "=" .. value end
  return server.command(lua, ("%s %s %s"):format(lua, file, words), table.concat(settings, " "))
end

-- Runs commands, some at a time, so that what one waits for costs the others nothing. Returns what each printed.
local function run_all(running, commands)
  for i, command in ipairs(commands) do
    support.write(("%s/%d.sh"):format(running.directory, i), ("{ %s; } >%s/%d.out"):format(command, running.directory, i))
  end
  server.shell(("ls %s/*.sh | xargs -P 8 -n 1 sh"):format(running.directory))
  local texts = {}
  for i = 1, #commands do texts[i] = support.read(("%s/%d.out"):format(running.directory, i)):gsub("\n$", "") end
  return texts
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
  { "long", "DNS:*.cut.example", version = "TLSv1.2" },
  { "longer", "DNS:*.cut.example", version = "TLSv1.3" },
  { "asking", "DNS:asking.example", asks = true },
}

-- Says whose certificate the client shows.
local ASKING = [[ssl_client_certificate %s/authority.pem; ssl_verify_client on;
  location / { return 200 "$ssl_client_verify $ssl_client_s_dn"; }]]

-- A body without a length, longer than what the proxy lets through of a host "fin" or "rst".
local LONG = [[ssl_protocols %s; location / { content_by_lua_block {
  local socket = ngx.req.socket(true)
  socket:send("HTTP/1.1 200 OK\r\n\r\n" .. ("x"):rep(200000))
} }]]

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
        %s }]])
      :format(number, directory, row[1], directory, row[1],
      row.version and LONG:format(row.version) or row.asks and ASKING:format(directory)
        or 'access_log bytes.log; location / { return 200 "sent"; }')
  end
  commands[#commands + 1] = "cat right.pem right.key >both.pem\n"
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

-- A proxy, which takes its own address for that of every host. It cuts off the answers of hosts "fin" and "rst".
local PROXY = [[
local socket = require "socket"
local listener, other, left = assert(socket.bind("0.0.0.0", 0, 64)), {}, {}
print((select(2, listener:getsockname())))
io.stdout:flush()
local function open(client)
  local head = {}
  repeat head[#head + 1] = client:receive() until head[#head] == "" or #head > 99
  if not table.concat(head):find "[Pp]roxy%-[Aa]uthorization: Basic bWU6cHc=" then
    client:send "HTTP/1.1 407 Whose?\r\ncontent-length: 0\r\n\r\n"
    return client:close()
  end
  local upstream = socket.connect((client:getsockname()), head[1]:match ":(%d+)[/ ]")
  client:setoption("tcp-nodelay", true)
  upstream:setoption("tcp-nodelay", true)
  if head[1]:find "^CONNECT" then
    client:send("HTTP/1.1 200 OK\r\n\r\n" .. (head[1]:find "early" and "too early" or ""))
  else
    upstream:send(table.concat(head, "\r\n"):gsub(" %a+://[^/]*", " /proxied", 1) .. "\r\n")
  end
  other[client], other[upstream], left[upstream] = upstream, client, head[1]:find " fin" and 1e5
  if head[1]:find " rst" then
    left[upstream] = 1e5
    client:setoption("linger", { on = true, timeout = 0 })
  end
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
      left[peer] = left[peer] and left[peer] - #(piece or part)
      if problem == "closed" or left[peer] and left[peer] < 0 then
        local upstream = other[peer]
        upstream:close()
        peer:close()
        other[peer], other[upstream] = nil, nil
      end
    end
  end
end
]]

-- Asks for each host, whose certificate is at that address; a name by the proxy there.
local TLS_CODE = [[
local endpoint, request = require "endpoint", require "endpoint.request"
local client, cafile, port, proxy_port, host_port = arg[1], arg[2], arg[3], arg[4], arg[5]
if client == "resty_http" then cafile = nil end
for i = 6, #arg do
  local host, number = arg[i]:match "(%S+)=(%d)"
  local api = endpoint.defaults { baseUrl = "https://" .. host .. ":" .. port, headers = { authorization = "0123" } }
  local proxy = host:find "%a" and "http://me:pw@127.0.0." .. number .. ":" .. proxy_port or nil
  local ok, said = pcall(request.new(api, { client = client, cafile = cafile, proxy = proxy }), "POST /x", { secret = "x" })
  print(ok and said or tostring(said):gsub("[^:]*:%d+: ", "", 1))
end
local named = endpoint.defaults { baseUrl = "https://api.example:" .. port }
print(select(2, pcall(request.new(named, { client = client, proxy = "http://127.0.0.1:" .. proxy_port }), "POST /x")))
local early = endpoint.defaults { baseUrl = "https://early.example:" .. port }
print(select(2, pcall(request.new(early, { client = client, proxy = "http://me:pw@127.0.0.1:" .. proxy_port }), "POST /x")))
for number = 7, 8 do
  for _, host in ipairs { "whole", "fin", "rst" } do
    local cut = endpoint.defaults { baseUrl = "https://" .. host .. ".cut.example:" .. port }
    local settings = { client = client, cafile = cafile, proxy = "http://me:pw@127.0.0." .. number .. ":" .. proxy_port }
    print((pcall(request.new(cut, settings), "POST /x")))
  end
end
local asking = endpoint.defaults { baseUrl = "https://asking.example:" .. port }
for _, name in ipairs { "right", "both" } do
  local file, proxy = arg[2]:gsub("authority", name), "http://me:pw@127.0.0.9:" .. proxy_port
  local settings = { client = client, cafile = cafile, proxy = proxy, certificate = file }
  if name == "right" then
    settings.key = file:gsub("pem$", "key")
    print((pcall(request.new(asking, { client = client, cafile = cafile, proxy = proxy }), "POST /x")))
  end
  print((request.new(asking, settings)("POST /x")))
end
local plain = endpoint.defaults { baseUrl = "http://anything:" .. host_port }
print((request.new(plain, { client = client, proxy = "http://me:pw@127.0.0.1:" .. proxy_port })("GET /x?a=b")))
]]

describe("endpoint.request over TLS", function()
  local more = { errors = "", locations = RUN }
  local directory, proxy_port, texts
  local running, start, stop = server.plan(more)
  setup(function()
    directory = server.shell "mktemp -d"
    more.outside = write_certificates(directory) .. ("\nlua_ssl_trusted_certificate %s/authority.pem;"):format(directory)
    start()
    support.write(directory .. "/proxy.lua", PROXY)
    server.run("lua5.4", ("sh -c 'cd %s && lua5.4 proxy.lua >proxy.port 2>proxy.log & echo $! >%s/proxy.pid'")
      :format(directory, directory))
    proxy_port = server.shell(("cd %s; for i in $(seq 999); do [ -s proxy.port ] && break; sleep 0.02; done; cat proxy.port")
      :format(directory))
    support.write(running.directory .. "/code.lua", TLS_CODE)
    local commands, hosts = {}, {}
    for i, row in ipairs(HOSTS) do hosts[i] = row[1] .. "=" .. row[2] end
    for i, pair in ipairs(PAIRS) do
      commands[i] = command_of(running, pair[1], "code.lua", ("%s %s/authority.pem %s %s %s %s"):format(pair[2], directory,
        running.second_port, proxy_port, running.port, table.concat(hosts, " ")),
        { http_proxy = "127.0.0.1:1", https_proxy = "127.0.0.1:1" })
    end
    texts = run_all(running, commands)
  end)
  teardown(function()
    stop()
    server.shell("kill $(cat " .. directory .. "/proxy.pid); cat " .. directory .. "/proxy.log; rm -r " .. directory)
  end)

  for number, pair in ipairs(PAIRS) do
    local lua, client = pair[1], pair[2]
    it(("sends to the host that it asked for, and not one byte to another, with %s on %s"):format(client, lua), function()
      local expected, seen, lines = {}, {}, {}
      for line in texts[number]:gmatch "[^\n]+" do lines[#lines + 1] = line end
      for i, row in ipairs(HOSTS) do
        -- nginx compares no addresses: it refuses all.
        local is_sent = row[3] and not (lua == "nginx" and row[1]:find "^127")
        expected[i] = row[1] .. "=" .. row[2] .. (is_sent and " sent" or " refused")
        seen[i] = row[1] .. "=" .. row[2] .. (lines[i] == "sent" and " sent" or " refused")
        assert.truthy(lines[i] == "sent" or lines[i]:find "^POST /x: " and lines[i]:lower():find "cert", lines[i])
      end
      assert.same(expected, seen)
      local refusal = lines[#HOSTS + 1]
      assert.truthy(refusal:find "407" or refusal:find "RECV_ERROR", refusal) -- as Lua-cURL 3 says it
      -- Bytes from before TLS belong to no answer. libcurl gives them to TLS, which fails.
      local early = lines[#HOSTS + 2]
      assert.truthy(early:find(client == "curl" and "POST /x: " or "the proxy answers 200", 1, true), early)
      -- A body that ends with the connection is whole if TLS was closed, too. nginx cannot tell.
      local is_told = lua ~= "nginx" and "true" or "false"
      assert.equal((is_told .. " false false "):rep(2), table.concat(lines, " ", #HOSTS + 3, #HOSTS + 8) .. " ")
      assert.equal("false SUCCESS CN=api.example SUCCESS CN=api.example", table.concat(lines, " ", #HOSTS + 9, #HOSTS + 11))
      local proxied = echo.read(lines[#HOSTS + 12])
      assert.equal("/proxied/x?a=b", proxied.uri)
      assert.equal("Basic bWU6cHc=", proxied.headers["proxy-authorization"])
    end)
  end

  it("sends no byte of a request to another host", function()
    local log, sent = support.read(running.directory .. "/bytes.log"), 0
    for _, text in ipairs(texts) do sent = sent + select(2, ("\n" .. text):gsub("\nsent%f[\n%z]", "")) end
    assert.equal(sent, select(2, log:gsub("[^\n]+", "")))
    assert.truthy(sent > #PAIRS)
  end)
end)

-- --- the API ----------------------------------------------------------------------

-- /fail fails the first `times` times; /raw answers with the bytes of `text` alone, in which
-- {3|ab} is ababab, and then with `more` for ever.
local API = [[
location /items { content_by_lua_block {
  local page = tonumber(ngx.var.arg_page or 1)
  if page < 3 then ngx.header.link = '<?page=' .. page + 1 .. '>; rel="next"' end
  ngx.header.content_type = "application/vnd.x+json; charset=utf-8"
  ngx.print(page == 2 and "[]" or '[{"n": ' .. page .. '}, {"n": null}]')
} }
location /loop { content_by_lua_block {
  ngx.header.link = '</loop?page=2>; rel="next"'
  ngx.header.content_type = "application/json"
  ngx.print "[true]"
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
location /guarded { content_by_lua_block {
  local page = tonumber(ngx.var.arg_page or 1)
  if ngx.var.http_authorization ~= "Bearer t" .. page then return ngx.exit(401) end
  if page < 3 then ngx.header.link = '<?page=' .. page + 1 .. '>; rel="next"' end
  ngx.header.content_type = "application/json"
  ngx.print("[" .. page .. "]")
} }
location /packed { gzip on; gzip_min_length 1; gzip_types text/x; content_by_lua_block {
  ngx.header.content_type = "text/x"
  for _ = 1, ngx.var.arg_times do ngx.print((("x"):rep(10000))) end
} }
location /late { content_by_lua_block { ngx.sleep(0.5) ngx.print "late" } }
location /head { content_by_lua_block {
  ngx.header["set-cookie"] = { "a=1, x", "b=2" }
  ngx.header["x-a"] = { "1", "2" }
  ngx.print(ngx.req.raw_header(true))
} }
location /connection { content_by_lua_block { ngx.print(ngx.var.connection) } }
location /count { content_by_lua_block { ngx.print(ngx.var.connection_requests) } }
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
  socket:settimeout(30000)
  socket:send((args.text:gsub("{(%d+)|([^}]*)}", function(count, unit) return unit:rep(count) end)))
  local pause = tonumber(args.pause)
  while args.more and socket:send(args.more) do if pause then ngx.sleep(pause) end end
  while args.drains and socket:receiveany(65536) do end
  if args.is_held then socket:receive(1) end -- until the client leaves
  ngx.exit(444)
} }
]]

-- What stands above the snippets. `slept` records what the program would have slept.
local HEAD = [[
local endpoint, request = require "endpoint", require "endpoint.request"
local clients = require "endpoint.clients"
io.stdout:setvbuf "no" -- so that a program that hangs shows where
local base = os.getenv "API"
local api = endpoint.defaults { baseUrl = base, headers = { authorization = "Bearer 0123" } }
local slept, asked = {}, 0
local function with(settings)
  settings.client, settings.cafile = settings.client or os.getenv "CLIENT", os.getenv "CA"
  settings.connect_timeout = settings.connect_timeout or 50 -- the server may be at work on the programs inside it
  settings.sleep = settings.sleep or function(seconds)
    slept[#slept + 1] = seconds > 0.2 and seconds < 0.8 and "short" or math.floor(seconds + 0.5)
  end
  local own = settings.api or api
  settings.api = nil
  return request.new(own, settings)
end
local send = with {}
local function message_of(f, ...)
  local ok, failure = pcall(f, ...)
  assert(not ok, "expected an error")
  return (tostring(failure):gsub("^%S*code.lua:%d+: ", "", 1))
end
local function by_text(text, headers, status, settings)
  settings = settings or {}
  function settings.client() return status or 200, headers, text end
  local own = with(settings)
  if status then return own end
  return own "GET /x"
end
local function fail(query, method) -- with an id of its own
  asked = asked + 1
  return ("%s /fail?id=%s-%d&%s"):format(method or "GET", arg[1], asked, query)
end
local function raw(text, more)
  local options = { text = text:gsub("\n", "\r\n") }
  for name, value in pairs(more or {}) do options[name] = value end
  return "GET /raw{?text,more,pause,drains,is_held}", options
end
]]

-- What it does, a snippet, and the lines that the snippet prints; `but`, the runs that it says nothing more in: tls,
-- nginx. $API is the server's address.
local ROWS = {
  { "walks through pages",
    'for item in send.each("GET /items", { q = "x" }) do print(item.n == endpoint.null or math.floor(item.n)) end',
    { "1", "true", "3", "true" } },
  { "walks through pages with cursors in the body, at most so many", [[
    local function page(body, answer)
      return body.data, answer.status == 200 and body.has_more and { after = body.data[1].id }
    end
    local function next_link(body) return body.data, body["@odata.nextLink"] end
    for _, how in ipairs { { page = page }, { page = page, max = 2 }, { page = next_link } } do
      local ids = {}
      local options = { method = "GET", url = "/cursor", link = 1 }
      for item in send.each(options, nil, how) do ids[#ids + 1] = math.floor(item.id) end
      print(table.concat(ids, " "))
    end]], { "1 2 3", "1 2", "1 2 3" }, but = "tls" },
  { "refuses pages of another origin, pages that were there, and what is no list", [[
    local bare = with { api = endpoint.defaults { baseUrl = base } }
    local other = base:gsub("127.0.0.1", "localhost")
    for _, link in ipairs { other .. "/items?key=S3CRET", "//localhost/items", base:gsub("//", "//me:pw@"), "ftp://h/x",
      "/..;/x" } do
      local items = bare.each("GET /answer", { text = "[1]", link = "<" .. link .. '>; rel="next"' })
      print(math.floor(items()), message_of(items), items())
    end
    local again = send.each "GET /loop"
    print(again(), again(), message_of(again))
    print(message_of(send.each("GET /answer", { text = "{S3CRET" })))
    print(message_of(send.each("GET /answer", { text = '{"a": 1}' })))
    print(message_of(send.each("GET /answer", { type = "text/plain", text = "[]" })))
    local astray = send.each("GET /cursor", {}, { page = function(body) return body.data, true end })
    print(astray().id == 1, message_of(astray))
    print(message_of(send.each, "GET /x", {}, { pages = 1 }), message_of(send.each, "GET /x", {}, { max = "1" }))]],
    { "1\tGET /answer: the next page is at $SCHEME://localhost:$PORT/items, not at $API/answer\tnil",
      "1\tGET /answer: the next page is at $SCHEME://localhost/items, not at $API/answer\tnil",
      "1\tGET /answer: the next page is at $SCHEME://***@127.0.0.1:$PORT, not at $API/answer\tnil",
      "1\tGET /answer: the next page has no URL\tnil", "1\tGET /answer: the next page has no URL\tnil",
      "true\ttrue\tGET /loop: the next page was there before",
      "GET /answer: the answer is no JSON", "GET /answer: the answer has no list",
      "GET /answer: the answer has no list", "true\tGET /cursor: the next page has no URL",
      "endpoint.request: each: there is no setting pages\tendpoint.request: max: expected a number, got a string" },
    but = "tls" },
  { "walks on where it began, whatever is in the defaults", [[
    local far = with { api = endpoint.defaults { baseUrl = "http://home.example", tenant = "t", state = "open" } }
    for item in far.each("GET " .. base .. "/items", { tenant = "mine", state = endpoint.null }) do
      print(item.n == endpoint.null or math.floor(item.n))
    end
    local function page(body) return body.data, { baseUrl = "http://evil.example" } end
    local bare = with { api = endpoint.defaults { baseUrl = base } }
    for _, own in ipairs { send, bare } do
      local items = own.each("GET /cursor", {}, { page = page })
      print(math.floor(items().id), (message_of(items):gsub(": a default goes .*", "")))
    end]],
    { "1", "true", "3", "true", '1\tGET /cursor: the next page cannot be asked for: endpoint: header "authorization"',
      "1\tGET /cursor: the next page is at http://evil.example/cursor, not at $API/cursor" },
    but = "tls" },
  { "sends a table and decodes the answer, by content type alone", [[
    local note, answer = send("POST /echo?type=application/json", { title = "Bug" })
    print(note.title, answer.status, answer.headers["content-type"], answer.text,
      answer.url == base .. "/echo?type=application/json")
    for _, kind in ipairs { "text/plain", "application/json-seq", "application/x-ndjson" } do
      print(send("POST /echo?type=" .. kind, { data = "[1]" }) == "[1]")
    end
    print(send "GET /answer?status=204", send("HEAD /items"), send("GET /answer?text=null") == endpoint.null)
    print(message_of(send, "GET /answer", { text = "{S3CRET" }))
    local reversing = with { decode = string.reverse, encode = function(body) return body.a end }
    print((reversing("POST /echo?type=application/json", { a = "bc" })), (send:ask("POST /echo", { data = "x" })))]],
    { 'Bug\t200\tapplication/json\t{"title":"Bug"}\ttrue', "true", "true", "true", "nil\tnil\ttrue",
      "GET /answer: the answer is no JSON", "cb\tx" } },
  { "sends forms, multipart bodies and streams, and gives a long answer to a sink", [[
    local headers = { ["content-type"] = "application/x-www-form-urlencoded" }
    print((with { nested = "indices" }("POST /echo", { a = { { b = 1 } }, headers = headers })))
    print((send("POST /echo", { a = { "x" }, headers = headers, request = { nested = "brackets" } })))
    local body, kind = clients.multipart { { name = "a", data = "b" } }
    print((send("POST /echo", { data = body, headers = { ["content-type"] = kind } }):find('name="a"', 1, true)))
    local parts = { "a", "b" }
    print((send("PUT /echo", { data = function() return table.remove(parts, 1) end })))
    print((message_of(send, "PUT /echo", { data = function() return nil, "broke off" end })))
    local pieces, ended = {}, 0
    local function sink(piece) if piece then pieces[#pieces + 1] = piece else ended = ended + 1 end end
    local long = ("x"):rep(300000)
    local value, answer = send("POST /echo", { data = long, request = { sink = sink } })
    print(value, answer.text, table.concat(pieces) == long, ended)
    print(message_of(send, "GET /answer", { status = 404, text = "x", request = { sink = sink } }), ended)
    print(message_of(send, "POST /echo", { data = long, request = { sink = function() return nil, "full" end } }))
    print(message_of(send, "POST /echo", { data = long, request = { max_size = 1000 } }))
    print(message_of(send, "GET /items", { request = { sink = function(piece) if piece then error("mine", 0) end end } }))]],
    { "a%5B0%5D%5Bb%5D=1", "a%5B%5D=x", "58", "ab", "PUT /echo: broke off", "nil\t\ttrue\t1",
      "GET /answer: the server answers 404\t2",
      "POST /echo: full", "POST /echo: the answer is too long", "mine" } },
  { "raises on 400 and above, says the server's reason, and nothing of the request", [[
    local function failure_of(text, options)
      options = options or {}
      options.status, options.text = options.status or 404, text
      local ok, failure = pcall(send, "get /answer/{id}{?status,text,q,api_key}", options)
      assert(not ok and type(failure) == "table")
      return failure
    end
    local failure = failure_of('{"message": "no such thing"}', { id = 7 })
    print(tostring(failure):gsub("^%S*code.lua:(%d+)", function(line) return tonumber(line) > 9 and "line" end))
    print(failure.status, failure.response.status, failure.response.body.message, failure.response.url, failure.method)
    print("it says " .. failure.message)
    for _, text in ipairs { '{"error": {"code": 1, "message": "a"}}', '{"errors": [{"title": "b"}]}', '{"detail": "c"}',
      '{"message": "", "error": "d\27[31m\194\155x\10"}', '["e"]', '{"message": ' .. ('"%s"}'):format(("long "):rep(99)),
      '{"data": "x"}', '"x"', "<html>", '{"message": "you sent Bearer 0123 and S3 CRET, S3%20CRET"}' } do
      local said = failure_of(text, { id = 7, api_key = "S3 CRET" }).message:match "answers (.*)"
      print(#said <= 210 and said:sub(1, 60))
    end
    local long = ("S3CRET"):rep(16)
    print((failure_of('{"message": "' .. (long .. " "):rep(11) .. '"}', { id = 7, headers = { ["x-token"] = long } })
      .message:find "S3CR"))
    local posted = { password = "hunter22", status = 422, text = '{"detail": "not hunter22"}' }
    print(message_of(send, "POST /answer{?status,text}", posted))
    local url = base:gsub("//", "//user:S3CRET@")
    print(message_of(with { api = endpoint.defaults { baseUrl = base } }, "GET " .. url .. "/answer?status=500&key=S3CRET"))
    local value, answer = send.ask("GET /answer", { status = 404, text = '{"a": "b"}' })
    print(value.a, answer.status, answer.body.a)]],
    { "line: GET /answer/{id}: the server answers 404: no such thing\t1", "404\t404\tno such thing\tnil\tGET",
      "it says GET /answer/{id}: the server answers 404: no such thing", "404: a", "404: b", "404: c",
      "404: d\\x1b[31m?x\\x0a", "404: e",
      "404: " .. ("long "):rep(11), "404", "404", "404", "404: you sent *** and ***, ***", "nil",
      "POST /answer: the server answers 422: not ***", "GET $SCHEME://***@127.0.0.1:$PORT/answer: the server answers 500",
      "b\t404\tb" }, but = "tls" },
  { "reads what a server answers that reads no body to its end", [[
    local route, options = raw "HTTP/1.1 413 Too Long\ncontent-length: 0\n\n"
    function options.data() return ("x"):rep(9999) end
    local said = message_of(send, "PUT" .. route:sub(4), options)
    print(os.getenv "CLIENT" == "curl" and "PUT /raw: the server answers 413" or said) -- libcurl does not always]],
    { "PUT /raw: the server answers 413" }, but = "tls" },
  { "has the position of the user's line for what the endpoint and the clients refuse, too", [[
    for _, try in ipairs {
      function() local x = send("GET /{id}", {}) return x end,
      function() local x = send("GET /x", { data = 1 }) return x end,
      function() local x = send("POST /x", { data = "", headers = { ["content-type"] = 1 / 0 } }) return x end,
      function() local x = send("POST /x", { data = { [{}] = 1 } }) return x end,
      function() local x = send("PATCH /x", { data = io.stdout }) return x end,
      function() local x = request.new(api, { cafiles = "x" }) return x end,
      function() local x = send("GET /x", { request = { client = "curl" } }) return x end,
    } do
      local _, message = pcall(try)
      print(type(message), (tostring(message):gsub("^%S*code.lua:%d+: ([^:]*: [^: ]*).*", "%1"):gsub(":$", "")))
    end]],
    { "string\tendpoint: parameter", "string\tendpoint: option", "string\tendpoint: header",
      "string\tendpoint.clients: body",
      "string\tendpoint.clients: body", "string\tendpoint.request: settings", "string\tendpoint.request: request" },
    but = "tls" },
  { "sends again what may arrive twice, and waits as the server asks", [[
    for _, query in ipairs {
      "status=429&times=2&after=7", "status=503&times=1&after=0", "status=429&times=3&after=7", "status=502&times=1",
      "status=504&times=1&after=nan", "status=429&times=1&after=61", "status=503&times=1&after=99999999999999999999",
      "status=503&times=1&after=Mon,%2001%20anF%202024%2000:00:00%20GMT",
      "status=503&times=1&after=Mon,%2001%20Jan%202024%2000:00:00%20GMT", "status=503&times=1&seconds=30",
      "status=403&times=1&reset=20", "status=403&times=1", "status=500&times=1&after=7",
    } do
      slept = {}
      local _, value = pcall(send, (fail(query)))
      print((tostring(value):gsub("^%S*code.lua:%d+: ", "")), table.concat(slept, " "))
    end]],
    { "3\t7 7", "2\t0", "GET /fail: the server answers 429\t7 7", "2\tshort", "2\tshort",
      "GET /fail: the server answers 429\t",
      "GET /fail: the server answers 503\t", "2\tshort", "2\t0", "2\t30", "2\t20", "GET /fail: the server answers 403\t",
      "2\t7" }, but = "tls" },
  { "sends nothing twice that must not be", [[
    local function sent(status, method, options)
      local route = fail("status=" .. status .. "&times=1", method)
      send "GET /items" -- over a connection that a client may keep
      local ok = pcall(send, route, options)
      return ok, tonumber((send((route:gsub("^%S+", "GET"))))) - 1
    end
    local key = { ["idempotency-key"] = "k" }
    for _, status in ipairs { 0, 503 } do
      print(sent(status, "POST", { data = "x" }))
      print(sent(status, "POST"))
      print(sent(status, "PATCH", { data = "x" }))
      print(sent(status, "POST", { data = "x", headers = key }))
      print(sent(status, "PUT", { data = "x" }))
      local parts = { "a" }
      print(sent(status, "PUT", { data = function() return table.remove(parts) end }))
    end
    print(pcall(with { tries = 1 }, fail "status=503&times=1") == false)
    print(sent(0, "GET"), sent(0, "DELETE"), sent(0, "OPTIONS"))]],
    { "false\t1", "false\t1", "false\t1", "true\t2", "true\t2", "false\t1", "false\t1", "false\t1", "false\t1",
      "true\t2", "true\t2", "false\t1", "true", "true\ttrue\ttrue\t2" } },
  { "asks a hook around each try, which may send, send again, or answer", [[
    local token = 0
    local function refresh(r, ask)
      r.headers.authorization = "Bearer t" .. token
      local answer, problem = ask(r)
      if not answer or answer.status ~= 401 then return answer, problem end
      token = tonumber(assert(ask(api("POST /echo", { data = "" .. token + 1 }))).text)
      r.headers.authorization = "Bearer t" .. token
      return ask(r)
    end
    for item in (with { around = refresh }).each "GET /guarded" do print(math.floor(item), token) end
    local kept, asked
    local function cache(r, ask)
      asked = r.url
      kept = kept or assert(ask(r))
      return kept
    end
    local cached = with { around = cache }
    local items, answer = cached "GET /items"
    items[1].n, answer.headers["content-type"], answer.text, answer.status = 9, "a/b", "x", 500
    print(math.floor(cached "GET /items?page=5"[1].n), asked == base .. "/items?page=5")
    local made = { status = 201, headers = { ["Content-TYPE"] = "a/json" }, text = "[7]" }
    local own = with { around = function() return made end }
    print(math.floor(own "GET /x"[1]), select(2, own "GET /x").status)
    local changed = with { around = function(r, ask)
      r.url, r.headers = base .. "/echo", {}
      return ask(r)
    end }
    print((changed("PUT /nothing", { data = "changed" })), (changed("PUT /nothing", { data = "again" })))
    local marks = 0
    local marking = with { around = function(r, ask)
      marks, r.headers["x-mark"] = marks + (r.headers["x-mark"] and 100 or 1), "1"
      return ask(r)
    end }
    marking(fail "status=503&times=1")
    print(marks)
    local paths = {}
    local following = with { redirects = 1, around = function(r, ask)
      paths[#paths + 1] = r.url:match "/[^/?]*%f[%z?]"
      return ask(r)
    end }
    following("GET /answer{?status,location}", { status = 302, location = "/items" })
    print(table.concat(paths, " "))]],
    { "1\t1", "2\t2", "3\t3", "1\ttrue", "7\t201", "changed\tagain", "2", "/answer /items" }, but = "tls" },
  { "lets a hook's errors through, and sends nothing twice that is gone", [[
    local thrown = {}
    print(select(2, pcall(with { around = function() error(thrown) end }, "GET /items")) == thrown)
    print(message_of(with { around = function() error("mine", 0) end }, "GET /items"))
    print(message_of(with { around = function() error("elsewhere:3: endpoint: mine", 0) end }, "GET /items"))
    print(message_of(with { around = function() return nil, "no luck" end, tries = 1 }, "GET /items"))
    print(message_of(with { around = function() return nil, "no luck" end }, "GET /items"), #slept)
    print(message_of(with { around = function() return { text = "x" } end }, "GET /items"))
    local said
    local twice = with { around = function(r, ask)
      ask(r)
      said = select(2, ask(r))
      return { status = 200, text = "" }
    end }
    local parts = { "a" }
    twice("PUT /echo", { data = function() return table.remove(parts) end })
    print(said)
    twice("GET /items", { request = { sink = function() return true end } })
    print(said)
    print(message_of(with { around = function(r, ask)
      r.headers["x-token"] = "S3CRET-of-hook"
      return ask(r)
    end }, "GET /answer?status=400", { text = '{"message": "not S3CRET-of-hook"}' }))
    local count = 0
    print(message_of(with { around = function(r, ask)
      count = count + 1
      ask(r)
      return ask(api "GET /answer?status=503")
    end }, "POST /echo"), count)
    local hooked = with { tries = 1, around = function(r) return { status = 200, text = r.method } end }
    local got
    hooked("GET /x", { request = { sink = function(piece) got = piece or got end } })
    print(got)]],
    { "true", "mine", "elsewhere:3: endpoint: mine", "GET /items: no luck", "GET /items: no luck\t2",
      "endpoint.request: around: expected a response, which has a status, or nil and a message",
      "the stream was read, so it cannot be sent again",
      "the sink has had a part of an answer, so nothing can be sent again",
      "GET /answer: the server answers 400: not ***", "POST /echo: the server answers 503\t1", "get" }, but = "tls" },
  { "masks what a hook wrote and took away, and where the server leads to", [[
    print(message_of(with { around = function(r, ask)
      r.headers["x-token"] = "S3CRET-of-hook"
      local response = ask(r)
      r.headers["x-token"] = nil
      return response
    end }, "GET /answer?status=400", { text = '{"message": "not S3CRET-of-hook"}' }))
    print(message_of(with { around = function(r, ask) return ask { method = r.method, url = r.url } end },
      "GET /answer?status=400", { text = '{"message": "no headers"}' }))
    local leading = { status = 302, location = base .. "/reset/s3cr3t99/?a=1", token = "s3cr3t99" }
    print((message_of(send, "GET /answer", leading):gsub(base, "")))
    leading = { text = "[]", link = '<http://h.example/s3cr3t99>; rel="next"', token = "s3cr3t99" }
    print((message_of(function() for _ in send.each("GET /answer", leading) do end end):gsub(base, "")))]],
    { "GET /answer: the server answers 400: not ***", "GET /answer: the server answers 400: no headers",
      "GET /answer: the server answers 302: moved to /reset/***/ (not followed: the setting redirects is 0)",
      "GET /answer: the next page is at http://h.example/***, not at /answer" } },
  { "takes no other answer for a part that the sink had, and a hook's mistakes for none", [[
    local got, asked = {}, 0
    local function sink(piece, problem)
      got[#got + 1] = piece or problem and "broken" or "whole"
      return true
    end
    local made = { status = 200, text = "made" }
    local function fallback(r, ask) return ask(r) or made end
    print((pcall(with { around = fallback, sink = sink }, raw "HTTP/1.1 200 OK\ncontent-length: 9\n\nabc")),
      table.concat(got, " "))
    print(message_of(with { around = function(r, ask)
      asked = asked + 1
      ask(r)
    end }, "GET /items"), asked)
    for _, wrong in ipairs { { status = 200, headers = "a: b" }, { status = 200, text = 7 } } do
      print(message_of(with { around = function() return wrong end }, "GET /items"))
    end
    print(message_of(with { around = function(_, ask) return ask "GET /items" end }, "GET /items"))]],
    { "false\tabc broken", "GET /items: around answers nothing\t1",
      "endpoint.request: around: expected a response, which has a status, or nil and a message",
      "endpoint.request: around: expected a response, which has a status, or nil and a message",
      "endpoint.request: around: expected a result to send, got a string" } },
  { "says which limit is over, and waits for a late answer", [[
    print((with { connect_timeout = 0.3, idle_timeout = 0.3 }("GET /late")), #slept)
    print((with { timeout = math.huge, connect_timeout = math.huge, idle_timeout = math.huge }("GET /late")))
    print(message_of(with { timeout = 0.2 }, "GET /late"))
    local socket = require "socket"
    local full = socket.bind("127.0.0.1", 0, 0)
    local fillers, deaf = {}, endpoint.defaults { baseUrl = "http://127.0.0.1:" .. select(2, full:getsockname()) }
    for i = 1, 3 do
      fillers[i] = socket.tcp()
      fillers[i]:settimeout(0)
      fillers[i]:connect("127.0.0.1", (select(2, full:getsockname())))
    end
    print(message_of(with { api = deaf, connect_timeout = 0.3, tries = 1 }, "GET /x"))
    local silent = with { tries = 1, idle_timeout = 1, timeout = 20 }
    print(message_of(silent, raw("HTTP/1.1 200 OK\ncontent-length: 9\n\nabc", { is_held = 1 })))]],
    { "late\t0", "late", "GET /late: timeout: 0.2 s are over", "GET /x: connect_timeout: 0.3 s are over",
      "GET /raw: idle_timeout: 1 s are over" }, but = "tls" },
  { "sends again after statuses of one's own, and the usual ones", [[
    local function tries(settings, query, method)
      local route = fail(query, method)
      pcall(with(settings), route)
      return tonumber((send((route:gsub("^%S+", "GET"))))) - 1
    end
    print(tries({}, "status=408&times=1"), tries({}, "status=500&times=1"), tries({}, "status=500&times=1", "PUT"),
      tries({}, "status=403&times=1&after=1"), tries({}, "status=403&times=1"), tries({}, "status=418&times=1"))
    local own = { retry_on = { 418, 403 } }
    print(tries(own, "status=418&times=1"), tries(own, "status=403&times=1"), tries(own, "status=503&times=1"),
      tries(own, "status=418&times=1", "POST"), tries({ retry_on = {} }, "status=429&times=1"))
    print(message_of(request.new, api, { retry_on = { "503" } }))]],
    { "2\t2\t1\t2\t1\t1", "2\t2\t1\t1\t1",
      "endpoint.request: retry_on: expected a list of statuses, got a string in it" },
    but = "tls" },
  { "unpacks what is packed, in pieces, no more than max_size", [[
    local long = ("x"):rep(1000000)
    print((send "GET /head":find "[Aa]ccept%-[Ee]ncoding: gzip\r" ~= nil) == (pcall(require, "zlib")))
    print(send "GET /packed?times=100" == long)
    local size, most, seen = 0, 0, nil
    send("GET /packed?times=100", { request = { sink = function(piece, answer)
      if piece then size, most, seen = size + #piece, math.max(most, #piece), answer end
    end } })
    print(size, most < 1100000, seen.status, seen.headers["content-type"], seen.headers["content-encoding"])
    print(message_of(with { max_size = 1000000 }, "GET /packed?times=10000"))
    local packed, answer = send("GET /packed?times=100", { headers = { ["accept-encoding"] = "gzip" } })
    print(#packed < 10000, answer.headers["content-encoding"])
    print((send("GET /answer", { coding = "gzip", text = "no JSON", headers = { ["accept-encoding"] = "gzip" } })))
    local aaa = "\31\139\8\0\0\0\0\0\2\3\75\76\76\4\0\45\115\7\240\3\0\0\0"
    for _, text in ipairs { aaa, aaa:sub(1, -9), aaa .. "x", "nothing" } do
      local _, said = pcall(send, "GET /answer?coding=gzip&type=a/b{&text}", { text = text })
      print(pcall(require, "zlib") and tostring(said):gsub("^.*: the", "the") or "not here")
    end]],
    { "true", "true", "1000000\ttrue\t200\ttext/x\tnil", "GET /packed: the answer is too long", "true\tgzip", "no JSON",
      "$ZIP", "$PART", "$WRONG", "$WRONG" }, but = "tls" },
  { "keeps a list of cookies, and writes the host first", [[
    local head, answer = send "GET /head"
    print(head:match("^%S+"):lower() == "host:", type(answer.headers["set-cookie"]),
      #answer.headers["set-cookie"], answer.headers["set-cookie"][1], answer.headers["x-a"])
    print(#select(2, by_text("x", { ["Set-Cookie"] = "c" })).headers["set-cookie"])]],
    { "true\ttable\t2\ta=1, x\t1, 2", "1" }, but = "tls" },
  { "opens few connections", [[
    local seen, count, own = {}, 0, with {}
    for _ = 1, 100 do
      local number = own "GET /connection"
      if not seen[number] then seen[number], count = true, count + 1 end
    end
    print(count <= 5 or count)]], { "true" } },
  { "says the server's reason in the words that help", [[
    local function reason_of(text)
      local _, failure = pcall(by_text(text, { ["content-type"] = "application/json" }, 422), "GET /x")
      return failure.message:match "422: (.*)"
    end
    print(reason_of '{"message": "Validation Failed", "errors": [{"field": "title", "code": "missing_field"}]}')
    print(reason_of '{"error": "invalid_grant", "error_description": "The code has expired"}')
    print(reason_of '{"errors": {"name": ["is too short", "is odd"], "size": ["is odd"]}}')
    print(reason_of '{"type": "about:blank", "title": "Out of credit", "detail": "The balance is 30"}')
    print(reason_of '{"title": "Forbidden"}', reason_of '{"error": {"code": 7, "message": "deep"}}', reason_of '["a", "b"]')
    print(reason_of '{"message": "said", "errors": ["more", {"message": "and more"}]}')
    print(reason_of '{"message": null, "errors": [null]}', reason_of '{"error": true}', reason_of '{"errors": {}}')]],
    { "Validation Failed: title missing_field", "The code has expired", "name is too short, is odd, size is odd",
      "Out of credit: The balance is 30", "Forbidden\tdeep\ta, b", "said: more, and more", "nil\tnil\tnil" },
    but = "tls nginx" },
  { "takes a decoder's word, a call's settings over the defaults', and asks a check", [[
    local function decode() return nil, 5, "no JSON at 5" end
    print(message_of(by_text("x", { ["content-type"] = "a/json" }, 200, { decode = decode }), "GET /x"))
    local null = by_text("null", { ["content-type"] = "a/json" }, 200, { decode = function() return nil, 5 end })
    print((null "GET /x"))
    local entries = 0
    local function log() entries = entries + 1 end
    local first = with { api = api.defaults { request = { log = log, max_size = 1 } } }
    print(message_of(first, "GET /items"), message_of(first, "GET /items", { request = { tries = 1 } }), entries)
    print(#first("GET /items", { request = { max_size = 1000 } }), entries)
    print(#first("GET /items", { request = endpoint.null }), entries)
    local routes = {}
    local checked = with { check = function(route, options)
      routes[#routes + 1] = route .. " " .. tostring(options and options.q)
      if options and options.wrong then error("endpoint.checks: wrong", 2) end
    end }
    for _ in checked.each("GET /items", { q = "x" }) do end
    local _, said = pcall(checked, "GET /items", { wrong = 1 })
    print(table.concat(routes, ", "), (said:gsub("^%S*code.lua:%d+: ", "OURS ")))
    print(message_of(send, api("POST /echo", { a = 1 })))
    print(message_of(send, api "GET /items"))
    print(#send { method = "get", url = "/items", headers = { accept = "*/*" } })]],
    { "GET /x: the answer is no JSON", "nil",
      "GET /items: the answer is too long\tGET /items: the answer is too long\t2", "2\t3", "2\t3",
      "GET /items x, GET /items nil\tOURS endpoint.checks: wrong",
      "endpoint.request: expected a route and options, got a result of the endpoint: send(route, options)",
      "endpoint.request: expected a route and options, got a result of the endpoint: send(route, options)", "2" },
    but = "tls" },
  { "names what is wrong with names and authorities", [[
    local lost = endpoint.defaults { baseUrl = "http://no-such-host.invalid" }
    print(message_of(with { api = lost, tries = 1 }, "GET /x"):find("no-such-host.invalid", 1, true) ~= nil)
    local secure = endpoint.defaults { baseUrl = base }
    local socket = require "socket"
    local resolve = socket.dns.getaddrinfo
    function socket.dns.getaddrinfo(host)
      return host == "two.example" and { { addr = "127.0.0.2" }, { addr = "127.0.0.1" } } or resolve(host)
    end
    local two = with { client = "luasocket", api = endpoint.defaults { baseUrl = base:gsub("127.0.0.1", "two.example") } }
    print(base:find "https" and 2 or #two "GET /items")
    socket.dns.getaddrinfo = resolve
    local stranger = request.new(secure, { client = os.getenv "CLIENT" })
    print(not base:find "https" or message_of(stranger, "GET /items"):find("cafile", 1, true) ~= nil)]],
    { "true", "2", "true" }, but = "nginx" },
  { "loads and works without the library debug", [[
    local library, loaded = debug, {}
    for name, module in pairs(package.loaded) do
      if name:find "^endpoint%.request" then loaded[name], package.loaded[name] = module, nil end
    end
    debug = nil
    local ok, blind = pcall(require, "endpoint.request")
    local sent = blind.new(api, { client = function() return 404, {}, "" end })
    print(ok, select(2, pcall(sent, "GET /x")), (select(2, pcall(sent, "GET /{id}", {})):match "^endpoint: parameter"))
    debug = library
    for name, module in pairs(loaded) do package.loaded[name] = module end]],
    { "true\tGET /x: the server answers 404\tendpoint: parameter" }, but = "tls nginx" },
  { "hands a path to a client of one's own", [[
    local function own(r, try) return 200, {}, r.url .. " at " .. tostring(try.host) end
    print((request.new(endpoint.defaults { baseUrl = "/api" }, { client = own }) "GET /x"))]],
    { "/api/x at nil" }, but = "tls nginx" },
  { "follows redirects within the origin if it is told to", [[
    local following = with { redirects = 2 }
    local other = base:gsub("127.0.0.1", "localhost") .. "/items?key=S3CRET"
    local function to(place, method, status)
      return (method or "GET") .. " /answer{?status,location}", { status = status or 302, location = place }
    end
    print(#following(to "/items"), following(to "echo?type=a/b"), #following(to("/answer?status=307&location=%2Fitems")))
    print(message_of(send, to "/items"), select(2, send.ask(to "/items")).status)
    print(message_of(following, to(other)))
    print(message_of(following, to("/items", "POST")))
    print(message_of(following, to("/answer?status=301&location=%2Fanswer%3Fstatus=301%26location=/items")))
    print(message_of(following, to "/..;/x"))
    print(message_of(following, to "ftp:x"), message_of(following, to((base:gsub("//", "//me:pw@")))))]],
    { "2\tnil\t2",
      "GET /answer: the server answers 302: moved to $API/items (not followed: the setting redirects is 0)\t302",
      "GET /answer: the server answers 302: moved to $SCHEME://localhost:$PORT/items (not followed: it is another origin)",
      "POST /answer: the server answers 302: moved to $API/items (not followed: the method is POST)",
      "GET /answer: the server answers 301: moved to $API/items (not followed: 2 were followed)",
      "GET /answer: the server answers 302: moved to no URL (not followed: it is no URL that can be sent)",
      "GET /answer: the server answers 302: moved to no URL (not followed: it is no URL that can be sent)\t"
        .. "GET /answer: the server answers 302: moved to $SCHEME://***@127.0.0.1:$PORT (not followed: it is another origin)"
    } },
  { "sends by a function, and says what is wrong with it and with settings", [[
    local function by(client, settings)
      settings = settings or {}
      settings.client, settings.sleep = client, function() end
      return request.new(endpoint.defaults { baseUrl = settings.base or base }, settings)
    end
    local seen
    local sent = by(function(r, s)
      seen = s
      return 200, { ["Content-Type"] = { "application/json" } }, '{"url": "' .. r.url .. '"}'
    end, { encode = tostring })("GET /{id}", { id = "a b" })
    print(sent.url == base .. "/a%20b", seen.host, seen.scheme, seen.timeout > 59, seen.encode == tostring)
    print(message_of(by(function() return nil, "no\nway 0123" end), "GET /x"))
    print(message_of(by(function() return "200", {}, "" end), "GET /x"))
    print(message_of(by(function() return 200, {}, "{}" end).each "GET /x"))
    for _, settings in ipairs { { client = "wget" }, { tries = 0 }, { timeout = "1" }, { timeout = 0 }, { cafile = 1 },
      { verify = "none" }, 5 } do print(message_of(request.new, api, settings)) end
    print(message_of(request.new, {}), message_of(send, "GET /x", { request = 5 }))
    print(message_of(request.new, api, { client = "luasocket", proxy = "socks5://127.0.0.1:1" }))]],
    { "true\t127.0.0.1\t$SCHEME\ttrue\ttrue", "GET /x: no\\x0away 0123",
      "endpoint.request: client: expected a status, headers and a text", "GET /x: the answer has no list",
      "endpoint.request: client: expected luasocket, curl, resty_http or a function",
      "endpoint.request: tries: expected a number of at least 1",
      "endpoint.request: timeout: expected a number, got a string",
      "endpoint.request: timeout: expected a number of at least 0.001",
      "endpoint.request: cafile: expected a string, got a number",
      "endpoint.request: settings: there is no setting verify",
      "endpoint.request: settings: expected a table, got a number",
      "endpoint.request: expected an endpoint, got a table\tendpoint.request: request: expected a table, got a number",
      "endpoint.request: proxy: expected the URL of an HTTP proxy" }, but = "tls" },
  { "says which module or file is missing", [[
    local secure = endpoint.defaults { baseUrl = "https://127.0.0.1" }
    for _, name in ipairs { "cafile", "certificate", "key" } do
      print(message_of(request.new, secure, { client = function() end, [name] = "/none.pem" }))
    end
    print(message_of(request.new, secure, { client = function() end, key = os.getenv "CA" }))
    local astray = request.new(secure, { client = "luasocket", cafile = arg[0] })
    print((message_of(astray, "GET /x"):gsub("cafile: .*", "cafile")))
    for _, name in ipairs { "ssl", "socket" } do
      local preload = package.preload[name]
      package.loaded[name], package.preload[name] = nil, function() error("not here", 0) end
      print(message_of(function() request.new(secure, { client = "luasocket" }) "GET /x" end))
      package.loaded[name], package.preload[name] = nil, preload
    end]],
    { "endpoint.request: cafile: /none.pem: No such file or directory",
      "endpoint.request: certificate: /none.pem: No such file or directory",
      "endpoint.request: key: /none.pem: No such file or directory",
      "endpoint.request: key: expected the setting certificate beside it",
      "endpoint.request: cafile",
      "endpoint.request: expected the module ssl (LuaSec, or another client): not here",
      "endpoint.request: expected the module socket (LuaSocket, or another client): not here" }, but = "tls nginx" },
  { "has libcurl trust no authority but those of cafile", [[
    local set, loaded, easy = {}, package.loaded.cURL, { perform = function() return 0 end }
    function easy.setopt(_, option, value) set[option] = value end
    package.loaded.cURL = { easy = function() return easy end }
    print(message_of(request.new(api, { client = "curl", cafile = os.getenv "CA" }), "GET /x"))
    print(set[64], set[81], set[10065] == os.getenv "CA", set[10097])
    package.loaded.cURL = loaded]],
    { "GET /x: the answer is no HTTP", "1\t2\ttrue\t/dev/null" }, but = "tls nginx" },
  { "tells a log what one would print", [[
    local logging = with { log = function(entry) print((tostring(entry):gsub("%d+%.%d+", "N"))) end }
    logging(fail "status=503&times=1&key=S3CRET")
    local down = endpoint.defaults { baseUrl = "http://127.0.0.1:1" }
    print((message_of(with { api = down, tries = 1, log = function(entry) print(entry.status, entry.try, entry.method,
      entry.template, type(entry.seconds), entry.message ~= nil) end }, "GET /x?key=S3CRET")
      :gsub("GET /x: .+", "and why")))]],
    { "GET /fail 503 N s, try 1", "GET /fail 200 N s, try 2", "nil\t1\tGET\t/x\tnumber\ttrue", "and why" },
    but = "tls" },
  { "says what is wrong with an answer", [[
    local once = with { tries = 2, idle_timeout = 2, timeout = 20 } -- libcurl may first try one that the server has left
    local function say(...)
      local ok, value = pcall(once, raw(...))
      print(ok and value or (tostring(value):match "GET /raw: %S" and "refused") or value)
    end
    local ok = "HTTP/1.1 200 OK\n"
    if base:find "https" then print "until the end" else say(ok .. "\nuntil the end") end -- over TLS it may be cut off
    say(ok .. "content-length: 9\n\ncut off")
    say(ok .. "content-length: 3\n\nabcdef")
    say(ok .. "content-length: many\n\nabc")
    say(ok .. "transfer-encoding: chunked\n\n3\nabc\n0\n\n")
    say(ok .. "transfer-encoding: chunked\n\n3\nabcdef\n0\n\n")
    say(ok .. "transfer-encoding: chunked\n\n9\nabc")
    say(ok .. "transfer-encoding: chunked\n\nxyz\nabc\n0\n\n")
    say(ok .. "transfer-encoding: chunked\n\n10000000000000003\nabc\n0\n\n")
    say("HTTP/1.1 100 Continue\n\nHTTP/1.1 103 Early Hints\nlink: <x>\n\n" .. ok .. "content-length: 1\n\na")
    say "HTTP/1.1 204 No Content\n\nbody"
    say(ok .. "{10000|x-header: 1\n}content-length: 0\n\n")
    say(ok .. "content-encoding: gzip\n\nabc")
    say(ok .. ("x"):rep(100000))
    say(ok .. "x: a\rb: c\n\nabc")
    say(ok .. "x: a\0b\n\nabc")
    say(ok .. "x: a\n b: c\ncontent-length: 3\n\nabc")
    say(ok .. "x y: a\ncontent-length: 3\n\nabc")
    say(ok .. "transfer-encoding: chunked\n\n3;\r3\n\nabc\n0\n\n")
    say(ok .. "content-length: 9\ntransfer-encoding: chunked\n\n3\nabc\n0\n\n")
    if base:find "https" then print "abc" else say("HTTP/1.0 200 OK\ntransfer-encoding: chunked\n\n3\nabc\n0\n\n") end
    say "HTTP/1.1 200\ncontent-length: 3\n\nabc"
    say "HTTP/1.1 200OK\ncontent-length: 3\n\nabc"
    say "no HTTP at all\n\n"
    say "HTTP/1.1 abc\n\n"
    print(tostring(select(2, pcall(once, raw "HTTP/1.1  200 OK\n\n"))):find "attempt")
    say ""
    print((once("GET /answer", { coding = "x", text = "abc", type = "a/b", headers = { ["accept-encoding"] = "x" } })))]],
    { "until the end", "refused", "abc", "refused", "abc", "refused", "refused", "refused", "refused",
      "a", "nil", "refused", "refused",
      "refused", "refused", "refused", "$LAX", "$LAX", "refused", "abc", "abc", "abc", "$LAX", "refused", "refused", "nil",
      "refused", "abc" } },
  { "reads what is hostile in linear time, and in little memory", [[
    local once, ok = with { tries = 1 }, "HTTP/1.1 200 OK\n"
    local function is_quick(text)
      local before = os.clock()
      pcall(once, raw(ok .. text))
      return os.clock() - before < 1
    end
    print(is_quick "x: a{60000| }b\ncontent-length: 0\n\n", is_quick "x{60000| }b\ncontent-length: 0\n\n",
      is_quick "{12000|x:\n}content-length: 0\n\n")
    print(is_quick "transfer-encoding: chunked\n\n{60000|0}g\n", is_quick "transfer-encoding: chunked\n\n1{60000| }g\n")
    do
      local errors = {}
      for i = 1, 300000 do errors["k" .. i] = "x" end
      local function decode() return { errors = errors } end
      local wide = by_text("{}", { ["content-type"] = "a/json" }, 400, { decode = decode })
      local before = os.clock()
      pcall(wide, "GET /x")
      print(os.clock() - before < 0.2)
    end
    local most = 0
    local function watch()
      collectgarbage()
      most = math.max(most, collectgarbage "count")
    end
    watch()
    local before = most
    if jit then jit.off() end
    debug.sethook(watch, "", 300000)
    print(#once(raw(ok .. "transfer-encoding: chunked\n\n{100000|1\na\n}0\n\n")))
    debug.sethook()
    if jit then jit.on() end
    print(most - before < 1000 or most - before)]],
    { "true\ttrue\ttrue", "true\ttrue", "true", "100000", "true" }, but = "tls" },
  { "keeps apart what stands behind the body", [[
    local once, ok = with { tries = 1 }, "HTTP/1.1 200 OK\n"
    for _, body in ipairs { "1\na\n", "" } do
      local _, answer = once(raw(ok .. "transfer-encoding: chunked\nx-a: 1\n\n" .. body
        .. "0\nx-a: 2\nx-b: 3\nHTTP/1.1 404 Gone: x\n\n"))
      print(answer.status, answer.headers["x-a"], answer.headers["x-b"], answer.text)
    end
    local function say(text) print((tostring(select(2, pcall(once, raw(text)))):gsub("^.*: ", ""))) end
    say("HTTP/1.1 103 Early Hints\n{1700|x-header: 1\n}\n" .. ok .. "{1700|x-header: 1\n}transfer-encoding: chunked\n\n"
      .. "1\na\n0\n{1700|x-header: 1\n}\n")
    print(message_of(once, raw(ok .. "x: ", { more = ("y"):rep(3000) })):match "%a*$")]],
    { "200\t1\tnil\ta", "200\t1\tnil\t", "the head of the answer is too long", "long" } },
  { "leaves no descriptors behind", [[
    local function count()
      local pipe = io.popen("ls /proc/$PPID/fd | wc -l")
      local text = pipe:read "*a"
      pipe:close()
      return tonumber(text)
    end
    collectgarbage()
    local strict, before = with { tries = 1, max_size = 1 }, count()
    for _ = 1, 40 do assert(not pcall(strict, "GET /answer?text=long")) end
    print(count() - before < 9 or count() - before)
    local many = with { api = endpoint.defaults { baseUrl = "" } } -- each is another host: 0x7f.1, 0x07f.1, 0x007f.1 ...
    for i = 1, base:find "^http:" and 40 or 0 do
      many(("GET http://0x%s7f.1:%s/count"):format(("0"):rep(i), base:match "%d+$"))
    end
    print(count() - before < 25 or count() - before)]], { "true", "true" }, but = "nginx" },
  { "refuses lengths and codings that are none", [[
    for _, head in ipairs { "content-length: -5", "content-length: 99999999999999999999", "content-length: 2, 3",
      "content-length: 0x3", "transfer-encoding: gzip, chunked", "transfer-encoding: gzip" } do
      local said = message_of(with { tries = 1 }, raw("HTTP/1.1 200 OK\n" .. head .. "\n\nabc"))
      said = said:gsub("^GET /raw: (the answer [^:]*).*", "%1")
      if os.getenv "CLIENT" == "curl" then said = said:gsub("^GET /raw: .*", "of curl") end
      print(said == "the answer is cut off" and os.getenv "CLIENT" == "curl" and "of curl" or said)
    end]],
    { "$LENGTH", "$CUT", "the answer has no right length", "the answer has no right length", "$CODING",
      "$CODING" } },
  { "hangs no longer than its time-outs", [[
    local function try(settings, text, more, pause)
      settings.tries = settings.tries or 1
      local before, options = os.time(), { is_held = 1, more = more, pause = more and (pause or 0.01) }
      local said = message_of(with(settings), raw(text, options)):lower()
      print(said:find "time" and "time" or said:find "too l" and "long" or said, os.time() - before <= 50)
    end
    local ok = "HTTP/1.1 200 OK\n"
    try({ idle_timeout = 0.2, timeout = 25 }, ok .. "content-length: 9\n\nabc")
    try({ timeout = 0.2, tries = 9 }, "")
    try({ timeout = 0.2 }, ok .. "x: ", "y")
    try({ timeout = 0.2 }, ok .. "content-length: 99999\n\n", "y")
    try({ timeout = 0.2 }, ok .. "transfer-encoding: chunked\n\n0;", "y")
    try({ timeout = 0.2 }, ok .. "transfer-encoding: chunked\n\n0\nx: ", "y")
    try({ timeout = 0.2 }, "", "HTTP/1.1 100 Continue\r\n\r\n")
    try({ timeout = 100 }, "", ("HTTP/1.1 100 Continue\r\n\r\n"):rep(100))
    local function sink() return true end
    try({ sink = function(piece) return nil, piece and "in time: " .. piece end, idle_timeout = 16 }, ok .. "\nabc")
    try({ timeout = 0.2, sink = sink }, ok .. "content-length: 99999999999\n\n", ("y"):rep(4000), "none")
    local never = { data = function() return ("x"):rep(999) end, request = { timeout = 0.2 } }
    print(message_of(send, "PUT /raw?text=&drains=1", never):lower():find "time" ~= nil)
    local many = { data = {} } -- more than masks look at
    for i = 1, 60000 do many.data[i] = i end
    local function hook(r, ask) return ask(r) end
    print(message_of(with { timeout = 0.5, around = hook }, "PUT /raw?text=&drains=1", many))
    local silent = assert(require "socket".bind("127.0.0.1", 0))
    local deaf = endpoint.defaults { baseUrl = base:match "^%a+" .. "://127.0.0.1:" .. select(2, silent:getsockname()) }
    print(message_of(with { api = deaf, timeout = 0.2 }, "GET /x"):lower():find "time" ~= nil)]],
    { "time\ttrue", "time\ttrue", "time\ttrue", "time\ttrue", "time\ttrue", "time\ttrue", "time\ttrue", "long\ttrue",
      "time\ttrue", "time\ttrue", "true", "PUT /raw: timeout: 0.5 s are over", "true" } },
  { "keeps connections where it can, but for what must not arrive twice", [[
    local own, counts = with {}, {}
    for i, method in ipairs { "GET", "GET", "POST", "POST" } do counts[i] = tonumber((own(method .. " /count"))) end
    print(counts[2] - counts[1], counts[3], counts[4])]], { "1\t1\t1" } },
  { "keeps no connection behind an answer that may have another end", [[
    local once = with { tries = 1 }
    for i, head in ipairs { "200 OK\ntransfer-encoding: chunked\ncontent-length: 3\n\n0\n\n",
      "200 OK\ncontent-length: 1\n\nab", "204 No Content\ncontent-length: 3\n\n",
      "200 OK\nconnection: keep-alive, close\ncontent-length: 0\n\n" } do
      once(raw("HTTP/1.1 " .. head, { is_held = 1 })) -- the server closes at the next byte of this connection
      print(i, (pcall(once, "GET /answer")))
    end]], { "1\ttrue", "2\ttrue", "3\ttrue", "4\ttrue" } },
}

-- What the last rows say; libcurl has words of its own.
local ZLIB = { ZIP = "aaa", PART = "the answer is cut off", WRONG = "the answer is packed wrongly" }
local WE_SAY = { LAX = "refused", LENGTH = "the answer has no right length", CUT = "the answer is cut off",
  CODING = "the answer is coded, as nobody asked for" }
local CURL_SAYS = { LAX = "abc", LENGTH = "of curl", CODING = "of curl", CUT = "of curl" }

-- The rows of each run, and its program.
local RUNS = {}
for _, run in ipairs { "plain", "tls", "nginx" } do
  local code, rows = { HEAD }, {}
  for _, row in ipairs(ROWS) do
    if not (row.but or ""):find(run) then
      rows[#rows + 1], code[#code + 1] = row, ("do\n  slept = {}\n%s\nend\nprint '--'\n"):format(row[2])
    end
  end
  RUNS[run] = { rows = rows, code = table.concat(code), file = run .. "_code.lua" }
end

describe("endpoint.request", function()
  local running, start, stop = server.plan { locations = API .. RUN, errors = "" }
  local programs, texts = {}, nil
  for _, pair in ipairs(PAIRS) do
    for _, run in ipairs(pair[1] == "nginx" and { "nginx" } or { "plain", "tls" }) do
      programs[#programs + 1] = { lua = pair[1], client = pair[2], run = run, scheme = run == "tls" and "https" or "http" }
    end
  end
  setup(function()
    start()
    for _, run in pairs(RUNS) do support.write(running.directory .. "/" .. run.file, run.code) end
    local commands = {}
    for i, program in ipairs(programs) do
      program.url = program.run == "tls" and running.tls_url or running.url
      commands[i] = command_of(running, program.lua, RUNS[program.run].file, "number" .. i, { API = program.url,
        CLIENT = program.client, CA = program.run ~= "nginx" and running.directory .. "/certificate.pem" or nil })
    end
    texts = run_all(running, commands)
  end)
  teardown(stop)

  for number, program in ipairs(programs) do
    it(("does what it promises, with %s on %s, over %s"):format(program.client, program.lua, program.scheme), function()
      local places = { SCHEME = program.scheme, API = program.url, PORT = program.url:match "%d+$" }
      for name, words in pairs(ZLIB) do
        local has_zlib = server.has_module(program.lua == "nginx" and "luajit" or program.lua, "zlib")
        places[name] = has_zlib and words or "not here"
      end
      for name, words in pairs(program.client == "curl" and CURL_SAYS or WE_SAY) do places[name] = words end
      local printed = {}
      for lines in texts[number]:gsub("%.0(%s)", "%1"):gmatch "(.-)%-%-\n?" do printed[#printed + 1] = lines end
      for i, row in ipairs(RUNS[program.run].rows) do
        local expected = row[1] .. "\n" .. table.concat(row[3], "\n"):gsub("%$(%u+)", places) .. "\n"
        assert.equal(expected, row[1] .. "\n" .. (printed[i] or texts[number]:sub(-500)))
      end
    end)
  end
end)

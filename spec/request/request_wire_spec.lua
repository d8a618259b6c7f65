-- endpoint.request, under each Lua and with each client that is here: each promise of
-- docs/request.md, against an nginx that plays the API, over TLS with an authority of its own; and
-- in loops.
local examples = require "docs.examples"
local runs = require "request.runs"
local server = require "server"
local support = require "support"
local tls = require "request.tls"

local PAIRS, RUN, command_of = runs.PAIRS, runs.RUN, runs.command_of

-- --- the API ----------------------------------------------------------------------

-- /fail fails at first; /raw answers with the bytes of `text` alone, in which {3|ab} is ababab, and
-- then with `more` for ever.
local API = [[
location /echo { content_by_lua_block {
  ngx.req.read_body() ngx.print(ngx.req.get_body_data() or "")
} }
location /packed { gzip on; gzip_min_length 1; gzip_types text/x; content_by_lua_block {
  ngx.header.content_type = "text/x"
  for _ = 1, ngx.var.arg_times do ngx.print((("x"):rep(10000))) end
} }
location /late { content_by_lua_block { ngx.sleep(0.5) ngx.print "late" } }
location /head { content_by_lua_block { ngx.print(ngx.req.raw_header(true)) } }
location /connection { content_by_lua_block { ngx.print(ngx.var.connection) } }
location /count { content_by_lua_block { ngx.print(ngx.var.connection_requests) } }
location /fail { content_by_lua_block {
  local id, asked = ngx.var.arg_id, package.loaded
  ngx.req.read_body()
  asked[id] = (asked[id] or 0) + 1
  if asked[id] == 1 then return ngx.exit(444) end
  ngx.print(asked[id])
} }
location /answer { content_by_lua_block {
  local args = ngx.req.get_uri_args()
  ngx.header["content-encoding"] = args.coding
  ngx.print(args.text or "")
} }
]]

-- What stands above the snippets.
local HEAD = [[
local endpoint, request = require "endpoint", require "endpoint.request"
io.stdout:setvbuf "no" -- so that a program that hangs shows where
local base, is_curl = os.getenv "API", os.getenv "CLIENT" == "curl"
local api, count = endpoint.defaults { baseUrl = base }, 0
-- nginx has it in its configuration.
local cafile = os.getenv "CLIENT" ~= "resty_http" and os.getenv "CA" or nil
local function with(settings)
  settings.client, settings.cafile = settings.client or os.getenv "CLIENT", cafile
  -- The server may be at work on the programs inside it.
  settings.connect_timeout = settings.connect_timeout or 50
  settings.sleep = function() end
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
local function raw(text, more)
  local options = { text = text:gsub("\n", "\r\n") }
  for name, value in pairs(more or {}) do options[name] = value end
  return "GET /raw{?text,more,pause,drains,is_held}", options
end
]]

-- What it does, a snippet, and the lines that the snippet prints; `but`, the runs that it says
-- nothing more in: plain, tls, nginx. What is the same with each client is in the other specs.
local ROWS = {
  tls.ROW,
  {
    "sends streams, and gives a long answer to a sink",
    [[
    local parts = { "a", "b" }
    print((send("PUT /echo", { data = function() return table.remove(parts, 1) end })))
    print((message_of(send, "PUT /echo", { data = function() return nil, "broke off" end })))
    local pieces, ended, seen = {}, 0, {}
    local function sink(piece, response)
      if piece then pieces[#pieces + 1], seen[response] = piece, true else ended = ended + 1 end
    end
    local long = ("x"):rep(300000)
    local value, answer = send("POST /echo", { data = long, request = { sink = sink } })
    print(value, answer.text, table.concat(pieces) == long, ended,
      next(seen) == answer and next(seen, answer))
    local function full() return nil, "full" end
    print(message_of(send, "POST /echo", { data = long, request = { sink = full } }))
    print(message_of(send, "POST /echo", { data = long, request = { max_size = 1000 } }))
    local function raising(piece) if piece then error("mine", 0) end end
    print(message_of(send, "GET /head", { request = { sink = raising } }))
    print(send("HEAD /head"), (send("DELETE /echo")))]],
    {
      "ab",
      "PUT /echo: broke off",
      "nil\t\ttrue\t1\tnil",
      "POST /echo: full",
      "POST /echo: the answer is too long",
      "mine",
      "nil\tnil",
    },
  },
  {
    "reads what a server answers that reads no body to its end",
    [[
    local route, options = raw "HTTP/1.1 413 Too Long\ncontent-length: 0\n\n"
    function options.data() return ("x"):rep(9999) end
    local said = message_of(send, "PUT" .. route:sub(4), options)
    print(is_curl and "PUT /raw: the server answers 413" or said) -- libcurl does not always]],
    { "PUT /raw: the server answers 413" },
    but = "tls",
  },
  {
    "sends nothing twice that must not be",
    [[
    local function sent(method, options)
      count = count + 1
      local route = (" /fail?id=%s-%d"):format(os.getenv "NUMBER", count)
      send "GET /count" -- over a connection that a client may keep
      return pcall(send, method .. route, options), tonumber((send("GET" .. route))) - 1
    end
    local parts = { "a" }
    print(sent("POST", { data = "x" }), sent("POST"), sent("PATCH", { data = "x" }))
    print(sent("PUT", { data = function() return table.remove(parts) end }))
    print(sent("POST", { data = "x", headers = { ["idempotency-key"] = "k" } }),
      sent("PUT", { data = "x" }), sent "GET")]],
    { "false\tfalse\tfalse\t1", "false\t1", "true\ttrue\ttrue\t2" },
  },
  {
    "unpacks what is packed, in pieces, no more than max_size",
    [[
    local long, head = ("x"):rep(1000000), send "GET /head"
    local asks = head:find "[Aa]ccept%-[Ee]ncoding: gzip\r" ~= nil
    print(asks == (pcall(require, "zlib")), head:match("^%S+"):lower())
    print(send "GET /packed?times=100" == long)
    local size, most, seen = 0, 0, nil
    send("GET /packed?times=100", { request = { sink = function(piece, answer)
      if piece then size, most, seen = size + #piece, math.max(most, #piece), answer end
    end } })
    print(size, most < 1100000, seen.status, seen.headers["content-type"],
      seen.headers["content-encoding"])
    print(message_of(with { max_size = 1000000 }, "GET /packed?times=10000"))
    local gzip = { ["accept-encoding"] = "gzip" }
    local packed, answer = send("GET /packed?times=100", { headers = gzip })
    print(#packed < 10000, answer.headers["content-encoding"])
    local aaa = "\31\139\8\0\0\0\0\0\2\3\75\76\76\4\0\45\115\7\240\3\0\0\0"
    for _, text in ipairs {
      aaa, aaa .. aaa, aaa:rep(20), aaa:sub(1, -9), aaa .. aaa:sub(1, -9), aaa .. "x", "nothing"
    } do
      local strict = with { max_size = 50 }
      local _, said = pcall(strict, "GET /answer?coding=gzip{&text}", { text = text })
      print(pcall(require, "zlib") and tostring(said):gsub("^.*: the", "the") or "not here")
    end]],
    {
      "true\thost:",
      "true",
      "1000000\ttrue\t200\ttext/x\tnil",
      "GET /packed: the answer is too long",
      "true\tgzip",
      "$ZIP",
      "$TWICE",
      "$LONG",
      "$PART",
      "$PART",
      "$WRONG",
      "$WRONG",
    },
    but = "tls",
  },
  {
    "keeps connections where it can, but for what must not arrive twice",
    [[
    local keeps = true -- libcurl 7.84 to 8.0 keeps none
    if is_curl then
      local found, curl = pcall(require, "cURL")
      local major, minor = (found and curl or require "curl").version():match "(%d+)%.(%d+)"
      local version = 1000 * tonumber(major) + tonumber(minor)
      keeps = version < 7084 or version >= 8001
    end
    local own, counts, seen, different = with {}, {}, {}, 0
    for i, method in ipairs { "GET", "GET", "POST", "POST" } do
      counts[i] = tonumber((own(method .. " /count")))
    end
    print(counts[2] - counts[1] == (keeps and 1 or 0), counts[3], counts[4])
    for _ = 1, 100 do
      local number = own "GET /connection"
      if not seen[number] then seen[number], different = true, different + 1 end
    end
    print(different <= (keeps and 5 or 100) or different)]],
    { "true\t1\t1", "true" },
  },
  {
    "takes the proxies of the environment, but for the hosts of no_proxy",
    [[
    local getenv, read = os.getenv, require "echo".read
    local environment = { http_proxy = "me:pw@127.0.0.1:" .. getenv "PROXY",
      no_proxy = "a.example,127.0.0.0/8" }
    local function get(own)
      os.getenv = function(name) return environment[name] end
      local sender = with { api = endpoint.defaults { baseUrl = getenv "HTTP" }, proxy = own }
      os.getenv = getenv
      return read((sender "GET /x?a=b"))
    end
    print(get("environment").uri)
    environment.no_proxy = "127.0.0.2,127.0.0.1:1"
    local proxied = get "environment"
    print(proxied.uri, proxied.headers["proxy-authorization"])
    print(get().uri)]],
    { "/x?a=b", "/proxied/x?a=b\tBasic bWU6cHc=", "/x?a=b" },
    but = "nginx",
  },
  {
    "names what is wrong with names and authorities",
    [[
    local lost = endpoint.defaults { baseUrl = "http://no-such-host.invalid" }
    local said = message_of(with { api = lost, tries = 1 }, "GET /x")
    print(said:find("no-such-host.invalid", 1, true) ~= nil)
    local secure = endpoint.defaults { baseUrl = "https://127.0.0.1" }
    local stranger = request.new(api, { client = os.getenv "CLIENT" })
    print(not base:find "https" or message_of(stranger, "GET /head"):find("cafile", 1, true) ~= nil)
    local unread = request.new(secure, { client = "luasocket", cafile = arg[0] })
    print((message_of(unread, "GET /x"):gsub("e: .*", "e")))]],
    { "true", "true", "endpoint.request: cafile" },
    but = "nginx",
  },
  {
    "keeps apart what stands behind the body",
    [[
    local once, ok = with { tries = 1 }, "HTTP/1.1 200 OK\n"
    for _, body in ipairs { "1\na\n", "" } do
      local _, answer = once(raw(ok .. "transfer-encoding: chunked\nx-a: 1\n\n" .. body
        .. "0\nx-a: 2\nx-b: 3\nx-c: HTTP/1.1 404 Gone\n\n"))
      print(answer.status, answer.headers["x-a"], answer.headers["x-b"], answer.text)
    end
    print(message_of(once, raw("HTTP/1.1 103 Early Hints\n{1700|x-header: 1\n}\n" .. ok
      .. "{1700|x-header: 1\n}transfer-encoding: chunked\n\n1\na\n0\n{1700|x-header: 1\n}\n")))
    print(message_of(once, raw(ok .. "x: ", { more = ("y"):rep(3000) })):match "%a*$")]],
    { "200\t1\tnil\ta", "200\t1\tnil\t", "GET /raw: the head of the answer is too long", "long" },
  },
  {
    "leaves no descriptors behind",
    [[
    local function descriptors()
      local pipe = io.popen("ls /proc/$PPID/fd | wc -l")
      local text = pipe:read "*a"
      pipe:close()
      return tonumber(text)
    end
    collectgarbage()
    local strict, before = with { tries = 1, max_size = 1 }, descriptors()
    for _ = 1, 40 do assert(not pcall(strict, "GET /answer?text=long")) end
    print(descriptors() - before < 9 or descriptors() - before)
    -- Each is another host: 0x7f.1, 0x07f.1, 0x007f.1 ...
    local many = with { api = endpoint.defaults { baseUrl = "" } }
    for i = 1, base:find "^http:" and 40 or 0 do
      many(("GET http://0x%s7f.1:%s/count"):format(("0"):rep(i), base:match "%d+$"))
    end
    print(descriptors() - before < 25 or descriptors() - before)]],
    { "true", "true" },
    but = "nginx",
  },
  {
    "says which limit is over, waits for a late answer, and hangs no longer than its time-outs",
    [[
    print((with { idle_timeout = 0.3 }("GET /late")))
    local huge = math.huge
    print((with { timeout = huge, connect_timeout = huge, idle_timeout = huge }("GET /late")))
    print(message_of(with { timeout = 0.2 }, "GET /late"))
    local socket = require "socket"
    local function at(listener, scheme)
      local _, port = listener:getsockname()
      return endpoint.defaults { baseUrl = scheme .. "://127.0.0.1:" .. port }
    end
    local full, fillers = socket.bind("127.0.0.1", 0, 0), {}
    for i = 1, 3 do
      fillers[i] = socket.tcp()
      fillers[i]:settimeout(0)
      fillers[i]:connect("127.0.0.1", (select(2, full:getsockname())))
    end
    print(message_of(with { api = at(full, "http"), connect_timeout = 0.3, tries = 1 }, "GET /x"))
    local silent = socket.bind("127.0.0.1", 0)
    local unheard = with { api = at(silent, base:match "^%a+"), timeout = 0.2 }
    print(message_of(unheard, "GET /x"):lower():find "time" ~= nil)
    local function try(settings, text, more, pause)
      settings.tries = settings.tries or 1
      local before = os.time()
      local options = { is_held = 1, more = more, pause = more and (pause or 0.01) }
      local said = message_of(with(settings), raw(text, options)):lower()
      print(said:match "idle_timeout.*" or said:find "time" and "time"
        or said:find "too l" and "long" or said,
        os.time() - before <= 50)
    end
    local ok = "HTTP/1.1 200 OK\n"
    try({ idle_timeout = 0.2, timeout = 25 }, ok .. "content-length: 9\n\nabc")
    try({ timeout = 0.2, tries = 9 }, "")
    try({ timeout = 0.2 }, ok .. "x: ", "y")
    try({ timeout = 0.2 }, ok .. "content-length: 99999\n\n", "y")
    try({ timeout = 0.2 }, ok .. "transfer-encoding: chunked\n\n0\nx: ", "y")
    try({ timeout = 0.2 }, "", "HTTP/1.1 100 Continue\r\n\r\n")
    try({ timeout = 100 }, "", ("HTTP/1.1 100 Continue\r\n\r\n"):rep(100))
    local function sink() return true end
    local function refuse(piece) return nil, piece and "in time: " .. piece end
    try({ sink = refuse, idle_timeout = 16 }, ok .. "\nabc")
    local endless = ok .. "content-length: 99999999999\n\n"
    try({ timeout = 0.2, sink = sink }, endless, ("y"):rep(4000), "none")
    local never = { data = function() return ("x"):rep(999) end, request = { timeout = 0.2 } }
    print(message_of(send, "PUT /raw?text=&drains=1", never):lower():find "time" ~= nil)]],
    {
      "late",
      "late",
      "GET /late: timeout: no complete answer within 0.2 s",
      "GET /x: connect_timeout: no connection within 0.3 s",
      "true",
      "idle_timeout: nothing more came for 0.2 s\ttrue\n"
        .. ("time\ttrue\n"):rep(5)
        .. "long\ttrue",
      "time\ttrue",
      "time\ttrue",
      "true",
    },
  },
}

-- What a row says where zlib is.
local ZLIB = {
  ZIP = "aaa",
  TWICE = "aaaaaa",
  LONG = "the answer is too long",
  PART = "the answer is cut off",
  WRONG = "the answer's gzip data is invalid",
}

-- --- loops ------------------------------------------------------------------------

-- The setting `wait`: many requests at once in the loops that programs have. The code of each loop,
-- and of a program, is that of docs/many-at-once.md.
local SLOW = [[
location /together { content_by_lua_block { -- answers when 20 of a program are here
  local here, of = package.loaded, "together" .. ngx.var.arg_of
  here[of] = (here[of] or 0) + 1
  for _ = 1, 1000 do
    if here[of] >= 20 then return ngx.print(ngx.var.arg_n) end
    ngx.sleep(0.02)
  end
} }
location /slow { content_by_lua_block { ngx.sleep(0.1) ngx.print(ngx.var.args) } }
location /slow_echo { content_by_lua_block {
  ngx.sleep(0.2) ngx.req.read_body() ngx.print(ngx.req.get_body_data())
} }
location /again { return 503; }
location /orgs/ { default_type application/json; return 200 '{"id": "x"}'; }
]]

-- The loops, and the Luas that have each, if not all have it.
local LOOPS = {
  { name = "pool", module = "socket" },
  { name = "copas", luas = { "lua5.1", "lua5.2", "luajit" } },
  { name = "luv" },
  { name = "cqueues" },
}

local PAGE = 'local endpoint = require "endpoint"\n'
  .. 'local api = endpoint.defaults { baseUrl = os.getenv "HTTP" }\n'

-- Behind the page's program: sends 20 requests that are answered when all are there, 20 small ones
-- that may share connections, a stream, and to what is silent.
local LOOPED = [[
    local settings = { wait = wait, sleep = sleep, cafile = os.getenv "CA" }
    settings.connect_timeout = 50 -- the server may be at work on the programs inside it
    local send = request.new(endpoint.defaults { baseUrl = os.getenv "API" }, settings)
    local function all(count, f)
      local done = 0
      for i = 1, count do
        spawn(function()
          f(i)
          done = done + 1
        end)
      end
      run(function() return done == count end)
      return done
    end
    local route = "GET /together?of=" .. os.getenv "NUMBER"
    print(all(20, function(i) assert(send(route, { n = i }) == tostring(i)) end))
    print(all(20, function() for _ = 1, 3 do assert(send "GET /slow?n=1" == "n=1") end end))
    local long = ("0123456789"):rep(TIMES)
    print(all(2, function() assert(send("POST /slow_echo", { data = long }) == long) end))
    for i, route in ipairs { "GET /late", "GET /again" } do
      local ok, failure
      local own = { timeout = i == 1 and 0.3 or 60, tries = i }
      all(1, function() ok, failure = pcall(send, route, { request = own }) end)
      print(not ok and failure.message)
    end
    print "--"
]]

-- What is printed: a row.
local MANY = {
  "sends many at once",
  nil,
  {
    "x",
    "x",
    "20",
    "20",
    "2",
    "GET /late: timeout: no complete answer within 0.3 s",
    "GET /again: the server answers 503",
  },
}

-- Neovim exports a function socket_connect, which Debian's LuaSocket would call in the place of its
-- own, and crash.
local ARCHIVE =
  server.shell "command -v nvim >/dev/null && ls /usr/lib/*/liblua5.1-socket.a 2>/dev/null"

-- Makes a LuaSocket for Neovim.
local function make_socket(directory)
  if ARCHIVE == "" then
    return
  end
  server.shell(
    (
      "cd %s && mkdir socket && cc -shared -Wl,-Bsymbolic -o socket/core.so -Wl,--whole-archive %s "
      .. "-Wl,--no-whole-archive"
    ):format(directory, ARCHIVE)
  )
end

-- The code of a program. One loop sends what the sockets do not take while the server sleeps.
local function code_of(loop, is_long)
  return loop .. PAGE .. examples.recipe "many.lua" .. LOOPED:gsub("TIMES", is_long and 800000 or 1)
end

-- A list of programs; `missing` says why one cannot run.
local function looped_programs()
  local list = {}
  for _, loop in ipairs(LOOPS) do
    for _, lua in ipairs(server.luas(loop.luas)) do
      local is_old, missing = lua == "lua5.1", nil
      for _, module in ipairs { loop.module or loop.name, is_old and "coxpcall" or "ssl" } do
        if not server.has_module(lua, module) then
          missing = "no module " .. module
        end
      end
      local code = (is_old and examples.recipe "coxpcall.lua" or "")
        .. examples.recipe(loop.name .. ".lua")
      list[#list + 1] = {
        loop.name .. " on " .. lua,
        lua = lua,
        missing = missing,
        code = code_of(code, loop.name == "pool"),
      }
    end
  end
  local code, count = examples.recipe "luv.lua":gsub('require "luv"', "vim.loop"):gsub(
    "function run%(%) uv%.run%(%)",
    "function run(is_done) vim.wait(is_done and 50000 or 5000, is_done, 5)"
  )
  assert(count == 1)
  list[#list + 1] = {
    "Neovim",
    lua = "luajit",
    command = "nvim --headless --clean -c 'luafile FILE' -c qall",
    code = code_of("package.cpath = os.getenv 'HERE' .. '/?.so;' .. package.cpath\n" .. code),
    missing = ARCHIVE == "" and "no nvim, or no lua-socket-dev" or nil,
  }
  return list
end

-- --- the programs -----------------------------------------------------------------

-- The programs: the name of each, its Lua, its code, the rows that it prints, and the scheme of the
-- API.
local programs = {}
for _, pair in ipairs(PAIRS) do
  local lua, client = pair[1], pair[2]
  for _, run in ipairs(lua == "nginx" and { "nginx" } or { "plain", "tls" }) do
    local code, rows = { HEAD }, {}
    for _, row in ipairs(ROWS) do
      if not (row.but or ""):find(run) then
        rows[#rows + 1], code[#code + 1] = row, ("do\n%s\nend\nprint '--'\n"):format(row[2])
      end
    end
    programs[#programs + 1] = {
      client .. " on " .. lua,
      lua = lua,
      client = client,
      code = table.concat(code),
      rows = rows,
      scheme = run == "tls" and "https" or "http",
    }
  end
end
for _, loop in ipairs(looped_programs()) do
  for _, scheme in ipairs { "http", "https" } do
    programs[#programs + 1] = {
      loop[1],
      lua = loop.lua,
      code = loop.code,
      rows = { MANY },
      scheme = scheme,
      command = loop.command,
      missing = loop.missing,
    }
  end
end

describe("endpoint.request", function()
  local running, start, stop = server.plan {
    locations = API .. runs.RAW .. SLOW .. RUN,
    outside = tls.servers,
    errors = "",
    prepare = tls.write_certificates,
  }
  local texts, proxy, pid
  setup(function()
    start()
    local here, commands = running.directory, {}
    make_socket(here)
    support.write(here .. "/proxy.lua", tls.PROXY)
    proxy = io.popen("echo $$; exec lua5.4 " .. here .. "/proxy.lua")
    pid = proxy:read "*l"
    local environment = {
      HTTP = running.url,
      CA = here .. "/authorities.pem",
      HERE = here,
      PORT = running.port,
      SECOND = running.second_port,
      PROXY = proxy:read "*l",
      http_proxy = "127.0.0.1:1",
      https_proxy = "127.0.0.1:1",
    }
    for i, program in ipairs(programs) do
      local file = ("%s/%dcode.lua"):format(here, i)
      support.write(file, program.code)
      environment.API = program.scheme == "https" and running.tls_url or running.url
      environment.CLIENT, environment.NUMBER = program.client, i
      commands[i] = program.missing and "true" or command_of(running, program, file, environment)
    end
    texts = server.run_all(running, commands)
  end)
  teardown(function()
    server.shell("kill " .. pid)
    proxy:close()
    stop()
  end)

  for number, program in ipairs(programs) do
    it(("does what it promises, by %s, over %s"):format(program[1], program.scheme), function()
      if program.missing then
        pending(program.missing)
      end
      local is_nginx = program.lua == "nginx"
      local places = {
        ADDRESS = is_nginx and "refused" or "sent", -- it compares no addresses
        WHOLE = is_nginx and "POST /x: the answer is cut off: TLS was not closed" or "whole",
      } -- nor can it tell that
      for name, words in pairs(ZLIB) do
        places[name] = server.has_module(is_nginx and "luajit" or program.lua, "zlib") and words
          or "not here"
      end
      local printed, text = {}, texts[number]:gsub("\r", ""):gsub("%.0(%s)", "%1")
      for lines in text:gmatch "(.-)%-%-\n?" do
        printed[#printed + 1] = lines
      end
      for i, row in ipairs(program.rows) do
        local expected = row[1]
          .. "\n"
          .. table.concat(row[3], "\n"):gsub("%$(%u+)", places)
          .. "\n"
        assert.equal(expected, row[1] .. "\n" .. (printed[i] or text:sub(-500)))
      end
    end)
  end

  it("sends no byte of a request to another host", function()
    local log, sent = support.read(running.directory .. "/bytes.log"), 0
    for _, text in ipairs(texts) do
      sent = sent + select(2, ("\n" .. text):gsub("\nsent%f[\n%z]", ""))
    end
    assert.equal(sent, select(2, log:gsub("[^\n]+", "")))
    assert.truthy(sent > #PAIRS)
  end)
end)

-- spec/programs/request.lua, the program to copy: each promise of its first lines, under each Lua,
-- against an nginx that plays the API.
local echo = require "wire.echo"
local server = require "wire.server"
local support = require "support"

local LUAS = server.with_modules { "lua5.1", "lua5.2", "lua5.3", "lua5.4", "luajit" }

-- /wait answers with `status` the first `times` times, and a `retry-after` of `after`.
local API = [[
rewrite_by_lua_block { require "wire.echo".record() }
location /items { content_by_lua_block {
  local page = tonumber(ngx.var.arg_page or 1)
  if page < 3 then ngx.header.link = '<?page=' .. page + 1 .. '>; rel="next"' end
  ngx.header.content_type = "application/vnd.x+json; charset=utf-8"
  ngx.print(page == 2 and "[]" or '[{"n": ' .. page .. '}, {"n": null}]')
} }
location /notes { content_by_lua_block {
  ngx.req.read_body()
  local note = require "cjson".decode(ngx.req.get_body_data())
  ngx.status = 201
  ngx.header.content_type = "application/json"
  ngx.print('{"id": 7, "title": "' .. note.title .. '"}')
} }
location /wait { content_by_lua_block {
  local args, asked = ngx.req.get_uri_args(), package.loaded
  ngx.req.read_body()
  asked[args.id] = (asked[args.id] or 0) + 1
  ngx.header.content_type = "application/json"
  if asked[args.id] <= tonumber(args.times) then
    ngx.status = tonumber(args.status)
    ngx.header["retry-after"] = args.seconds and ngx.http_time(ngx.time() + args.seconds) or args.after
  end
  ngx.print(asked[args.id])
} }
location /answer { content_by_lua_block {
  local args = ngx.req.get_uri_args()
  ngx.status = tonumber(args.status or 200)
  ngx.header.content_type = args.type or "application/json"
  ngx.header.link = args.link
  ngx.print(args.text or "")
} }
]]

-- What stands above each snippet. `slept` records what the program would have slept.
local HEAD = [[
package.path = "spec/programs/?.lua;" .. package.path
local endpoint = require "endpoint"
local api = endpoint.defaults { baseUrl = os.getenv "API", headers = { authorization = "Bearer 0123" } }
local bare = endpoint.defaults { baseUrl = os.getenv "API" }
local slept = {}
local function with(settings)
  settings.cafile = settings.cafile or os.getenv "CA"
  settings.sleep = settings.sleep or function(seconds) slept[#slept + 1] = seconds end
  return require "request" (settings.api or api, settings)
end
local send, each, ask = with {}
local function message_of(f, ...)
  local ok, message = pcall(f, ...)
  assert(not ok and type(message) == "string", "expected a message")
  return message
end
]]

describe("request.lua", function()
  local running

  setup(function()
    running = echo.start(API)
    server.shell(("cd %s && openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=other -keyout other.key "
      .. "-out other.pem 2>openssl.log"):format(running.directory))
  end)

  teardown(function()
    local log = server.stop(running)
    assert.falsy(log:find("[error]", 1, true), log)
  end)

  -- What a snippet prints, a line for each print. lua-cjson's numbers are floats.
  local function run(lua, code, environment)
    support.write(running.directory .. "/snippet.lua", HEAD .. code)
    local settings = ("LUA_CPATH='build/%s/?.so;;' LUA_PATH='src/?.lua;;' CA=%s/certificate.pem API=http://127.0.0.1:%d %s")
      :format(lua, running.directory, running.port, environment or "")
    local printed = server.shell(("%s timeout 20 %s %s/snippet.lua 2>&1"):format(settings, lua, running.directory))
    return ((printed .. "\n"):gsub("%.0(%s)", "%1"):gsub("\n$", ""))
  end

  local function tls() return "API=https://127.0.0.1:" .. running.tls_port end

  local count = 0
  -- The query of /wait, with an id of its own.
  local function wait(query)
    count = count + 1
    return ("/wait?id=%d&%s"):format(count, query)
  end

  it("has at most 80 lines", function()
    assert.is_true(select(2, support.read("spec/programs/request.lua"):gsub("\n", "")) <= 80)
  end)

  for _, lua in ipairs(LUAS) do
    it("walks through pages, with relative links, over HTTP and TLS, on " .. lua, function()
      for _, environment in ipairs { "", tls(), (tls():gsub("https", "HTTPS")) } do
        echo.seen(running)
        local code = 'for item in each("GET /items", { q = "x" }) do print(item.n == endpoint.null or item.n) end'
        assert.equal("1\ntrue\n3\ntrue", run(lua, code, environment))
        local seen = echo.seen(running)
        for number, line in ipairs(seen) do seen[number] = line:match "^GET https?://[^/]+(.*)$" end
        assert.same({ "/items?q=x Bearer 0123", "/items?page=2 Bearer 0123", "/items?page=3 Bearer 0123" }, seen)
      end
    end)

    it("sends a table and decodes the answer, on " .. lua, function()
      local code = 'local note, answer = send("POST /notes", { title = "Bug" }) print(note.id, note.title, answer.status)'
      assert.equal("7\tBug\t201", run(lua, code))
    end)

    it("raises on 400 and above, and says neither values nor secrets, on " .. lua, function()
      local code = [[
        local options = { id = "S3CRET", status = 404, text = '{"message": "0123"}' }
        print(message_of(send, "get /answer/{id}{?status,text}", options))
        print(message_of(each("GET /answer/{id}{?status,text}", options)))
        local value, answer = ask("GET /answer/{id}", options)
        print(value.message, answer.status, answer.headers["content-type"], answer.text)
        local send_bare = with { api = bare }
        local url = os.getenv "API":gsub("//", "//user:S3CRET@")
        print(message_of(send_bare, "GET " .. url .. "/answer?status=500&key=S3CRET"))
        print((ask("GET /answer", { status = 502, text = "<html>" })))]]
      local lines = { "GET /answer/{id}: the server answers 404", "GET /answer/{id}: the server answers 404",
        '0123\t404\tapplication/json\t{"message": "0123"}',
        ("GET http://***@127.0.0.1:%d/answer: the server answers 500"):format(running.port), "false" }
      assert.equal(table.concat(lines, "\n"), run(lua, code))
    end)

    it("waits as retry-after says, on " .. lua, function()
      for _, row in ipairs {
        { "status=429&times=2&after=7", "3\t7 7" }, { "status=503&times=1&after=0", "2\t0" },
        { "status=429&times=3&after=7", "GET /wait: the server answers 429\t7 7" },
        { "status=429&times=1", "GET /wait: the server answers 429\t" },
        { "status=429&times=1&after=61", "GET /wait: the server answers 429\t" },
        { "status=503&times=1&after=99999999999999999999", "GET /wait: the server answers 503\t" },
        { "status=503&times=1&after=-1", "GET /wait: the server answers 503\t" },
        { "status=503&times=1&after=nan", "GET /wait: the server answers 503\t" },
        { "status=503&times=1&after=Mon,%2001%20Foo%202024%2000:00:00%20GMT", "GET /wait: the server answers 503\t" },
        { "status=503&times=1&after=Mon,%2001%20Jan%202024%2000:00:00%20GMT", "2\t0" },
        { "status=500&times=1&after=7", "GET /wait: the server answers 500\t" },
      } do
        local code = ('local ok, value = pcall(send, "GET %s") print(value, table.concat(slept, " "))'):format(wait(row[1]))
        assert.equal(row[2], run(lua, code), row[1])
      end
    end)

    it("waits until a date, in any time zone, on " .. lua, function()
      for _, zone in ipairs { "UTC", "EST5EDT", "CET-1CEST", "<+1345>-13:45" } do
        local code = ('print(send("GET %s"), slept[1] >= 27 and slept[1] <= 30)')
          :format(wait "status=429&times=1&seconds=30")
        assert.equal("2\ttrue", run(lua, code, "TZ='" .. zone .. "'"), zone)
      end
    end)

    it("sends as often and waits as long as its settings say, and a stream once, on " .. lua, function()
      local code = [[
        local once, patient = with { tries = 1 }, with { longest = 3600 }
        print((pcall(once, "GET %s")), patient "GET %s", slept[1])
        local parts = { "a" }
        print(message_of(send, "POST %s", { data = function() return table.remove(parts) end }))]]
      code = code:format(wait "status=429&times=1&after=1", wait "status=429&times=1&after=3600",
        wait "status=429&times=1&after=1")
      assert.equal("false\t2\t3600\nPOST /wait: the server answers 429", run(lua, code))
    end)

    it("really sleeps with LuaSocket, on " .. lua, function()
      local code = [[
        local time, request = require "socket".gettime, require "request"
        local before = time()
        print(request(api, {}) "GET %s", time() - before > 0.9)]]
      assert.equal("2\ttrue", run(lua, code:format(wait "status=429&times=1&after=1")))
    end)

    it("decodes JSON alone, and says where there is none, on " .. lua, function()
      local code = [[
        print((send("GET /answer", { status = 204 })))
        print((send("GET /answer", { type = "text/plain", text = "[]" })))
        print(message_of(send, "GET /answer", { text = "{S3CRET" }))
        print(message_of(each("GET /answer", { type = "text/plain", text = "[]" })))]]
      assert.equal("nil\nnil\nGET /answer: the server answers no JSON\nGET /answer: the server answers no list",
        run(lua, code))
    end)

    it("takes the token to no other server, on " .. lua, function()
      echo.seen(running)
      local code = ([[
        local items = each("GET /answer", { text = "[1]", link = '<http://localhost:%d/items>; rel="next"' })
        print(items(), message_of(items))]]):format(running.port)
      local printed = run(lua, code)
      assert.truthy(printed:find('^1\t[^\n]*header "authorization": a credential of the defaults goes to'), printed)
      assert.equal(1, #echo.seen(running))
    end)

    it("says what kept it from sending, and verifies certificates, on " .. lua, function()
      assert.equal("GET /items: connection refused",
        run(lua, 'print(message_of(send, "GET /items"))', "API=http://127.0.0.1:1"))
      assert.equal("GET /items: certificate verify failed",
        run(lua, 'print(message_of(send, "GET /items"))', ("%s CA=%s/other.pem"):format(tls(), running.directory)))
    end)

    it("sends with another client, on " .. lua, function()
      local code = [[
        local send_by_other = with { send = function(r) return 200, { ["content-type"] = "application/json" },
          '"' .. r.url:match "[^/]*$" .. '"' end }
        print((send_by_other("GET /items/{id}", { id = "a b" })))
        print(message_of(with { send = function() return nil, "no way" end }, "GET /items"))]]
      assert.equal("a%20b\nGET /items: no way", run(lua, code))
    end)
  end
end)

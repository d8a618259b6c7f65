-- examples/request.lua, the program to copy: each promise of its first lines, under each Lua,
-- against an nginx that plays the API.
local echo = require "wire.echo"
local server = require "wire.server"
local support = require "support"

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

-- What stands above the snippets. `slept` records what the program would have slept.
local HEAD = [[
package.path = "examples/?.lua;" .. package.path
local endpoint = require "endpoint"
local api = endpoint.defaults { baseUrl = os.getenv "API", headers = { authorization = "Bearer 0123" } }
local bare = endpoint.defaults { baseUrl = os.getenv "API" }
local slept, asked = {}, 0
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
local function wait(query) -- with an id of its own
  asked = asked + 1
  return ("GET /wait?id=%s-%d&%s"):format(arg[1], asked, query)
end
]]

local PAGES = 'for item in each("GET /items", { q = "x" }) do print(item.n == endpoint.null or item.n) end'
local PAGES_SEEN = { "GET URL/items?q=x Bearer 0123", "GET URL/items?page=2 Bearer 0123",
  "GET URL/items?page=3 Bearer 0123" }
-- The clock of os.time may be a few milliseconds behind that of nginx.
local DATE = [[print(send(wait "status=429&times=1&seconds=30"), slept[1] >= 27 and slept[1] <= 31)]]

-- What it does, a snippet, the lines that the snippet prints, and, for a process of its own, settings and
-- what the server must see. URL is the server's address, TLS that over TLS.
local ROWS = {
  { "walks through pages, with relative links", PAGES, { "1", "true", "3", "true" }, "", PAGES_SEEN },
  { "walks through pages over TLS", PAGES, { "1", "true", "3", "true" }, "API=TLS", PAGES_SEEN },
  { "walks through pages over HTTPS in upper case", PAGES, { "1", "true", "3", "true" }, "API=HTTPS", PAGES_SEEN },
  { "sends a table and decodes the answer",
    'local note, answer = send("POST /notes", { title = "Bug" }) print(note.id, note.title, answer.status)',
    { "7\tBug\t201" } },
  { "raises on 400 and above, and says neither values nor secrets", [[
    local options = { id = "S3CRET", status = 404, text = '{"message": "0123"}' }
    print(message_of(send, "get /answer/{id}{?status,text}", options))
    print(message_of(each("GET /answer/{id}{?status,text}", options)))
    local value, answer = ask("GET /answer/{id}", options)
    print(value.message, answer.status, answer.headers["content-type"], answer.text)
    local send_bare = with { api = bare }
    local url = os.getenv "API":gsub("//", "//user:S3CRET@")
    print(message_of(send_bare, "GET " .. url .. "/answer?status=500&key=S3CRET"))
    print((ask("GET /answer", { status = 502, text = "<html>" })))]],
    { "GET /answer/{id}: the server answers 404", "GET /answer/{id}: the server answers 404",
      '0123\t404\tapplication/json\t{"message": "0123"}', "GET http://***@HOST/answer: the server answers 500", "false" } },
  { "waits as retry-after says", [[
    for _, query in ipairs {
      "status=429&times=2&after=7", "status=503&times=1&after=0", "status=429&times=3&after=7", "status=429&times=1",
      "status=429&times=1&after=61", "status=503&times=1&after=99999999999999999999", "status=503&times=1&after=-1",
      "status=503&times=1&after=nan", "status=503&times=1&after=Mon,%2001%20Foo%202024%2000:00:00%20GMT",
      "status=503&times=1&after=Mon,%2001%20Jan%202024%2000:00:00%20GMT", "status=500&times=1&after=7",
    } do
      slept = {}
      local _, value = pcall(send, wait(query))
      print(value, table.concat(slept, " "))
    end]],
    { "3\t7 7", "2\t0", "GET /wait: the server answers 429\t7 7", "GET /wait: the server answers 429\t",
      "GET /wait: the server answers 429\t", "GET /wait: the server answers 503\t", "GET /wait: the server answers 503\t",
      "GET /wait: the server answers 503\t", "GET /wait: the server answers 503\t", "2\t0",
      "GET /wait: the server answers 500\t" } },
  { "waits until a date", DATE, { "2\ttrue" }, "TZ=UTC" },
  { "waits until a date in the west", DATE, { "2\ttrue" }, "TZ=EST5EDT" },
  { "waits until a date in the east", DATE, { "2\ttrue" }, "TZ=CET-1CEST" },
  { "waits until a date at a quarter to", DATE, { "2\ttrue" }, "TZ='<+1345>-13:45'" },
  { "sends as often and waits as long as its settings say, and a stream once", [[
    local once, patient = with { tries = 1 }, with { longest = 3600 }
    print((pcall(once, wait "status=429&times=1&after=1")), patient(wait "status=429&times=1&after=3600"), slept[1])
    local parts, route = { "a" }, wait "status=429&times=1&after=1":gsub("GET", "POST")
    print(message_of(send, route, { data = function() return table.remove(parts) end }))]],
    { "false\t2\t3600", "POST /wait: the server answers 429" } },
  { "really sleeps with LuaSocket", [[
    local time, request = require "socket".gettime, require "request"
    local before = time()
    print(request(api, {})(wait "status=429&times=1&after=1"), time() - before > 0.9)]], { "2\ttrue" } },
  { "decodes JSON alone, and says where there is none", [[
    print((send("GET /answer", { status = 204 })))
    print((send("GET /answer", { type = "text/plain", text = "[]" })))
    print(message_of(send, "GET /answer", { text = "{S3CRET" }))
    print(message_of(each("GET /answer", { type = "text/plain", text = "[]" })))]],
    { "nil", "nil", "GET /answer: the server answers no JSON", "GET /answer: the server answers no list" } },
  { "takes the token to no other server", [[
    local link = os.getenv "API":gsub("127.0.0.1", "<localhost") .. '/items>; rel="next"'
    local items = each("GET /answer", { text = "[1]", link = link:gsub("http://<", "<http://") })
    print(items(), (message_of(items):match 'header "authorization": a credential of the defaults goes to'))]],
    { '1\theader "authorization": a credential of the defaults goes to' }, "",
    { "GET URL/answer?link=%3Chttp%3A%2F%2Flocalhost%3A{port}%2Fitems%3E%3B%20rel%3D%22next%22&text=%5B1%5D Bearer 0123" } },
  { "says what kept it from sending", 'print(message_of(send, "GET /items"))',
    { "GET /items: connection refused" }, "API=http://127.0.0.1:1", {} },
  { "verifies certificates", 'print(message_of(send, "GET /items"))',
    { "GET /items: certificate verify failed" }, "API=TLS CA=OTHER", {} },
  { "sends with another client", [[
    local send_by_other = with { send = function(r) return 200, { ["content-type"] = "application/json" },
      '"' .. r.url:match "[^/]*$" .. '"' end }
    print((send_by_other("GET /items/{id}", { id = "a b" })))
    print(message_of(with { send = function() return nil, "no way" end }, "GET /items"))]],
    { "a%20b", "GET /items: no way" } },
}

describe("request.lua", function()
  local running, start, stop = server.plan { locations = API }
  setup(start)
  teardown(stop)

  local function at_home(text)
    local places = { HTTPS = running.tls_url:gsub("https", "HTTPS"), TLS = running.tls_url, URL = running.url,
      HOST = running.url:sub(8), OTHER = running.directory .. "/other.pem" }
    return (text:gsub("{port}", running.port):gsub("%u+", places))
  end

  -- The lines that the snippets of these rows print, for each a list. lua-cjson's numbers are floats.
  local function run(lua, rows)
    local code, printed = { HEAD }, {}
    for _, row in ipairs(rows) do code[#code + 1] = ("do\n  slept = {}\n%s\nend\nprint '--'\n"):format(row[2]) end
    local settings = ("API=%s CA=%s/certificate.pem "):format(running.url, running.directory) .. at_home(rows[1][4] or "")
    local id = lua .. #rows .. (rows[1][4] or ""):gsub("%W", "") -- of its requests to /wait
    local text = server.run_code(running, lua, table.concat(code), id, settings)
    for lines in text:gsub("%.0(%s)", "%1"):gmatch "(.-)%-%-\n?" do printed[#printed + 1] = lines end
    return printed, text
  end

  it("has at most 80 lines", function()
    assert.is_true(select(2, support.read("examples/request.lua"):gsub("\n", "")) <= 80)
  end)

  for _, lua in ipairs(server.luas()) do
    local together = {}
    for _, row in ipairs(ROWS) do
      if not row[4] then together[#together + 1] = row end
    end

    it("does what its first lines promise, on " .. lua, function()
      local printed, text = run(lua, together)
      for i, row in ipairs(together) do
        assert.equal(row[1] .. "\n" .. at_home(table.concat(row[3], "\n")) .. "\n", row[1] .. "\n" .. (printed[i] or text))
      end
    end)

    for _, row in ipairs(ROWS) do
      if row[4] then
        it(row[1] .. ", on " .. lua, function()
          echo.seen(running)
          local printed, text = run(lua, { row })
          assert.equal(table.concat(row[3], "\n") .. "\n", printed[1] or text)
          local seen = table.concat(echo.seen(running), "\n"):gsub(running.tls_url, running.url)
          if row[5] then assert.equal(at_home(table.concat(row[5], "\n")), seen) end
        end)
      end
    end
  end
end)

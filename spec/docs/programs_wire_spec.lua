-- The programs in examples, run against an nginx that plays the API, under each
-- Lua. The gateway has gateway_spec.
local echo = require "echo"
local examples = require "docs.examples"
local json = require "cjson"
local server = require "server"
local support = require "support"

local LUAS = server.luas()

-- An API that refuses any request but exactly those that the programs should send.
local API = [[
rewrite_by_lua_block { require "echo".record() }
location /repos/lua/lua/ { default_type application/json; content_by_lua_block {
  local json = require "cjson"
  if ngx.var.http_authorization ~= "Bearer 0123" then return ngx.exit(401) end
  if ngx.var.http_accept ~= "application/json" then return ngx.exit(415) end
  ngx.req.read_body()
  local uri = ngx.var.request_uri
  local base = ngx.var.scheme .. "://127.0.0.1:" .. ngx.var.server_port
  if ngx.req.get_method() == "POST" then
    local issue = json.decode(ngx.req.get_body_data())
    if issue.title ~= "Grüße" or issue.labels[1] ~= "bug" then return ngx.exit(422) end
    ngx.status = 201
    return ngx.say '{"number": 4}'
  elseif uri == "/repos/lua/lua/releases/tags/v1.0%2Fbeta" then
    return ngx.say(json.encode { upload_url = base .. "/uploads/1/assets{?name,label}" })
  elseif ngx.var.arg_page == "2" then
    ngx.header.link = "<" .. base .. '/repos/lua/lua/issues?per_page=2>; rel="prev"'
    return ngx.say '[{"number": 3, "title": "c"}]'
  elseif ngx.var.arg_per_page ~= "2" or ngx.var.arg_labels and ngx.var.arg_labels ~= "bug%2Cui" then
    return ngx.exit(400)
  end
  ngx.header.link = "<" .. base .. '/repos/lua/lua/issues?per_page=2&page=2>; rel="next"'
  ngx.say '[{"number": 1, "title": "a"}, {"number": 2, "title": "b"}]'
} }
location = /orgs/luarocks/repos { content_by_lua_block {
  if ngx.var.http_accept ~= "application/vnd.github+json" then return require "echo".answer() end
  ngx.header.content_type = "application/json"
  local is_last = ngx.var.arg_page == "2"
  if not is_last then ngx.header.link = '<?per_page=2&page=2>; rel="next"' end
  ngx.print(is_last and '[{"name": "c"}]' or '[{"name": "a"}, {"name": "b"}]')
} }
location = /repos/me/notes/issues { content_by_lua_block {
  ngx.req.read_body()
  if ngx.req.get_method() ~= "POST" or ngx.req.get_body_data() ~= '{"title":"Found a bug"}' then return ngx.exit(422) end
  ngx.status, ngx.header.content_type = 201, "application/json"
  ngx.print '{"title":"Found a bug"}'
} }
location /uploads/1/assets { default_type application/json; content_by_lua_block {
  ngx.req.read_body()
  if ngx.var.http_authorization ~= "Bearer 0123" or ngx.var.http_content_type ~= "application/octet-stream"
    or ngx.var.request_uri ~= "/uploads/1/assets?name=a%20b.bin&label=Built%20on%20a%2Fb"
    or ngx.req.get_body_data() ~= "\0\255x" then return ngx.exit(422) end
  ngx.say(require "cjson".encode { name = ngx.unescape_uri(ngx.var.arg_name), size = 3 })
} }
location = /v1/customers { content_by_lua_block {
  ngx.req.read_body()
  ngx.header.content_type = "application/json"
  if ngx.req.get_method() == "POST" then
    local form = "address%5Bcity%5D=Paris&email=a%40b.example&preferred_locales%5B0%5D=fr&preferred_locales%5B1%5D=en"
    if ngx.req.get_body_data() ~= form then return ngx.exit(422) end
    return ngx.print '{"id": "c1"}'
  end
  ngx.print(({ ["limit=2"] = '{"has_more": true, "data": [{"id": "c1", "email": "a"}, {"id": "c2", "email": "b"}]}',
    ["limit=2&starting_after=c2"] = '{"has_more": false, "data": [{"id": "c3", "email": "c"}]}' })[ngx.var.args])
} }
# Breaks off after 40,000 bytes of 100,000; gives the rest to who has them, and nothing to who has all.
location /file { content_by_lua_block {
  local all, from = ("0123456789"):rep(10000), (ngx.var.http_range or ""):match "^bytes=(%d+)%-$"
  local tag = ngx.req.get_uri_args().tag
  local is_same = tag and ngx.var.http_if_range == tag
  if ngx.var.http_accept_encoding ~= "identity" then return ngx.exit(406) end
  ngx.header.etag = tag
  if from and is_same and from + 0 >= #all then
    ngx.status, ngx.header.content_range = 416, "bytes */" .. #all
    return ngx.print "none"
  elseif from and is_same then
    ngx.status, ngx.header.content_range = 206, ("bytes %d-%d/%d"):format(from, #all - 1, #all)
  end
  ngx.header.content_length = #all - (is_same and from or 0)
  ngx.print(is_same and all:sub(from + 1) or ngx.var.arg_whole and all or all:sub(1, 40000))
  ngx.flush(true)
  return (is_same or ngx.var.arg_whole) or ngx.exit(ngx.ERROR)
} }
# The spec sets this answer.
location /repos/evil/ { default_type application/json; content_by_lua_block {
  local file = assert(io.open(ngx.config.prefix() .. "evil.json", "rb"))
  local answer = require "cjson".decode(file:read "*a")
  file:close()
  ngx.status = answer.status or 200
  ngx.header.link, ngx.header.location = answer.link, answer.location
  ngx.print(answer.body)
} }
location /next { default_type application/json; content_by_lua_block { ngx.print "[]" } }
]]

-- What stands before a command, the command, and what it prints, without white space.
local MAKE, DEMO = "make --no-print-directory demo", "lua5.4 spec/lib/demo.lua"
local ROUTE, PARAMS = [[ROUTE='GET /users?$filter=$(a)&b="c"']], [[ROUTE='GET /:org' PARAMS='{"org": "$x"}']]
local NUMBERS = '{"a": 9007199254740991, "b": -1234567890123456, "c": [1,2,3,4,5,6,7,8,9,10,11]}'

describe("make demo", function()
  for _, row in ipairs {
    { ROUTE, MAKE, "/users?$filter=$(a)&b=%22c%22" }, { "", MAKE .. " " .. ROUTE, "/users?$filter=$(a)&b=%22c%22" },
    { PARAMS, MAKE, "/%24x" }, { "", MAKE .. " " .. PARAMS, "/%24x" }, { "", MAKE, "GET/search/issues" },
    { "", MAKE .. " ROUTE=/:owner", 'endpoint:parameter"owner"ismissing' }, { "", MAKE .. " ROUTE=/:owner", "Error1" },
    { "ROUTE='POST /x' PARAMS='" .. NUMBERS .. "'", DEMO, (NUMBERS:sub(2, -2):gsub(" ", "")) },
    { "ROUTE='POST /x' PARAMS=[1]", DEMO, "PARAMS:expectedaJSONobject" },
    { "ROUTE='POST /x' PARAMS=null", DEMO, "PARAMS:expectedaJSONobject" },
    { "ROUTE='POST /x' PARAMS={", DEMO, "PARAMS:expectedaJSONobject" }, { "PARAMS={}", DEMO, "PARAMS:expectedaROUTE" },
  } do
    it(("prints what it should: %s %s: %s"):format(row[1], row[2], row[3]), function()
      local printed = server.run("lua5.4", row[2], "env -u MAKEFLAGS -u MAKELEVEL -u ROUTE -u PARAMS LC_ALL=C " .. row[1])
      assert.truthy(printed:gsub("%s", ""):find(row[3], 1, true), printed)
      assert.falsy(printed:find("traceback", 1, true), printed)
    end)
  end
end)

-- Each is a program with its arguments. BASE is the API's address, TLS and PORT are its ports, which answer to
-- any host name; below /repos/evil/ an attacker controls it. Fields:
-- environment: before API, TOKEN, CA, UPLOADS and HOST
-- answer: what the API answers below /repos/evil/
-- prints, or finds: all of what the program prints, or a part of it; the token is printed nowhere
-- seen: the requests that reached the API, with address and token
local LISTED, ASKED = "1\ta\n2\tb\n3\tc\ncreated\t4", "GET BASE/repos/evil/x/issues?labels=bug%2Cui&per_page=2 Bearer 0123"
local TAG, CREATED = "GET BASE/repos/evil/x/releases/tags/v1 Bearer 0123", "POST BASE/repos/evil/x/issues Bearer 0123"
local UPLOAD = "upload.lua lua/lua v1.0/beta 'FILE'"
local RUNS = {
  { "github.lua lua/lua", prints = LISTED },
  { "github.lua lua/lua", environment = "env -u CA", finds = "certificate" },
  { "github.lua lua/lua", environment = "env -u TOKEN", finds = "TOKEN is not set" },
  { "github.lua", finds = "expected OWNER/REPO" },
  { "github.lua evil/x", answer = { status = 302, location = "https://localhost:TLS/next", body = "[]" },
    finds = "the server answers 302: moved to https://localhost", seen = { ASKED } },
  { "github.lua evil/x", answer = { body = [=[[{"number": 1, "title": "\u001b]0;x\u0007\n2\u009b31mé"}]]=] },
    finds = "1\t?]0;x??2?31mé" },
  { "github.lua evil/x", answer = { link = '<https://localhost:TLS/next>; rel="next"', body = "[]" },
    finds = "localhost", seen = { ASKED } },
  { "github.lua evil/x", answer = { link = '<https://localhost:TLS/x>; rel="prev", <BASE/next/{+rest}?{x}>; rel="next"',
    body = "[]" }, seen = { ASKED, "GET BASE/next/%7B+rest%7D?%7Bx%7D Bearer 0123", CREATED } },
  { UPLOAD, environment = "HOST=a/b UPLOADS=BASE/", prints = "a b.bin\t3" },
  { UPLOAD, environment = "env -u UPLOADS", finds = "goes to \"https://uploads.github.com\" alone" },
  { UPLOAD, environment = "env -u CA", finds = "certificate" },
  { "upload.lua evil/x v1 'FILE'", prints = "a??31mé\t3",
    answer = { body = [[{"upload_url": "/repos/evil/x", "name": "a\u001b\u009b31mé", "size": 3}]] } },
  { "upload.lua evil/x v1 'FILE'", answer = { body = '{"upload_url": "BASE/next{?name,label}"}' },
    seen = { TAG, "POST BASE/next?name=a%20b.bin&label=Built%20on%20a%2F..%2Fx Bearer 0123" } },
  { "upload.lua evil/x v1 'FILE'", answer = { body = '{"upload_url": "https://localhost:TLS/next{?name}"}' },
    finds = "alone, not to", seen = { TAG } },
  { "upload.lua evil/x v1 'FILE'", answer = { body = '{"upload_url": "BASE/next/{+label}/../x"}' },
    finds = "endpoint: ", seen = { TAG } },
  { "upload.lua evil/x v1 'FILE'", answer = { body = "{" }, finds = "JSON", seen = { TAG } },
  { "stripe.lua a@b.example", prints = "created\tc1\nc1\ta\nc2\tb\nc3\tc" },
  { "agent.lua", prints = [[refused	books_list: no parameter "pgae", is it "page"?
get	https://eu.books.example/v2/books?url=https%3A%2F%2Fh.example&page=2
Page 2 has Programming in Lua.]] },
  { "first.lua BASE", finds = "200\t", seen = { "GET BASE/orgs/luarocks/repos?per_page=2 -" } },
  { "first.lua http://127.0.0.1:PORT/repos/evil", prints = "302\tx",
    answer = { status = 302, location = "http://localhost:PORT/next", body = "x" },
    seen = { "GET http://127.0.0.1:PORT/repos/evil/orgs/luarocks/repos?per_page=2 -" } },
  { "tool.lua 'GET /x' bad", finds = "token" },
  { "tool.lua 'GET /repos/:owner'", finds = 'parameter "owner" is missing' },
  { "tool.lua 'GET https://evil.example/x'", environment = "SECRETS=1", finds = "alone, not to" },
  { [[tool.lua 'GET /x' '{"headers": {"x": "a\r\nauthorization: b"}}']], environment = "SECRETS=1", finds = "endpoint" },
  { [[tool.lua 'GET /repos/:owner' '{"owner": "lua"}']], finds = "curl", environment = "SECRETS=0" },
}

-- Prints an error that is no string, which the program lua of 5.1 does not.
local RUNNER = [[
arg = { select(2, ...) }
local ok, problem = pcall(dofile, "examples/" .. (...))
if not ok then print(problem) end]]

describe("the program", function()
  local running, start, stop = server.plan { locations = API }
  setup(function()
    start()
    support.write(running.directory .. "/a b.bin", "\0\255x")
    support.write(running.directory .. "/run.lua", RUNNER)
  end)
  teardown(stop)

  -- Puts the addresses of this run into a text of the table above.
  local function at_home(text)
    return (text:gsub("BASE", "https://127.0.0.1:TLS"):gsub("TLS", running.second_port):gsub("PORT", running.port)
      :gsub("FILE", running.directory .. "/a b.bin"))
  end

  local function settings(words)
    return ("TOKEN=0123 API=%s UPLOADS=%s CA=%s/certificate.pem %s"):format(running.tls_url, running.tls_url,
      running.directory, words)
  end

  it("is run as the programs' README says", function()
    local block = examples.blocks_in(support.read "examples/README.md", "sh")[1]
    support.write(running.directory .. "/readme.sh", "set -e\n" .. block.code)
    local printed = server.run("lua5.4", "sh " .. running.directory .. "/readme.sh", settings(
      ("REPO=lua/lua TAG=v1.0/beta HOST=a/b FILE='%s/a b.bin' CURL_CA_BUNDLE=%s/certificate.pem")
      :format(running.directory, running.directory)))
    for _, words in ipairs { "^200\t%x+\n1\ta\n2\tb\n3\tc\ncreated\t4\na b%.bin\t3\ncurl [^\n]*authorization: %*%*%*",
      '%[{"number": 1, "title": "a"}' } do assert.truthy(printed:find(words), printed) end
  end)

  -- README.md's first requests, for which this nginx is api.github.com.
  local function first_requests()
    return (examples.programs_of(support.read "README.md")[1].code:gsub("^[^\n]*", "")
      :gsub("https://api%.github%.com", running.tls_url)
      :gsub("request%.new%(api%)", ('request.new(api, { cafile = "%s/certificate.pem" })'):format(running.directory)))
  end

  -- What LuaSocket and curl say of the built-in base address.
  local NOBODY = [[
local r = require "endpoint" "/x"
print(select(2, require "socket.http".request(require "endpoint.clients".luasocket(r))))
print(io.popen(require "endpoint.clients".curl_command(r) .. " --no-progress-meter 2>&1"):read "*a")]]

  for _, lua in ipairs(LUAS) do
    describe("on " .. lua, function()
      it("of README.md's first requests sends them with a token and without", function()
        local code = first_requests()
        local promised = "a\nb\nc\n" .. table.concat(examples.promised(code), "\n")
        for _, authorization in ipairs { "Bearer 0123", "-" } do
          echo.seen(running)
          local own = settings(authorization == "-" and "env -u TOKEN" or "")
          assert.equal(promised, server.run_code(running, lua, code, running.second_port, own))
          local seen = {}
          for i, request in ipairs { "GET /orgs/luarocks/repos?per_page=2", "GET /orgs/luarocks/repos?per_page=2&page=2",
            "POST /repos/me/notes/issues" } do
            seen[i] = request:gsub(" ", "%0" .. running.tls_url) .. " " .. authorization
          end
          assert.same(seen, echo.seen(running))
        end
      end)

      it("is told by LuaSocket and curl that the built-in base address is nobody's", function()
        local row = support.read "docs/reference.md":match "\n| `baseUrl` | `https[^\n]*"
        local printed = server.run_code(running, lua, NOBODY)
        for _, program in ipairs { "LuaSocket", "curl" } do
          local said = row:match(program .. "[^`]*`([^`]*)`")
          local is_said = printed:find(said, 1, true) or printed:find("temporary failure in name resolution", 1, true)
          assert.truthy(is_said, printed)
        end
      end)

      it("tool.lua prints one command that works, whatever the values are", function()
        local hacked = running.directory .. "/hacked"
        local value = ("\\u0027; touch @; $(touch @) `touch @` \\\" \\\\ !! \\n touch @"):gsub("@", hacked)
        local params = ('{"x": "%s", "headers": {"x-y": "`touch %s`"}}'):format(value, hacked)
        for _, row in ipairs { { "POST /next", params }, { "GET /next{?x}", params }, { "GET /next/:x", params },
          { "GET /repos/:owner/:repo/issues", '{"owner": "lua", "repo": "lua", "per_page": 2}' } } do
          support.write(running.directory .. "/params", row[2])
          local command = server.run(lua, ("%s examples/tool.lua '%s' \"$(cat %s/params)\""):format(lua, row[1],
            running.directory), settings("SECRETS=1 API=" .. running.url .. "/"))
          local expected = row[2] == params and "[]" or '[{"number": 1, "title": "a"}, {"number": 2, "title": "b"}]'
          assert.equal(expected, server.shell(command .. " 2>/dev/null"), command)
          assert.is_nil((io.open(hacked)))
        end
      end)

      it("download.lua goes on where it stopped, and begins again where the file is another", function()
        local path, all = running.directory .. "/" .. lua, ("0123456789"):rep(10000)
        local function download(query)
          return server.run(lua, ("%s %s/run.lua download.lua '%s/file%s' %s"):format(lua, running.directory,
            running.tls_url, query, path), settings "")
        end
        local function read(name)
          local file = io.open(name, "rb")
          local text = file and file:read "*a"
          if file then file:close() end
          return text == all and "all" or text and #text >= 40000 and text == all:sub(1, #text) and #text or text
        end
        -- The tag of the first answer and of the second, and how long the part is behind the first.
        for _, row in ipairs { { "?tag=%221%22", "?tag=%221%22", '"1"' }, { "?tag=%221%22", "?tag=%222%22&whole=1", '"1"' },
          { "", "?whole=1", "" }, { "?tag=W/%221%22", "?whole=1", "" } } do
          assert.truthy(download(row[1]):find("40000 of 100000 bytes", 1, true))
          assert.same({ 40000, row[3] }, { read(path .. ".part"), read(path .. ".etag"), read(path) })
          local printed = download(row[2])
          assert.truthy(printed:find(("#"):rep(40) .. "] 100000 of 100000 bytes\n" .. path .. "\t100000", 1, true), printed)
          assert.same({ "all" }, { read(path), read(path .. ".part"), read(path .. ".etag") })
          os.remove(path)
        end
        support.write(path .. ".part", all)
        support.write(path .. ".etag", '"1"')
        download "?tag=%221%22"
        assert.equal("all", read(path))
      end)

      for _, run in ipairs(RUNS) do
        it(("runs as it should: %s %s %s"):format(run[1], run.environment or "", json.encode(run.answer or {})), function()
          support.write(running.directory .. "/evil.json", at_home(json.encode(run.answer or {})))
          echo.seen(running)
          local printed = server.run(lua, ("%s %s/run.lua %s"):format(lua, running.directory, at_home(run[1])),
            settings("HOST=a/../x " .. at_home(run.environment or "")))
          if run.prints then assert.equal(run.prints, printed) end
          assert.truthy(printed:find(at_home(run.finds or ""), 1, true), printed)
          assert.falsy(printed:find("0123", 1, true), printed)
          assert.equal(run.finds == "curl", printed:find("curl ", 1, true) ~= nil, printed)
          if run.seen then assert.equal(at_home(table.concat(run.seen, "\n")), table.concat(echo.seen(running), "\n")) end
        end)
      end
    end)
  end
end)

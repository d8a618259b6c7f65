-- The programs in spec/programs, run against an nginx that plays the API, under each
-- Lua. The gateway has gateway_spec.
local json = require "cjson"
local examples = require "examples"
local support = require "support"
local server = require "wire.server"
local echo = require "wire.echo"

local LUAS = server.with_modules { "lua5.1", "lua5.2", "lua5.3", "lua5.4", "luajit" }

-- An API that refuses any request but exactly those that the programs should send.
local API = [[
rewrite_by_lua_block { require "wire.echo".record() }
location /repos/lua/lua/ { content_by_lua_block {
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
  if ngx.var.http_host ~= "api.github.com" then return require "wire.echo".answer() end
  if ngx.var.http_accept ~= "application/vnd.github+json" then return ngx.exit(415) end
  local is_last = ngx.var.arg_page == "2"
  if not is_last then ngx.header.link = '<?per_page=2&page=2>; rel="next"' end
  ngx.print(is_last and '[{"name": "c"}]' or '[{"name": "a"}, {"name": "b"}]')
} }
location = /repos/me/notes/issues { content_by_lua_block {
  ngx.req.read_body()
  if ngx.req.get_method() ~= "POST" or ngx.req.get_body_data() ~= '{"title":"Found a bug"}' then return ngx.exit(422) end
  ngx.status = 201
  ngx.print "{}"
} }
location /uploads/1/assets { content_by_lua_block {
  ngx.req.read_body()
  if ngx.var.http_authorization ~= "Bearer 0123" or ngx.var.http_content_type ~= "application/octet-stream"
    or ngx.var.request_uri ~= "/uploads/1/assets?name=a%20b.bin&label=Built%20on%20a%2Fb"
    or ngx.req.get_body_data() ~= "\0\255x" then return ngx.exit(422) end
  ngx.say(require "cjson".encode { name = ngx.unescape_uri(ngx.var.arg_name), size = 3 })
} }
# The spec sets this answer.
location /repos/evil/ { content_by_lua_block {
  local answer = dofile(ngx.config.prefix() .. "evil.lua")
  ngx.status = answer.status or 200
  for name, value in pairs(answer.headers or {}) do ngx.header[name] = value end
  ngx.print(answer.body)
} }
location /next { content_by_lua_block { ngx.print "[]" } }
]]

describe("make demo", function()
  -- What it printed to both streams, with variables in the environment and on make's
  -- command line.
  local function demo(environment, settings)
    return server.shell(("env -u MAKEFLAGS -u MAKELEVEL -u ROUTE -u PARAMS %s make --no-print-directory demo %s 2>&1")
      :format(environment, settings))
  end

  it("shows a route to the byte, from the command line and from the environment", function()
    local setting = [[ROUTE='GET /users?$filter=$(a)&b="c"' ]]
    for _, printed in ipairs { demo("", setting), demo(setting, "") } do
      assert.truthy(printed:find("/users?$filter=$(a)&b=%22c%22", 1, true), printed)
    end
    local params = [[PARAMS='{"org": "$x"}']]
    assert.truthy(demo("", "ROUTE='GET /:org' " .. params):find("/%24x", 1, true))
    assert.truthy(demo("ROUTE='GET /:org' " .. params, ""):find("/%24x", 1, true))
  end)

  it("shows the library's error as it is, and fails", function()
    local printed = demo("LC_ALL=C", "ROUTE='DELETE /repos/:owner/:repo' PARAMS='{\"owner\": \"o\"}'")
    assert.equal('endpoint: parameter "repo" is missing', printed:match("^[^\n:]*:[^:\n]*"))
    assert.falsy(printed:find("traceback", 1, true), printed)
    assert.truthy(printed:find("Error 1", 1, true), printed)
  end)

  it("shows whole numbers with all of their digits", function()
    local printed = demo("", "ROUTE='POST /x' PARAMS='{\"a\": 9007199254740991, \"b\": -1234567890123456, \"c\": 0.5}'")
    for _, text in ipairs { '"a": 9007199254740991,', '"b": -1234567890123456,', '"c": 0.5\n' } do
      assert.truthy(printed:find(text, 1, true), printed)
    end
  end)

  it("shows a list in its order", function()
    local printed = demo("", "ROUTE='POST /x' PARAMS='{\"a\": [1,2,3,4,5,6,7,8,9,10,11]}'")
    assert.truthy(printed:gsub("%s", ""):find("[1,2,3,4,5,6,7,8,9,10,11]", 1, true), printed)
  end)

  it("shows its own routes if none is given, and names what it cannot read", function()
    assert.truthy(demo("", ""):find("GET /search/issues", 1, true))
    assert.truthy(demo("", "PARAMS='{}'"):find("PARAMS: expected a ROUTE", 1, true))
    for _, params in ipairs { "[]", "[1]", "5", "{", "null" } do
      assert.truthy(demo("", "ROUTE=/x PARAMS='" .. params .. "'"):find("PARAMS: expected a JSON object", 1, true), params)
    end
  end)
end)

-- Link headers of an API that an attacker controls, each with the path that the program asks
-- for next. Without a path the program must fail, with false it must see no next page. BASE
-- is the API's address, TLS and PORT are its ports, which answer to any host name.
local LINKS = {
  { '<BASE/next?page=2&x=a%2Fb>; rel="next"', "/next?page=2&x=a%2Fb" },
  { '<https://localhost:TLS/x>; rel="prev", <BASE/next>; rel="next", <BASE/y>; rel="last"', "/next" },
  { '<BASE/next/{+rest}?{x}>; rel="next"', "/next/%7B+rest%7D?%7Bx%7D" },
  { '<BASE/next/:owner/{labels}>; rel="next"', "/next/%3Aowner/%7Blabels%7D" },
  { '<BASE/next?a=:rest#part>; rel="next"', "/next?a=:rest" },
  { '<BASE/next//localhost:TLS/x>; rel="next"', "/next//localhost:TLS/x" },
  { '<https://localhost:TLS/next>; rel="prev"', false },
  { '<https://localhost:TLS/next>; rel="next"' },
  { '<HTTPS://LOCALHOST:TLS/next>; rel="next"' },
  { '<http://127.0.0.1:PORT/next>; rel="next"' },
  { '<BASE@localhost:TLS/next>; rel="next"' },
  { '<https://user:pass@127.0.0.1:TLS@localhost:TLS/next>; rel="next"' },
  { '<BASE\\@localhost:TLS/next>; rel="next"', false },
  { '<BASE.localhost:TLS/next>; rel="next"' },
  { '<BASE0/next>; rel="next"' },
  { '<BASE?@localhost:TLS/next>; rel="next"', "/?@localhost:TLS/next", "no JSON" },
  { '<//localhost:TLS/next>; rel="next"' },
  { '<//127.0.0.1:TLS/next>; rel="next"', "/next" },
  { '</next>; rel="next"', "/next" },
  { '<../../../next>; rel="next"', "/next" },
  { '<./../../../next?:page=2>; rel="next"', "/next?:page=2" },
  { '<https://localhost:TLS/x, <BASE/next>; rel="next"', "/next" },
  { '<BASE/repos/../next>; rel="next"', "/next" },
  { '<BASE/repos/%2e%2E/next>; rel="next"' },
}

-- Releases of such an API, as JSON, each with the path of the upload.
local RELEASES = {
  { '{"upload_url": "BASE/next{?name,label}"}', "/next?name=a%20b.bin&label=Built%20on%20a%2F..%2Fx" },
  { '{"upload_url": "BASE/next{/name}"}', "/next/a%20b.bin" },
  { '{"upload_url": "BASE/next/{+x}{?data}"}' },
  { '{"upload_url": "BASE/next/{+label}/../x"}' },
  { '{"upload_url": "BASE/next{?headers}"}' },
  { '{"upload_url": "BASE/next{"}' },
  { '{"upload_url": "BASE{/x}{+name}"}' },
  { '{"upload_url": "HTTPS://127.0.0.1:TLS/next"}', "/next" },
  { '{"upload_url": "//localhost:TLS/next"}', "//localhost:TLS/next" },
  { '{"upload_url": "/next"}', "/next" },
  { '{"upload_url": "https://localhost:TLS/next{?name}"}' },
  { '{"upload_url": "HTTPS://LOCALHOST:TLS/next{?name}"}' },
  { '{"upload_url": "http://127.0.0.1:PORT/next{?name}"}' },
  { '{"upload_url": "BASE@localhost:TLS/next"}' },
  { '{"upload_url": "BASE{name}@localhost:TLS/next"}' },
  { '{"upload_url": "{+label}//localhost:TLS/next"}' },
  { '{"upload_url": ""}' }, { '{"upload_url": null}' }, { '{"upload_url": ["BASE/next"]}' }, { "{}" },
  { "[]" }, { "null" }, { "5" }, { '"BASE/next"' }, { "" }, { "{" },
}

-- Arguments with which tool.lua must not print a command.
local ROUTES = {
  "'GET https://evil.example/x'", "'GET HTTPS://EVIL.EXAMPLE/x'", "'GET BASE@evil.example/x'", "'GET BASE0/x'",
  "'GET BASE.evil.example/x'", [['GET https://{h}/x' '{"h": "evil.example"}']],
  [['GET BASE{x}' '{"x": "0"}']], [['GET /x' '{"baseUrl": "https://evil.example"}']],
  [['GET /x' '{"baseUrl": "BASE@evil.example"}']], [['GET /x' '{"baseUrl": ""}']],
  [['GET {+u}' '{"u": "https://evil.example/", "baseUrl": ""}']], [['' '{"url": "https://evil.example/"}']],
  [['GET' '{"url": "https://evil.example/"}']], "'GET /x' '[]x'", "'GET /x' 5", "'GET /x' null", "",
  [['GET /x' '{"headers": {"x": "a\r\nauthorization: b"}}']],
}

describe("the program", function()
  local running

  setup(function()
    running = echo.start(API)
    support.write(running.directory .. "/a b.bin", "\0\255x")
  end)

  teardown(function()
    local log = server.stop(running)
    assert.falsy(log:find("[error]", 1, true), log)
  end)

  local function base() return "http://127.0.0.1:" .. running.port end

  local function tls()
    return ("API=https://127.0.0.1:%d CA=%s/certificate.pem"):format(running.tls_port, running.directory)
  end

  -- Puts the addresses of this run into a text of the tables above.
  local function at_home(text)
    return (text:gsub("BASE", "https://127.0.0.1:TLS"):gsub("TLS", running.tls_port):gsub("PORT", running.port))
  end

  -- Sets what the API answers below /repos/evil/.
  local function let_answer(text)
    support.write(running.directory .. "/evil.lua", "return " .. text)
  end

  -- The requests that reached any server after the first one. Asserts that each has the token
  -- and went to the API's own address.
  local function seen_after_first()
    local seen = echo.seen(running)
    for number, line in ipairs(seen) do
      seen[number] = line:match("^(%u+ )" .. at_home "https://127%.0%.0%.1:TLS" .. "(.*) Bearer 0123$") and
        line:gsub("https://[^/]+", ""):gsub(" Bearer 0123$", "")
      assert.truthy(seen[number], line)
    end
    assert.equal("GET /repos/evil/", (table.remove(seen, 1) or ""):sub(1, 16))
    return seen
  end

  local function assert_refused(printed, row)
    assert.truthy(printed:find(": ", 1, true), row)
    assert.falsy(printed:find("0123", 1, true), printed)
    assert.same({}, seen_after_first(), row)
  end

  -- What a command printed to both streams.
  local function run_command(lua, environment, command)
    local paths = ("LUA_CPATH='build/%s/?.so;;' LUA_PATH='src/?.lua;;'"):format(lua)
    return server.shell(("TOKEN=0123 %s %s timeout 20 %s 2>&1"):format(paths, environment, command))
  end

  -- What a program printed.
  local function run(lua, environment, command)
    return run_command(lua, environment, lua .. " spec/programs/" .. command)
  end

  it("is run as the programs' README says", function()
    local block = examples.blocks_in(support.read "spec/programs/README.md", "sh")[1]
    local address = "https://127.0.0.1:" .. running.tls_port
    local settings = ("UPLOADS=%s REPO=lua/lua TAG=v1.0/beta HOST=a/b FILE='%s/a b.bin' CURL_CA_BUNDLE=%s/certificate.pem")
      :format(address, running.directory, running.directory)
    support.write(running.directory .. "/readme.sh", "set -e\n" .. block.code)
    local printed = run_command("lua5.4", tls() .. " " .. settings, "sh " .. running.directory .. "/readme.sh")
    for _, words in ipairs { "^200\t%x+\n1\ta\n2\tb\n3\tc\ncreated\t4\na b%.bin\t3\ncurl [^\n]*authorization: %*%*%*",
      '%[{"number": 1, "title": "a"}' } do assert.truthy(printed:find(words), printed) end
  end)

  -- Lua code for which this nginx is api.github.com, behind the certificates of the system.
  local function at_github(code)
    return ([[
local socket, ssl = require "socket", require "ssl"
local tcp, wrap = getmetatable(socket.tcp()).__index, ssl.wrap
local connect = tcp.connect
function tcp.connect(self, host, port)
  assert(host == "api.github.com" and tonumber(port) == 443)
  return connect(self, "127.0.0.1", TLS)
end
function ssl.wrap(connection, settings)
  assert(settings.verify == "peer" and settings.cafile == "/etc/ssl/certs/ca-certificates.crt")
  settings.cafile = "DIRECTORY/certificate.pem"
  return wrap(connection, settings)
end
]]):gsub("TLS", running.tls_port):gsub("DIRECTORY", running.directory) .. code
  end

  for _, lua in ipairs(LUAS) do
    it("of the README's first requests sends them with a token and without, on " .. lua, function()
      local program = examples.programs_of(support.read "README.md")[1].code:gsub("^[^\n]*", "")
      local promised = "a\nb\nc\n" .. table.concat(examples.promised(program), "\n")
      support.write(running.directory .. "/readme.lua", at_github(program))
      local with_token = promised:gsub(" %-%-header 'content%-type", " --header 'authorization: ***'%0")
      for authorization, expected in pairs { ["Bearer 0123"] = with_token, ["-"] = promised } do
        echo.seen(running)
        local environment = authorization == "-" and "env -u TOKEN" or ""
        assert.equal(expected, run_command(lua, environment, lua .. " " .. running.directory .. "/readme.lua"))
        local base_address = "https://api.github.com"
        assert.same({ "GET " .. base_address .. "/orgs/luarocks/repos?per_page=2 " .. authorization,
          "GET " .. base_address .. "/orgs/luarocks/repos?per_page=2&page=2 " .. authorization,
          "POST " .. base_address .. "/repos/me/notes/issues " .. authorization }, echo.seen(running))
      end
    end)

    it("is told by LuaSocket and curl that the built-in base address is nobody's, on " .. lua, function()
      local row = support.read "README.md":match "\n| `baseUrl` | `https[^\n]*"
      for program, code in pairs {
        LuaSocket = 'print(select(2, require "socket.http".request(require "endpoint.clients".luasocket(r))))',
        curl = 'print(io.popen(require "endpoint.clients".curl_command(r) .. " --no-progress-meter 2>&1"):read "*a")',
      } do
        support.write(running.directory .. "/nobody.lua", 'local r = require "endpoint" "/x"\n' .. code)
        local printed = run_command(lua, "", lua .. " " .. running.directory .. "/nobody.lua")
        local said = row:match(program .. "[^`]*`([^`]*)`")
        assert.truthy(printed:find(said, 1, true) or printed:find("temporary failure in name resolution", 1, true), printed)
      end
    end)

    it("first.lua sends a request, also over TLS, on " .. lua, function()
      for _, address in ipairs { base(), "https://127.0.0.1:" .. running.tls_port } do
        local printed = run(lua, "", "first.lua " .. address)
        local seen = json.decode(echo.from_hex(printed:match("^200\t(%x+)$") or error(printed)))
        assert.same({ "GET", "/orgs/luarocks/repos?per_page=2" }, { seen.method, seen.uri })
      end
    end)

    it("github.lua lists, follows pages to its own host alone, and creates, on " .. lua, function()
      for _, own in ipairs { tls(), tls():gsub(" ", "/ "), (tls():gsub(" ", "// ")) } do
        assert.equal("1\ta\n2\tb\n3\tc\ncreated\t4", run(lua, own, "github.lua lua/lua"))
      end
      assert.truthy(run(lua, tls() .. " env -u CA", "github.lua lua/lua"):find("certificate", 1, true))
      assert.truthy(run(lua, tls() .. " env -u TOKEN", "github.lua lua/lua"):find("TOKEN is not set", 1, true))
      assert.truthy(run(lua, tls(), "github.lua"):find("expected OWNER/REPO", 1, true))
    end)

    it("github.lua sends the token to the API alone, on " .. lua, function()
      for _, row in ipairs(LINKS) do
        echo.seen(running)
        let_answer(("{ headers = { link = %q }, body = '[]' }"):format(at_home(row[1])))
        local printed = run(lua, tls(), "github.lua evil/x")
        if row[2] == nil then
          assert_refused(printed, row[1])
        else
          local expected = { row[2] and "GET " .. at_home(row[2]) or nil }
          if not row[3] then expected[#expected + 1] = "POST /repos/evil/x/issues" end
          assert.same(expected, seen_after_first(), row[1] .. printed)
        end
      end
    end)

    it("github.lua follows no redirect, and prints no control character, on " .. lua, function()
      echo.seen(running)
      let_answer(at_home "{ status = 302, headers = { location = 'https://localhost:TLS/next' }, body = '[]' }")
      local printed = run(lua, tls(), "github.lua evil/x")
      assert.truthy(printed:find("the API answers 302", 1, true), printed)
      assert.same({}, seen_after_first())
      let_answer [[{ body = '[{"number": 1, "title": "\\u001b]0;x\\u0007\\n2\\u009b31mé"}]' }]]
      assert.truthy(run(lua, tls(), "github.lua evil/x"):find("1\t?]0;x??2?31mé", 1, true))
    end)

    it("upload.lua sends token and file to UPLOADS alone, on " .. lua, function()
      local own = tls() .. " HOST=a/../x UPLOADS=https://127.0.0.1:" .. running.tls_port
      local call = "upload.lua evil/x v1 '" .. running.directory .. "/a b.bin'"
      for _, row in ipairs(RELEASES) do
        echo.seen(running)
        let_answer(("{ body = %q }"):format(at_home(row[1])))
        local printed = run(lua, own, call)
        if row[2] then
          assert.same({ "POST " .. at_home(row[2]) }, seen_after_first(), printed)
        else
          assert_refused(printed, row[1])
        end
      end
    end)

    it("upload.lua prints no control character, on " .. lua, function()
      let_answer [[{ body = '{"upload_url": "/repos/evil/x", "name": "a\\u001b\\u009b31mé", "size": 3}' }]]
      local own = tls() .. " UPLOADS=https://127.0.0.1:" .. running.tls_port
      local printed = run(lua, own, "upload.lua evil/x v1 '" .. running.directory .. "/a b.bin'")
      assert.equal("a??31mé\t3", printed)
    end)

    it("first.lua follows no redirect, on " .. lua, function()
      echo.seen(running)
      let_answer(at_home "{ status = 302, headers = { location = 'http://localhost:PORT/next' }, body = 'x' }")
      assert.equal("302\tx", run(lua, "", "first.lua " .. base() .. "/repos/evil"))
      assert.equal(1, #echo.seen(running))
    end)

    it("upload.lua sends a file, on " .. lua, function()
      local call = "upload.lua lua/lua v1.0/beta '" .. running.directory .. "/a b.bin'"
      local own = tls() .. " HOST=a/b UPLOADS=https://127.0.0.1:" .. running.tls_port
      assert.equal("a b.bin\t3", run(lua, own, call))
      assert.equal("a b.bin\t3", run(lua, own .. "/", call))
      assert.truthy(run(lua, tls(), call):find("goes to \"https://uploads.github.com\" alone", 1, true))
      assert.truthy(run(lua, own .. " env -u CA", call):find("certificate", 1, true))
    end)

    it("tool.lua prints a command that works, on " .. lua, function()
      local call = [[tool.lua 'GET /repos/:owner/:repo/issues' '{"owner": "lua", "repo": "lua", "per_page": 2}']]
      local shown = run(lua, "API=" .. base(), call)
      assert.truthy(shown:find("--header 'authorization: ***'", 1, true), shown)
      local command = run(lua, "SECRETS=1 API=" .. base() .. "/", call)
      assert.equal('[{"number": 1, "title": "a"}, {"number": 2, "title": "b"}]', server.shell(command .. " 2>/dev/null"))
    end)

    it("tool.lua prints the token for API alone, on " .. lua, function()
      for _, row in ipairs(ROUTES) do
        local printed = run(lua, "SECRETS=1 API=" .. at_home "BASE", "tool.lua " .. at_home(row) .. " 2>&1; echo failed $?")
        assert.truthy(printed:find "\nfailed 1$", row .. printed)
        assert.falsy(printed:find("0123", 1, true) or printed:find("curl", 1, true), row .. printed)
      end
    end)

    it("tool.lua prints one command, whatever the values are, on " .. lua, function()
      local hacked = running.directory .. "/hacked"
      local value = ("\\u0027; touch @; $(touch @) `touch @` \\\" \\\\ !! \\n touch @"):gsub("@", hacked)
      support.write(running.directory .. "/params", ('{"x": "%s", "headers": {"x-y": "`touch %s`"}}'):format(value, hacked))
      for _, route in ipairs { "POST /next", "GET /next{?x}", "GET /next/:x" } do
        local command = run(lua, "SECRETS=1 API=" .. base(),
          ("tool.lua '%s' \"$(cat %s/params)\""):format(route, running.directory))
        assert.equal("[]", server.shell(command .. " 2>/dev/null"), command)
        assert.is_nil((io.open(hacked)))
      end
    end)

    it("tool.lua says what is missing or wrong, on " .. lua, function()
      local wrong = run(lua, "API=" .. base(), "tool.lua 'GET /x' bad")
      assert.truthy(wrong:find("token", 1, true) and not wrong:find("traceback", 1, true), wrong)
      assert.truthy(run(lua, "API=" .. base(), "tool.lua 'GET /repos/:owner'"):find('parameter "owner" is missing', 1, true))
    end)
  end
end)

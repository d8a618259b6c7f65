-- The programs in spec/programs, run against an nginx that plays the API, under each
-- Lua. The gateway has gateway_spec.
local echo = require "wire.echo"
local examples = require "examples"
local json = require "cjson"
local server = require "wire.server"
local support = require "support"

local LUAS = server.luas()

-- An API that refuses any request but exactly those that the programs should send.
local API = [[
rewrite_by_lua_block { require "wire.echo".record() }
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
  if ngx.var.http_accept ~= "application/vnd.github+json" then return require "wire.echo".answer() end
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

describe("make demo", function()
  local function demo(environment, command)
    return server.run("lua5.4", command, "env -u MAKEFLAGS -u MAKELEVEL -u ROUTE -u PARAMS LC_ALL=C " .. environment)
  end

  -- What stands before `make`, what behind it, and what it prints.
  local ROUTE, PARAMS = [[ROUTE='GET /users?$filter=$(a)&b="c"']], [[ROUTE='GET /:org' PARAMS='{"org": "$x"}']]
  for _, row in ipairs {
    { ROUTE, "", "/users?$filter=$(a)&b=%22c%22" }, { "", ROUTE, "/users?$filter=$(a)&b=%22c%22" },
    { PARAMS, "", "/%24x" }, { "", PARAMS, "/%24x" }, { "", "", "GET /search/issues" },
  } do
    it(("shows to the byte: %s make demo %s"):format(row[1], row[2]), function()
      local printed = demo(row[1], "make --no-print-directory demo " .. row[2])
      assert.truthy(printed:find(row[3], 1, true), printed)
    end)
  end

  it("shows the library's error as it is, and fails", function()
    local printed = demo("", "make demo ROUTE='DELETE /repos/:owner/:repo' PARAMS='{\"owner\": \"o\"}'")
    assert.truthy(printed:find '^endpoint: parameter "repo" is missing', printed)
    assert.falsy(printed:find("traceback", 1, true), printed)
    assert.truthy(printed:find("Error 1", 1, true), printed)
  end)

  -- Parameters of POST /x, and what is printed then, without white space.
  for params, words in pairs {
    ['{"a": 9007199254740991, "b": -1234567890123456, "c": 0.5}'] = '"a":9007199254740991,"b":-1234567890123456,"c":0.5',
    ['{"a": [1,2,3,4,5,6,7,8,9,10,11]}'] = "[1,2,3,4,5,6,7,8,9,10,11]",
    ["[]"] = "PARAMS:expectedaJSONobject", ["[1]"] = "PARAMS:expectedaJSONobject", ["5"] = "PARAMS:expectedaJSONobject",
    ["{"] = "PARAMS:expectedaJSONobject", ["null"] = "PARAMS:expectedaJSONobject",
  } do
    it("shows numbers and lists as they are, and names what it cannot read: " .. params, function()
      local printed = demo("ROUTE='POST /x' PARAMS='" .. params .. "'", "lua5.4 spec/tools/demo.lua"):gsub("%s", "")
      assert.truthy(printed:find(words, 1, true), printed)
    end)
  end

  it("names a ROUTE that is missing beside PARAMS", function()
    assert.truthy(demo("PARAMS='{}'", "lua5.4 spec/tools/demo.lua"):find("PARAMS: expected a ROUTE", 1, true))
  end)
end)

-- Link headers of an API that an attacker controls, each with the path that the program asks
-- for next. Without a path the program must fail, with false it must see no next page. BASE is the
-- API's address, TLS and PORT are its ports, which answer to any host name. What a link may say is in
-- links_spec.lua, and what leaves home in spec/vectors/credentials.json.
local LINKS = {
  { '<https://localhost:TLS/x>; rel="prev", <BASE/next/{+rest}?{x}>; rel="next"', "/next/%7B+rest%7D?%7Bx%7D" },
  { '<../../../next?a=:rest#part>; rel="next"', "/next?a=:rest" },
  { '<https://localhost:TLS/next>; rel="prev"', false },
  { '<https://localhost:TLS/next>; rel="next"' },
  { '<http://127.0.0.1:PORT/next>; rel="next"' },
  { '<BASE@localhost:TLS/next>; rel="next"' },
  { '<BASE?@localhost:TLS/next>; rel="next"', "/?@localhost:TLS/next", "no JSON" },
}

-- Releases of such an API, as JSON, each with the path of the upload.
local RELEASES = {
  { '{"upload_url": "BASE/next{?name,label}"}', "/next?name=a%20b.bin&label=Built%20on%20a%2F..%2Fx" },
  { '{"upload_url": "BASE/next/{+label}/../x"}' },
  { '{"upload_url": "HTTPS://127.0.0.1:TLS/next"}', "/next" },
  { '{"upload_url": "//localhost:TLS/next"}', "//localhost:TLS/next" },
  { '{"upload_url": "https://localhost:TLS/next{?name}"}' },
  { '{"upload_url": "BASE{name}@localhost:TLS/next"}' },
  { '{"upload_url": "{+label}//localhost:TLS/next"}' },
  { '{"upload_url": ""}' }, { '{"upload_url": null}' }, { '{"upload_url": ["BASE/next"]}' }, { "null" }, { "5" }, { "{" },
}

-- Arguments with which tool.lua must not print a command.
local ROUTES = {
  { "GET https://evil.example/x" }, { "GET /x", '{"baseUrl": "https://evil.example"}' },
  { "", '{"url": "https://evil.example/"}' }, { "GET /x", "[]x" }, { "GET /x", "5" }, {},
  { "GET /x", '{"headers": {"x": "a\\r\\nauthorization: b"}}' },
}

-- --- runs -------------------------------------------------------------------------

-- Each is a program with its arguments. Fields:
-- environment: beside API, TOKEN, CA, UPLOADS and HOST; false removes one of these
-- answer: what the API answers below /repos/evil/
-- prints, or finds: all of what the program prints, or a part of it
-- seen: the requests behind the first one, which must have the token and go to the API's address
-- lines: all of the requests, with address and token
-- is_refused: that it must fail and say why, and print no command; the token is printed nowhere
local RUNS = {
  { "github.lua", "lua/lua", prints = "1\ta\n2\tb\n3\tc\ncreated\t4\n" },
  { "github.lua", "lua/lua", environment = { API = "BASE/" }, prints = "1\ta\n2\tb\n3\tc\ncreated\t4\n" },
  { "github.lua", "lua/lua", environment = { CA = false }, finds = "certificate" },
  { "github.lua", "lua/lua", environment = { TOKEN = false }, finds = "TOKEN is not set" },
  { "github.lua", finds = "expected OWNER/REPO" },
  { "github.lua", "evil/x", answer = { status = 302, location = "https://localhost:TLS/next", body = "[]" },
    finds = "the server answers 302: moved to https://localhost", seen = {} },
  { "github.lua", "evil/x", answer = { body = [=[[{"number": 1, "title": "\u001b]0;x\u0007\n2\u009b31mé"}]]=] },
    finds = "1\t?]0;x??2?31mé\n" },
  { "upload.lua", "lua/lua", "v1.0/beta", "FILE", environment = { HOST = "a/b", UPLOADS = "BASE/" },
    prints = "a b.bin\t3\n" },
  { "upload.lua", "lua/lua", "v1.0/beta", "FILE", environment = { UPLOADS = false },
    finds = "goes to \"https://uploads.github.com\" alone" },
  { "upload.lua", "lua/lua", "v1.0/beta", "FILE", environment = { CA = false }, finds = "certificate" },
  { "upload.lua", "evil/x", "v1", "FILE", prints = "a??31mé\t3\n",
    answer = { body = [[{"upload_url": "/repos/evil/x", "name": "a\u001b\u009b31mé", "size": 3}]] } },
  { "first.lua", "http://127.0.0.1:PORT/repos/evil", prints = "302\tx\n",
    answer = { status = 302, location = "http://localhost:PORT/next", body = "x" },
    lines = { "GET http://127.0.0.1:PORT/repos/evil/orgs/luarocks/repos?per_page=2 -" } },
  { "tool.lua", "GET /x", "bad", finds = "token", is_refused = true },
  { "tool.lua", "GET /repos/:owner", finds = 'parameter "owner" is missing', is_refused = true },
  { "tool.lua", "GET /repos/:owner/:repo", '{"owner": "lua", "repo": "lua"}', finds = "--header 'authorization: ***'" },
}

for _, row in ipairs(LINKS) do
  RUNS[#RUNS + 1] = { "github.lua", "evil/x", answer = { link = row[1], body = "[]" }, is_refused = row[2] == nil,
    seen = { row[2] and "GET " .. row[2] or row[2] == false and "POST /repos/evil/x/issues" or nil,
      row[2] and not row[3] and "POST /repos/evil/x/issues" or nil } }
end
for _, row in ipairs(RELEASES) do
  RUNS[#RUNS + 1] = { "upload.lua", "evil/x", "v1", "FILE", answer = { body = row[1] }, is_refused = row[2] == nil,
    seen = { row[2] and "POST " .. row[2] } }
end
for _, row in ipairs(ROUTES) do
  RUNS[#RUNS + 1] = { "tool.lua", row[1], row[2], environment = { SECRETS = "1" }, is_refused = true }
end

-- Runs the programs of a list in one process, with stand-ins for what they print to, leave by and read
-- the environment with. Writes what each printed, with "failed" behind an error, and what the server saw.
-- LuaSec writes small pieces, each of which would wait for the one before to arrive.
local RUNNER = [[
local tcp = getmetatable(require "socket".tcp()).__index
local connect = tcp.connect
function tcp.connect(self, ...)
  local ok, message = connect(self, ...)
  if ok then self:setoption("tcp-nodelay", true) end
  return ok, message
end
local list = assert(io.open("DIRECTORY/runs.json", "rb"))
for _, run in ipairs(require "cjson".decode(list:read "*a")) do
  local out = {}
  local function say(...) out[#out + 1] = table.concat({ ... }, "\t") .. "\n" end
  print, arg = say, run.arguments
  os.getenv = function(name) return run.environment[name] end
  io.stderr = { write = function(_, text) say((text:gsub("\n$", ""))) end }
  os.exit = function(status) error("status " .. status, 0) end
  local file = assert(io.open("DIRECTORY/evil.json", "wb"))
  file:write(run.answer)
  file:close()
  local ok, message = pcall(dofile, "examples/" .. run.program)
  if not ok then say(message .. "\nfailed") end
  local seen = io.open("DIRECTORY/seen", "rb")
  io.write(table.concat(out), "\0", seen and seen:read "*a" or "", "\0")
  if seen then seen:close() end
  os.remove "DIRECTORY/seen"
end
]]

describe("the program", function()
  local running, start, stop = server.plan { locations = API }
  setup(function()
    start()
    support.write(running.directory .. "/a b.bin", "\0\255x")
  end)
  teardown(stop)

  -- Puts the addresses of this run into a text of the tables above.
  local function at_home(text)
    return (text:gsub("BASE", "https://127.0.0.1:TLS"):gsub("TLS", running.second_port):gsub("PORT", running.port)
      :gsub("FILE", running.directory .. "/a b.bin"))
  end

  local function environment(run)
    local own = { API = "BASE", TOKEN = "0123", CA = running.directory .. "/certificate.pem", UPLOADS = "BASE",
      HOST = "a/../x" }
    for name, value in pairs(run.environment or {}) do own[name] = value or nil end
    return own
  end

  -- What each run printed, and the lines of what the server saw.
  local function run_all(lua)
    local list, results = {}, {}
    for i, run in ipairs(RUNS) do
      list[i] = { program = run[1], arguments = { run[2], run[3], run[4] }, environment = environment(run),
        answer = json.encode(run.answer or {}) }
    end
    support.write(running.directory .. "/runs.json", at_home(json.encode(list)))
    local text = server.run_code(running, lua, RUNNER:gsub("DIRECTORY", running.directory))
    for printed, lines in text:gmatch "(%Z*)%z(%Z*)%z" do
      local seen = {}
      for line in lines:gmatch "[^\n]+" do seen[#seen + 1] = line end
      results[#results + 1] = { printed = printed, seen = seen }
    end
    assert.equal(#RUNS, #results, text)
    return results
  end

  -- The requests behind the first one. Asserts that each has the token and went to the API's address.
  local function seen_behind(seen)
    local found = {}
    for number, line in ipairs(seen) do
      local method, path = line:match("^(%u+ )" .. at_home "https://127%.0%.0%.1:TLS" .. "(.*) Bearer 0123$")
      assert.truthy(method, line)
      found[number - 1] = method .. path
    end
    assert.equal("GET /repos/evil/", found[0] and found[0]:sub(1, 16))
    found[0] = nil
    return found
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
      :gsub("/etc/ssl/certs/ca%-certificates%.crt", running.directory .. "/certificate.pem"))
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

      it("first.lua sends a request, also over TLS", function()
        for _, address in ipairs { running.url, running.tls_url } do
          local printed = server.run(lua, lua .. " examples/first.lua " .. address, settings "")
          local seen = echo.read(printed:match "^200\t(%x+)$" or printed)
          assert.same({ "GET", "/orgs/luarocks/repos?per_page=2" }, { seen.method, seen.uri })
        end
      end)

      it("stripe.lua sends a nested form, and follows a cursor", function()
        local printed = server.run(lua, lua .. " examples/stripe.lua a@b.example", settings "")
        assert.equal("created\tc1\nc1\ta\nc2\tb\nc3\tc", printed)
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

      local results
      setup(function() results = run_all(lua) end)

      for number, run in ipairs(RUNS) do
        it(("runs as it should, %d: %s"):format(number, table.concat(run, " "), json.encode(run.answer or {})), function()
          local printed, seen = results[number].printed, results[number].seen
          if run.prints then assert.equal(run.prints, printed) end
          assert.truthy(printed:find(run.finds or "", 1, true), printed)
          assert.falsy(printed:find("0123", 1, true), printed)
          if run.is_refused then
            assert.truthy(printed:find(run[1] == "tool.lua" and ": .*\nstatus 1\nfailed\n$" or ": .*\nfailed\n$"), printed)
            assert.falsy(printed:find("curl", 1, true), printed)
          end
          if run.seen then assert.equal(at_home(table.concat(run.seen, "\n")), table.concat(seen_behind(seen), "\n")) end
          if run.lines then assert.same({ at_home(run.lines[1]) }, seen) end
        end)
      end
    end)
  end
end)

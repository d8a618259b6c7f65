-- The programs of the README, run as they stand there against an nginx that
-- plays the API, under each Lua; the gateway in that nginx.
local json = require "cjson"
local support = require "support"
local server = require "nginx.server"
local echo = require "nginx.echo"

local LUAS = { "lua5.1", "lua5.2", "lua5.3", "lua5.4", "luajit" }

-- The API refuses what is not exactly as the programs should send it.
local API = [[
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
    ngx.header.link = '<http://elsewhere.example/repos/lua/lua/issues?page=3>; rel="next"'
    return ngx.say '[{"number": 3, "title": "c"}]'
  elseif ngx.var.arg_per_page ~= "2" or ngx.var.arg_labels and ngx.var.arg_labels ~= "bug%2Cui" then
    return ngx.exit(400)
  end
  ngx.header.link = "<" .. base .. '/repos/lua/lua/issues?per_page=2&page=2>; rel="next"'
  ngx.say '[{"number": 1, "title": "a"}, {"number": 2, "title": "b"}]'
} }
location /uploads/1/assets { content_by_lua_block {
  ngx.req.read_body()
  if ngx.var.http_authorization ~= "Bearer 0123" or ngx.var.http_content_type ~= "application/octet-stream"
    or ngx.var.request_uri ~= "/uploads/1/assets?name=a%20b.bin&label=Built%20on%20a%2Fb"
    or ngx.req.get_body_data() ~= "\0\255x" then return ngx.exit(422) end
  ngx.say(require "cjson".encode { name = ngx.unescape_uri(ngx.var.arg_name), size = 3 })
} }
location = /gateway { content_by_lua_file gateway.lua; }
location /internal/ { internal; proxy_pass http://127.0.0.1:@PORT@/; }
]]

-- The blocks that have a file's name beside the language.
local function programs()
  local found = {}
  for name, code in support.read "README.md":gmatch("\n```lua ([%w_]+%.lua)\n(.-)```") do found[name] = code end
  return found
end

describe("make demo", function()
  -- What it printed, both streams, with these settings in front or behind.
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

  it("shows its own without any, and says what it cannot read", function()
    assert.truthy(demo("", ""):find("GET /search/issues", 1, true))
    assert.truthy(demo("", "PARAMS='{}'"):find("PARAMS: expected a ROUTE", 1, true))
    for _, params in ipairs { "[]", "[1]", "5", "{", "null" } do
      assert.truthy(demo("", "ROUTE=/x PARAMS='" .. params .. "'"):find("PARAMS: expected a JSON object", 1, true), params)
    end
  end)
end)

describe("the README's program", function()
  local running

  setup(function()
    running = echo.start(API)
    for name, code in pairs(programs()) do support.write(running.directory .. "/" .. name, code) end
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

  -- What a program printed; both streams.
  local function run(lua, environment, command)
    return server.shell(("TOKEN=0123 LUA_CPATH='build/%s/?.so;;' LUA_PATH='src/?.lua;;' %s %s %s/%s 2>&1")
      :format(lua, environment, lua, running.directory, command))
  end

  for _, lua in ipairs(LUAS) do
    it("first.lua sends a request, also over TLS, on " .. lua, function()
      for _, address in ipairs { base(), "https://127.0.0.1:" .. running.tls_port } do
        local printed = run(lua, "", "first.lua " .. address)
        local seen = json.decode(echo.from_hex(printed:match("^200\t(%x+)$") or error(printed)))
        assert.same({ "GET", "/orgs/luarocks/repos?per_page=2" }, { seen.method, seen.uri })
      end
    end)

    it("github.lua lists, follows pages to its own host alone, and creates, on " .. lua, function()
      assert.equal("1\ta\n2\tb\n3\tc\ncreated\t4", (run(lua, tls(), "github.lua lua/lua"):gsub("%.0", "")))
      assert.truthy(run(lua, tls() .. " env -u CA", "github.lua lua/lua"):find("certificate", 1, true))
      assert.truthy(run(lua, tls() .. " env -u TOKEN", "github.lua lua/lua"):find("TOKEN is not set", 1, true))
      assert.truthy(run(lua, tls(), "github.lua"):find("expected OWNER/REPO", 1, true))
    end)

    it("upload.lua sends a file, on " .. lua, function()
      local call = "upload.lua lua/lua v1.0/beta '" .. running.directory .. "/a b.bin'"
      local own = tls() .. " HOST=a/b UPLOADS=https://127.0.0.1:" .. running.tls_port
      assert.equal("a b.bin\t3", (run(lua, own, call):gsub("%.0", "")))
      assert.truthy(run(lua, tls(), call):find("another host than UPLOADS", 1, true))
      assert.truthy(run(lua, own .. " env -u CA", call):find("certificate", 1, true))
    end)

    it("tool.lua prints a command that works, on " .. lua, function()
      local call = [[tool.lua 'GET /repos/:owner/:repo/issues' '{"owner": "lua", "repo": "lua", "per_page": 2}']]
      local shown = run(lua, "API=" .. base(), call)
      assert.truthy(shown:find("--header 'authorization: ***'", 1, true), shown)
      local command = run(lua, "SECRETS=1 API=" .. base(), call)
      assert.equal('[{"number": 1, "title": "a"}, {"number": 2, "title": "b"}]', server.shell(command .. " 2>/dev/null"))
    end)

    it("tool.lua says what is missing or wrong, on " .. lua, function()
      local wrong = run(lua, "API=" .. base(), "tool.lua 'GET /x' bad")
      assert.truthy(wrong:find("token", 1, true) and not wrong:find("traceback", 1, true), wrong)
      assert.truthy(run(lua, "API=" .. base(), "tool.lua 'GET /repos/:owner'"):find('parameter "owner" is missing', 1, true))
    end)
  end

  it("gateway.lua answers from the API, and refuses what would move the request", function()
    local function fetch(query)
      return server.shell(("curl -s -m 10 -H 'cookie: secret=1' -w ' %%{http_code}' '%s/gateway%s'"):format(base(), query))
    end
    assert.equal('["a","b"]\n 200', fetch "?owner=lua&repo=lua")
    local refused = fetch "?owner=..&repo=lua"
    assert.truthy(refused:find('endpoint: parameter "owner"', 1, true) and refused:find(" 400$"), refused)
    assert.truthy(fetch("?owner=lua"):find('parameter "repo" is missing', 1, true))
    for _, owner in ipairs { "lua%2Flua%2Fpulls", "..%2F..%2Flua", "lua%00" } do
      refused = fetch("?repo=lua&owner=" .. owner)
      assert.truthy(refused:find "^endpoint.clients: .*decodes the path" and refused:find(" 400$"), refused)
    end
  end)
end)

-- Each client really sends spec/wire/requests.lua to an nginx that says what
-- reached it, under each Lua that the client's package works on.
local json = require "cjson"
local echo = require "wire.echo"
local requests = require "wire.requests"
local server = require "wire.server"
local support = require "support"

-- The locations in which nginx itself sends; the request around it has a body and headers,
-- none of which may be passed on.
local CAPTURE = [[
location = /capture { content_by_lua_block {
  local request = require "wire.requests"[tonumber(ngx.var.arg_number)]
  local api = require "endpoint".defaults { baseUrl = "/internal" }
  local made, path, options = pcall(require "endpoint.clients".ngx, api(request.route, request.make_options()))
  if not made then return ngx.print(path) end
  local response = ngx.location.capture(path, options)
  ngx.print(response.status, " ", response.header["x-echo"], " ", response.body ~= "" and response.body or "-")
} }
location = /proxy {
  set $target "";
  rewrite_by_lua_block {
    local request = require "wire.requests"[tonumber(ngx.var.arg_number)]
    local base = "http://" .. (request.userinfo and request.userinfo .. "@" or "") .. "127.0.0.1:@PORT@"
    local api = require "endpoint".defaults { baseUrl = base }
    local made, target = pcall(require "endpoint.clients".ngx_proxy, api(request.route, request.make_options()))
    if not made then
      ngx.header["x-echo"] = "refused"
      ngx.print(target)
      return ngx.exit(200)
    end
    ngx.var.target = target
  }
  proxy_pass $target;
}
location = /unguarded { content_by_lua_block {
  local arg = ngx.req.get_uri_args()
  local r = require "endpoint" ("GET " .. arg.route, { baseUrl = arg.base, x = arg.x })
  ngx.print(ngx.location.capture(r.url).body)
} }
location /by-uri/ { internal; proxy_pass http://127.0.0.1:@PORT@/seen$uri; }
location /internal/ { internal; proxy_pass http://127.0.0.1:@PORT@/seen/; }
location = /resty { content_by_lua_block {
  local request = require "wire.requests"[tonumber(ngx.var.arg_number)]
  local base = "http://" .. (request.userinfo and request.userinfo .. "@" or "") .. "127.0.0.1:@PORT@"
  local api = require "endpoint".defaults { baseUrl = base }
  local http = require "resty.http".new()
  local response, message = http:request_uri(require "endpoint.clients".resty_http(api(request.route,
    request.make_options())))
  if not response then return ngx.print(message) end
  ngx.print(response.status, " ", response.headers["x-echo"], " ", response.body ~= "" and response.body or "-")
} }
]]

-- Where Debian's packages work, and the module that shows whether one is there.
-- lua-curl is built for 5.1 and 5.2 alone; lua-http needs lpeg_patterns, which
-- is packaged for those two. LuaJIT takes what 5.1 takes. Not every Debian has
-- the rare ones. The last three clients have no package: they are tested where
-- somebody has installed them.
local ALL = server.with_modules { "lua5.1", "lua5.2", "lua5.3", "lua5.4", "luajit" }
local OLD = server.with_modules { "lua5.1", "lua5.2", "luajit" }
local CLIENTS = {
  { name = "luasocket", module = "socket.http", luas = ALL },
  { name = "luasec", module = "ssl.https", luas = ALL, tls = true },
  { name = "lua_http", module = "http.request", luas = OLD, rare = true },
  { name = "curl", module = "curl", luas = OLD, rare = true },
  { name = "curl_command", module = "endpoint", luas = ALL },
  { name = "argv", module = "endpoint", luas = ALL },
  { name = "argv_process", module = "endpoint", luas = { "luajit" } }, -- wire.process needs the FFI
  { name = "cURL", module = "cURL", luas = ALL, optional = true },
  { name = "cURL_handle", module = "cURL", luas = ALL, optional = true },
  { name = "lua_https", module = "https", luas = ALL, optional = true },
}

-- Headers that some clients change. lua-https labels every body, and libcurl
-- under it drops an empty field; nginx drops expect.
local CHANGED = {
  lua_https = { ["content-type"] = true, ["x-empty"] = true },
  ngx = { expect = true },
  ngx_proxy = { expect = true },
}

-- What sends with libcurl, which drops an empty query from 8.8 on.
local LIBCURL = { curl = true, curl_command = true, argv = true, argv_process = true, lua_https = true }

local function value_of(headers, name)
  local value = headers[name]
  return type(value) == "table" and table.concat(value, ", ") or value
end

-- Compares what the server saw with what a request promises.
local function check(client, request, line, uri)
  local refused = request.refused and request.refused[client:gsub("_process", "")]
  refused = refused or request.broken
  if refused then return assert.truthy(line:find(refused, 1, true), line) end
  local status, seen, body = line:match("^(%d+) (%x+) (%S+)$")
  assert.equal("200", status, line)
  assert.equal(request.method == "HEAD" and "-" or seen, body)
  local arrived = json.decode(echo.from_hex(seen))
  assert.equal(request.method, arrived.method)
  if LIBCURL[client] and arrived.uri .. "?" == uri then uri = arrived.uri end
  assert.equal(uri, arrived.uri)
  assert.equal(request.body or "", echo.from_hex(arrived.body))
  assert.equal(request.length or #(request.body or ""), arrived.length)
  local chunked = request.headers and request.headers["transfer-encoding"]
  if not chunked then assert.is_nil(arrived.headers["transfer-encoding"]) end
  assert.equal("application/vnd.service.v3+json", arrived.headers.accept)
  assert.equal("service-endpoint.js/1.0.0", arrived.headers["user-agent"])
  for name, value in pairs(request.headers or {}) do
    local changed = CHANGED[client] and CHANGED[client][name]
    if not changed then assert.equal(value or nil, value_of(arrived.headers, name), name) end
  end
end

describe("really sent", function()
  local running

  setup(function() running = echo.start(CAPTURE) end)

  teardown(function()
    local log = server.stop(running)
    assert.falsy(log:find("[error]", 1, true), log)
    assert.falsy(log:find("[alert]", 1, true), log)
  end)

  for _, client in ipairs(CLIENTS) do
    for _, lua in ipairs(client.luas) do
      if client.rare and not echo.has_module(lua, client.module) then
        pending(("by %s on %s: there is no module %s"):format(client.name, lua, client.module))
      elseif not client.optional or echo.has_module(lua, client.module) then
        describe("by " .. client.name .. " on " .. lua, function()
          local lines
          setup(function() lines = echo.sent_by(running, lua, client) end)
          for number, request in ipairs(requests) do
            it("arrives: " .. request.name, function()
              check(client.name, request, lines[number] or table.concat(lines, "\n"), request.uri)
            end)
          end
        end)
      end
    end
  end

  local function fetch(location, number, words)
    return server.shell(("curl -s -m 20 %s -H 'cookie: a=1' 'http://127.0.0.1:%d/%s?number=%d'")
      :format(words or "-d ignored", running.port, location, number))
  end

  describe("by proxy_pass", function()
    for number, request in ipairs(requests) do
      it("arrives, or is refused: " .. request.name, function()
        local text = fetch("proxy", number, request.method == "HEAD" and "-I" or "-i -d ignored")
        local seen, body = text:match "\nx%-echo: (%w+)", text:match "\r\n\r\n(.*)$" or "-"
        local line = ("%s %s %s"):format(text:match "^HTTP/1.1 (%d+)", seen, body)
        check("ngx_proxy", request, seen == "refused" and body or line, request.uri)
      end)
    end
  end)

  describe("by ngx.location.capture", function()
    for number, request in ipairs(requests) do
      if not request.exact then
        it("arrives, or is refused: " .. request.name, function()
          check("ngx", request, fetch("capture", number), "/seen" .. (request.uri or ""))
        end)
      end
    end
  end)

  -- What results become without clients.ngx, and why it refuses them: "/internal"
  -- is proxied as nginx itself does it, "/by-uri" by a location that writes $uri.
  describe("by ngx.location.capture without clients.ngx", function()
    local function arrived(base, route, x)
      local seen = server.shell(("curl -s -m 20 -G -d base=%s -d route=%s %s http://127.0.0.1:%d/unguarded")
        :format(base, route, x and "--data-urlencode 'x=" .. x .. "'" or "", running.port))
      return json.decode(echo.from_hex(seen))
    end

    for _, row in ipairs {
      { "a slash leaves the segment",           "/internal", "a/b",         "/seen/a/b" },
      { "a semicolon makes a parameter",        "/internal", "a;role=root", "/seen/a;role=root" },
      { "a question mark begins a query",       "/by-uri",   "a?admin=1",   "/seen/by-uri/a?admin=1" },
      { "a number sign begins a fragment",      "/by-uri",   "a#b",         "/seen/by-uri/a#b" },
      { "a backslash is one",                   "/by-uri",   "a\\b",        "/seen/by-uri/a\\b" },
      { "a triplet is decoded a second time",   "/by-uri",   "a%2Fb",       "/seen/by-uri/a%2Fb" },
    } do
      it("moves: " .. row[1], function() assert.equal(row[4], arrived(row[2], "/:x", row[3]).uri) end)
    end

    it("moves: CR and LF make a header", function()
      local headers = arrived("/by-uri", "/:x", "a HTTP/1.0\r\nx-admin: yes\r\nx-rest: ").headers
      assert.equal("yes", headers["x-admin"])
    end)
  end)

  -- The shell reads the command from its standard input, a line at a time, as
  -- from a terminal: history is on.
  describe("by a curl_command in an interactive bash", function()
    local clients, endpoint = require "endpoint.clients", require "endpoint"

    local function received(body)
      local r = endpoint.parse { method = "post", url = "http://127.0.0.1:" .. running.port .. "/x", data = body }
      local file = running.directory .. "/answer"
      support.write(running.directory .. "/script", "echo before\n" .. clients.curl_command(r) .. " -s -m 20 -o " .. file
        .. "\nexit\n")
      server.shell("HISTFILE=/dev/null bash --norc --noprofile -i <" .. running.directory .. "/script 2>&1")
      return echo.from_hex(json.decode(echo.from_hex(support.read(file))).body)
    end

    for _, body in ipairs { "a\n^before^after", "^before^after\n^b", "a\nb!echo c", "!echo\n!!", "it's !echo\n'!e'" } do
      it("arrives: " .. ("%q"):format(body):gsub("\n", "n"), function() assert.equal(body, received(body)) end)
    end
  end)

  -- lua-resty-http has no package; NGINX_LUA_PATH says where somebody has it.
  if os.getenv "NGINX_LUA_PATH" then
    describe("by lua-resty-http", function()
      for number, request in ipairs(requests) do
        it("arrives: " .. request.name, function()
          check("resty_http", request, fetch("resty", number), request.uri)
        end)
      end
    end)
  end

  it("answered no stream that broke off, which would be half a body", function()
    assert.equal("0", server.shell(("curl -s -m 20 'http://127.0.0.1:%d/answered?uri=/broken'"):format(running.port)))
    assert.is_true(tonumber(server.shell(("curl -s -m 20 'http://127.0.0.1:%d/answered?uri=/x'"):format(running.port))) > 0)
  end)
end)

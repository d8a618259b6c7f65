-- Each client really sends what spec/clients/requests.lua lists to an nginx that says what reached
-- it, under each Lua that the client's package works on.
local clients = require "endpoint.clients"
local echo = require "echo"
local endpoint = require "endpoint"
local examples = require "docs.examples"
local reference = require "docs.reference"
local requests = require "clients.requests"
local server = require "server"
local support = require "support"

local PROGRAMS = "spec/clients/programs/"

-- Where Debian's packages work, and the module that shows whether one is there. lua-curl is built
-- for 5.1 and 5.2 alone; lua-http needs lpeg_patterns, which is packaged for those two. LuaJIT
-- takes what 5.1 takes. Clients without a package are pending where nobody has installed them,
-- lua-resty-http where NGINX_LUA_PATH does not name its directory; a client whose package apt has
-- must be there.
local ALL, MISSING = server.luas()
local NGINX = { "nginx" }
local OLD = server.luas { "lua5.1", "lua5.2", "luajit" }
local CLIENTS = {
  { name = "luasocket", module = "socket.http", package = "lua-socket", luas = ALL },
  { name = "luasec", module = "ssl.https", package = "lua-sec", luas = ALL, tls = true },
  { name = "lua_http", module = "http.request", package = "lua-http", luas = OLD },
  { name = "curl", module = "curl", package = "lua-curl", luas = OLD },
  { name = "curl_command", module = "endpoint", luas = ALL },
  { name = "argv", module = "endpoint", luas = ALL },
  { name = "cURL", module = "cURL", luas = ALL },
  { name = "cURL_handle", module = "cURL", luas = ALL },
  { name = "lua_https", module = "https", luas = ALL },
  { name = "ngx", location = "capture", luas = NGINX },
  { name = "ngx_proxy", location = "proxy", luas = NGINX },
  { name = "resty_http", location = "resty", module = "resty.http", luas = NGINX },
}

-- Headers that some clients change. lua-https labels every body, and libcurl
-- under it drops an empty field; nginx drops expect, and proxy_pass writes the host.
local CHANGED = {
  lua_https = { ["content-type"] = true, ["x-empty"] = true },
  ngx = { expect = true, host = true },
  ngx_proxy = { expect = true, host = true },
}

-- What sends with libcurl, which drops an empty query from 8.8 on.
local LIBCURL = { curl = true, curl_command = true, argv = true, lua_https = true }

local function value_of(headers, name)
  local value = headers[name]
  return type(value) == "table" and table.concat(value, ", ") or value
end

-- Compares what the server saw with what a request promises.
local function check(client, request, line)
  local refused = request.refused and request.refused[client] or request.broken
  if refused then
    return assert.truthy(line:find(refused, 1, true), line)
  end
  local status, seen, body = line:match("^(%d+) (%x+) (%S+)$")
  assert.equal("200", status, line)
  assert.equal(request.method == "HEAD" and "-" or seen, body)
  local arrived, expected, uri =
    echo.read(seen), request.body or "", (client == "ngx" and "/seen" or "") .. request.uri
  assert.equal(request.method, arrived.method)
  if not LIBCURL[client] or arrived.uri .. "?" ~= uri then
    assert.equal(uri, arrived.uri)
  end
  assert.equal(expected:sub(1, 256), arrived.body)
  request.sum = request.sum or echo.sum(expected)
  assert.same({ #expected, request.sum }, { arrived.length, arrived.sum })
  assert.equal("application/vnd.service.v3+json", arrived.headers.accept)
  assert.equal("service-endpoint.js/1.0.0", arrived.headers["user-agent"])
  for name, value in pairs(request.headers) do
    local changed = CHANGED[client] and CHANGED[client][name]
    if not changed then
      assert.equal(value or nil, value_of(arrived.headers, name), name)
    end
  end
end

describe("really sent", function()
  local running, start, stop = server.plan {
    locations = support.read(PROGRAMS .. "clients.conf"),
  }
  setup(start)
  teardown(stop)

  -- A line for each request.
  local function sent(client, lua)
    local lines = {}
    if client.location then
      for number, request in ipairs(requests.sent) do
        local words = client.name == "ngx_proxy" and request.method == "HEAD" and "-I"
          or "-i -d ignored"
        local text = server.fetch(
          running,
          ("/%s?number=%d"):format(client.location, number),
          words .. " -b a=1"
        )
        local head, body = text:match "^(.-\r\n)\r\n?(.*)$"
        local seen = head:match "\nx%-echo: (%x+)"
        lines[number] = seen
            and ("%s %s %s"):format(head:match "^HTTP/1.1 (%d+)", seen, body ~= "" and body or "-")
          or body
      end
    else
      local text = server.run(
        lua,
        ("%s spec/clients/send.lua %s %s %s/certificate.pem %s/file"):format(
          lua,
          client.name,
          client.tls and running.tls_url or running.url,
          running.directory,
          running.directory
        )
      )
      for line in text:gmatch "[^\n]+" do
        lines[#lines + 1] = line
      end
    end
    return lines
  end

  -- An error where it must be there.
  local function is_there(client, lua)
    if client.name == "resty_http" then
      return (os.getenv "NGINX_LUA_PATH" or ""):find "resty%-http"
    end
    if not client.module or server.has_module(lua, client.module) then
      return true
    end
    if server.is_packaged(client.package) then
      error(("%s: the package %s is missing"):format(lua, client.package))
    end
  end

  it("are all that the reference has", function()
    local sent_here = { plain = true } -- the others are made of it
    for _, client in ipairs(CLIENTS) do
      sent_here[client.name] = true
    end
    for _, name in ipairs(reference.clients()) do
      assert.is_true(sent_here[name], name)
    end
  end)

  for _, client in ipairs(CLIENTS) do
    for _, lua in ipairs(client.luas) do
      if is_there(client, lua) then
        describe("by " .. client.name .. " on " .. lua, function()
          local lines
          setup(function()
            lines = sent(client, lua)
          end)
          for number, request in ipairs(requests.sent) do
            if client.name ~= "ngx" or not request.exact then
              it("arrives, or is refused: " .. request[1], function()
                check(client.name, request, lines[number] or table.concat(lines, "\n"))
              end)
            end
          end
        end)
      else
        pending(("by %s on %s: there is no module %s"):format(client.name, lua, client.module))
      end
    end
  end

  -- All specs on the wire leave out such an interpreter. This is where one sees it.
  for _, lua in ipairs(MISSING) do
    pending(("by any client on %s: it finds no lua-cjson or no LuaSocket"):format(lua))
  end

  -- The shell reads the command from its standard input, a line at a time, as from a terminal:
  -- history is on.
  for _, body in ipairs {
    "a\n^before^after",
    "^before^after\n^b",
    "a\nb!echo c",
    "!echo\n!!",
    "it's !echo\n'!e'",
  } do
    it(
      "arrives by a curl_command in an interactive bash: " .. ("%q"):format(body):gsub("\n", "n"),
      function()
        local r = endpoint.parse { method = "post", url = running.url .. "/x", data = body }
        local answer, script = running.directory .. "/answer", running.directory .. "/script"
        support.write(
          script,
          ("echo before\n%s -s -m 20 -o %s\nexit\n"):format(clients.curl_command(r), answer)
        )
        server.shell("HISTFILE=/dev/null bash --norc --noprofile -i <" .. script .. " 2>&1")
        assert.equal(body, echo.read(support.read(answer)).body)
      end
    )
  end

  for _, lua in ipairs(OLD) do
    if server.has_module(lua, "curl") then
      it("arrives twice by the guide's handle of lua-curl on " .. lua, function()
        local recipe = running.directory .. "/recipe.lua"
        support.write(
          recipe,
          'local clients = require "endpoint.clients"\n'
            .. examples.recipe "lua-curl.lua"
            .. "return send\n"
        )
        local printed =
          server.run(lua, ("%s %ssend_twice.lua %s %s"):format(lua, PROGRAMS, running.url, recipe))
        assert.equal("200\tPOST\t/x\t3\n200\tGET\t/y?q=z\t0", printed)
      end)
    end
  end
end)

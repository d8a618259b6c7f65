-- What docs/nginx-operation.md says of an API that is slow, closes connections, moves, refuses our
-- token or answers too much, with the directives and the group of docs/nginx.md: the nginx of this
-- spec plays the API, too, at two other addresses. And the locations of examples/nginx.conf, to
-- whose client and API this spec is both.
local examples = require "docs.examples"
local server = require "server"
local socket = require "socket"
local support = require "support"
local wire = require "wire"

local FIRST = examples.blocks_in(support.read "docs/nginx.md", "nginx")[1].code

local PROGRAMS = "spec/clients/programs/"

-- The page's own location, for any route, and what it has for all locations: /read is for GET and
-- HEAD, and /write lacks the directive for these.
local READ, REFUSED = FIRST:match "server {\n(.*)}\n$"
  :gsub(
    'require "github" %b()',
    'require "clients.programs.failing_endpoints" [ngx.var.arg_of]'
      .. "(ngx.unescape_uri(ngx.var.arg_route))"
  )
  :match "^(.-\n  }\n)(.*)$"
local LOCATIONS = support.read(PROGRAMS .. "failing_api.conf")
  .. READ:gsub("/readme", "/read")
  .. READ:gsub("/readme", "/write"):gsub("proxy_next_upstream error;", "")
  .. REFUSED

-- The page's directives, with the addresses of this run, and its own group where nginx knows what
-- that says.
local function outside_of(dns)
  local text = server
    .fitted(FIRST:match "^(.-)server {")
    :gsub("proxy_read_timeout 30s", "proxy_read_timeout 250ms")
    :gsub("resolver_timeout 3s", "resolver_timeout 250ms")
    :gsub("/etc/ssl/certs/ca%-certificates.crt", "certificate.pem")
    :gsub("127%.0%.0%.53", "127.0.0.1:" .. dns)
  local words = text:match "server api.github.com:443([^;]*);":gsub(" resolve", "")
  local two = text:match "\nupstream .*$":gsub("api.github.com", "two.test"):gsub(
    "server [^;]*;",
    ("server 127.0.0.2:@PORT@%s; server 127.0.0.3:@PORT@%s;"):format(words, words)
  )
  local named = text
    :match "\nupstream .*$"
    :gsub("api.github.com:443", "%0:@PORT@")
    :gsub(":443:", ":")
    :gsub("api.github.com", "group.test")
  return text:gsub("\nupstream .*$", "")
    .. two
    .. (server.is_new and named or "")
    .. "lua_shared_dict seen 1m;\n"
end

describe("an API that fails", function()
  local names = assert(socket.udp()) -- a name server
  assert(names:setsockname("127.0.0.1", 0))
  local _, dns_port = names:getsockname()
  local running, start, stop =
    server.plan { locations = LOCATIONS, outside = outside_of(dns_port), errors = "" }
  setup(start)
  teardown(stop)

  -- The status, and how often the API has seen that method and path.
  local function ask(location, route, words, of)
    local path = ("/%s?of=%s&route=%s"):format(location, of or "two", (route:gsub(" ", "%%20")))
    local status = server.fetch(running, path, "-o /dev/null -w '%{http_code}' " .. (words or ""))
    local count = server.fetch(running, "/count?" .. route:gsub(" /", "%%20"))
    return tonumber(status), tonumber(count)
  end

  -- Leaves a connection to each address.
  local function keep_connections()
    for _ = 1, 4 do
      assert.equal(200, (ask("read", "GET /fast")))
    end
  end

  it("and is slow for one client is there for the others", function()
    assert.equal(504, (ask("read", "GET /slow")))
    for _ = 1, 6 do
      assert.equal(200, (ask("read", "GET /fast")))
    end
  end)

  for _, method in ipairs { "PUT", "DELETE", "POST" } do
    it("gets nothing twice: " .. method .. " of a client's POST", function()
      keep_connections()
      assert.same({ 502, 1 }, { ask("write", method .. " /closes", "-X POST") })
      assert.same({ 504, 1 }, { ask("write", method .. " /slow", "-X POST") })
    end)
  end

  for method, words in pairs { GET = "", HEAD = "-I" } do
    it("and closes a kept connection gets a request again: " .. method, function()
      keep_connections()
      assert.equal(200, (ask("read", method .. " /dies", words)))
      assert.same({ 200, 3 }, { ask("read", method .. " /dies", words) })
    end)
  end

  it("and is slow gets no GET twice", function()
    local before = tonumber(server.fetch(running, "/count?GET%20slow"))
    assert.same({ 504, before + 1 }, { ask("read", "GET /slow") })
  end)

  -- Answers nginx's two questions for moving.test, its IPv4 address and its IPv6 address, which it
  -- does not have (RFC 1035, section 4). nginx asks again a second later.
  local function answer_names(address)
    names:settimeout(5)
    local left = 2
    while left > 0 do
      local question, host, port = assert(names:receivefrom())
      local asked = question:sub(13):match "^[^%z]*%z...."
      local found = asked:byte(-3) == 1 and "\192\12\0\1\0\1\0\0\0\0\0\4" .. address or ""
      local head = question:sub(1, 2)
        .. "\129\128\0\1\0"
        .. (found == "" and "\0" or "\1")
        .. "\0\0\0\0"
      if asked:find("moving", 1, true) then
        names:sendto(head .. asked .. found, host, port)
        left = left - 1
      end
    end
  end

  for last = 2, 3 do
    local address = "127.0.0." .. last
    it("and moves is found by a resolver, without a reload: at " .. address, function()
      local client =
        io.popen(("curl -s -m 20 '%s/read?of=moving&route=GET%%20/fast'"):format(running.url))
      answer_names("\127\0\0" .. string.char(last))
      assert.equal(address, client:read "*a":match "^%S+")
      client:close()
      socket.sleep(1.1)
    end)
  end

  it("whose resolver is silent holds nobody", function()
    local begun = socket.gettime()
    assert.equal(502, (ask("read", "GET /fast", "", "moving")))
    assert.is_true(socket.gettime() - begun < 20) -- nginx' own limit is 30 s
  end)

  it("and answers too much gives its client its body", function()
    local body = server.fetch(running, "/read?of=two&route=GET%20/talks", "-m 3")
    assert.truthy(body:find("127.0.0.", 1, true) and #body > 3000, body)
  end)

  for _, word in ipairs {
    "cookie",
    "transport",
    "site%-data",
    "oauth",
    "control%-allow",
    "accel",
  } do
    it("and answers too much gives its client no header with the word " .. word, function()
      local head = server.fetch(running, "/read?of=two&route=GET%20/talks", "-m 3 -i")
      assert.truthy(head:find "^HTTP/1.1 200", head)
      assert.falsy(head:lower():find(word), head)
    end)
  end

  it("and answers without a status line is not heard", function()
    assert.equal("", server.fetch(running, "/read?of=two&route=GET%20/babbles", "--http0.9 -i"))
    assert.equal(200, (ask("read", "GET /fast")))
  end)

  local before_response = support.copied(wire.INTERIM)
  before_response[#before_response + 1] = 101
  for _, status in ipairs(before_response) do
    for _, location in ipairs { "read", "write" } do
      it(("and sends %d before its response is not heard: /%s"):format(status, location), function()
        local path = ("/%s?of=two&route=GET%%20/%d"):format(location, status)
        for _, words in ipairs { "-i", "-i -H 'upgrade: websocket' -H 'connection: upgrade'" } do
          assert.equal("", server.fetch(running, path, "-m 3 " .. words))
        end
        assert.equal(200, (ask("read", "GET /fast")))
      end)
    end
  end

  it("and refuses our token is a 502 that says nothing of it, where a 401 of ours stays", function()
    local head = server.fetch(running, "/read?of=two&route=GET%20/refuses", "-i")
    assert.truthy(head:find "^HTTP/1.1 502", head)
    assert.falsy(head:lower():find "authenticate", head)
    head = server.fetch(running, "/own", "-i"):lower()
    assert.truthy(head:find "^http/1.1 401" and head:find "www%-authenticate: bearer\r", head)
  end)
end)

-- --- the example ----------------------------------------------------------------------

-- A configuration with a second location for each of those with a script: /any/proxy for /proxy.
-- It takes any method for the one that the first takes.
local function with_any_methods(configuration)
  return (
    configuration:gsub("(    location = /(%l+) (%b{}))", function(location, name, block)
      local method = name == "proxy" and "GET" or "POST"
      local set_method = ("rewrite_by_lua_block { ngx.req.set_method(ngx.HTTP_%s) }"):format(method)
      block = "{\n      " .. set_method .. block:sub(2)
      return ("%s\n    location = /any/%s %s"):format(location, name, block)
    end)
  )
end

describe("nginx.conf", function()
  local more = server.shown("", "@API@")
  more.errors = "client sent invalid chunked body"
  more.configuration = with_any_methods(more.configuration:gsub("timeout 1m", "timeout 1s"))
  local api, running, start, stop, renew = wire.plan(more)
  setup(start)
  teardown(stop)
  before_each(renew)

  -- What each location must send.
  local function sent(line, rest, authorization)
    return {
      line = line,
      rest = rest,
      headers = {
        host = "api.example",
        authorization = authorization,
        accept = "application/vnd.service.v3+json",
        ["user-agent"] = "service-endpoint.js/1.0.0",
        ["content-type"] = rest ~= "" and "application/json; charset=utf-8" or nil,
        ["content-length"] = tostring(#rest),
      },
    }
  end
  local SENT = {
    ["/any/proxy?name=a%2Fb%20&ref=c"] = sent("GET /api/files/a%2Fb%20?ref=c", "", "token 0123"),
    ["/any/capture?title=a%26b"] = sent("POST /internal/issues?draft=true", '{"title":"a&b"}'),
    ["/any/socket?title=a%26b"] = sent(
      "POST /api/repos/octo%2Fcat/issues",
      '{"title":"a&b"}',
      "token 0123"
    ),
  }

  for target, own in pairs(SENT) do
    -- /any/socket does not read the body, so it may answer before nginx has seen it.
    wire.guard(it, {
      target = target,
      running = running,
      api = api,
      is_lenient = target:find "^/any/socket" ~= nil,
      own = function(text)
        local request = wire.parse(text)
        request.headers["content-length"] = request.headers["content-length"] or "0"
        assert.same(own, request)
      end,
    })
  end

  for _, row in ipairs {
    { target = "/proxy?name=x", takes = { GET = true, HEAD = true }, allow = "GET, HEAD" },
    { target = "/capture?title=a", takes = { POST = true }, allow = "POST" },
    { target = "/socket?title=a", takes = { POST = true }, allow = "POST" },
  } do
    for _, method in ipairs { "GET", "HEAD", "POST", "PUT", "DELETE", "X-PURGE" } do
      local is_taken = row.takes[method] == true
      it((is_taken and "takes %s %s" or "refuses %s %s"):format(method, row.target), function()
        local line = ("%s %s HTTP/1.1\r\n"):format(method, row.target)
        local head = line .. "Host: x\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
        local seen, back = wire.exchange(running.port, api, { head })
        assert.same(
          { is_taken and 1 or 0, is_taken and 200 or 405 },
          { #seen, (wire.response_of(back)) }
        )
        local allow = back:match "\r\n[aA]llow: ([^\r]*)"
        assert.equal(not is_taken and row.allow or nil, allow)
      end)
    end
  end

  it("answers HEAD without a body, and the next request after it", function()
    local rest = " /proxy?name=x HTTP/1.1\r\nHost: x\r\n\r\n"
    local seen, back = wire.exchange(running.port, api, { "HEAD" .. rest .. "GET" .. rest })
    assert.equal(2, #seen)
    assert.equal("GET /api/files/x", wire.parse(seen[1]).line)
    assert.equal("GET /api/files/x", wire.parse(seen[2]).line)
    assert.same(
      { 2, 1 },
      { select(2, back:gsub("HTTP/1%.1 200", "")), select(2, back:gsub("answered", "")) },
      back
    )
  end)

  it("takes ngx.null for null: a parameter that is not there sends nothing", function()
    local seen =
      wire.exchange(running.port, api, { "GET /proxy?name=x HTTP/1.1\r\nHost: x\r\n\r\n" })
    assert.equal("GET /api/files/x", wire.parse(seen[1]).line)
  end)

  it("ends old workers after a reload, which a websocket would keep", function()
    local client = assert(socket.connect("127.0.0.1", running.port))
    client:settimeout(8)
    client:send "GET /proxy?name=x HTTP/1.1\r\nHost: x\r\n\r\n"
    local request = assert(api.listener:accept())
    server.shell(("kill -HUP $(cat %s/nginx.pid)"):format(running.directory))
    assert.equal("closed", (select(2, client:receive "*a"))) -- in time
    request:close()
  end)

  wire.guard_head(it, { running = running, api = api, target = "/proxy?name=x" })

  for _, status in ipairs(wire.INTERIM) do
    it(("ends the connection if its API begins with %d"):format(status), function()
      api.answer = wire.interim(status)
      local seen, back =
        wire.exchange(running.port, api, { "GET /proxy?name=x HTTP/1.1\r\nHost: x\r\n\r\n" })
      assert.same({ 1, "" }, { #seen, back })
    end)

    for _, target in ipairs { "/any/capture?title=a", "/any/socket?title=a" } do
      it(("answers 502 if its API begins with %d: %s"):format(status, target), function()
        api.answer = wire.interim(status)
        local count, answered, body = wire.get(running.port, api, target)
        assert.same({ 1, 502 }, { count, answered })
        assert.falsy(body:find("secret", 1, true), body)
      end)
    end
  end

  -- api: what it does. answer: its response; nil if it is not asked. status: that of ours to the
  -- client. shows, hides: words that the client sees, or does not see. targets: what is asked for.
  for _, row in ipairs {
    {
      api = "names a location of ours",
      answer = wire.response(200, "of the API", "X-Accel-Redirect: /proxy\r\n"),
      status = 200,
      shows = "of the API",
      targets = { "/proxy?name=x", "/any/capture?title=a" },
    },
    {
      api = "fails",
      answer = wire.response(500, "secret"),
      status = 502,
      hides = "secret",
      targets = { "/any/capture?title=a", "/any/socket?title=a" },
    },
    {
      api = "moves",
      answer = wire.response(302, "secret"),
      status = 502,
      hides = "secret",
      targets = { "/any/capture?title=a", "/any/socket?title=a" },
    },
    {
      api = "answers without a status line",
      answer = "secret",
      status = 502,
      hides = "secret",
      targets = { "/any/socket?title=a" },
    },
    {
      api = "is not asked",
      status = 400,
      hides = "endpoint",
      targets = {
        "/proxy",
        "/proxy?name",
        "/proxy?name=a&name=b",
        "/proxy?name=",
        "/proxy?name=..",
        "/proxy?name=%2e%2E",
        "/proxy?name=a&ref",
        "/proxy?name=a&ref=b&ref=c",
        "/any/capture",
        "/any/capture?title",
        "/any/capture?title=a&title=b",
        "/any/socket",
        "/any/socket?title",
        "/any/socket?title=a&title=b",
      },
    },
  } do
    for _, target in ipairs(row.targets) do
      it(("answers %d if its API %s: %s"):format(row.status, row.api, target), function()
        api.answer = row.answer or api.answer
        local count, status, body = wire.get(running.port, api, target)
        assert.same({ row.answer and 1 or 0, row.status }, { count, status })
        assert.equal(row.shows ~= nil, body:find(row.shows or row.hides, 1, true) ~= nil, body)
      end)
    end
  end
end)

-- The setting `proxy`: which proxy each request takes, by what the environment says, and what is
-- told of a proxy's answers. request_wire_spec.lua sends through one with each client.
local endpoint = require "endpoint"
local http1 = require "endpoint.request.clients.http1"
local request = require "endpoint.request"

local getenv = os.getenv -- luacheck: ignore 122

-- The proxy that a function of the user's is told of for a URL, in this environment.
local function proxy_for(url, environment, setting)
  os.getenv = function(name) -- luacheck: ignore 122
    return environment[name]
  end
  local told
  local ok, problem = pcall(function()
    local api = endpoint.defaults { baseUrl = url }
    request.new(api, {
      proxy = setting or "environment",
      client = function(_, settings)
        told = settings.proxy
        return 200, {}, ""
      end,
    }) "GET /x"
  end)
  os.getenv = getenv -- luacheck: ignore 122
  assert(ok, problem)
  return told
end

local P, Q = "http://p:3128", "http://q:3128"

-- What holds in an environment: the proxy of a URL.
local ROWS = {
  {
    what = "takes https_proxy for https",
    environment = { https_proxy = P, http_proxy = Q },
    url = "https://h",
    proxy = P,
  },
  {
    what = "takes http_proxy for http",
    environment = { https_proxy = Q, http_proxy = P },
    url = "http://h",
    proxy = P,
  },
  { what = "takes HTTPS_PROXY", environment = { HTTPS_PROXY = P }, url = "https://h", proxy = P },
  {
    what = "takes no HTTP_PROXY, which a client may have written",
    environment = { HTTP_PROXY = P },
    url = "http://h",
  },
  {
    what = "takes all_proxy for https",
    environment = { all_proxy = P },
    url = "https://h",
    proxy = P,
  },
  {
    what = "takes all_proxy for http",
    environment = { all_proxy = P, HTTP_PROXY = Q },
    url = "http://h",
    proxy = P,
  },
  { what = "takes ALL_PROXY", environment = { ALL_PROXY = P }, url = "http://h", proxy = P },
  {
    what = "prefers lower case",
    environment = { https_proxy = P, HTTPS_PROXY = Q },
    url = "https://h",
    proxy = P,
  },
  {
    what = "prefers the scheme's",
    environment = { HTTPS_PROXY = P, all_proxy = Q },
    url = "https://h",
    proxy = P,
  },
  {
    what = "takes an empty variable as missing",
    environment = { https_proxy = "", HTTPS_PROXY = " ", all_proxy = P },
    url = "https://h",
    proxy = P,
  },
  {
    what = "takes no proxy for a host of no_proxy",
    environment = { no_proxy = "h" },
    url = "https://h",
  },
  {
    what = "adds the scheme",
    environment = { https_proxy = "p:3128" },
    url = "https://h",
    proxy = P,
  },
  {
    what = "adds the scheme before a password",
    environment = { https_proxy = "me:pw@p:3128/" },
    url = "https://h",
    proxy = "http://me:pw@p:3128",
  },
  {
    what = "adds the port 80",
    environment = { https_proxy = "p" },
    url = "https://h",
    proxy = "http://p:80",
  },
  {
    what = "keeps the brackets of an address",
    environment = { https_proxy = "http://[::1]:8080" },
    url = "https://h",
    proxy = "http://[::1]:8080",
  },
}

-- What no_proxy names, its value, a URL, and whether it goes without a proxy.
local EXCEPTIONS = {
  { what = "a host", no_proxy = "h.example", url = "https://h.example", is_direct = true },
  {
    what = "the hosts below a domain",
    no_proxy = "example",
    url = "https://a.h.example",
    is_direct = true,
  },
  {
    what = "a host by its own domain with a dot",
    no_proxy = ".h.example",
    url = "https://h.example",
    is_direct = true,
  },
  {
    what = "the hosts below a domain with a dot",
    no_proxy = ".example",
    url = "https://h.example",
    is_direct = true,
  },
  {
    what = "the hosts below a domain with a star",
    no_proxy = "*.example",
    url = "https://h.example",
    is_direct = true,
  },
  {
    what = "a host in another case, and with a dot at its end",
    no_proxy = "H.Example.",
    url = "https://h.eXample",
    is_direct = true,
  },
  {
    what = "the end of a name without its dot",
    no_proxy = "h.example",
    url = "https://xh.example",
  },
  { what = "a host below it", no_proxy = "a.h.example", url = "https://h.example" },
  {
    what = "one of several, parted by commas and spaces",
    no_proxy = "a,  b h.example\t,c",
    url = "https://h.example",
    is_direct = true,
  },
  {
    what = "an entry that begins with it",
    no_proxy = "a,h.example.org",
    url = "https://h.example",
  },
  { what = "all by a star", no_proxy = "*", url = "https://h.example", is_direct = true },
  {
    what = "all by a star among others",
    no_proxy = "a, *",
    url = "https://h.example",
    is_direct = true,
  },
  { what = "nothing", no_proxy = ", ,", url = "https://h.example" },
  { what = "a dot, and a star with a dot", no_proxy = ". *.", url = "https://h.example" },
  {
    what = "a port",
    no_proxy = "h.example:8443",
    url = "https://h.example:8443",
    is_direct = true,
  },
  { what = "another port", no_proxy = "h.example:8443", url = "https://h.example" },
  {
    what = "the scheme's own port",
    no_proxy = "h.example:443",
    url = "https://h.example",
    is_direct = true,
  },
  { what = "an address", no_proxy = "127.0.0.1", url = "http://127.0.0.1:8080", is_direct = true },
  {
    what = "an address with a port",
    no_proxy = "127.0.0.1:8080",
    url = "http://127.0.0.1:8080",
    is_direct = true,
  },
  { what = "the beginning of an address", no_proxy = "127.0.0.1", url = "http://127.0.0.11" },
  { what = "the end of an address", no_proxy = "0.0.1", url = "http://127.0.0.1" },
  { what = "a range", no_proxy = "10.0.0.0/8", url = "http://10.1.2.3", is_direct = true },
  {
    what = "a range within a byte",
    no_proxy = "10.0.0.128/25",
    url = "http://10.0.0.200",
    is_direct = true,
  },
  { what = "a range that it is not in", no_proxy = "10.0.0.128/25", url = "http://10.0.0.100" },
  {
    what = "all addresses of a range of 0 bits",
    no_proxy = "0.0.0.0/0",
    url = "http://10.0.0.1",
    is_direct = true,
  },
  {
    what = "a range of addresses, and it is a name",
    no_proxy = "0.0.0.0/0",
    url = "http://h.example",
  },
  {
    what = "ranges that are malformed",
    no_proxy = "10.0.0.0/33,10.0.0.0/x,10/8,/8",
    url = "http://10.0.0.0",
  },
  { what = "an IPv6 address", no_proxy = "::1", url = "http://[::1]:8080", is_direct = true },
  {
    what = "an IPv6 address written otherwise",
    no_proxy = "0:0::0:1",
    url = "http://[::1]",
    is_direct = true,
  },
  {
    what = "an IPv6 address in brackets",
    no_proxy = "[::1]",
    url = "http://[::1]",
    is_direct = true,
  },
  {
    what = "an IPv6 address in brackets with a port",
    no_proxy = "[::1]:8080",
    url = "http://[::1]:8080",
    is_direct = true,
  },
  { what = "its IPv6 address with another port", no_proxy = "[::1]:81", url = "http://[::1]" },
  { what = "an IPv6 range", no_proxy = "fd00::/8", url = "http://[fd12::1]", is_direct = true },
  { what = "an IPv6 range that it is not in", no_proxy = "fd00::/8", url = "http://[fe80::1]" },
  {
    what = "a range, and it is an IPv4 address within IPv6",
    no_proxy = "10.0.0.0/8",
    url = "http://[::ffff:10.0.0.1]",
    is_direct = true,
  },
  { what = "an IPv6 range, and it is an IPv4 address", no_proxy = "::/0", url = "http://10.0.0.1" },
}

describe("proxy = environment", function()
  for _, row in ipairs(ROWS) do
    it(row.what, function()
      assert.equal(row.proxy, proxy_for(row.url, row.environment))
    end)
  end

  for _, row in ipairs(EXCEPTIONS) do
    for _, name in ipairs { "no_proxy", "NO_PROXY" } do
      local title = row.is_direct and "goes without a proxy where %s has %s: %s for %s"
        or "takes the proxy where %s has only %s: %s for %s"

      it(title:format(name, row.what, row.no_proxy, row.url), function()
        local expected = not row.is_direct and P or nil
        assert.equal(expected, proxy_for(row.url, { all_proxy = P, [name] = row.no_proxy }))
      end)
    end
  end

  it("reads the environment once, when the sender is made", function()
    local calls, api = 0, endpoint.defaults { baseUrl = "https://h" }
    os.getenv = function() -- luacheck: ignore 122
      calls = calls + 1
      return P
    end
    local send = request.new(api, {
      proxy = "environment",
      client = function()
        return 200, {}, ""
      end,
    })
    local before = calls
    send "GET /x"
    os.getenv = getenv -- luacheck: ignore 122
    assert.truthy(before > 0)
    assert.equal(before, calls)
  end)
end)

describe("proxy", function()
  it("is taken whatever the environment says", function()
    assert.equal(P, proxy_for("https://h", { https_proxy = Q, no_proxy = "*" }, P))
  end)

  it("may lack its scheme", function()
    assert.equal(P, proxy_for("https://h", {}, "p:3128"))
  end)

  it("is not used unless it is given", function()
    local told = "x"
    os.getenv = function() -- luacheck: ignore 122
      error "the environment was read"
    end
    local ok, problem = pcall(
      request.new(endpoint.defaults { baseUrl = "https://h" }, {
        client = function(_, settings)
          told = settings.proxy
          return 200, {}, ""
        end,
      }),
      "GET /x"
    )
    os.getenv = getenv -- luacheck: ignore 122
    assert.truthy(ok, problem)
    assert.is_nil(told)
  end)
end)

-- --- answers of a proxy -----------------------------------------------------------

-- The answers of the connections, what was sent on each, and what they connected to.
local answers, sent, places

local function connect()
  local number = #sent + 1
  local connection, rest = {}, answers[number] or ""
  sent[number] = ""
  function connection.connect(_, host, port)
    places[number] = host .. ":" .. port
    if rest == "refused" then
      return nil, "connection refused"
    end
    return true
  end
  function connection.secure()
    return true
  end
  function connection.send(_, piece)
    sent[number] = sent[number] .. piece
    return true
  end
  function connection.receive()
    local piece = rest
    rest = ""
    if piece ~= "" then
      return piece
    end
    return nil, "closed"
  end
  connection.close, connection.keep = type, type
  return connection
end

-- What a call by HTTP/1.1 raises, without its position.
local function problem_of(url, settings, route)
  local kept = package.loaded["endpoint.request.clients.luasocket"]
  package.loaded["endpoint.request.clients.luasocket"] = function(own)
    local client = http1.client(own, connect)
    client.sleep, client.now = function() end, os.time
    return client
  end
  local send = request.new(endpoint.defaults { baseUrl = url }, settings)
  package.loaded["endpoint.request.clients.luasocket"] = kept
  local ok, failure = pcall(send, route or "GET /x")
  assert.falsy(ok)
  return (tostring(failure):gsub("^%S*proxies_spec%.lua:%d+: ", "", 1))
end

describe("an answer of a proxy", function()
  before_each(function()
    answers, sent, places = {}, {}, {}
  end)

  local function with_status(status, body)
    body = body or ""
    local head = "HTTP/1.1 %d X\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n"
    return head:format(status, #body) .. body
  end

  for _, status in ipairs { 407, 403 } do
    it("to CONNECT is told as the proxy's, and is final: " .. status, function()
      answers = { with_status(status), with_status(200) }
      assert.equal("GET /x: the proxy answers " .. status, problem_of("https://h", { proxy = P }))
      assert.same({ "p:3128" }, places)
    end)
  end

  it("to CONNECT that may be another one later is asked for again", function()
    answers = { with_status(503), with_status(407) }
    assert.equal("GET /x: the proxy answers 407", problem_of("https://h", { proxy = P }))
  end)

  for _, url in ipairs { "http://h", "https://h" } do
    it("that refuses the connection is told as the proxy's, for " .. url, function()
      answers = { "refused" }
      local settings = { proxy = P, tries = 1 }
      assert.equal("GET /x: the proxy p:3128: connection refused", problem_of(url, settings))
      answers, settings.proxy = { "refused", "refused" }, "http://[::1]:3128"
      assert.equal("GET /x: the proxy [::1]:3128: connection refused", problem_of(url, settings))
    end)
  end

  it("to CONNECT with more bytes after its head is told so, and is final", function()
    answers = { "HTTP/1.1 200 OK\r\n\r\ntoo early", with_status(200) }
    assert.equal(
      "GET /x: the proxy sends more than its response to CONNECT",
      problem_of("https://h", { proxy = P })
    )
    assert.equal(1, #sent)
  end)

  it("of 407 to a plain request is told as the proxy's", function()
    answers = { with_status(407) }
    assert.equal("GET /x: the proxy answers 407", problem_of("http://h", { proxy = P }))
  end)

  it("of another status to a plain request may be either's", function()
    answers = { with_status(403) }
    assert.equal(
      "GET /x: the server or the proxy answers 403",
      problem_of("http://h", { proxy = P })
    )
  end)

  it("of the server in a tunnel is told as the server's", function()
    answers = { "HTTP/1.1 200 OK\r\n\r\n" }
    assert.truthy(
      problem_of("https://h", { proxy = P, tries = 1 }):find "^GET /x: the server closed"
    )
  end)

  for _, said in ipairs { "me:private-word", "private-word", "bWU6cHJpdmF0ZS13b3Jk" } do
    it("masks a credential of the proxy in its answer: " .. said, function()
      answers, sent = { with_status(407, ('{"message":"%s is wrong"}'):format(said)) }, {}
      assert.equal(
        "GET /x: the proxy answers 407: *** is wrong",
        problem_of("http://h", { proxy = "me:private-word@p" })
      )
      assert.truthy(sent[1]:find("bWU6cHJpdmF0ZS13b3Jk", 1, true))
    end)
  end

  it("is refused without a word of it where its URL cannot be read", function()
    os.getenv = function(name) -- luacheck: ignore 122
      return name == "http_proxy" and "http://me:pri/vate-word@p:80" or nil
    end
    local ok, said = pcall(problem_of, "http://h", { proxy = "environment" })
    os.getenv = getenv -- luacheck: ignore 122
    assert.is_false(ok)
    assert.equal(
      "endpoint.request: http_proxy: expected the URL of an HTTP proxy",
      tostring(said):match "endpoint%.request: .*"
    )
  end)

  it("is not waited for where the proxy is of another kind", function()
    os.getenv = function(name) -- luacheck: ignore 122
      return name == "all_proxy" and "socks5://p" or nil
    end
    local said = problem_of("http://h", { proxy = "environment" })
    os.getenv = getenv -- luacheck: ignore 122
    assert.equal("endpoint.request: all_proxy: expected the URL of an HTTP proxy", said)
    assert.same({}, places)
  end)
end)

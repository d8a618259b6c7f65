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

-- What holds, an environment, a URL, and its proxy.
local ROWS = {
  { "takes https_proxy for https", { https_proxy = P, http_proxy = Q }, "https://h", P },
  { "takes http_proxy for http", { https_proxy = Q, http_proxy = P }, "http://h", P },
  { "takes HTTPS_PROXY", { HTTPS_PROXY = P }, "https://h", P },
  { "takes no HTTP_PROXY, which a client may have written", { HTTP_PROXY = P }, "http://h" },
  { "takes all_proxy for https", { all_proxy = P }, "https://h", P },
  { "takes all_proxy for http", { all_proxy = P, HTTP_PROXY = Q }, "http://h", P },
  { "takes ALL_PROXY", { ALL_PROXY = P }, "http://h", P },
  { "prefers lower case", { https_proxy = P, HTTPS_PROXY = Q }, "https://h", P },
  { "prefers the scheme's", { HTTPS_PROXY = P, all_proxy = Q }, "https://h", P },
  {
    "takes an empty variable for none",
    { https_proxy = "", HTTPS_PROXY = " ", all_proxy = P },
    "https://h",
    P,
  },
  { "takes none", { no_proxy = "h" }, "https://h" },
  { "adds the scheme", { https_proxy = "p:3128" }, "https://h", P },
  {
    "adds the scheme before a password",
    { https_proxy = "me:pw@p:3128/" },
    "https://h",
    "http://me:pw@p:3128",
  },
  { "adds the port 80", { https_proxy = "p" }, "https://h", "http://p:80" },
  {
    "keeps the brackets of an address",
    { https_proxy = "http://[::1]:8080" },
    "https://h",
    "http://[::1]:8080",
  },
}

-- What holds, no_proxy, a URL, and whether it has the host.
local EXCEPTIONS = {
  { "a host", "h.example", "https://h.example", true },
  { "the hosts below a domain", "example", "https://a.h.example", true },
  { "a host by its own domain with a dot", ".h.example", "https://h.example", true },
  { "the hosts below a domain with a dot", ".example", "https://h.example", true },
  { "the hosts below a domain with a star", "*.example", "https://h.example", true },
  { "in any case, and with a dot at the end", "H.Example.", "https://h.eXample", true },
  { "no host that ends alike", "h.example", "https://xh.example" },
  { "no domain above", "a.h.example", "https://h.example" },
  {
    "one of several, parted by commas and spaces",
    "a,  b h.example\t,c",
    "https://h.example",
    true,
  },
  { "no part of an entry", "a,h.example.org", "https://h.example" },
  { "all by a star", "*", "https://h.example", true },
  { "all by a star among others", "a, *", "https://h.example", true },
  { "nothing where it is empty", ", ,", "https://h.example" },
  { "nothing by a dot", ". *.", "https://h.example" },
  { "a port", "h.example:8443", "https://h.example:8443", true },
  { "no other port", "h.example:8443", "https://h.example" },
  { "the scheme's own port", "h.example:443", "https://h.example", true },
  { "an address", "127.0.0.1", "http://127.0.0.1:8080", true },
  { "an address with a port", "127.0.0.1:8080", "http://127.0.0.1:8080", true },
  { "no other address", "127.0.0.1", "http://127.0.0.11" },
  { "no end of an address", "0.0.1", "http://127.0.0.1" },
  { "a range", "10.0.0.0/8", "http://10.1.2.3", true },
  { "a range within a byte", "10.0.0.128/25", "http://10.0.0.200", true },
  { "no address beside a range", "10.0.0.128/25", "http://10.0.0.100" },
  { "all addresses of a range of 0 bits", "0.0.0.0/0", "http://10.0.0.1", true },
  { "no name by a range", "0.0.0.0/0", "http://h.example" },
  { "nothing by a range that is none", "10.0.0.0/33,10.0.0.0/x,10/8,/8", "http://10.0.0.0" },
  { "an IPv6 address", "::1", "http://[::1]:8080", true },
  { "an IPv6 address written otherwise", "0:0::0:1", "http://[::1]", true },
  { "an IPv6 address in brackets", "[::1]", "http://[::1]", true },
  { "an IPv6 address in brackets with a port", "[::1]:8080", "http://[::1]:8080", true },
  { "no IPv6 address with another port", "[::1]:81", "http://[::1]" },
  { "an IPv6 range", "fd00::/8", "http://[fd12::1]", true },
  { "no address beside an IPv6 range", "fd00::/8", "http://[fe80::1]" },
  { "IPv4 within IPv6", "10.0.0.0/8", "http://[::ffff:10.0.0.1]", true },
  { "no IPv4 address by an IPv6 range", "::/0", "http://10.0.0.1" },
}

describe("proxy = environment", function()
  for _, row in ipairs(ROWS) do
    it(row[1], function()
      assert.equal(row[4], proxy_for(row[3], row[2]))
    end)
  end

  for _, row in ipairs(EXCEPTIONS) do
    it("goes without a proxy: " .. row[1], function()
      for _, name in ipairs { "no_proxy", "NO_PROXY" } do
        local expected = not row[4] and P or nil
        assert.equal(expected, proxy_for(row[3], { all_proxy = P, [name] = row[2] }))
      end
    end)
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

  it("is none unless it is given", function()
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
      "GET /x: the proxy sends more than its answer to CONNECT",
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

  it("repeats no credential of the proxy", function()
    for _, said in ipairs { "me:private-word", "private-word", "bWU6cHJpdmF0ZS13b3Jk" } do
      answers, sent = { with_status(407, ('{"message":"%s is wrong"}'):format(said)) }, {}
      assert.equal(
        "GET /x: the proxy answers 407: *** is wrong",
        problem_of("http://h", { proxy = "me:private-word@p" })
      )
      assert.truthy(sent[1]:find("bWU6cHJpdmF0ZS13b3Jk", 1, true))
    end
  end)

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

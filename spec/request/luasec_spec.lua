-- What endpoint.request does with LuaSec: the names of certificates, the versions of TLS, the file
-- of authorities. request_wire_spec.lua asks real servers.
local endpoint = require "endpoint"
local reloaded = require "request.reloaded"
local scripted = require "request.scripted"

-- The methods of the socket that were called, how they were told to wait, and what LuaSec was told.
local calls, kinds_of_wait, context

-- A certificate with this name, of a kind as in subjectAltName. LuaSec's own comparison takes every
-- host but "odd".
local function certificate_for(name, kind)
  local certificate = {}
  function certificate.checkhost(_, host)
    return host ~= "odd"
  end
  function certificate.extensions()
    return { ["2.5.29.17"] = { [kind] = { name } } }
  end
  return certificate
end

-- A socket that shows this certificate, of a host whose second address alone answers.
local function socket_with(certificate)
  local sock = {}
  function sock.getpeercertificate()
    return certificate
  end
  function sock.settimeout(_, _, kind)
    kinds_of_wait[kind or "b"] = true
  end
  function sock.getfd()
    return 3
  end
  function sock.connect(_, address)
    return address == "::2" or nil, "refused"
  end
  return setmetatable(sock, {
    __index = function(_, name)
      return function()
        calls[#calls + 1] = name
        return 1
      end
    end,
  })
end

-- LuaSocket and LuaSec with this socket. Of the files of authorities the second alone is there.
local function modules_with(sock)
  local function get_sock()
    return sock
  end
  local socket = {
    tcp = get_sock,
    select = error,
    gettime = os.time,
    sleep = function() end,
    dns = {
      getaddrinfo = function()
        return { { addr = "::1" }, { addr = "::2" } }
      end,
    },
  }
  local ssl = { wrap = get_sock }
  function ssl.newcontext(given)
    context = given
    return given.cafile ~= "/etc/ssl/certs/ca-certificates.crt" or nil
  end
  return { socket = socket, ssl = ssl }
end

-- Asks a host that shows such a certificate. Returns how often TLS began, and whether anything was
-- sent.
local function ask(host, certificate)
  calls, kinds_of_wait, context = {}, {}, nil
  reloaded.while_modules_are(modules_with(socket_with(certificate)), function()
    scripted.outcome(require "endpoint.request".new(endpoint), "GET https://" .. host)
  end)
  local handshakes, is_sent = 0, false
  for _, name in ipairs(calls) do
    handshakes = handshakes + (name == "dohandshake" and 1 or 0)
    is_sent = is_sent or name == "send"
  end
  return handshakes, is_sent
end

-- For each certificate: the hosts that it is valid for, and those that are refused.
local CERTIFICATES = {
  {
    name = "API.example",
    valid = { "api.example", "Api.Example." },
    refused = { "example", "x.api.example" },
  },
  { name = "odd", refused = { "odd" } },
  {
    name = "*.b.c",
    valid = { "a.b.c" },
    refused = { "b.c", ".b.c", ".a.b.c", "x.a.b.c" },
  },
  { name = "a*.b.c", refused = { "a.b.c", "ax.b.c", "x.b.c" } },
  { name = "*.b.c*", refused = { "x.b.c" } },
  { name = "*.c", refused = { "a.c" } },
  { name = "*..c", refused = { "a..c" } },
  { name = "*", refused = { "a" } },
  { name = "a1.2.3", valid = { "a1.2.3" } },
  { name = "192.0.2.7", refused = { "192.0.2.7" } },
  { name = "192.0.2.7", kind = "iPAddress", valid = { "192.0.2.7" }, refused = { "192.0.2.8" } },
  { name = "::1", kind = "iPAddress", valid = { "[0:0::1]" } },
  { name = "::2", kind = "iPAddress", refused = { "[::2]" } },
}

describe("over TLS by LuaSec, a certificate", function()
  for _, row in ipairs(CERTIFICATES) do
    local kind = row.kind or "dNSName"
    local certificate = certificate_for(row.name, kind)
    local title = ("with the %s %s "):format(kind, row.name)

    for _, host in ipairs(row.valid or {}) do
      it(title .. "is valid for " .. host, function()
        local _, is_sent = ask(host, certificate)
        assert.is_true(is_sent, table.concat(calls, " "))
      end)
    end

    for _, host in ipairs(row.refused or {}) do
      it(title .. "is refused for " .. host .. ", which is not asked again", function()
        local handshakes, is_sent = ask(host, certificate)
        local seen = table.concat(calls, " ")
        assert.is_false(is_sent, seen)
        assert.equal(1, handshakes, seen)
        assert.equal("close", calls[#calls], seen)
      end)
    end
  end
end)

describe("over TLS by LuaSec, endpoint.request", function()
  before_each(function()
    ask("api.example", certificate_for("api.example", "dNSName"))
  end)

  it("verifies the server from TLS 1.2 on, by the first file of authorities there is", function()
    assert.same({
      mode = "client",
      protocol = "any",
      verify = "peer",
      cafile = "/etc/pki/tls/certs/ca-bundle.crt",
      options = { "all", "no_sslv2", "no_sslv3", "no_tlsv1", "no_tlsv1_1" },
    }, context)
  end)

  it("waits by select, never within a method of the socket", function()
    assert.same({ b = true }, kinds_of_wait)
  end)
end)

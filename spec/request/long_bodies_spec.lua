-- Who reads a long body: LuaSocket, or under LuaJIT its descriptor is read itself.
-- request_wire_spec.lua asks real servers.
local endpoint = require "endpoint"
local reloaded = require "request.reloaded"

local has_socket, socket = pcall(require, "socket")
local jit = rawget(_G, "jit")
local reads_descriptors = jit and jit.os ~= "Windows"

-- The bytes that a client asks LuaSocket for, the head among them.
local ASKED = 65536

-- Two sockets that are connected.
local function new_pair()
  local listener = assert(socket.bind("127.0.0.1", 0))
  local address, port = listener:getsockname()
  local client = assert(socket.connect(address, port))
  local server = assert(listener:accept())
  listener:close()
  return client, server
end

-- A socket of LuaSocket that has read `first` already; `rest` is in its descriptor. more: other
-- methods. It has `count`, the bytes that were read by it.
local function new_socket(first, rest, more)
  local client, server = new_pair()
  assert(server:send(rest))
  client:settimeout(0)
  local sock = more or {}
  sock.count = 0
  function sock.receive(_, most, piece)
    piece = piece or ""
    local part, problem = first:sub(1, most - #piece), nil
    first = first:sub(#part + 1)
    sock.count = sock.count + #part
    piece = piece .. part
    if #piece < most then
      local size = #piece
      piece, problem, part = client:receive(most, piece)
      sock.count = sock.count + #(piece or part) - size
    end
    return piece, problem, part
  end
  function sock.dirty()
    return first ~= ""
  end
  function sock.getfd()
    return client:getfd()
  end
  function sock.send(_, text)
    return #text
  end
  function sock.close()
    client:close()
    server:close()
  end
  return setmetatable(sock, {
    __index = function(_, name)
      return name ~= "want" and function()
        return 1
      end or nil
    end,
  })
end

-- The body that such a socket's response has for a sink, which calls each(clock) for each piece;
-- and the message of the call if it fails.
local function body_of(sock, each)
  local clock, pieces = { now = 0 }, {}
  local fake = { dns = {} }
  function fake.tcp()
    return sock
  end
  function fake.gettime()
    return clock.now
  end
  function fake.dns.getaddrinfo()
    return { { addr = "127.0.0.1" } }
  end
  local function sink(piece)
    pieces[#pieces + 1] = piece
    if each then
      each(clock)
    end
    return true
  end
  local ok, problem
  reloaded.while_modules_are({ socket = fake }, function()
    local settings = { tries = 1, timeout = 50, client = "luasocket" }
    local send =
      require "endpoint.request".new(endpoint.defaults { baseUrl = "http://h" }, settings)
    ok, problem = pcall(send, "GET /x", { request = { sink = sink } })
  end)
  return table.concat(pieces), not ok and tostring(problem) or nil
end

-- A response, whose head and the beginning of whose body LuaSocket has read: what it was asked for,
-- and so many bytes more. Returns that, the other bytes, and the whole body.
local function response(more, others)
  local head = "HTTP/1.1 200 OK\r\ncontent-length: %d\r\nconnection: close\r\n\r\n"
  local size = ASKED - #head:format(ASKED)
  local first = ("a"):rep(size) .. ("b"):rep(more)
  local rest = ("c"):rep(others)
  return head:format(size + more + others) .. first, rest, first .. rest
end

describe("a long body", function()
  if not has_socket then
    pending "LuaSocket is not here"
    return
  end

  it("is read from the descriptor on LuaJIT, after what LuaSocket was asked for", function()
    local first, rest, body = response(0, 20000)
    local sock = new_socket(first, rest)
    assert.is_true(body_of(sock) == body)
    assert.equal(reads_descriptors and ASKED or ASKED + 20000, sock.count)
  end)

  it("is read by LuaSocket alone if TLS is over it", function()
    local first, rest, body = response(0, 20000)
    local sock = new_socket(first, rest, {
      want = function()
        return "read"
      end,
    })
    assert.is_true(body_of(sock) == body)
    assert.equal(ASKED + 20000, sock.count)
  end)

  it("has in its place what LuaSocket read before", function()
    local first, rest, body = response(100, 20000)
    assert.is_true(body_of(new_socket(first, rest)) == body)
  end)

  it("ends with the time of the call, whatever is there", function()
    local first, rest = response(0, 20000)
    local _, said = body_of(new_socket(first, rest), function(clock)
      clock.now = clock.now + 100
    end)
    assert.truthy(said:find("timeout: no complete response within 50 s", 1, true), said)
  end)
end)

-- Uploads of files, which endpoint.request may send again.
local clients = require "endpoint.clients"
local endpoint = require "endpoint"
local request = require "endpoint.request"
local support = require "support"

describe("an upload of clients.file", function()
  local path, bodies, statuses
  before_each(function()
    path, bodies = os.tmpname(), {}
    support.write(path, ("0123456789"):rep(10000))
  end)
  after_each(function()
    os.remove(path)
  end)

  -- Reads a body as a client does, and answers with the next status. One of 0 takes a piece alone,
  -- and loses the connection.
  local function client(r)
    local source, pieces = clients.luasocket(r).source, {}
    local status = table.remove(statuses, 1)
    repeat
      pieces[#pieces + 1] = source()
    until status == 0 or #pieces == 0 or #table.concat(pieces) >= 100000
    bodies[#bodies + 1] = #table.concat(pieces)
    if status == 0 then
      return nil, "closed"
    end
    return status, {}, ""
  end

  local function send(method, data)
    local sender = request.new(endpoint, { client = client, sleep = function() end })
    return select(2, sender.ask(method .. " /x", { data = data })).status
  end

  it("is sent again from its start, where the method may arrive twice", function()
    statuses = { 0, 503, 200 }
    assert.equal(200, send("PUT", clients.file(path)))
    assert.same({ 65536, 100000, 100000 }, bodies)
  end)

  it("is sent again as a part of a form", function()
    statuses = { 503, 200 }
    assert.equal(
      200,
      send("PUT", (clients.multipart { { name = "f", data = clients.file(path) } }))
    )
    assert.equal(bodies[1], bodies[2])
  end)

  it("is sent once where the method must not arrive twice after a lost connection", function()
    statuses = { 0, 200 }
    assert.is_false(pcall(send, "POST", clients.file(path)))
    assert.same({ 65536 }, bodies)
  end)

  it("alone is sent again: any other stream is not", function()
    statuses = { 503, 200 }
    local source = clients.file(path)
    assert.equal(
      503,
      send("PUT", function()
        return source()
      end)
    )
    assert.equal(1, #bodies)
  end)
end)

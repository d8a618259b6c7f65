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

  -- Where the connection is lost, most of them were not opened.
  it("is sent again as one of many parts", function()
    local parts = {}
    for number = 1, 40 do
      parts[number] = { name = "f" .. number, data = clients.file(path) }
    end
    statuses = { 0, 200 }
    assert.equal(200, send("PUT", (clients.multipart(parts))))
    assert.equal(2, #bodies)
  end)

  it("is sent once where the method must not arrive twice after a lost connection", function()
    statuses = { 0, 200 }
    assert.is_false(pcall(send, "POST", clients.file(path)))
    assert.same({ 65536 }, bodies)
  end)

  -- What a PUT of the file raises; the file changes before its first byte is read.
  local function problem_after(change)
    local data = clients.file(path)
    statuses = { 0, 0, 0 }
    change()
    local sender = request.new(endpoint, {
      client = function(r)
        table.remove(statuses)
        local own = clients.luasocket(r)
        local piece, problem
        repeat
          piece, problem = own.source()
        until not piece
        return nil, problem or "closed"
      end,
      sleep = function() end,
    })
    local _, failure = pcall(sender, "PUT /x", { data = data })
    return failure.message
  end

  it("is sent once if the file has become shorter, and says so", function()
    local said = problem_after(function()
      support.write(path, "01234")
    end)
    assert.equal("PUT /x: " .. path .. ": the file ends after 5 of 100000 bytes", said)
    assert.equal(2, #statuses)
  end)

  it("is sent once if the file is gone, and says so", function()
    local said = problem_after(function()
      os.remove(path)
    end)
    assert.equal("PUT /x: " .. path .. ": No such file or directory", said)
    assert.equal(2, #statuses)
    support.write(path, "")
  end)

  for _, device in ipairs { "/dev/zero", "/dev/full" } do
    it("is refused for a device, whose length is not known: " .. device, function()
      local opened = io.open(device, "rb")
      if not opened then
        pending("there is no " .. device .. " here")
        return
      end
      opened:close()
      local ok, raised = pcall(clients.file, device)
      assert.is_false(ok)
      assert.truthy(raised:find("file: its length is not known", 1, true), raised)
    end)
  end

  it("is the only kind of stream that is sent again", function()
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

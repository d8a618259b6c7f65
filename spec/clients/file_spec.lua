-- clients.file: a stream of a file, with its length, that can begin again.
local clients = require "endpoint.clients"
local endpoint = require "endpoint"
local stream = require "endpoint.clients.body.stream"
local support = require "support"

local LONG = ("0123456789"):rep(20000) .. "\0\r\n"

-- All that a source gives, the number of its pieces, and its message.
local function read(source)
  local pieces = {}
  local piece, problem = source()
  while piece do
    pieces[#pieces + 1] = piece
    piece, problem = source()
  end
  return table.concat(pieces), #pieces, problem
end

describe("clients.file", function()
  local path
  before_each(function()
    path = os.tmpname()
    support.write(path, LONG)
  end)
  after_each(function()
    os.remove(path)
  end)

  it("gives a file's bytes in pieces, and their number", function()
    local source, length = clients.file(path)
    local text, count, problem = read(source)
    assert.equal(LONG, text)
    assert.same({ #LONG, 4 }, { length, count })
    assert.is_nil(problem)
  end)

  it("gives nil at once for an empty file", function()
    support.write(path, "")
    local source, length = clients.file(path)
    assert.same({ "", 0, 0 }, { (read(source)), select(2, read(source)), length })
  end)

  it("begins again where it is brought to its start, and after its end", function()
    local source = clients.file(path)
    assert.is_true(stream.is_repeatable(source))
    source()
    stream.rewind(source)
    stream.rewind(source)
    for _ = 1, 2 do
      assert.equal(LONG, (read(source)))
    end
  end)

  it("gives as many bytes as the file had, even if it grows", function()
    local source = clients.file(path)
    support.write(path, LONG .. "more")
    assert.equal(LONG, (read(source)))
  end)

  it("fails to give a whole body if the file has become shorter or is gone", function()
    local r = endpoint("PUT https://h.example/x", { data = clients.file(path) })
    support.write(path, "short")
    local _, _, problem = read(clients.luasocket(r).source)
    assert.truthy(problem:find("the file ends after 5 of 200003 bytes", 1, true), problem)
    os.remove(path)
    _, _, problem = read(clients.luasocket(r).source)
    assert.truthy(problem:find(path, 1, true), problem)
  end)

  it("tells each client the length, which the header need not say", function()
    local r = endpoint("PUT https://h.example/x", { data = clients.file(path) })
    assert.equal("200003", clients.luasocket(r).headers["content-length"])
    assert.equal("200003", select(2, clients.resty_http(r)).headers["content-length"])
    assert.equal(200003, clients.curl(r).infilesize)
    assert.is_nil(r.headers["content-length"])
    assert.is_nil(r.headers["content-type"])
  end)

  it("is a part of a form, whose length is known and which can begin again", function()
    local function body_of(data)
      return clients.multipart {
        { name = "a", data = "b" },
        { name = "f", filename = "f", data = data },
      }
    end
    local source, _, length = body_of(clients.file(path))
    local whole, _, expected = body_of(LONG)
    assert.equal(expected, length)
    for _ = 1, 2 do
      source()
      stream.rewind(source)
      assert.equal(whole, (read(source)))
      stream.rewind(source)
    end
    local once = clients.multipart {
      { name = "a", data = clients.file(path) },
      { name = "b", data = function() end },
    }
    assert.is_false(stream.is_repeatable(once))
  end)

  local IS_WINDOWS = package.config:sub(1, 1) == "\\" -- which opens no directory

  for _, row in ipairs {
    { what = "a path that does not exist", path = "/nowhere/at/all", words = "/nowhere/at/all" },
    { what = "a directory", path = "spec", words = IS_WINDOWS and "denied" or "directory" },
    { what = "a number", path = 5, words = "file: expected a string, got a number" },
  } do
    it("raises for what is not a file with a length: " .. row.what, function()
      support.client_raises(row.words, clients.file, row.path)
    end)
  end
end)

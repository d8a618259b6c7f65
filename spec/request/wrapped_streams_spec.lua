-- clients.file and clients.multipart in functions of the program's own, such as a progress bar:
-- each request begins at the start, whatever is around the stream and whatever happened before.
local clients = require "endpoint.clients"
local endpoint = require "endpoint"
local request = require "endpoint.request"
local support = require "support"

local WRAPPERS = {
  ["nothing"] = function(source)
    return source
  end,
  ["a function"] = function(source)
    local size = 0
    return function()
      local piece, problem = source()
      size = size + #(piece or "")
      return piece, problem
    end
  end,
  ["two functions"] = function(source)
    local function inner()
      return source()
    end
    return function()
      local piece, problem = inner()
      return piece, problem
    end
  end,
}

-- Two pieces of a file, and a little more.
local CONTENT = ("0123456789abcdef"):rep(2 * 4096) .. "end"

-- By its name: the function `data` of a file, and what it gives.
local STREAMS = {
  file = function(path)
    return (clients.file(path)), CONTENT
  end,
  multipart = function(path)
    local data = clients.file(path)
    local body = clients.multipart(
      { { name = "a", data = data, filename = "f" } },
      { boundary = "xyz" }
    )
    return body,
      '--xyz\r\nContent-Disposition: form-data; name="a"; filename="f"\r\n'
        .. "Content-Type: application/octet-stream\r\n\r\n"
        .. CONTENT
        .. "\r\n--xyz--\r\n"
  end,
}

-- What a client reads of a body; between: called after the first piece, or nil.
local function read(body, between)
  local pieces = {}
  for piece in body do
    pieces[#pieces + 1] = piece
    if between then
      between()
      between = nil
    end
  end
  return table.concat(pieces)
end

describe("a stream", function()
  local path
  setup(function()
    path = os.tmpname()
    support.write(path, CONTENT)
  end)
  teardown(function()
    os.remove(path)
  end)

  for name, stream in pairs(STREAMS) do
    for title, wrapped in pairs(WRAPPERS) do
      local of = ("clients.%s in %s"):format(name, title)

      it("is whole for two calls at once: " .. of, function()
        local data, expected = stream(path)
        local options, got, send = { data = wrapped(data) }, {}, nil
        local function client(r)
          local is_first = r.url:find "first$"
          got[r.url:match "[^/]*$"] = read(r.body, is_first and function()
            send("POST /second", options)
          end)
          return 204, {}, ""
        end
        send = request.new(endpoint, { client = client })
        send("POST /first", options)
        assert.equal(#expected, #got.first)
        assert.equal(#expected, #got.second)
        assert.is_true(expected == got.first and expected == got.second)
      end)

      it("begins at its start after a call that broke off: " .. of, function()
        local data, expected = stream(path)
        local options, got = { data = wrapped(data) }, nil
        local function client(r)
          if r.url:find "first$" then
            r.body()
            return nil, "broken", true
          end
          got = read(r.body)
          return 204, {}, ""
        end
        local send = request.new(endpoint, { client = client })
        assert.is_false((pcall(send, "POST /first", options)))
        send("POST /second", options)
        assert.is_true(expected == got)
      end)

      it("is whole each time that the program reads it: " .. of, function()
        local data, expected = stream(path)
        local source = wrapped(data)
        assert.is_true(expected == read(source))
        clients.plain { method = "post", url = "http://h/", headers = {}, body = "" }
        assert.is_true(expected == read(source))
      end)
    end
  end

  it("of a file is sent again from its start after an answer that refuses for now", function()
    local data, expected = STREAMS.multipart(path)
    local got = {}
    local function client(r)
      got[#got + 1] = read(r.body)
      return #got < 2 and 503 or 204, { ["retry-after"] = "0" }, ""
    end
    request.new(endpoint, { client = client, sleep = function() end })("PUT /x", { data = data })
    assert.is_true(#got == 2 and got[1] == expected and got[2] == expected)
  end)
end)

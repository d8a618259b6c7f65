-- Streams: bodies from a function, piece by piece, and those that clients.multipart makes of
-- several. Each client gets them in its own way, and a body that breaks off never looks complete.
-- clients_wire_spec sends them.
local clients = require "endpoint.clients"
local requests = require "clients.requests"
local streams = require "endpoint.clients.body.stream"
local support = require "support"

local raises, source_of = support.client_raises, requests.source_of
local handle, postfields = requests.handle, { setopt_postfields = print }

local function request(source, length, expect)
  return support.bare(
    "POST /x",
    { data = source, headers = { ["content-length"] = length, expect = expect } }
  )
end

-- All that a source gives, its pieces parted by "|" if so asked, what it returns or raises in the
-- end, and whether it raised that.
local function read(source, separator)
  local pieces, problem = {}, nil
  local ended, raised = pcall(function()
    repeat
      local piece
      piece, problem = source()
      pieces[#pieces + 1] = piece
    until piece == nil
  end)
  return table.concat(pieces, separator), not ended and raised or problem, not ended
end

-- For each client that sends streams: the length that it promises, and what it reads.
local MADE = {
  resty_http = function(r)
    local _, params = clients.resty_http(r)
    return params.headers["content-length"], params.body, params.headers["transfer-encoding"]
  end,
  luasocket = function(r)
    local made = clients.luasocket(r)
    return made.headers["content-length"], made.source, made.headers["transfer-encoding"]
  end,
  curl = function(r)
    local settings = clients.curl(r)
    return settings.infilesize, settings.readfunction
  end,
  ["curl with a handle of Lua-cURL 3"] = function(r)
    local options = clients.curl(r, { easy = handle(postfields) }).options
    return options[14], options[20012]
  end,
  ["curl with a handle of Debian's lua-curl"] = function(r)
    local options = clients.curl(r, { easy = handle() }).options
    return options[14],
      function()
        local size, part = options[20012](1000)
        assert.equal(size, #part)
        return part ~= "" and part or nil
      end
  end,
}

describe("a stream", function()
  it("is written in chunks of the bytes that it gives, NUL among them", function()
    local chunked = streams.chunked(source_of { "\0a", "b\0", ("\0"):rep(99) })
    assert.equal(
      "2\r\n\0a\r\n2\r\nb\0\r\n63\r\n" .. ("\0"):rep(99) .. "\r\n0\r\n\r\n",
      (read(chunked))
    )
  end)

  local PIECES, LONG = { "ab", "", "cde", "" }, ("x"):rep(300)

  for client, made in pairs(MADE) do
    for _, length in ipairs { 5, "5" } do
      local title = "goes to clients.%s with its length: %s"

      it(title:format(client, support.shown(length)), function()
        local promised, source, encoding = made(request(source_of(PIECES), length))
        assert.same({ "5" }, { ("%d"):format(promised), encoding })
        assert.equal("ab|cde", (read(source, "|")))
      end)
    end

    it("goes to clients." .. client .. " without a length", function()
      local promised, source, encoding = made(request(source_of { "ab", "", LONG, "" }))
      local is_chunked = client == "resty_http" -- the others chunk it themselves
      assert.same(
        { client:find "handle" and -1, is_chunked and "chunked" or nil },
        { promised or nil, encoding }
      )
      assert.equal(
        (is_chunked and "2\r\nab\r\n|12c\r\n%s\r\n|0\r\n\r\n" or "ab|%s"):format(LONG),
        (read(source, "|"))
      )
      assert.is_nil((source()))
    end)
  end

  for given, lines in pairs {
    [false] = { "content-type:", "expect:" },
    ["100-continue"] = { "expect: 100-continue", "content-type:" },
  } do
    local title =
      "is an upload for libcurl, without expect: 100-continue unless the caller gives it: "
    it(title .. (given or "not given"), function()
      local settings = clients.curl(request(source_of(PIECES), 5, given or nil))
      settings.readfunction = nil
      assert.same({
        url = "https://h/x",
        customrequest = "POST",
        path_as_is = true,
        upload = true,
        infilesize = 5,
        httpheader = lines,
      }, settings)
    end)
  end

  -- libcurl calls no reader for 0 bytes, so that the source is read beforehand.
  for _, pieces in ipairs { {}, { "", "" } } do
    it("of 0 bytes is an empty body for libcurl: " .. support.shown(pieces), function()
      local settings = clients.curl(request(source_of(pieces), 0))
      assert.same({ "" }, { settings.postfields, settings.readfunction, settings.upload })
      local easy = clients.curl(request(source_of(pieces), "0"), { easy = handle() })
      assert.same({ 1, 0, 0 }, { easy.options[46], easy.options[14], (easy.options[20012](10)) })
    end)
  end

  for title, options in pairs {
    ["settings"] = {},
    ["a handle of Debian's lua-curl"] = { easy = handle() },
    ["a handle of Lua-cURL 3"] = { easy = handle(postfields) },
  } do
    it("of 0 bytes must have no bytes, and must not fail, for " .. title, function()
      local made, problem = pcall(clients.curl, request(source_of { "lost" }, 0), options)
      assert.same({
        false,
        "endpoint.clients: body: the function gave more than the 0 bytes that content-length "
          .. "promises",
      }, { made, problem })
      assert.same(
        { false, "no disk" },
        { pcall(clients.curl, request(source_of({}, "no disk"), 0), options) }
      )
    end)
  end

  it("is cut to the sizes that a handle of Debian's lua-curl asks for", function()
    local easy = clients.curl(request(source_of(PIECES), 5), { easy = handle() })
    assert.same({ 1, 1, "POST" }, { easy.options[46], easy.options[80], easy.options[10036] })
    local reader, got = easy.options[20012], {}
    for _, row in ipairs {
      { room = 1, part = "a" },
      { room = 5, part = "b" },
      { room = 2, part = "cd" },
      { room = 2, part = "e" },
      { room = 2, part = "" },
      { room = 2, part = "" },
    } do
      local size, part = reader(row.room)
      got[#got + 1] = part
      assert.same({ #row.part, row.part }, { size, part }, "after: " .. table.concat(got, "|"))
    end
  end)

  it("is sent whole by LuaSocket's pump", function()
    local made = clients.luasocket(request(source_of { "ab", "cd" }))
    assert.same({ "abcdEND" }, { requests.pumped(made) })
  end)

  it("ends with the connection that breaks under LuaSocket's pump", function()
    local made = clients.luasocket(request(source_of { "x" }))
    assert.same({ "", "closed" }, { requests.pumped(made, 0) })
  end)
end)

-- Streams with a fault, and the words of the error; clients_wire_spec sends some, too. `failure` is
-- what the function returns at its end.
local FAULTS = {
  {
    what = "one that fails at once",
    pieces = {},
    failure = "disk on fire",
    words = "disk on fire",
  },
  {
    what = "one that fails later",
    pieces = { "ab", "cd" },
    failure = "disk on fire",
    words = "disk on fire",
  },
  {
    what = "one that fails within its length",
    pieces = { "ab", "cd" },
    failure = "disk on fire",
    length = 9,
    words = "disk on fire",
  },
  {
    what = "one that fails at its length",
    pieces = { "ab", "cd" },
    failure = "disk on fire",
    length = 4,
    words = "disk on fire",
  },
  {
    what = "one of fewer bytes than its length",
    pieces = { "ab", "cd" },
    length = 5,
    words = "gave 4 of the 5 bytes",
  },
  {
    what = "one that gives 0 bytes although it has a length",
    pieces = {},
    length = 5,
    words = "gave 0 of the 5 bytes",
  },
  {
    what = "one of more bytes than its length",
    pieces = { "ab", "cd" },
    length = 3,
    words = "gave more than the 3 bytes",
  },
  {
    what = "one with a piece after its length",
    pieces = { "ab", "c", "", "d" },
    length = 3,
    words = "gave more than the 3 bytes",
  },
  {
    what = "one that gives a number",
    pieces = { "ab", 5 },
    words = "from the function, got a number",
  },
  { what = "one that gives false", pieces = { "ab", false }, words = "got a boolean" },
}

describe("a faulty stream", function()
  for _, fault in ipairs(FAULTS) do
    local function r()
      return request(source_of(fault.pieces, fault.failure), fault.length)
    end

    -- Fewer bytes than the length are sent before the fault.
    local function check(text, problem)
      assert.truthy(problem:find(fault.words, 1, true), problem)
      assert.is_nil(text:find("0\r\n\r\n", 1, true) or text:find("END", 1, true), text)
      assert.is_true(not fault.length or #text < fault.length, text)
    end

    for client, made in pairs(MADE) do
      it(
        ("never ends as if it were complete, %s: clients.%s"):format(fault.what, client),
        function()
          local _, source = made(r())
          local text, problem, has_raised = read(source)
          check(text, problem)
          assert.equal(client:find "curl" ~= nil, has_raised) -- libcurl takes an error alone
          if not has_raised then
            assert.same({ "", problem, false }, { read(source) })
          end
        end
      )
    end

    it("stops LuaSocket's pump before the sink gets an end: " .. fault.what, function()
      check(requests.pumped(clients.luasocket(r())))
    end)
  end

  for _, length in ipairs {
    "x",
    "",
    "1.5",
    1.5,
    -1,
    "0x10",
    "1, 1",
    { "1", "1" },
    "1000000000000000",
    "9007199254740993",
    ("9"):rep(23),
  } do
    local shown = support.shown(length)

    it("raises for a content-length that is not a number of bytes: " .. shown, function()
      raises(
        { 'header "content-length"', "number of bytes" },
        clients.luasocket,
        request(print, length)
      )
    end)
  end

  it("takes a content-length of 15 digits", function()
    assert.equal(
      ("%.0f"):format(1e15 - 1),
      clients.luasocket(request(print, ("9"):rep(15))).headers["content-length"]
    )
  end)
end)

-- --- clients.multipart --------------------------------------------------------------

describe("clients.multipart with a function", function()
  -- A body with a part of each of these data, and of the same in sources with these lengths.
  local function both(texts, lengths)
    local plain, streamed = {}, {}
    for i, text in ipairs(texts) do
      plain[i] = { name = "f", filename = "g", data = text }
      streamed[i] = {
        name = "f",
        filename = "g",
        data = source_of { text:sub(1, 1), "", text:sub(2) },
        length = lengths[i],
      }
    end
    plain[#texts + 1], streamed[#texts + 1] = { name = "c", data = 1 }, { name = "c", data = 1 }
    return { clients.multipart(plain) }, { clients.multipart(streamed) }
  end

  for what, lengths in pairs {
    ["all have one"] = { 3, 0, 2 },
    ["the first has no length"] = { nil, 0, 2 },
    ["the last has no length"] = { 3, 0 },
  } do
    it("makes a stream of the parts in order, with a length if each has one: " .. what, function()
      local plain, streamed = both({ "xyz", "", "ab" }, lengths)
      assert.same({ plain[1], nil, false }, { read(streamed[1]) })
      assert.same(
        { plain[2], lengths[1] and lengths[3] and plain[3] },
        { streamed[2], streamed[3] }
      )
      assert.is_nil((streamed[1]()))
    end)
  end

  it("calls each source in its turn, and not again after its end", function()
    local stream =
      clients.multipart { { name = "f", data = source_of { "x" } }, { name = "f", data = error } }
    assert.equal("string", type(stream()))
    assert.equal("x", stream())
    assert.equal("string", type(stream()))
    assert.is_false(pcall(stream))
  end)

  for _, row in ipairs {
    {
      what = "fewer bytes than its length",
      pieces = { "ab", "c" },
      length = 4,
      problem = "endpoint.clients: body: the function gave 3 of the 4 bytes that part 2's length "
        .. "promises",
    },
    {
      what = "more bytes than its length",
      pieces = { "ab", "c" },
      length = 2,
      problem = "endpoint.clients: body: the function gave more than the 2 bytes that part 2's "
        .. "length promises",
    },
    {
      what = "a number",
      pieces = { 5 },
      length = 1,
      problem = "endpoint.clients: body: expected strings from the function, got a number",
    },
    {
      what = "a message at its end",
      pieces = { "x" },
      failure = "disk on fire",
      problem = "disk on fire",
    },
    {
      what = "the boundary",
      pieces = { "a", "yz", "b" },
      problem = "endpoint.clients: body: part 2 holds the boundary: expected another one as "
        .. "options.boundary",
    },
  } do
    it("fails for good if its source gives " .. row.what, function()
      local source = source_of(row.pieces, row.failure)
      local file = { name = "f", data = source, length = row.length }
      local stream = clients.multipart(
        { { name = "a", data = "b" }, file, { name = "c", data = "d" } },
        { boundary = "yz" }
      )
      local text, problem = read(stream)
      assert.equal(row.problem, problem)
      assert.falsy(text:find('name="c"', 1, true), text)
      assert.same({ "", problem, false }, { read(stream) })
    end)
  end

  local BOUNDARY = "endpoint-000000000000"

  -- Pieces of a text: the first has `offset` bytes, the others `size`.
  local function pieces_of(text, offset, size)
    local pieces = { text:sub(1, offset) }
    for at = offset + 1, #text, size do
      pieces[#pieces + 1] = text:sub(at, at + size - 1)
    end
    return pieces
  end

  it("fails before the last byte of a boundary in its source, however it is cut", function()
    for size = 1, 2 * #BOUNDARY do
      for offset = 0, size - 1 do
        local text = (size % 2 == 0 and "abc--" or "") .. BOUNDARY .. "def"
        local source = source_of(pieces_of(text, offset, size))
        local parts = { { name = "a", data = "" }, { name = "f", data = source } }
        local all, problem = read((clients.multipart(parts)))
        local how = ("in pieces of %d bytes after %d: %s"):format(size, offset, tostring(problem))
        support.holds(tostring(problem):find("body: part 2 holds the boundary", 1, true), how)
        support.holds(not all:find("abc--" .. BOUNDARY, 1, true), how .. ", after " .. all)
      end
    end
  end)

  it("takes a source that has all of the boundary but its last byte", function()
    local near = BOUNDARY:sub(1, -2):rep(2)
    local _, problem = read((clients.multipart { { name = "f", data = source_of { near, near } } }))
    assert.is_nil(problem)
  end)
end)

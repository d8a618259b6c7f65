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
    local easy, parts = clients.curl(request(source_of(PIECES), 5), { easy = handle() }), {}
    assert.same({ 1, 1, "POST" }, { easy.options[46], easy.options[80], easy.options[10036] })
    for i, room in ipairs { 1, 5, 2, 2, 2, 2 } do
      parts[i] = select(2, easy.options[20012](room))
    end
    assert.same({ "a", "b", "cd", "e", "", "" }, parts)
  end)
end)

-- name, pieces, message at the end, content-length, text of the error; clients_wire_spec sends
-- some, too
local FAULTS = {
  { "that fails at once", {}, "disk on fire", nil, "disk on fire" },
  { "that fails later", { "ab", "cd" }, "disk on fire", nil, "disk on fire" },
  { "that fails within a length", { "ab", "cd" }, "disk on fire", 9, "disk on fire" },
  { "that fails at its length", { "ab", "cd" }, "disk on fire", 4, "disk on fire" },
  {
    "of fewer bytes than its length",
    { "ab", "cd" },
    nil,
    5,
    "gave 4 of the 5 bytes",
  },
  {
    "of no bytes within a length",
    {},
    nil,
    5,
    "gave 0 of the 5 bytes",
  },
  {
    "of more bytes than its length",
    { "ab", "cd" },
    nil,
    3,
    "gave more than the 3 bytes",
  },
  {
    "of a piece behind its length",
    { "ab", "c", "", "d" },
    nil,
    3,
    "gave more than the 3 bytes",
  },
  {
    "of numbers",
    { "ab", 5 },
    nil,
    nil,
    "from the function, got a number",
  },
  {
    "of false",
    { "ab", false },
    nil,
    nil,
    "got a boolean",
  },
}

describe("a faulty stream", function()
  for _, fault in ipairs(FAULTS) do
    local function r()
      return request(source_of(fault[2], fault[3]), fault[4])
    end

    -- Fewer bytes than the length are sent before the fault.
    local function check(text, problem)
      assert.truthy(problem:find(fault[5], 1, true), problem)
      assert.is_nil(text:find("0\r\n\r\n", 1, true) or text:find("END", 1, true))
      assert.is_true(not fault[4] or #text < fault[4])
    end

    it("never ends as if it were complete: one " .. fault[1], function()
      for client, made in pairs(MADE) do
        local _, source = made(r())
        local text, problem, has_raised = read(source)
        check(text, problem)
        assert.equal(client:find "curl" ~= nil, has_raised) -- libcurl takes an error alone
        if not has_raised then
          assert.same({ "", problem, false }, { read(source) })
        end
      end
      -- LuaSocket's pump stops before the sink gets an end
      check(requests.pumped(clients.luasocket(r())))
    end)
  end

  it("does not change the pump of LuaSocket for a sound stream", function()
    assert.same(
      { "abcdEND" },
      { requests.pumped(clients.luasocket(request(source_of { "ab", "cd" }))) }
    )
    assert.same(
      { "", "closed" },
      { requests.pumped(clients.luasocket(request(source_of { "x" })), 0) }
    )
  end)

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

  it("calls no source before its turn, and none again after its end", function()
    local stream =
      clients.multipart { { name = "f", data = source_of { "x" } }, { name = "f", data = error } }
    assert.equal("string", type(stream()))
    assert.equal("x", stream())
    assert.equal("string", type(stream()))
    assert.is_false(pcall(stream))
  end)

  for _, row in ipairs {
    {
      { "ab", "c" },
      4,
      nil,
      "endpoint.clients: body: the function gave 3 of the 4 bytes that part 2's length promises",
    },
    {
      { "ab", "c" },
      2,
      nil,
      "endpoint.clients: body: the function gave more than the 2 bytes that part 2's length "
        .. "promises",
    },
    { { 5 }, 1, nil, "endpoint.clients: body: expected strings from the function, got a number" },
    { { "x" }, nil, "disk on fire", "disk on fire" },
    {
      { "a", "yz", "b" },
      nil,
      nil,
      "endpoint.clients: body: part 2 holds the boundary: expected another one as options.boundary",
    },
  } do
    it("fails for good as its source does: " .. row[4], function()
      local file = { name = "f", data = source_of(row[1], row[3]), length = row[2] }
      local stream = clients.multipart(
        { { name = "a", data = "b" }, file, { name = "c", data = "d" } },
        { boundary = "yz" }
      )
      local text, problem = read(stream)
      assert.equal(row[4], problem)
      assert.falsy(text:find('name="c"', 1, true))
      assert.same({ "", problem, false }, { read(stream) })
    end)
  end

  local BOUNDARY = "endpoint-000000000000"

  it("fails before the last byte of a boundary in its source, however it is cut", function()
    for size = 1, 2 * #BOUNDARY do
      for offset = 0, size - 1 do
        local before = size % 2 == 0 and "abc--" or ""
        local text = before .. BOUNDARY .. "def"
        local pieces = { text:sub(1, offset) }
        for at = offset + 1, #text, size do
          pieces[#pieces + 1] = text:sub(at, at + size - 1)
        end
        local parts = { { name = "a", data = "" }, { name = "f", data = source_of(pieces) } }
        local all, problem = read((clients.multipart(parts)))
        support.holds(
          tostring(problem):find("body: part 2 holds the boundary", 1, true),
          tostring(problem)
        )
        support.holds(not all:find("abc--" .. BOUNDARY, 1, true), all)
      end
    end
    local near = BOUNDARY:sub(1, -2):rep(2)
    assert.is_nil(
      (select(2, read((clients.multipart { { name = "f", data = source_of { near, near } } }))))
    )
  end)
end)

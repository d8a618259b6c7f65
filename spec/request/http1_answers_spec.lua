-- How HTTP/1.1 reads an answer: where its body ends, what is refused, and whether the connection
-- may be used again.
local scripted = require "request.scripted"

local lines, sender = scripted.lines, scripted.sender

local OK, CHUNKED = "HTTP/1.1 200 OK\n", "HTTP/1.1 200 OK\ntransfer-encoding: chunked\n\n"
local ANSWERS_TO_NOTHING = "content-length: 1\n\na"

local HEAD_TOO_LONG = "the head of the response is too long"
local BAD_LENGTH = "the response's content-length is invalid"
local NOT_HTTP = "the response is not HTTP"
local BAD_CHUNK = "a chunk of the response has an invalid size"
local LONG_CHUNK = "a chunk of the response is longer than its size"
local CUT_OFF = "the response is cut off"
local CLOSED = "the response is cut off: closed"
local NO_ANSWER = "the server closed the connection without a response"

-- The problem of an encoding that was not asked for.
local function encoded(name)
  return "the response has an encoding that was not asked for: " .. name
end

-- A Lua whose numbers have 32 bits.
local IS_SINGLE = 2 ^ 24 + 1 == 2 ^ 24

local MANY_FIELDS = ("x-header: 1\n"):rep(1700)
local WITH_TRAILERS = "transfer-encoding: chunked\n\n1\na\n0\n"

-- name: of the answer, in a title. text: its bytes, with LF for CRLF.
-- body: what the call returns, nil for nothing; or problem: what it raises, without "GET /x: ".
-- is_kept: may the connection be used again? tries: how often it is sent; once unless given.
local ANSWERS = {
  -- The body ends where the connection, the length or the last chunk does.
  { name = "without a length", text = OK .. "\nuntil the end", body = "until the end" },
  { name = "with a length", text = OK .. "content-length: 3\n\nabc", body = "abc", is_kept = true },
  {
    name = "shorter than its length",
    text = OK .. "content-length: 9\n\ncut off",
    problem = CLOSED,
    tries = 3,
  },
  {
    name = "longer than its length",
    text = OK .. "content-length: 3\n\nabcdef",
    body = "abc",
  },
  {
    name = "that closes the connection",
    text = OK .. "content-length: 1\nconnection: keep-alive, Close\n\na",
    body = "a",
  },
  {
    name = "of HTTP/1.0 with a length",
    text = "HTTP/1.0 200 OK\ncontent-length: 1\n\na",
    body = "a",
  },

  -- A length is decimal digits, once.
  {
    name = "whose length is a word",
    text = OK .. "content-length: many\n\nabc",
    problem = BAD_LENGTH,
  },
  {
    name = "whose length is negative",
    text = OK .. "content-length: -5\n\nabc",
    problem = BAD_LENGTH,
  },
  {
    name = "with a list of lengths",
    text = OK .. "content-length: 2, 3\n\nabc",
    problem = BAD_LENGTH,
  },
  {
    name = "whose length is hexadecimal",
    text = OK .. "content-length: 0x3\n\nabc",
    problem = BAD_LENGTH,
  },
  {
    name = "with two fields of its length",
    text = OK .. "content-length: 3\ncontent-length: 3\n\nabc",
    body = "abc",
    is_kept = true,
  },
  {
    name = "with a list of equal lengths",
    text = OK .. "content-length: 3 ,3,\t3\n\nabc",
    body = "abc",
    is_kept = true,
  },
  {
    name = "with two fields of other lengths",
    text = OK .. "content-length: 3\ncontent-length: 4\n\nabc",
    problem = BAD_LENGTH,
  },
  {
    name = "with a list of other lengths",
    text = OK .. "content-length: 3, 3, 2\n\nabc",
    problem = BAD_LENGTH,
  },
  {
    name = "with a list of lengths, and one that is empty",
    text = OK .. "content-length: 3, \n\nabc",
    problem = BAD_LENGTH,
  },
  {
    name = "whose length has 15 digits",
    text = OK .. "content-length:999999999999999\n\n",
    problem = CLOSED,
    tries = 3,
  },
  {
    name = "whose length has 16 digits",
    text = OK .. "content-length: 0000000000000001\n\n",
    problem = CUT_OFF,
  },

  -- Chunks.
  { name = "in a chunk", text = CHUNKED .. "3\nabc\n0\n\n", body = "abc", is_kept = true },
  {
    name = "in chunks whose sizes are hexadecimal",
    text = CHUNKED .. "a\n0123456789\n01B\n" .. ("x"):rep(27) .. "\n0\n\n",
    body = "0123456789" .. ("x"):rep(27),
    is_kept = true,
  },
  {
    name = "in a chunk that is longer than its size",
    text = CHUNKED .. "3\nabcdef\n0\n\n",
    problem = LONG_CHUNK,
  },
  { name = "that ends within a chunk", text = CHUNKED .. "9\nabc", problem = CLOSED, tries = 3 },
  {
    name = "in a chunk without a size",
    text = CHUNKED .. "xyz\nabc\n0\n\n",
    problem = BAD_CHUNK,
  },
  {
    name = "in a chunk whose size begins with zeros",
    text = CHUNKED .. "0000000000003\nabc\n0\n\n",
    body = "abc",
    is_kept = true,
  },
  {
    name = "in a chunk whose size has 12 digits",
    text = CHUNKED .. "100000000000\nabc",
    problem = IS_SINGLE and BAD_CHUNK or CLOSED,
    tries = IS_SINGLE and 1 or 3,
  },
  {
    name = "in a chunk whose size has 13 digits",
    text = CHUNKED .. "1000000000003\nabc\n0\n\n",
    problem = BAD_CHUNK,
  },
  {
    name = "in a chunk with an extension",
    text = CHUNKED .. "3 ;a=b\nabc\n0\n\n",
    body = "abc",
    is_kept = true,
  },
  {
    name = "in a chunk with a word after its size",
    text = CHUNKED .. "3 a\nabc\n0\n\n",
    problem = BAD_CHUNK,
  },
  {
    name = "in a chunk with CR in its extension",
    text = CHUNKED .. "3;\r3\n\nabc\n0\n\n",
    problem = NOT_HTTP,
  },
  {
    name = "in chunks that has a length, too",
    text = OK .. "content-length: 9\ntransfer-encoding: chunked\n\n3\nabc\n0\n\n",
    body = "abc",
  },
  {
    name = "of HTTP/1.0 in chunks",
    text = "HTTP/1.0 200 OK\ntransfer-encoding: chunked\n\n3\nabc\n0\n\n",
    body = "abc",
  },

  -- Encodings.
  {
    name = "whose transfer is in gzip",
    text = OK .. "transfer-encoding: gzip\n\nabc",
    problem = encoded "gzip",
  },
  {
    name = "whose transfer is in gzip and chunks",
    text = OK .. "transfer-encoding: gzip, Chunked\n\nabc",
    problem = encoded "gzip, chunked",
  },
  {
    name = "whose content has an unknown encoding",
    text = OK .. "content-encoding: X\n\nabc",
    problem = encoded "x",
  },
  {
    name = "whose content has an unknown encoding, and the status 404",
    text = "HTTP/1.1 404 No\ncontent-encoding: X\ncontent-type: application/json\n"
      .. 'content-length: 16\n\n{"message": "a"}',
    problem = "the server answers 404: a",
    is_kept = true,
  },
  {
    name = "whose content has an encoding that was not asked for, and the status 404",
    text = "HTTP/1.1 404 No\ncontent-encoding: br\ncontent-type: application/json\n"
      .. "content-length: 3\n\nabc",
    problem = "the server answers 404",
    is_kept = true,
  },
  {
    name = "whose content has an empty encoding",
    text = OK .. "content-encoding:\n\nabc",
    body = "abc",
  },
  {
    name = "whose content has the encoding None",
    text = OK .. "content-encoding: None\n\nabc",
    body = "abc",
  },
  {
    name = "whose content has the encoding UTF-8",
    text = OK .. "content-encoding: UTF-8\n\nabc",
    body = "abc",
  },
  {
    name = "whose content has the encoding iso-8859-1",
    text = OK .. "content-encoding: iso-8859-1\n\nabc",
    body = "abc",
  },
  {
    name = "whose content has the encoding Identity",
    text = OK .. "content-encoding: Identity\n\nabc",
    body = "abc",
  },
  {
    name = "whose content has the encodings identity and none, and an empty one",
    text = OK .. "content-encoding: identity\ncontent-encoding: \ncontent-encoding: none\n\nabc",
    body = "abc",
  },
  {
    name = "whose content has the encodings identity and X",
    text = OK .. "content-encoding: identity , X\n\nabc",
    problem = encoded "x",
  },

  -- Answers before the answer, and answers that have no body.
  {
    name = "after 100 and 103",
    text = "HTTP/1.1 100 Continue\n\nHTTP/1.1 103 Early Hints\nlink: <x>\n\n"
      .. OK
      .. ANSWERS_TO_NOTHING,
    body = "a",
    is_kept = true,
  },
  { name = "204", text = "HTTP/1.1 204 No Content\n\n", is_kept = true },
  { name = "204 with a body", text = "HTTP/1.1 204 No Content\n\nbody" },
  { name = "204 with a length", text = "HTTP/1.1 204 No Content\ncontent-length: 4\n\n" },
  {
    name = "304 with a length",
    text = "HTTP/1.1 304 Not Modified\ncontent-length: 4\n\n",
    is_kept = true,
  },

  -- The head has at most 65,536 bytes.
  {
    name = "with 10,000 fields",
    text = OK .. ("x-header: 1\n"):rep(10000) .. "content-length: 0\n\n",
    problem = HEAD_TOO_LONG,
  },
  {
    name = "whose field does not end",
    text = OK .. ("x"):rep(100000),
    problem = HEAD_TOO_LONG,
  },
  {
    name = "whose head is as long as it may be",
    text = OK .. "content-length: 1\nx: " .. ("x"):rep(65493) .. "\n\na",
    body = "a",
    is_kept = true,
  },
  {
    name = "whose head is one byte longer than it may be",
    text = OK .. "content-length: 1\nx: " .. ("x"):rep(65494) .. "\n\na",
    problem = HEAD_TOO_LONG,
  },
  {
    name = "whose head, 103 before it and trailers are too long together",
    text = "HTTP/1.1 103 Early Hints\n"
      .. MANY_FIELDS
      .. "\n"
      .. OK
      .. MANY_FIELDS
      .. WITH_TRAILERS
      .. MANY_FIELDS
      .. "\n",
    problem = HEAD_TOO_LONG,
  },
  {
    name = "after 100 for 3,000 times",
    text = ("HTTP/1.1 100 Continue\n\n"):rep(3000),
    problem = HEAD_TOO_LONG,
  },
  {
    name = "in a chunk whose size does not end",
    text = CHUNKED .. ("0"):rep(70000),
    problem = HEAD_TOO_LONG,
  },
  {
    name = "in a chunk whose end does not come",
    text = CHUNKED .. "3\nabc" .. ("x"):rep(70000),
    problem = HEAD_TOO_LONG,
  },

  -- What is not HTTP/1.1.
  { name = "with CR in a field", text = OK .. "x: a\rb: c\n\nabc", problem = NOT_HTTP },
  { name = "with NUL in a field", text = OK .. "x: a\0b\n\nabc", problem = NOT_HTTP },
  {
    name = "with a folded field",
    text = OK .. "x: a\n b: c\ncontent-length: 3\n\nabc",
    body = "abc",
    is_kept = true,
  },
  {
    name = "with a fold before its first field",
    text = OK .. " x: a\ncontent-length: 3\n\nabc",
    problem = NOT_HTTP,
  },
  {
    name = "with a space in a field's name",
    text = OK .. "x y: a\ncontent-length: 3\n\nabc",
    problem = NOT_HTTP,
  },
  { name = "with a field without a name", text = OK .. ": a\n\nabc", problem = NOT_HTTP },
  { name = "with a field without a colon", text = OK .. "x\n\nabc", problem = NOT_HTTP },
  {
    name = "without a reason",
    text = "HTTP/1.1 200\ncontent-length: 3\n\nabc",
    body = "abc",
    is_kept = true,
  },
  {
    name = "without a space after its status",
    text = "HTTP/1.1 200OK\ncontent-length: 3\n\nabc",
    problem = NOT_HTTP,
  },
  { name = "in words", text = "no HTTP at all\n\n", problem = NOT_HTTP },
  { name = "whose status is a word", text = "HTTP/1.1 abc\n\n", problem = NOT_HTTP },
  { name = "of HTTP/2", text = "HTTP/2 200\n\n", problem = NOT_HTTP },
  {
    name = "with the status 600",
    text = "HTTP/1.1 600 X\ncontent-length: 3\n\nabc",
    problem = "the server answers 600",
    is_kept = true,
    tries = 3,
  },
  { name = "with the status 0600", text = "HTTP/1.1 0600 X\n\n", problem = NOT_HTTP },
  { name = "with two spaces before its status", text = "HTTP/1.1  200 OK\n\n", problem = NOT_HTTP },
  { name = "without a byte", text = "", problem = NO_ANSWER, tries = 3 },
}

local function problem_of(row)
  return row.problem and "GET /x: " .. row.problem or row.body
end

describe("an answer", function()
  before_each(scripted.reset)

  for _, row in ipairs(ANSWERS) do
    local text = lines(row.text)
    local outcome = row.problem and "is refused: " .. row.problem
      or row.body and "is read"
      or "is read as nothing"
    local fate = row.is_kept and "its connection is kept" or "its connection is closed"

    it(("%s %s, and %s"):format(row.name, outcome, fate), function()
      local said = scripted.asked(text, sender {})
      assert.equal(problem_of(row), said)
      assert.equal(row.is_kept and "kept" or "closed", scripted.ends[1])
      assert.equal(row.tries or 1, #scripted.sent)
    end)

    if #text < 300 then
      it(("%s that comes a byte at a time %s"):format(row.name, outcome), function()
        local bytes = {}
        for at = 1, #text do
          bytes[at] = text:sub(at, at)
        end
        assert.equal(problem_of(row), (scripted.asked(bytes, sender { tries = 1 })))
      end)
    end
  end

  it("without a length over TLS is cut off unless TLS was closed", function()
    local secure = sender({ tries = 1 }, require "endpoint".defaults { baseUrl = "https://h" })
    assert.equal(
      "GET /x: the response is cut off: TLS was not closed",
      scripted.asked(lines(OK .. "\nabc"), secure)
    )
  end)

  it("without a length over TLS is whole if TLS was closed", function()
    local secure = sender({ tries = 1 }, require "endpoint".defaults { baseUrl = "https://h" })
    scripted.ended = "ended"
    assert.equal("abc", (scripted.asked(lines(OK .. "\nabc"), secure)))
  end)

  it("keeps its cookies apart", function()
    local fields = "Set-Cookie: a=1, x\nset-cookie:b=2\n"
    local _, answer = scripted.asked(scripted.response("", fields), sender {})
    assert.same({ "a=1, x", "b=2" }, answer.headers["set-cookie"])
  end)

  it("joins the values of any other field that it has twice", function()
    local _, answer = scripted.asked(scripted.response("", "x-a: 1 \nX-A:\t2\n"), sender {})
    assert.equal("1, 2", answer.headers["x-a"])
  end)

  it("in 100,000 pieces takes little memory", function()
    local least, most = math.huge, 0
    local function piece()
      collectgarbage()
      local count = collectgarbage "count" -- Lua 5.2 returns two numbers
      least = math.min(least, count) -- garbage from before goes little by little
      most = math.max(most, count - least)
      return ("1\r\na\r\n"):rep(5000)
    end
    local pieces = { lines(CHUNKED) }
    for _ = 1, 20 do
      pieces[#pieces + 1] = piece
    end
    pieces[#pieces + 1] = "0\r\n\r\n"
    assert.equal(100000, #scripted.asked(pieces, sender {}))
    -- In KB. A slot for each piece takes 1,600.
    assert.is_true(most < 1000, most)
  end)
end)

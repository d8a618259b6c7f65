-- Answers that a server should not send, and some that it may: one table for every client, over
-- HTTP and TLS. CR comes before each LF when they are sent, and {3|ab} means ababab.
--
--   name     what the answer is
--   text     its bytes
--   before   the bytes of an answer that comes before, to the same sender
--   body     what a call returns
--   problem  or what it raises, after "GET /raw: "
--   tries    how often it is sent where two tries are allowed; 1 unless given
--   curl     another outcome with libcurl: fields that differ. It has words of its own, so that its
--            problems are "refused"
--   is_plain over HTTP alone
local OK, CHUNKED = "HTTP/1.1 200 OK\n", "HTTP/1.1 200 OK\ntransfer-encoding: chunked\n\n"
local NOT_HTTP, TOO_LONG = "the response is not HTTP", "the head of the response is too long"
local BAD_LENGTH = "the response's content-length is invalid"
local CUT, BAD_SIZE =
  "the response is cut off: closed", "a chunk of the response has an invalid size"
local NOT_ASKED = "the response has an encoding that was not asked for: "
local SWITCHES = "the response switches to another protocol, which was not asked for"

-- libcurl does not tell a broken chunk, or a line that is too long for it, from a lost connection.
local AGAIN = { tries = 2 }

return {
  { name = "a body until the end", text = OK .. "\nall", body = "all", is_plain = true },
  { name = "chunks", text = CHUNKED .. "3\nabc\n0\n\n", body = "abc" },
  { name = "204 with a body", text = "HTTP/1.1 204 No Content\n\nbody", body = "nil" },
  {
    name = "1xx before the answer",
    text = "HTTP/1.1 100 Continue\n\nHTTP/1.1 103 Early Hints\nlink: <x>\n\n"
      .. OK
      .. "content-length: 1\n\na",
    body = "a",
  },
  {
    name = "101 that was not asked for",
    text = "HTTP/1.1 101 Switching Protocols\nupgrade: x\n\nsome other protocol",
    problem = SWITCHES,
  },
  {
    name = "101 before an answer",
    text = "HTTP/1.1 101 Switching Protocols\nupgrade: x\n\n" .. OK .. "content-length: 1\n\na",
    problem = SWITCHES,
  },
  {
    name = "transfer-encoding identity",
    text = OK .. "transfer-encoding: identity\n\nabc",
    problem = NOT_ASKED .. "identity",
  },
  {
    name = "transfer-encoding chunked, chunked",
    text = OK .. "transfer-encoding: chunked, chunked\n\n3\nabc\n0\n\n",
    problem = NOT_ASKED .. "chunked, chunked",
  },
  {
    name = "transfer-encoding chunked in two fields",
    text = OK .. "transfer-encoding: chunked\ntransfer-encoding: chunked\n\n3\nabc\n0\n\n",
    problem = NOT_ASKED .. "chunked, chunked",
  },
  {
    name = "transfer-encoding gzip",
    text = OK .. "transfer-encoding: gzip\n\nabc",
    problem = NOT_ASKED .. "gzip",
  },
  {
    name = "a content-encoding that was not asked for",
    text = OK .. "content-encoding: x\ncontent-length: 3\n\nabc",
    problem = NOT_ASKED .. "x",
  },
  {
    name = "two spaces before the status",
    text = "HTTP/1.1  200 OK\n\n",
    problem = NOT_HTTP,
  },
  {
    name = "a header without a value before transfer-encoding",
    text = OK .. "x-a:\ntransfer-encoding: chunked\n\n3\nabc\n0\n\n",
    body = "abc",
  },
  {
    name = "white space in a name",
    text = OK .. "x y: a\ncontent-length: 3\n\nabc",
    problem = NOT_HTTP,
  },
  {
    name = "a folded header",
    text = OK .. "x: a\n b: c\ncontent-length: 3\n\nabc",
    body = "abc",
  },
  {
    name = "two equal lengths",
    text = OK .. "content-length: 3\ncontent-length: 3\n\nabc",
    body = "abc",
  },
  { name = "a list of equal lengths", text = OK .. "content-length: 3, 3\n\nabc", body = "abc" },
  {
    name = "a content-encoding that is no coding",
    text = OK .. "content-encoding: none\ncontent-length: 3\n\nabc",
    body = "abc",
  },
  {
    name = "a content-encoding that is no coding, of an error",
    text = "HTTP/1.1 404 No\ncontent-encoding: x\ncontent-length: 3\n\nabc",
    problem = "the server answers 404",
  },
  {
    name = "a folded header after the status",
    text = OK .. " x: a\ncontent-length: 3\n\nabc",
    problem = NOT_HTTP,
  },
  {
    name = "a folded header after the status of a later answer",
    before = OK .. "{20|x-header: some text\n}content-length: 1\n\na",
    text = OK .. " x: a\ncontent-length: 3\n\nabc",
    problem = NOT_HTTP,
  },
  { name = "CR within a header", text = OK .. "x: a\rb: c\n\nabc", problem = NOT_HTTP },
  { name = "NUL within a header", text = OK .. "x: a\0b\n\nabc", problem = NOT_HTTP },
  {
    name = "less than its length",
    text = OK .. "content-length: 9\n\ncut off",
    problem = CUT,
    tries = 2,
  },
  {
    name = "a length that is not a number",
    text = OK .. "content-length: many\n\nabc",
    problem = BAD_LENGTH,
  },
  { name = "a negative length", text = OK .. "content-length: -5\n\nabc", problem = BAD_LENGTH },
  { name = "two lengths", text = OK .. "content-length: 2, 3\n\nabc", problem = BAD_LENGTH },
  {
    name = "a length in hexadecimal",
    text = OK .. "content-length: 0x3\n\nabc",
    problem = BAD_LENGTH,
  },
  {
    name = "a length of 20 digits",
    text = OK .. "content-length: 99999999999999999999\n\nabc",
    problem = "the response is cut off",
  },
  {
    name = "a head of many lines",
    text = OK .. "{10000|x-header: 1\n}content-length: 0\n\n",
    problem = TOO_LONG,
  },
  { name = "a head of one long line", text = OK .. "{100000|x}", problem = TOO_LONG, curl = AGAIN },
  {
    name = "a chunk that is longer than its size",
    text = CHUNKED .. "3\nabcdef\n0\n\n",
    problem = "a chunk of the response is longer than its size",
    curl = AGAIN,
  },
  { name = "less than a chunk's size", text = CHUNKED .. "9\nabc", problem = CUT, tries = 2 },
  { name = "an end at a chunk's border", text = CHUNKED .. "3\nabc\n", problem = CUT, tries = 2 },
  { name = "an end within the head", text = OK .. "x-a: 1\n", problem = CUT, tries = 2 },
  {
    name = "a chunk without a size",
    text = CHUNKED .. "xyz\nabc\n0\n\n",
    problem = BAD_SIZE,
    curl = AGAIN,
  },
  {
    name = "CR within a chunk's line",
    text = CHUNKED .. "3;\r3\n\nabc\n0\n\n",
    problem = NOT_HTTP,
    curl = AGAIN,
  },
  {
    name = "a trailer that is not a header",
    text = CHUNKED .. "3\nabc\n0\nno colon\n\n",
    problem = NOT_HTTP,
    curl = AGAIN,
  },
  {
    name = "letters after the status",
    text = "HTTP/1.1 200OK\ncontent-length: 1\n\na",
    problem = NOT_HTTP,
  },
  {
    name = "a status of 600",
    text = "HTTP/1.1 600 X\nconnection: close\ncontent-length: 3\n\nabc",
    problem = "the server answers 600",
    tries = 2,
  },
  {
    name = "HTTP/2 without TLS",
    text = "HTTP/2 200\ncontent-length: 1\n\na",
    problem = NOT_HTTP,
    is_plain = true,
  },
  { name = "another protocol", text = "no HTTP at all\n\n", problem = NOT_HTTP },
  { name = "a status of letters", text = "HTTP/1.1 abc\n\n", problem = NOT_HTTP },
  {
    name = "nothing",
    text = "",
    problem = "the server closed the connection without a response",
    tries = 2,
  },
}

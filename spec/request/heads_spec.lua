-- The head of a response is read in C, if it is plain, or in Lua. Lua is the judge: C reads no head
-- that Lua refuses, and reads the others as Lua does.
local Reader = require "endpoint.request.clients.http1.reader"
local plain_head = require("endpoint.result").head
local support = require "support"

-- A connection that gives this text, a piece after the other.
local function reader_of(...)
  local pieces = { ... }
  local connection = {
    receive = function()
      return table.remove(pieces, 1), "closed"
    end,
  }
  local limits = {
    begin = function() end,
    response_begins = function() end,
    seconds = function()
      return 1
    end,
  }
  local reader = Reader.new(connection)
  reader:begin(limits, true)
  return reader
end

-- What Lua reads of a text: status, headers, the digit of the version, and what comes after it; or
-- nil and why it refuses.
local function by_lua(text)
  local reader = reader_of(text)
  local ok, status, headers, minor = pcall(function()
    reader:fill()
    return reader:any_head()
  end)
  if not ok then
    return nil, status[2]
  end
  return { status, headers, minor, reader.at, reader.room }
end

local MOST = reader_of("").room

local function by_c(text)
  local status, headers, minor, at = plain_head(text, 1, MOST)
  return status and { status, headers, minor, at, MOST - (at - 1) }
end

local function equal(one, other)
  if type(one) ~= "table" or type(other) ~= "table" then
    return one == other
  end
  for key, value in pairs(one) do
    if not equal(value, other[key]) then
      return false
    end
  end
  for key in pairs(other) do
    if one[key] == nil then
      return false
    end
  end
  return true
end

-- What differs between C and Lua, of a text; nil if nothing does.
local function difference(text)
  local plain = by_c(text)
  if not plain then
    return nil
  end
  local judged, why = by_lua(text)
  if not equal(plain, judged) then
    return ("C reads %q, and Lua %s"):format(text, judged and "otherwise" or "says: " .. why)
  end
end

-- --- plain heads ------------------------------------------------------------------

local PLAIN = {
  "HTTP/1.1 200 OK\r\n\r\n",
  "HTTP/1.1 200\r\n\r\n",
  "HTTP/1.0 404 Not Found\r\nContent-Length: 3\r\n\r\nabc",
  "HTTP/1.1 200 \r\nServer:nginx\r\nDate: \t Sat, 28 Nov 2026 00:00:00 \t\r\nX:\r\nY: \r\n\r\n",
  "HTTP/1.1 103 Early Hints\r\nlink: </a>; rel=x\r\n\r\nHTTP/1.1 200 OK\r\n\r\n",
  "HTTP/1.1 599 \255\r\nx: \255\1\127\r\n\r\n",
  "HTTP/1.1 201 Created\r\nset-cookie: a=1\r\nSet-Cookie: b=2, c\r\nA: b\r\nSET-COOKIE:\r\n\r\n",
  "HTTP/1.1 200 OK\r\n!#$%&'*+-.^_`|~09az: 1\r\n\r\n",
  "HTTP/1.1 200 OK\r\n" .. ("x"):rep(64) .. ": 1\r\n\r\n",
}

-- Heads that are right, but not plain: Lua alone reads them.
local ODD = {
  ["with LF alone"] = "HTTP/1.1 200 OK\nA: b\n\n",
  ["with a name twice"] = "HTTP/1.1 200 OK\r\nA: b\r\na: c\r\n\r\n",
  ["with a name that is not a token"] = 'HTTP/1.1 200 OK\r\n"\233": b\r\n\r\n',
  ["with a long name"] = "HTTP/1.1 200 OK\r\n" .. ("x"):rep(65) .. ": 1\r\n\r\n",
  ["with a folded field"] = "HTTP/1.1 200 OK\r\nA: b\r\n c: d\r\n\r\n",
  ["with a tab after the status"] = "HTTP/1.1 200\tOK\r\n\r\n",
}

local REFUSED = {
  ["101"] = "HTTP/1.1 101 X\r\n\r\n",
  ["600, of two digits"] = "HTTP/1.1 60 X\r\n\r\n",
  ["a folded line before the first field"] = "HTTP/1.1 200 OK\r\n a: b\r\n\r\n",
  ["a status of four digits"] = "HTTP/1.1 2000 X\r\n\r\n",
  ["HTTP/2"] = "HTTP/2 200 OK\r\n\r\n",
  ["NUL"] = "HTTP/1.1 200 OK\r\na: \0\r\n\r\n",
  ["CR in a line"] = "HTTP/1.1 200 OK\r\na: b\rc\r\n\r\n",
  ["CR before the end of a line"] = "HTTP/1.1 200 OK\r\na: b\r\r\n\r\n",
  ["a line without a colon"] = "HTTP/1.1 200 OK\r\na\r\n\r\n",
  ["a line without a name"] = "HTTP/1.1 200 OK\r\n: a\r\n\r\n",
  ["a space before the colon"] = "HTTP/1.1 200 OK\r\na : b\r\n\r\n",
  ["too many bytes"] = "HTTP/1.1 200 OK\r\na: " .. ("x"):rep(MOST) .. "\r\n\r\n",
  ["no end"] = "HTTP/1.1 200 OK\r\na: b\r\n",
}

describe("a head that is plain", function()
  for number, text in ipairs(PLAIN) do
    it(("is read in C as in Lua: number %d"):format(number), function()
      assert.same(by_lua(text), by_c(text))
    end)

    it(("is read in C after other bytes: number %d"):format(number), function()
      local status, headers, minor, at = plain_head("abc" .. text, 4, MOST)
      local expected = by_lua(text)
      assert.same({ status, headers, minor, at - 3 }, { support.unpack(expected, 1, 4) })
    end)
  end

  it("is read in C if it has as many bytes as there is room for, and not one more", function()
    local text = PLAIN[3]
    local size = #text - #"abc"
    assert.equal(404, (plain_head(text, 1, size)))
    assert.is_nil((plain_head(text, 1, size - 1)))
  end)

  for _, first in ipairs { 0, -1, 100 } do
    it("gives nothing where the buffer has no byte: " .. first, function()
      assert.is_nil((plain_head("HTTP/1.1 200 OK\r\n\r\n", first, 65536)))
    end)
  end
end)

describe("a head that is not plain", function()
  it("has spaces in the place of folds (RFC 9112, section 5.2)", function()
    local text = "HTTP/1.1 200 OK\r\nA: b\r\n  c: d \r\n\t\r\n\te\r\nF:\r\n g\r\n\r\n"
    assert.same({ a = "b c: d e", f = "g" }, by_lua(text)[2])
  end)

  for _, status in ipairs { 600, 742, 999 } do
    it(("may have a status that HTTP has not: %d"):format(status), function()
      assert.equal(status, by_lua(("HTTP/1.1 %d X\r\n\r\n"):format(status))[1])
    end)
  end

  for name, text in pairs(ODD) do
    it("is read by Lua alone: " .. name, function()
      assert.is_nil(by_c(text))
      assert.equal(200, by_lua(text)[1])
      assert.equal(200, (reader_of(text):head()))
    end)
  end

  for name, text in pairs(REFUSED) do
    it("is refused by Lua: " .. name, function()
      assert.is_nil(by_c(text))
      assert.is_nil((by_lua(text)))
    end)
  end

  for number, text in ipairs(PLAIN) do
    it("is one that comes in two pieces, and is read as the whole is: number " .. number, function()
      local expected = { reader_of(text):head() }
      for cut = 1, #text - 1 do
        local got = { reader_of(text:sub(1, cut), text:sub(cut + 1)):head() }
        assert.same(expected, got, ("cut after byte %d"):format(cut))
      end
    end)
  end
end)

-- --- mutated heads ----------------------------------------------------------------

-- Bytes and texts that mean something in a head.
local WORDS = {
  "\r\n",
  "\n",
  "\r",
  "\0",
  ":",
  " ",
  "\t",
  ",",
  "HTTP/1.1 200 OK\r\n",
  "HTTP/1.1 100 C\r\n\r\n",
  "\r\n ",
  "101",
  "999",
  "Set-Cookie: x",
  "content-length: 5",
  "A",
  "\228",
  "\127",
  "\11",
  "\r\n\r\n",
}

-- A text with a few changes: bytes that are gone, twice, other ones, or more.
local function mutated(text, random)
  for _ = 1, random(3) do
    local at = random(#text + 1)
    local before, last = text:sub(1, at - 1), at + random(4) - 1
    local kind = random(4)
    if kind == 1 then
      text = before .. text:sub(last + 1)
    elseif kind == 2 then
      text = before .. text:sub(at, last) .. text:sub(at)
    elseif kind == 3 then
      text = before .. string.char(random(256) - 1) .. text:sub(at + 1)
    else
      text = before .. WORDS[random(#WORDS)] .. text:sub(at)
    end
  end
  return text
end

describe("100,000 mutated heads", function()
  it("are read in C as in Lua, or by Lua alone", function()
    local random, plain, refused = support.random(57), 0, 0
    for number = 1, 100000 do
      local text = mutated(PLAIN[number % #PLAIN + 1], random)
      assert.is_nil(difference(text))
      plain = plain + (by_c(text) and 1 or 0)
      refused = refused + (number % 10 == 0 and not by_lua(text) and 1 or 0)
    end
    -- Both kinds are among them.
    assert.truthy(plain > 10000 and refused > 1000, plain .. " plain, " .. refused .. " refused")
  end)
end)

-- What a string that a stranger wrote may show: the function, and the messages of endpoint.clients
-- and endpoint.request. Those of endpoint.checks, endpoint.types and endpoint-types are in
-- spec/types/.
package.path = "src/?.lua;" .. package.path
local clients = require "endpoint.clients"
local endpoint = require "endpoint"
local request = require "endpoint.request"
local text = require "endpoint.text"
local unseen = require "text.unseen"

local utf8_of = unseen.utf8_of

-- --- the function -----------------------------------------------------------------

local RANGES = {
  { length = 1, first = 0, last = 0x1F },
  { length = 1, first = 0x7F, last = 0x7F },
  { length = 2, first = 0x80, last = 0x9F },
  { length = 2, first = 0x61C, last = 0x61C },
  { length = 3, first = 0x180E, last = 0x180E },
  { length = 3, first = 0x200B, last = 0x200F },
  { length = 3, first = 0x2028, last = 0x202E },
  { length = 3, first = 0x2060, last = 0x206F },
  { length = 3, first = 0xD800, last = 0xDFFF },
  { length = 3, first = 0xFEFF, last = 0xFEFF },
  { length = 3, first = 0xFFF0, last = 0xFFFB },
  { length = 4, first = 0x1D173, last = 0x1D17A },
  { length = 4, first = 0xE0000, last = 0xE0FFF },
  { length = 4, first = 0x110000, last = 0x1FFFFF },
}

-- By the bytes of a character: the least and the greatest code point that is shown.
local LEAST, GREATEST = { 32, 160, 0x800, 0x10000 }, { 126, 0x7FF, 0xFFFF, 0x10FFFF }

describe("text.is_printable", function()
  for title, row in pairs {
    ["takes no bytes"] = { "", true },
    ["takes all of printable ASCII"] = { " !09AZaz~", true },
    ["takes no byte below a space"] = { "abcdefgh\31", false },
    ["takes no DEL"] = { "\127", false },
    ["takes no NUL"] = { "a\0b", false },
    ["takes no byte above ASCII"] = { "aé", false },
  } do
    it(title, function()
      assert.equal(row[2], text.is_printable(row[1]))
    end)
  end
end)

describe("text.shown", function()
  for _, range in ipairs(RANGES) do
    local name = ("U+%04X to U+%04X"):format(range.first, range.last)

    it("replaces " .. name, function()
      local both = utf8_of(range.first, range.length) .. utf8_of(range.last, range.length)
      assert.equal("??", text.shown(both))
    end)

    for _, code_point in ipairs { range.first - 1, range.last + 1 } do
      if code_point >= LEAST[range.length] and code_point <= GREATEST[range.length] then
        it(("shows U+%04X, which is next to %s"):format(code_point, name), function()
          local character = utf8_of(code_point, range.length)
          assert.equal(character, text.shown(character))
        end)
      end
    end
  end

  for length, first in ipairs(LEAST) do
    it("shows the first character of " .. length .. " bytes", function()
      assert.equal(utf8_of(first, length), text.shown(utf8_of(first, length)))
    end)

    local long = length < 4 and utf8_of(first, length + 1) or "\128\128"
    for how, wrong in pairs {
      ["a character of fewer bytes"] = utf8_of(first - 1, length),
      ["more bytes than it takes"] = long,
      ["more bytes than it takes, without the last"] = long:sub(1, -2),
    } do
      it(("replaces what UTF-8 writes in other bytes: %s, in %d"):format(how, length), function()
        assert.truthy(text.shown(wrong):find "^?+$")
      end)
    end
  end

  it("replaces each byte that is not UTF-8, and nothing beside it", function()
    assert.equal(
      "a?~\194\160?b???\194\160?",
      text.shown "a\255~\194\160\226\130b\128\128\192\128\194\160\128"
    )
  end)

  for _, row in ipairs {
    { what = "as it is up to the limit", given = "abcdef", shown = "abcdef", limit = 6 },
    { what = "with three dots above it", given = "abcdefg", shown = "abc...", limit = 6 },
    {
      what = "without a part of a character before the dots",
      given = "ab\195\164defg",
      shown = "ab...",
      limit = 6,
    },
    { what = "in quotes", given = "a\27c", shown = '"a?c"', limit = 6, how = "quoted" },
    {
      what = "in quotes above the limit",
      given = "abcdefg",
      shown = '"abc..."',
      limit = 6,
      how = "quoted",
    },
    {
      what = "with its bytes in hexadecimal",
      given = "a\27c",
      shown = "a\\x1bc",
      limit = 6,
      how = "escaped",
    },
    {
      what = "with its bytes in hexadecimal above the limit",
      given = "abc\27efg",
      shown = "abc...",
      limit = 6,
      how = "escaped",
    },
    {
      what = "whole if what is hidden makes it short",
      given = ("\226\128\174"):rep(6),
      shown = "??????",
      limit = 6,
    },
    { what = "whole without a limit", given = ("x"):rep(1000), shown = ("x"):rep(1000) },
  } do
    it("shows a string " .. row.what, function()
      assert.equal(row.shown, text.shown(row.given, row.limit, row.how))
    end)
  end

  it("looks at no more of a long string than it shows", function()
    local long, started = ("\226\128\174"):rep(1000000), os.clock()
    for _ = 1, 100 do
      text.shown(long, 40)
    end
    assert.is_true(os.clock() - started < 2)
  end)
end)

-- --- the messages --------------------------------------------------------------------

local api = endpoint.defaults { baseUrl = "https://h.example" }

-- Each says a stranger's string in its message.
local PARTS = {
  {
    name = "endpoint.clients, a field of a form",
    message = function(said)
      return unseen.message_of(clients.form, { [said] = print })
    end,
  },
  {
    name = "endpoint.clients, the name of an option",
    message = function(said)
      return unseen.message_of(clients.plain, api "GET /x", { [said] = true })
    end,
  },
  {
    name = "endpoint.request, what a client said",
    is_escaped = true,
    message = function(said)
      local send = request.new(api, {
        client = function()
          return nil, said, true
        end,
      })
      return unseen.message_of(send, "GET /x")
    end,
  },
  {
    name = "endpoint.request, the reason that a server gave",
    is_escaped = true,
    message = function(said)
      local send = request.new(api, {
        client = function()
          return 400, { ["content-type"] = "application/json" }, "{}"
        end,
        decode = function()
          return { message = said }
        end,
      })
      return unseen.message_of(send, "GET /x")
    end,
  },
  {
    name = "endpoint.request, the name of a setting",
    message = function(said)
      return unseen.message_of(request.new, api, { [said] = true })
    end,
  },
}

for _, part in ipairs(PARTS) do
  describe(part.name, function()
    for _, row in ipairs(unseen.rows(part)) do
      it(row.title, row.run)
    end
  end)
end

-- The caller's own encoder, and objects that it would write as lists: dkjson takes a number n for
-- the size of a list, so a stranger's { "n": 794568985 } would be so many nulls.
package.path = "src/?.lua;" .. package.path
local clients = require "endpoint.clients"
local dkjson = require "dkjson"
local endpoint = require "endpoint"

local function sent(body, encode)
  local r = endpoint("POST https://h.example/x", { data = body })
  return clients.plain(r, { encode = encode or dkjson.encode }).body
end

local function message_of(...)
  local ok, problem = pcall(sent, ...)
  assert.is_false(ok)
  return problem
end

local HUGE = 100000 -- more would take all memory where the check fails

describe("a body that dkjson would write as a list of nulls", function()
  for title, body in pairs {
    ["an object with nothing but n"] = { n = HUGE },
    ["n of 3"] = { n = 3 },
    ["n of 0"] = { n = 0 },
    ["n with a fraction"] = { n = 0.5 },
    ["an object with nothing but n in a list"] = { { n = HUGE } },
    ["a decoded object, which dkjson marks as one"] = dkjson.decode('{"n": 100000}'),
  } do
    it("is refused: " .. title, function()
      local problem = message_of(body)
      assert.truthy(problem:find("whose only name is n as a list of n elements", 1, true), problem)
    end)
  end

  it("is refused with the nearest name above it", function()
    local problem = message_of { labels = { { { n = HUGE } } } }
    assert.truthy(problem:find('a table below "labels" whose only name is n', 1, true), problem)
  end)

  it("is refused with the position of the program's line", function()
    assert.truthy(message_of({ n = HUGE }):find "^spec/clients/encoder_spec.lua:%d+: ")
  end)

  it("is refused after 1,000 other tables, which the body holds twice", function()
    local inner = {}
    for position = 1, 1000 do
      inner[position] = { position }
    end
    assert.truthy(message_of({ inner, inner, { last = { n = HUGE } } }):find 'below "last"')
  end)

  it("is refused where a table holds itself, too", function()
    local body = { inner = { n = HUGE } }
    body.inner2, body[1] = body, nil
    assert.truthy(message_of(body):find 'below "inner"')
  end)
end)

describe("a body that dkjson writes as it is", function()
  for written, body in pairs {
    ['{"n":"3"}'] = { n = "3" },
    ['{"n":true}'] = { n = true },
    ['{"m":3}'] = { m = 3 },
    ['[{"m":[3]}]'] = { { m = { 3 } } },
  } do
    it("is sent: " .. written, function()
      assert.equal(written, sent(body))
    end)
  end

  it("is sent: n beside another name", function()
    assert.equal(3, dkjson.decode(sent { n = 3, m = 4 }).n)
  end)

  it("is sent: n, in a table that writes itself", function()
    local own = setmetatable({ n = HUGE }, {
      __tojson = function()
        return '{"n":"own"}'
      end,
    })
    assert.equal('{"a":{"n":"own"}}', sent { a = own })
  end)
end)

describe("an encoder that writes n as a name", function()
  it("gets a body with nothing but n", function()
    local function encode(body)
      return ('{"n":%d}'):format(body.n)
    end
    assert.equal('{"n":3}', sent({ n = 3 }, encode))
  end)

  it("is lua-cjson", function()
    assert.equal('{"n":3}', sent({ n = 3 }, require "cjson".encode))
  end)

  it("is asked once if no table of the body has n as its only name", function()
    local count = 0
    sent({ a = 1 }, function()
      count = count + 1
      return "x"
    end)
    assert.equal(1, count)
  end)

  it("is tried once, with its second body, and is then known", function()
    local seen = {}
    local function encode(value)
      seen[#seen + 1] = value.n or value.a
      return "{}"
    end
    for _, body in ipairs { { a = 1 }, { a = 2 }, { a = 3 }, { n = 4 } } do
      sent(body, encode)
    end
    assert.same({ 1, 2, 2, 3, 4 }, seen) -- { n = 2 } comes before { a = 2 }
  end)

  for first, is_refused in pairs { ["["] = true, ["5"] = false } do
    it(("is not taken for known if it writes %s for the table"):format(first), function()
      local function encode(value)
        return value.n and first or "{}"
      end
      sent({ a = 1 }, encode)
      sent({ a = 1 }, encode)
      sent({ a = 1 }, encode)
      assert.equal(is_refused, not pcall(sent, { n = HUGE }, encode))
    end)
  end

  it("may raise for the table that it is tried with", function()
    assert.equal(
      "x",
      sent({ n = 3 }, function(body)
        return assert(body.n == 3) and "x"
      end)
    )
  end)
end)

describe("what an encoder says of a body", function()
  local said = "a\27[31m\226\128\168" .. ("b"):rep(1000)

  for how, encode in pairs {
    ["if it raises"] = function()
      error(said, 0)
    end,
    ["if it returns nil and a message"] = function()
      return nil, said
    end,
  } do
    it("is shown as a stranger's string, since it may quote one, " .. how, function()
      local problem = message_of({}, encode)
      assert.truthy(problem:find("a?[31m?b", 1, true), problem)
      assert.is_true(#problem < 400)
    end)
  end
end)

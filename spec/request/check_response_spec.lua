-- The settings check_response and wrong_response.
local endpoint = require "endpoint"
local request = require "endpoint.request"
local types = require "endpoint.types"

local load_text = loadstring or load
local JSON = { ["content-type"] = "application/json" }

local function rules_of()
  local list = { type = "array", items = { type = "integer" } }
  local content = { ["application/json"] = { schema = list } }
  local responses =
    { ["200"] = { content = content }, ["204"] = {}, ["404"] = { content = content } }
  local made = types.generate({
    openapi = "3.1.0",
    paths = {
      ["/items/{id}"] = { get = { responses = responses }, head = { responses = responses } },
    },
  }, "api", { checks = true, responses = true })
  return assert(load_text(made.files[#made.files - 1].text))()
end

local ROUTE = "GET /items/{id}"
local WRONG = ROUTE .. ': status 200: "[2]": expected an integer, got a string'

describe("the setting check_response", function()
  local rules = rules_of()
  local api = endpoint.defaults { baseUrl = "http://h.example" }
  local answer, entries, asked

  -- A sender whose server gives `answer`: a status, headers and a body. of: its endpoint.
  local function sender(settings, of)
    settings.client = function()
      return answer[1], answer[2], answer[3]
    end
    settings.check_response = settings.check_response
      or function(route, status, body)
        asked[#asked + 1] = { route, status, body }
        return rules.response(route, status, body)
      end
    settings.log = function(entry)
      entries[#entries + 1] = entry
    end
    return request.new(of or api, settings)
  end

  before_each(function()
    answer, entries, asked = { 200, JSON, "[1,2]" }, {}, {}
  end)

  it("is asked for the route, the status and the decoded body", function()
    local body, response = sender {}(ROUTE, { id = 1 })
    assert.same({ 1, 2 }, body)
    assert.equal(200, response.status)
    assert.same({ { ROUTE, 200, { 1, 2 } } }, asked)
  end)

  for _, row in ipairs {
    { what = "send", ask = false },
    { what = "send.ask", ask = true },
  } do
    it("makes a wrong response a failure of " .. row.what, function()
      answer[3] = '[1,"x"]'
      local send = sender {}
      local ok, failure = pcall(row.ask and send.ask or send, ROUTE, { id = 1 })
      assert.is_false(ok)
      assert.equal("response", failure.reason)
      assert.equal(200, failure.status)
      assert.equal(WRONG, failure.message)
      assert.same({ 1, "x" }, failure.response.body)
      assert.is_nil(failure.response.url)
    end)
  end

  it("is asked for 500 where HTTP has no such status", function()
    answer[1] = 742
    local ok, failure = pcall(sender({ tries = 1 }).ask, ROUTE, { id = 1 })
    assert.is_false(ok)
    assert.same({ "response", 742, 500 }, { failure.reason, failure.status, asked[1][2] })
  end)

  it("makes a status that the document does not have a failure", function()
    answer = { 201, JSON, "[]" }
    local _, failure = pcall(sender {}, ROUTE, { id = 1 })
    assert.equal("response", failure.reason)
    assert.truthy(failure.message:find("the document has no such status", 1, true))
  end)

  it("is not asked before send raises for a status", function()
    answer = { 404, JSON, '{"message":"gone"}' }
    local send = sender {}
    local _, failure = pcall(send, ROUTE, { id = 1 })
    assert.equal("status", failure.reason)
    assert.same({}, asked)
    _, failure = pcall(send.ask, ROUTE, { id = 1 })
    assert.equal("response", failure.reason)
  end)

  it("is asked for an empty body, too", function()
    answer = { 204, {}, "" }
    assert.is_nil((sender {}(ROUTE, { id = 1 })))
    assert.same({ ROUTE, 204 }, asked[1])
  end)

  it("is asked in each form of a route", function()
    local send = sender {}
    for _, call in ipairs {
      { ROUTE, { id = 1 } },
      { "/items/:id", { id = 1 } },
      { "/items/{id}", { id = 1, method = "GET" } },
      { { url = "/items/{id}", id = 1 } },
      { "/items/{id}", { id = 1, method = endpoint.null } },
      { "  /items/{id} ", { id = 1 } },
      { "HEAD /items/{id}", { id = 1 } },
      { "/items/{id}", { id = 1, method = "HEAD" } },
    } do
      assert.same({ 1, 2 }, (send(call[1], call[2])))
    end
    assert.equal(8, #asked)
  end)

  for _, row in ipairs {
    { "/items/{id}", { id = 1 }, "HEAD" },
    { "/items/{id}", { id = 1, method = endpoint.null }, "GET" },
    { { url = "/items/{id}", id = 1 }, nil, "HEAD" },
    { "GET /items/{id}", { id = 1 }, "GET" },
  } do
    local shown = type(row[1]) == "string" and row[1] or "a table"
    it(("is asked for the route of %s that was sent, a %s"):format(shown, row[3]), function()
      sender({}, api.defaults { method = "HEAD" })(row[1], row[2])
      assert.equal(row[3] .. " /items/{id}", asked[1][1])
    end)
  end

  it("is not asked if a sink has the body", function()
    answer[3] = '["x"]'
    local text = ""
    local function sink(piece)
      text = text .. (piece or "")
      return true
    end
    sender { sink = sink }(ROUTE, { id = 1 })
    assert.equal('["x"]', text)
    assert.same({}, asked)
  end)

  it("is asked for each page, by the route of the first", function()
    answer[2] = {
      ["content-type"] = "application/json",
      link = '<http://h.example/items/2?page=2>; rel="next"',
    }
    local send, seen = sender {}, 0
    for _ in send.each(ROUTE, { id = 1 }, { max = 2 }) do
      seen = seen + 1
    end
    assert.equal(4, seen)
    assert.equal(2, #asked)
    assert.equal(ROUTE, asked[2][1])
    answer[3] = '["x"]'
    local _, failure = pcall(send.each(ROUTE, { id = 1 }))
    assert.equal("response", failure.reason)
  end)

  it("raises at the program's line for a route that the document does not have", function()
    local ok, problem = pcall(function()
      return (sender {} "GET /nope")
    end)
    assert.is_false(ok)
    assert.truthy(
      tostring(problem):find "check_response_spec.lua:%d+: endpoint.checks: no such route"
    )
  end)

  it("shows no credential that the server repeats", function()
    answer[3] = "[1]"
    local secret = endpoint.defaults {
      baseUrl = "http://h.example",
      headers = { authorization = "Bearer s3cret-token" },
    }
    local send = request.new(secret, {
      client = function()
        return answer[1], answer[2], answer[3]
      end,
      check_response = function()
        return nil, "got s3cret-token"
      end,
    })
    local _, failure = pcall(send, ROUTE, { id = 1 })
    assert.is_nil(failure.message:find("s3cret", 1, true), failure.message)
  end)

  it("may do without a sentence", function()
    local send = sender {
      check_response = function()
        return false
      end,
    }
    local _, failure = pcall(send, ROUTE, { id = 1 })
    assert.equal(ROUTE .. ": the response is not right", failure.message)
  end)

  describe('with wrong_response = "log"', function()
    it("tells log alone of a wrong response", function()
      answer[3] = '[1,"x"]'
      assert.same({ 1, "x" }, (sender { wrong_response = "log" }(ROUTE, { id = 1 })))
      local entry = entries[2]
      assert.equal(WRONG, ROUTE .. ": " .. entry.message)
      assert.equal(WRONG, tostring(entry))
      assert.same(
        { "GET", "/items/{id}", 1, 200, "response" },
        { entry.method, entry.template, entry.try, entry.status, entry.reason }
      )
    end)

    it("tells nothing of a right one", function()
      sender { wrong_response = "log" }(ROUTE, { id = 1 })
      assert.equal(1, #entries)
    end)
  end)

  it("takes no other word for wrong_response", function()
    local ok, problem = pcall(request.new, api, { wrong_response = "lgo" })
    assert.is_false(ok)
    assert.truthy(problem:find('wrong_response: expected "raise" or "log", got "lgo"', 1, true))
  end)
end)

-- What an error says that a server's answer raises: its reason in the server's words, the line of
-- the call, and nothing of the request.
local endpoint = require "endpoint"
local scripted = require "request.scripted"
local support = require "support"

local asked, json, sender = scripted.asked, scripted.json, scripted.sender

-- title: what must hold. json: the body of an answer 422. reason: nil if it gives none.
local BODIES = {
  {
    title = "error_description is said, not OAuth's code",
    json = '{"error": "invalid_grant", "error_description": "The code has expired"}',
    reason = "The code has expired",
  },
  {
    title = "a map of errors is said in the order of its fields",
    json = '{"errors": {"name": ["is too short", "is odd"], "size": ["is odd"]}}',
    reason = "name is too short, is odd, size is odd",
  },
  {
    title = "title and detail are said together",
    json = '{"type": "about:blank", "title": "Out of credit", "detail": "It is 30"}',
    reason = "Out of credit: It is 30",
  },
  { title = "a title is said", json = '{"title": "Forbidden"}', reason = "Forbidden" },
  { title = "a detail is said", json = '{"detail": "c"}', reason = "c" },
  {
    title = "the message of an error is said, not its code, a number",
    json = '{"error": {"code": 7, "message": "deep"}}',
    reason = "deep",
  },
  {
    title = "title and detail that are equal are said once",
    json = '{"title": "a", "detail": "a"}',
    reason = "a",
  },
  {
    title = "a code is said where there is no message",
    json = '{"errors": [{"code": "odd"}]}',
    reason = "odd",
  },
  {
    title = "the title of an error in a list is said",
    json = '{"errors": [{"title": "b"}]}',
    reason = "b",
  },
  { title = "a list of strings is said in its order", json = '["b", "a"]', reason = "b, a" },
  { title = "a list of one string is said", json = '["e"]', reason = "e" },
  {
    title = "message and errors are said together",
    json = '{"message": "said", "errors": ["more", {"message": "and more"}]}',
    reason = "said: more, and more",
  },
  {
    title = "nulls give no reason",
    json = '{"message": null, "errors": [null]}',
  },
  {
    title = "a list detail is said with the place of each mistake, as FastAPI gives it",
    json = '{"detail": [{"loc": ["body", "items", 0, "size"], "msg": "field required"},'
      .. ' {"loc": ["query", "q"], "msg": "too long", "type": "x"}]}',
    reason = "body.items.0.size field required, query.q too long",
  },
  {
    title = "a detail that is an object is said",
    json = '{"detail": {"message": "no quota"}}',
    reason = "no quota",
  },
  {
    title = "errors that are a string are said",
    json = '{"errors": "no user"}',
    reason = "no user",
  },
  {
    title = "errorMessages are said, as Jira gives them",
    json = '{"errorMessages": ["no such issue", "gone"], "errors": {}}',
    reason = "no such issue, gone",
  },
  {
    title = "errors and errorMessages are both said",
    json = '{"errorMessages": ["invalid"], "errors": {"summary": "is required"}}',
    reason = "summary is required, invalid",
  },
  {
    title = "Message is said, as AWS writes it",
    json = '{"__type": "X", "Message": "a"}',
    reason = "a",
  },
  { title = "msg is said", json = '{"code": 40001, "msg": "denied"}', reason = "denied" },
  {
    title = "a list of messages is said, as NestJS gives it",
    json = '{"statusCode": 400, "message": ["a is", "b is"], "error": "Bad Request"}',
    reason = "Bad Request: a is, b is",
  },
  {
    title = "the reason of an error is said, as Elasticsearch gives it",
    json = '{"error": {"type": "x", "reason": "no such index"}}',
    reason = "no such index",
  },
  {
    title = "of the place of a mistake only names and numbers are said",
    json = '{"detail": [{"loc": ["body", 0, null, {"x": 1}, true, "a"], "msg": "m"}]}',
    reason = "body.0.a m",
  },
  {
    title = "the faultstring of a fault is said, as Apigee gives it",
    json = '{"fault": {"faultstring": "Rate limit", "detail": {"errorcode": "x"}}}',
    reason = "Rate limit",
  },
  {
    title = "a place that is no list of names gives no place",
    json = '{"detail": [{"loc": "body", "msg": "a"}, {"loc": [{}], "msg": 5}, {"loc": []}]}',
    reason = "a",
  },
  { title = "a boolean gives no reason", json = '{"error": true}' },
  { title = "an empty map of errors gives no reason", json = '{"errors": {}}' },
  { title = "another field gives no reason", json = '{"data": "x"}' },
  { title = "a string alone gives no reason", json = '"x"' },
  { title = "what is not JSON gives no reason", json = "<html>" },
  {
    title = "an empty message is not a reason, and control characters are escaped",
    json = '{"message": "", "error": "d\27[31m\194\155x\10"}',
    reason = "d\\x1b[31m\\xc2\\x9bx\\x0a",
  },
  {
    title = "characters that turn the direction of text are escaped",
    json = '{"message": "\226\128\174x\226\129\166"}',
    reason = "\\xe2\\x80\\xaex\\xe2\\x81\\xa6",
  },
  {
    title = "credentials of the request are masked",
    json = '{"message": "you sent Bearer 0123 and S3 CRET, S3%20CRET"}',
    reason = "you sent *** and ***, ***",
  },
}

-- A reason that lists or objects are around.
for _, around in ipairs {
  { name = "lists", open = "[", close = "]" },
  { name = "objects", open = '{"error": ', close = "}" },
  { name = "lists of errors", open = '{"errors": [', close = "]}" },
} do
  for depth, reason in pairs { [4] = "a", [5] = false } do
    BODIES[#BODIES + 1] = {
      title = ("a reason in %d %s is %s"):format(
        depth,
        around.name,
        reason and "found" or "not looked for"
      ),
      json = around.open:rep(depth) .. '"a"' .. around.close:rep(depth),
      reason = reason or nil,
    }
  end
end

describe("of a server's reason,", function()
  before_each(scripted.reset)

  for _, row in ipairs(BODIES) do
    it(row.title, function()
      local options = { id = 7, api_key = "S3 CRET" }
      local said = asked(json(row.json, nil, 422), sender {}, "get /x/{id}{?api_key}", options)
      local expected = "GET /x/{id}: the server answers 422"
      assert.equal(expected .. (row.reason and ": " .. row.reason or ""), said)
    end)
  end

  it("200 bytes are shown as they are", function()
    local reason = ("long "):rep(40)
    local said = asked(json('{"message": "' .. reason .. '"}', nil, 404), sender {})
    assert.equal("GET /x: the server answers 404: " .. reason, said)
  end)

  it("200 bytes and dots are shown if it is longer", function()
    local said = asked(json('{"message": "' .. ("long "):rep(41) .. '"}', nil, 404), sender {})
    assert.equal("GET /x: the server answers 404: " .. ("long "):rep(39) .. "lo...", said)
  end)

  it("300,000 errors are not sorted", function()
    local errors, before = {}, nil
    for number = 1, 300000 do
      errors["k" .. number] = "x"
    end
    local function decode()
      before = os.clock()
      return { errors = errors }
    end
    asked(json("{}", nil, 400), sender { decode = decode })
    local seconds = os.clock() - before
    assert.is_true(seconds < 0.2, seconds) -- to sort them takes half a second
  end)
end)

describe("a text that is shown", function()
  local shown = require "endpoint.request.failures.display".shown
  local X = ("x"):rep(196)

  for title, row in pairs {
    ["has 200 bytes at most"] = { text = X .. "xxxx", shown = X .. "xxxx" },
    ["is cut at 200 bytes, three of them dots"] = { text = X .. "xxxxx", shown = X .. "x..." },
    ["is cut before a character, not within it"] = { text = X .. "éxxx", shown = X .. "..." },
    ["is cut by bytes, not by characters"] = {
      text = "é" .. X:sub(2) .. "xxxx",
      shown = "é" .. X:sub(2) .. "...",
    },
  } do
    it(title, function()
      assert.equal(row.shown, shown(row.text))
    end)
  end
end)

describe("the status", function()
  local is_success = require "endpoint.request.response".is_success

  for status, is_expected in pairs { [199] = false, [200] = true, [299] = true, [300] = false } do
    it(("%d is %s"):format(status, is_expected and "a success" or "not a success"), function()
      assert.equal(is_expected, is_success { status = status })
    end)
  end
end)

describe("a failure", function()
  local SAID = "GET /x/{id}: the server answers 404: no such thing"
  local NOT_FOUND = json('{"message": "no such thing"}', nil, 404)
  before_each(scripted.reset)

  -- What a call raises that is answered 404, and the line of the call.
  local function raised()
    scripted.answers = { NOT_FOUND }
    local send, line = sender {}, debug.getinfo(1, "l").currentline + 2
    local ok, failure = pcall(function()
      local value = send("GET /x/{id}", { id = 7 })
      return value
    end)
    assert.is_false(ok)
    return failure, line
  end

  it("has the response, without the URL of the request", function()
    local failure = raised()
    assert.equal(404, failure.response.status)
    assert.is_nil(failure.response.url)
  end)

  it("has a message without a position", function()
    assert.equal(SAID, raised().message)
  end)

  it("is a string with the line of the call", function()
    local failure, line = raised()
    assert.equal(
      ("failures_spec.lua:%d: %s"):format(line, SAID),
      tostring(failure):match "failures_spec.*"
    )
  end)

  it("is joined to a string as a string", function()
    local failure = raised()
    assert.equal("it says " .. tostring(failure), "it says " .. failure)
  end)

  it("has the position of a call in the first line of a chunk", function()
    scripted.answers = { NOT_FOUND }
    local code = support.read "spec/request/programs/first_line.lua"
    local first_line = (loadstring or load)(code, "=one")
    assert.equal("one:1: " .. SAID, tostring(select(2, pcall(first_line, sender {}))))
  end)

  it("of a client's connection is what the client raises", function()
    local function raising()
      error("lost", 0)
    end
    assert.equal("lost", asked(raising, sender {}))
  end)

  it("shows neither the user, the password nor the query of a URL", function()
    local bare = sender({}, endpoint.defaults { baseUrl = scripted.BASE })
    local said = asked(json("", nil, 400), bare, "GET http://user:S3CRET@h/x?key=S3CRET")
    assert.equal("GET http://***@h/x: the server answers 400", said)
  end)

  it("is not raised by ask, which returns the body and the response", function()
    local value, answer = asked(json('{"a": "b"}', nil, 404), sender {}.ask)
    assert.equal("b", value.a)
    assert.equal(404, answer.status)
    assert.equal("b", answer.body.a)
  end)
end)

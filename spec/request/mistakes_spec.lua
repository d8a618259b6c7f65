-- A parameter that has the name of another library's option is sent, as the contract says. After
-- the server has refused the call, the failure tells what was sent.
local endpoint = require "endpoint"
local request = require "endpoint.request"

-- The message of a call that the server answers with this status.
local function message_of(status, route, options)
  local function client()
    return status, { ["content-type"] = "application/json" }, '{"message": "refused"}'
  end
  local api = endpoint.defaults { baseUrl = "https://h.example" }
  local send = request.new(api, { client = client, tries = 1 })
  local _, failure = pcall(send, route, options)
  return failure.message
end

local BODY = " was sent: a body is given as its fields, or as data)"

describe("a failure of a call with a parameter that is an option elsewhere", function()
  for _, row in ipairs {
    { "json", "POST /x", { json = { a = 1 } }, BODY },
    { "body", "POST /x", { body = { a = 1 } }, BODY },
    {
      "query",
      "POST /x",
      { query = { a = 1 } },
      " was sent: a query is given as its parameters, and under POST the route names them: {?a}",
    },
    { "params", "PUT /x", { params = { a = 1 } }, " was sent: a query is given as its parameters" },
    { "timeout", "GET /x", { timeout = 5 }, "request = { timeout = ... })" },
    { "retries", "POST /x", { retries = 2 }, "request = { tries = ... })" },
  } do
    local name, route, options, words = row[1], row[2], row[3], row[4]

    for _, status in ipairs { 400, 415, 422 } do
      it(("says what %s is, after a %d"):format(name, status), function()
        local message = message_of(status, route, options)
        local sent = ('refused (a parameter "%s" was sent: '):format(name)
        assert.truthy(message:find(sent, 1, true), message)
        assert.truthy(message:find(words, 1, true), message)
      end)
    end
  end

  for title, row in pairs {
    ["after another status"] = { 404, "POST /x", { json = { a = 1 } } },
    ["for a body that is a text, as GitHub has it"] = { 422, "POST /x", { body = "text" } },
    ["for a variable of the route"] = { 422, "POST /x{?query*}", { query = { a = 1 } } },
    ["for a timeout that is a string"] = { 400, "GET /x", { timeout = "5s" } },
    ["for a field of data"] = { 400, "POST /x", { data = { json = { a = 1 } } } },
  } do
    it("says nothing " .. title, function()
      local message = message_of(row[1], row[2], row[3])
      assert.falsy(message:find("was sent", 1, true), message)
    end)
  end
end)

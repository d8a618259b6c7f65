-- Cursors in a body: where a call has `data`, a table that `page` returns is merged into it. And
-- the errors of GraphQL, which come with 200.
local endpoint = require "endpoint"
local merging = require "endpoint.request.pages.merging"
local request = require "endpoint.request"

local JSON = { ["content-type"] = "application/json" }

-- Walks through the pages of a call with this body. page: the setting. answers: bodies of JSON.
-- Returns the elements, the bodies that were sent, and the message of an error.
local function walk(data, page, answers, route, api)
  local sent, seen = {}, {}
  local send = request.new(api or endpoint.defaults { baseUrl = "http://h" }, {
    client = function(r)
      sent[#sent + 1] = r.body or r.url
      return 200, JSON, answers[#sent] or "[]"
    end,
  })
  local ok, problem = pcall(function()
    for item in send.each(route or "POST /graphql", { data = data }, { page = page }) do
      seen[#seen + 1] = item
    end
  end)
  return seen, sent, not ok and (problem.message or problem) or nil
end

-- A page function that names the next page by these tables, one after another.
local function naming(list)
  local number = 0
  return function(body)
    number = number + 1
    return body, list[number]
  end
end

describe("a cursor in a body", function()
  it("is merged into data, deeply, and changes no table of the program", function()
    local variables = { owner = "lua", filter = { state = "open" } }
    local data = { query = "q", variables = variables }
    local next_page = { variables = { after = "c1", filter = { labels = { "a" } } } }
    local seen, sent = walk(data, naming { next_page }, { '["a"]', '["b"]' })
    assert.same({ "a", "b" }, seen)
    assert.equal(data, sent[1])
    assert.same({
      query = "q",
      variables = { owner = "lua", after = "c1", filter = { state = "open", labels = { "a" } } },
    }, sent[2])
    assert.same({ owner = "lua", filter = { state = "open" } }, variables)
  end)

  it("of a page after the next replaces that of the next", function()
    local cursors = { { variables = { after = "1" } }, { variables = { after = "2" } } }
    local _, sent = walk({ variables = {} }, naming(cursors), { '["a"]', '["b"]', '["c"]' })
    assert.same({ variables = { after = "2" } }, sent[3])
  end)

  it("that is a list replaces a list", function()
    local _, sent = walk({ sort = { "a", "b" } }, naming { { sort = { "c" } } }, { "[1]" })
    assert.same({ sort = { "c" } }, sent[2])
  end)

  it("may have the name of an option, a default or the path's variable", function()
    local api = endpoint.defaults { baseUrl = "http://h", tenant = 1 }
    local cursor = { baseUrl = "http://evil", headers = { a = "b" }, tenant = 2 }
    local _, sent = walk({ q = 1 }, naming { cursor }, { "[1]" }, "POST /graphql", api)
    assert.same({ q = 1, baseUrl = "http://evil", headers = { a = "b" }, tenant = 2 }, sent[2])
  end)

  it("keeps the metatable of a table in data", function()
    local mt = {}
    local data = { variables = setmetatable({}, mt) }
    local _, sent = walk(data, naming { { variables = { after = 1 } } }, { "[1]" })
    assert.equal(mt, getmetatable(sent[2].variables))
  end)

  for title, cursor in pairs {
    ["null"] = { after = endpoint.null },
    ["null, below another name"] = { variables = { after = endpoint.null } },
    ["empty"] = { variables = { after = "" } },
  } do
    it(("that is %s is the end"):format(title), function()
      local seen, sent, said = walk({ q = 1 }, naming { cursor }, { "[1]", "[2]" })
      assert.same({ 1 }, seen)
      assert.equal(1, #sent)
      assert.is_nil(said)
    end)
  end

  it("that was already read is a failure", function()
    local cursors = { { a = { b = "1" } }, { a = { b = "1" } } }
    local _, _, said = walk({ q = 1 }, naming(cursors), { "[1]", "[2]" })
    assert.equal("POST /graphql: the next page was already read", said)
  end)

  for title, row in pairs {
    ["cannot be merged into a string"] = {
      data = "q",
      said = "data is not a table with names, so nothing can be merged into it",
    },
    ["cannot be merged into a list"] = {
      data = { 1 },
      said = "data is not a table with names, so nothing can be merged into it",
    },
    ["with a key that is a number is refused"] = {
      data = { q = 1 },
      cursor = { "c" },
      said = "expected names of fields of data, got a number as a key",
    },
  } do
    it(title, function()
      local cursor = row.cursor or { after = 1 }
      local _, sent, said = walk(row.data, naming { cursor }, { "[1]" })
      assert.equal("POST /graphql: the next page cannot be asked for: " .. row.said, said)
      assert.equal(1, #sent)
    end)
  end

  it("that is too deep is refused", function()
    local data, cursor = {}, {}
    data.x, cursor.x = data, cursor -- for ever
    local merged, why = merging.merged(data, cursor)
    assert.is_nil(merged)
    assert.equal("expected at most 100 levels of tables", why)
  end)

  it("is a parameter where the template uses {data}", function()
    local _, sent = walk("x", naming { { page = 2 } }, { "[1]" }, "GET /x/{data}")
    assert.same({ "http://h/x/x", "http://h/x/x?page=2" }, sent)
  end)

  it("runs no metamethod of the cursor", function()
    local cursor = setmetatable({ after = 1 }, {
      __index = function()
        error "called"
      end,
      __pairs = function()
        error "called"
      end,
    })
    local _, sent = walk({ q = 1 }, naming { cursor }, { "[1]" })
    assert.same({ q = 1, after = 1 }, sent[2])
  end)
end)

describe("request.graphql_error", function()
  -- body: what was decoded. said: what is returned.
  for _, row in ipairs {
    { title = "data alone", body = { data = {} } },
    { title = "no table", body = "x" },
    { title = "nothing", body = nil },
    { title = "errors that are null", body = { errors = endpoint.null, data = {} } },
    { title = "an empty list of errors", body = { errors = {} } },
    { title = "errors that are a text", body = { errors = "denied\27" }, said = "denied\\x1b" },
    { title = "errors that are an empty text", body = { errors = "", data = {} } },
    { title = "one error", body = { errors = { { message = "no a" } } }, said = "no a" },
    {
      title = "two errors, and data",
      body = { data = {}, errors = { { message = "no a" }, { message = "no b" } } },
      said = "no a, no b",
    },
    {
      title = "an error without words",
      body = { errors = { { path = { "a" } } } },
      said = "an error without a message",
    },
    {
      title = "an error that controls a terminal",
      body = { errors = { { message = "a\27[31m" } } },
      said = "a\\x1b[31m",
    },
  } do
    it(("says of %s: %s"):format(row.title, tostring(row.said)), function()
      assert.equal(row.said, request.graphql_error(row.body))
    end)
  end
end)

-- Operations that share a method and a path: which of them a request is, and what left_out says of
-- those that no request is. Spellings of paths.
package.path = "src/?.lua;" .. package.path
local endpoint = require "endpoint"
local types = require "endpoint.types"

local load_text = loadstring or load

local function load_rules(paths, options)
  options = options or {}
  options.checks = true
  local made = types.generate({ openapi = "3.1.0", paths = paths }, "api", options)
  return assert(load_text(made.files[#made.files - 1].text))()
end

local TEXT = { type = "string" }

local function query(name, schema, is_optional)
  return { name = name, ["in"] = "query", required = not is_optional, schema = schema or TEXT }
end

local function header(name, schema)
  return { name = name, ["in"] = "header", required = true, schema = schema or TEXT }
end

-- The path with a GET that has these parameters, and those of the path.
local function get(path, ...)
  local parameters = { ... }
  for name in path:gmatch "{[+.;]?([^}]*)}" do
    local style = path:find("{;", 1, true) and "matrix" or path:find("{.", 1, true) and "label"
    table.insert(
      parameters,
      { name = name, ["in"] = "path", required = true, schema = TEXT, style = style or nil }
    )
  end
  return { get = { operationId = path, parameters = parameters } }
end

-- A document of rows: a path, and its parameters.
local function paths_of(rows)
  local paths = {}
  for _, row in ipairs(rows) do
    local path = get((table.unpack or unpack)(row))
    paths[row[1]:gsub("{[.;]", "{")] = path
  end
  return paths
end

-- What left_out says of an operation that a request is only where another does not fit.
local function found_last(one, other)
  local words = "rules.request finds %s only where %s does not fit: "
  return words:format(one, other) .. "they have the same method and path"
end

-- --- what is never found ------------------------------------------------------------

local DEEP = "/d" .. ("/d"):rep(200)

-- what the row is; the paths with their parameters; the sentences
local ROWS = {
  { "different paths", { { "/a/{x}" }, { "/a/b" }, { "/{y}/b" }, { "/a/{x}.json" } }, {} },
  {
    "names of variables alone differ",
    { { "/a/{x}" }, { "/a/{y}" } },
    { found_last("GET /a/{y}", "GET /a/{x}") },
  },
  {
    "a fragment alone differs",
    { { "/a" }, { "/a#b" } },
    { found_last("GET /a#b", "GET /a") },
  },
  {
    "optional parameters alone differ",
    { { "/a" }, { "/a#b", query("p", TEXT, true) } },
    { found_last("GET /a#b", "GET /a") },
  },
  { "one requires what the other does not know", { { "/a" }, { "/a#b", query "p" } }, {} },
  {
    "one requires what the other may have",
    { { "/a", query("p", TEXT, true) }, { "/a#b", query "p" } },
    {
      "rules.request may take GET /a and GET /a#b "
        .. "for each other: they have the same method and path",
    },
  },
  {
    "headers that both may have",
    { { "/a#1", header "x-a" }, { "/a#2", header "x-b" }, { "/a#3", header "x-c" } },
    {
      "rules.request may take GET /a#1, GET /a#2 and GET /a#3 "
        .. "for each other: they have the same method and path",
    },
  },
  {
    "more than three of them",
    {
      { "/a#1", header "x-a" },
      { "/a#2", header "x-b" },
      { "/a#3", header "x-c" },
      { "/a#4", header "x-d" },
    },
    {
      "rules.request may take GET /a#1, GET /a#2 and 2 others "
        .. "for each other: they have the same method and path",
    },
  },
  {
    "constants of one header",
    {
      { "/a#1", header("x-a", { enum = { "1" } }) },
      { "/a#2", header("x-a", { enum = { "2" } }) },
    },
    {},
  },
  { "constants of a literal query", { { "/a?k=1" }, { "/a?k=2" } }, {} },
  {
    "the same constant",
    {
      { "/a#1", header("x-a", { enum = { "1" } }) },
      { "/a#2", header("x-a", { enum = { "1" } }) },
    },
    { found_last("GET /a#2", "GET /a#1") },
  },
  {
    "an empty segment",
    { { "/a//b" } },
    { "rules.request never finds GET /a//b: its path has an empty segment" },
  },
  {
    "an encoded slash",
    { { "/a%2Fb/c" } },
    {
      "rules.request never finds GET /a%2Fb/c: its path needs the setting encoded_slashes",
    },
  },
  {
    "more than 200 segments",
    { { DEEP } },
    {
      "rules.request never finds GET " .. DEEP:sub(1, 193) .. "...: its path has too many segments",
    },
  },
}

describe("left_out tells of rules.request:", function()
  for _, row in ipairs(ROWS) do
    it(row[1], function()
      assert.same(row[3], load_rules(paths_of(row[2])).left_out())
    end)
  end

  it("at most 20 sentences, and how many more there are", function()
    local rows = {}
    for number = 1, 30 do
      rows[number] = { ("/a/{x%02d}"):format(number) }
    end
    local sentences = load_rules(paths_of(rows)).left_out()
    assert.equal(21, #sentences)
    assert.equal("rules.request: 9 more sentences about operations of one path", sentences[21])
  end)

  it("nothing that a terminal obeys", function()
    local rules = load_rules(paths_of { { "/a" }, { "/a#\27[31m" } })
    assert.is_nil(rules.left_out()[1]:find "%c")
  end)

  it("any name that both may have with --open", function()
    local rows = { { "/a#1", query "p" }, { "/a#2", query "q" } }
    assert.same({}, load_rules(paths_of(rows)).left_out())
    local words = "rules.request may take GET /a#1 and GET /a#2 "
      .. "for each other: they have the same method and path"
    assert.same({ words }, load_rules(paths_of(rows), { open = true }).left_out())
  end)
end)

-- --- which of several ---------------------------------------------------------------

-- the query; the operation
local SEVERAL = {
  { "k=x", "/k#x" },
  { "k=%78", "/k#x" },
  { "?k=x", "/k#x" },
  { "k=y", "/k#any" },
  { "k", "/k#any" },
  { "kk=x", "/k" },
  { "", "/k" },
  { "s=a+b", "/k#space" },
  { "s=a%20b", "/k#space" },
}

describe("of several operations of one path", function()
  local rules = load_rules(
    paths_of {
      { "/k" },
      { "/k#any", query "k" },
      { "/k#space", query("s", { enum = { "a b" } }) },
      { "/k#x", query("k", { enum = { "x" } }) },
    },
    { open = true }
  )

  for _, row in ipairs(SEVERAL) do
    it(("?%s is %s"):format(row[1], row[2]), function()
      local operation = rules.request { method = "GET", path = "/k", query = row[1] }
      assert.equal(row[2], operation and operation.name)
    end)
  end
end)

-- --- what the one that fits best refuses ----------------------------------------------

-- An operation with a query and a body of JSON with these names and their schemas.
local function put(parameters, properties)
  local schema = { type = "object", properties = properties }
  local content = { ["application/json"] = { schema = schema } }
  return { put = { parameters = parameters, requestBody = properties and { content = content } } }
end

local NUMBER = { type = "integer" }

-- the query; the body; the operation, or a status and the message of the first problem
local REFUSED = {
  { "f=1", '{"link":"x"}', "PUT /d{?f}#link" },
  { "f=1", '{"name":"x"}', "PUT /d{?f}" },
  { "f=1", nil, "PUT /d{?f}#link" },
  { "g=1", '{"name":"x"}', "PUT /d{?g}#number" },
  { "g=a", '{"name":"x"}', 400, "is unknown" },
  { "f=1", '{"nme":"x"}', 400, "is unknown" },
  { "f=1", "{", 400, "expected JSON" },
}

describe("a request that the best of several operations refuses", function()
  local link = { link = TEXT }
  local rules = load_rules {
    ["/d"] = put({ query("f", TEXT, true) }, { name = TEXT }),
    ["/d#link"] = put({ query "f" }, link),
    ["/d#number"] = put({ query("g", NUMBER, true) }, { name = TEXT }),
  }

  for _, row in ipairs(REFUSED) do
    it(("?%s with %s is %s"):format(row[1], tostring(row[2]), row[3]), function()
      local asked = 0
      local operation, values, problems = rules.request {
        method = "PUT",
        path = "/d",
        query = row[1],
        body = row[2],
        headers = function()
          asked = asked + 1
          return { ["content-type"] = "application/json" }
        end,
      }
      assert.equal(row[3], operation and operation.route or values)
      assert.equal(row[4], problems and problems[1].message)
      assert.is_true(asked < 2)
    end)
  end

  it("is read as at most ten of them", function()
    local paths, given = {}, { method = "PUT", path = "/d", query = "f=1", body = '{"n10":1}' }
    given.headers = { ["content-type"] = "application/json" }
    for number = 1, 11 do
      local name = ("n%02d"):format(number)
      paths["/d#" .. name] = put({ query "f" }, { [name] = NUMBER })
    end
    local several = load_rules(paths)
    assert.equal("PUT /d{?f}#n10", (several.request(given) or {}).route)
    given.body = '{"n11":1}'
    assert.is_nil((several.request(given)))
  end)
end)

-- --- media types --------------------------------------------------------------------

-- The path with a POST that takes a body of these media types.
local function post(path, is_required, ...)
  local content = {}
  for _, media_type in ipairs { ... } do
    content[media_type] = { schema = { type = "object" } }
  end
  return path,
    {
      post = {
        operationId = path,
        requestBody = next(content) and { required = is_required, content = content },
      },
    }
end

local function document_of(rows)
  local paths = {}
  for _, row in ipairs(rows) do
    local path, item = post((table.unpack or unpack)(row))
    paths[path], item.post.parameters = item, row.parameters
  end
  return paths
end

local JSON, FORM = "application/json", "application/x-www-form-urlencoded"
local OVERLOADED = {
  { "/x", true, JSON },
  { "/x#form", true, FORM },
  { "/x#image", true, "image/*" },
  { "/x#k", true, JSON, parameters = { query("k", { enum = { "1" } }) } },
  { "/x#zip", true, "application/zip", parameters = { query "q" } },
  { "/n" },
  { "/n#json", false, JSON },
  { "/c#start", true, JSON, parameters = { query("k", { enum = { "1" } }) } },
  { "/c#stop", true, nil, parameters = { query("k", { enum = { "2" } }) } },
  {
    "/w#p",
    false,
    JSON,
    parameters = { query "p", query("q", TEXT, true), query("r", TEXT, true) },
  },
  { "/w#qrs", false, JSON, parameters = { query "q", query "r", query "s" } },
  { "/o#1", true, JSON },
  { "/o#2", false, FORM },
}

-- path and query; content-type; body; the operation, or a status
local BY_MEDIA_TYPE = {
  { "/x", JSON, "{}", "/x" },
  { "/x", "Application/JSON; charset=utf-8", "{}", "/x" },
  { "/x", { JSON }, "{}", "/x" },
  { "/x", { JSON, FORM }, "{}", 400 },
  { "/x", FORM, "", "/x#form" },
  { "/x", FORM, "a=1", "/x#form" },
  { "/x", "image/png", "x", "/x#image" },
  { "/x?k=1", JSON, "{}", "/x#k" },
  { "/x?k=2", JSON, "{}", 400 },
  { "/x?k=1", FORM, "a=1", 400 },
  { "/x?q=1", "application/zip", "x", "/x#zip" },
  { "/x", "application/zip", "x", 400 },
  { "/x?q=1", JSON, "{}", 400 },
  { "/x", "text/plain", "x", 415 },
  { "/x", nil, "x", 415 },
  { "/n", nil, nil, "/n" },
  { "/n", JSON, "{}", "/n#json" },
  { "/n", JSON, "", "/n" },
  { "/n", FORM, "a=1", 415 },
  { "/c?k=1", nil, nil, 400 },
  { "/c?k=1", JSON, "{}", "/c#start" },
  { "/c?k=2", nil, nil, "/c#stop" },
  { "/c?k=2", JSON, "{}", 415 },
  { "/w?p=1", nil, nil, "/w#p" },
  { "/w?q=1&r=1&s=1", nil, nil, "/w#qrs" },
  { "/w?p=1&q=1&r=1", nil, nil, "/w#p" },
  { "/o", nil, nil, "/o#2" },
  { "/o", FORM, "a=1", "/o#2" },
  { "/o", JSON, "{}", "/o#1" },
}

describe("of several operations of one path that take other media types", function()
  local rules = load_rules(document_of(OVERLOADED))

  for _, row in ipairs(BY_MEDIA_TYPE) do
    local media_type = type(row[2]) == "table" and row[2][1] or row[2]
    local count = type(row[2]) == "table" and #row[2] or row[2] and 1 or 0
    local title = "%s with %d content-types, first %s, and %s is %s"
    it(title:format(row[1], count, tostring(media_type), tostring(row[3]), row[4]), function()
      local path, query_text = row[1]:match "^([^?]*)%??(.*)$"
      local headers = { ["content-type"] = row[2] }
      local operation, values = rules.request {
        method = "POST",
        path = path,
        query = query_text,
        headers = headers,
        body = row[3],
      }
      assert.equal(row[4], operation and operation.name or values)
    end)
  end

  it("tells what is missing in the one that takes the body", function()
    local _, _, problems = rules.request {
      method = "POST",
      path = "/x",
      headers = { ["content-type"] = "application/zip" },
      body = "x",
    }
    assert.same({ "query", "q", "is missing" }, {
      problems[1].place,
      problems[1].name,
      problems[1].message,
    })
  end)

  it("tells in left_out those of which a request without a body may be either", function()
    local words = "rules.request may take POST /n and POST /n#json "
      .. "for each other: they have the same method and path"
    assert.same({ words }, rules.left_out())
  end)

  -- what the row is; the paths and their bodies; the sentences
  for _, row in ipairs {
    {
      "the same media type",
      { { "/a#1", true, JSON, FORM }, { "/a#2", true, FORM } },
      { found_last("POST /a#2", "POST /a#1") },
    },
    {
      "a range before",
      { { "/a#1", true, "image/*" }, { "/a#2", true, "image/png" } },
      { found_last("POST /a#2", "POST /a#1") },
    },
    {
      "any media type before",
      { { "/a#1", true, "*/*" }, { "/a#2", true, FORM } },
      { found_last("POST /a#2", "POST /a#1") },
    },
    {
      "two before, which take all",
      { { "/a#1", true, JSON }, { "/a#2", true, FORM }, { "/a#3", true, JSON, FORM } },
      {
        found_last("POST /a#3", "POST /a#1"),
      },
    },
    { "another that needs no body", { { "/a#1", true, JSON }, { "/a#2", false, FORM } }, {} },
    {
      "a body that need not be there, after none",
      { { "/a#1" }, { "/a#2", false, JSON } },
      {
        "rules.request may take POST /a#1 and POST /a#2 "
          .. "for each other: they have the same method and path",
      },
    },
    {
      "a range before, of another parameter",
      {
        { "/a#1", true, "image/*", parameters = { header "x-a" } },
        { "/a#2", true, "image/png", parameters = { header "x-b" } },
      },
      {
        "rules.request may take POST /a#1 and POST /a#2 "
          .. "for each other: they have the same method and path",
      },
    },
    {
      "a range after",
      { { "/a#1", true, "image/png" }, { "/a#2", true, "image/*" } },
      {
        "rules.request may take POST /a#1 and POST /a#2 "
          .. "for each other: they have the same method and path",
      },
    },
  } do
    it("left_out tells: " .. row[1], function()
      assert.same(row[3], load_rules(document_of(row[2])).left_out())
    end)
  end
end)

describe("an empty segment at the end of a path", function()
  it("is no value of a variable", function()
    local rules = load_rules(paths_of { { "/a/{x}" } })
    local operation, status = rules.request { method = "GET", path = "/a/" }
    assert.is_nil(operation)
    assert.equal(404, status)
  end)
end)

-- --- spellings ----------------------------------------------------------------------

-- the path of the document; the path of a request; the value, nil if it is not found
local SPELLINGS = {
  { "/caf\195\169-{x}", "/caf%C3%A9-5", "5" },
  { "/caf\195\169-{x}", "/caf%c3%a9-5", "5" },
  { "/caf\195\169-{x}", "/caf\195\169-5", "5" },
  { "/caf%C3%A9-{x}", "/caf\195\169-5", "5" },
  { "/a:b-{x}", "/a:b-5", "5" },
  { "/a:b-{x}", "/a%3Ab-5", "5" },
  { "/a:b-{x}", "/a%3ab-%35", "5" },
  { "/p q-{x}", "/p%20q-5", "5" },
  { "/p%20q-{x}", "/p%20q-5", "5" },
  { "/%41b-{x}", "/Ab-5", "5" },
  { "/Ab-{x}", "/%41b-5", "5" },
  { "/e('{x}')", "/e('5')", "5" },
  { "/e('{x}')", "/e%28%275%27%29", "5" },
  { "/e('{x}')", "/e('%27%29')", "')" },
  { "/{x},", "/a%2C,", "a," },
  { "/{x}.json", "/a%2Ejson", "a" },
  { "/a%25b-{x}", "/a%25b-5", "5" },
  { "/a%25b-{x}", "/ab-5", nil },
  { "/{+x}:go", "/a/b%3Ago", "a/b" },
  { "/{+x}:go", "/a/b:go", "a/b" },
}

describe("a path is found in each spelling:", function()
  for _, row in ipairs(SPELLINGS) do
    it(("%s is %s of %s"):format(row[2], tostring(row[3]), row[1]), function()
      local rules = load_rules(paths_of { { row[1] } })
      local operation, values = rules.request { method = "GET", path = row[2] }
      assert.equal(row[3], operation and values.path.x or nil)
    end)
  end

  for _, path in ipairs { "/a:b-{x}", "/caf\195\169-{x}", "/e('{x}')", "/{x},", "/a b/{x}~" } do
    it("as the endpoint writes " .. path, function()
      local rules = load_rules(paths_of { { path } })
      local route =
        rules.request({ method = "GET", path = (path:gsub("{x}", "v"):gsub(" ", "%%20")) })
      assert.truthy(route)
      for _, value in ipairs { "5", "a:b", "x,y", "('", "\195\169 ,", "%41" } do
        local r = endpoint(route.route, { baseUrl = "", x = value })
        local operation, values = rules.request { method = "GET", path = r.url }
        assert.truthy(operation, r.url)
        assert.equal(value, values.path.x)
      end
    end)
  end
end)

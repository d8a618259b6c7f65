-- rules.request with bodies of multipart/form-data: their values, and hostile ones.
package.path = "src/?.lua;spec/?.lua;" .. package.path
local clients = require "endpoint.clients"
local types = require "endpoint.types"

local load_text = loadstring or load

local function load_rules(root)
  local made = types.generate(root, "api", { checks = true })
  return assert(load_text(made.files[#made.files - 1].text))()
end

local TEXT, INTEGER = { type = "string" }, { type = "integer" }
local FILE = { type = "string", format = "binary" }
local OBJECT = { type = "object", properties = { n = INTEGER } }

local function list_of(items)
  return { type = "array", items = items }
end

local SCHEMA = {
  type = "object",
  properties = {
    title = TEXT,
    pages = INTEGER,
    ready = { type = "boolean" },
    tags = list_of(TEXT),
    numbers = list_of(INTEGER),
    meta = OBJECT,
    metas = list_of(OBJECT),
    lists = list_of(list_of(INTEGER)),
    both = { anyOf = { TEXT, OBJECT } },
    one = { anyOf = { INTEGER, list_of(INTEGER) } },
    any = {},
    deep = { type = "object", properties = { a = INTEGER, b = list_of(INTEGER) } },
    said = { type = "integer" },
    file = FILE,
    photo = FILE,
    image = FILE,
    files = list_of(FILE),
    ['q"n'] = TEXT,
    ["a%22b"] = TEXT,
  },
}
local ENCODING = {
  deep = { style = "deepObject", explode = true },
  said = { contentType = "application/json" },
  photo = { contentType = "image/png, image/jpeg" },
  image = { contentType = "image/*" },
}

local MULTIPART = "multipart/form-data"

local function post(content, is_required)
  return { post = { requestBody = { required = is_required, content = content } } }
end

local rules = load_rules {
  openapi = "3.1.0",
  paths = {
    ["/form"] = post({ [MULTIPART] = { schema = SCHEMA, encoding = ENCODING } }, true),
    ["/either"] = post {
      ["application/json"] = { schema = OBJECT },
      [MULTIPART] = {
        schema = { type = "object", required = { "n" }, properties = { n = INTEGER, f = FILE } },
        encoding = { f = { contentType = "text/csv" } },
      },
      ["text/plain"] = { schema = { type = "string", maxLength = 3 } },
      ["image/png"] = { schema = FILE },
    },
    ["/bytes"] = post {
      ["application/json"] = { schema = { type = "string", maxLength = 3 } },
      ["image/png"] = { schema = FILE },
    },
    ["/map"] = post {
      [MULTIPART] = { schema = { type = "object", additionalProperties = INTEGER } },
    },
  },
}

local function request(body, content_type, path)
  return rules.request {
    method = "POST",
    path = path or "/form",
    headers = { ["content-type"] = content_type or MULTIPART .. "; boundary=b" },
    body = body,
  }
end

-- A part: the parameters after form-data, the media type or nil, and the data.
local function part(parameters, data, media_type)
  local head = "Content-Disposition: form-data; " .. parameters .. "\r\n"
  if media_type then
    head = head .. "Content-Type: " .. media_type .. "\r\n"
  end
  return "--b\r\n" .. head .. "\r\n" .. data .. "\r\n"
end

local function field(name, data, media_type)
  return part(('name="%s"'):format(name), data, media_type)
end

local END = "--b--\r\n"
local JSON, PNG = "application/json", "image/png"

-- --- values -------------------------------------------------------------------------

-- what the row is; the parts; the value, nil where the request is refused; words of the problem
local VALUES = {
  { "no parts", "", {} },
  { "a text", field("title", "a b"), { title = "a b" } },
  { "a text with line ends", field("title", "a\r\nb\n\r\n"), { title = "a\r\nb\n\r\n" } },
  { "an empty text", field("title", ""), { title = "" } },
  { "a text of a media type", field("title", "x", "text/plain; charset=utf-8"), { title = "x" } },
  { "a text that says to be JSON", field("title", '"x"', JSON), { title = '"x"' } },
  { "percent and plus as they are", field("title", "a+b%20c"), { title = "a+b%20c" } },
  { "an integer", field("pages", "5"), { pages = 5 } },
  { "a wrong integer", field("pages", "05"), nil, "expected an integer, got a string" },
  { "an integer in JSON", field("pages", "5", JSON), { pages = 5 } },
  { "an integer as a string in JSON", field("pages", '"5"', JSON), nil, "expected an integer" },
  { "a boolean", field("ready", "true"), { ready = true } },
  { "one name twice", field("title", "a") .. field("title", "b"), nil, "is there twice" },
  { "an unknown name", field("zzz", "a"), nil, "is unknown" },
  { "one element of a list", field("tags", "a"), { tags = { "a" } } },
  { "two elements", field("tags", "a") .. field("tags", "b"), { tags = { "a", "b" } } },
  { "elements of name[]", field("tags[]", "a") .. field("tags[]", "b"), { tags = { "a", "b" } } },
  { "name[] of a text", field("title[]", "a"), nil, "is unknown" },
  { "an element that looks like JSON", field("tags", '["a"]'), { tags = { '["a"]' } } },
  { "a list in JSON", field("tags", '["a","b"]', JSON), { tags = { "a", "b" } } },
  { "integers", field("numbers", "1") .. field("numbers", "2"), { numbers = { 1, 2 } } },
  { "a wrong element", field("numbers", "1") .. field("numbers", "x"), nil, "expected an integer" },
  { "an object", field("meta", '{"n":1}'), { meta = { n = 1 } } },
  { "an object that says to be JSON", field("meta", ' {"n":1}', JSON), { meta = { n = 1 } } },
  {
    "an object as a browser's blob",
    part('name="meta"; filename="blob"', '{"n":1}', JSON),
    {
      meta = { n = 1 },
    },
  },
  { "a wrong object", field("meta", '{"n":"1"}'), nil, "expected an integer" },
  { "broken JSON", field("meta", '{"n":1'), nil, "expected JSON" },
  { "no JSON for an object", field("meta", "n,1"), nil, "expected an object" },
  {
    "objects",
    field("metas", '{"n":1}', JSON) .. field("metas", '{"n":2}'),
    {
      metas = { { n = 1 }, { n = 2 } },
    },
  },
  { "one object", field("metas", '{"n":1}', JSON), { metas = { { n = 1 } } } },
  { "all objects in one part", field("metas", '[{"n":1}]', JSON), { metas = { { n = 1 } } } },
  { "lists", field("lists", "[1]") .. field("lists", "[2]"), { lists = { { 1 }, { 2 } } } },
  { "one list of a list", field("lists", "[1]"), { lists = { { 1 } } } },
  { "a text that may be an object", field("both", '{"n":1}'), { both = '{"n":1}' } },
  { "an object that may be a text", field("both", '{"n":1}', JSON), { both = { n = 1 } } },
  { "an integer that may be a list", field("one", "1"), { one = 1 } },
  { "a list that may be an integer", field("one", "1") .. field("one", "2"), { one = { 1, 2 } } },
  { "any text", field("any", "5"), { any = "5" } },
  { "any JSON", field("any", "5", JSON), { any = 5 } },
  { "any list", field("any", "5") .. field("any", "6", JSON), { any = { "5", 6 } } },
  { "keys", field("deep[a]", "1") .. field("deep[b][]", "2"), { deep = { a = 1, b = { 2 } } } },
  { "a wrong key", field("deep[c]", "1"), nil, "is unknown" },
  {
    "keys and the whole",
    field("deep[a]", "1") .. field("deep", '{"a":1}'),
    nil,
    "a value and an",
  },
  { "malformed keys", field("deep[a", "1"), nil, "has a malformed name" },
  { "JSON by contentType", field("said", "5"), { said = 5 } },
  { "another type than contentType", field("said", "5", "text/xml"), nil, "expected a part of" },
  {
    "a file",
    part('name="file"; filename="a.png"', "\0\255\r\n--", PNG),
    {
      file = "\0\255\r\n--",
    },
  },
  { "a file without a name", field("file", "5"), { file = "5" } },
  { "an empty file", part('name="file"; filename=""', ""), { file = "" } },
  { "one of several files", part('name="files"; filename="a"', "a"), { files = { "a" } } },
  { "files", field("files", "a", PNG) .. field("files", "b"), { files = { "a", "b" } } },
  { "a file of JSON", field("file", '{"n":1}', JSON), { file = '{"n":1}' } },
  { "a file of a type of contentType", field("photo", "x", "Image/JPEG"), { photo = "x" } },
  {
    "a file of another type",
    field("photo", "x", "text/html"),
    nil,
    "expected a part of image/png",
  },
  { "a file of no type", field("photo", "x"), nil, "expected a part of image/png or image/jpeg" },
  { "a file of a range", field("image", "x", "image/gif"), { image = "x" } },
  { "a file out of a range", field("image", "x", "text/plain"), nil, "expected a part of image/*" },
  { "a name as browsers write it", field("q%22n", "x"), { ['q"n'] = "x" } },
  { "a name with %22 in it", field("a%22b", "x"), { ["a%22b"] = "x" } },
  { "a name without quotes", part("name=title", "x"), { title = "x" } },
  { "a name after the filename", part('filename=a; name="title";', "x"), { title = "x" } },
  {
    "names in upper case",
    "--b\r\nCONTENT-DISPOSITION:Form-Data;NAME=title\r\n\r\nx\r\n",
    {
      title = "x",
    },
  },
  {
    "fields that say nothing",
    "--b\r\nX-A: b\r\nContent-Length: 9\r\n"
      .. 'Content-Disposition: form-data; name="title"\r\n\r\nx\r\n',
    { title = "x" },
  },
  {
    "an encoding that changes nothing",
    "--b\r\nContent-Transfer-Encoding: 8Bit\r\n"
      .. 'Content-Disposition: form-data; name="title"\r\n\r\nx\r\n',
    { title = "x" },
  },
}

describe("rules.request reads of multipart/form-data", function()
  for _, row in ipairs(VALUES) do
    it(row[1], function()
      local operation, values, problems = request(row[2] .. END)
      if row[3] then
        assert.truthy(operation, problems and problems[1].message)
        assert.same(row[3], values.body)
      else
        assert.is_nil(operation)
        assert.equal(400, values)
        assert.equal("body", problems[1].place)
        assert.truthy(problems[1].message:find(row[4], 1, true), problems[1].message)
      end
    end)
  end

  it("what Node.js writes", function()
    local boundary = "----formdata-undici-064475458553"
    local body = ([[
--B
Content-Disposition: form-data; name="title"

a b
c
--B
Content-Disposition: form-data; name="meta"; filename="blob"
Content-Type: application/json

{"n":1}
--B
Content-Disposition: form-data; name="tags"

x
--B
Content-Disposition: form-data; name="tags"

y
--B
Content-Disposition: form-data; name="file"; filename="a %22.png"
Content-Type: application/octet-stream

x
--B
Content-Disposition: form-data; name="q%22n"

z
--B--
]]):gsub("\n", "\r\n"):gsub("%-%-B", "--" .. boundary)
    local _, values = request(body, MULTIPART .. "; boundary=" .. boundary)
    assert.same({
      title = "a b\r\nc",
      meta = { n = 1 },
      tags = { "x", "y" },
      file = "x",
      ['q"n'] = "z",
    }, values.body)
  end)

  it("what clients.multipart writes", function()
    local body, content_type = clients.multipart {
      { name = "title", data = "\r\n--b--\r\n--endpoint-000000000000" },
      { name = "pages", data = 5 },
      { name = "ready", data = false },
      { name = "meta", data = '{"n":1}', type = JSON },
      { name = "file", data = "\0\r\n\r\n", filename = 'a"b.png', type = PNG },
      { name = 'q"n', data = "" },
    }
    local _, values = request(body, content_type)
    assert.same({
      title = "\r\n--b--\r\n--endpoint-000000000000",
      pages = 5,
      ready = false,
      meta = { n = 1 },
      file = "\0\r\n\r\n",
      ['q"n'] = "",
    }, values.body)
  end)

  it("a boundary in quotes", function()
    local _, values = request(
      "--a b\r\n" .. field("title", "x"):sub(6):gsub("%-%-b", "--a b") .. "--a b--",
      MULTIPART .. '; charset=utf-8; Boundary="a b"'
    )
    assert.same({ title = "x" }, values.body)
  end)

  it(
    "a line end before the first part, spaces after a boundary, and no line end at the end",
    function()
      local body = "\r\n" .. field("title", "x"):gsub("^%-%-b", "--b \t") .. "--b-- "
      local _, values = request(body)
      assert.same({ title = "x" }, values.body)
    end
  )

  it("a free map", function()
    local _, values = request(field("a", "1") .. field("b", "2") .. END, nil, "/map")
    assert.same({ a = 1, b = 2 }, values.body)
    local _, status = request(field("a", "x") .. END, nil, "/map")
    assert.equal(400, status)
  end)
end)

-- --- several media types ------------------------------------------------------------

-- the body; the media type; the value, or a status
local EITHER = {
  { field("n", "5") .. END, MULTIPART .. "; boundary=b", { n = 5 } },
  { field("n", "x") .. END, MULTIPART .. "; boundary=b", 400 },
  { field("f", "x", "text/csv") .. END, MULTIPART .. "; boundary=b", 400 },
  { field("n", "5") .. field("f", "x", PNG) .. END, MULTIPART .. "; boundary=b", 400 },
  { '{"n":5}', JSON, { n = 5 } },
  { "abc", "text/plain", "abc" },
  { "abcd", "text/plain", 400 },
  { "abcdefgh", PNG, "abcdefgh" },
  { "x", "multipart/mixed; boundary=b", 415 },
}

describe("a body of several media types", function()
  for _, row in ipairs(EITHER) do
    it(("%s: %s"):format(row[2], row[1]:gsub("%c+", " "):sub(1, 80)), function()
      local operation, values = request(row[1], row[2], "/either")
      if type(row[3]) == "number" then
        assert.equal(row[3], values)
      else
        assert.truthy(operation)
        assert.same(row[3], values.body)
      end
    end)
  end

  it("has no schema where it is bytes", function()
    local _, values = request("abcdefgh", PNG, "/bytes")
    assert.equal("abcdefgh", values.body)
    local _, status = request('"abcdefgh"', JSON, "/bytes")
    assert.equal(400, status)
  end)

  it("has one schema for all of them", function()
    local any = load_rules {
      openapi = "3.1.0",
      paths = { ["/x"] = post { ["*/*"] = { schema = OBJECT } } },
    }
    for media_type, body in pairs {
      [JSON] = '{"n":5}',
      ["application/x-www-form-urlencoded"] = "n=5",
      [MULTIPART .. "; boundary=b"] = field("n", "5") .. END,
    } do
      local _, values = any.request {
        method = "POST",
        path = "/x",
        headers = { ["content-type"] = media_type },
        body = body,
      }
      assert.same({ n = 5 }, values.body)
    end
  end)

  it("has the encoding of its operation where two have one schema", function()
    local root = { openapi = "3.1.0", components = { schemas = { S = SCHEMA } }, paths = {} }
    for path, encoding in pairs { ["/a"] = { tags = { contentType = JSON } }, ["/b"] = {} } do
      local schema = { ["$ref"] = "#/components/schemas/S" }
      root.paths[path] = post { [MULTIPART] = { schema = schema, encoding = encoding } }
    end
    local both = load_rules(root)
    for path, expected in pairs { ["/a"] = { "x" }, ["/b"] = { '["x"]' } } do
      local _, values = both.request {
        method = "POST",
        path = path,
        headers = { ["content-type"] = MULTIPART .. "; boundary=b" },
        body = field("tags", '["x"]') .. END,
      }
      assert.same({ tags = expected }, values.body)
    end
  end)
end)

-- --- hostile bodies -----------------------------------------------------------------

local ONE = field("title", "x")

local function head(lines)
  return "--b\r\n" .. lines .. "\r\n\r\nx\r\n" .. END
end

local NAMED = 'Content-Disposition: form-data; name="title"'

-- what the row is; the body; words of the problem
local HOSTILE = {
  { "nothing but text", "x", "does not begin with the boundary" },
  { "JSON", '{"title":"x"}', "does not begin with the boundary" },
  { "text before the first part", "x\r\n" .. ONE .. END, "does not begin with the boundary" },
  { "text after the end", ONE .. END .. "x", "goes on after its end" },
  { "a part after the end", ONE .. END .. ONE .. END, "goes on after its end" },
  { "no end", ONE, "does not end with the boundary" },
  { "no end after a boundary", ONE .. "--b\r\n", "does not end with the boundary" },
  { "a part cut off", "--b\r\n" .. NAMED, "does not end with the boundary" },
  { "a boundary cut off", ONE .. "--b", "has the boundary in a part" },
  { "half an end", ONE .. "--b-", "has the boundary in a part" },
  { "the boundary in a line", field("title", "x--b\r\n") .. END, "has the boundary in a part" },
  { "a longer boundary", field("title", "\r\n--bc\r\n") .. END, "has the boundary in a part" },
  { "the boundary after LF", field("title", "\n--b\r\n") .. END, "has the boundary in a part" },
  { "lines that end in LF", (ONE .. END):gsub("\r", ""), "has the boundary in a part" },
  { "no head", "--b\r\n\r\nx\r\n" .. END, "has a malformed head" },
  { "an empty part", "--b\r\n--b--\r\n", "head does not end" },
  { "a part of nothing", "--b\r\n\r\n" .. END, "has a part whose head does not end" },
  { "a head that does not end", "--b\r\n" .. NAMED .. "\r\n" .. END, "head does not end" },
  { "a head of 9,000 bytes", head(NAMED .. "\r\nX-A: " .. ("a"):rep(9000)), "head does not end" },
  { "no colon", head(NAMED .. "\r\nabc"), "has a malformed head" },
  { "a folded line", head(NAMED .. "\r\n ; x=y"), "has a malformed head" },
  { "a space before the colon", head("Content-Disposition : form-data; name=a"), "malformed head" },
  { "NUL in the head", head(NAMED .. "\0"), "has a malformed head" },
  { "LF in the head", head(NAMED .. "\nX-A: b"), "has a malformed head" },
  { "CR in the head", head(NAMED .. "\rX-A: b"), "has a malformed head" },
  { "two names of a part", head(NAMED .. "\r\n" .. NAMED), "has content-disposition twice" },
  { "two media types", head(NAMED .. "\r\nContent-Type: a/b\r\ncontent-type: c/d"), "twice" },
  { "no content-disposition", head "Content-Type: text/plain", "has a part without a name" },
  { "an attachment", head "Content-Disposition: attachment; name=title", "without a name" },
  { "no name", head "Content-Disposition: form-data", "has a part without a name" },
  { "an empty name", part('name=""', "x") .. END, "has a part without a name" },
  { "name twice", part("name=title; name=pages", "x") .. END, "has a part without a name" },
  { "name and name*", part("name=title; name*=UTF-8''pages", "x") .. END, "without a name" },
  { "a quote after a backslash", part([[name=title; filename="\"; a="]], "x") .. END, "a name" },
  { "a name after such a quote", part([[filename="\"; name="title"]], "x") .. END, "a name" },
  { "a backslash in the name", part([[name="ti\tle"]], "x") .. END, "has a part without a name" },
  { "a quote that does not end", part('name="title', "x") .. END, "has a part without a name" },
  { "base64", head(NAMED .. "\r\nContent-Transfer-Encoding: base64"), "content-transfer-encoding" },
  {
    "parts in a part",
    field("file", "x", "multipart/mixed; boundary=c") .. END,
    "parts in a part",
  },
  { "1,001 parts", field("tags", "x"):rep(1001) .. END, "has more than 1,000 parts" },
  { "100,000 parts", field("tags", "x"):rep(1e5) .. END, "has more than 1,000 parts" },
}

-- the parameters of the content-type
local BOUNDARIES = {
  "",
  ";",
  "; charset=utf-8",
  "; boundary",
  "; boundary=",
  '; boundary=""',
  '; boundary="b',
  '; boundary="b "',
  '; boundary="b\\"',
  "; boundary=b; boundary=b",
  "; boundary=b;;",
  "; boundary=b c",
  "; boundary=b\0",
  "; boundary=b\195\169",
  "; boundary=" .. ("b"):rep(71),
  "; boundary*=b",
  "; x" .. (" "):rep(1000) .. "boundary=b",
}

describe("rules.request answers 400 to multipart/form-data with", function()
  for _, row in ipairs(HOSTILE) do
    it(row[1], function()
      local operation, status, problems = request(row[2])
      assert.is_nil(operation)
      assert.equal(400, status)
      assert.equal("body", problems[1].place)
      assert.truthy(problems[1].message:find(row[3], 1, true), problems[1].message)
    end)
  end

  for _, parameters in ipairs(BOUNDARIES) do
    it("the content-type's " .. parameters:gsub("[^ -~]", "?"):sub(1, 60), function()
      local operation, status, problems = request(ONE .. END, MULTIPART .. parameters)
      assert.is_nil(operation)
      assert.equal(400, status)
      assert.same({
        { place = "header", name = "content-type", pointer = "", message = "expected a boundary" },
      }, problems)
    end)
  end

  it("no body where it is required", function()
    local _, status, problems = request ""
    assert.same({ 400, "is missing" }, { status, problems[1].message })
  end)

  it("1,000 parts are read", function()
    local _, values = request(field("tags", "x"):rep(1000) .. END)
    assert.equal(1000, #values.body.tags)
  end)

  it("nothing of a stranger that a terminal obeys", function()
    local _, _, problems = request(field("a\27[31m", "x") .. END)
    assert.is_nil(require("cjson").encode(problems):find "\\u001b")
  end)
end)

-- --- cost ---------------------------------------------------------------------------

-- Texts that a pattern with two repetitions would look at again and again.
local LONG = {
  head(NAMED .. ("; "):rep(4000)),
  head(NAMED .. (" "):rep(8000) .. "x"),
  head("Content-Type:" .. (" "):rep(8000) .. "\1"),
  head(NAMED .. "\r\nContent-Transfer-Encoding: 7bit" .. (" "):rep(7000) .. "x"),
}

describe("a body of multipart/form-data takes time that is linear", function()
  it("in its bytes", function()
    local from = os.clock()
    request(("--b"):rep(1e6) .. END)
    request(field("title", ("\r\n--"):rep(5e5)) .. END)
    request(field("title", ("-"):rep(2e6)) .. "--b" .. (" "):rep(1e6) .. "x")
    request(ONE .. "--" .. ("-"):rep(2e6), MULTIPART .. "; boundary=" .. ("-"):rep(69) .. "b")
    assert.is_true(os.clock() - from < 4, os.clock() - from)
  end)

  it("in each head", function()
    local from = os.clock()
    for _, one in ipairs(LONG) do
      local parts = one:sub(1, -#END - 1)
      request(parts:rep(400) .. END)
    end
    assert.is_true(os.clock() - from < 4, os.clock() - from)
  end)
end)

-- --- any bytes ----------------------------------------------------------------------

-- The same numbers under every Lua.
local function random(seed)
  return function(most)
    seed = (seed * 16807) % 2147483647
    return seed % most + 1
  end
end

local PIECES = {
  "--b",
  "--b--",
  "\r\n",
  "\r",
  "\n",
  "\r\n\r\n",
  "-",
  ";",
  '"',
  "\\",
  "name=",
  "\0",
  "\255",
  " ",
  "multipart/mixed",
  "[",
  "{",
  "%22",
}

-- A body in which a few bytes are lost, doubled, or replaced by what means something.
local function mutated(body, draw)
  for _ = 1, draw(3) do
    local at, length, what = draw(#body), draw(8), draw(4)
    local piece = PIECES[draw(#PIECES)]
    if what == 1 then
      piece, length = "", length
    elseif what == 2 then
      piece = body:sub(at, at + length - 1):rep(2)
    elseif what == 3 then
      length = 0
    end
    body = body:sub(1, at - 1) .. piece .. body:sub(at + length)
  end
  return body
end

describe("a mutated body of multipart/form-data", function()
  local BODY = field("title", "a\r\nb")
    .. field("pages", "5")
    .. field("tags", "x")
    .. field("tags", "y")
    .. field("meta", '{"n":1}', JSON)
    .. field("deep[a]", "1")
    .. part('name="file"; filename="a"', "\0\1", PNG)
    .. END

  it("is read, or refused with a problem", function()
    local draw, counts = random(7), { [200] = 0, [400] = 0 }
    for _ = 1, 5000 do
      local given = mutated(BODY, draw)
      local operation, values, problems = request(given)
      local status = operation and 200 or values
      assert.truthy(counts[status], given)
      counts[status] = counts[status] + 1
      assert.truthy(operation or problems[1].message ~= "", given)
    end
    assert.is_true(counts[200] > 100 and counts[400] > 1000, counts[200])
  end)

  it("that is read is the same after it was written again", function()
    local draw, count = random(11), 0
    for _ = 1, 5000 do
      local operation, values = request(mutated(BODY, draw))
      local title = operation and values.body.title
      if title then
        local body, content_type = clients.multipart {
          { name = "title", data = title },
          { name = "file", data = values.body.file or "" },
        }
        local _, again = request(body, content_type)
        assert.same({ title = title, file = values.body.file or "" }, again.body)
        count = count + 1
      end
    end
    assert.is_true(count > 100, count)
  end)
end)

-- clients.form and clients.multipart: forms as text, and bodies under their content types.
local clients = require "endpoint.clients"
local endpoint = require "endpoint"
local json = require "cjson"
local support = require "support"

local raises = support.client_raises
local NULL = endpoint.null

-- Forms that are written in the same way whatever `nested` is.
local FLAT = {
  { what = "an empty form", form = {}, written = "" },
  {
    what = "fields in bytewise order of their names",
    form = { b = 1, a = "", B = 3, ["a-"] = 4, ["a b"] = 5, [""] = "x" },
    written = "=x&B=3&a=&a%20b=5&a-=4&b=1",
  },
  {
    what = "any byte",
    form = { ["é"] = 1, z = "\0\r\n%", ["\255"] = 3, ["a\0"] = "a b+c&d=e/é~._-" },
    written = "a%00=a%20b%2Bc%26d%3De%2F%C3%A9~._-&z=%00%0D%0A%25&%C3%A9=1&%FF=3",
  },
  {
    what = "numbers and booleans, but neither null nor an empty table",
    form = {
      a = 5.0,
      b = -0.5,
      c = 1e-7,
      d = 2 ^ 24 - 1,
      e = true,
      f = false,
      g = NULL,
      h = json.null,
      i = {},
    },
    written = "a=5&b=-0.5&c=1e-7&d=16777215&e=true&f=false",
  },
}

-- Values of the field "a", and how they are written with options.nested = "brackets", with
-- "indices" (as Stripe's own clients write them), and without it, where nil means that the form is
-- refused. All have [ and ] for %5B and %5D.
local NESTED = {
  {
    what = "a map",
    value = { c = 1, b = 2 },
    brackets = "a[b]=2&a[c]=1",
    indices = "a[b]=2&a[c]=1",
  },
  {
    what = "a map in a map",
    value = { z = 3, ["y y"] = 4, y = { x = 5 } },
    brackets = "a[y][x]=5&a[y%20y]=4&a[z]=3",
    indices = "a[y][x]=5&a[y%20y]=4&a[z]=3",
  },
  {
    what = "a list with null",
    value = { 1, "x y", NULL, true },
    brackets = "a[]=1&a[]=x%20y&a[]=true",
    indices = "a[0]=1&a[1]=x%20y&a[3]=true",
    flat = "a=1&a=x%20y&a=true",
  },
  {
    what = "a list with maps",
    value = { { k = 1, l = "x" }, "x", NULL, { k = 2 } },
    brackets = "a[0][k]=1&a[0][l]=x&a[1]=x&a[3][k]=2",
    indices = "a[0][k]=1&a[0][l]=x&a[1]=x&a[3][k]=2",
  },
  {
    what = "a list of lists",
    value = { { 1, 2 }, {}, { 3 } },
    brackets = "a[0][]=1&a[0][]=2&a[2][]=3",
    indices = "a[0][0]=1&a[0][1]=2&a[2][0]=3",
  },
  {
    what = "a map with a list",
    value = { b = { 1, 2 }, ["c]&"] = "=" },
    brackets = "a[b][]=1&a[b][]=2&a[c]%26]=%3D",
    indices = "a[b][0]=1&a[b][1]=2&a[c]%26]=%3D",
  },
  {
    what = "a list whose eleventh element is its first that is not empty",
    value = { {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, { k = 1 } },
    brackets = "a[10][k]=1",
    indices = "a[10][k]=1",
  },
  {
    what = "a list whose last element is an empty table",
    value = { 1, {} },
    brackets = "a[0]=1",
    indices = "a[0]=1",
  },
}

-- Forms that are refused whatever `nested` is. The errors quote no value.
local REFUSED = {
  {
    what = "a function",
    form = { a = print },
    words = { 'field "a"', "expected", "got a function" },
  },
  {
    what = "a function in a list",
    form = { a = { 1, print } },
    words = { 'field "a"', "expected", "got a function" },
  },
  {
    what = "a file",
    form = { a = io.stdout },
    words = { 'field "a"', "expected", "got a userdata" },
  },
  {
    what = "a float of 2^100",
    form = { a = 2 ^ 100 },
    words = { 'field "a"', "expected", "got a float of 2^" },
  },
  {
    what = "a float of 2^100 in a list",
    form = { a = { 1, 2 ^ 100 } },
    words = { 'field "a"', "expected", "got a float of 2^" },
  },
  { what = "NaN", form = { a = 0 / 0 }, words = { 'field "a"', "finite number, got NaN" } },
  {
    what = "a mixed table",
    form = { a = { 1, b = 2 } },
    words = { 'field "a"', "1..n", "another table" },
  },
  {
    what = "a list with a hole",
    form = { a = { 1, nil, 3 } },
    words = { 'field "a"', "1..n", "another table" },
  },
  {
    what = "a list from 0",
    form = { a = { [0] = 1 } },
    words = { 'field "a"', "1..n", "another table" },
  },
  {
    what = "a fraction as a key",
    form = { a = { [1.5] = 1 } },
    words = { 'field "a"', "1..n", "another table" },
  },
  {
    what = "a boolean as a key",
    form = { a = { [true] = 1 } },
    words = { 'field "a"', "1..n", "another table" },
  },
  { what = "a list as a form", form = { "a" }, words = { "form", "string keys" } },
  {
    what = "a boolean as a field's name",
    form = { [true] = 1 },
    words = { "form", "string keys" },
  },
  {
    what = "a number as a field's name",
    form = { a = 1, [2] = 3 },
    words = { "form", "string keys" },
  },
  {
    what = "a string as a form",
    form = "a=b",
    words = { "form: expected a table, got a string" },
  },
  {
    what = "a field whose name is long and has a control character",
    form = { ["a\nb" .. ("x"):rep(50)] = print },
    words = { 'field "a?b' .. ("x"):rep(34) .. '..."' },
  },
}
local BRACKETS = { nested = "brackets" }
local OPTIONS = {
  ["without options.nested"] = {},
  ['with options.nested = "brackets"'] = BRACKETS,
  ['with options.nested = "indices"'] = { nested = "indices" },
}

describe("clients.form", function()
  for _, case in ipairs(FLAT) do
    for how, options in pairs(OPTIONS) do
      it(("writes %s %s"):format(case.what, how), function()
        assert.equal(case.written, clients.form(case.form, options))
      end)
    end
  end

  for _, case in ipairs(NESTED) do
    -- "a b" comes last, as a key, though "%20" comes before "[".
    local form = { a = case.value, ["a b"] = 1 }

    local function with_triplets(text)
      return (text:gsub("%[", "%%5B"):gsub("%]", "%%5D")) .. "&a%20b=1"
    end

    for _, nested in ipairs { "brackets", "indices" } do
      it(('writes %s with options.nested = "%s"'):format(case.what, nested), function()
        assert.equal(with_triplets(case[nested]), clients.form(form, { nested = nested }))
      end)
    end

    if case.flat then
      it(("writes %s without options.nested"):format(case.what), function()
        assert.equal(with_triplets(case.flat), clients.form(form))
      end)
    else
      it(("refuses %s without options.nested, and names it"):format(case.what), function()
        local words = { 'form: field "a"', 'or options.nested, "brackets" or "indices"' }
        raises(words, clients.form, form)
      end)
    end
  end

  for _, row in ipairs(REFUSED) do
    for how, options in pairs(OPTIONS) do
      it(("refuses %s, %s"):format(row.what, how), function()
        raises(row.words, clients.form, row.form, options)
      end)
    end
  end

  for _, nested in ipairs { true, "bracket", 1 } do
    it("refuses options.nested = " .. support.shown(nested), function()
      local words = 'options.nested: expected "brackets" or "indices"'
      raises(words, clients.form, {}, { nested = nested })
    end)
  end

  it("refuses nil as a form", function()
    raises("got a nil", clients.form)
  end)

  it("refuses an option that it does not know", function()
    raises({ "options", '"encode"' }, clients.form, {}, { encode = print })
  end)

  it("refuses a table that holds itself", function()
    local words = { 'field "cycle"', "100 levels", "holds itself" }
    raises(words, clients.form, support.cyclic(), BRACKETS)
  end)

  it("refuses a table that is deeper than 100 levels", function()
    local form = { a = support.nested(101, "x") }
    raises({ 'field "a"', "holds itself" }, clients.form, form, BRACKETS)
  end)

  it("writes a table of 100 levels", function()
    local suffix = ("%5B0%5D"):rep(99) .. "%5B%5D=x"
    assert.equal("a" .. suffix, clients.form({ a = support.nested(100, "x") }, BRACKETS))
  end)

  it("calls no metamethod and does not modify its input", function()
    local t = setmetatable(
      { a = setmetatable({ 1, 2 }, { __index = error, __len = error }) },
      { __index = error, __pairs = error }
    )
    assert.equal("a=1&a=2", clients.form(t))
    assert.same({ 1, 2 }, { rawget(t.a, 1), rawget(t.a, 2) })
  end)
end)

local FORM = "application/x-www-form-urlencoded"
local LIST, MAP, MINE =
  { l = { 1, 2 }, a = "b c", n = NULL }, { a = { b = 1 } }, function()
    return "mine"
  end

local LIST_TEXT, MAP_AS_JSON = "a=b%20c&l=1&l=2", '{"a":{"b":1}}'

-- Bodies and what is sent of them, or words of the error. type: the content-type that is given.
local BODIES = {
  { what = "a string under the type of forms", type = FORM, data = "a=b+c", sent = "a=b+c" },
  {
    what = "a list, by options.encode",
    type = FORM,
    data = { 1 },
    options = { encode = MINE },
    sent = "mine",
  },
  {
    what = "a map where content-type is null, as JSON",
    type = json.null,
    data = MAP,
    options = { nested = "indices" },
    sent = MAP_AS_JSON,
  },
  {
    what = "a map under application/json, as JSON",
    type = "application/json",
    data = MAP,
    options = { nested = "indices" },
    sent = MAP_AS_JSON,
  },
  {
    what = "a map under a type of JSON with the type of forms in a parameter, as JSON",
    type = "application/vnd.x+json; a=" .. FORM,
    data = MAP,
    sent = MAP_AS_JSON,
  },
  {
    what = "a map under text/plain, by options.encode",
    type = "text/plain",
    data = MAP,
    options = { nested = "indices", encode = MINE },
    sent = "mine",
  },
  {
    what = "a map in a map without options.nested",
    type = FORM,
    data = MAP,
    words = { 'body: field "a"', "expected no map, or options.nested" },
  },
  { what = "a list", type = FORM, data = { 1, 2 }, words = { "body: expected string keys" } },
  {
    what = "a table that holds itself",
    type = FORM,
    data = support.cyclic(),
    words = { "body", 'field "cycle"' },
  },
  { what = "a number", type = FORM, data = 5, words = { "body", "for a form, got a" } },
  { what = "a boolean", type = FORM, data = true, words = { "body", "for a form, got a" } },
}
for what, kind in pairs {
  ["the type of forms"] = FORM,
  ["a list of types whose first is that of forms"] = { FORM, "x/y" },
  ["the type of forms in upper case"] = FORM:upper(),
  ["the type of forms with a charset"] = FORM .. "; charset=UTF-8",
  ["the type of forms with white space around it"] = " " .. FORM .. " ;x",
  ["the type of forms with an empty parameter"] = FORM .. ";",
} do
  table.insert(
    BODIES,
    { what = "a map under " .. what, type = kind, data = LIST, sent = LIST_TEXT }
  )
end
for _, kind in ipairs {
  FORM .. "x",
  "x" .. FORM,
  "multipart/form-data",
  "text/plain;" .. FORM,
  ",a/json",
  "a/b, a/json",
} do
  table.insert(BODIES, {
    what = "a map under " .. kind,
    type = kind,
    data = { a = 1 },
    words = { "body", "neither JSON nor a form" },
  })
end

describe("a client's body of a table", function()
  for _, row in ipairs(BODIES) do
    local function body()
      local headers = { ["content-type"] = row.type }
      local r = endpoint("POST https://h/x", { data = row.data, headers = headers })
      local made = clients.plain(r, row.options)
      return made.body
    end

    if row.words then
      it("is refused: " .. row.what, function()
        raises(row.words, body)
      end)
    else
      it("is sent: " .. row.what, function()
        assert.equal(row.sent, body())
      end)
    end
  end

  -- Client -> the body that it sends.
  local BODY_OF = {
    plain = function(...)
      return clients.plain(...).body
    end,
    resty_http = function(...)
      return select(2, clients.resty_http(...)).body
    end,
    luasocket = function(...)
      return clients.luasocket(...).source()
    end,
    curl = function(...)
      return clients.curl(...).postfields
    end,
    lua_https = function(...)
      return select(2, clients.lua_https(...)).data
    end,
    argv = function(...)
      return select(2, clients.argv(...)):match '"@%-"\n(.*)'
    end,
    curl_command = function(...)
      return clients.curl_command(...):match "'(items[^']*)'"
    end,
  }

  local function order()
    return endpoint("POST https://h/v1/customers/:id", {
      id = 7,
      items = { { price = "p" } },
      tags = { "a" },
      headers = { ["content-type"] = FORM },
    })
  end

  it("does not have the parameters that the path took", function()
    assert.equal("https://h/v1/customers/7", order().url)
  end)

  for nested, index in pairs { brackets = "%5B%5D", indices = "%5B0%5D" } do
    for client, body_of in pairs(BODY_OF) do
      local title = 'is nested as options.nested = "%s" says, even beside encode: clients.%s'

      it(title:format(nested, client), function()
        local options = { nested = nested, encode = error }
        local text = "items%5B0%5D%5Bprice%5D=p&tags" .. index .. "=a"
        assert.equal(text, body_of(order(), options))
      end)
    end
  end
end)

-- --- clients.multipart: multipart/form-data (RFC 7578) ------------------------------

local FIRST = "endpoint-000000000000"
local FORM_DATA = "Content-Disposition: form-data; "

-- The body of parts whose headers and data are these, two by two.
local function body_of(boundary, ...)
  local lines = {}
  for i = 1, select("#", ...), 2 do
    local head, data = select(i, ...)
    lines[#lines + 1] = "--" .. boundary .. "\r\n" .. head .. "\r\n\r\n" .. data .. "\r\n"
  end
  return table.concat(lines) .. "--" .. boundary .. "--\r\n"
end

-- Parts, and the header and the data of each as they are written.
local PARTS = {
  {
    what = "a string with ends of lines and hyphens",
    part = { name = "a", data = "\n\r\n--\r" },
    header = 'name="a"',
    data = "\n\r\n--\r",
  },
  { what = "a number", part = { name = "a", data = 5.0 }, header = 'name="a"', data = "5" },
  { what = "a boolean", part = { name = "a", data = false }, header = 'name="a"', data = "false" },
  {
    what = "a type",
    part = { name = "a", data = "b", type = "text/plain; charset=utf-8" },
    header = 'name="a"\r\nContent-Type: text/plain; charset=utf-8',
    data = "b",
  },
  {
    what = "a type with a quoted parameter",
    part = { name = "a", data = "", type = 'a/b+c ;d="e; \\"f"' },
    header = 'name="a"\r\nContent-Type: a/b+c ;d="e; \\"f"',
    data = "",
  },
  {
    what = "a filename without a type",
    part = { name = "a", data = "\0\255", filename = "b.c" },
    header = 'name="a"; filename="b.c"\r\nContent-Type: application/octet-stream',
    data = "\0\255",
  },
  {
    what = "quotes and ends of lines in its names",
    part = {
      name = '\na"\r\r\n: c\n\nb\r',
      data = "",
      filename = '\r"; name="x"\n\r',
      type = "a/b",
    },
    header = 'name="%0D%0Aa%22%0D%0A%0D%0A: c%0D%0A%0D%0Ab%0D%0A"; filename="%0D%22; '
      .. 'name=%22x%22%0A%0D"\r\nContent-Type: a/b',
    data = "",
  },
  {
    what = "other bytes in its names",
    part = { name = "[é]%22/;=", data = "", filename = "\255 ' ☃", type = "image/png" },
    header = 'name="[é]%22/;="; filename="\255 \' ☃"\r\nContent-Type: image/png',
    data = "",
  },
}

describe("clients.multipart", function()
  for _, row in ipairs(PARTS) do
    it("writes a part with " .. row.what, function()
      local body, content_type, length = clients.multipart { row.part }
      assert.equal(body_of(FIRST, FORM_DATA .. row.header, row.data), body)
      assert.equal("multipart/form-data; boundary=" .. FIRST, content_type)
      assert.equal(#body, length)
    end)

    it("does not modify a part with " .. row.what, function()
      local before = support.copied(row.part)
      clients.multipart { row.part }
      assert.same(before, row.part)
    end)
  end

  for _, row in ipairs {
    { what = "the first boundary", data = { FIRST }, number = "000000000001" },
    {
      what = "the first boundary cut in two",
      data = { FIRST:sub(1, -2), FIRST:sub(2) },
      number = "000000000000",
    },
    {
      what = "the first two boundaries",
      data = { "x" .. FIRST .. FIRST, "", "endpoint-endpoint-000000000001" },
      number = "000000000002",
    },
    {
      what = "the third boundary, then the first",
      data = { "endpoint-000000000002 endpoint-000000000000" },
      number = "000000000001",
    },
    {
      what = "the first two boundaries, each after its own beginning",
      data = { "endpoinendpoint-000000000000endpoinendpoint-000000000001" },
      number = "000000000002",
    },
  } do
    it(
      "takes the first boundary that none of its parts holds, where they hold " .. row.what,
      function()
        local parts = {}
        for i, data in ipairs(row.data) do
          parts[i] = { name = "a", data = data }
        end
        local _, content_type = clients.multipart(parts)
        assert.equal("multipart/form-data; boundary=endpoint-" .. row.number, content_type)
      end
    )
  end

  for where, part in pairs {
    ["a name"] = { name = FIRST, data = "" },
    ["a filename"] = { name = "a", data = "", filename = FIRST },
  } do
    it("takes a boundary that is not in " .. where, function()
      assert.truthy(clients.multipart({ part }):find("^--endpoint%-000000000001\r\n"))
    end)
  end

  it("takes options.boundary", function()
    local parts = { { name = "a", data = "b" } }
    local body, content_type = clients.multipart(parts, { boundary = "a'+_.-Z9" })
    assert.equal("multipart/form-data; boundary=a'+_.-Z9", content_type)
    assert.equal(body_of("a'+_.-Z9", FORM_DATA .. 'name="a"', "b"), body)
  end)

  local PLAIN = { { name = "a", data = "b" }, { name = "c", data = "x--yz" } }

  it("refuses options.boundary if the first part holds it", function()
    raises({ "part 1 holds the boundary" }, clients.multipart, PLAIN, { boundary = "b" })
  end)

  it("refuses options.boundary if another part holds it", function()
    local words = { "part 2 holds the boundary", "options.boundary" }
    raises(words, clients.multipart, PLAIN, { boundary = "yz" })
  end)

  it("refuses options.boundary if the name of a part holds it", function()
    local parts = { PLAIN[1], PLAIN[1], { name = "xy", data = "" } }
    raises({ "part 3 holds the boundary" }, clients.multipart, parts, { boundary = "xy" })
  end)

  for _, boundary in ipairs { ("b"):rep(70), "." } do
    it("takes options.boundary = " .. support.shown(boundary), function()
      assert.truthy(clients.multipart(PLAIN, { boundary = boundary }))
    end)
  end

  for _, boundary in ipairs { "", "a b", "a\r\n", 'a"', "a:b", ("a"):rep(71), 5, true } do
    it("refuses options.boundary = " .. support.shown(boundary), function()
      local words = "options.boundary: expected 1 to 70"
      raises(words, clients.multipart, PLAIN, { boundary = boundary })
    end)
  end

  it("refuses an option that it does not know", function()
    raises({ "options", '"type"' }, clients.multipart, PLAIN, { type = "a/b" })
  end)

  it("takes a length of 10^15 bytes", function()
    assert.truthy(clients.multipart { { name = "a", data = print, length = 1e15 } })
  end)
end)

describe("clients.multipart refuses", function()
  for what, parts in pairs {
    ["an empty list"] = {},
    ["a part alone"] = { name = "a", data = "b" },
    ["a list without a first part"] = { [2] = { name = "a", data = "b" } },
    ["a string"] = "a",
    ["nil"] = false,
  } do
    it("what is not a list of parts: " .. what, function()
      raises("parts: expected a list of one part or more", clients.multipart, parts or nil)
    end)
  end

  local DATA = "data: expected a string, finite number, boolean or function, got "
  local NAME = "expected no backslash, and no control character but CR and LF"
  local EMPTY = "expected a string of one byte or more"
  local MEDIA_TYPE, LENGTH = "expected a media type", "expected the number of bytes"

  -- Parts that are refused, and what is said of them. The errors quote no value.
  local ROWS = {
    { what = "a part that is a string", part = "a=b", words = "expected a table, got a string" },
    { what = "a part without a name", part = { data = "b" }, words = "name: expected a string" },
    {
      what = "a part whose metatable has the name",
      part = setmetatable({ data = "b" }, { __index = { name = "a" } }),
      words = "name: expected a string",
    },
    {
      what = "a length beside a string",
      part = { name = "a", data = "b", length = 1 },
      words = "length: is for a function as data, got a string",
    },
    {
      what = "an unknown field",
      part = { name = "a", data = "b", fileName = "c" },
      words = 'a part has no field "fileName"',
    },
    {
      what = "a number as a field",
      part = { "a", name = "a", data = "b" },
      words = 'a part has no field "1"',
    },
    {
      what = "data that are a table",
      part = { name = "a", data = {} },
      words = DATA .. "a table",
    },
    {
      what = "data that are null",
      part = { name = "a", data = endpoint.null },
      words = DATA .. "a userdata",
    },
    {
      what = "data that are infinite",
      part = { name = "a", data = 1 / 0 },
      words = "data: expected a finite number",
    },
    {
      what = "data that are a float of -2^53",
      part = { name = "a", data = -2 ^ 53 },
      words = "data: expected an integer or a string, got a float of 2^",
    },
    { what = "a part without data", part = { name = "a" }, words = DATA .. "a nil" },
  }
  local FIELDS = {
    { field = "name", words = NAME, values = { "a\\", "\\", "a\0", "\t", "\127", "s3cret\27" } },
    { field = "name", words = EMPTY, values = { "", 5, true, endpoint.null } },
    {
      field = "filename",
      words = NAME,
      values = { "a\\", "\\", "a\0", "\t", "\127", "s3cret\27" },
    },
    { field = "filename", words = EMPTY, values = { "", 5, true, endpoint.null } },
    {
      field = "type",
      words = MEDIA_TYPE,
      values = {
        "",
        "text",
        "text/",
        "/x",
        "te xt/x",
        "text/x\r\nx: y",
        "text/x;\n",
        "text/x, y/z",
        "text/x y",
        "text/é",
        "text/x; a=é",
        5,
        true,
      },
    },
    {
      field = "length",
      words = LENGTH,
      values = { -1, 0.5, 1 / 0, 0 / 0, 1e15 + 1 > 1e15 and 1e15 + 1 or 2e15, "5", true },
    },
  }
  for _, case in ipairs(FIELDS) do
    for _, value in ipairs(case.values) do
      ROWS[#ROWS + 1] = {
        what = ("%s = %s"):format(case.field, support.shown(value)),
        part = { name = "a", data = print, [case.field] = value },
        words = case.field .. ": " .. case.words,
      }
    end
  end
  for _, row in ipairs(ROWS) do
    it(row.what .. ", and says which part has it", function()
      local parts = { { name = "a", data = "b" }, row.part }
      raises("part 2: " .. row.words, clients.multipart, parts)
    end)
  end
end)

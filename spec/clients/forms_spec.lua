-- clients.form and clients.multipart: forms as text, and bodies under their content types.
local clients = require "endpoint.clients"
local endpoint = require "endpoint"
local json = require "cjson"
local support = require "support"

local raises = support.client_raises
local NULL = endpoint.null

-- Forms and their text, which is the same with any `nested` and without it, but for lists.
local FLAT = {
  { {}, "" },
  { { b = 1, a = "", B = 3, ["a-"] = 4, ["a b"] = 5, [""] = "x" }, "=x&B=3&a=&a%20b=5&a-=4&b=1" },
  {
    { ["é"] = 1, z = "\0\r\n%", ["\255"] = 3, ["a\0"] = "a b+c&d=e/é~._-" },
    "a%00=a%20b%2Bc%26d%3De%2F%C3%A9~._-&z=%00%0D%0A%25&%C3%A9=1&%FF=3",
  },
  {
    {
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
    "a=5&b=-0.5&c=1e-7&d=16777215&e=true&f=false",
  },
}

-- Values of the field "a": with brackets, with indices (as Stripe's own clients write them; nil
-- where that is the same), and flat (nil if that is refused), all with [ and ] for %5B and %5D.
local NESTED = {
  { { c = 1, b = 2 }, "a[b]=2&a[c]=1" },
  { { z = 3, ["y y"] = 4, y = { x = 5 } }, "a[y][x]=5&a[y%20y]=4&a[z]=3" },
  {
    { 1, "x y", NULL, true },
    "a[]=1&a[]=x%20y&a[]=true",
    "a[0]=1&a[1]=x%20y&a[3]=true",
    "a=1&a=x%20y&a=true",
  },
  { { { k = 1, l = "x" }, "x", NULL, { k = 2 } }, "a[0][k]=1&a[0][l]=x&a[1]=x&a[3][k]=2" },
  { { { 1, 2 }, {}, { 3 } }, "a[0][]=1&a[0][]=2&a[2][]=3", "a[0][0]=1&a[0][1]=2&a[2][0]=3" },
  {
    { b = { 1, 2 }, ["c]&"] = "=" },
    "a[b][]=1&a[b][]=2&a[c]%26]=%3D",
    "a[b][0]=1&a[b][1]=2&a[c]%26]=%3D",
  },
  { { {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, { k = 1 } }, "a[10][k]=1" },
  { { 1, {} }, "a[0]=1" },
}

-- What is wrong with a form whatever `nested` is, and forms of which it is true; the errors quote
-- no value.
local REFUSED = {
  { { 'field "a"', "expected", "got a function" }, { a = print }, { a = { 1, print } } },
  { { 'field "a"', "expected", "got a userdata" }, { a = io.stdout } },
  { { 'field "a"', "expected", "got a float of 2^" }, { a = 2 ^ 100 }, { a = { 1, 2 ^ 100 } } },
  { { 'field "a"', "finite number, got NaN" }, { a = 0 / 0 } },
  {
    { 'field "a"', "1..n", "another table" },
    { a = { 1, b = 2 } },
    { a = { 1, nil, 3 } },
    { a = { [0] = 1 } },
    { a = { [1.5] = 1 } },
    { a = { [true] = 1 } },
  },
  { { "form", "string keys" }, { "a" }, { [true] = 1 }, { a = 1, [2] = 3 } },
  { { "form: expected a table, got a string" }, "a=b" },
  { { 'field "a?b' .. ("x"):rep(34) .. '..."' }, { ["a\nb" .. ("x"):rep(50)] = print } },
}
local OPTIONS = { {}, { nested = "brackets" }, { nested = "indices" } }

describe("clients.form", function()
  for _, case in ipairs(FLAT) do
    for _, options in ipairs(OPTIONS) do
      local nested = support.shown(options.nested)

      it(("writes with options.nested = %s: %q"):format(nested, case[2]), function()
        assert.equal(case[2], clients.form(case[1], options))
      end)
    end
  end

  -- "a b" comes last, as a key, though "%20" comes before "[".
  for _, case in ipairs(NESTED) do
    it("writes a nested " .. case[2], function()
      local form = { a = case[1], ["a b"] = 1 }
      local function check(expected, nested)
        local written = expected:gsub("%[", "%%5B"):gsub("%]", "%%5D")
        assert.equal(written .. "&a%20b=1", clients.form(form, { nested = nested }))
      end
      check(case[2], "brackets")
      check(case[3] or case[2], "indices")
      if case[4] then
        return check(case[4])
      end
      raises(
        { 'form: field "a"', 'or options.nested, "brackets" or "indices"' },
        clients.form,
        form
      )
    end)
  end

  for _, row in ipairs(REFUSED) do
    for i = 2, #row do
      for _, options in ipairs(OPTIONS) do
        local title = "refuses form %d with options.nested = %s: %s"
        local nested, words = support.shown(options.nested), table.concat(row[1], ", ")

        it(title:format(i - 1, nested, words), function()
          raises(row[1], clients.form, row[i], options)
        end)
      end
    end
  end

  for _, nested in ipairs { true, "bracket", 1 } do
    it("refuses options.nested = " .. support.shown(nested), function()
      local words = 'options.nested: expected "brackets" or "indices"'
      raises(words, clients.form, {}, { nested = nested })
    end)
  end

  it("refuses no form at all, and an option that it does not know", function()
    raises("got a nil", clients.form)
    raises({ "options", '"encode"' }, clients.form, {}, { encode = print })
  end)

  it("refuses a table that holds itself, and one that is deeper than 100 levels", function()
    raises(
      { 'field "cycle"', "100 levels", "holds itself" },
      clients.form,
      support.cyclic(),
      OPTIONS[2]
    )
    raises(
      { 'field "a"', "holds itself" },
      clients.form,
      { a = support.nested(101, "x") },
      OPTIONS[2]
    )
    local suffix = ("%5B0%5D"):rep(99) .. "%5B%5D=x"
    assert.equal("a" .. suffix, clients.form({ a = support.nested(100, "x") }, OPTIONS[2]))
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

-- Content type, data, the body or words of the error, options.
local BODIES = {
  { FORM, "a=b+c", "a=b+c" },
  { FORM, { 1 }, "mine", { encode = MINE } },
  { json.null, MAP, '{"a":{"b":1}}', { nested = "indices" } },
  { "application/json", MAP, '{"a":{"b":1}}', { nested = "indices" } },
  { "application/vnd.x+json; a=" .. FORM, MAP, '{"a":{"b":1}}' },
  { "text/plain", MAP, "mine", { nested = "indices", encode = MINE } },
  { FORM, MAP, { 'body: field "a"', "expected no map, or options.nested" } },
  { FORM, { 1, 2 }, { "body: expected string keys" } },
  { FORM, support.cyclic(), { "body", 'field "cycle"' } },
  { FORM, 5, { "body", "for a form, got a" } },
  { FORM, true, { "body", "for a form, got a" } },
}
local KINDS = {
  FORM,
  { FORM, "x/y" },
  FORM:upper(),
  FORM .. "; charset=UTF-8",
  " " .. FORM .. " ;x",
  FORM .. ";",
}
for _, kind in ipairs(KINDS) do
  table.insert(BODIES, { kind, LIST, "a=b%20c&l=1&l=2" })
end
for _, kind in ipairs {
  FORM .. "x",
  "x" .. FORM,
  "multipart/form-data",
  "text/plain;" .. FORM,
  ",a/json",
  "a/b, a/json",
} do
  table.insert(BODIES, { kind, { a = 1 }, { "body", "neither JSON nor a form" } })
end

describe("a body under the content type of a form", function()
  for i, row in ipairs(BODIES) do
    it(("is a form, another text or an error, %d: %s"):format(i, support.shown(row[1])), function()
      local function body()
        local r =
          endpoint("POST https://h/x", { data = row[2], headers = { ["content-type"] = row[1] } })
        local made = clients.plain(r, row[4])
        return made.body
      end
      if type(row[3]) == "table" then
        raises(row[3], body)
      else
        assert.equal(row[3], body())
      end
    end)
  end

  it(
    "is nested as options.nested says in each client, also beside options.encode, and keeps its "
      .. "path parameters",
    function()
      local r = endpoint("POST https://h/v1/customers/:id", {
        id = 7,
        items = { { price = "p" } },
        tags = { "a" },
        headers = { ["content-type"] = FORM },
      })
      assert.equal("https://h/v1/customers/7", r.url)
      for nested, index in pairs { brackets = "%5B%5D", indices = "%5B0%5D" } do
        local options, text =
          { nested = nested, encode = error }, "items%5B0%5D%5Bprice%5D=p&tags" .. index .. "=a"
        assert.same({ text, text, text, text, text }, {
          clients.plain(r, options).body,
          select(2, clients.resty_http(r, options)).body,
          clients.luasocket(r, options).source(),
          clients.curl(r, options).postfields,
          select(2, clients.lua_https(r, options)).data,
        })
        assert.truthy(select(2, clients.argv(r, options)):find('"@-"\n' .. text, 1, true))
        assert.truthy(clients.curl_command(r, options):find("'" .. text .. "'", 1, true))
      end
    end
  )
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

-- Parts, and the header and the data of each.
local PARTS = {
  { { name = "a", data = "\n\r\n--\r" }, 'name="a"', "\n\r\n--\r" },
  { { name = "a", data = 5.0 }, 'name="a"', "5" },
  { { name = "a", data = false }, 'name="a"', "false" },
  {
    { name = "a", data = "b", type = "text/plain; charset=utf-8" },
    'name="a"\r\nContent-Type: text/plain; charset=utf-8',
    "b",
  },
  {
    { name = "a", data = "", type = 'a/b+c ;d="e; \\"f"' },
    'name="a"\r\nContent-Type: a/b+c ;d="e; \\"f"',
    "",
  },
  {
    { name = "a", data = "\0\255", filename = "b.c" },
    'name="a"; filename="b.c"\r\nContent-Type: application/octet-stream',
    "\0\255",
  },
  -- quotes and ends of lines in names, then other bytes
  {
    { name = '\na"\r\r\n: c\n\nb\r', data = "", filename = '\r"; name="x"\n\r', type = "a/b" },
    'name="%0D%0Aa%22%0D%0A%0D%0A: c%0D%0A%0D%0Ab%0D%0A"; filename="%0D%22; '
      .. 'name=%22x%22%0A%0D"\r\nContent-Type: a/b',
    "",
  },
  {
    { name = "[é]%22/;=", data = "", filename = "\255 ' ☃", type = "image/png" },
    'name="[é]%22/;="; filename="\255 \' ☃"\r\nContent-Type: image/png',
    "",
  },
}

describe("clients.multipart", function()
  for i, row in ipairs(PARTS) do
    it(("writes a part, %d: %s"):format(i, support.shown(row[1])), function()
      local body, content_type, length = clients.multipart { row[1] }
      assert.same({
        body_of(FIRST, FORM_DATA .. row[2], row[3]),
        "multipart/form-data; boundary=" .. FIRST,
        #body,
      }, { body, content_type, length })
      assert.equal(body, (clients.multipart { row[1] })) -- it modifies no part
    end)
  end

  it("takes the first boundary that is in no part", function()
    local function boundary(...)
      local parts = {}
      for i, data in ipairs { ... } do
        parts[i] = { name = "a", data = data }
      end
      return select(2, clients.multipart(parts)):match "endpoint%-(%d+)$"
    end
    assert.equal("000000000001", boundary(FIRST))
    assert.equal("000000000000", boundary(FIRST:sub(1, -2), FIRST:sub(2)))
    assert.equal(
      "000000000002",
      boundary("x" .. FIRST .. FIRST, "", "endpoint-endpoint-000000000001")
    )
    assert.equal("000000000001", boundary("endpoint-000000000002 endpoint-000000000000"))
    assert.equal(
      "000000000002",
      boundary("endpoinendpoint-000000000000endpoinendpoint-000000000001")
    )
  end)

  for where, part in pairs {
    ["a name"] = { name = FIRST, data = "" },
    ["a filename"] = { name = "a", data = "", filename = FIRST },
  } do
    it("takes a boundary that is not in " .. where, function()
      assert.truthy(clients.multipart({ part }):find("^--endpoint%-000000000001\r\n"))
    end)
  end

  it("takes the boundary of the options, unless a part holds it", function()
    local body, content_type = clients.multipart(
      { { name = "a", data = "b" } },
      { boundary = "a'+_.-Z9" }
    )
    assert.equal("multipart/form-data; boundary=a'+_.-Z9", content_type)
    assert.equal(body_of("a'+_.-Z9", FORM_DATA .. 'name="a"', "b"), body)
    local parts = { { name = "a", data = "b" }, { name = "c", data = "x--yz" } }
    raises(
      { "part 2 holds the boundary", "options.boundary" },
      clients.multipart,
      parts,
      { boundary = "yz" }
    )
    raises({ "part 1 holds the boundary" }, clients.multipart, parts, { boundary = "b" })
    local last = { parts[1], parts[1], { name = "xy", data = "" } }
    raises({ "part 3 holds the boundary" }, clients.multipart, last, { boundary = "xy" })
  end)

  local PLAIN = { { name = "a", data = "b" }, { name = "c", data = "x--yz" } }

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
  local NAME = {
    "expected no backslash, and no control character but CR and LF",
    "a\\",
    "\\",
    "a\0",
    "\t",
    "\127",
    "s3cret\27",
  }
  local EMPTY = { "expected a string of one byte or more", "", 5, true, endpoint.null }

  -- What is wrong, and parts of which it is true; the errors quote no value.
  local ROWS_REFUSED = {
    { "expected a table, got a string", "a=b" },
    {
      "name: expected a string",
      { data = "b" },
      setmetatable({ data = "b" }, { __index = { name = "a" } }),
    },
    { "length: expected it beside a function alone", { name = "a", data = "b", length = 1 } },
    { 'a part has no field "fileName"', { name = "a", data = "b", fileName = "c" } },
    { 'a part has no field "1"', { "a", name = "a", data = "b" } },
    { DATA .. "a table", { name = "a", data = {} } },
    { DATA .. "a userdata", { name = "a", data = endpoint.null } },
    { "data: expected a finite number", { name = "a", data = 1 / 0 } },
    { "data: expected an integer or a string, got a float of 2^", { name = "a", data = -2 ^ 53 } },
    { DATA .. "a nil", { name = "a" } },
  }
  -- Field, what is wrong with it, and values.
  for _, field in ipairs {
    { "name", NAME },
    { "name", EMPTY },
    { "filename", NAME },
    { "filename", EMPTY },
    {
      "type",
      {
        "expected a media type",
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
      "length",
      {
        "expected the number of bytes",
        -1,
        0.5,
        1 / 0,
        0 / 0,
        1e15 + 1 > 1e15 and 1e15 + 1 or 2e15,
        "5",
        true,
      },
    },
  } do
    local row = { field[1] .. ": " .. field[2][1] }
    for i = 2, #field[2] do
      row[i] = { name = "a", data = print, [field[1]] = field[2][i] }
    end
    ROWS_REFUSED[#ROWS_REFUSED + 1] = row
  end
  for _, row in ipairs(ROWS_REFUSED) do
    for i = 2, #row do
      it(("a part, %d: %s"):format(i - 1, row[1]), function()
        raises("part 2: " .. row[1], clients.multipart, { { name = "a", data = "b" }, row[i] })
      end)
    end
  end
end)

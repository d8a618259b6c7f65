-- clients.form, and bodies under the content type of a form.
local clients = require "endpoint.clients"
local endpoint = require "endpoint"
local json = require "cjson"
local support = require "support"

local raises = support.client_raises
local NULL = endpoint.null

-- Forms and their text, which is the same with any `nested` and without it.
local FLAT = {
  { {}, "" },
  { { a = "" }, "a=" },
  { { [""] = "x" }, "=x" },
  { { b = 1, a = 2, B = 3, ["a-"] = 4, ["a b"] = 5 }, "B=3&a=2&a%20b=5&a-=4&b=1" },
  { { ["é"] = 1, z = 2, ["\255"] = 3, ["a\0"] = 4, a = 5 }, "a=5&a%00=4&z=2&%C3%A9=1&%FF=3" },
  { { q = "a b+c&d=e/é~._-" }, "q=a%20b%2Bc%26d%3De%2F%C3%A9~._-" },
  { { q = "\0\r\n%" }, "q=%00%0D%0A%25" },
  { { a = 5.0, b = -0.5, c = 1e-7, d = 2 ^ 24 - 1 }, "a=5&b=-0.5&c=1e-7&d=16777215" },
  { { a = true, b = false }, "a=true&b=false" },
  { { a = NULL, b = json.null, c = 1 }, "c=1" },
  { { a = {}, c = 1 }, "c=1" },
}

-- Nested forms: value of the field "a", with brackets, with indices (as Stripe's own clients write
-- them; nil where that is the same), both with [ and ] for %5B and %5D.
local NESTED = {
  { { c = 1, b = 2 }, "a[b]=2&a[c]=1" },
  { { 1, "x" }, "a[]=1&a[]=x", "a[0]=1&a[1]=x" },
  { { 1, NULL, 2 }, "a[]=1&a[]=2", "a[0]=1&a[2]=2" },
  { { { k = 1, l = "x" }, { k = 2 } }, "a[0][k]=1&a[0][l]=x&a[1][k]=2" },
  { { "x", { k = 1 }, NULL, { k = 2 } }, "a[0]=x&a[1][k]=1&a[3][k]=2" },
  { { { 1, 2 }, {}, { 3 } }, "a[0][]=1&a[0][]=2&a[2][]=3", "a[0][0]=1&a[0][1]=2&a[2][0]=3" },
  { { b = { 1, 2 } }, "a[b][]=1&a[b][]=2", "a[b][0]=1&a[b][1]=2" },
  { { ["c]&"] = "=" }, "a[c]%26]=%3D" },
  { { {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, { k = 1 } }, "a[10][k]=1" },
}

describe("clients.form", function()
  for _, case in ipairs(FLAT) do
    it("writes the same with and without options.nested: " .. case[2], function()
      for _, nested in ipairs { false, "brackets", "indices" } do
        assert.equal(case[2], clients.form(case[1], { nested = nested or nil }))
      end
    end)
  end

  for _, case in ipairs(NESTED) do
    it("writes a nested " .. case[2], function()
      for nested, expected in pairs { brackets = case[2], indices = case[3] or case[2] } do
        local written = expected:gsub("%[", "%%5B"):gsub("%]", "%%5D")
        assert.equal(written .. "&z=1", clients.form({ a = case[1], z = 1 }, { nested = nested }))
      end
    end)
  end

  it("writes a list as repeated pairs, without nulls", function()
    assert.equal("a=1&a=x%20y&a=true&b=1", clients.form { a = { 1, "x y", NULL, true }, b = 1 })
    assert.equal("labels%5B%5D=a&labels%5B%5D=b", clients.form { ["labels[]"] = { "a", "b" } })
  end)

  it("has keys in order, level by level, in spite of the brackets that are written", function()
    local form = { ["a b"] = 1, ["a.b"] = 2, a = { z = 3, ["y y"] = 4, y = { x = 5 } } }
    assert.equal("a%5By%5D%5Bx%5D=5&a%5By%20y%5D=4&a%5Bz%5D=3&a%20b=1&a.b=2", clients.form(form, { nested = "brackets" }))
  end)

  it("refuses nested tables without options.nested, which the error names", function()
    for _, value in ipairs { { b = 1 }, { { b = 1 } }, { { 1 } }, { 1, {} } } do
      raises({ "form", 'field "a"', 'or options.nested, "brackets" or "indices"' }, clients.form, { a = value })
    end
  end)

  it("refuses values and names of other types, and quotes no value", function()
    for _, options in ipairs { {}, { nested = "brackets" }, { nested = "indices" } } do
      for value, word in pairs { [print] = "a function", [io.stdout] = "a userdata", [2 ^ 100] = "a float of 2^",
        [coroutine.create(function() end)] = "a thread" } do
        raises({ 'field "a"', "expected", "got " .. word }, clients.form, { a = value }, options)
        raises({ 'field "a"', "got " .. word }, clients.form, { a = { 1, value } }, options)
      end
      raises({ 'field "a"', "finite number, got NaN" }, clients.form, { a = 0 / 0 }, options)
      for _, value in ipairs { { 1, b = 2 }, { 1, nil, 3 }, { [0] = 1 }, { [1.5] = 1 }, { [true] = 1 } } do
        raises({ 'field "a"', "1..n", "another table" }, clients.form, { a = value }, options)
      end
      for _, form in ipairs { { "a" }, { [true] = 1 }, { a = 1, [2] = 3 } } do
        raises({ "form", "string keys" }, clients.form, form, options)
      end
      raises({ "form: expected a table, got a string" }, clients.form, "a=b", options)
    end
    raises("got a nil", clients.form)
    for _, nested in ipairs { true, "bracket", 1 } do
      raises({ 'options.nested: expected "brackets" or "indices"' }, clients.form, {}, { nested = nested })
    end
    raises({ "options", '"encode"' }, clients.form, {}, { encode = print })
    raises('field "a?b' .. ("x"):rep(37) .. '"', clients.form, { ["a\nb" .. ("x"):rep(50)] = print })
  end)

  it("refuses a table that holds itself, and one that is deeper than 100 levels", function()
    local BRACKETS = { nested = "brackets" }
    raises({ 'field "cycle"', "100 levels", "holds itself" }, clients.form, support.cyclic(), BRACKETS)
    raises({ 'field "a"', "holds itself" }, clients.form, { a = support.nested(101, "x") }, BRACKETS)
    local suffix = ("%5B0%5D"):rep(99) .. "%5B%5D=x"
    assert.equal("a" .. suffix, clients.form({ a = support.nested(100, "x") }, BRACKETS))
  end)

  it("calls no metamethod and does not modify its input", function()
    local t = setmetatable({ a = setmetatable({ 1, 2 }, { __index = error, __len = error }) },
      { __index = error, __pairs = error })
    assert.equal("a=1&a=2", clients.form(t))
    assert.same({ 1, 2 }, { rawget(t.a, 1), rawget(t.a, 2) })
  end)
end)

describe("a body under the content type of a form", function()
  local function body(data, content_type, options)
    local r = endpoint("POST https://h/x", { data = data, headers = { ["content-type"] = content_type } })
    return clients.plain(r, options).body
  end
  local FORM = "application/x-www-form-urlencoded"

  it("is encoded as a form, with any parameters and case of the type", function()
    for _, content_type in ipairs { FORM, FORM:upper(), FORM .. "; charset=UTF-8", " " .. FORM .. " ;x", FORM .. ";" } do
      assert.equal("a=b%20c&l=1&l=2", body({ l = { 1, 2 }, a = "b c", n = NULL }, content_type))
    end
  end)

  it("is left alone if it is a string, and encoded by options.encode if it is given", function()
    assert.equal("a=b+c", body("a=b+c", FORM))
    assert.equal("mine", body({ 1 }, FORM, { encode = function() return "mine" end }))
  end)

  it("is nested as options.nested says in each client, also beside options.encode, and keeps its path parameters", function()
    local r = endpoint("POST https://h/v1/customers/:id", { id = 7, items = { { price = "p" } }, tags = { "a" },
      headers = { ["content-type"] = FORM } })
    assert.equal("https://h/v1/customers/7", r.url)
    local items = "items%5B0%5D%5Bprice%5D=p&"
    for nested, text in pairs { brackets = items .. "tags%5B%5D=a", indices = items .. "tags%5B0%5D=a" } do
      local options = { nested = nested, encode = error }
      assert.same({ text, text, text, text, text }, { clients.plain(r, options).body,
        select(2, clients.resty_http(r, options)).body, clients.luasocket(r, options).source(),
        clients.curl(r, options).postfields, select(2, clients.lua_https(r, options)).data })
      assert.truthy(select(2, clients.argv(r, options)):find('"@-"\n' .. text, 1, true))
      assert.truthy(clients.curl_command(r, options):find("'" .. text .. "'", 1, true))
    end
  end)

  it("is JSON in spite of options.nested under another type", function()
    for _, content_type in ipairs { json.null, "application/json" } do
      assert.equal('{"a":{"b":1}}', body({ a = { b = 1 } }, content_type, { nested = "indices" }))
    end
    assert.equal("mine", body({ a = 1 }, "text/plain", { nested = "indices", encode = function() return "mine" end }))
  end)

  it("is not encoded as a form under another type", function()
    for _, content_type in ipairs { FORM .. "x", "x" .. FORM, "multipart/form-data", "text/plain;" .. FORM } do
      raises({ "body", "neither JSON nor a form" }, body, { a = 1 }, content_type)
    end
    assert.equal('{"a":1}', body({ a = 1 }, "application/vnd.x+json; a=" .. FORM))
  end)

  it("is refused if it is nested or no map of texts, and the error names clients.form", function()
    raises({ 'body: field "a"', "expected no map, or options.nested" }, body, { a = { b = 1 } }, FORM)
    raises({ "body: expected string keys" }, body, { 1, 2 }, FORM)
    for _, value in ipairs { 5, true } do raises({ "body", "for a form, got a" }, body, value, FORM) end
    raises({ "body", 'field "cycle"' }, body, support.cyclic(), FORM)
  end)

  it("takes more fields than Lua's stack holds, in order", function()
    local fields, names = {}, {}
    for i = 1, 10000 do fields[("k%05d"):format(i * 7919 % 10007)] = i end
    for name in clients.form(fields):gmatch "(k%d+)=" do names[#names + 1] = name end
    assert.equal(10000, #names)
    for i = 2, #names do assert.is_true(names[i - 1] < names[i]) end
  end)
end)

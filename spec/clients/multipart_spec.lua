-- clients.multipart: bodies of the media type multipart/form-data (RFC 7578).
local clients = require "endpoint.clients"
local endpoint = require "endpoint"
local requests = require "clients.requests"
local support = require "support"

local raises, source_of = support.client_raises, requests.source_of
local FIRST = "endpoint-000000000000"
local FORM_DATA = "Content-Disposition: form-data; "

-- All that a source gives, and its error.
local function read(source)
  local pieces, problem = requests.drained(source)
  return table.concat(pieces), problem
end

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
local ROWS = {
  { { name = "a", data = "b" }, 'name="a"', "b" },
  { { name = "a", data = "" }, 'name="a"', "" },
  { { name = "a", data = "\n\r\n--\r" }, 'name="a"', "\n\r\n--\r" },
  { { name = "a", data = 5.0 }, 'name="a"', "5" },
  { { name = "a", data = -1e-7 }, 'name="a"', "-1e-7" },
  { { name = "a", data = false }, 'name="a"', "false" },
  { { name = "a", data = "b", type = "text/plain; charset=utf-8" },
    'name="a"\r\nContent-Type: text/plain; charset=utf-8', "b" },
  { { name = "a", data = "", type = 'a/b+c ;d="e; \\"f"' }, 'name="a"\r\nContent-Type: a/b+c ;d="e; \\"f"', "" },
  { { name = "a", data = "\0\255", filename = "b.c" },
    'name="a"; filename="b.c"\r\nContent-Type: application/octet-stream', "\0\255" },
  { { name = "a", data = "", filename = "b.c", type = "image/png" },
    'name="a"; filename="b.c"\r\nContent-Type: image/png', "" },
  -- quotes and ends of lines in names, then other bytes
  { { name = "\na\r\r\n\nb\r", data = "", filename = "\r\n\r" },
    'name="%0D%0Aa%0D%0A%0D%0A%0D%0Ab%0D%0A"; filename="%0D%0A%0D"\r\nContent-Type: application/octet-stream', "" },
  { { name = 'a"\r\nb: c', data = "", filename = '"; name="x"\n', type = "a/b" },
    'name="a%22%0D%0Ab: c"; filename="%22; name=%22x%22%0A"\r\nContent-Type: a/b', "" },
  { { name = "[é]%22/;=", data = "", filename = "\255 ' ☃", type = "a/b" },
    'name="[é]%22/;="; filename="\255 \' ☃"\r\nContent-Type: a/b', "" },
}

describe("clients.multipart", function()
  for i, row in ipairs(ROWS) do
    it(("writes a part, %d: %s"):format(i, support.shown(row[1])), function()
      local body, content_type, length = clients.multipart { row[1] }
      assert.equal(body_of(FIRST, FORM_DATA .. row[2], row[3]), body)
      assert.equal("multipart/form-data; boundary=" .. FIRST, content_type)
      assert.equal(#body, length)
    end)
  end

  it("takes the first boundary that is in no part", function()
    local function boundary(...)
      local parts = {}
      for i, data in ipairs { ... } do parts[i] = { name = "a", data = data } end
      return select(2, clients.multipart(parts)):match "endpoint%-(%d+)$"
    end
    assert.equal("000000000001", boundary(FIRST))
    assert.equal("000000000000", boundary(FIRST:sub(1, -2), FIRST:sub(2)))
    assert.equal("000000000002", boundary("x" .. FIRST .. FIRST, "", "endpoint-endpoint-000000000001"))
    assert.equal("000000000001", boundary("endpoint-000000000002 endpoint-000000000000"))
    assert.truthy(clients.multipart({ { name = FIRST, data = "" } }):find("^--endpoint%-000000000001\r\n"))
    assert.truthy(clients.multipart({ { name = "a", data = "", filename = FIRST } }):find("^--endpoint%-000000000001\r\n"))
    local many = {}
    for i = 0, 20000 do many[i + 1] = ("endpoint-%012d"):format(i) end
    assert.equal("000000020001", boundary(table.concat(many)))
  end)

  it("takes the boundary of the options, unless a part holds it", function()
    local body, content_type = clients.multipart({ { name = "a", data = "b" } }, { boundary = "a'+_.-Z9" })
    assert.equal("multipart/form-data; boundary=a'+_.-Z9", content_type)
    assert.equal(body_of("a'+_.-Z9", FORM_DATA .. 'name="a"', "b"), body)
    local parts = { { name = "a", data = "b" }, { name = "c", data = "x--yz" } }
    raises({ "part 2 holds the boundary", "options.boundary" }, clients.multipart, parts, { boundary = "yz" })
    raises({ "part 1 holds the boundary" }, clients.multipart, parts, { boundary = "b" })
    raises({ "part 1 holds the boundary" }, clients.multipart, { { name = "xy", data = "" } }, { boundary = "xy" })
    for _, boundary in ipairs { "", "a b", "a\r\n", 'a"', "a:b", ("a"):rep(71), 5, true } do
      raises({ "options.boundary: expected 1 to 70" }, clients.multipart, parts, { boundary = boundary })
    end
    raises({ "options", '"type"' }, clients.multipart, parts, { type = "a/b" })
  end)

  it("makes equal bodies of equal parts, and modifies none", function()
    local part = { name = "a", data = "b", filename = "c" }
    assert.equal((clients.multipart { part }), (clients.multipart { part }))
    assert.same({ name = "a", data = "b", filename = "c" }, part)
  end)
end)

describe("clients.multipart with a function", function()
  local HEAD = FORM_DATA .. 'name="f"; filename="g"\r\nContent-Type: application/octet-stream'

  it("makes a stream of the parts in their order", function()
    local stream, content_type, length = clients.multipart {
      { name = "d", data = "b" },
      { name = "f", filename = "g", data = source_of { "x", "", "yz" }, length = 3 },
      { name = "f", filename = "g", data = source_of {}, length = 0 },
      { name = "c", data = 1 },
    }
    local expected = body_of(FIRST, FORM_DATA .. 'name="d"', "b", HEAD, "xyz", HEAD, "", FORM_DATA .. 'name="c"', "1")
    assert.equal("multipart/form-data; boundary=" .. FIRST, content_type)
    assert.equal(#expected, length)
    assert.same({ expected }, { read(stream) })
    assert.is_nil((stream()))
  end)

  it("has no length where a part has none", function()
    local stream, _, length = clients.multipart { { name = "f", filename = "g", data = source_of { "x" } },
      { name = "f", filename = "g", data = source_of { "y" }, length = 1 } }
    assert.is_nil(length)
    assert.equal(body_of(FIRST, HEAD, "x", HEAD, "y"), (read(stream)))
  end)

  it("calls no source before its turn, and none again after its end", function()
    local stream = clients.multipart { { name = "f", data = source_of { "x" } }, { name = "f", data = error } }
    assert.equal("string", type(stream()))
    assert.equal("x", stream())
    assert.equal("string", type(stream()))
    assert.is_false(pcall(stream))
  end)

  for _, row in ipairs {
    { { "ab", "c" }, 4, nil, "endpoint.clients: body: the function gave 3 of the 4 bytes that part 2's length promises" },
    { { "ab", "c" }, 2, nil,
      "endpoint.clients: body: the function gave more than the 2 bytes that part 2's length promises" },
    { { 5 }, 1, nil, "endpoint.clients: body: expected strings from the function, got a number" },
    { { "x" }, nil, "disk on fire", "disk on fire" },
  } do
    it("fails for good as its source does: " .. row[4], function()
      local file = { name = "f", data = source_of(row[1], row[3]), length = row[2] }
      local stream = clients.multipart { { name = "a", data = "b" }, file, { name = "c", data = "d" } }
      local text, problem = read(stream)
      assert.equal(row[4], problem)
      assert.falsy(text:find('name="c"', 1, true))
      assert.same({ nil, problem }, { stream() })
    end)
  end

  it("fails before the last byte of a boundary in its source, however it is cut", function()
    local text = "abc--" .. FIRST .. "def"
    for size = 1, #text do
      for offset = 0, size - 1 do
        local pieces = { text:sub(1, offset) }
        for at = offset + 1, #text, size do pieces[#pieces + 1] = text:sub(at, at + size - 1) end
        local parts = { { name = "a", data = "" }, { name = "f", data = source_of(pieces) } }
        local all, problem = read((clients.multipart(parts)))
        support.holds(tostring(problem):find("body: part 2 holds the boundary", 1, true), tostring(problem))
        support.holds(not all:find("abc--" .. FIRST, 1, true), all)
      end
    end
    local near = FIRST:sub(1, -2):rep(2)
    assert.is_nil((select(2, read((clients.multipart { { name = "f", data = source_of { near, near } } })))))
  end)

  it("fails for good at the boundary of the options in a source", function()
    local stream = clients.multipart({ { name = "f", data = source_of { "a", "x", "b" } }, { name = "g", data = "c" } },
      { boundary = "x" })
    local _, problem = read(stream)
    assert.truthy(problem:find("part 1 holds the boundary", 1, true), problem)
    for _ = 1, 3 do assert.same({ "", problem }, { read(stream) }) end
  end)
end)

describe("clients.multipart refuses", function()
  it("what is no list of parts", function()
    for _, parts in ipairs { {}, { name = "a", data = "b" }, { [2] = { name = "a", data = "b" } }, "a", 5 } do
      raises("parts: expected a list of one part or more", clients.multipart, parts)
    end
    raises("parts: expected a list of one part or more", clients.multipart)
  end)

  local DATA = "data: expected a string, finite number, boolean or function, got "
  local NAME = { "expected no backslash, and no control character but CR and LF",
    "a\\", "\\", "a\0", "\t", "\127", "s3cret\27" }
  local EMPTY = { "expected a text of one byte or more", "", 5, true, endpoint.null }

  -- What is wrong, and parts of which it is true; the errors quote no value.
  local ROWS_REFUSED = {
    { "expected a table, got a string", "a=b" },
    { "name: expected a text", { data = "b" }, setmetatable({ data = "b" }, { __index = { name = "a" } }) },
    { "length: expected it beside a function alone", { name = "a", data = "b", length = 1 } },
    { 'a part has no field "fileName"', { name = "a", data = "b", fileName = "c" } },
    { 'a part has no field "1"', { "a", name = "a", data = "b" } },
    { DATA .. "a table", { name = "a", data = {} } },
    { DATA .. "a userdata", { name = "a", data = endpoint.null } },
    { DATA .. "a thread", { name = "a", data = coroutine.create(function() end) } },
    { "data: expected a finite number", { name = "a", data = 1 / 0 } },
    { "data: expected an integer or a string, got a float of 2^", { name = "a", data = -2 ^ 53 } },
    { DATA .. "a nil", { name = "a" } },
  }
  -- Field, what is wrong with it, and values.
  for _, field in ipairs {
    { "name", NAME }, { "name", EMPTY }, { "filename", NAME }, { "filename", EMPTY },
    { "type", { "expected a media type", "", "text", "text/", "/x", "te xt/x", "text/x\r\nx: y", "text/x;\n",
      "text/x, y/z", "text/x y", "text/é", "text/x; a=é", 5, true } },
    { "length", { "expected the number of bytes", -1, 0.5, 1 / 0, 0 / 0, 2e15, "5", true } },
  } do
    local row = { field[1] .. ": " .. field[2][1] }
    for i = 2, #field[2] do
      row[i] = { name = "a", data = print, [field[1]] = field[2][i] }
    end
    ROWS_REFUSED[#ROWS_REFUSED + 1] = row
  end
  for _, row in ipairs(ROWS_REFUSED) do
    it("a part: " .. row[1], function()
      for i = 2, #row do
        raises("part 2: " .. row[1], clients.multipart, { { name = "a", data = "b" }, row[i] })
      end
    end)
  end
end)

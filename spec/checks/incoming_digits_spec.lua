-- Where a text is a number and where it is not: "5" in a query is 5 where the document has an
-- integer, and in JSON it is a string.
package.path = "src/?.lua;" .. package.path
local types = require "endpoint.types"

local INTEGER = { type = "integer" }
local OBJECT = {
  type = "object",
  properties = {
    i = INTEGER,
    n = { type = "number" },
    l = { type = "array", items = INTEGER },
    o = { type = "object", properties = { i = INTEGER } },
    m = { type = "object", additionalProperties = INTEGER },
    u = { anyOf = { INTEGER, { type = "boolean" } } },
    e = { type = "integer", enum = { 5, 6 } },
    c = { const = 5 },
    z = { type = { "integer", "null" } },
    a = { allOf = { INTEGER, { minimum = 1 } } },
  },
}

local function parameter(place, name, more)
  local made = more or {}
  made.name, made["in"], made.required = name, place, place == "path"
  made.schema = made.schema or not made.content and INTEGER or nil
  return made
end

local JSON, FORM = "application/json", "application/x-www-form-urlencoded"
local MULTIPART = "multipart/form-data"

local rules
do
  local content = {}
  for _, media_type in ipairs { JSON, FORM, MULTIPART } do
    content[media_type] = { schema = OBJECT }
  end
  local operation = {
    parameters = {
      parameter("path", "p"),
      parameter("query", "q"),
      parameter("query", "j", { content = { [JSON] = { schema = OBJECT } } }),
      parameter("query", "d", { style = "deepObject", explode = true, schema = OBJECT }),
      parameter("header", "X-H"),
      parameter("cookie", "k"),
    },
    requestBody = { content = content },
  }
  local root = { openapi = "3.1.0", paths = { ["/{p}"] = { post = operation } } }
  local made = types.generate(root, "api", { checks = true })
  rules = assert((loadstring or load)(made.files[#made.files - 1].text))()
end

local function part(name, data, media_type)
  return '--b\r\nContent-Disposition: form-data; name="'
    .. name
    .. '"\r\n'
    .. (media_type and "Content-Type: " .. media_type .. "\r\n" or "")
    .. ("\r\n%s\r\n--b--"):format(data)
end

local LARGE = "12345678901234567890"

-- where a value stands; the value, or nil where the request is refused
local ROWS = {
  { path = "/5", part = "path", name = "p", value = 5 },
  { path = "/%225%22" },
  { query = "q=5", part = "query", name = "q", value = 5 },
  { query = "q=%225%22" },
  { query = "q=" .. LARGE, part = "query", name = "q", value = LARGE },
  { query = 'j={"i":5}', part = "query", name = "j", value = { i = 5 } },
  { query = 'j={"i":"5"}' },
  { query = 'j={"i":"' .. LARGE .. '"}' },
  { query = "d[i]=5", part = "query", name = "d", value = { i = 5 } },
  { query = "d[l][]=5", part = "query", name = "d", value = { l = { 5 } } },
  { query = 'd[i]="5"' },
  { header = "5", part = "headers", name = "x-h", value = 5 },
  { header = '"5"' },
  { cookie = "k=5", part = "cookies", name = "k", value = 5 },
  { type = MULTIPART, body = part("i", "5"), value = { i = 5 } },
  { type = MULTIPART, body = part("i", "5", JSON), value = { i = 5 } },
  { type = MULTIPART, body = part("i", LARGE), value = { i = LARGE } },
  { type = MULTIPART, body = part("l", "[5]", JSON), value = { l = { 5 } } },
  { type = MULTIPART, body = part("i", '"5"') },
  { type = MULTIPART, body = part("i", '"5"', JSON) },
  { type = MULTIPART, body = part("o", '{"i":"5"}') },
  { type = MULTIPART, body = part("m", '{"x":"5"}') },
  { type = MULTIPART, body = part("l", '["5"]', JSON) },
  { type = FORM, body = "o=%7B%22i%22%3A5%7D", value = { o = { i = 5 } } },
  { type = FORM, body = "o=%7B%22i%22%3A%225%22%7D" },
  { type = FORM, body = "m=%7B%22x%22%3A%225%22%7D" },
  { type = FORM, body = "l=%225%22" },
  { type = JSON, body = '{"i":"' .. LARGE .. '"}' },
}
for _, name in ipairs { "i", "n", "u", "e", "c", "z", "a" } do
  table.insert(ROWS, { type = FORM, body = name .. "=5", value = { [name] = 5 } })
  table.insert(ROWS, { type = FORM, body = name .. "=%225%22" })
  table.insert(ROWS, { type = JSON, body = ('{"%s":5}'):format(name), value = { [name] = 5 } })
  table.insert(ROWS, { type = JSON, body = ('{"%s":"5"}'):format(name) })
end
for _, written in ipairs { '{"l":["5"]}', '{"o":{"i":"5"}}', '{"m":{"x":"5"}}' } do
  table.insert(ROWS, { type = JSON, body = written })
  table.insert(ROWS, { type = JSON, body = (written:gsub('"5"', "5")), is_right = true })
end

local function what(row)
  local shown = row.body or row.query or row.header or row.cookie or row.path
  shown = shown:gsub("%c+", " ")
  local is_right = row.value ~= nil or row.is_right
  return ("%s: %s %s"):format(is_right and "takes" or "refuses", row.type or "", shown)
end

describe("rules.request", function()
  for _, row in ipairs(ROWS) do
    it(what(row), function()
      local media_type = row.type == MULTIPART and MULTIPART .. "; boundary=b" or row.type
      local operation, values = rules.request {
        method = "POST",
        path = row.path or "/1",
        query = row.query,
        headers = { ["content-type"] = media_type, ["x-h"] = row.header, cookie = row.cookie },
        body = row.body,
      }
      if row.value == nil and not row.is_right then
        assert.is_nil(operation)
        assert.equal(400, values)
        return
      end
      assert.truthy(operation)
      local found = row.part and values[row.part][row.name] or values.body
      if row.value ~= nil then
        assert.same(row.value, found)
      end
    end)
  end
end)

-- The multipart bodies that each client really sends, and what a server must read. Fields as in
-- requests.lua; parts: those of clients.multipart; expected: name, file name, type and data of
-- each, false where there is none; length: what the server is told of the body's length, if it is
-- not the number of its bytes.
local clients = require "endpoint.clients"

local bytes = {}
for byte = 0, 255 do bytes[byte + 1] = string.char(byte) end
local EVERY_BYTE = table.concat(bytes)
local LONG = EVERY_BYTE:rep(1200)
local BOUNDARY = "endpoint-000000000000"
local OCTETS = "application/octet-stream"

-- A source that gives a text in pieces of this size, empty ones between them.
local function source_of(text, size)
  local at = 1 - size
  return function()
    at = at + size / 2
    if at > #text then return nil end
    return at % size == 1 and text:sub(at, at + size - 1) or ""
  end
end

local rows = {
  { name = "fields and a file of every byte",
    parts = function()
      return { { name = "title", data = "Grüße" }, { name = "n", data = 5 }, { name = "ok", data = true },
        { name = "file", filename = "a.png", type = "image/png", data = EVERY_BYTE } }
    end,
    expected = { { "title", false, false, "Grüße" }, { "n", false, false, "5" }, { "ok", false, false, "true" },
      { "file", "a.png", "image/png", EVERY_BYTE } } },
  { name = "names to quote",
    parts = function()
      return { { name = 'a"; filename="x"\r\nX-Y: z\r\n\r\n', data = "1" }, { name = "[é][]", data = "2" },
        { name = "f", filename = 'é "q";\n/%22\'.txt', data = "3", type = 'text/plain; charset="utf-8"' } }
    end,
    expected = { { "a%22; filename=%22x%22%0D%0AX-Y: z%0D%0A%0D%0A", false, false, "1" }, { "[é][]", false, false, "2" },
      { "f", "é %22q%22;%0A/%22'.txt", 'text/plain; charset="utf-8"', "3" } } },
  { name = "data that looks like a boundary or a header",
    parts = function()
      return { { name = "a", data = "\r\n--" .. BOUNDARY .. "--\r\n" }, { name = "b", data = "--" .. BOUNDARY },
        { name = "c", data = "Content-Type: a/b\r\n\r\nx" }, { name = "d", data = "\r\n--" } }
    end,
    expected = { { "a", false, false, "\r\n--" .. BOUNDARY .. "--\r\n" }, { "b", false, false, "--" .. BOUNDARY },
      { "c", false, false, "Content-Type: a/b\r\n\r\nx" }, { "d", false, false, "\r\n--" } } },
  { name = "empty data, and ends of lines",
    parts = function()
      return { { name = "a", data = "" }, { name = "b", data = "\r\n" }, { name = "b", data = "\n" },
        { name = "b", data = "\r" }, { name = "f", filename = "f", data = "" } }
    end,
    expected = { { "a", false, false, "" }, { "b", false, false, "\r\n" }, { "b", false, false, "\n" },
      { "b", false, false, "\r" }, { "f", "f", OCTETS, "" } } },
  { name = "a long file",
    parts = function() return { { name = "f", filename = "long", data = LONG } } end,
    expected = { { "f", "long", OCTETS, LONG } } },
  { name = "streams of a length", is_stream = true,
    parts = function()
      return { { name = "a", data = "1" }, { name = "f", filename = "long", data = source_of(LONG, 1000), length = #LONG },
        { name = "g", filename = "every", data = source_of(EVERY_BYTE, 2), length = 256 } }
    end,
    expected = { { "a", false, false, "1" }, { "f", "long", OCTETS, LONG }, { "g", "every", OCTETS, EVERY_BYTE } } },
  { name = "a stream in chunks", is_stream = true, length = "chunked",
    parts = function()
      return { { name = "f", filename = "long", data = source_of(LONG, 1000) }, { name = "a", data = "" } }
    end,
    expected = { { "f", "long", OCTETS, LONG }, { "a", false, false, "" } } },
}

for number, row in ipairs(rows) do
  row.route = "POST /kept/" .. number
  function row.make_options()
    local body, content_type, length = clients.multipart(row.parts())
    return { data = body, headers = { ["content-type"] = content_type, ["content-length"] = length } }
  end
end

return rows

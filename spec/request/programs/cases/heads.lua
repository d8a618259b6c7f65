-- Header fields before and after a body, and heads that are too long.
local case, sending = ...
local equal = require "support".equal

local OK = "HTTP/1.1 200 OK\n"

for name, row in pairs {
  ["a body"] = { chunks = "1\na\n", text = "a" },
  ["an empty body"] = { chunks = "", text = "" },
} do
  case("the fields after " .. name .. " are not those of its head", function()
    local once = sending.with { tries = 1 }
    local trailers = "0\nx-a: 2\nx-b: 3\nx-c: HTTP/1.1 404 Gone\n\n"
    local head = OK .. "transfer-encoding: chunked\nx-a: 1\n\n"
    local _, answer = once(sending.raw(head .. row.chunks .. trailers))
    equal(200, answer.status)
    equal("1", answer.headers["x-a"])
    equal(nil, answer.headers["x-b"])
    equal(row.text, answer.text)
  end)
end

case("a head is too long together with 103 before it and trailers after it", function()
  local fields = "{1700|x-header: 1\n}"
  local text = "HTTP/1.1 103 Early Hints\n"
    .. fields
    .. "\n"
    .. OK
    .. fields
    .. "transfer-encoding: chunked\n\n1\na\n0\n"
    .. fields
    .. "\n"
  local said = sending.message_of(sending.with { tries = 1 }, sending.raw(text))
  equal("GET /raw: the head of the response is too long", said)
end)

case("a field without an end is too long", function()
  local route, options = sending.raw(OK .. "x: ", { more = ("y"):rep(3000) })
  local said = sending.message_of(sending.with { tries = 1 }, route, options)
  sending.says("too long", said)
end)

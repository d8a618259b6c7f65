-- Descriptors that stay open after calls.
local case, sending = ...
local endpoint = require "endpoint"
local holds = require "support".holds

local function descriptors()
  local pipe = io.popen "ls /proc/$PPID/fd | wc -l"
  local text = pipe:read "*a"
  pipe:close()
  return tonumber(text)
end

case("40 answers that are too long leave fewer than 9 descriptors open", function()
  collectgarbage()
  local strict, before = sending.with { tries = 1, max_size = 1 }, descriptors()
  for _ = 1, 40 do
    sending.message_of(strict, "GET /answer?text=long")
  end
  local left = descriptors() - before
  holds(left < 9, left .. " descriptors")
end)

case("40 hosts leave fewer than 25 descriptors open", function()
  collectgarbage()
  local before = descriptors()
  local many = sending.with { api = endpoint.defaults { baseUrl = "" } }
  for number = 1, 40 do
    -- Each is another host: 0x7f.1, 0x07f.1, 0x007f.1 ...
    local host = ("0x%s7f.1"):format(("0"):rep(number))
    many(("GET http://%s:%s/count"):format(host, sending.base:match "%d+$"))
  end
  local left = descriptors() - before
  holds(left < 25, left .. " descriptors")
end, "plain")

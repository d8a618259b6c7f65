-- What the nginx of server.lua does with a request, and how a spec reads what it says of one.
local json = require "cjson"

local echo = {}

local function to_hex(text)
  return (text:gsub(".", function(byte) return ("%02x"):format(byte:byte()) end))
end

local function from_hex(text)
  return (text:gsub("%x%x", function(digits) return string.char(tonumber(digits, 16)) end))
end

-- Adler-32 (RFC 1950): it shows whether a long body arrived as it was sent.
function echo.sum(text)
  local a, b = 1, 0
  for at = 1, #text do
    a = (a + text:byte(at)) % 65521
    b = (b + a) % 65521
  end
  return b * 65536 + a
end

-- In nginx: answers with method, request URI, headers and body, as JSON in hex, in the body of the
-- response and, for HEAD, in its header `x-echo`. Of a long body only the sum is shown.
function echo.answer()
  local ngx = rawget(_G, "ngx")
  ngx.req.read_body()
  local body = ngx.req.get_body_data() or ""
  local seen = to_hex(json.encode {
    method = ngx.req.get_method(), uri = ngx.var.request_uri, headers = ngx.req.get_headers(0),
    body = to_hex(body:sub(1, 256)), length = #body, sum = echo.sum(body),
  })
  ngx.header["x-echo"] = seen
  ngx.header["content-length"] = #seen
  ngx.print(seen)
end

-- Reads such an answer, in which the text is hex again.
function echo.read(hex)
  local seen = json.decode(from_hex(hex:match "^%x+$" or error("no answer of the echo: " .. hex, 2)))
  seen.body = from_hex(seen.body)
  return seen
end

-- In nginx: keeps a line for each request, with the origin that the client meant, in the file `seen`.
function echo.record()
  local ngx = rawget(_G, "ngx")
  local file = assert(io.open(ngx.config.prefix() .. "seen", "ab"))
  file:write(("%s %s://%s%s %s\n"):format(ngx.req.get_method(), ngx.var.scheme, ngx.var.http_host,
    ngx.var.request_uri, ngx.var.http_authorization or "-"))
  file:close()
end

-- The lines since the last call.
function echo.seen(running)
  local file, lines = io.open(running.directory .. "/seen", "rb"), {}
  if not file then return lines end
  for line in file:lines() do lines[#lines + 1] = line end
  file:close()
  os.remove(running.directory .. "/seen")
  return lines
end

return echo

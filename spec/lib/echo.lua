-- What the nginx of server.lua does with a request, and how a spec reads what it says of one.
local json = require "cjson"

local echo = {}

local function to_hex(text)
  return (text:gsub(".", function(byte)
    return ("%02x"):format(byte:byte())
  end))
end

local function from_hex(text)
  return (text:gsub("%x%x", function(digits)
    return string.char(tonumber(digits, 16))
  end))
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

-- What reached nginx, as JSON in hex. Of a long body only the sum is whole.
local function reached(ngx)
  ngx.req.read_body()
  local body = ngx.req.get_body_data() or ""
  return to_hex(json.encode {
    method = ngx.req.get_method(),
    uri = ngx.var.request_uri,
    scheme = ngx.var.scheme,
    headers = ngx.req.get_headers(0),
    body = to_hex(body:sub(1, 256)),
    length = #body,
    sum = echo.sum(body),
  })
end

-- In nginx: answers with that, in the body of the response and, for HEAD, in its header `x-echo`.
function echo.answer()
  local ngx = rawget(_G, "ngx")
  local seen = reached(ngx)
  ngx.header["x-echo"] = seen
  ngx.header["content-length"] = #seen
  ngx.print(seen)
end

-- Reads such an answer, in which the text is hex again.
function echo.read(hex)
  local seen =
    json.decode(from_hex(hex:match "^%x+$" or error("no answer of the echo: " .. hex, 2)))
  seen.body = from_hex(seen.body)
  return seen
end

-- In nginx: keeps what reached it, and answers by the next row of the file `answers`: `status`,
-- `headers`, `body`. A body that is shorter than its content-length breaks off.
function echo.play()
  local ngx = rawget(_G, "ngx")
  local file = assert(io.open(ngx.config.prefix() .. "seen", "a+"))
  file:write(reached(ngx), "\n")
  file:seek "set"
  local _, count = file:read "*a":gsub("\n", "")
  file:close()
  file = assert(io.open(ngx.config.prefix() .. "answers"))
  local row = json.decode(file:read "*a")[count] or {}
  row.body = row.body or "[]"
  file:close()
  ngx.status, ngx.header.content_type, ngx.header.content_length =
    row.status or 200, "application/json", #row.body
  for name, value in pairs(row.headers or {}) do
    ngx.header[name] = value
  end
  ngx.print(row.body)
  ngx.flush(true)
  if tonumber(ngx.header.content_length) > #row.body then
    return ngx.exit(ngx.ERROR)
  end
end

-- The location that does so.
echo.LOCATION = [[location ~ / { content_by_lua_block { require "echo".play() } }]]

-- Sets the rows for what comes next.
function echo.plan(running, rows)
  os.remove(running.directory .. "/seen")
  require "support".write(running.directory .. "/answers", json.encode(rows))
end

-- What reached it since then: a list.
function echo.seen(running)
  local file, list = io.open(running.directory .. "/seen", "rb"), {}
  for line in (file and file:read "*a" or ""):gmatch "[^\n]+" do
    list[#list + 1] = echo.read(line)
  end
  if file then
    file:close()
  end
  return list
end

return echo

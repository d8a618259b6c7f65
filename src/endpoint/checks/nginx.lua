-- SPDX-License-Identifier: MIT
-- The request that nginx handles, as rules.request takes it, and the answer to a wrong one.
-- docs/gateway-checks.md shows a gateway; what each function takes, returns and raises is said in
-- src/addon/library/endpoint/checks_nginx.lua.
local nginx = {}

local nginx_request = require "endpoint.clients.nginx.request"
local protected = require "endpoint.protected"

local byte = string.byte

-- nginx reads 100 headers unless it is told otherwise; one with more is refused.
local MOST_HEADERS = 100

-- The bytes of a body, unless options.body says otherwise.
local MOST_BYTES = 64 * 1024

-- --- the request ------------------------------------------------------------------

-- The path and the query, as the client wrote them: nginx decodes $uri, and merges its slashes.
local function target_of(target)
  local mark = target:find("?", 1, true)
  if not mark then
    return target, nil
  end
  return target:sub(1, mark - 1), mark < #target and target:sub(mark + 1) or nil
end

-- A body that nginx has put into a file.
local function body_in_file(ngx, most)
  local name = ngx.req.get_body_file()
  local file = name and io.open(name, "rb")
  if not file then
    return nil
  end
  local body = file:read(most + 1)
  file:close()
  return body
end

-- --- the answer -------------------------------------------------------------------

local function encoded(problems)
  local found, cjson = protected.call(require, "cjson")
  local encode = found and cjson.encode or require "dkjson".encode
  return encode { problems = problems }
end

-- Answers a request that is wrong, and ends it.
function nginx.refuse(status, problems)
  local ngx = nginx_request.find_nginx "checks.nginx.refuse"
  local allow = problems[1] and problems[1].allow
  ngx.status = status
  ngx.header.content_type = "application/json"
  if allow then
    ngx.header.allow = table.concat(allow, ", ")
  end
  ngx.print(encoded(problems))
  return ngx.exit(ngx.HTTP_OK)
end

local function refuse(status, place, message, name)
  local problem = { place = place, name = name, pointer = "", message = message }
  return nginx.refuse(status, { problem })
end

-- --- the whole --------------------------------------------------------------------

-- The headers. rules.request asks for them only where the operation or the body needs them: a
-- string of each name and value costs nginx more than the rest of the request.
local function read_headers()
  local ngx = nginx_request.find_nginx "checks.nginx.read"
  local headers, problem = ngx.req.get_headers(MOST_HEADERS)
  setmetatable(headers, nil) -- it would find names with other characters
  if problem then
    return refuse(431, "header", ("has more than %d headers"):format(MOST_HEADERS))
  elseif type(headers["content-type"]) == "table" then
    return refuse(400, "header", "is there twice", "content-type")
  end
  return headers
end

-- The body. nginx itself may have a limit, client_max_body_size. Under HTTP/1 a request has no body
-- unless one of two headers says so (RFC 9112, section 6.3).
local function read_body(ngx, version, most)
  local length, body = ngx.var.content_length, nil
  if not length and version < 2 and not ngx.var.http_transfer_encoding then
    return nil
  end
  local size = tonumber(length) or 0
  if size <= most then
    ngx.req.read_body()
    body = ngx.req.get_body_data() or body_in_file(ngx, most)
  end
  if size > most or body and #body > most then
    return refuse(413, "body", ("has more than %d bytes"):format(most))
  end
  return body
end

-- Has a text a byte that no URL has (RFC 3986, section 2), such as a brace? nginx lets it through,
-- and no client sends it on. A loop over bytes is compiled by LuaJIT, a pattern is not.
local function has_foreign_byte(target)
  for position = 1, #target do
    local one = byte(target, position)
    if one < 33 or one > 126 or one == 123 or one == 125 then
      return true
    end
  end
  return false
end

-- The current request as rules.request takes it. Ends it if it cannot be read.
function nginx.read(options)
  local ngx = nginx_request.find_nginx "checks.nginx.read"
  local version = nginx_request.check("checks.nginx.read", ngx)
  local target = ngx.var.request_uri
  if has_foreign_byte(target) then
    return refuse(400, "path", "has a byte that no URL has")
  end
  local path, query = target_of(target)
  return {
    method = ngx.req.get_method(),
    path = path,
    query = query,
    headers = read_headers,
    body = read_body(ngx, version, options and options.body or MOST_BYTES),
  }
end

return nginx

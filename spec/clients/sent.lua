-- The requests that each client really sends, and what has to arrive. Fields:
-- route, options: the call, or what makes the options anew; userinfo: put into the base address;
-- uri, method, body, headers: what the server must have seen (false: no such header);
-- refused: client -> the message that it raises instead;
-- broken: what the source of a stream says that fails, and nothing arrives;
-- exact: not for clients.ngx, since nginx writes such a URI otherwise.
local endpoint = require "endpoint"
local kinds = require "clients.requests".kinds
local support = require "support"

local bytes = {}
for byte = 0, 255 do bytes[byte + 1] = string.char(byte) end
local EVERY_BYTE = table.concat(bytes)
local HUGE = ("0123456789ab\n"):rep(100000)

local FORM = "application/x-www-form-urlencoded"

-- A call whose body is a function that gives these pieces, then perhaps an error.
local function stream_of(pieces, length, problem)
  return function()
    local at = 0
    local function source()
      at = at + 1
      if at > #pieces then return nil, problem end
      return pieces[at]
    end
    return { data = source, headers = { ["content-length"] = length } }
  end
end

local PIECES = { "", EVERY_BYTE, "", "", "\r\n0\r\n\r\n", "x" }
for i = 7, 200 do PIECES[i] = ("%d,"):format(i):rep(i) end
local JOINED = table.concat(PIECES)

local NO_STREAM = "sends no function"
local NO_STREAMS = { lua_https = NO_STREAM, curl_command = NO_STREAM, argv = NO_STREAM, ngx = NO_STREAM,
  ngx_proxy = NO_STREAM }

local rows = {
  { name = "an upload that nobody labelled", route = "PUT /x", method = "PUT",
    options = { data = "@file 'quoted' \"$HOME\"" }, uri = "/x",
    body = "@file 'quoted' \"$HOME\"", headers = { ["content-type"] = false } },
  { name = "a long body that waits for a 100", route = "PUT /x", method = "PUT", uri = "/x",
    options = { data = HUGE:sub(1, 4000), headers = { expect = "100-continue" } }, body = HUGE:sub(1, 4000),
    headers = { ["content-length"] = "4000", expect = "100-continue" } },
  { name = "a long upload of every byte", route = "POST /x", method = "POST", uri = "/x",
    options = { data = EVERY_BYTE:rep(400) }, body = EVERY_BYTE:rep(400),
    headers = { ["content-length"] = "102400", expect = false }, refused = { lua_https = "options.backend" } },
  { name = "UTF-8 in the path", route = "GET /names/:name/ß", method = "GET", options = { name = "café ☃" },
    uri = "/names/caf%C3%A9%20%E2%98%83/%C3%9F" },
  { name = "a triplet and control characters in a value", route = "GET /names/:name", method = "GET",
    options = { name = "a%2Fb%00\r\nb: c" }, uri = "/names/a%252Fb%2500%0D%0Ab%3A%20c", refused = { ngx = " must stay" } },
  { name = "an empty query", route = "GET /a?", method = "GET", uri = "/a?", exact = true },
  { name = "question marks in the query", route = "GET /a??b=?", method = "GET", uri = "/a??b=?" },
  { name = "reserved characters in literals, and a fragment", route = "GET /a;b=c/%7Eu/x:y@z?a[]=1&b={b}#part",
    method = "GET", options = { b = "{}" }, uri = "/a;b=c/%7Eu/x:y@z?a[]=1&b=%7B%7D", exact = true },
  { name = "headers of all kinds", route = "POST /x", method = "POST", uri = "/x", body = "text",
    options = { data = "text", headers = { ["x-list"] = { "a", "b" }, ["x-true"] = true, ["x-number"] = 1e15,
      ["x-quoted"] = [[it's "$(x)" \ `y`]], ["x-bytes"] = "\t\233é", ["content-length"] = 2,
      cookie = { "a=1", "b=2" }, authorization = "token 0123" } },
    headers = { ["x-list"] = "a, b", ["x-true"] = "true", ["x-number"] = "1000000000000000",
      ["x-quoted"] = [[it's "$(x)" \ `y`]], ["x-bytes"] = "\t\233é", ["content-length"] = "4",
      cookie = "a=1; b=2", authorization = "token 0123" } },
  { name = "an empty header, and control characters in one", route = "GET /x", method = "GET", uri = "/x",
    options = { headers = { ["x-empty"] = "", ["x-bytes"] = "\1\27[31m" } },
    headers = { ["x-empty"] = "", ["x-bytes"] = "\1\27[31m" }, refused = { ngx = "control", ngx_proxy = "control" } },
  { name = "userinfo", route = "GET /x", method = "GET", userinfo = "us%40er:pa:ss", uri = "/x", exact = true,
    headers = { authorization = "Basic dXNAZXI6cGE6c3M=" } },
  { name = "a form", route = "POST /x", method = "POST", uri = "/x", body = "a=b%20%26%2B&l=1&l=x",
    options = { l = { 1, "x" }, a = "b &+", headers = { ["content-type"] = FORM } },
    headers = { ["content-type"] = FORM, ["content-length"] = "20" } },
  { name = "a body of over a megabyte", route = "POST /x", method = "POST", uri = "/x", body = HUGE,
    options = { data = HUGE }, headers = { ["content-length"] = "1300000", expect = false },
    refused = { lua_https = "options.backend" } },
  { name = "a stream of a length", route = "PUT /x", method = "PUT", uri = "/x", body = JOINED,
    options = stream_of(PIECES, #JOINED), refused = NO_STREAMS,
    headers = { ["content-length"] = tostring(#JOINED), expect = false } },
  { name = "a stream in chunks", route = "POST /x", method = "POST", uri = "/x", body = JOINED,
    options = stream_of(PIECES), refused = NO_STREAMS,
    headers = { ["content-length"] = false, ["transfer-encoding"] = "chunked", expect = false, ["content-type"] = false } },
  { name = "a stream of nothing", route = "PATCH /x", method = "PATCH", uri = "/x", options = stream_of { "", "" },
    refused = NO_STREAMS, headers = { ["content-length"] = false, ["transfer-encoding"] = "chunked" } },
  { name = "a stream of no bytes", route = "DELETE /x", method = "DELETE", uri = "/x", options = stream_of({}, 0),
    refused = NO_STREAMS, headers = { ["content-length"] = "0", ["transfer-encoding"] = false } },
  { name = "a stream that breaks off", route = "PUT /broken", options = stream_of({ "ab", "cd" }, nil, "disk on fire"),
    broken = "disk on fire", refused = NO_STREAMS },
  { name = "a stream that breaks off at its length", route = "PUT /broken", refused = NO_STREAMS,
    options = stream_of({ "ab", "cd" }, 4, "disk on fire"), broken = "disk on fire" },
  { name = "a stream that is too short", route = "PUT /broken", options = stream_of({ "ab", "cd" }, 5),
    broken = "gave 4 of the 5 bytes", refused = NO_STREAMS },
  { name = "a stream that is too long", route = "PUT /broken", options = stream_of({ "ab", "cd", "e" }, 4),
    broken = "gave more than the 4 bytes", refused = NO_STREAMS },
}

-- Those of all specs of clients. Some clients send a content-length of 0 with a DELETE.
for _, kind in ipairs(support.keys(kinds)) do
  local row, length = kinds[kind], kinds[kind].body and tostring(#kinds[kind].body)
  if not length and not row[1]:find "^DELETE" then length = false end
  rows[#rows + 1] = { name = kind, route = row[1], options = row[2], method = row[1]:match "^%u+", body = row.body,
    uri = row.path .. (row.query and "?" .. row.query or ""), refused = row.refused,
    headers = { ["content-type"] = row.type or false, ["content-length"] = length } }
end

-- The result for a row, at this base address, with a fresh source.
function rows.result(row, base)
  local options = type(row.options) == "function" and row.options() or row.options
  if row.userinfo then base = base:gsub("://", "://" .. row.userinfo:gsub("%%", "%%%%") .. "@") end
  return endpoint.defaults { baseUrl = base }(row.route, options)
end

return rows

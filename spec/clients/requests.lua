-- Requests for endpoint.clients and what each of its clients must send, sources of streams, and
-- stand-ins for what clients load and are given.
local endpoint = require "endpoint"
local support = require "support"

local requests = {}

-- --- what is sent -------------------------------------------------------------------

local bytes = {}
for byte = 0, 255 do
  bytes[byte + 1] = string.char(byte)
end
local EVERY_BYTE, HUGE, UPLOAD =
  table.concat(bytes), ("0123456789ab\n"):rep(100000), "\0\1\127\128\255'\\%"
local FORM, JSON =
  "application/x-www-form-urlencoded", { ["content-type"] = "application/json; charset=utf-8" }
local REFUSES_LONG, REFUSES_CONTROL =
  { lua_https = "options.backend" }, { ngx = "control", ngx_proxy = "control" }
local NO_QUERY = { lua_https = "method QUERY", ngx = "method QUERY", ngx_proxy = "method QUERY" }
local NO_STREAMS = {}
for _, name in ipairs { "plain", "lua_https", "curl_command", "argv", "ngx", "ngx_proxy" } do
  NO_STREAMS[name] = ("body: clients.%s sends no function"):format(name)
end

-- Options whose body is a function that gives these pieces, then perhaps an error.
local function stream_of(pieces, length, problem)
  return function()
    return { data = requests.source_of(pieces, problem), headers = { ["content-length"] = length } }
  end
end

local PIECES = { "", EVERY_BYTE, "", "", "\r\n0\r\n\r\n", "x" }
for i = 7, 200 do
  PIECES[i] = ("%d,"):format(i):rep(i)
end
local JOINED = table.concat(PIECES)
local CHUNKED = { ["content-length"] = false, ["transfer-encoding"] = "chunked" }

-- Title, route, and the options or what makes them anew. Fields: uri, body, headers: what the
-- server must see where these do not say it (false: no such header); userinfo: put into the base
-- address; refused: client -> the message that it raises instead; broken: what the source of a
-- stream says that fails, and nothing arrives; exact: not for clients.ngx, since nginx writes such
-- a URI otherwise.
requests.sent = {
  {
    "a value to encode, and pairs",
    "GET /orgs/:org",
    { org = "é/x", q = "a b", list = { 1, "&" } },
    uri = "/orgs/%C3%A9%2Fx?list=1%2C%26&q=a%20b",
    refused = { ngx = "%2F" },
  },
  { "a HEAD", "HEAD /x", { q = 1 }, uri = "/x?q=1" },
  { "a DELETE", "DELETE /x" },
  {
    "a DELETE with a body",
    "DELETE /x",
    { a = { 1, "b" } },
    body = '{"a":[1,"b"]}',
    headers = JSON,
  },
  { "JSON", "POST /x", { a = "Grüße" }, body = '{"a":"Grüße"}', headers = JSON },
  { "an empty POST", "POST /x", body = "" },
  { "an empty PUT", "PUT /x", body = "" },
  { "an empty PATCH", "PATCH /x", body = "" },
  { "an empty QUERY", "QUERY /x", body = "", refused = NO_QUERY },
  {
    "a QUERY",
    "QUERY /x{?a}",
    { a = 1, b = "c" },
    uri = "/x?a=1",
    body = '{"b":"c"}',
    headers = JSON,
    refused = NO_QUERY,
  },
  {
    "an upload",
    "POST /x{?name}",
    { name = "n", data = UPLOAD, headers = { ["content-type"] = "image/png" } },
    uri = "/x?name=n",
    headers = { ["content-type"] = "image/png" },
  },
  { "an upload that nobody labelled", "PUT /x", { data = "@file 'quoted' \"$HOME\"" } },
  {
    "a long body that waits for a 100",
    "PUT /x",
    { data = HUGE:sub(1, 4000), headers = { expect = "100-continue" } },
    headers = { expect = "100-continue" },
  },
  {
    "a long upload of every byte",
    "POST /x",
    { data = EVERY_BYTE:rep(400) },
    refused = REFUSES_LONG,
  },
  { "a body of over a megabyte", "POST /x", { data = HUGE }, refused = REFUSES_LONG },
  {
    "UTF-8 in the path",
    "GET /names/:name/ß",
    { name = "café ☃" },
    uri = "/names/caf%C3%A9%20%E2%98%83/%C3%9F",
  },
  {
    "a triplet and control characters in a value",
    "GET /names/:name",
    { name = "a%2Fb%00\r\nb: c" },
    uri = "/names/a%252Fb%2500%0D%0Ab%3A%20c",
    refused = { ngx = "%0D" },
  },
  { "an empty query", "GET /a?", uri = "/a?", exact = true },
  { "question marks in the query", "GET /a??b=?", uri = "/a??b=?" },
  {
    "reserved characters in literals, and a fragment",
    "GET /a;b=c/%7Eu/x:y@z?a[]=1&b={b}#part",
    { b = "{}" },
    uri = "/a;b=c/%7Eu/x:y@z?a[]=1&b=%7B%7D",
    exact = true,
  },
  {
    "headers of all kinds",
    "POST /x",
    {
      data = "text",
      headers = {
        ["x-list"] = { "a", "b" },
        ["x-true"] = true,
        ["x-number"] = 2 ^ 24 - 1,
        ["X-Float"] = 5.0,
        ["x-quoted"] = [[it's "$(x)" \ `y`]],
        ["x-bytes"] = "\t\233é",
        etag = { "e" },
        ["x-none"] = {},
        ["content-length"] = 2,
        cookie = { "a=1", "b=2" },
        authorization = "token 0123",
      },
    },
    headers = {
      ["x-list"] = "a, b",
      ["x-true"] = "true",
      ["x-number"] = "16777215",
      ["x-float"] = "5",
      etag = "e",
      ["x-none"] = false,
      ["x-quoted"] = [[it's "$(x)" \ `y`]],
      ["x-bytes"] = "\t\233é",
      cookie = "a=1; b=2",
      authorization = "token 0123",
    },
  },
  {
    "an empty header, and control characters in one",
    "GET /x",
    { headers = { ["x-empty"] = "", ["x-bytes"] = "\1\27[31m" } },
    headers = { ["x-empty"] = "", ["x-bytes"] = "\1\27[31m" },
    refused = REFUSES_CONTROL,
  },
  {
    "a host of its own",
    "GET /x",
    { headers = { Host = "other.example" } },
    headers = { host = "other.example" },
  },
  {
    "userinfo",
    "GET /x",
    userinfo = "us%40er:pa:ss",
    exact = true,
    headers = { authorization = "Basic dXNAZXI6cGE6c3M=" },
  },
  {
    "a form",
    "POST /x",
    { l = { 1, "x" }, a = "b &+", headers = { ["content-type"] = FORM } },
    body = "a=b%20%26%2B&l=1&l=x",
    headers = { ["content-type"] = FORM },
  },
  {
    "a stream of a length",
    "PUT /x",
    stream_of(PIECES, #JOINED),
    body = JOINED,
    headers = { ["content-length"] = tostring(#JOINED) },
  },
  { "a stream in chunks", "POST /x", stream_of(PIECES), body = JOINED, headers = CHUNKED },
  { "a stream of nothing", "PATCH /x", stream_of { "", "" }, headers = CHUNKED },
  { "a stream of no bytes", "DELETE /x", stream_of({}, 0), headers = { ["content-length"] = "0" } },
  {
    "a stream that breaks off",
    "PUT /broken",
    stream_of({ "ab", "cd" }, nil, "disk on fire"),
    broken = "disk on fire",
  },
  {
    "a stream that breaks off at its length",
    "PUT /broken",
    stream_of({ "ab", "cd" }, 4, "disk on fire"),
    broken = "disk on fire",
  },
  {
    "a stream that is too short",
    "PUT /broken",
    stream_of({ "ab", "cd" }, 5),
    broken = "gave 4 of the 5 bytes",
  },
  {
    "a stream that is too long",
    "PUT /broken",
    stream_of({ "ab", "cd", "e" }, 4),
    broken = "gave more than the 4 bytes",
  },
}
for _, row in ipairs(requests.sent) do
  local options = row[3] or {}
  local is_stream, seen = type(options) == "function", { ["content-type"] = false, expect = false }
  row.method, row.uri = row[2]:match "^%u+", row.uri or row[2]:match "/%a+$"
  row.body = row.body or not is_stream and options.data or nil
  row.refused = is_stream and NO_STREAMS or row.refused
  if not is_stream then
    seen["content-length"] = row.body and tostring(#row.body) or false
  end
  -- Some clients send a content-length of 0 with a DELETE.
  if row.method == "DELETE" and not row.body then
    seen["content-length"] = nil
  end
  for name, value in pairs(row.headers or {}) do
    seen[name] = value
  end
  if not seen["transfer-encoding"] then
    seen["transfer-encoding"] = false
  end
  row.headers = seen
end

-- The result for such a row, at this base address, with a fresh source.
function requests.result(row, base)
  local options = type(row[3]) == "function" and row[3]() or row[3]
  if row.userinfo then
    base = base:gsub("://", "://" .. row.userinfo:gsub("%%", "%%%%") .. "@")
  end
  return endpoint.defaults { baseUrl = base }(row[2], options)
end

-- --- sources and stand-ins ----------------------------------------------------------

-- A source: a function that returns these pieces, then nil and a message if one is given. It
-- raises if it is called again.
function requests.source_of(pieces, problem)
  local at = 0
  return function()
    at = at + 1
    assert(at <= #pieces + 1, "asked behind the end")
    if at <= #pieces then
      return pieces[at]
    end
    return nil, problem
  end
end

-- What LuaSocket does with a body, through ltn12.pump.all: what a connection gets that takes so
-- many pieces ("END" behind the last), and the message at the end.
function requests.pumped(made, most)
  local sent = {}
  local function sink(piece)
    if piece and #sent >= (most or math.huge) then
      return nil, "closed"
    end
    sent[#sent + 1] = piece or "END"
    return 1
  end
  while true do
    local going, problem = made.step(made.source, sink)
    if not going then
      return table.concat(sent), problem
    end
    assert(going == 1, "not what ltn12.pump.step returns")
  end
end

-- Calls f while these modules are loaded, then restores those that were.
function requests.while_loaded(modules, f, ...)
  local before = {}
  for name, module in pairs(modules) do
    before[name] = package.loaded[name] or false
    package.loaded[name] = module
  end
  local results = { pcall(f, ...) }
  for name, module in pairs(before) do
    package.loaded[name] = module or nil
  end
  if not results[1] then
    error(results[2], 0)
  end
  return support.unpack(results, 2)
end

-- A handle of libcurl that records its options, by libcurl's numbers, as Debian's lua-curl; with a
-- function setopt_postfields, as Lua-cURL 3.
function requests.handle(more)
  local easy = { calls = {}, options = {} }
  function easy:setopt(option, value)
    self.calls[#self.calls + 1], self.options[option] = { option, value }, value
  end
  for name, f in pairs(more or {}) do
    easy[name] = f
  end
  return easy
end

return requests

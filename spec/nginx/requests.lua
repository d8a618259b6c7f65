-- The requests that each client really sends, and what has to arrive. Fields:
-- route, options: the call; userinfo: put into the base address; uri, method,
-- body, headers: what the server must have seen (false: no such header);
-- refused: client -> the message that it raises instead;
-- exact: not for clients.ngx, whose URIs nginx decodes on their way.
local bytes = {}
for byte = 0, 255 do bytes[byte + 1] = string.char(byte) end
local EVERY_BYTE = table.concat(bytes)
local LONG = ("0123456789abcdef\n"):rep(20000)

local JSON = "application/json; charset=utf-8"

return {
  { name = "GET with a query", route = "GET /orgs/:org/repos", method = "GET",
    options = { org = "lua", type = "private", q = "a b&c=d", list = { 1, "x" } },
    uri = "/orgs/lua/repos?list=1%2Cx&q=a%20b%26c%3Dd&type=private",
    headers = { ["content-length"] = false, ["content-type"] = false } },
  { name = "POST with a JSON body", route = "POST /repos/{owner}/issues{?draft}", method = "POST",
    options = { owner = "lua", draft = true, title = "Grüße" }, uri = "/repos/lua/issues?draft=true",
    body = '{"title":"Grüße"}', headers = { ["content-type"] = JSON, ["content-length"] = "19" } },
  { name = "POST without a body", route = "POST /x", method = "POST", uri = "/x",
    headers = { ["content-length"] = "0", ["content-type"] = false } },
  { name = "PUT without a body", route = "PUT /user/starred", method = "PUT", uri = "/user/starred",
    headers = { ["content-length"] = "0", ["content-type"] = false } },
  { name = "PATCH without a body", route = "PATCH /x", method = "PATCH", uri = "/x",
    headers = { ["content-length"] = "0", ["content-type"] = false } },
  { name = "HEAD", route = "HEAD /x", method = "HEAD", options = { q = 1 }, uri = "/x?q=1",
    headers = { ["content-length"] = false, ["content-type"] = false } },
  { name = "DELETE without a body", route = "DELETE /x", method = "DELETE", uri = "/x",
    headers = { ["content-type"] = false } },
  { name = "DELETE with a body", route = "DELETE /repos/:repo/labels", method = "DELETE",
    options = { repo = "lua", labels = { "a", "b" } }, uri = "/repos/lua/labels", body = '{"labels":["a","b"]}',
    headers = { ["content-type"] = JSON, ["content-length"] = "20" } },
  { name = "an upload of every byte", route = "POST /assets{?name}", method = "POST",
    options = { name = "a b.gz", data = EVERY_BYTE, headers = { ["content-type"] = "application/gzip" } },
    uri = "/assets?name=a%20b.gz", body = EVERY_BYTE,
    headers = { ["content-type"] = "application/gzip", ["content-length"] = "256" } },
  { name = "an upload that nobody labelled", route = "PUT /x", method = "PUT",
    options = { data = "@file 'quoted' \"$HOME\"" }, uri = "/x",
    body = "@file 'quoted' \"$HOME\"", headers = { ["content-type"] = false } },
  { name = "a long body", route = "POST /x", method = "POST", options = { data = LONG }, uri = "/x",
    length = #LONG, body = LONG:sub(1, 128) .. LONG:sub(-128), headers = { ["content-length"] = tostring(#LONG) } },
  { name = "a long upload of every byte", route = "POST /x", method = "POST", uri = "/x", length = 102400,
    options = { data = EVERY_BYTE:rep(400) }, body = EVERY_BYTE:sub(1, 128) .. EVERY_BYTE:sub(-128),
    headers = { ["content-length"] = "102400" } },
  { name = "UTF-8 in the path", route = "GET /names/:name/ß", method = "GET", options = { name = "café ☃" },
    uri = "/names/caf%C3%A9%20%E2%98%83/%C3%9F" },
  { name = "a slash in a value", route = "GET /names/:name", method = "GET", options = { name = "a/b%" },
    uri = "/names/a%2Fb%25", exact = true },
  { name = "a triplet in a value", route = "GET /names/:name", method = "GET", options = { name = "a%2Fb%00" },
    uri = "/names/a%252Fb%2500" },
  { name = "reserved characters in literals, and a fragment", route = "GET /a;b=c/%7Eu/x:y@z?a[]=1&b={b}#part",
    method = "GET", options = { b = "{}" }, uri = "/a;b=c/%7Eu/x:y@z?a[]=1&b=%7B%7D", exact = true },
  { name = "headers of all kinds", route = "POST /x", method = "POST", uri = "/x", body = "text",
    options = { data = "text", headers = { ["x-list"] = { "a", "b" }, ["x-true"] = true, ["x-number"] = 5.0,
      ["x-empty"] = "", ["x-quoted"] = [[it's "$(x)" \ `y`]], ["x-bytes"] = "\1\27[31m\233é", ["content-length"] = 2,
      cookie = { "a=1", "b=2" }, authorization = "token 0123" } },
    headers = { ["x-list"] = "a, b", ["x-true"] = "true", ["x-number"] = "5", ["x-empty"] = "",
      ["x-quoted"] = [[it's "$(x)" \ `y`]], ["x-bytes"] = "\1\27[31m\233é", ["content-length"] = "4",
      cookie = "a=1; b=2", authorization = "token 0123" } },
  { name = "dot segments that the template names", route = "GET /a/../b/./c", method = "GET", uri = "/a/../b/./c",
    exact = true, refused = { curl = "this handle would take", https = "lua-https would take" } },
  { name = "userinfo", route = "GET /x", method = "GET", userinfo = "us%40er:pa:ss", uri = "/x", exact = true,
    headers = { authorization = "Basic dXNAZXI6cGE6c3M=" } },
}

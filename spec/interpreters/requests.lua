-- What each interpreter sends, in order, and what must reach the server. HEAD is the last, since
-- wrk stops after it.
local endpoint = require "endpoint"

local JSON = { title = "Grüße \"1\"", milestone = endpoint.null }
local BYTES = "\0\1\n\r\n\127\255\0"

return {
  {
    name = "GET with a query",
    route = "GET /repos/{owner}/{repo}/issues",
    options = { owner = "a/b c", repo = "é", q = "x y&z+", ["labels[]"] = { "a", "b" } },
    uri = "/api/repos/a%2Fb%20c/%C3%A9/issues?labels%5B%5D=a&labels%5B%5D=b&q=x%20y%26z%2B",
  },
  {
    name = "POST with JSON",
    route = "POST /issues{?draft}",
    options = { draft = true, title = JSON.title, milestone = JSON.milestone },
    uri = "/api/issues?draft=true",
    json = JSON,
    content_type = "application/json; charset=utf-8",
  },
  { name = "POST without a body", route = "POST /lock", uri = "/api/lock", body = "" },
  {
    name = "PUT of bytes",
    route = "PUT /files/{name}",
    options = { name = "a;b%", data = BYTES },
    uri = "/api/files/a%3Bb%25",
    body = BYTES,
  },
  { name = "DELETE", route = "DELETE /issues/:id", options = { id = 1 }, uri = "/api/issues/1" },
  { name = "GET that is redirected", route = "GET /away", uri = "/api/away", status = 302 },
  { name = "HEAD", route = "HEAD /issues/:id", options = { id = 1 }, uri = "/api/issues/1" },
}

-- Runs inside an interpreter, after its recipe. It sends `requests`, and writes a line for each answer into the
-- file ANSWERS.
local endpoint = require "endpoint"

local driver = {}

local JSON = { title = "Grüße \"1\"", milestone = endpoint.null }
local BYTES = "\0\1\n\r\n\127\255\0"

-- What each interpreter sends, in order, and what must reach the server. HEAD is the last, since wrk stops
-- after it.
driver.requests = {
  { name = "GET with a query", route = "GET /repos/{owner}/{repo}/issues",
    options = { owner = "a/b c", repo = "é", q = "x y&z+", ["labels[]"] = { "a", "b" } },
    uri = "/api/repos/a%2Fb%20c/%C3%A9/issues?labels%5B%5D=a&labels%5B%5D=b&q=x%20y%26z%2B" },
  { name = "POST with JSON", route = "POST /issues{?draft}", uri = "/api/issues?draft=true", json = JSON,
    options = { draft = true, title = JSON.title, milestone = JSON.milestone } },
  { name = "POST without a body", route = "POST /lock", uri = "/api/lock", body = "" },
  { name = "PUT of bytes", route = "PUT /files/{name}", options = { name = "a;b%", data = BYTES },
    uri = "/api/files/a%3Bb%25", body = BYTES },
  { name = "DELETE", route = "DELETE /issues/:id", options = { id = 1 }, uri = "/api/issues/1" },
  { name = "GET that is redirected", route = "GET /away", uri = "/api/away", status = 302 },
  { name = "HEAD", route = "HEAD /issues/:id", options = { id = 1 }, uri = "/api/issues/1" },
}

-- An endpoint for the recording server, and its results in order.
driver.api = endpoint.defaults { baseUrl = os.getenv "API", headers = { authorization = "Bearer 0123" } }
driver.results = {}
for i, request in ipairs(driver.requests) do driver.results[i] = driver.api(request.route, request.options) end

function driver.say(text)
  local file = assert(io.open(os.getenv "ANSWERS", "a"))
  file:write(tostring(text), "\n")
  file:close()
end

-- Says the status of each answer, which `status_of` reads from what `send` returns: the field `status`,
-- unless given.
function driver.run(send, status_of)
  status_of = status_of or function(response) return response.status end
  for _, r in ipairs(driver.results) do
    local sent, answer = pcall(send, r)
    driver.say("status " .. tostring(sent and status_of(answer) or answer))
  end
end

-- Says what f(...) returns, or the message that it raises, without its position.
function driver.try(f, ...)
  local _, answer = pcall(f, ...)
  driver.say((tostring(answer):gsub("^[^\n]-:%d+: ", "")))
end

return driver

-- Which redirects are followed, and what is said of the others.
local endpoint = require "endpoint"
local scripted = require "request.scripted"

local asked, response = scripted.asked, scripted.response

local TOKEN = "s3cr3t99"

local function moved_to(place, status)
  return response("", "location: " .. place .. "\n", status or 302)
end

-- What the call says whose redirect is not followed.
local function not_followed(place, reason)
  return ("the server answers 302: moved to %s (not followed: %s)"):format(place, reason)
end

local NOT_A_URL = "the server answers 302: moved, but the location is not a valid URL"
local OTHER_ORIGIN = "it has another origin, see the setting other_origins"
local NOT_ASKED = "the setting redirects is 0"
local TWO = "the server answers 302: moved, but the response has more than one location"

-- title: what must hold. location: where the server says that /x is.
-- method: GET unless given. redirects: the setting, 2 unless given.
-- path: where the request that follows is sent, with the headers of the call; or said: what the
-- call raises.
local REDIRECTS = {
  { title = "to two locations is not followed", location = "/y\nlocation: /z", said = TWO },
  { title = "to two equal locations is not followed", location = "/y\nlocation: /y", said = TWO },
  { title = "to a path with a space is followed", location = "/a b", path = "/a%20b" },
  {
    title = "to a path with white space around it is followed",
    location = "\t/items ",
    path = "/items",
  },
  {
    title = "to another host by backslashes is not followed",
    location = "\\\\evil.example\\x",
    said = not_followed("http://evil.example/x", OTHER_ORIGIN),
  },
  { title = "to a path is followed", location = "/items", path = "/items" },
  {
    title = "to a relative path is followed from the URL of the request",
    location = "items?a=b",
    path = "/v1/items?a=b",
  },
  {
    title = "to a URL of the same origin is followed, its port written out",
    location = "http://h:80/items",
    path = "/items",
  },
  {
    title = "to a path with an empty segment and @ is followed",
    location = "/items//u@x",
    path = "/items//u@x",
  },
  {
    title = "is not followed unless the program wants it",
    redirects = 0,
    location = "/items",
    said = not_followed("http://h/items", NOT_ASKED),
  },
  {
    title = "that is not followed is shown without its fragment",
    redirects = 0,
    location = "/items#key=S3CRET",
    said = not_followed("http://h/items", NOT_ASKED),
  },
  {
    title = "that is not followed is shown without a header of the call in its path",
    redirects = 0,
    location = "/reset/" .. TOKEN .. "/?a=1",
    said = not_followed("http://h/reset/***/", NOT_ASKED),
  },
  {
    title = "to another host is not followed, and shown without its query",
    location = "http://other/items?key=S3CRET",
    said = not_followed("http://other/items", OTHER_ORIGIN),
  },
  {
    title = "to another scheme is not followed",
    location = "https://h/items",
    said = not_followed("https://h/items", OTHER_ORIGIN),
  },
  {
    title = "to another scheme at the same port is not followed",
    location = "https://h:80/items",
    said = not_followed("https://h:80/items", OTHER_ORIGIN),
  },
  {
    title = "to another port is not followed",
    location = "http://h:8080/items",
    said = not_followed("http://h:8080/items", OTHER_ORIGIN),
  },
  {
    title = "to a URL with a user is not followed, and shown without it",
    location = "http://me:pw@h/",
    said = not_followed("http://***@h/", OTHER_ORIGIN),
  },
  {
    title = "to a URL with an empty user is not followed",
    location = "http://@h/",
    said = not_followed("http://***@h/", OTHER_ORIGIN),
  },
  {
    title = "of POST is not followed",
    method = "POST",
    location = "/items",
    said = not_followed("http://h/items", "the method is POST"),
  },
  { title = "of HEAD is followed", method = "HEAD", location = "/items", path = "/items" },
  {
    title = "that leads to another is followed until the limit is reached",
    location = "/loop",
    said = not_followed("http://h/loop", "the limit redirects = 2 is reached"),
  },
  {
    title = "to a path that leaves its segment is not followed",
    location = "/..;/x",
    said = NOT_A_URL,
  },
  {
    title = "to a scheme without a host is not followed",
    location = "http:items",
    said = NOT_A_URL,
  },
}

describe("a redirect", function()
  before_each(scripted.reset)

  for _, row in ipairs(REDIRECTS) do
    it(row.title, function()
      local method, last = row.method or "GET", nil
      -- Keeps the request that is not redirected.
      local function answer(text)
        local path = text:match "^%u+ (%S+)"
        if path == "/v1/x" or path == "/loop" then
          return moved_to(row.location)
        end
        last = text
        return response "moved here"
      end
      local send = scripted.sender { redirects = row.redirects or 2 }
      local options = { headers = { ["x-token"] = TOKEN } }
      local got = asked(answer, send, method .. " /x", options)
      if row.said then
        assert.equal(method .. " /x: " .. row.said, got)
        assert.equal(nil, last, "a request that follows the redirect")
        return
      end
      assert.equal(method ~= "HEAD" and "moved here" or nil, got)
      assert.equal(method .. " " .. row.path, last:match "^%u+ %S+")
      assert.truthy(last:find("x-token: " .. TOKEN .. "\r", 1, true), last)
      assert.truthy(last:find("authorization: Bearer 0123\r", 1, true), last)
    end)
  end

  it("is followed once more for each of the setting redirects", function()
    local places = { ["/v1/x"] = "/b", ["/b"] = "/c" }
    local function answer(text)
      local path = text:match "^%S+ (%S+)"
      return places[path] and moved_to(places[path]) or response(path)
    end
    assert.equal("/c", (asked(answer, scripted.sender { redirects = 2 })))
  end)

  it("is not another try: all places together get as many tries as the setting says", function()
    local entries = {}
    local function answer(_, number)
      return number == 3 and moved_to "/b" or response("", "retry-after: 0\n", 503)
    end
    local function log(entry)
      entries[#entries + 1] = entry.status and entry.try .. ": " .. entry.status
    end
    local said = asked(answer, scripted.sender { redirects = 1, tries = 3, log = log })
    assert.same({ "1: 503", "2: 503", "3: 302", "3: 503" }, entries)
    assert.equal("GET /x: the server answers 503", said)
  end)

  it("of a base URL with a user is followed within its host, as that user", function()
    local api = endpoint.defaults { baseUrl = "http://me:pw@h" }
    local function answer(_, number)
      return moved_to("http://h/" .. number)
    end
    local said = not_followed("http://h/2", "the limit redirects = 1 is reached")
    assert.equal("GET /x: " .. said, asked(answer, scripted.sender({ redirects = 1 }, api)))
    for number = 1, 2 do
      local sent = scripted.sent[number]
      assert.truthy(sent:find("authorization: Basic bWU6cHc=\r", 1, true), sent)
    end
  end)

  for _, row in ipairs {
    { "/b", "http://h/b#part" },
    { "/b#other", "http://h/b#other" },
    { "/b#", "http://h/b#" },
  } do
    it("keeps the fragment unless it has one: " .. row[1], function()
      local function answer(text)
        return text:find "/b " and response "" or moved_to(row[1])
      end
      local api = endpoint.defaults { baseUrl = "http://h" }
      scripted.answers = answer
      local _, got = scripted.sender({ redirects = 1 }, api) "GET /x#part"
      assert.equal(row[2], got.url)
    end)
  end

  for _, row in ipairs {
    { status = 300, is_redirect = false },
    { status = 301, is_redirect = true },
    { status = 303, is_redirect = true },
    { status = 304, is_redirect = false },
    { status = 307, is_redirect = true },
    { status = 308, is_redirect = true },
  } do
    local title = row.is_redirect and "is a response of status %d"
      or "is not a response of status %d"
    it(title:format(row.status), function()
      local said = asked(moved_to("/items", row.status), scripted.sender {})
      local is_told = tostring(said):find("not followed", 1, true) ~= nil
      assert.equal(row.is_redirect, is_told, said)
    end)
  end
end)

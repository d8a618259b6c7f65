-- What users of LuaSec, lua-http, lua-resty-http, got, httpx and octokit have reported: the same
-- does not happen here. hostile_answers.lua has answers, too, and reported_wire_spec.lua what needs
-- real sockets.
local endpoint = require "endpoint"
local scripted = require "request.scripted"

local OK = "HTTP/1.1 200 OK\n"
local CHUNKED = OK .. "transfer-encoding: chunked\n"

-- What a call makes of an answer with LF for each CRLF, sent once.
local function asked(answer, route, settings, api)
  scripted.reset()
  settings = settings or {}
  settings.tries = settings.tries or 1
  return scripted.asked(scripted.lines(answer), scripted.sender(settings, api), route)
end

-- --- heads ------------------------------------------------------------------------

describe("the head of an answer", function()
  it("may lack the reason and the space before it", function()
    assert.equal(
      "GET /x: the server answers 404",
      asked "HTTP/1.1 404\nserver: x\ncontent-length: 0\n\n"
    )
    assert.same({ "kept" }, scripted.ends)
  end)

  it("is read to its end after a header that has no value", function()
    local head = CHUNKED .. "x-a: b,TE: \nx-empty:\nx-b: c\n\n"
    local body, answer = asked(head .. "3\nabc\n0\n\n")
    assert.equal("abc", body)
    assert.equal("", answer.headers["x-empty"])
    assert.equal("c", answer.headers["x-b"])
  end)
end)

describe("the host", function()
  local function request_for(base)
    local api = endpoint.defaults { baseUrl = base }
    asked(OK .. "content-length: 0\n\n", "GET /x", {}, api)
    return scripted.sent[1]:match "host: ([^\r]*)", scripted.host
  end

  it("is sent without the port of its scheme", function()
    assert.equal("h", (request_for "https://h"))
    assert.equal("h", (request_for "http://h"))
    assert.equal("h:8443", (request_for "https://h:8443"))
  end)

  it("may be an IPv6 address: with brackets where it is sent, without to connect to it", function()
    local named, connected = request_for "http://[2001:db8::1]:8080"
    assert.equal("[2001:db8::1]:8080", named)
    assert.equal("2001:db8::1", connected)
  end)
end)

-- --- bodies -----------------------------------------------------------------------

describe("the body of an answer", function()
  it("may be lines within one chunk", function()
    scripted.reset()
    local chunk = "6\r\na\r\nb\r\n\r\n0\r\n\r\n"
    local answer = scripted.lines(CHUNKED .. "\n") .. chunk
    assert.equal("a\r\nb\r\n", scripted.asked(answer, scripted.sender {}))
  end)

  it("may have trailers after it, which are not headers, and the connection is kept", function()
    local trailers = "x-a: first\nx-b: second\n\n"
    local body, answer = asked(CHUNKED .. "trailer: x-a\nx-b: 1\n\n3\nabc\n0\n" .. trailers)
    assert.equal("abc", body)
    assert.equal("1", answer.headers["x-b"])
    assert.is_nil(answer.headers["x-a"])
    assert.same({ "kept" }, scripted.ends)
  end)

  it("ends at its length, and the connection is not kept if more is there", function()
    assert.equal("abc", (asked(OK .. "content-length: 3\nconnection: keep-alive\n\nabcdef")))
    assert.same({ "closed" }, scripted.ends)
  end)

  it("is not waited for after 204, which is a success", function()
    local body, answer = asked "HTTP/1.1 204 No Content\nconnection: keep-alive\n\n"
    assert.is_nil(body)
    assert.equal(204, answer.status)
    assert.same({ "kept" }, scripted.ends)
  end)

  it("is cut off, and is not a success, where a chunk is missing", function()
    local said = "GET /x: the response is cut off: closed"
    assert.equal(said, asked(CHUNKED .. "\n3\nabc\n"))
    assert.equal(said, asked(CHUNKED .. "\n"))
    assert.equal(said, asked(CHUNKED .. "\n9\nabc"))
  end)

  it("is not a success where the time is over and it has no length", function()
    scripted.reset()
    local pieces = { scripted.lines(OK .. "\n"), "abc", 9 }
    local send = scripted.sender { idle_timeout = 5, tries = 1 }
    assert.equal("GET /x: idle_timeout: nothing more came for 5 s", scripted.asked(pieces, send))
  end)

  for what, row in pairs {
    ["to HEAD"] = { route = "HEAD /x", head = OK, rest = "content-length: 100\n\n" },
    ["304"] = { head = "HTTP/1.1 304 Not Modified\n", rest = "content-length: 100\n\n" },
    ["204"] = { head = "HTTP/1.1 204 No Content\n", rest = "\n" },
    ["of no bytes"] = { head = OK, rest = "content-length: 0\n\n" },
    ["of no chunk"] = { head = CHUNKED, rest = "\n0\n\n" },
  } do
    it("is not unpacked where it is empty, " .. what, function()
      local answer = row.head .. "content-encoding: gzip\n" .. row.rest
      assert.is_nil(asked(answer, row.route or "GET /x"))
      assert.same({ "kept" }, scripted.ends)
    end)
  end

  it("may have a byte order mark before its JSON", function()
    local send = scripted.sender { tries = 1 }
    assert.same({ a = "b" }, scripted.asked(scripted.json '\239\187\191{"a": "b"}', send))
    local answer = scripted.json('\239\187\191{"message": "why"}', nil, 400)
    assert.equal("GET /x: the server answers 400: why", scripted.asked(answer, send))
  end)
end)

-- --- redirects --------------------------------------------------------------------

describe("a redirect", function()
  -- What a call makes of one to this location; the server answers all else with the path.
  local function moved(location, headers)
    scripted.reset()
    local function answer(text)
      if text:find("^GET /v1/x ") then
        return scripted.response("", ("location: %s\n"):format(location), 302)
      end
      return scripted.response(text:match "^GET (%S+)")
    end
    local send = scripted.sender { redirects = 3, tries = 1 }
    return scripted.asked(answer, send, "GET /x", { headers = headers })
  end

  for _, location in ipairs { "http://other/x", "//other/x", "https://h/x", "http://h:81/x" } do
    it("to another origin is not followed, so that it gets no credential: " .. location, function()
      local said = moved(location, { ["proxy-authorization"] = "Basic 4567", cookie = "a=89" })
      assert.truthy(said:find("(not followed: it has another origin,", 1, true), said)
      assert.equal(1, #scripted.sent)
    end)
  end

  for _, location in ipairs { "https://:443/", "http://", "//" } do
    it("without a host is an error that says so: " .. location, function()
      local why = "GET /x: the server answers 302: moved, but the location is not a valid URL"
      assert.equal(why, moved(location))
    end)
  end

  it("to a path with bytes that a URL cannot have is followed with them escaped", function()
    assert.equal("/caf%C3%A9", moved "/caf\195\169")
    assert.equal("/caf%E9", moved "/caf\233")
    assert.equal("/a%20b", moved "/a b")
  end)
end)

-- --- pages ------------------------------------------------------------------------

describe("the pages of a list", function()
  -- The elements of a list, whose first page names this one as the next; and the paths asked for.
  local function walked(link, route, options)
    scripted.reset()
    function scripted.answers(_, number)
      local field = number == 1 and link and ('link: <%s>; rel="next"\n'):format(link)
      return scripted.json(("[%d]"):format(number), field or nil)
    end
    local elements, paths = {}, {}
    for element in scripted.sender({ tries = 1 }).each(route, options) do
      elements[#elements + 1] = ("%d"):format(element)
    end
    for number, text in ipairs(scripted.sent) do
      paths[number] = text:match "^GET (%S+)"
    end
    return table.concat(elements, " "), table.concat(paths, " ")
  end

  it("end where no header names a next one", function()
    assert.same({ "1", "/v1/x" }, { walked(nil, "GET /x") })
  end)

  it("may be at another path of the server", function()
    local seen = { walked("http://h/repositories/1/x?page=2", "GET /x") }
    assert.same({ "1 2", "/v1/x /repositories/1/x?page=2" }, seen)
  end)

  it("have the parameters of their link, not those of the first call", function()
    local seen = { walked("/v1/x?per_page=1&page=3", "GET /x", { page = 2, per_page = 1 }) }
    assert.equal("1 2", seen[1])
    assert.equal("/v1/x?per_page=1&page=3", seen[2]:match " (.*)")
  end)

  it("end with an error where a cursor repeats", function()
    scripted.reset()
    function scripted.answers()
      return scripted.json '{"data": ["a"], "next": "c1"}'
    end
    local seen = {}
    local said = scripted.outcome(function()
      local function page(body)
        return body.data, { cursor = body.next }
      end
      for element in scripted.sender({ tries = 1 }).each("GET /x", {}, { page = page }) do
        seen[#seen + 1] = element
      end
    end)
    assert.equal("GET /x: the next page was already read", said)
    assert.equal("a a", table.concat(seen, " "))
  end)
end)

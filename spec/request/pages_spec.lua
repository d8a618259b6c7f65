-- The elements of lists that come in pages; strangers_pages_spec.lua has what hostile pages do.
local endpoint = require "endpoint"
local paged = require "request.paged"
local scripted = require "request.scripted"

local json, sender, walked = scripted.json, scripted.sender, paged.walked

describe("each", function()
  before_each(scripted.reset)

  for what, send in pairs {
    ["of the call"] = { {}, { sink = print } },
    ["of the sender"] = { { sink = print }, nil },
  } do
    it("raises for a sink " .. what .. ", which would get the elements", function()
      local said = walked(paged.items, sender(send[1]), "GET /items", { request = send[2] })
      local expected =
        "each: expected a call without the setting sink, which would get the elements"
      assert.equal("endpoint.request: " .. expected, said)
      assert.same({}, scripted.sent)
    end)
  end

  it("raises for HEAD, whose first page would have no element", function()
    local said = walked(paged.items, sender {}, "HEAD /items")
    local expected = "each: expected a method whose response has a body, got HEAD"
    assert.equal("endpoint.request: " .. expected, said)
  end)

  for _, max in ipairs { -1, 0 / 0 } do
    it("raises for max = " .. tostring(max):gsub("^%-?nan$", "NaN"), function()
      local ok, raised = pcall(sender({}).each, "GET /items", {}, { max = max })
      assert.is_false(ok)
      assert.truthy(raised:find("max: expected a number of at least 0, got ", 1, true), raised)
    end)
  end

  it("takes max = math.huge for no limit", function()
    assert.equal(
      "1 null 3 null",
      walked(paged.items, sender {}, "GET /items", {}, { max = math.huge })
    )
  end)

  for _, named in ipairs { 2, true, print } do
    it("raises for a next page that is a " .. type(named), function()
      local function page(body)
        return body, named
      end
      local said = walked(paged.items, sender {}, "GET /items", {}, { page = page })
      local expected = "expected a URL or a table of parameters for the next page, got a "
      assert.equal("1 null GET /items: " .. expected .. type(named), said)
    end)
  end

  it("takes a URL with another fragment for the same page", function()
    local function page(body)
      return body, "#next"
    end
    local said = walked(paged.items, sender {}, "GET /items", {}, { page = page })
    assert.equal("1 null GET /items: the next page was already read", said)
  end)

  describe("with links in the header", function()
    local logged
    local function log()
      logged = logged + 1
    end
    local function walked_with_options()
      logged = 0
      return walked(paged.items, sender {}, "GET /items", {
        q = "x",
        headers = { ["x-a"] = "1" },
        mediaType = { format = "raw" },
        request = { log = log },
      })
    end

    it("goes through all pages, an empty one among them", function()
      assert.equal("1 null 3 null", walked_with_options())
    end)

    it("tells the log of each page", function()
      walked_with_options()
      assert.equal(3, logged)
    end)

    for what, line in pairs {
      ["asks for the link of the page before"] = "GET /v1/items?page=3 HTTP/1.1",
      ["sends the headers of the call for each page"] = "x-a: 1",
      ["sends the media type of the call for each page"] = "accept: application/vnd.service.v3.raw",
    } do
      it(what, function()
        walked_with_options()
        local found = scripted.sent[3]:find(line .. "\r\n", 1, true)
        assert.truthy(found, "expected " .. line .. " in:\n" .. scripted.sent[3])
      end)
    end

    it("stays at the origin where it began, whatever the defaults are", function()
      local defaults = { baseUrl = "http://home.example", tenant = "t", state = "open" }
      local far = sender({}, endpoint.defaults(defaults))
      local options = { tenant = "mine", state = endpoint.null }
      assert.equal("1 null 3 null", walked(paged.items, far, "GET http://h/items", options))
      local sent = scripted.sent
      assert.equal("GET /items?page=3 HTTP/1.1", sent[#sent]:match "^[^\r]*")
    end)

    for title, defaults in pairs {
      ["the default method"] = { method = "POST" },
      ["the default data"] = { method = "POST", data = { a = 1 } },
    } do
      it("is asked for by GET, whatever is " .. title, function()
        defaults.baseUrl = "http://h"
        local send = sender({}, endpoint.defaults(defaults))
        assert.equal("1 null 3 null", walked(paged.items, send, "/items", { q = "x" }))
        local last = scripted.sent[#scripted.sent]
        assert.equal("GET /items?page=3 HTTP/1.1", last:match "^[^\r]*")
        assert.equal("", last:match "\r\n\r\n(.*)$")
      end)
    end

    it("asks as the user of the base URL, whether the link names it or not", function()
      local function items(text)
        local page = tonumber(text:match "page=(%d)" or 1)
        local origin = page == 1 and "http://h:80" or "http://me:pw@H"
        local link = page < 3
          and ('link: <%s/items?page=%d>; rel="next"\n'):format(origin, page + 1)
        return scripted.json("[1]", link or "")
      end
      local send = sender({}, endpoint.defaults { baseUrl = "http://me:pw@h" })
      assert.equal("1 1 1", walked(items, send, "GET /items"))
      for page = 1, 3 do
        local sent = scripted.sent[page]
        assert.truthy(sent:find("authorization: Basic bWU6cHc=\r", 1, true), sent)
      end
    end)

    it("raises for a list with a hole, which a decoder without a null makes", function()
      local function decode()
        return { 1, nil, 3, n = 3 }
      end
      local failed = walked(scripted.json "[1,null,3]", sender { decode = decode }, "GET /items")
      assert.truthy(failed:find("got one with a hole", 1, true), failed)
      local function whole()
        return { 1, 2, 3, n = 3 }
      end
      local got = walked(scripted.json "[1,2,3]", sender { decode = whole }, "GET /items")
      assert.equal("1 2 3", got)
    end)

    it("has nothing of an empty list without a link", function()
      assert.equal("", walked(json "[]", sender {}, { url = "/items" }))
    end)
  end)

  describe("with a function `page`", function()
    local OPTIONS = { method = "GET", url = "/items" }

    -- Answers with three pages; the body says where the next is.
    local function cursor(text)
      local after = tonumber(text:match "after=(%d)" or 0)
      local is_more = after < 2
      local link = is_more and ('"next": "/items?after=%d&f=a b", '):format(after + 1) or ""
      local form = '{%s"data": [{"id": "%d"}], "has_more": %s}'
      return json(form:format(link, after + 1, tostring(is_more)))
    end

    -- A function `page` that returns this as where the next page is.
    local function page_with(following)
      return function(body)
        return body.data, following
      end
    end

    it("takes parameters of the next page from it", function()
      local function page(body, answer)
        return body.data, answer.status == 200 and body.has_more and { after = body.data[1].id }
      end
      assert.equal("1 2 3", walked(cursor, sender {}, OPTIONS, nil, { page = page }))
    end)

    it("takes the URL of the next page from it", function()
      local function page(body)
        return body.data, body.next
      end
      assert.equal("1 2 3", walked(cursor, sender {}, OPTIONS, nil, { page = page }))
    end)

    it("ends where it returns endpoint.null", function()
      local page = page_with(endpoint.null)
      assert.equal("1", walked(cursor, sender {}, "GET /x", {}, { page = page }))
    end)

    it("sends pages of one URL that differ in their bodies", function()
      local function page(body)
        return { body.id }, body.id ~= "3" and { id = ("%.0f"):format(body.id + 1) }
      end
      local function echo(text)
        return json(text:match "\r\n\r\n(.*)$")
      end
      assert.equal("1 2 3", walked(echo, sender {}, "POST /x", { id = "1" }, { page = page }))
    end)

    it("raises an error where it returns true", function()
      local said = walked(cursor, sender {}, "GET /x", {}, { page = page_with(true) })
      local expected = "expected a URL or a table of parameters for the next page, got a boolean"
      assert.equal("1 GET /x: " .. expected, said)
    end)
  end)

  -- title: which page is not asked for. link: of the first. said: what is raised.
  for _, row in ipairs {
    {
      title = "of another host, and shows it without its query",
      link = "http://other/items?key=S3CRET",
      said = "is at http://other/items, not at http://h/v1/x",
    },
    {
      title = "of another host in a URL without a scheme",
      link = "//other/items",
      said = "is at http://other/items, not at http://h/v1/x",
    },
    {
      title = "of a URL with a user, and shows it without the user",
      link = "http://me:pw@h",
      said = "is at http://***@h, not at http://h/v1/x",
    },
    {
      title = "whose URL has a header of the call, and shows it without the header",
      link = "http://o/s3cr3t99",
      said = "is at http://o/***, not at http://h/v1/x",
    },
    { title = "of another scheme", link = "ftp://h/x", said = "has an invalid URL" },
    { title = "whose path leaves its segment", link = "/..;/x", said = "has an invalid URL" },
    { title = "that was the first", link = "/v1/x", said = "was already read" },
  } do
    it("does not ask for a page " .. row.title, function()
      local bare = sender({}, endpoint.defaults { baseUrl = scripted.BASE })
      local answer = json('["a"]', "link: <" .. row.link .. '>; rel="next"\n')
      local options = { headers = { ["x-token"] = "s3cr3t99" } }
      local seen = walked(answer, bare, "GET /x", options)
      assert.equal("a GET /x: the next page " .. row.said, seen)
    end)
  end

  it("does not ask again for the second page", function()
    local looping = json('["a"]', 'link: </loop?page=2>; rel="next"\n')
    assert.equal(
      "a a GET /loop: the next page was already read",
      walked(looping, sender {}, "GET /loop")
    )
  end)

  local NO_LIST = "expected a list, got %s (the setting page says where the list is in the body)"

  -- title: what a page is. json: its body. said: what is raised.
  for _, row in ipairs {
    { title = "that is not JSON", json = "{S3CRET", said = "the response is not JSON" },
    {
      title = "that is an object without a list",
      json = '{"a": 1}',
      said = NO_LIST:format "another table",
    },
    { title = "that is a string", json = '"x"', said = NO_LIST:format "a string" },
  } do
    it("raises an error for a page " .. row.title, function()
      local said = walked(json(row.json), sender {}, "GET /x")
      assert.equal("GET /x: " .. row.said, said)
    end)
  end

  local function data(body)
    return body.data, body.next
  end

  -- What has no element. how: the settings of each, or nil.
  for title, row in pairs {
    ["the status 204"] = { "HTTP/1.1 204 No Content\n\n" },
    ["the status 204, and a function page"] = { "HTTP/1.1 204 No Content\n\n", { page = data } },
    ["an empty body"] = { json "" },
    ["an empty body, and a function page"] = { json "", { page = data } },
    ["null"] = { json "null" },
    ["null, and a function page"] = { json "null", { page = data } },
    ["a field that is null"] = { json '{"data": null}', { page = data } },
  } do
    it("has no element, and no error, of " .. title, function()
      assert.equal("", walked(row[1], sender {}, "GET /x", {}, row[2]))
      assert.equal(1, #scripted.sent)
    end)
  end

  it("goes on after a page of null that has a link", function()
    local function answer(text)
      local is_first = not text:find "page=2"
      return is_first and json("null", 'link: <?page=2>; rel="next"\n') or json '["b"]'
    end
    assert.equal("b", walked(answer, sender {}, "GET /x"))
  end)

  for title, written in pairs {
    ['""'] = '""',
    ["null"] = "null",
    ["false"] = "false",
    ["a table without parameters"] = "{}",
    ['parameters that are ""'] = '{"after": ""}',
    ['parameters that are "" and null'] = '{"after": "", "before": null}',
  } do
    it("ends where what names the next page is " .. title, function()
      local answer = json(('{"data": ["a"], "next": %s}'):format(written))
      assert.equal("a", walked(answer, sender {}, "GET /x", {}, { page = data }))
    end)
  end

  it("does not end where one of several parameters is empty", function()
    local function answer(text)
      return json(
        text:find "after=2" and '{"data": ["b"]}'
          or '{"data": ["a"], "next": {"after": "2", "q": ""}}'
      )
    end
    assert.equal("a b", walked(answer, sender {}, "GET /x", {}, { page = data }))
  end)

  -- A next page is there: it is asked for, or the list has an error.
  for link, line in pairs {
    ['</x?page=2&q=push pull>; rel="next"'] = "GET /x?page=2&q=push%20pull HTTP/1.1",
    ['</x?page=2&q="a">; rel="next"'] = "GET /x?page=2&q=%22a%22 HTTP/1.1",
    ["</x?page=2&q=a<b>; rel=next"] = "GET /x?page=2&q=a%3Cb HTTP/1.1",
    ["<\\x?page=2&q=\\>; rel=next"] = "GET /x?page=2&q=%5C HTTP/1.1",
    ["< /x?page=2 >; rel='next'"] = "GET /x?page=2 HTTP/1.1",
    ['</x?page=2> rel="next"'] = "GET /x?page=2 HTTP/1.1",
  } do
    it("reads a link as browsers do: " .. link, function()
      local function answer(text)
        return text:find "page=2" and json '["b"]' or json('["a"]', "link: " .. link .. "\n")
      end
      assert.equal("a b", walked(answer, sender {}, "GET /x"))
      assert.equal(line, scripted.sent[2]:match "^[^\r]*")
    end)
  end

  local function by_header(body, response)
    return body, response.links.next
  end

  for _, link in ipairs {
    "</x?page=2; rel=next",
    "</x?page=2>; rel=next x",
    '</x?page=2>; rel="next',
    "</x?page=2>; rel=last next",
    "<mailto:a@b.example>; rel=next",
    "/x?page=2; rel=next",
  } do
    it("does not take for the end what cannot be asked for: " .. link, function()
      local answer = json('["a"]', "link: " .. link .. "\n")
      local said = "a GET /x: the link to the next page cannot be read"
      assert.equal(said, walked(answer, sender {}, "GET /x"))
      assert.equal(said, walked(answer, sender {}, "GET /x", {}, { page = by_header }))
      assert.equal("a", walked(answer, sender {}, "GET /x", {}, { max = 1 }))
    end)
  end

  for _, link in ipairs {
    '<mailto:a@b.example>; rel="prev", broken rel="last nextish"',
    '<//a b>; rel=next; anchor="/other"',
    '</x>; title="rel=next"',
  } do
    it("ends without a next page, whatever else the header has: " .. link, function()
      assert.equal("a", walked(json('["a"]', "link: " .. link .. "\n"), sender {}, "GET /x"))
    end)
  end

  it("raises an error for a page in which the setting page finds nothing", function()
    local function page()
      return nil
    end
    local said = walked(json '{"items": []}', sender {}, "GET /x", {}, { page = page })
    assert.equal("GET /x: " .. NO_LIST:format "nothing", said)
  end)

  it("raises an error for a page that is a text, whatever is in it", function()
    local said = walked(scripted.response "[]", sender {}, "GET /x")
    assert.equal("GET /x: " .. NO_LIST:format "a string", said)
  end)
end)

-- parse: request options from merged options. The body, data and request.
local endpoint = require "endpoint"
local support = require "support"

local null = endpoint.null
local parse = endpoint.parse
local api = support.bare

local BODY_METHODS = { "POST", "PUT", "PATCH", "DELETE", "QUERY" }

local function keys_of(result)
  return table.concat(support.keys(result), " ")
end

describe("the result of parse", function()
  local cases = {
    { "method, url and headers", "headers method url", { url = "https://h/x" } },
    { "a body if there is one", "body headers method url", { url = "https://h", method = "PUT", a = 1 } },
    { "no body without left-over parameters", "headers method url", { url = "https://h", method = "PUT" } },
    { "no body if data is null", "headers method url",
      { url = "https://h", method = "PUT", data = null } },
    { "a body if data is false", "body headers method url",
      { url = "https://h", method = "PUT", data = false } },
    { "request if it is given", "headers method request url", { url = "https://h", request = {} } },
    { "request if it is false", "headers method request url", { url = "https://h", request = false } },
    { "no request if it is null", "headers method url", { url = "https://h", request = null } },
    { "neither baseUrl nor mediaType", "headers method url",
      { url = "/x", baseUrl = "https://h", mediaType = { format = "raw" } } },
  }
  for _, case in ipairs(cases) do
    it("has " .. case[1], function()
      assert.equal(case[2], keys_of(parse(case[3])))
    end)
  end

  it("is the whole table expected for a small call", function()
    assert.same({
      method = "post",
      url = "https://h/orgs/octokit/repos",
      headers = { accept = "application/vnd.x.raw", ["content-type"] = "application/json; charset=utf-8" },
      body = { name = "a", private = null },
      request = { timeout = 5 },
    }, parse {
      method = "POST", baseUrl = "https://h", url = "/orgs/{org}/repos", org = "octokit", name = "a",
      private = null, headers = { Accept = "application/vnd.x+json" }, mediaType = { format = "raw" },
      request = { timeout = 5 },
    })
  end)

  it("has the method in lower case", function()
    for given, expected in pairs { GET = "get", post = "post", PaTcH = "patch", ["M-SEARCH"] = "m-search" } do
      assert.equal(expected, parse({ url = "https://h", method = given }).method)
      assert.equal(expected, api(given .. " /x").method)
    end
  end)

  it("has GET and no headers if they are absent", function()
    assert.same({ method = "get", url = "https://h/x", headers = {} }, parse { url = "https://h/x" })
    assert.same({ method = "get", url = "https://h/x", headers = {} },
      parse { url = "https://h/x", method = null, headers = null })
  end)

  it("is a new table, and so are its headers", function()
    local merged = { url = "https://h", headers = { a = "b" } }
    local result = parse(merged)
    result.headers.a, result.url = "changed", "changed"
    assert.same({ url = "https://h", headers = { a = "b" } }, merged)
    assert.same({ a = "b" }, parse(merged).headers)
  end)
end)

describe("parse", function()
  it("applies no defaults", function()
    local full = endpoint.defaults {
      method = "POST", url = "/default", baseUrl = "https://h", headers = { a = "b" }, per_page = 100,
      mediaType = { format = "raw" }, data = "d", request = {},
    }
    assert.same({ method = "get", url = "https://other/x", headers = { accept = "application/vnd.x+json" } },
      full.parse { url = "https://other/x", headers = { accept = "application/vnd.x+json" } })
    support.raises({ 'option "url"', "missing" }, full.parse, {})
    support.raises({ 'option "baseUrl"', "missing" }, full.parse, { url = "/x" })
    support.raises('"id"', endpoint.defaults({ id = 5 }).parse, { url = "https://h/{id}" })
  end)

  it("needs a url", function()
    support.raises({ 'option "url"', "missing: expected a url" }, parse, {})
    support.raises({ 'option "url"', "missing" }, parse, { url = null, method = "GET" })
    support.raises({ 'option "url"', "missing" }, parse, endpoint.merge())
    support.raises({ 'option "url"', "string", "number" }, parse, { url = 5 })
  end)

  it("needs a baseUrl for a url that is not absolute", function()
    for _, url in ipairs { "/x", "x", "", "?a", "//h/x", "{+x}", "httpx:/h", "1a://h" } do
      support.raises({ 'option "baseUrl"', "missing" }, parse, { url = url, x = "https://h" })
      support.raises({ 'option "baseUrl"', "missing" }, parse, { url = url, baseUrl = null, x = "https://h" })
    end
    assert.equal("/x", parse({ url = "/x", baseUrl = "" }).url)
    assert.equal("HTTPS://h/x", parse({ url = "HTTPS://h/x" }).url)
  end)

  it("takes one table", function()
    for _, first in ipairs { "GET /x", 5, true, print, io.stdout } do
      support.raises({ "argument 1", "table", type(first) }, parse, first)
      support.raises({ "argument 1", "table", type(first) }, endpoint.parse, endpoint, first)
    end
    support.raises({ "argument 1", "table" }, parse)
    support.raises({ "argument 1", "table" }, parse, nil, { url = "https://h" })
    support.raises({ "argument 1", "null" }, parse, null)
    support.raises({ "argument 2", "table" }, parse, { url = "https://h" }, {})
    assert.equal("https://h", parse({ url = "https://h" }, nil).url)
  end)

  it("checks the types of options, as merge does", function()
    support.raises({ 'option "method"', "string", "table" }, parse, { url = "https://h", method = {} })
    support.raises({ "method", '"G T"', "token" }, parse, { url = "https://h", method = "G T" })
    support.raises({ 'option "headers"', "table", "string" }, parse, { url = "https://h", headers = "a" })
    support.raises({ 'option "mediaType"', "table" }, parse, { url = "https://h", mediaType = 5 })
    support.raises({ 'option "baseUrl"', "string" }, parse, { url = "/x", baseUrl = 5 })
    support.raises({ "options", "string", "number" }, parse, { "GET /x", url = "https://h" })
  end)

  it("does not modify its input", function()
    local function make()
      return {
        method = "POST", url = "https://h/{id}", id = 1, a = { 1 }, b = null, headers = { ["X-A"] = "b" },
        mediaType = { previews = { "a-preview" } }, request = {},
      }
    end
    local merged = make()
    parse(merged)
    assert.same(make(), merged)
  end)
end)

describe("the body", function()
  it("is the left-over parameters", function()
    for _, method in ipairs(BODY_METHODS) do
      local result = api(method .. " /x/{id}{?q}", { id = 1, q = 2, a = 3, b = "c", d = false, e = null })
      assert.same({ a = 3, b = "c", d = false, e = null }, result.body)
      assert.equal("https://h/x/1?q=2", result.url)
    end
  end)

  it("is absent without left-over parameters", function()
    for _, method in ipairs(BODY_METHODS) do
      assert.is_nil(api(method .. " /x").body)
      assert.is_nil(api(method .. " /x", {}).body)
      assert.is_nil(api(method .. " /{id}", { id = 1 }).body)
      assert.is_nil(api(method .. " /x{?q}", { q = null }).body)
    end
  end)

  it("has a null parameter, even alone", function()
    for _, method in ipairs(BODY_METHODS) do
      assert.same({ a = null }, api(method .. " /x", { a = null }).body)
    end
  end)

  it("is a new table at each call", function()
    local options = { a = 1 }
    local first, second = api("POST /x", options).body, api("POST /x", options).body
    assert.is_false(rawequal(first, options))
    assert.is_false(rawequal(first, second))
    first.a = 2
    assert.same({ a = 1 }, options)
  end)

  it("has values by reference, of any type", function()
    local trap = setmetatable({}, { __index = error, __pairs = error, __len = error, __tostring = error })
    local light = support.light_userdata()
    for _, value in ipairs { support.cyclic(), trap, print, io.stdout, light, { [{}] = 1 }, math.huge, "\0\255" } do
      assert.is_true(rawequal(value, api("POST /x", { a = value }).body.a))
      assert.is_true(rawequal(value, parse({ url = "https://h", method = "PUT", a = value }).body.a))
    end
    local nan = api("POST /x", { a = 0 / 0 }).body.a
    assert.is_true(nan ~= nan)
  end)

  it("has names as they were given", function()
    assert.same({ [""] = 1, ["a b"] = 2, ["\0"] = 3, Headers = 4, URL = 5 },
      api("POST /x", { [""] = 1, ["a b"] = 2, ["\0"] = 3, Headers = 4, URL = 5 }).body)
  end)

  it("is absent under GET and HEAD", function()
    assert.is_nil(api("GET /x", { a = 1 }).body)
    assert.is_nil(api("HEAD /x", { a = 1 }).body)
  end)

  it("depends on the method in any case", function()
    assert.same({ a = 1 }, api("post /x", { a = 1 }).body)
    assert.same({ a = 1 }, api("/x", { method = "Delete", a = 1 }).body)
  end)
end)

describe("data", function()
  it("is the body, of any type", function()
    local list = { 1, 2 }
    for _, value in ipairs { "text", "", list, {}, 5, true, print, io.stdout } do
      for _, method in ipairs(BODY_METHODS) do
        assert.is_true(rawequal(value, api(method .. " /x", { data = value }).body))
      end
      assert.is_true(rawequal(value, api("OPTIONS /x", { data = value }).body))
      assert.is_true(rawequal(value, api("PROPFIND /x", { data = value }).body))
    end
    assert.is_false(api("POST /x", { data = false }).body)
  end)

  it("counts as not given if it is null", function()
    assert.is_nil(api("POST /x", { data = null }).body)
    assert.same({ a = 1 }, api("POST /x", { data = null, a = 1 }).body)
    assert.equal("https://h/x?a=1", api("GET /x", { data = null, a = 1 }).url)
  end)

  it("is sent alone, without left-over parameters", function()
    assert.same({ b = 2 }, api("POST /x", { data = { b = 2 }, a = 1 }).body)
    assert.equal("https://h/x", api("POST /x", { data = "d", a = 1 }).url)
    assert.equal("d", api("OPTIONS /x", { data = "d", a = 1 }).body)
    -- A left-over parameter is not even checked.
    assert.equal("d", api("POST /x", { data = "d", a = print }).body)
  end)

  it("is the body beside parameters of the template", function()
    local result = api("POST /{id}{?q}", { id = 1, q = 2, data = "d" })
    assert.equal("https://h/1?q=2", result.url)
    assert.equal("d", result.body)
  end)

  it("is refused under GET, HEAD, TRACE and CONNECT", function()
    for _, method in ipairs { "GET", "HEAD", "get", "Head" } do
      for _, value in ipairs { "s3cret", { "s3cret" }, "", {}, false } do
        support.raises({ 'option "data"', '"' .. method .. '"', "body" }, api, method .. " /x", { data = value })
      end
      local message = support.message_of(api, method .. " /x", { data = "s3cret" })
      assert.is_nil(message:find("s3cret", 1, true))
    end
    support.raises({ 'option "data"', '"trAce"', "body" }, api, { method = "trAce", url = "/x", data = "d" })
    support.raises({ 'option "data"', '"CONNECT"', "body" }, api, "CONNECT /x", { data = "d" })
    support.raises({ 'option "data"', '"GET"' }, parse, { url = "https://h", data = "d" })
  end)

  it("is a parameter and nothing else if the template uses it", function()
    local result = api("GET /{data}", { data = "d" })
    assert.equal("https://h/d", result.url)
    assert.is_nil(result.body)
    result = api("POST /:data", { data = "d" })
    assert.equal("https://h/d", result.url)
    assert.is_nil(result.body)
    assert.same({ a = 1 }, api("POST /x{?data*}", { data = { b = 2 }, a = 1 }).body)
    assert.equal("https://h/x?b=2&a=1", api("GET /x{?data*}", { data = { b = 2 }, a = 1 }).url)
    assert.is_nil(api("POST /x{?data}", {}).body)
    assert.equal("https://h/x", api("GET /x{?data}", { data = null }).url)
  end)
end)

describe("request", function()
  it("is handed on by reference, of any type", function()
    local trap = setmetatable({}, { __index = error })
    for _, value in ipairs { support.cyclic(), trap, print, io.stdout, "text", 5, true } do
      assert.is_true(rawequal(value, api("GET /x", { request = value }).request))
      assert.is_true(rawequal(value, api.merge("GET /x", { request = value }).request))
      assert.is_true(rawequal(value, parse({ url = "https://h", request = value }).request))
    end
  end)

  it("is neither in the query nor in the body", function()
    assert.equal("https://h/x", api("GET /x", { request = "r" }).url)
    assert.is_nil(api("POST /x", { request = "r" }).body)
  end)
end)

describe("a call of the endpoint", function()
  local base = endpoint.defaults {
    baseUrl = "https://user:pass@h/api/", headers = { ["X-A"] = "b", accept = "application/vnd.x.v1+json" },
    mediaType = { previews = { "p" } }, per_page = 100, owner = "octokit", list = { "a", "b" },
    data = null, request = { retries = 3 },
  }
  local with_data = base.defaults { data = { d = 1 }, method = "POST" }
  local calls = {
    { "/x" },
    { "GET /x" },
    { " post\t/x \n" },
    { "/x", { a = 1 } },
    { "/x?y#z", { a = { "b", null, "c" } } },
    { "POST /x", { a = 1, b = null, c = { d = {} } } },
    { "POST /repos/:owner/{repo}", { repo = "a b" } },
    { "POST /repos/:owner/{repo}", { repo = "é", owner = "me" } },
    { "DELETE /x", { list = null, per_page = null, owner = null } },
    { "HEAD /x", { list = null, per_page = null } },
    { "PATCH /x{?list*}", { z = false } },
    { "PUT /x{/list*}{;per_page}{#owner}", {} },
    { "PUT /x", { data = "text" } },
    { "PUT /x", { data = false, a = 1 } },
    { "PUT /x", { data = null, a = 1 } },
    { "GET /{data}", { data = "d" } },
    { "GET /x{?data}", { data = null } },
    { "OPTIONS /x{?owner,list,per_page}" },
    { "OPTIONS /x", { data = { 1 } } },
    { "PROPFIND /x", { list = null, per_page = null, owner = null } },
    { "GET https://other/x", { a = 1 } },
    { "GET https://{owner}.other/x" },
    { "/x", { baseUrl = "" } },
    { "x", { baseUrl = "/internal/" } },
    { "{+url_}", { baseUrl = "", url_ = "https://any/x" } },
    { "/x", { headers = { ACCEPT = "text/html", ["x-a"] = null, n = 5, l = { "a" } } } },
    { "/x", { headers = null } },
    { "/x", { headers = { accept = null }, mediaType = { format = "raw" } } },
    { "/x", { mediaType = { format = "raw", previews = { "p-preview", "q" } } } },
    { "/x", { mediaType = { previews = null, format = "html" } } },
    { "/x", { mediaType = null } },
    { "/x", { mediaType = { previews = { "a-preview-preview" } } } },
    { "/x", { headers = { accept = "application/vnd.x.a-preview-preview" } } },
    { "/x", { request = null } },
    { "/x", { request = 5 } },
    { "POST /x", { headers = { ["content-type"] = null }, a = 1 } },
    { "POST /x", { headers = { ["Content-Type"] = "a/b" }, a = 1 } },
    { nil, { url = "/x", method = "put", a = 1 } },
    { { url = "/x", method = "put", a = 1 } },
    { { url = "/x", method = null, a = 1 } },
  }
  for _, call in ipairs(calls) do
    local shown = support.shown(call[1]) .. (call[2] and ", " .. support.shown(call[2]) or "")
    it("equals parse(merge(...)) with " .. shown, function()
      for _, e in ipairs { base, with_data } do
        local route, options = call[1], call[2]
        -- Default data makes some of the calls raise: then both ways must raise.
        local ok, merged = pcall(function() return e.parse(e.merge(route, options)) end)
        local called, result = pcall(function() return e(route, options) end)
        assert.equal(ok, called)
        if ok then assert.same(merged, result) end
        if e == base then assert.is_true(ok) end
      end
    end)
  end

  local mistakes = {
    { {}, { "url" } },
    { { url = "/{x" }, { "{", "byte" } },
    { { url = "/:id" }, { '"id"', "vanish" } },
    { { url = "/x", data = "d" }, { 'option "data"' } },
    { { url = "/x", method = "G T" }, { "method" } },
    { { url = "/x", baseUrl = "ftp" }, { "baseUrl" } },
    { { url = "/x", a = print }, { '"a"', "function" } },
    { { url = "/x", headers = { ["a b"] = "c" } }, { 'header "a b"' } },
    { { url = "/{method}" }, { '"method"', "option" } },
  }
  it("raises the same error as parse(merge(...))", function()
    for _, mistake in ipairs(mistakes) do
      support.raises(mistake[2], base, mistake[1])
      support.raises(mistake[2], function() return (base.parse(base.merge(mistake[1]))) end)
    end
  end)
end)

-- The module keeps few parameters on the stack and moves many into a table.
describe("many parameters", function()
  for _, count in ipairs { 31, 32, 33, 64, 200 } do
    it(("are all in the query, the body and merge's output: %d"):format(count), function()
      local options, names = {}, {}
      for i = 1, count do
        local name = ("k%03d"):format(i)
        options[name] = i
        names[i] = name .. "=" .. i
      end
      table.sort(names)
      assert.same(options, endpoint("POST /", options).body)
      assert.equal(support.BASE .. "/?" .. table.concat(names, "&"), endpoint("GET /", options).url)
      assert.equal(support.BASE .. "/?" .. table.concat(names, "&"), endpoint("GET {?m*}", { m = options }).url)
      local merged = endpoint.merge("POST /", options)
      for name, value in pairs(options) do assert.equal(value, merged[name]) end
      assert.same(endpoint("POST /", options), endpoint.parse(merged))
    end)

    it(("are all in the path, from the call or the defaults: %d"):format(count), function()
      local options, template, path = {}, {}, {}
      for i = 1, count do
        options["k" .. i] = i
        template[i], path[i] = "{k" .. i .. "}", tostring(i)
      end
      local route = "/" .. table.concat(template, "/")
      local base = endpoint.defaults(options)
      assert.equal(support.BASE .. "/" .. table.concat(path, "/"), endpoint(route, options).url)
      assert.equal(support.BASE .. "/" .. table.concat(path, "/"), base(route).url)
      path[count] = "x"
      assert.equal(support.BASE .. "/" .. table.concat(path, "/"), base(route, { ["k" .. count] = "x" }).url)
      support.raises({ ('parameter "k%d"'):format(count), "missing" }, base, route, { ["k" .. count] = null })
    end)
  end
end)

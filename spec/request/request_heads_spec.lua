-- SPDX-License-Identifier: MIT
-- The head of a request is written in C. What is in it is what the form "fields" says.
local read = require("endpoint.result").read
local null = require("endpoint").null

-- A result with these headers, or with another URL.
local function result(headers, url)
  return { method = "get", url = url or "http://h.example/a?b", headers = headers }
end

-- What the head of a result must be by its fields. own: those that the client writes.
local function expected_head(r, own)
  local fields = read(r, "fields")
  local text = "GET /a?b HTTP/1.1\r\nhost: " .. (fields.headers.host or "h.example") .. "\r\n"
  for name, value in pairs(own) do
    text = text .. name .. ": " .. value .. "\r\n"
  end
  for _, field in ipairs(fields.fields) do
    local name, value = field[1], field[2]
    if name ~= "host" and name ~= "connection" and not own[name] then
      text = text .. name .. ": " .. value .. "\r\n"
    end
  end
  return text
end

local HEADERS = {
  ["none"] = {},
  ["names in any case, sorted"] = { B = "2", a = "1", ["A-b"] = "3" },
  ["a number and a boolean"] = { a = 0.1, b = true },
  ["null and an empty list"] = { a = null, b = {}, c = "1" },
  ["a list"] = { a = { "1", "2", "3" }, b = { "4" } },
  ["cookies, which are one field"] = { Cookie = { "a=1", "b=2" } },
  ["host and connection"] = { Host = "other", Connection = "close", z = "1" },
  ["a host in a list"] = { a = "1", host = { "other" } },
  ["a host that is null"] = { a = "1", host = null },
  ["lengths"] = { ["content-length"] = 5, ["Transfer-Encoding"] = "chunked" },
  ["more than 2 KB"] = { a = ("x"):rep(3000), b = { ("y"):rep(3000), ("z"):rep(5000) } },
  ["names of the client's own fields"] = { Own = "1", ["own-2"] = "2", other = "3" },
}

describe("a head", function()
  for title, headers in pairs(HEADERS) do
    for _, own in ipairs { {}, { own = "x", ["own-2"] = "y" } } do
      local more = next(own) and ", with own ones" or ""
      it("has the lines of the fields: " .. title .. more, function()
        local r = result(headers)
        assert.equal(expected_head(r, own), read(r, "head", own).head)
      end)
    end
  end

  it("needs no table of own fields", function()
    local r = result { Own = "1" }
    assert.equal(expected_head(r, {}), read(r, "head").head)
  end)

  for title, own in pairs { ["a name"] = { [1] = "x" }, ["a value"] = { x = true } } do
    it("takes strings alone as own fields, not another " .. title, function()
      local ok, why = pcall(read, result {}, "head", own)
      assert.same({ false, true }, { ok, why:find "own: expected a string, got a " ~= nil })
    end)
  end

  it("comes without the headers of a request that has no body", function()
    local r = result { a = "1" }
    assert.is_nil(read(r, "head").headers)
    r.body = "x"
    assert.same({ a = "1" }, read(r, "head").headers)
    assert.same({ a = "1" }, read(result({ a = "1" }, "http://u@h/a"), "head").headers)
  end)

  for title, headers in pairs {
    ["CR in a value"] = { a = "1\r\nb: 2" },
    ["CR in an element"] = { a = { "1", "2\r\nb: 3" } },
    ["NUL in a value"] = { a = "1\0" },
    ["CR in a name"] = { ["a\r\nb"] = "1" },
    ["two names that differ in case"] = { A = "1", a = "2" },
    ["two hosts"] = { host = { "a", "b" } },
  } do
    it("is not written: " .. title, function()
      local ok, why = pcall(read, result(headers), "head", {})
      local fails, reason = pcall(read, result(headers), "fields")
      assert.same({ false, false, reason }, { ok, fails, why })
    end)
  end
end)

describe("the line of a request", function()
  for url, expected in pairs {
    ["http://h"] = { "h", "/" },
    ["http://h?a=1"] = { "h", "/?a=1" },
    ["HTTP://h/?"] = { "h", "/?" },
    ["http://h:80/"] = { "h:80", "/" },
    ["https://h:8443/a"] = { "h:8443", "/a" },
    ["https://h:0443/a/b?c/d#e"] = { "h:443", "/a/b?c/d" },
    ["http://h:8080/a#e"] = { "h:8080", "/a" },
    ["http://u:p@[::1]:80//x"] = { "[::1]:80", "//x" },
    ["http://@h:81/x"] = { "h:81", "/x" },
    ["http://h:/a"] = { "h", "/a" },
    ["http://h:0/a"] = { "h:0", "/a" },
  } do
    local form = "GET %s HTTP/1.1\r\nhost: %s\r\n"

    it("has the path and the query, of " .. url, function()
      local m = read(result({}, url), "head")
      assert.equal(form:format(expected[2], expected[1]), m.head)
      assert.equal(read(result({}, url)).url, m.url)
    end)

    it("has the whole URL for a proxy, of " .. url, function()
      local m = read(result({}, url), "relayed")
      local whole = url:lower():match "^%a+://" .. expected[1] .. expected[2]
      assert.equal(form:format(whole, expected[1]), m.head)
    end)
  end

  it("is not there for a path of this server", function()
    assert.is_false((pcall(read, result({}, "/a"), "head")))
  end)
end)

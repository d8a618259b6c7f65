-- SPDX-License-Identifier: MIT
-- The head of a request is written in C. What is in it is what the form "fields" says.
local read = require("endpoint.result").read
local null = require("endpoint").null

-- A result with these headers, or with another URL.
local function result(headers, url)
  return { method = "get", url = url or "http://h.example/a?b", headers = headers }
end

-- The lines of the fields of a result, but for those that the client writes.
local function lines_of_fields(r, own)
  local text = ""
  for _, field in ipairs(read(r, "fields").fields) do
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
  ["lengths"] = { ["content-length"] = 5, ["Transfer-Encoding"] = "chunked" },
  ["more than 2 KB"] = { a = ("x"):rep(3000), b = { ("y"):rep(3000), ("z"):rep(5000) } },
  ["names of the client's own fields"] = { Own = "1", ["own-2"] = "2", other = "3" },
}

describe("the lines of a head", function()
  for title, headers in pairs(HEADERS) do
    for _, own in ipairs { {}, { own = "x", ["own-2"] = "y" } } do
      local more = next(own) and ", without own ones" or ""
      it("are those of the fields: " .. title .. more, function()
        local r = result(headers)
        assert.equal(lines_of_fields(r, own), read(r, "head", own).lines)
      end)
    end
  end

  it("are there without a table of own fields", function()
    assert.equal("own: 1\r\n", read(result { Own = "1" }, "head").lines)
  end)

  for title, headers in pairs {
    ["CR in a value"] = { a = "1\r\nb: 2" },
    ["CR in an element"] = { a = { "1", "2\r\nb: 3" } },
    ["NUL in a value"] = { a = "1\0" },
    ["CR in a name"] = { ["a\r\nb"] = "1" },
    ["two names that differ in case"] = { A = "1", a = "2" },
    ["two hosts"] = { host = { "a", "b" } },
  } do
    it("are not written: " .. title, function()
      local ok, why = pcall(read, result(headers), "head", {})
      local fails, reason = pcall(read, result(headers), "fields")
      assert.same({ false, false, reason }, { ok, fails, why })
    end)
  end
end)

describe("the target of a head", function()
  for url, expected in pairs {
    ["http://h"] = { "h", "/" },
    ["http://h?a=1"] = { "h", "/?a=1" },
    ["HTTP://h/?"] = { "h", "/?" },
    ["https://h:0443/a/b?c/d#e"] = { "h:443", "/a/b?c/d" },
    ["http://u:p@[::1]:80//x"] = { "[::1]:80", "//x" },
    ["http://h:/a"] = { "h", "/a" },
  } do
    it("follows the authority, of " .. url, function()
      local m = read(result({}, url), "head")
      assert.same(expected, { m.authority, m.target })
      assert.equal(read(result({}, url)).url, m.url)
    end)
  end

  it("is not there for a path of this server", function()
    assert.is_false((pcall(read, result({}, "/a"), "head")))
  end)
end)

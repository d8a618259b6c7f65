-- SPDX-License-Identifier: MIT
-- A sender remembers where its last request led to. That holds for its origin alone.
local destinations = require "endpoint.request.call.destinations"

local FIRST = "https://api.example:8080/a"

-- Where URLs lead to, one after the other, for one sender: the last of them.
local function last_of(...)
  local sender, place = { settings = {} }, nil
  for _, url in ipairs { ... } do
    local found = destinations.of(sender, url)
    place = found and ("%s %s %d"):format(found.scheme, found.host, found.port) or "nowhere"
  end
  return place
end

describe("a request after one to " .. FIRST, function()
  for _, url in ipairs {
    "https://api.example:8080",
    "https://api.example:8080?x=//other.example/",
    "https://api.example:8080/b",
    "https://api.example:8080/https://other.example",
    "https://api.example:80800/b",
    "https://api.example:808/b",
    "https://api.example/b",
    "https://api.example:8080@other.example/b",
    "https://api.example.other.example/b",
    "http://api.example:8080/b",
    "https://other.example/https://api.example:8080/b",
    "/b",
  } do
    it("leads where it leads alone: " .. url, function()
      local ok, expected = pcall(last_of, url)
      local is_there, found = pcall(last_of, FIRST, url)
      assert.equal(ok, is_there)
      assert.equal(ok and expected or nil, ok and found or nil)
    end)
  end

  it("leads to its own host, though the origin is the text of a user", function()
    assert.equal(
      "https other.example 443",
      last_of(FIRST, "https://api.example:8080@other.example/b")
    )
  end)
end)

-- The path of a request that came in, as the core reads its segments.
local endpoint = require "endpoint"
local path_segments = require "endpoint.result".path_segments

-- What is wrong with a path, nil if nothing is.
local function path_fault(path, has_slashes)
  local list, words = path_segments(path, has_slashes)
  return not list and words or nil
end

local DOTS, EMPTY = "has a dot segment", "has an empty segment"
local TRIPLET, BYTE = "has a % without two digits", "has a byte that no path has"
local SLASH, CONTROL = "has an encoded slash", "has an encoded control character"

-- path; what is wrong, nil for nothing; the same where slashes may be encoded
local ROWS = {
  { "/" },
  { "/a/b-c_d.e~f/" },
  { "/a%20b/%C3%BC/\195\188/!$&'()*+,;=:@[]" },
  { "/..a/a../.../%2e%2e%2e/a.b" },
  { "/a%3B..%3F%23" },
  { "/a%2520b%25" },
  { "/%" .. "25zz" },
  { "/.", DOTS, DOTS },
  { "/a/..", DOTS, DOTS },
  { "/../a", DOTS, DOTS },
  { "/%2E/a", DOTS, DOTS },
  { "/%2e%2E", DOTS, DOTS },
  { "/.%2e/", DOTS, DOTS },
  { "/%252e%252e/", DOTS, DOTS },
  { "/%25252e/", DOTS, DOTS },
  { "/%%32%65", DOTS, DOTS },
  { "/..;x", DOTS, DOTS },
  { "/..%3Bx", DOTS, DOTS },
  { "/..%3Fx", DOTS, DOTS },
  { "/..%00", DOTS, DOTS },
  { "/..%20", DOTS, DOTS },
  { "/%09..", DOTS, DOTS },
  { "/a%2F..", SLASH, DOTS },
  { "/a%5C..%5Cb", SLASH, DOTS },
  { "//", EMPTY, EMPTY },
  { "/a//b", EMPTY, EMPTY },
  { "/a//", EMPTY, EMPTY },
  { "/a%2F/b", SLASH },
  { "/a%2fb", SLASH },
  { "/a%5Cb", SLASH },
  { "/a%252Fb", SLASH },
  { "/a%25252Fb", SLASH },
  { "/a%2%46b", TRIPLET, TRIPLET },
  { "/a\\b", BYTE, BYTE },
  { "/a b", BYTE, BYTE },
  { "/a\tb", BYTE, BYTE },
  { "/a\0b", BYTE, BYTE },
  { "/a\127", BYTE, BYTE },
  { "/a?b", BYTE, BYTE },
  { "/a#b", BYTE, BYTE },
  { "/a%00b", CONTROL },
  { "/a%0Ab", CONTROL },
  { "/a%7F", CONTROL },
  { "/a%2500", CONTROL },
  { "/a%", TRIPLET, TRIPLET },
  { "/a%2", TRIPLET, TRIPLET },
  { "/a%2g", TRIPLET, TRIPLET },
  { "/a%%41", TRIPLET, TRIPLET },
}

-- path; its segments; has it one spelling alone, and no ";"?
local SEGMENTS = {
  { "/", { "" }, true },
  { "/a", { "a" }, true },
  { "/a/", { "a", "" }, true },
  { "/a/b.c/~d", { "a", "b.c", "~d" }, true },
  { "/!$&'()*+,=:@", { "!$&'()*+,=:@" }, true },
  { "/a;b", { "a;b" }, false },
  { "/a%20b/c", { "a%20b", "c" }, false },
  { "/\195\188", { "\195\188" }, false },
  { "/[a]", { "[a]" }, false },
  { "/a|b", { "a|b" }, false },
}

describe("the path of a request", function()
  for _, row in ipairs(SEGMENTS) do
    it("has the segments of " .. row[1], function()
      assert.same({ row[2], row[3] }, { path_segments(row[1]) })
    end)
  end

  it("has at most 200 segments", function()
    assert.equal(200, #path_segments(("/a"):rep(200)))
    assert.equal(200, #path_segments(("/a"):rep(199) .. "/"))
    assert.same({ nil, true }, { path_segments(("/a"):rep(201)) })
    assert.same({ nil, true }, { path_segments(("/a"):rep(200) .. "/") })
    assert.same({ nil, true }, { path_segments(("/a"):rep(1e5)) })
  end)

  it("is a string", function()
    assert.is_false((pcall(path_segments, 5)))
    assert.is_false((pcall(path_segments)))
  end)

  for _, row in ipairs(ROWS) do
    it(("%q %s"):format(row[1], row[2] or "is right"), function()
      assert.equal(row[2], path_fault(row[1]))
      assert.equal(row[3], path_fault(row[1], true))
    end)
  end

  it("is right where the endpoint wrote it, if slashes may be encoded", function()
    local bytes = { "a", ".", "/", "\\", ";", "%", "2", "F", "e", "\0", "\t", " ", "?", "\200" }
    local seed, written = 1, 0
    for _ = 1, 3000 do
      local value = ""
      for _ = 1, 4 do
        seed = seed * 16807 % 2147483647
        value = value .. bytes[seed % #bytes + 1]
      end
      local ok, r = pcall(endpoint, { url = "/a/{p}/b", baseUrl = "", p = value })
      if ok then
        written = written + 1
        assert.is_nil(path_fault(r.url, true), r.url)
      end
    end
    assert.is_true(written > 1000)
  end)
end)

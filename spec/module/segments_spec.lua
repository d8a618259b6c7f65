-- The segments of a path in all their spellings. Their rules are in spec/vectors/segments.json.
local support = require "support"

local at_host = support.at_host

-- What parts segments, what is a dot, what ends that part of a segment which counts, and what
-- ends it for dots alone. The "%" of a triplet may be written %25 any number of times, its
-- digits behind that as triplets (CVE-2021-42013).
local SEPARATORS = { "/", "\\", "%2F", "%2f", "%5C", "%5c", "%252F", "%25255c" }
local DOTS = { ".", "%2E", "%2e", "%252E", "%2525252e", "%25%32%65", "%25252%45" }
local SEMICOLONS = { ";", "%3B", "%3b", "%253B", "%25253b" }
local DELIMITERS = { "%3F", "%3f", "%23", "%253F", "%252523" }

-- All dot segments of one and of two dots, and those with something behind them.
local function dot_segments()
  local segments = {}
  for _, first in ipairs(DOTS) do
    for _, second in ipairs { "", support.unpack(DOTS) } do
      segments[#segments + 1] = first .. second
    end
  end
  for _, list in ipairs { SEMICOLONS, DELIMITERS } do
    for _, ending in ipairs(list) do
      segments[#segments + 1] = ".." .. ending
      segments[#segments + 1] = "%2e" .. ending .. "x"
    end
  end
  return segments
end

describe("segments", function()
  it("of which nothing that counts is left are refused, however that is written", function()
    for _, separator in ipairs(SEPARATORS) do
      for _, semicolon in ipairs { "", support.unpack(SEMICOLONS) } do
        for _, template in ipairs { "/x/{p}", "/x/{+p}/y", "https://g/:p{?q}" } do
          local value = separator .. semicolon .. (semicolon == "" and "" or "x")
          support.raises({ 'parameter "p"', "leaves nothing that counts" }, at_host, template, { p = value })
          assert.truthy(at_host(template, { p = separator .. "a" .. semicolon }))
        end
      end
    end
  end)

  it("that are dots are refused, however they are written", function()
    local words = { 'parameter "p"', 'a path segment "." or ".."' }
    for _, separator in ipairs(SEPARATORS) do
      for _, dots in ipairs(dot_segments()) do
        local malformed = { "endpoint: template ", "at byte " .. 3 + #separator }
        support.raises(malformed, at_host, "/a" .. separator .. dots)
        support.raises(malformed, at_host, "/a" .. separator .. dots .. separator .. "{p}", { p = "x" })
        for _, value in ipairs { "a" .. separator .. dots, "a" .. separator .. dots .. separator .. "b" } do
          for _, template in ipairs { "/{p}", "/{+p}", "/x{/p}", "https://h{+p}" } do
            support.raises(words, at_host, template, { p = (template:find "^https" and "/" or "") .. value })
          end
        end
      end
    end
  end)
end)

-- Which bytes may stand where: each of the 256 in one place of each kind, beside the set that the RFC gives.
local endpoint = require "endpoint"
local support = require "support"

local UNRESERVED = "[A-Za-z0-9._~-]"                   -- RFC 3986 section 2.3
local AUTHORITY = "[]A-Za-z0-9._~!$&'()*+,;=:@/?#[-]" -- the same, section 2.2; /, ? and # end it
local TOKEN = "[A-Za-z0-9!#$%%&'*+.^_`|~-]"            -- RFC 9110 section 5.6.2
local MEDIA_NAME = "[A-Za-z0-9!#$&^_.+-]"              -- RFC 6838 section 4.2

local function accepts(...)
  return (pcall(endpoint, ...))
end

-- A place, the bytes that it takes, and whether it took one.
local PLACES = {
  { "a value in a host", UNRESERVED, function(byte) return accepts("https://{h}/", { h = "a" .. byte .. "a" }) end },
  { "a host that is a value", UNRESERVED, function(byte) return accepts("https://{+h}/", { h = byte }) end },
  { "an address", "[0-9A-Fa-f:.]", function(byte) return accepts("https://{+h}/", { h = "[" .. byte .. "]" }) end },
  { "a port", "[0-9]", function(byte) return accepts("https://{+h}/", { h = "a:" .. byte }) end },
  { "an authority's literal", AUTHORITY, function(byte) return accepts("https://a" .. byte .. "a/") end },
  { "a header's name", TOKEN, function(byte) return accepts("/", { headers = { ["x" .. byte] = "" } }) end },
  { "a method", TOKEN, function(byte) return accepts { method = "X" .. byte, url = "/" } end },
  { "a format", MEDIA_NAME, function(byte) return accepts("/", { mediaType = { format = "a" .. byte } }) end },
  { "a list of variables", "[A-Za-z0-9_.,-]", function(byte) return accepts("/{?a" .. byte .. "a}") end },
  { "a triplet's first digit", "[0-9A-Fa-f]", function(byte)
    local ok, r = pcall(endpoint, "/%" .. byte .. "1")
    return ok and not r.url:find "%%25"
  end },
  { "a triplet's second digit", "[0-9A-Fa-f]", function(byte)
    local ok, r = pcall(endpoint, "/%4" .. byte)
    return ok and not r.url:find "%%25"
  end },
}

describe("bytes in", function()
  for _, place in ipairs(PLACES) do
    it(place[1], function()
      for code = 0, 255 do
        local byte = code > 0 and string.char(code) or "\0"
        local is_in = byte:find(place[2]) ~= nil and code > 0
        assert.equal(is_in, place[3](byte), support.shown(byte))
      end
    end)
  end
end)

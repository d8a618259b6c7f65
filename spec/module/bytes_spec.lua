-- Which bytes may stand where: each of the 256 in one place of each kind, beside the set that the
-- RFC gives. The messages about the others are in spec/vectors.
local endpoint = require "endpoint"
local support = require "support"

local UNRESERVED = "[A-Za-z0-9._~-]"                   -- RFC 3986 section 2.3
local AUTHORITY = "[]A-Za-z0-9._~!$&'()*+,;=:@/?#[-]" -- the same, section 2.2; /, ? and # end it
local TOKEN = "[A-Za-z0-9!#$%%&'*+.^_`|~-]"            -- RFC 9110 section 5.6.2
local MEDIA_NAME = "[A-Za-z0-9!#$&^_.+-]"              -- RFC 6838 section 4.2

local function accepts(...)
  return (pcall(endpoint, ...))
end

-- Does the URL, behind a bare path, hold the text?
local function writes(text, url)
  local ok, result = pcall(endpoint, { method = "PUT", url = url, baseUrl = "/", id = 7 })
  return ok and result.url:find(text, 1, true) ~= nil
end

-- In a call and in defaults.
local function accepts_media_type(media_type)
  local in_defaults = pcall(endpoint.defaults, { mediaType = media_type })
  assert.equal(in_defaults, accepts("/", { mediaType = media_type }))
  return in_defaults
end

-- A place, the bytes that it takes, and whether it took one.
local PLACES = {
  { "a value in a host", UNRESERVED, function(byte) return accepts("https://{h}/", { h = "a" .. byte .. "a" }) end },
  { "a host that is a value", UNRESERVED, function(byte) return accepts("https://{+h}/", { h = byte }) end },
  { "an address", "[0-9A-Fa-f:.]", function(byte) return accepts("https://{+h}/", { h = "[" .. byte .. "]" }) end },
  { "a port", "[0-9]", function(byte) return accepts("https://{+h}/", { h = "a:" .. byte }) end },
  { "an authority's literal", AUTHORITY, function(byte) return accepts("https://a" .. byte .. "a/") end },
  { "a header's name", TOKEN, function(byte)
    local name = byte .. "X" .. byte
    local ok, r = pcall(endpoint, "/", { headers = { [name] = "" } })
    return ok and r.headers[name:lower()] == ""
  end },
  { "a header's name of one byte", TOKEN, function(byte) return accepts("/", { headers = { [byte] = "" } }) end },
  { "a method", TOKEN, function(byte) return accepts { method = "X" .. byte, url = "/" } end },
  { "a format", MEDIA_NAME, function(byte) return accepts_media_type { format = "a" .. byte .. "a" } end },
  { "a format of one byte", "[A-Za-z0-9]", function(byte) return accepts_media_type { format = byte } end },
  { "a preview", MEDIA_NAME, function(byte)
    return accepts_media_type { previews = { "a", "a" .. byte .. "-preview" } }
  end },
  { "a preview of one byte", "[A-Za-z0-9]", function(byte) return accepts_media_type { previews = { byte } } end },
  { "a literal", "[^\1-\31\127{}]", function(byte) return accepts { url = "/a" .. byte .. "b" } end },
  { "a literal as it is", AUTHORITY, function(byte) return writes("x" .. byte .. "y", "/x" .. byte .. "y") end },
  { "text before :id", "[A-Za-z0-9_?#\128-\255]", function(byte) return writes(":id", "/-" .. byte .. ":id") end },
  { "an expression's beginning", "[A-Za-z0-9_+#./;?&]", function(byte) return accepts("/x{" .. byte .. "a}") end },
  { "a prefix", "[1-9]", function(byte) return accepts("/x{a:" .. byte .. "}") end },
  { "a prefix behind its first digit", "[0-9]", function(byte) return accepts("/x{a:1" .. byte .. "}") end },
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

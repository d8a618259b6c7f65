-- Each of the 256 bytes in each kind of place, and long texts with bytes in every position: what the
-- judge says of them, the module does.
local endpoint = require "endpoint"
local judge = require "oracle.judge"
local support = require "support"

local function check(options) judge.check(nil, nil, options) end

-- Where the byte stands: options in whose texts and keys "\1" is the byte.
local PLACES = {
  { url = "/a\1b" }, { url = "/-\1:id", id = 7 }, { url = "/x?\1=1#\1" }, { url = "\1x" }, { url = "https\1//h/x" },
  { url = "https://a\1a/" }, { url = "https://u\1@a/" }, { url = "https://{h}/", h = "a\1a" },
  { url = "https://a{h}\1", h = "b" },
  { url = "/x{\1a}" }, { url = "/x{/a:\1}" }, { url = "/x{/a:1\1}" }, { url = "/{?a\1a}" },
  { url = "/%\0011" }, { url = "/%4\1" },
  { baseUrl = "https://a\1a/" }, { baseUrl = "/a\1a" }, { baseUrl = "\1/" },
  { x = "\1" }, { ["\1"] = 1 }, { ["l[]"] = { "\1", "a" } }, { x = { "\1", "\1" } },
  { url = "/{x}", x = "\1" }, { url = "/{+x}", x = "\1" }, { url = "/a/{x}", x = "..\1" }, { url = "/{+x}", x = "a/..\1b" },
  { url = "/{a}{b}/{c}", a = "x", b = "\1", c = "y" }, { url = "/{+a}\1/{b}", a = "x", b = "y" }, { url = "{+x}", x = "\1" },
  { url = "/-{.x}{/x}{;x}{?x}{&x}{#x}", x = "\1" }, { url = "/-{?m*}{#m}", m = { ["\1"] = "\1" } },
  { url = "/{x}{?x}", x = ("g"):rep(40) .. "\1" .. ("g"):rep(40) }, -- read 32 bytes at a time
  { headers = { ["\1X\1"] = "" } }, { headers = { ["\1"] = "" } }, { headers = { a = "b\1c" } }, { method = "X\1" },
  { mediaType = { format = "a\1a" } }, { mediaType = { format = "\1" } },
  { mediaType = { previews = { "a", "a\1-preview" } } }, { mediaType = { previews = { "\1" } } },
  { headers = { accept = "application/vnd.a\1b, x/y" }, mediaType = { format = "raw" } },
  { headers = { accept = "\1application/vnd.a.v3\1+json\1" }, mediaType = { format = "raw" } },
  { headers = { accept = "application/vnd.a\1p-preview" }, mediaType = { previews = { "q" } } },
}

local function with_byte(value, byte)
  if type(value) == "string" then return (value:gsub("\1", byte == "%" and "%%%%" or byte)) end
  if type(value) ~= "table" then return value end
  local copy = {}
  for key, field in pairs(value) do copy[with_byte(key, byte)] = with_byte(field, byte) end
  return copy
end

describe("each byte", function()
  for _, place in ipairs(PLACES) do
    it("in " .. support.shown(place), function()
      for code = 0, 255 do
        local options = with_byte(place, string.char(code))
        options.url, options.baseUrl = options.url or "/", options.baseUrl or "https://h"
        check(options)
      end
    end)
  end
end)

describe("a text", function()
  -- The encoder reads long texts several bytes at a time.
  it("is encoded byte by byte, whatever bytes stand around", function()
    for size = 1, 41, 2 do
      for place = 1, size do
        for _, bytes in ipairs { "a~", "a/", "a%", "a\127", "a\255", "\255a", "\255\127", "\192/" } do
          local around = bytes:sub(1, 1)
          local text = around:rep(place - 1) .. bytes:sub(2) .. around:rep(size - place)
          check { url = "/-{/x}{+x}", baseUrl = "https://h", x = text }
        end
      end
    end
  end)

  it("is cut by a prefix behind whole code points, a byte that is in none being one", function()
    for first in ("\128\191\192\193\194\223\224\225\236\237\238\239\240\241\243\244\245\255"):gmatch "." do
      for _, second in ipairs { "", "\127", "\128", "\143", "\144", "\159", "\160", "\191", "\192" } do
        for _, third in ipairs { "", "\127", "\128", "\191", "\192" } do
          for _, fourth in ipairs { "", "\127", "\128\128", "\192" } do
            local text = first .. second .. third .. fourth
            check { url = "/-{/x:1}{/y:2}", baseUrl = "https://h", x = text, y = "a" .. text .. "z" }
          end
        end
      end
    end
    for length = 1, 12 do
      check { url = ("/-{/x:%d}41{+x:%d}41"):format(length, length), baseUrl = "https://h", x = "a%41é%c3%a9%4%" }
    end
  end)

  it("and a template may be long", function()
    for _, unit in ipairs { "a", "é", "x%2F", "%41", "/..." } do
      local long, value = unit:rep(1000), "b" .. unit:rep(10000)
      check { url = "/" .. long .. "/{x}?" .. long .. "{&x:9999}#" .. long, baseUrl = "https://h/" .. long, x = value }
    end
    assert.equal("https://h/" .. ("%C3%A9"):rep(9999), endpoint("https://h/{x:9999}", { x = ("é"):rep(10000) }).url)
  end)
end)

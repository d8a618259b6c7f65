-- SPDX-License-Identifier: MIT
-- What errors and logs may show.
local words = {}

local text = require "endpoint.clients.text"

-- Without control characters and marks of direction, which a terminal obeys, at most 200 bytes.
function words.shown(said)
  said = said:gsub("\194[\128-\159]", "?"):gsub("\226\128[\142\143\170-\174]", "?")
    :gsub("\226\129[\166-\169]", "?"):gsub("%c", function(byte) return ("\\x%02x"):format(byte:byte()) end)
  return #said > 200 and said:sub(1, 197):gsub("[\192-\255][\128-\191]*$", "") .. "..." or said
end

-- A URL or a template without what may be secret: query and credentials.
function words.label(url) return words.shown((url:gsub("{?[?#].*", ""):gsub("//[^/]*@", "//***@"))) end

local PUBLIC = { accept = true, ["accept-encoding"] = true, ["content-type"] = true, ["user-agent"] = true }

-- Texts of less than four bytes are no secrets but words.
local function add_if_repeated(found, said, piece)
  if #piece > 3 and said:find(piece, 1, true) and not piece:find "%z" then found[#found + 1] = piece end
end

-- Adds what a text repeats of a value: all of it, its words, and these decoded.
local function add_repeated(found, said, value, depth)
  if type(value) == "table" then
    for _, element in next, depth < 100 and value or {} do add_repeated(found, said, element, depth + 1) end
    return
  end
  value = type(value) ~= "function" and tostring(value) or ""
  add_if_repeated(found, said, value)
  for word in value:gmatch "[^%s%c,;:=&?/\"]+" do
    add_if_repeated(found, said, word)
    if word:find("%", 1, true) then add_if_repeated(found, said, text.decoded(word)) end
  end
end

-- What a server or a client said, which may repeat the request, with *** for each of its values, the longest first.
function words.told(said, r)
  local found, query = {}, (r.url:match "%?.*" or ""):gsub("[?&][^&=]*=", " ")
  said = tostring(said)
  if #said > 1000 then said = said:sub(1, 1000):gsub("%S*$", "") end -- no half of a value
  add_repeated(found, said, { r.body or "", query, r.url:match "//([^/]*)@" }, 0)
  for name, value in pairs(r.headers) do add_repeated(found, said, PUBLIC[name] and {} or value, 0) end
  table.sort(found, function(a, b) return #a > #b end)
  for _, secret in ipairs(found) do said = said:gsub(secret:gsub("%W", "%%%0"), "***") end
  return words.shown(said)
end

return words

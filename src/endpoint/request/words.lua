-- SPDX-License-Identifier: MIT
-- What errors and logs may show.
local words = {}

-- Without control characters and marks of direction, which a terminal obeys, at most 200 bytes.
function words.shown(said)
  said = said:gsub("\194[\128-\159]", "?"):gsub("\226\128[\142\143\170-\174]", "?")
    :gsub("\226\129[\166-\169]", "?"):gsub("%c", function(byte) return ("\\x%02x"):format(byte:byte()) end)
  return #said > 200 and said:sub(1, 197):gsub("[\192-\255][\128-\191]*$", "") .. "..." or said
end

-- A URL or a template without what may be secret: query and credentials.
function words.bare(url) return (url:gsub("{?[?#].*", ""):gsub("//[^/]*@", "//***@")) end

function words.label(url) return words.shown(words.bare(url)) end

return words

-- SPDX-License-Identifier: MIT
-- What errors and logs of endpoint.request may show of texts that others wrote.
local display = {}

local text = require "endpoint.text"

-- The most bytes of a text that an error shows.
local LONGEST_SHOWN = 200

-- What a server, a client or a program said, for an error.
function display.shown(message)
  return text.shown(message, LONGEST_SHOWN, "escaped")
end

-- Can a value that a function of the program gives as its message be shown?
function display.has_words(message)
  local kind, metatable = type(message), getmetatable(message)
  return kind == "string"
    or kind == "number"
    or type(metatable) == "table" and metatable.__tostring ~= nil
end

-- Such a message as a text. The address of a table says nothing.
function display.words(message)
  return display.has_words(message) and tostring(message)
    or "a " .. type(message) .. " instead of a message"
end

-- A URL or a template without what may be secret: its query and its credentials.
function display.bare(url)
  return (url:gsub("{?[?#].*", ""):gsub("//[^/]*@", "//***@"))
end

function display.label(url)
  return display.shown(display.bare(url))
end

return display

-- Characters that no message may show, and some next to them that each message shows.
local unseen = {}

-- The bytes of a code point in UTF-8 (RFC 3629, section 3), in so many bytes.
function unseen.utf8_of(code_point, length)
  local bytes = ""
  for _ = 2, length do
    bytes = string.char(128 + code_point % 64) .. bytes
    code_point = math.floor(code_point / 64)
  end
  return string.char(({ 0, 0xC0, 0xE0, 0xF0 })[length] + code_point) .. bytes
end

-- Each is a name and the bytes.
unseen.CHARACTERS = {
  { "ESC", "\27" },
  { "DEL", "\127" },
  { "CSI, U+009B", unseen.utf8_of(0x9B, 2) },
  { "the Arabic letter mark, U+061C", unseen.utf8_of(0x61C, 2) },
  { "the zero width space, U+200B", unseen.utf8_of(0x200B, 3) },
  { "the zero width non-joiner, U+200C", unseen.utf8_of(0x200C, 3) },
  { "the zero width joiner, U+200D", unseen.utf8_of(0x200D, 3) },
  { "the left-to-right mark, U+200E", unseen.utf8_of(0x200E, 3) },
  { "the right-to-left mark, U+200F", unseen.utf8_of(0x200F, 3) },
  { "the line separator, U+2028", unseen.utf8_of(0x2028, 3) },
  { "the paragraph separator, U+2029", unseen.utf8_of(0x2029, 3) },
  { "the right-to-left override, U+202E", unseen.utf8_of(0x202E, 3) },
  { "the word joiner, U+2060", unseen.utf8_of(0x2060, 3) },
  { "the left-to-right isolate, U+2066", unseen.utf8_of(0x2066, 3) },
  { "a surrogate, U+D800", unseen.utf8_of(0xD800, 3) },
  { "the byte order mark, U+FEFF", unseen.utf8_of(0xFEFF, 3) },
  { "the interlinear annotation anchor, U+FFF9", unseen.utf8_of(0xFFF9, 3) },
  { "the tag A, U+E0041", unseen.utf8_of(0xE0041, 4) },
  { "the cancel tag, U+E007F", unseen.utf8_of(0xE007F, 4) },
  { "a variation selector of plane 14, U+E0100", unseen.utf8_of(0xE0100, 4) },
  { "a byte that is not UTF-8", "\255" },
}

unseen.SHOWN_CHARACTERS = {
  { "a letter of two bytes", "\195\164" },
  { "an Arabic letter", unseen.utf8_of(0x61B, 2) },
  { "a letter of three bytes", unseen.utf8_of(0x20AC, 3) },
  { "a letter of four bytes", unseen.utf8_of(0x1F600, 4) },
}

-- The bytes as the style "escaped" of endpoint.text shows them.
local function escaped(bytes)
  return (bytes:gsub(".", function(byte)
    return ("\\x%02x"):format(byte:byte())
  end))
end

-- The message that a function raises.
function unseen.message_of(f, ...)
  local ok, problem = pcall(f, ...)
  return ok and error "expected an error, got a result" or tostring(problem)
end

-- The specs of a part, a list of `title` and `run`. part: `message`, a function that makes a
-- message of a stranger's string; `is_escaped`, true if that shows bytes in hexadecimal.
function unseen.rows(part)
  local rows = {}
  local function add(title, bytes, shown)
    rows[#rows + 1] = {
      title = title,
      run = function()
        local message = part.message("a" .. bytes .. "b")
        local has_shown = message:find("a" .. shown .. "b", 1, true)
        local has_bytes = message:find("a" .. bytes .. "b", 1, true)
        if not has_shown or has_bytes and bytes ~= shown then
          error(("expected a%sb in: %s"):format(shown, message), 0)
        end
      end,
    }
  end
  for _, character in ipairs(unseen.CHARACTERS) do
    add(
      "does not show " .. character[1],
      character[2],
      part.is_escaped and escaped(character[2]) or "?"
    )
  end
  for _, character in ipairs(unseen.SHOWN_CHARACTERS) do
    add("shows " .. character[1], character[2], character[2])
  end
  return rows
end

return unseen

-- SPDX-License-Identifier: MIT
-- Bodies of the media type multipart/form-data (RFC 7578), as browsers write them.
local multipart = {}

local misuse = require "endpoint.clients.misuse"
local stream = require "endpoint.clients.body.stream"
local text = require "endpoint.text"
local fail, quoted = misuse.fail, misuse.quoted

-- --- the parts --------------------------------------------------------------

-- Servers read a backslash in quotes differently: as itself, or as the first byte of a pair,
-- which may hide the closing quote. Some take control characters for the end of a line.
local function check_name(what, value)
  if type(value) ~= "string" or value == "" then
    fail("%s: expected a string of one byte or more", what)
  end
  if value:find("[\1-\9\11\12\14-\31\127\\]") or value:find("\0", 1, true) then
    fail("%s: expected no backslash, and no control character but CR and LF", what)
  end
end

local TOKEN = "[A-Za-z0-9!#$%%&'*+.^_`|~-]+"

-- RFC 9110, section 8.3.1. Of the parameters only the first ";" is looked for.
local function check_media_type(what, value)
  local after = type(value) == "string"
    and value:match("^" .. TOKEN .. "/" .. TOKEN .. "[ \t]*(.*)$")
  if not after or after:find("^[^;]") or after:find("[^\t\32-\126]") then
    fail("%s: expected a media type such as text/plain, perhaps with parameters", what)
  end
end

-- Every Lua represents and writes integers up to here exactly.
local LONGEST = 1e15

local function check_length(what, value)
  if type(value) ~= "number" or value % 1 ~= 0 or value < 0 or value > LONGEST then
    fail("%s: expected the number of bytes that the function gives", what)
  end
end

local function check_data(what, value)
  local kind = type(value)
  local fault = kind == "number" and text.number_fault(value)
  if fault then
    fail("%s: %s", what, fault)
  end
  if kind ~= "string" and kind ~= "number" and kind ~= "boolean" and kind ~= "function" then
    fail("%s: expected a string, finite number, boolean or function, got a %s", what, kind)
  end
end

local CHECKS = {
  name = check_name,
  filename = check_name,
  type = check_media_type,
  length = check_length,
  data = check_data,
}

-- A copy of a part, whose fields have been checked.
local function checked_part(what, part)
  misuse.check_type(what, part, "table")
  local copy = {}
  for key, value in next, part do
    local check = CHECKS[key] or fail("%s: a part has no field %s", what, quoted(tostring(key)))
    check(what .. ": " .. key, value)
    copy[key] = value
  end
  for _, key in ipairs { "name", "data" } do
    if copy[key] == nil then
      CHECKS[key](what .. ": " .. key, nil)
    end
  end
  if copy.length and type(copy.data) ~= "function" then
    fail("%s: length: is for a function as data, got a %s", what, type(copy.data))
  end
  return copy
end

local QUOTED = { ['"'] = "%22", ["\r"] = "%0D", ["\n"] = "%0A" }

-- A line's end, which browsers write as CR and LF in the name of a field, though not in that of a
-- file (WHATWG's HTML, "multipart/form-data encoding algorithm").
local function with_crlf(name)
  return (name:gsub("\r\n?", "\n"):gsub("\n", "\r\n"))
end

-- A parameter as browsers write it.
local function parameter(name, value)
  return ('; %s="%s"'):format(name, (value:gsub('["\r\n]', QUOTED)))
end

-- The header of a part, and the empty line after it. RFC 7578, section 4.4: a file whose type
-- is unknown is application/octet-stream.
local function head_of(part)
  local kind = part.type or part.filename and "application/octet-stream"
  return "Content-Disposition: form-data"
    .. parameter("name", with_crlf(part.name))
    .. (part.filename and parameter("filename", part.filename) or "")
    .. (kind and "\r\nContent-Type: " .. kind or "")
    .. "\r\n\r\n"
end

-- The data of a part: a string; or for a source a table with the source, its length, which may be
-- nil, and what promises that length.
local function data_of(what, part)
  if type(part.data) == "function" then
    part.length = part.length or stream.length_of(part.data)
    return { source = part.data, length = part.length, promise = what .. "'s length" }
  end
  if type(part.data) == "string" then
    return part.data
  end
  return text.decoded(text.encoded(part.data)) -- numbers as in URLs
end

-- For each part its header, a string, and its data, as data_of returns it. Then the number of
-- parts, and the number of all their bytes, nil if that is unknown.
local function pieces_of(parts)
  local size = type(parts) == "table" and text.list_size(parts)
  if not size or size == 0 then
    fail("parts: expected a list of one part or more")
  end
  local pieces, length = {}, 0
  for i = 1, size do
    local what = ("part %d"):format(i)
    local part = checked_part(what, parts[i])
    local head, data = head_of(part), data_of(what, part)
    local added = type(data) == "string" and #data or part.length
    length = length and added and length + #head + added
    pieces[2 * i - 1], pieces[2 * i] = head, data
  end
  return pieces, size, length
end

-- --- the boundary -----------------------------------------------------------

local START, DIGITS = "endpoint-", 12

local function boundary_of(number)
  return START .. ("%0" .. DIGITS .. ".0f"):format(number)
end

-- The first boundary that no string holds. It is found in one pass, whatever the strings hold;
-- equal parts make equal bodies.
local function free_boundary(pieces)
  local taken, number = {}, 0
  for _, piece in ipairs(pieces) do
    local at = type(piece) == "string" and piece:find(START, 1, true)
    while at do
      taken[piece:sub(at, at + #START + DIGITS - 1)] = true
      at = piece:find(START, at + #START, true)
    end
  end
  while taken[boundary_of(number)] do
    number = number + 1
  end
  return boundary_of(number)
end

-- The check for the option `boundary`. Of the characters that RFC 2046, section 5.1.1, allows,
-- these need no quotes in a header.
function multipart.check_boundary_option(what, value)
  if type(value) ~= "string" or #value > 70 or not value:find("^[A-Za-z0-9'+_.-]+$") then
    fail("%s: expected 1 to 70 letters, digits and ' + _ . -", what)
  end
end

local HELD = "part %d holds the boundary: expected another one as options.boundary"

local function check_boundary(pieces, boundary)
  for i, piece in ipairs(pieces) do
    if type(piece) == "string" and piece:find(boundary, 1, true) then
      fail(HELD, math.ceil(i / 2))
    end
  end
  return boundary
end

-- A source that fails for good where its bytes hold the boundary, which may lie in several
-- pieces. number: that of the part.
local function guarded(source, boundary, number)
  local last, held = "", nil
  return function()
    if held then
      return nil, held
    end
    local piece, problem = source()
    if not piece then
      return nil, problem
    end
    local seam = last .. piece:sub(1, #boundary)
    if piece:find(boundary, 1, true) or seam:find(boundary, 1, true) then
      held = "endpoint.clients: body: " .. HELD:format(number)
      return nil, held
    end
    last = (#piece < #boundary and seam or piece):sub(-#boundary)
    return piece
  end
end

-- --- the body -----------------------------------------------------------------

-- The whole body as a list of strings and sources.
local function assembled(pieces, boundary)
  local whole, texts = {}, {}
  for i = 1, #pieces, 2 do
    local head, data = pieces[i], pieces[i + 1]
    texts[#texts + 1] = (i > 1 and "\r\n--" or "--") .. boundary .. "\r\n" .. head
    if type(data) == "string" then
      texts[#texts + 1] = data
    else
      whole[#whole + 1], texts = table.concat(texts), {}
      local checked = stream.checked(data.source, data.length, data.promise)
      whole[#whole + 1] = guarded(checked, boundary, (i + 1) / 2)
    end
  end
  texts[#texts + 1] = "\r\n--" .. boundary .. "--\r\n"
  whole[#whole + 1] = table.concat(texts)
  return whole
end

-- A source of strings, and of what other sources give, one after the other.
local function chained(whole)
  local at = 1
  return function()
    while whole[at] do
      local piece, problem = whole[at], nil
      if type(piece) == "function" then
        piece, problem = piece()
      end
      if problem then
        return nil, problem
      end
      if piece == nil or piece == whole[at] then
        at = at + 1
      end
      if piece then
        return piece
      end
    end
  end
end

-- A source of a body with streams, which can begin again if all of them can.
local function source_of(pieces, boundary, whole, length)
  for i = 2, #pieces, 2 do
    if type(pieces[i]) == "table" and not stream.is_repeatable(pieces[i].source) then
      return chained(whole)
    end
  end
  local function rewind_parts()
    for i = 2, #pieces, 2 do
      if type(pieces[i]) == "table" then
        stream.rewind(pieces[i].source)
      end
    end
  end
  local source, rewind = stream.of_each(function()
    rewind_parts()
    return chained(assembled(pieces, boundary)), rewind_parts
  end)
  stream.set_repeatable(source, length, rewind)
  return source
end

-- Returns the body, a string, or a source if a part is one; its content type; and the number of
-- its bytes, nil if that is unknown. boundary: the option, or nil.
function multipart.body(parts, boundary)
  local pieces, count, length = pieces_of(parts)
  boundary = boundary and check_boundary(pieces, boundary) or free_boundary(pieces)
  local whole, content_type =
    assembled(pieces, boundary), "multipart/form-data; boundary=" .. boundary
  if #whole == 1 then
    return whole[1], content_type, #whole[1]
  end
  -- A line with the boundary before each part and at the end, each six bytes longer than it: the
  -- first has no CR and LF before it, the last two more hyphens.
  length = length and length + (count + 1) * (#boundary + 6)
  return source_of(pieces, boundary, whole, length), content_type, length
end

return multipart

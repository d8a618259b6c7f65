-- SPDX-License-Identifier: MIT
-- Cuts a text that comes in pieces into lines, wherever the pieces end. Each byte is looked at a
-- fixed number of times.
local Cutter = {}
Cutter.__index = Cutter

local Pieces = require "endpoint.request.response.pieces"

local CR, LF, BYTE_ORDER_MARK = 13, 10, "^\239\187\191"

-- ends: a pattern of one byte that ends a line. Where CR is one, an LF directly after it belongs to
-- it.
function Cutter.new(ends)
  return setmetatable({ ends = ends, held = Pieces.new(), is_first = true }, Cutter)
end

-- The bytes of the line that has not ended yet.
function Cutter:size()
  return self.held.size
end

-- Ends the line that was held. A byte order mark at the start of the text belongs to no line.
function Cutter:rest(more)
  local line = self.held.size > 0 and self.held:text() .. (more or "") or more or ""
  if self.held.size > 0 then
    self.held:clear()
  end
  if self.is_first then
    line, self.is_first = line:gsub(BYTE_ORDER_MARK, ""), false
  end
  return line
end

-- What ends the lines of a piece, and whether it is a plain text: a search for LF alone is several
-- times as fast as one for a class.
local function ends_in(self, piece)
  if self.ends == "\n" or not piece:find("\r", 1, true) then
    return "\n", true
  end
  return self.ends, false
end

-- Calls take(text, first, last) for each line that ends in the piece: these bytes of the text are
-- the line. Returns true; or what take returned, if that is nil and a message.
function Cutter:feed(piece, take)
  local at = self.is_after_cr and piece:byte() == LF and 2 or 1
  self.is_after_cr = self.is_after_cr and piece == ""
  local ends, is_plain = ends_in(self, piece)
  local last = piece:find(ends, at, is_plain)
  while last do
    local ok, problem
    if self.is_first or self.held.size > 0 then
      local line = self:rest(piece:sub(at, last - 1))
      ok, problem = take(line, 1, #line)
    else
      ok, problem = take(piece, at, last - 1)
    end
    if not ok then
      return nil, problem
    end
    at = last + 1
    if not is_plain and piece:byte(last) == CR then
      self.is_after_cr = at > #piece
      at = piece:byte(at) == LF and at + 1 or at
    end
    last = piece:find(ends, at, is_plain)
  end
  if at <= #piece then
    self.held:add(piece:sub(at))
  end
  return true
end

return Cutter

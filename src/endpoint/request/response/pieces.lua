-- SPDX-License-Identifier: MIT
-- A string that comes in pieces. A table has a slot for each: a million pieces of one byte would
-- take 32 MB. So small pieces are joined as they come.
local Pieces = {}
Pieces.__index = Pieces

-- Pieces that are joined to one.
local JOINED = 512

-- size: the bytes of all. only: the first piece, until there is another one. small: the pieces that
-- are not joined yet; long: those that are. Both are made when they are needed: most bodies come in
-- one piece.
function Pieces.new()
  return setmetatable({ size = 0, only = nil, small = nil, long = nil }, Pieces)
end

-- Forgets all pieces. A loop clears its pieces and makes no new ones: from a table that is made in
-- a loop, with constants in its constructor, the compiler of LuaJIT 2.1 (20230119) takes a field
-- that is nil for the string that it was before, and ends the process.
function Pieces:clear()
  self.size, self.only, self.small, self.long = 0, nil, nil, nil
end

function Pieces:add(piece)
  self.size = self.size + #piece
  local small = self.small
  if not small and not self.only then
    self.only = piece
    return
  end
  small = small or { not self.long and self.only or nil }
  small[#small + 1], self.small = piece, small
  if #small == JOINED then
    self.long = self.long or {}
    self.long[#self.long + 1], self.small = table.concat(small), nil
  end
end

function Pieces:text()
  local small = self.small
  if not small and not self.long then
    return self.only or ""
  end
  local rest = small and table.concat(small) or ""
  return self.long and table.concat(self.long) .. rest or rest
end

return Pieces

-- SPDX-License-Identifier: MIT
-- A string that comes in pieces. A table has a slot for each: a million pieces of one byte would
-- take 32 MB. So small pieces are joined as they come.
local Pieces = {}
Pieces.__index = Pieces

-- Pieces that are joined to one.
local JOINED = 512

-- size: the bytes of all. small: the pieces that are not joined yet; long: those that are. Both are
-- made when they are needed: most bodies come in one piece.
function Pieces.new()
  return setmetatable({ size = 0, small = nil, long = nil }, Pieces)
end

function Pieces:add(piece)
  local small = self.small or {}
  small[#small + 1], self.size, self.small = piece, self.size + #piece, small
  if #small == JOINED then
    self.long = self.long or {}
    self.long[#self.long + 1], self.small = table.concat(small), nil
  end
end

function Pieces:text()
  local small = self.small or {}
  local rest = small[2] and table.concat(small) or small[1] or ""
  return self.long and table.concat(self.long) .. rest or rest
end

return Pieces

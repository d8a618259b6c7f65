-- SPDX-License-Identifier: MIT
-- A string that comes in pieces. A table has a slot for each: a million pieces of one byte would
-- take 32 MB. So small pieces are joined as they come.
local Pieces = {}
Pieces.__index = Pieces

-- Pieces that are joined to one.
local JOINED = 512

function Pieces.new()
  return setmetatable({ size = 0, small = {}, long = {} }, Pieces)
end

function Pieces:add(piece)
  local small = self.small
  small[#small + 1], self.size = piece, self.size + #piece
  if #small == JOINED then
    self.long[#self.long + 1], self.small = table.concat(small), {}
  end
end

function Pieces:text()
  return table.concat(self.long) .. table.concat(self.small)
end

return Pieces

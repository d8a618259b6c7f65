-- SPDX-License-Identifier: MIT
-- A body as it comes: its pieces, and what they unpack to.
local body = {}

-- --- pieces -----------------------------------------------------------------------

-- A text that comes in pieces. A table has a slot for each: a million pieces of one byte would take 32 MB. So
-- small ones are joined as they come.
local Pieces = {}
body.Pieces = Pieces
Pieces.__index = Pieces

-- Pieces that are joined to one.
local JOINED = 512

function Pieces.new()
  return setmetatable({ size = 0, small = {}, long = {} }, Pieces)
end

function Pieces:add(piece)
  local small = self.small
  small[#small + 1], self.size = piece, self.size + #piece
  if #small < JOINED then
    return
  end
  self.long[#self.long + 1], self.small = table.concat(small), {}
end

function Pieces:text()
  return table.concat(self.long) .. table.concat(self.small)
end

-- --- gzip -------------------------------------------------------------------------

-- Unpacks answers by lua-zlib, where it is installed: a piece at a time, so that a bomb is stopped by max_size.
local Gzip = {}
body.Gzip = Gzip
Gzip.__index = Gzip

local found, zlib = pcall(require, "zlib")
Gzip.is_here = found and type(zlib) == "table" and type(zlib.inflate) == "function"

-- Bytes that are unpacked at a time: they become a thousand times as many at most.
local MOST = 1024

-- Takes from the headers what is said of the packed body alone.
function Gzip.new(headers)
  headers["content-encoding"], headers["content-length"] = nil, nil
  return setmetatable({ inflate = zlib.inflate(), size = 0, is_whole = false }, Gzip)
end

-- Hands on to a try what a piece unpacks to.
function Gzip:write(piece, try)
  for at = 1, #piece, MOST do
    local part = piece:sub(at, at + MOST - 1)
    local ok, unpacked, is_whole, taken = pcall(self.inflate, part)
    self.size = self.size + #part
    if not ok or self.is_whole or is_whole and taken < self.size then
      return try:refuse "the answer is packed wrongly"
    end
    self.is_whole = is_whole
    if unpacked ~= "" and not try:take(unpacked) then
      return nil
    end
  end
  return true
end

return body

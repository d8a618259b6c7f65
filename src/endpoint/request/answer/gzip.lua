-- SPDX-License-Identifier: MIT
-- Unpacks answers by lua-zlib, where it is installed: a piece at a time, so that `max_size` stops
-- a bomb.
local Gzip = {}
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

-- Hands on to a try what a piece unpacks to; returns nil if no other piece shall follow.
function Gzip:write(piece, try)
  for at = 1, #piece, MOST do
    local part = piece:sub(at, at + MOST - 1)
    local ok, unpacked, is_whole, taken = pcall(self.inflate, part)
    self.size = self.size + #part
    if not ok or self.is_whole or is_whole and taken < self.size then
      return try:refuse "the answer's gzip data is invalid"
    end
    self.is_whole = is_whole
    if unpacked ~= "" and not try:take(unpacked) then
      return nil
    end
  end
  return true
end

return Gzip

-- SPDX-License-Identifier: MIT
-- Unpacks responses by lua-zlib, where it is installed: a piece at a time, so that `max_size` stops
-- a bomb.
local Gzip = {}
Gzip.__index = Gzip

local protected = require "endpoint.protected"

local found, zlib = protected.call(require, "zlib")
Gzip.is_here = found and type(zlib) == "table" and type(zlib.inflate) == "function"

-- Bytes that are unpacked at a time: they become a thousand times as many at most.
local MOST = 1024

-- Takes from the headers what is said of the packed body alone.
function Gzip.new(headers)
  headers["content-encoding"], headers["content-length"] = nil, nil
  local gzip = setmetatable({}, Gzip)
  gzip:begin_member()
  return gzip
end

-- The first byte of a member.
local FIRST = 31

-- A file has one member, or several; each is packed by itself (RFC 1952, section 2.2).
function Gzip:begin_member()
  self.inflate, self.size, self.is_whole = zlib.inflate(), 0, false
end

-- Unpacks bytes up to the end of a member. Returns what they unpack to, and the bytes after the
-- end, "" if the member goes on; or nil if they are wrong.
function Gzip:unpacked(part)
  if self.is_whole then
    if part:byte() ~= FIRST then
      return nil
    end
    self:begin_member()
  end
  local ok, unpacked, is_whole, taken = protected.call(self.inflate, part)
  if not ok then
    return nil
  end
  self.size, self.is_whole = self.size + #part, is_whole
  return unpacked, is_whole and part:sub(#part - (self.size - taken) + 1) or ""
end

-- Hands on to a try what a piece unpacks to; returns nil if no other piece shall follow.
function Gzip:write(piece, try)
  for at = 1, #piece, MOST do
    local part = piece:sub(at, at + MOST - 1)
    while part ~= "" do
      local unpacked, rest = self:unpacked(part)
      if not unpacked then
        return try:refuse("protocol", "the response's gzip data is invalid")
      end
      if unpacked ~= "" and not try:take(unpacked) then
        return nil
      end
      part = rest
    end
  end
  return true
end

return Gzip

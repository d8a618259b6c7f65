-- SPDX-License-Identifier: MIT
-- A file as a body: a stream whose length is known, and which can begin again.
local file = {}

local misuse = require "endpoint.clients.misuse"
local stream = require "endpoint.clients.body.stream"

-- Bytes that are read at a time.
local PIECE = 65536

-- handle: the open file, nil before the first byte and after the last; left: the bytes to read.
local File = {}
File.__index = File

function File:close()
  if self.handle then
    self.handle:close()
  end
  self.handle = nil
end

-- The next piece; nil at the end; nil and a message if it cannot be read, or if the file has become
-- shorter.
function File:read()
  local piece, problem
  if not self.handle then
    self.handle, problem = io.open(self.path, "rb")
    self.left = self.length
  end
  if not self.handle then
    return nil, problem
  end
  if self.left > 0 then
    piece, problem = self.handle:read(math.min(self.left, PIECE))
  end
  if not piece and not problem and self.left > 0 then
    local read = self.length - self.left
    problem = ("%s: the file ends after %.0f of %.0f bytes"):format(self.path, read, self.length)
  end
  self.left = self.left - #(piece or "")
  if not piece then
    self:close()
  end
  return piece, problem
end

-- The number of bytes of an open file. A directory opens under Unix, but cannot be read; a pipe has
-- no length.
local function length_of(handle)
  local length, problem = handle:seek "end"
  if length and handle:seek "set" then
    local byte, fault = handle:read(1)
    if byte and length == 0 then
      return nil, "its length is not known"
    end
    return not fault and length or nil, fault
  end
  return nil, problem
end

-- Returns a source of a file's bytes, and their number. It gives so many bytes even if the file
-- grows meanwhile. The file is open only while it is read.
function file.source(path)
  local handle, problem = io.open(path, "rb")
  local length
  if handle then
    length, problem = length_of(handle)
    handle:close()
  end
  if not length then
    misuse.fail("file: %s", tostring(problem))
  end
  local source, rewind = stream.of_each(function()
    local opened = setmetatable({ path = path, length = length }, File)
    return function()
      return opened:read()
    end, function()
      opened:close()
    end
  end)
  stream.set_repeatable(source, length, rewind)
  return source, length
end

return file

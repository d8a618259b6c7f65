-- SPDX-License-Identifier: MIT
-- A stream over a handle of Debian's lua-curl, where an error of a function jumps out of libcurl,
-- which then never closes the connection. So a stream that fails does not raise: libcurl gets a
-- byte of it that was held back, and has no time for another. The body is not whole then: neither
-- its length is reached nor its last chunk sent.
local Upload = {}
Upload.__index = Upload

local protected = require "endpoint.protected"

-- The numbers of libcurl's options, which belong to its ABI.
local TIMEOUT_MS, READFUNCTION = 155, 20012

-- easy: the handle. read: what clients.curl has libcurl call. held: the last byte that came, which
-- libcurl has not got; "" at the end. problem: why the stream failed.
function Upload.new(easy)
  return setmetatable({ easy = easy, read = nil, held = "", problem = nil }, Upload)
end

-- What clients.curl calls of a handle.
function Upload:setopt(option, value)
  if option == READFUNCTION then
    self.read = value
    value = function(size)
      return self:give(size)
    end
  end
  return self.easy:setopt(option, value)
end

-- At most so many bytes; "" at the end, and nil if the stream fails.
function Upload:ask(size)
  local ok, problem, part = protected.call(self.read, size)
  if ok then
    return part
  end
  self.problem = tostring(problem)
end

-- Reads the first byte; returns nil if that fails.
function Upload:begin()
  self.held = self:ask(1)
  return self.held
end

-- Seconds in which a limit of a millisecond is over.
local OVER = 0.002

-- Has libcurl end the transfer when it has sent what it gets now.
local function end_transfer(easy)
  easy:setopt(TIMEOUT_MS, 1)
  local began = os.clock()
  repeat
  until os.clock() - began >= OVER
end

-- The bytes that libcurl sends next, after their number.
function Upload:give(size)
  if self.problem then
    error(self.problem, 0)
  end
  local part, held = self:ask(size - 1), self.held
  if part == nil then
    end_transfer(self.easy)
  elseif part == "" then
    self.held = ""
  else
    held, self.held = held .. part:sub(1, -2), part:sub(-1)
  end
  return #held, held
end

return Upload

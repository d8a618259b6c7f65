-- SPDX-License-Identifier: MIT
-- Reads a descriptor by LuaJIT's FFI. LuaSocket reads 8 kB at a time and joins them: of a long body
-- LuaJIT then has each byte in two strings, and collects both.
local descriptors = {}

local protected = require "endpoint.protected"

-- The bytes that are read at a time.
local MOST = 65536

-- Another name, since a program may have declared `read` in its own way.
local DECLARATION = 'ptrdiff_t endpoint_read(int, void *, size_t) __asm__("read");'

local function new_reader()
  local ffi = require "ffi"
  ffi.cdef(DECLARATION)
  local library, space = ffi.C, ffi.new("char[?]", MOST)
  local function read(descriptor, most)
    local size = tonumber(library.endpoint_read(descriptor, space, math.min(most, MOST)))
    return size > 0 and ffi.string(space, size) or nil
  end
  return library.endpoint_read and read
end

local reader -- nil until it is asked for

-- A function read(descriptor, most), which returns what is there; or nil if nothing is there, at
-- the end, and if it fails. It does not wait: LuaSocket makes its descriptors so. false where this
-- Lua cannot; the sockets of Windows are no such descriptors.
function descriptors.reader()
  if reader == nil then
    local jit, ok, made = rawget(_G, "jit"), false, nil
    if jit and jit.os ~= "Windows" then
      ok, made = protected.call(new_reader)
    end
    reader = ok and made
  end
  return reader
end

return descriptors

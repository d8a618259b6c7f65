-- SPDX-License-Identifier: MIT
-- Chance of its own. math.random belongs to the program, which may have seeded it; and without a
-- seed LuaJIT and Lua before 5.4 give the same numbers in each process, so that clients that
-- failed together would come back together.
local chance = {}

-- Two generators, each with numbers below its prime. No product here needs more than 24 bits, which
-- even a float of C holds.
local FIRST, SECOND = 65537, 65521
local first, second

-- Makes all bytes of a text a part of the state.
local function stir(given)
  for i = 1, #given do
    local byte = given:byte(i)
    first, second = (75 * first + 74 + byte) % FIRST, (171 * second + 1 + byte) % SECOND
  end
end

-- Bytes of the system's own chance; "" where there are none, or a sandbox has no files.
local function system_bytes()
  local file = io and io.open and io.open("/dev/urandom", "rb")
  if not file then
    return ""
  end
  file:setvbuf "no"
  local bytes = file:read(16)
  file:close()
  return bytes or ""
end

-- What differs between processes: the system's chance, the address of a table, and the time.
local function begin()
  first, second = 1, 1
  stir(system_bytes() .. tostring({}) .. os.time() .. " " .. os.clock())
end

-- A number of at least 0 and less than 1. now: a clock; its time makes a difference between a
-- process and its fork, which has the same state.
function chance.number(now)
  if not first then
    begin()
  end
  stir(tostring(now()))
  return (first % FIRST + second / SECOND) / FIRST
end

return chance

-- SPDX-License-Identifier: MIT
-- The store of a cache in the memory of this program: the values that were set first leave it when
-- it is full.
local Memory = {}
Memory.__index = Memory

-- most: the bytes of all keys and values.
function Memory.new(most)
  return setmetatable(
    { most = most, size = 0, values = {}, order = {}, first = 1, last = 0 },
    Memory
  )
end

function Memory:get(key)
  local kept = self.values[key]
  return kept and kept.value
end

function Memory:delete(key)
  local kept = self.values[key]
  if kept then
    self.size, self.values[key] = self.size - #key - #kept.value, nil
  end
end

-- Forgets what was set first. A key that was set again has another place in the order.
function Memory:forget()
  local key, place = self.order[self.first], self.first
  self.order[place], self.first = nil, place + 1
  if self.values[key] and self.values[key].place == place then
    self:delete(key)
  end
end

function Memory:set(key, value)
  self:delete(key)
  if #key + #value > self.most / 4 then
    return false
  end
  self.last = self.last + 1
  self.order[self.last] = key
  self.values[key] = { value = value, place = self.last }
  self.size = self.size + #key + #value
  while self.size > self.most or self.last - self.first > 2 * 4096 do
    self:forget()
  end
  return true
end

return Memory

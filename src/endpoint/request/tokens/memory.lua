-- SPDX-License-Identifier: MIT
-- Values that end, in the memory of this program: the methods of nginx's shared dictionaries that
-- the store of a token has.
local Memory = {}
Memory.__index = Memory

local null = require "endpoint.request.response.null"

function Memory.new(now)
  return setmetatable({ now = now, values = {} }, Memory)
end

function Memory:get(key)
  local kept = self.values[key]
  return kept and self.now() < kept.ends and kept.value or nil
end

function Memory:set(key, value, seconds)
  self.values[key] = { value = value, ends = self.now() + seconds }
  return true
end

-- Sets it if there is none; else returns false.
function Memory:add(key, value, seconds)
  return self:get(key) == nil and self:set(key, value, seconds)
end

function Memory:delete(key)
  self.values[key] = nil
end

-- --- below a store ----------------------------------------------------------------

-- A store of the program, and the memory that takes what it cannot: it is full, or out of reach.
-- Some clients of Redis return null instead of nil.
local Both = {}
Both.__index = Both

function Both:get(key)
  local value = self.store:get(key)
  if value == nil or null.is(value) then
    return self.memory:get(key)
  end
  return value
end

function Both:set(key, value, seconds)
  return self.store:set(key, value, seconds) or self.memory:set(key, value, seconds)
end

function Both:add(key, value, seconds)
  local is_added, problem = self.store:add(key, value, seconds)
  is_added = is_added and not null.is(is_added)
  if is_added or problem == nil or problem == "exists" then
    return is_added
  end
  return self.memory:add(key, value, seconds)
end

function Both:delete(key)
  self.store:delete(key)
  self.memory:delete(key)
end

-- The memory alone if there is no store.
function Memory.below(store, now)
  local memory = Memory.new(now)
  return store and setmetatable({ store = store, memory = memory }, Both) or memory
end

return Memory

-- SPDX-License-Identifier: MIT
-- The body of a call with what names the next page merged into it.
local merging = {}

-- Deeper tables are refused.
local DEEPEST = 100

-- Is it a table with names? An empty one is.
local function is_map(value)
  return type(value) == "table" and rawget(value, 1) == nil
end

-- The fields of `over` in the place of those of `base`; where both have a map, its fields. All of
-- `base` that has such a field is copied, and nothing is changed. Nil where it is too deep.
local function laid_over(base, over, depth)
  if depth > DEEPEST then
    return nil
  end
  local copy = setmetatable({}, getmetatable(base))
  for name, value in next, base do
    rawset(copy, name, value)
  end
  for name, value in next, over do
    local old = rawget(base, name)
    if is_map(value) and is_map(old) then
      value = laid_over(old, value, depth + 1)
      if not value then
        return nil
      end
    end
    rawset(copy, name, value)
  end
  return copy
end

-- A copy of the body `data` with the fields of `over`; or nil and why that cannot be.
function merging.merged(data, over)
  if not is_map(data) then
    return nil, "data is not a table with names, so nothing can be merged into it"
  end
  for name in next, over do
    if type(name) ~= "string" then
      return nil, ("expected names of fields of data, got a %s as a key"):format(type(name))
    end
  end
  local merged = laid_over(data, over, 1)
  if not merged then
    return nil, ("expected at most %d levels of tables"):format(DEEPEST)
  end
  return merged
end

return merging

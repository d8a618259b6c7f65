-- SPDX-License-Identifier: MIT
-- Names that well-known services allow for functions and for arguments: at most 64 letters,
-- digits, "_" and "-".
local names = {}

local LONGEST = 64

local NOT_ALLOWED = "[^A-Za-z0-9_-]"

function names.is_allowed(name)
  return name ~= "" and #name <= LONGEST and not name:find(NOT_ALLOWED)
end

local function base_of(wanted)
  local base = wanted:sub(1, LONGEST)
  if base == "" or base:find(NOT_ALLOWED) then
    base = wanted:gsub(NOT_ALLOWED .. "+", "_"):gsub("^_", ""):gsub("_$", ""):sub(1, LONGEST)
  end
  return base == "" and "_" or base
end

-- A name that nothing else has. taken: gets it; numbers: how often each was wanted.
function names.unique(wanted, taken, numbers)
  local base = base_of(wanted)
  local name, number = base, numbers[base] or 1
  while taken[name] do
    number = number + 1
    local suffix = "_" .. number
    name = base:sub(1, LONGEST - #suffix) .. suffix
  end
  numbers[base], taken[name] = number, true
  return name
end

return names

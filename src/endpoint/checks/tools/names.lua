-- SPDX-License-Identifier: MIT
-- Names that well-known services allow for functions and for arguments: at most 64 letters,
-- digits, "_" and "-".
local names = {}

local LONGEST = 64

local NOT_ALLOWED = "[^A-Za-z0-9_-]"

function names.is_allowed(name)
  return name ~= "" and #name <= LONGEST and not name:find(NOT_ALLOWED)
end

-- The characters of a name that are allowed; nil if none of them can be read.
local function readable(wanted)
  local base = wanted:gsub(NOT_ALLOWED .. "+", "_"):gsub("^_", ""):gsub("_$", ""):sub(1, LONGEST)
  return base:find "[A-Za-z0-9]" and base or nil
end

-- A name like a base that nothing else has. numbers: how often each base was wanted.
local function unique(base, taken, numbers)
  local name, number = base, numbers[base] or 1
  while taken[name] do
    number = number + 1
    local suffix = "_" .. number
    name = base:sub(1, LONGEST - #suffix) .. suffix
  end
  numbers[base], taken[name] = number, true
  return name
end

-- Names that are allowed, and that no two have, by the positions of the wanted ones. A name that is
-- allowed is kept by the first that wants it. others: by position, what is used for a name that has
-- no letter that can be read.
function names.given(wanted, others)
  local given, taken, numbers = {}, {}, {}
  for position, name in ipairs(wanted) do
    if names.is_allowed(name) and not taken[name] then
      given[position], taken[name] = name, true
    end
  end
  for position, name in ipairs(wanted) do
    local base = readable(name) or readable(others[position]) or "_"
    given[position] = given[position] or unique(base, taken, numbers)
  end
  return given
end

-- The same for a service that takes letters, digits and "_" alone, and no digit first.
function names.identifiers(wanted)
  local given, taken, numbers = {}, {}, {}
  for position, name in ipairs(wanted) do
    if name:find "^[A-Za-z_][A-Za-z0-9_]*$" then
      given[position], taken[name] = name, true
    end
  end
  for position, name in ipairs(wanted) do
    local base = name:gsub("[^A-Za-z0-9_]", "_"):gsub("^%d", "_%0"):sub(1, LONGEST)
    given[position] = given[position] or unique(base, taken, numbers)
  end
  return given
end

return names

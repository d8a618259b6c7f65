-- SPDX-License-Identifier: MIT
-- Calls an encoder of bodies: lua-cjson's, or the caller's own.
local encoder = {}

local misuse = require "endpoint.clients.misuse"
local protected = require "endpoint.protected"
local text = require "endpoint.text"
local fail, quoted = misuse.fail, misuse.quoted
local next, rawget, type = next, rawget, type

-- The most bytes of what an encoder says: it may quote a string that a stranger wrote.
local LONGEST_REASON = 200

-- --- tables that some encoders take for lists -------------------------------------------

-- Some encoders, such as dkjson, take a number `n` for the size of a list, as table.pack writes it.
-- If n is the only name of a stranger's object, they write a list of n times null, which may take
-- all memory.

-- Is a number n its only field?
local function is_lone_n(value)
  local n = rawget(value, "n")
  return n ~= nil and type(n) == "number" and next(value) == "n" and next(value, "n") == nil
end

-- Does an encoder write a table on its own? Then it looks at no field.
local function has_own_form(value)
  local metatable = getmetatable(value)
  return type(metatable) == "table" and rawget(metatable, "__tojson") ~= nil
end

-- Such a table among the first of a body: the nearest name above it, or nil; and how many tables
-- may still be looked at. This needs no memory.
local function find_among_few(value, name, left)
  if left == 0 or is_lone_n(value) and not has_own_form(value) then
    return left > 0 and name or nil, left
  end
  for key, element in next, value do
    if type(element) == "table" then
      local found
      found, left = find_among_few(element, type(key) == "string" and key or name, left - 1)
      if found or left == 0 then
        return found, left
      end
    end
  end
  return nil, left
end

-- The same in a body of any size, and in one that holds itself. Looks once at each table.
local function find_among_all(root)
  local tables, names, left = { root }, { [root] = "" }, 1
  while left > 0 do
    local value = tables[left]
    left = left - 1
    if is_lone_n(value) and not has_own_form(value) then
      return names[value]
    end
    for key, element in next, value do
      if type(element) == "table" and not names[element] then
        names[element] = type(key) == "string" and key or names[value]
        left = left + 1
        tables[left] = element
      end
    end
  end
end

-- Nearly all bodies have fewer tables.
local FEW = 100

-- The nearest name above a table that has n as its only field; "" if it has no name above it; nil
-- without such a table. Calls no metamethod.
local function name_above_lone_n(root)
  local found, left = find_among_few(root, "", FEW)
  if left > 0 then
    return found
  end
  return find_among_all(root)
end

-- The first byte that an encoder writes of { n = 2 }; nil if it writes nothing.
local function first_of_lone_n(encode)
  local is_written, written = protected.call(encode, { n = 2 })
  return is_written and type(written) == "string" and written:match "^%s*(.)" or nil
end

-- Encoder -> does it write { n = 2 } as an object? nil where it has not written a body yet. It is
-- asked at its second body: a program may make a function for each.
local writes_object = setmetatable({}, { __mode = "k" })

-- Is it certain that an encoder writes each object as an object?
local function is_harmless(encode)
  local known = writes_object[encode]
  if known == nil then
    local cjson = package.loaded.cjson
    writes_object[encode] = type(cjson) == "table" and encode == cjson.encode or "new"
  elseif known == "new" then
    writes_object[encode] = first_of_lone_n(encode) == "{"
  end
  return writes_object[encode] == true
end

-- Raises if the encoder would write an object of the body as a list.
local function check_objects(encode, value)
  if type(value) ~= "table" or is_harmless(encode) then
    return
  end
  local name = name_above_lone_n(value)
  if name and first_of_lone_n(encode) == "[" then
    fail(
      "body: options.encode would write a table%s whose only name is n as a list of n elements: "
        .. "expected an encoder that writes an object",
      name ~= "" and " below " .. quoted(name) or ""
    )
  end
end

-- --- the call ---------------------------------------------------------------------------

-- The string that an encoder writes. pcall calls it directly, so that an error of level 2 gets no
-- position of this file.
function encoder.call(encode, value)
  local is_encoded, written, problem = protected.call(encode, value)
  if not is_encoded then
    fail("body: could not be encoded: %s", text.shown(tostring(written), LONGEST_REASON))
  end
  if type(written) ~= "string" then
    local reason = type(problem) == "string" and ": " .. text.shown(problem, LONGEST_REASON) or ""
    fail("body: expected a string from options.encode, got a %s%s", type(written), reason)
  end
  return written
end

-- The same by the caller's own encoder, which may take an object for a list.
function encoder.call_own(encode, value)
  check_objects(encode, value)
  return encoder.call(encode, value)
end

return encoder

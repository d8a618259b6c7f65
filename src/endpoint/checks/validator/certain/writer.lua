-- SPDX-License-Identifier: MIT
-- The text of functions that are made of nodes. Strings of a document come into it by `quoted`
-- alone, and its tables as constants, so that none of them becomes code.
local writer = {}

local NONE = {}

-- A string as a literal of Lua. All bytes but those of plain words are written as numbers.
function writer.quoted(given)
  return '"'
    .. given:gsub("[^%w _.-]", function(byte)
      return ("\\%03d"):format(byte:byte())
    end)
    .. '"'
end

-- A finite number as a literal of Lua, whatever the locale.
function writer.number(given)
  local is_integer = given % 1 == 0 and given > -2 ^ 53 and given < 2 ^ 53
  local written = (is_integer and "%.0f" or "%.17g"):format(given)
  return "(" .. written:gsub("[^%de+-]", ".") .. ")"
end

-- A writer has the `lines` so far, the `constants` of the text, and the nodes that `waiting` for
-- local functions of their own.
function writer.new(rulebook, has_nkeys)
  return setmetatable({
    rulebook = rulebook,
    is_jit = rawget(_G, "jit") ~= nil,
    has_nkeys = has_nkeys,
    lines = {},
    constants = {},
    names = 0,
    waiting = {},
    functions = {},
  }, { __index = writer })
end

-- Adds a line. What is put into it must be names, literals or statements of this room.
function writer:line(form, ...)
  self.lines[#self.lines + 1] = form:format(...)
end

-- A new name for a local variable.
function writer:name()
  self.names = self.names + 1
  return "x" .. self.names
end

-- A value that is not written as text, as an expression.
function writer:constant(value)
  self.constants[#self.constants + 1] = value
  return ("C[%d]"):format(#self.constants)
end

local LISTS = { "allOf", "anyOf", "oneOf" }

-- An object that holds so many nodes is large: of those a program uses a small part.
local LARGE = 16

-- The number of nodes that a node holds and that have no number, and of those that were counted
-- before; no more than LARGE.
local function count_in(node, count)
  if not node or node.ref or count >= LARGE then
    return count
  end
  count = count_in(node.items, count + 1)
  if type(node.additionalProperties) == "table" then
    count = count_in(node.additionalProperties, count)
  end
  for _, child in next, node.properties or NONE do
    count = count_in(child, count)
  end
  for _, keyword in ipairs(LISTS) do
    for _, child in ipairs(node[keyword] or NONE) do
      count = count_in(child, count)
    end
  end
  return count
end

-- Is a node no part of the text that is written, though it has no number?
function writer.is_large(node)
  return node.properties ~= nil and count_in(node, 0) >= LARGE
end

-- The function of a node, as an expression: that of a numbered node, or of a large one, is made
-- when it is called first; any other one is a part of this text.
function writer:function_of(node)
  if node.ref then
    return ("F[%d]"):format(node.ref)
  end
  if not self.functions[node] then
    self.functions[node] = writer.is_large(node) and ("F[%s]"):format(self:constant(node))
      or self:local_function(node)
  end
  return self.functions[node]
end

-- A function of this text, as an expression. made_of: a node, or what writes it: it is called with
-- the writer and that expression.
function writer:local_function(made_of)
  self.waiting[#self.waiting + 1] = made_of
  return ("L[%d]"):format(#self.waiting)
end

return writer

-- SPDX-License-Identifier: MIT
-- What is written for strings and for numbers.
local scalars = {}

local lua_patterns = require "endpoint.checks.validator.lua_patterns"
local patterns = require "endpoint.checks.validator.patterns"

-- --- strings ----------------------------------------------------------------------

-- So many characters at the beginning of a string are looked at without a call.
local MOST_LOOKED_AT = 4

local function write_least(writer, least, x)
  writer:line("if #%s < %s then return false end", x, writer.number(least))
  if least > MOST_LOOKED_AT then
    writer:line("if not has_characters(%s, %s) then return nil end", x, writer.number(least))
    return
  end
  for position = 1, least do
    local one = writer:name()
    writer:line("local %s = byte(%s, %d)", one, x, position)
    writer:line("if %s > 127 and %s < 192 then return nil end", one, one)
  end
end

local function write_lengths(writer, node, x)
  if node.minLength and node.minLength > 0 then
    write_least(writer, node.minLength, x)
  end
  if node.maxLength then
    writer:line("if #%s > %s then return nil end", x, writer.number(node.maxLength))
  end
end

-- A pattern whose strings are ASCII needs nothing but Lua's search.
local function write_ascii(writer, row, x)
  writer:line("if not find(%s, %s) then return nil end", x, writer.quoted(row.pattern))
  if row.least > 0 then
    writer:line("if #%s < %s then return nil end", x, writer.number(row.least))
  end
  if row.most < math.huge then
    writer:line("if #%s > %s then return nil end", x, writer.number(row.most))
  end
end

local function write_pattern(writer, node, x)
  local rows = lua_patterns.of(node.pattern)
  if rows and not rows[2] and rows[1].is_ascii then
    return write_ascii(writer, rows[1], x)
  end
  local matcher = patterns.matcher_of(writer.rulebook, node.pattern)
  if matcher then
    writer:line("if not %s(%s) then return nil end", writer:constant(matcher), x)
  end
end

function scalars.write_string(writer, node, x)
  write_lengths(writer, node, x)
  if node.pattern then
    write_pattern(writer, node, x)
  end
end

-- --- numbers ----------------------------------------------------------------------

local LIMITS = {
  { "minimum", "<" },
  { "maximum", ">" },
  { "exclusiveMinimum", "<=" },
  { "exclusiveMaximum", ">=" },
}

function scalars.write_number(writer, node, x, is_integer)
  if is_integer then
    writer:line("if %s %% 1 ~= 0 then return false end", x)
  else
    writer:line("if %s - %s ~= 0 then return false end", x, x)
  end
  for _, limit in ipairs(LIMITS) do
    local value = node[limit[1]]
    if value then
      writer:line("if %s %s %s then return false end", x, limit[2], writer.number(value))
    end
  end
end

return scalars

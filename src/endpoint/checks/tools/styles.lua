-- SPDX-License-Identifier: MIT
-- Values as texts and as pairs of names and texts, as the styles of OpenAPI write them in queries
-- and forms. Each function returns a problem where a reader could not get the value back.
local styles = {}

local NULL = require "endpoint".null
local errors = require "endpoint.checks.validator.errors"
local json = require "endpoint.checks.json.writer"
local protected = require "endpoint.protected"
local result = require "endpoint.result"
local shapes = require "endpoint.checks.validator.shapes"

local problem, below = errors.problem, errors.below

-- Levels of tables under deepObject, and pairs of one value: Lua's stack holds some 3,900.
local DEEPEST, MOST_PAIRS = 20, 1000

-- --- scalars ----------------------------------------------------------------------

-- What is wrong with a value that must be a string, number or boolean; nil for nothing.
function styles.scalar_problem(given)
  if given == NULL then
    return problem "expected no null: it cannot be written here, leave it out"
  elseif shapes.is_empty_list(given) then
    return problem "expected elements: an empty list cannot be written here, leave it out"
  elseif type(given) == "table" then
    return problem "expected no table here"
  end
  return json.scalar_problem(given)
end

-- A text, number or boolean as text; nil for another value.
function styles.scalar_text(given)
  local ok, encoded = protected.call(result.encoded, given)
  return ok and result.decoded(encoded) or nil
end

local function checked_text(given)
  local found = styles.scalar_problem(given)
  local written = not found and styles.scalar_text(given) or nil
  return written, found or not written and problem "expected a string, a number or a boolean"
end

local IN_ORDER = { in_order = true }

local function member_problem(key, one)
  local found = styles.scalar_problem(one)
  return found and below(key, found)
end

-- What is wrong with a table that must hold scalars only; nil for nothing. And "array" or "object".
local function flat_problem(given)
  if next(given) == nil then
    return problem "expected elements: an empty list or object cannot be written here, leave it out"
  end
  local kind, size = shapes.shape_of(given)
  if kind == "neither" then
    return problem "expected a list or an object, got another table"
  elseif kind == "object" and size > MOST_PAIRS then
    return problem(("expected at most %d names, got %d"):format(MOST_PAIRS, size))
  end
  return errors.problem_below(IN_ORDER, given, member_problem), kind
end

-- What is wrong with a value of a URL, which has no table in a table; nil for nothing. And "array"
-- or "object" for a table.
function styles.url_problem(given)
  if type(given) == "table" then
    return flat_problem(given)
  end
  return styles.scalar_problem(given)
end

-- --- texts ------------------------------------------------------------------------

-- The elements of a list, or the names and values of an object, joined.
local function joined(given, separator)
  local found, kind = flat_problem(given)
  if found then
    return nil, found
  end
  local texts = {}
  for _, name in ipairs(kind == "object" and result.sorted(styles.names_of(given)) or {}) do
    texts[#texts + 1] = name
    texts[#texts + 1] = styles.scalar_text(rawget(given, name))
  end
  for position = 1, kind == "array" and #given or 0 do
    texts[position] = styles.scalar_text(rawget(given, position))
  end
  for _, one in ipairs(texts) do
    if one:find(separator, 1, true) then
      return nil,
        problem(("expected no %s in it, which joins its elements"):format(errors.shown(separator)))
    end
  end
  return table.concat(texts, separator)
end

function styles.names_of(given)
  local names = {}
  for name in next, given do
    names[#names + 1] = name
  end
  return names
end

-- A table as JSON, and another value as it is. A text that begins as JSON would be read as a table.
local function table_text(rulebook, node, given)
  if type(given) == "table" then
    return json.text(rulebook, node, given)
  elseif type(given) == "string" and given:find "^%s*[{%[]" then
    return nil, problem "expected the value itself, got a string that begins as JSON does"
  end
  return checked_text(given)
end

-- A value as one text; or nil and a problem. style: "json", "tables", what joins elements, or ""
-- where no table can be.
function styles.text(rulebook, node, given, style)
  if style == "json" then
    return json.text(rulebook, node, given)
  elseif style == "tables" then
    return table_text(rulebook, node, given)
  elseif type(given) == "table" and style ~= "" then
    return joined(given, style)
  end
  return checked_text(given)
end

-- --- pairs ------------------------------------------------------------------------

local add_deep -- which the functions below call

local function has_tables(given)
  for _, one in next, given do
    if type(one) == "table" then
      return true
    end
  end
  return false
end

-- The elements of a list have numbers if tables are among them.
local function add_deep_list(list, name, given, depth)
  local is_numbered = has_tables(given)
  for position, one in ipairs(given) do
    local suffix = is_numbered and ("[%d]"):format(position - 1) or "[]"
    local found = add_deep(list, name .. suffix, one, depth)
    if found then
      return below(position, found)
    end
  end
end

local function add_deep_object(list, name, given, depth)
  for _, key in ipairs(result.sorted(styles.names_of(given))) do
    if key == "" or key:find "[%[%]]" then
      return problem('expected names without "[" and "]"')
    end
    local found = add_deep(list, name .. "[" .. key .. "]", rawget(given, key), depth)
    if found then
      return below(key, found)
    end
  end
end

local function add_deep_table(list, name, given, depth)
  if next(given) == nil then
    return problem "expected elements: an empty list or object cannot be written here, leave it out"
  elseif depth >= DEEPEST then
    return problem "nested too deep"
  end
  local kind = shapes.shape_of(given)
  if kind == "neither" then
    return problem "expected a list or an object, got another table"
  end
  local add = kind == "array" and add_deep_list or add_deep_object
  return add(list, name, given, depth + 1)
end

function add_deep(list, name, given, depth)
  if type(given) == "table" then
    return add_deep_table(list, name, given, depth)
  end
  local written, found = checked_text(given)
  if #list >= MOST_PAIRS then
    found = problem(("expected at most %d values"):format(MOST_PAIRS))
  end
  list[#list + 1] = { name, written }
  return found
end

-- The pairs of a value under deepObject, as a list of names and texts: name[key] and, of a list,
-- name[]; or nil and a problem.
function styles.deep(name, given)
  local list = {}
  local found = add_deep(list, name, given, 0)
  if found then
    return nil, found
  end
  return list
end

return styles

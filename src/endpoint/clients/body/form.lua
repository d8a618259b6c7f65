-- SPDX-License-Identifier: MIT
-- A table as a form: a string of the media type application/x-www-form-urlencoded. A space becomes
-- %20, as in URLs: readers of forms decode it as they do "+".
local form = {}

local NULL = require "endpoint".null
local misuse = require "endpoint.clients.misuse"
local text = require "endpoint.text"
local fail, quoted = misuse.fail, misuse.quoted

-- Levels of nested tables; a table that holds itself has more.
local DEEPEST = 100

local function value_text(what, name, value)
  local kind = type(value)
  local fault = kind == "number" and text.number_fault(value)
  if fault then
    fail("%s: field %s: %s", what, quoted(name), fault)
  end
  if kind == "string" or kind == "boolean" or kind == "number" then
    return text.encoded(value)
  end
  return fail(
    "%s: field %s: expected a string, finite number, boolean, list or map, got a %s",
    what,
    quoted(name),
    kind
  )
end

-- The size of a list; nil for a map.
local function list_size(what, name, value)
  local size = text.list_size(value)
  for key in next, size and {} or value do
    if type(key) ~= "string" then
      fail(
        "%s: field %s: expected a list with the keys 1..n or a map with string keys, "
          .. "got another table",
        what,
        quoted(name)
      )
    end
  end
  return size
end

local function has_tables(list)
  for _, element in next, list do
    if type(element) == "table" then
      return true
    end
  end
  return false
end

local append_below -- which calls append

-- Appends the pairs of a value to `written`, a list of pairs, which also has `nested` and `what`.
-- prefix: the encoded name of the pairs. name: the field's name, for errors.
local function append(written, prefix, name, value, depth)
  if value == NULL then
    return
  end
  if type(value) == "table" then
    return append_below(written, prefix, name, value, depth + 1)
  end
  written[#written + 1] = prefix .. "=" .. value_text(written.what, name, value)
end

local function append_list(written, prefix, name, list, size, depth)
  local numbered = written.nested == "indices" or has_tables(list)
  if numbered and not written.nested then
    fail(
      '%s: field %s: expected a list without tables, or options.nested, "brackets" or "indices"',
      written.what,
      quoted(name)
    )
  end
  for i = 1, size do
    local suffix = written.nested and "%5B" .. (numbered and ("%d"):format(i - 1) or "") .. "%5D"
      or ""
    append(written, prefix .. suffix, name, list[i], depth)
  end
end

local function append_map(written, prefix, name, map, depth)
  if not written.nested then
    fail(
      '%s: field %s: expected no map, or options.nested, "brackets" or "indices"',
      written.what,
      quoted(name)
    )
  end
  for _, key in ipairs(text.sorted_keys(map)) do
    append(written, prefix .. "%5B" .. text.encoded(key) .. "%5D", name, map[key], depth)
  end
end

function append_below(written, prefix, name, value, depth)
  if depth > DEEPEST then
    fail(
      "%s: field %s: expected at most %d levels of tables, and no table that holds itself",
      written.what,
      quoted(name),
      DEEPEST
    )
  end
  local size = list_size(written.what, name, value)
  if size then
    return append_list(written, prefix, name, value, size, depth)
  end
  append_map(written, prefix, name, value, depth)
end

-- The text of a map. what: its name in errors. nested: the option, or nil for a form without
-- nested tables.
function form.encode(what, map, nested)
  if type(map) ~= "table" then
    fail("%s: expected a table or a string for a form, got a %s", what, type(map))
  end
  for key in next, map do
    if type(key) ~= "string" then
      fail("%s: expected string keys as the names of a form's fields", what)
    end
  end
  local written = { what = what, nested = nested }
  for _, name in ipairs(text.sorted_keys(map)) do
    append(written, text.encoded(name), name, map[name], 0)
  end
  return table.concat(written, "&")
end

return form

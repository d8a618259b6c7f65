-- SPDX-License-Identifier: MIT
-- The body that a model asked for, as the text that goes on the wire, by its media type.
local body = {}

local errors = require "endpoint.checks.validator.errors"
local json = require "endpoint.checks.json.writer"
local empties = require "endpoint.checks.json.empties"
local multipart = require "endpoint.clients.body.multipart"
local protected = require "endpoint.protected"
local result = require "endpoint.result"
local shapes = require "endpoint.checks.validator.shapes"
local styles = require "endpoint.checks.tools.styles"
local text = require "endpoint.text"

local below, problem = errors.below, errors.problem

local JSON = "application/json"

-- --- properties of forms ----------------------------------------------------------

-- A list as one pair for each element.
local function repeated(form, name, node, given, style)
  local list = {}
  for position, one in ipairs(given) do
    local written, found =
      styles.text(form.rulebook, empties.child(form.rulebook, node, position), one, style)
    if not written then
      return nil, below(position, found)
    end
    list[position] = { name, written, type(one) == "table" and JSON or nil }
  end
  return list
end

-- The pairs of a property: a list of names, texts, and the media type of a text that is JSON; or
-- nil and a problem.
local function pairs_of(form, name, given)
  local style = form.styles[name] or ""
  local node = empties.child(form.rulebook, form.node, name) or {}
  if type(given) == "table" and next(given) == nil then
    return nil, problem "expected elements: an empty list or object cannot be written in a form"
  end
  if style == "deep" then
    return styles.deep(name, given)
  end
  local is_list = type(given) == "table" and shapes.shape_of(given) == "array"
  if is_list and (style == "tables" or style == "") then
    return repeated(form, name, node, given, style)
  end
  local written, found = styles.text(form.rulebook, node, given, style)
  local is_json = style == "json" or style == "tables" and type(given) == "table"
  return written and { { name, written, is_json and JSON or nil } }, found
end

-- Calls a function with each pair of a form; returns a problem where there is one.
local function each_pair(form, given, call)
  if type(given) ~= "table" or next(given) ~= nil and shapes.shape_of(given) ~= "object" then
    return problem "expected an object"
  end
  for _, name in ipairs(result.sorted(styles.names_of(given))) do
    if not text.is_utf8(name) then
      return problem "expected names in UTF-8"
    end
    local list, found = pairs_of(form, name, rawget(given, name))
    if not list then
      return below(name, found)
    end
    for _, pair in ipairs(list) do
      call(pair[1], pair[2], pair[3])
    end
  end
end

local function form_text(form, given)
  local written = {}
  local found = each_pair(form, given, function(name, one)
    written[#written + 1] = result.encoded(name) .. "=" .. result.encoded(one)
  end)
  if found then
    return nil, found
  end
  return table.concat(written, "&"), "application/x-www-form-urlencoded"
end

local function multipart_text(form, given)
  local parts = {}
  local found = each_pair(form, given, function(name, one, media_type)
    parts[#parts + 1] = { name = name, data = one, type = form.types[name] or media_type }
  end)
  if found then
    return nil, found
  elseif not parts[1] then
    return nil, problem "expected a field, got none"
  end
  local ok, written, media_type = protected.call(multipart.body, parts)
  if not ok then
    return nil, problem "expected names without backslashes and control characters"
  end
  return written, media_type
end

-- --- bodies -----------------------------------------------------------------------

local function plain_text(_, given)
  local found = styles.scalar_problem(given)
  local written = not found and styles.scalar_text(given) or nil
  if not written then
    return nil, found or problem "expected a string"
  end
  return written, "text/plain; charset=utf-8"
end

local function json_text(form, given)
  local written, found = json.text(form.rulebook, form.node, given)
  return written, written and "application/json; charset=utf-8" or found
end

local WRITERS = {
  form = form_text,
  multipart = multipart_text,
  text = plain_text,
  json = json_text,
}

-- The text of a body and its content type; or nil and a problem. given: the value, with the
-- document's names.
function body.text(rulebook, rules, given)
  local form = {
    rulebook = rulebook,
    node = rulebook.node(rules.body_value or rules.body),
    styles = {},
    types = {},
  }
  for _, row in ipairs(rules.body_styles or {}) do
    form.styles[row[1]], form.types[row[1]] = row[2], row[3]
  end
  local written, about = WRITERS[rules.kind](form, given)
  if not written then
    return nil, about
  end
  return written, rules.kind ~= "multipart" and rules.label or about
end

return body

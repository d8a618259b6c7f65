-- SPDX-License-Identifier: MIT
-- A body of multipart/form-data as a value: the inverse of tools/body.lua. Its parts are the
-- properties of the body's node, each by its type: a file as a string, a text as the value that the
-- document means, and JSON.
local multipart = {}

local errors = require "endpoint.checks.validator.errors"
local kinds = require "endpoint.checks.incoming.kinds"
local media_types = require "endpoint.checks.incoming.media_types"
local parts = require "endpoint.checks.incoming.parts"
local query = require "endpoint.checks.incoming.query"
local text = require "endpoint.text"
local texts = require "endpoint.checks.incoming.texts"

local find = string.find
local NONE = {}

-- --- how a property is read ---------------------------------------------------------

-- By name how the properties of a node are read, made once: their `style`, and the media `types` of
-- their parts. rows: as types/signature/body_encoding.lua makes them, or nil.
local function plan_of(rulebook, node, rows)
  local plan = rulebook.multiparts[rows or node]
  if not plan then
    plan = { node = node, kinds = kinds.of(rulebook, node), rows = {} }
    for _, row in ipairs(rows or NONE) do
      plan.rows[row[1]] = { style = row[2], types = row[4] or row[3] and { row[3] } }
    end
    rulebook.multiparts[rows or node] = plan
  end
  return plan
end

-- The property that the name of a part means. Browsers write %22, %0D and %0A in a name, and
-- name[] is an element of a list for some.
local function property_of(rulebook, plan, name)
  local properties = plan.kinds.properties or NONE
  if properties[name] ~= nil then
    return name
  end
  local decoded = name:gsub("%%0[DA]", text.decoded):gsub("%%22", '"')
  if properties[decoded] ~= nil then
    return decoded
  end
  local above = name:match "^(.*)%[%]$"
  local node = above and properties[above]
  return node and kinds.of(rulebook, node).array and above or name
end

-- The property of the style deepObject that a name such as a[b] is of, nil without one.
local function deep_property_of(plan, name)
  local above = name:match "^([^%[]*)%["
  local row = above and plan.rows[above]
  return row and row.style == "deep" and above or nil
end

-- --- a part as a value --------------------------------------------------------------

-- A value in JSON may be anything but a string that the document does not say to be JSON.
local function may_be_json(found)
  return found.object or found.array or not (found.string and found.is_known)
end

local function says_json(part)
  return part.type ~= nil and media_types.is_json(part.type)
end

-- Is the text of a part JSON? Its style or its media type say so, or it is one of a table.
local function is_json(found, row, part)
  if row.style == "json" or says_json(part) then
    return row.style == "json" or may_be_json(found)
  end
  local is_table = (found.object or found.array) and not found.string
  return is_table and find(part.data, "^%s*[{%[]") ~= nil
end

-- Puts the value of a part into a table; returns words if it cannot be read.
local function put(reader, container, key, node, row, part)
  if row.style == "file" then
    container[key] = part.data
  elseif is_json(kinds.of(reader.rulebook, node), row, part) then
    local value, words = reader:json(part.data)
    container[key] = value
    return words
  else
    texts.put(reader, container, key, node, part.data)
  end
end

-- Is one part the whole value, and not the only element of a list?
local function is_whole(reader, found, row, part)
  if row.style == "json" or not found.array then
    return true
  elseif row.style == "file" then
    return false
  end
  local may_be_list = says_json(part) or kinds.is_nested(reader.rulebook, found)
  return kinds.has_scalars(found)
    or found.object
    or may_be_list and query.is_whole_list(reader.rulebook, found, part.data)
end

-- Puts the value of a property, of all its parts, into a table; returns words if it cannot be read.
local function put_all(reader, values, name, node, row, list)
  local found = kinds.of(reader.rulebook, node)
  if list[2] == nil and is_whole(reader, found, row, list[1]) then
    return put(reader, values, name, node, row, list[1])
  elseif found.is_known and not found.array or row.style == "json" then
    return "is there twice"
  end
  values[name] = {}
  for position, part in ipairs(list) do
    local child = found.prefix and found.prefix[position] or found.items
    local words = put(reader, values[name], position, child, row, part)
    if words then
      return words
    end
  end
end

-- --- the media type of a part -------------------------------------------------------

local function fits(types, media_type)
  for _, known in ipairs(types) do
    if media_types.fits(media_types.bare(known), media_type) then
      return true
    end
  end
  return false
end

-- What is wrong with the media type of a part, nil if nothing is. A text and JSON need none.
local function type_fault(row, part)
  local is_right = not row.types
    or part.type == nil and row.style ~= "file"
    or part.type ~= nil and fits(row.types, part.type)
  return not is_right and "expected a part of " .. errors.joined(row.types) or nil
end

-- --- the body -----------------------------------------------------------------------

-- Notes a part, by its property, in the order of the first of each.
local function note(groups, name, part)
  if not groups[name] then
    groups[name] = {}
    groups[#groups + 1] = name
  end
  table.insert(groups[name], part)
end

-- The values of a list of parts. Notes problems in the reader.
local function values_of(reader, plan, list)
  local values, groups = {}, {}
  for _, part in ipairs(list) do
    local deep = deep_property_of(plan, part.name)
    local name = deep or property_of(reader.rulebook, plan, part.name)
    local words = type_fault(plan.rows[name] or NONE, part)
    if words then
      reader:add("body", name, "", words)
    elseif deep then
      local parameter = { place = "body", name = name, node = texts.property(plan.kinds, name) }
      query.read_deep(reader, parameter, part.name, part.data, values)
    else
      note(groups, name, part)
    end
  end
  for _, name in ipairs(groups) do
    local words = values[name] ~= nil and "is a value and an object"
      or put_all(
        reader,
        values,
        name,
        texts.property(plan.kinds, name),
        plan.rows[name] or NONE,
        groups[name]
      )
    if words then
      reader:add("body", name, "", words)
    end
  end
  return values
end

-- The value of a body; nothing if it has no parts that can be read. Notes problems in the reader.
function multipart.read(reader, node, rows, raw, content_type)
  local boundary = parts.boundary_of(content_type)
  if not boundary then
    return reader:add("header", "content-type", "", "expected a boundary")
  end
  local list, words = parts.read(raw, boundary)
  if not list then
    return reader:add("body", nil, "", words)
  end
  return values_of(reader, plan_of(reader.rulebook, node, rows), list)
end

return multipart

-- SPDX-License-Identifier: MIT
-- The classes of a call's options: what is given beside the template, the tables in them, and the
-- body.
local option_classes = {}

local budget = require "endpoint.types.document.budget"
local classes = require "endpoint.types.editor.classes"
local schema = require "endpoint.types.schema"
local source = require "endpoint.types.source"

local function has_required(fields)
  for _, field in ipairs(fields) do
    if field.required then
      return true
    end
  end
  return false
end

local function append(list, more)
  for _, element in ipairs(more) do
    list[#list + 1] = element
  end
  return list
end

local function only(fields, wants)
  local kept = {}
  for _, field in ipairs(fields) do
    if wants(field) then
      kept[#kept + 1] = field
    end
  end
  return kept
end

-- Adds a block with the class of some fields. parents: a list of classes; head: lines before it;
-- last: a line after its fields. Classes in `NAME.body` are called as if they were in `NAME`.
local function add_class(writer, class, parents, fields, head, last)
  local block = {
    head = (head or "") .. "---@class " .. class .. (parents[1] and " : " or "") .. table.concat(
      parents,
      ", "
    ),
  }
  budget.spend(writer.doc, #block.head)
  classes.add_fields(
    writer,
    block,
    fields,
    classes.namer(writer, "sent", (class:gsub("%.body$", "")))
  )
  block[#block + 1] = last
  writer.blocks[#writer.blocks + 1] = block
end

-- Adds the class of a table among the options, and returns the field of that table.
local function add_part(writer, class, part, parents, last)
  class = class .. "." .. part.name
  add_class(writer, class, parents, part.fields, nil, last)
  return {
    name = part.name,
    class = class,
    note = part.note,
    is_in_route = part.is_in_route,
    required = part.required or has_required(part.fields),
  }
end

-- A header is any other one, too.
local ANY_HEADER = "---@field [string] endpoint.HeaderValue|endpoint.Null|nil"

-- Adds the class of the map of the query. Where it takes any name, a remark says which.
local function add_params(writer, signature, class)
  local free = signature.params.free
  local last = free ~= "" and "---@field [string] any # " .. source.line(free) or nil
  local params = {
    name = signature.params.name,
    fields = signature.params.fields,
    note = signature.params.note,
    required = signature.params.required,
    is_in_route = true,
  }
  return add_part(writer, class, params, last and {} or classes.others(writer), last)
end

-- The tables among the options, beside the body.
local function parts_of(writer, signature, class)
  local fields = {}
  if signature.params then
    fields[1] = add_params(writer, signature, class)
  end
  for _, pattern in ipairs(signature.key_patterns) do
    fields[#fields + 1] = { name = pattern, kinds = {}, note = "any names of this form" }
  end
  if #signature.headers > 0 then
    fields[#fields + 1] = add_part(
      writer,
      class,
      { name = "headers", fields = signature.headers },
      {},
      ANY_HEADER
    )
  end
  return fields
end

-- Adds the class of the body's properties, which the options and `data` have alike, and returns its
-- name.
local function add_body(writer, signature, class)
  local body, data = class .. ".body", class .. ".data"
  local parents, last = classes.others(writer, signature.additional, data)
  add_class(writer, body, {}, signature.body_fields)
  add_class(writer, data, append({ body }, parents), {}, nil, last)
  return body
end

local function whole_body(class, required)
  return {
    name = "data",
    class = class .. ".data|string|function",
    note = "the whole body",
    required = required,
  }
end

local function head_of(signature)
  local mark = signature.deprecated and " (deprecated)" or ""
  local summary = signature.summary
      and signature.summary:find "%S"
      and ": " .. source.line(signature.summary)
    or ""
  local path = source.whole_line(signature.path)
  return ("---`%s %s`%s%s\n"):format(signature.method, path, mark, summary)
end

-- Adds the class of options in which the whole body is `data`. It has only the fields that must be
-- there: the other class has the rest.
local function add_other(writer, class, fields)
  local other = class .. ".with_data"
  local required = only(fields, function(field)
    return field.required
  end)
  add_class(
    writer,
    other,
    { writer.name .. ".AnyOptions" },
    append({ whole_body(class, true) }, required)
  )
  return "|" .. other
end

-- Adds the class of what the plain route takes, and returns its name. A parameter that only the
-- long route takes has a literal type such as "needs the route …". No value has that type, so the
-- editor marks the parameter, and shows the route.
local function add_plain(writer, signature, class, parents, fields)
  local hint = source.literal("needs the route " .. signature.route)
  local plain = only(fields, function(field)
    return not field.is_in_route
  end)
  for _, field in ipairs(fields) do
    if field.is_in_route then
      plain[#plain + 1] = { name = field.name, kinds = schema.scalars { hint } }
    end
  end
  add_class(writer, class .. ".plain", parents, plain)
  return class .. ".plain"
end

-- Adds the classes of a call's options. Returns the type of what its route takes, and of what its
-- plain route takes, if it has one.
function option_classes.add(writer, signature, class, has_plain)
  local is_open = signature.additional and #signature.body_fields > 0 or #signature.key_patterns > 0
  local parents, fields, other =
    { writer.name .. (is_open and ".OpenOptions" or ".Options") }, append({}, signature.fields), ""
  if signature.data then
    fields[#fields + 1] =
      add_part(writer, class, signature.data, classes.others(writer, signature.additional, class))
  end
  append(fields, parts_of(writer, signature, class))
  if #signature.body_fields > 0 then
    table.insert(parents, 1, add_body(writer, signature, class))
    if has_required(signature.body_fields) then
      other = add_other(writer, class, fields)
    end
    fields[#fields + 1] = whole_body(class)
  end
  if has_plain then
    parents = { add_plain(writer, signature, class, parents, fields) }
    fields = only(fields, function(field)
      return field.is_in_route
    end)
  end
  add_class(writer, class, parents, fields, head_of(signature))
  return class .. other, has_plain and parents[1] .. other or nil
end

-- Must a call have this option, which has fields?
local function is_needed(option)
  return option ~= nil and (option.required or has_required(option.fields))
end

-- Must a call have options?
function option_classes.are_needed(signature)
  if has_required(signature.fields) or has_required(signature.body_fields) then
    return true
  end
  return is_needed(signature.data) or is_needed(signature.params) or false
end

return option_classes

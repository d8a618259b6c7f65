-- SPDX-License-Identifier: MIT
-- The body of a request as a value, by its content-type.
local body = {}

local kinds = require "endpoint.checks.incoming.kinds"
local media_types = require "endpoint.checks.incoming.media_types"
local multipart = require "endpoint.checks.incoming.multipart"
local query = require "endpoint.checks.incoming.query"

local NONE = {}
local fits = media_types.fits

-- --- media types ------------------------------------------------------------------

-- The node of a media type that is not the one of the calls. It is theirs where the rules do not
-- say another, but for texts and bytes.
local function node_of_other(rules, media_type)
  local node = rules.own and rules.own.properties["body " .. media_type]
  if node == nil and media_types.kind_of(media_type) ~= "text" then
    node = rules.body_value or rules.body
  end
  return node
end

-- Does the operation take a media type? Then also its node, nil for bytes, and of a form the styles
-- of its properties.
local function node_of(rules, media_type)
  if not rules.body then
    return false
  elseif fits(rules.media_type or "application/json", media_type) then
    return true, rules.body_value or rules.body, rules.body_styles
  end
  for _, other in ipairs(rules.others or NONE) do
    if fits(other[1], media_type) then
      return true, node_of_other(rules, other[1]), other[2]
    end
  end
  return false
end

-- --- forms ------------------------------------------------------------------------

local STYLES = { [","] = "form", [" "] = "spaceDelimited", ["|"] = "pipeDelimited" }
STYLES["\t"] = "tabDelimited"

-- One table of a list of them.
local function element_of(rulebook, name, node)
  local found = kinds.of(rulebook, node)
  return { place = "body", name = name, node = node, kinds = found, is_tables = true }
end

-- May a value be a list? Where the document says nothing of it, it may be whatever a form holds.
local function may_be_list(found)
  return found.array or not found.is_known and not found.members
end

-- Notes how a property of a form is found. style: see types/signature/body_encoding.lua.
local function add_property(rulebook, plan, name, node, style)
  local found = kinds.of(rulebook, node)
  local parameter = { place = "body", name = name, node = node, kinds = found }
  if style == "deep" then
    plan.deep[name] = parameter
    return
  end
  plan.query[name] = parameter
  parameter.is_tables = style == "tables"
  parameter.style = STYLES[style]
  if may_be_list(found) and (not style or style == "tables") then
    parameter.is_many, parameter.is_alone = true, kinds.has_scalars(found)
    parameter.element = style and element_of(rulebook, name, found.items) or nil
    plan.query[name .. "[]"] = plan.query[name .. "[]"] or parameter
  end
end

-- The properties of a form as parameters of a query, made once for its styles, or else its node.
-- What it does not describe is told by the rules.
local function plan_of(rulebook, node, styles)
  local plan = rulebook.forms[styles or node]
  if plan then
    return plan
  end
  local style_of, found = {}, kinds.of(rulebook, node)
  for _, pair in ipairs(styles or NONE) do
    style_of[pair[1]] = pair[2]
  end
  plan = { place = "body", query = {}, deep = {}, free = {} }
  for name, child in next, found.properties or NONE do
    add_property(rulebook, plan, name, child, style_of[name])
  end
  plan.rest = { place = "body", name = "", kinds = found }
  plan.free[1] = plan.rest
  rulebook.forms[styles or node] = plan
  return plan
end

local function read_form(reader, node, styles, given)
  local plan, values = plan_of(reader.rulebook, node, styles), {}
  query.read(reader, plan, given, values)
  local rest = values[""]
  if type(rest) == "table" and not plan.query[""] then
    values[""] = nil
    for name, one in next, rest do
      values[name] = one
    end
  end
  return values
end

-- --- the body ---------------------------------------------------------------------

-- The value of a text of a kind, and its node where it is checked; nil where it cannot be read.
-- Notes problems in the reader.
local function value_of(reader, kind, node, styles, given, content_type)
  if kind == "json" then
    local value, words = reader:json(given)
    if words then
      reader:add("body", nil, "", words)
      return nil
    end
    return value, node
  elseif kind == "form" then
    return read_form(reader, node, styles, given), node
  elseif kind == "multipart" then
    return multipart.read(reader, node, styles, given, content_type), node
  end
  return given, kinds.of(reader.rulebook, node).string and node or nil
end

-- Is a body without a byte one by its content-type: an empty text, or a form without fields?
local function can_be_empty(reader, rules, media_type)
  local is_taken, node = node_of(rules, media_type)
  local kind = is_taken and node and media_types.kind_of(media_type)
  return kind == "form" or kind == "text" and kinds.of(reader.rulebook, node).string
end

-- The value of a body and its node; or nil, nil and a status. Notes problems in the reader. Other
-- media types than JSON, forms and texts are not read: their body is the string itself.
function body.read(reader, rules, given, content_type)
  local media_type = media_types.bare(content_type or "")
  if given == nil or given == "" then
    if not rules.needs_body then
      return nil, nil
    elseif not can_be_empty(reader, rules, media_type) then
      reader:add("body", nil, "", "is missing")
      return nil, nil
    end
    given = ""
  end
  local is_taken, node, styles = node_of(rules, media_type)
  if not is_taken then
    return nil, nil, 415
  end
  local kind = node and media_types.kind_of(media_type) or "text"
  if (kind == "json" or kind == "form") and media_types.has_other_charset(content_type) then
    reader:add("header", "content-type", "", "expected the charset utf-8")
  end
  return value_of(reader, kind, node, styles, given, content_type)
end

-- Does an operation take a body of this content-type?
function body.is_taken(rules, content_type)
  return (node_of(rules, media_types.bare(content_type)))
end

-- The media types that an operation takes, sorted.
function body.media_types(rules)
  local list = {}
  if rules.body then
    list[1] = rules.media_type or "application/json"
  end
  for _, other in ipairs(rules.others or NONE) do
    list[#list + 1] = other[1]
  end
  table.sort(list)
  return list
end

return body

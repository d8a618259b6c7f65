-- SPDX-License-Identifier: MIT
-- The body of a request as a value, by its content-type.
local body = {}

local kinds = require "endpoint.checks.incoming.kinds"
local query = require "endpoint.checks.incoming.query"
local text = require "endpoint.text"

local NONE = {}

-- --- media types ------------------------------------------------------------------

-- Without its parameters, in lower case (RFC 9110, section 8.3.1).
local function bare(media_type)
  return text.lower(media_type):match "^[ \t]*([^ \t;]*)"
end

-- Does a media type fit one of the document, which may be a range?
local function fits(known, media_type)
  return known == media_type
    or known == "*/*"
    or known:sub(-2) == "/*" and media_type:sub(1, #known - 1) == known:sub(1, -2)
end

local function kind_of(media_type)
  if media_type:find "/json$" or media_type:find "%+json$" then
    return "json"
  end
  return media_type == "application/x-www-form-urlencoded" and "form" or "text"
end

-- The node of a media type, and of a form the styles of its properties; nothing if the operation
-- does not take it.
local function node_of(rules, media_type)
  local own = rules.media_type or "application/json"
  if fits(own, media_type) then
    return rules.body_value or rules.body, rules.body_styles
  end
  for _, other in ipairs(rules.others or NONE) do
    if fits(other[1], media_type) then
      local node = rules.own and rules.own.properties["body " .. other[1]]
      if node == nil then
        node = rules.body_value or rules.body
      end
      return node, other[2]
    end
  end
end

-- --- forms ------------------------------------------------------------------------

local STYLES = { [","] = "form", [" "] = "spaceDelimited", ["|"] = "pipeDelimited" }
STYLES["\t"] = "tabDelimited"

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
  if found.array and not style then
    parameter.is_many, parameter.is_alone = true, kinds.has_scalars(found)
    plan.query[name .. "[]"] = plan.query[name .. "[]"] or parameter
  end
end

-- The properties of a form as parameters of a query, made once for a node. What it does not
-- describe is told by the rules.
local function plan_of(rulebook, node, styles)
  local plan = rulebook.forms[node]
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
  rulebook.forms[node] = plan
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

-- The value of a body and its node; or nil, nil and a status. Notes problems in the reader. Other
-- media types than JSON, forms and texts are not read: their body is the string itself.
function body.read(reader, rules, given, media_type)
  if given == nil or given == "" then
    if rules.needs_body then
      reader:add("body", nil, "", "is missing")
    end
    return nil, nil
  end
  media_type = media_type and bare(media_type) or ""
  local node, styles = nil, nil
  if rules.body then
    node, styles = node_of(rules, media_type)
  end
  if node == nil then
    return nil, nil, 415
  end
  local kind = kind_of(media_type)
  if kind == "json" then
    local value, words = reader:json(given)
    if words then
      reader:add("body", nil, "", words)
      return nil, nil
    end
    return value, node
  elseif kind == "form" then
    return read_form(reader, node, styles, given), node
  end
  local is_text = kinds.of(reader.rulebook, node).string
  return given, is_text and node or nil
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

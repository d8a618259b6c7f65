-- SPDX-License-Identifier: MIT
-- Link header fields (RFC 8288): from a relation type to the URL of its link, as a template. They
-- are read as browsers read what servers send, and not only what the RFC lets them send. The time
-- is linear, whatever the server sent.
local links = {}

local fail = require "endpoint.clients.misuse".fail
local references = require "endpoint.clients.references"
local text = require "endpoint.text"

local QUOTE, APOSTROPHE = 34, 39

-- The position after a quoted string (RFC 9110, section 5.6.4) that begins at
-- `at`; nil if it does not end.
local function skip_quoted(value, at)
  at = at + 1
  while true do
    at = value:find('["\\]', at)
    if not at then
      return nil
    end
    if value:byte(at) == QUOTE then
      return at + 1
    end
    at = at + 2
  end
end

-- The position of the next comma outside quotes, from `at` on, or of the last byte.
local function skip_to_comma(value, at)
  while true do
    at = value:find('[",]', at)
    if not at then
      return #value
    end
    if value:byte(at) ~= QUOTE then
      return at
    end
    at = skip_quoted(value, at)
    if not at then
      return #value
    end
  end
end

local function skip_white_space(value, at)
  return value:find("[^ \t]", at) or #value + 1
end

-- The value of a parameter, and the position after it; nil if it is malformed. A
-- value without quotes may hold more characters than a token, as many servers send it:
-- type=text/html. Some write rel='next'.
local function read_value(value, at)
  if value:byte(at) == APOSTROPHE then
    local inside, after = value:match("^'([^',;\"]*)'()", at)
    if inside then
      return inside, after
    end
  end
  if value:byte(at) ~= QUOTE then
    local _, last = value:find('^[^ \t;,"<>]*', at)
    return value:sub(at, last), last + 1
  end
  local after = skip_quoted(value, at)
  if not after then
    return nil
  end
  local inside = value:sub(at + 1, after - 2)
  if inside:find "\\" then
    inside = inside:gsub("\\(.)", "%1")
  end
  return inside, after
end

-- Is a parameter at this position, perhaps without the ";" that must be before it? Returns where
-- its name begins.
local function start_of_parameter(value, at)
  at = skip_white_space(value, at)
  if value:sub(at, at) == ";" then
    return skip_white_space(value, at + 1)
  end
  return value:find("^[%w*-]+=", at)
end

-- The parameters of a link, which begin at `at`, after its target: lower-case name -> value,
-- the first of each name; and the position after them. nil if they are malformed.
local function read_parameters(value, at)
  local parameters = {}
  while true do
    local start_of_name = start_of_parameter(value, at)
    if not start_of_name then
      break
    end
    local start, last = value:find('^[^ \t;,="<>]*', start_of_name)
    local name, parameter = text.lower(value:sub(start, last)), ""
    at = skip_white_space(value, last + 1)
    if value:sub(at, at) == "=" then
      parameter, at = read_value(value, skip_white_space(value, at + 1))
      if not parameter or name == "" then
        return nil
      end
    end
    if name ~= "" and not parameters[name] then
      parameters[name] = parameter
    end
  end
  at = skip_white_space(value, at)
  if at <= #value and value:sub(at, at) ~= "," then
    return nil
  end
  return parameters, at
end

-- More relation types than any server means. A relative target is written with all of the base
-- before it, so without a limit a short header could make a text of any size.
local MOST = 100

-- RFC 8288, section 2.1.1: relation types are compared without regard to case.
-- Section 3.2: a link with an anchor describes another resource.
local function add(found, url, base, parameters)
  if parameters.anchor or not parameters.rel then
    return
  end
  url = references.as_browsers_read(url)
  local is_foreign, template = references.has_bare_scheme(url), nil
  for relation in text.lower(parameters.rel):gmatch("%S+") do
    if is_foreign or not found.links[relation] and found.count >= MOST then
      found.loses_next = found.loses_next or relation == "next"
    elseif not found.links[relation] then
      template = template or (base and references.resolved(url, base) or references.literal(url))
      found.links[relation], found.count = template, found.count + 1
    end
  end
end

-- Says a malformed link that it is the next page?
local function says_next(link)
  for relations in text.lower(link):gmatch "rel[ \t]*=[ \t]*[\"']?([^\"',;]*)" do
    if (" " .. relations .. " "):find "[ \t]next[ \t]" then
      return true
    end
  end
  return false
end

-- The target that begins at "<", and the position after its ">"; nil if it does not end before the
-- next link begins. RFC 3986 allows no white space and no " < \ in it, but servers send them.
local function read_target(value, at)
  if value:sub(at, at) ~= "<" then
    return nil
  end
  local last = value:find("[>,]", at)
  while last and value:byte(last) == 44 and not value:find("^[ \t]*<", last + 1) do
    last = value:find("[>,]", last + 1)
  end
  if last and value:sub(last, last) == ">" then
    return value:sub(at + 1, last - 1), last + 1
  end
end

-- Adds the links of one header field to found. base: what relative targets are resolved against, or
-- nil.
local function read(found, value, base)
  local at = 1
  while at <= #value do
    at = skip_white_space(value, at)
    local url, after_target = read_target(value, at)
    local parameters, after
    if url then
      parameters, after = read_parameters(value, after_target)
    end
    if parameters then
      add(found, url, base, parameters)
    else
      after = skip_to_comma(value, after_target or at)
      found.loses_next = found.loses_next or says_next(value:sub(at, after))
    end
    at = after + 1
  end
end

-- The links of header fields: a string, a list of strings or nil. url: the base, or nil. Also
-- returns whether there is a next page that cannot be asked for, or may be one: a link with this
-- relation is malformed, has a scheme without "//" or is after too many others.
function links.of(value, url)
  local found = { links = {}, count = 0, loses_next = false }
  local base = url and references.base(url)
  for _, field in ipairs(type(value) == "table" and value or { value }) do
    if type(field) ~= "string" then
      fail("link: expected a string or a list of strings, got a %s", type(field))
    end
    read(found, field, base)
  end
  return found.links, found.loses_next and not found.links.next
end

return links

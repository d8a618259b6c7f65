-- SPDX-License-Identifier: MIT
-- The routes of an API for the editor: which options each has, what its response is, and the types
-- of the endpoint and of its sender, which are made of that. They were checked with the versions of
-- lua-language-server from 3.19 on.
local routes = {}

local budget = require "endpoint.types.document.budget"
local result = require "endpoint.result"
local source = require "endpoint.types.source"

-- How the editor checks a call. By the number of arguments it takes one of three functions. Each
-- has an enumeration of its routes, so a wrong route is a message of three lines; a function for
-- each route would make seventeen. The parameter is generic, because such a function fits any
-- string. The bound is compared afterwards, and marks the route. The overloads of the class tell
-- which options a route has. The editor compares no route with them, and does not show them as
-- signatures of a call, since they are before the class and not after it.
local HEAD = [[
---What stands behind it in a message: the document has no such name.
---@alias NAME.no_such_parameter "no such parameter"

---@class NAME.AnyOptions

---@class NAME.OpenOptions : NAME.AnyOptions
OPENFIELDS

---@class NAME.Options : NAME.AnyOptions
FIELDS

---@class NAME.Members : endpoint.Endpoint
---@field defaults NAME.Defaults

---@alias NAME.Defaults
---| fun(options?: endpoint.Options): NAME.Api
---| fun(self: NAME.Members, options?: endpoint.Options): NAME.Api

---A request without a route of the document: its `url` is among the options.
---@class NAME.OptionsWithUrl : endpoint.Options

---@generic RouteAlone: ALONE
---@generic Route: ROUTES
---@generic Options: NAME.AnyOptions|nil
---@alias NAME.Api
---| NAME.Members
---| fun(options: NAME.OptionsWithUrl): endpoint.Request
---| fun(route: RouteAlone): endpoint.Request
---| fun(route: Route, options: Options): endpoint.Request]]

-- A sender. Of the functions that fit, the editor takes the one with the route itself, if there is
-- one: its response is that of the call. The first generic's name is what the editor shows for a
-- result of the endpoint. The overloads of `Sender` are for the completion of routes, which knows
-- no bounds of generics. `Each` has functions for lists alone, so it takes the options from the
-- overloads of `Members`.
local SENDER = [[
---@class NAME.Sender
---@field ask NAME.Send
---@field each NAME.Each
---@field download endpoint.request.Save

---@generic send_route_options: ALONE
---@generic Route: ROUTES
---@generic Options: NAME.AnyOptions|nil
---@alias NAME.Send
---| NAME.Sender
---| fun(options: NAME.OptionsWithUrl): any, endpoint.request.Response
---| fun(route: send_route_options): any, endpoint.request.Response
---| fun(route: Route, options: Options): any, endpoint.request.Response
ANSWERS

---@generic send_route_options: ALONE
---@generic Route: ROUTES
---@generic Options: NAME.AnyOptions|nil
---@alias NAME.Each
---| NAME.Members
---| fun(options: NAME.OptionsWithUrl, pages?: endpoint.request.Pages): fun(): any
---| fun(route: send_route_options): fun(): any
---| fun(route: Route, options: Options, pages?: endpoint.request.Pages): fun(): any
ELEMENTS]]

-- Lists of lines: the overloads, the names of the enumerations, and of the sender's functions.
function routes.new()
  return { overloads = {}, all = {}, alone = {}, names = {}, responses = {}, elements = {} }
end

-- Functions of a sender and of its `each`.
local RESPONSE = "---| fun(route: %s, options%s: %s): %s, endpoint.request.Response"
local ELEMENT = "---| fun(route: %s, options%s: table, pages?: endpoint.request.Pages): fun(): %s"

-- Adds a route. options: their type; is_required: must there be some? response: its type, and that
-- of the elements if it is a list; nil without a sender.
function routes.add(doc, lists, route, options, is_required, response, element)
  local literal, mark = source.literal(route), is_required and "" or "?"
  lists.overloads[#lists.overloads + 1] = ("---@overload fun(route: %s, options%s: %s)"):format(
    literal,
    mark,
    options
  )
  lists.all[#lists.all + 1] = "  [" .. literal .. "] = 1,"
  if not is_required then
    lists.alone[#lists.alone + 1] = lists.all[#lists.all]
  end
  budget.spend(doc, 4 * #literal)
  if not response then
    return
  end
  lists.names[#lists.names + 1] = ("---@overload fun(route: %s)"):format(literal)
  literal = literal:gsub("#", "\\035") -- it would begin a comment there
  lists.responses[#lists.responses + 1] = RESPONSE:format(literal, mark, options, response)
  budget.spend(doc, #lists.responses[#lists.responses])
  if not element then
    return
  end
  lists.elements[#lists.elements + 1] = ELEMENT:format(literal, mark, element)
  budget.spend(doc, #lists.elements[#lists.elements])
end

-- A block of this size is in one file, whatever the length of its lines: it is below LARGEST_FILE
-- of files.lua.
local LARGEST_BLOCK = 200000

-- Lines as blocks that need no second file. head, last: the lines before and after each block; a
-- "#" in them is the block's number, from the second on.
local function numbered(lines, head, last)
  local block = { head = head:gsub("#", ""), size = #head, last = last }
  local blocks = { block }
  for _, line in ipairs(lines) do
    if block[1] and block.size + #line > LARGEST_BLOCK then
      block = { head = head:gsub("#", #blocks + 1), size = #head, last = last }
      blocks[#blocks + 1] = block
    end
    block[#block + 1], block.size = line, block.size + #line
  end
  return blocks
end

-- Routes as an enumeration, of as many parts as it needs: its blocks, and the union of the parts.
local function enumeration(module, name, lines)
  local blocks = numbered(
    lines,
    ("---@enum (key) %s.%s#\nlocal %s# = { -- luacheck: ignore"):format(module, name, name),
    "}"
  )
  local parts = {}
  for number in ipairs(blocks) do
    parts[number] = module .. "." .. name .. (number > 1 and number or "")
  end
  return blocks, table.concat(parts, "|")
end

-- Functions as an alias, of as many parts as it needs: its blocks, and a line for each of them.
local function alias(module, name, lines)
  if not lines[1] then
    return {}, ""
  end
  local blocks, parts = numbered(lines, "---@alias " .. module .. "." .. name .. "#"), {}
  for number in ipairs(blocks) do
    parts[number] = "---| " .. module .. "." .. name .. (number > 1 and number or "")
  end
  return blocks, table.concat(parts, "\n")
end

-- The options that a route or its body replaces: no call of a route has them.
local IS_OF_ROUTE = { method = true, url = true, data = true }

-- The types of the other options, where one is known.
local TYPES = {
  baseUrl = "string|endpoint.Null",
  headers = "table<string, endpoint.HeaderValue|endpoint.Null|nil>|endpoint.Null",
  mediaType = "endpoint.MediaType|endpoint.Null",
}

-- The fields of the options that a call of each route may have.
local function fields_of_options()
  local lines = {}
  for _, name in ipairs(result.options) do
    if not IS_OF_ROUTE[name] then
      lines[#lines + 1] = ("---@field %s? %s"):format(name, TYPES[name] or "any")
    end
  end
  return table.concat(lines, "\n")
end

-- The blocks of the types: those that come first, and a list of lists of the others. name: of the
-- module.
function routes.blocks(lists, name, is_open)
  local overloads =
    numbered(lists.overloads, "---The options of each route.", "---@class " .. name .. ".Members")
  local all, ROUTES = enumeration(name, "Routes", lists.all)
  local alone, ALONE = enumeration(name, "RoutesWithoutOptions", lists.alone)
  local names = lists.names[1]
      and numbered(lists.names, "---Routes to send.", "---@class " .. name .. ".Sender")
    or {}
  local responses, ANSWERS = alias(name, "Answers", lists.responses)
  local elements, ELEMENTS = alias(name, "Elements", lists.elements)
  local fields = fields_of_options()
  local closed = is_open and "" or ("\n---@field [string] %s.no_such_parameter"):format(name)
  local words = {
    NAME = name,
    ROUTES = ROUTES,
    ALONE = ALONE,
    ANSWERS = ANSWERS,
    ELEMENTS = ELEMENTS,
    OPENFIELDS = fields,
    FIELDS = fields .. closed,
  }
  local head = { { head = HEAD:gsub("%u%u+", words) } }
  if lists.responses[1] then
    head[2] = { head = SENDER:gsub("%u%u+", words):gsub("\n+$", ""):gsub("\n\n\n", "\n\n") }
  end
  if not is_open then
    head[#head + 1] = { head = ("---@class %s.Closed"):format(name) .. closed }
  end
  return head, { overloads, all, alone, names, responses, elements }
end

return routes

-- SPDX-License-Identifier: MIT
-- The calls of an API as definitions for lua-language-server: a class for the options of each
-- call, and a type for the endpoint. Checked with it were its versions from 3.19 on.
local definitions = {}

local classes = require "endpoint.types.classes"
local reader = require "endpoint.types.reader"
local schema = require "endpoint.types.schema"

-- The editor skips files of 500 KB without a word.
local LARGEST_FILE = 250000

-- What is in one file with certainty, with a line of some length.
local LARGEST_BLOCK = 200000

local MARK = "---@meta _\n-- Written by endpoint-types. Not to be changed by hand.\n"

-- --- calls --------------------------------------------------------------------------

local function has_required(fields)
  for _, field in ipairs(fields) do
    if field.required then return true end
  end
  return false
end

local function append(list, more)
  for _, element in ipairs(more) do list[#list + 1] = element end
  return list
end

-- Adds a block with the class of some fields; last: a line behind them.
local function add_class(to, class, head, fields, last)
  local block = { head = head .. "---@class " .. class }
  reader.spend(to.doc, #block.head)
  classes.add_fields(to, block, fields, classes.namer(to, "sent", class:match "^[^ ]*"))
  block[#block + 1] = last
  to.blocks[#to.blocks + 1] = block
end

-- Adds the class of a table among the options, and returns the field of that table.
local function add_part(to, class, part, last)
  add_class(to, class .. "." .. part.name, "", part.fields, last)
  return { name = part.name, class = class .. "." .. part.name, note = part.note,
    required = part.required or has_required(part.fields) }
end

-- A header is any other one, too.
local ANY_HEADER = "---@field [string] endpoint.HeaderValue|endpoint.Null|nil"

-- What a map without known keys adds to the class of its place.
local function any_of(free)
  return free ~= "" and "---@field [string] any # " .. classes.line_of(free) or nil
end

-- The tables among the options, beside the body.
local function parts_of(to, call, class)
  local fields = {}
  if call.params then fields[1] = add_part(to, class, call.params, any_of(call.params.free)) end
  for _, note in ipairs(call.notes) do
    fields[#fields + 1] = { name = note, types = {}, note = "stands for fields of such names" }
  end
  if #call.headers > 0 then
    fields[#fields + 1] = add_part(to, class, { name = "headers", fields = call.headers }, ANY_HEADER)
  end
  return fields
end

local ANY_BODY = { name = "data", types = schema.scalars { "table", "string", "function" }, required = true,
  note = "the whole body" }

-- Adds the classes of a call's options, and returns their type, and whether there must be some.
local function add_options(to, call, class)
  local fields = append(append({}, call.fields), call.body_fields)
  if call.data then fields[#fields + 1] = add_part(to, class, call.data) end
  local parts = parts_of(to, call, class)
  local mark = call.deprecated and " (deprecated)" or ""
  local summary = call.summary and call.summary:find "%S" and ": " .. classes.line_of(call.summary) or ""
  local head = ("---`%s %s`%s%s\n"):format(call.method, classes.line_of(call.path), mark, summary)
  add_class(to, class .. " : " .. to.name .. ".Options", head, append(fields, parts))
  if not has_required(call.body_fields) then return class, has_required(fields) end
  local other = classes.unique(to, class .. ".with_data")
  add_class(to, other .. " : " .. to.name .. ".Options", "", append(append({ ANY_BODY }, call.fields), parts))
  return class .. "|" .. other, true
end

-- Adds what the responses of a call are.
local function add_response(to, call, alias)
  local texts = {}
  local namer = classes.namer(to, "received", alias)
  for number, response in ipairs(call.responses) do
    local word = number == 1 and "body" or "body_" .. number
    local text = schema.union(schema.types_of(to.doc, response), function(object) return namer(object, word) end)
    if text ~= "" then texts[#texts + 1] = text end
  end
  if texts[1] then to.blocks[#to.blocks + 1] = { head = "---@alias " .. alias .. " " .. table.concat(texts, "|") } end
end

-- Adds the classes of a call, its overload and its route.
local function add_call(to, call, with_responses)
  local class = classes.of_call(to, call)
  local alias = with_responses and classes.unique(to, class .. ".response")
  local options, is_required = add_options(to, call, class)
  if alias then add_response(to, call, alias) end
  classes.finish(to)
  local route = schema.literal(call.route)
  local mark = is_required and "" or "?"
  to.overloads[#to.overloads + 1] = ("---@overload fun(route: %s, options%s: %s)"):format(route, mark, options)
  to.routes[#to.routes + 1] = "  [" .. route .. "] = 1,"
  if not is_required then to.alone[#to.alone + 1] = to.routes[#to.routes] end
  reader.spend(to.doc, 3 * #route)
end

-- --- files ------------------------------------------------------------------------

-- How the editor checks a call. By the number of arguments it takes one of three functions. Each
-- has an enumeration of its routes, so a wrong route is a message of three lines; a function for
-- each route would make seventeen. The parameter is generic, because such a function fits any
-- text; the bound is compared afterwards, and marks the route. The overloads of the class tell
-- which options a route has. The editor compares no route with them, and shows them as no signatures
-- of a call, since they stand before the class and not behind it.
local HEAD = [[
---@class NAME.Options
---@field baseUrl? string|endpoint.Null
---@field headers? table<string, endpoint.HeaderValue|endpoint.Null|nil>|endpoint.Null
---@field mediaType? endpoint.MediaType|endpoint.Null
---@field request? any

---@class NAME.Members : endpoint.Endpoint
---@field defaults NAME.Defaults

---@alias NAME.Defaults
---| fun(options?: endpoint.Options): NAME.Api
---| fun(self: NAME.Members, options?: endpoint.Options): NAME.Api

---A request without a route of the document: its `url` is among the options.
---@class NAME.OptionsWithUrl : endpoint.Options

---@generic RouteAlone: ALONE
---@generic Route: ROUTES
---@generic Options: NAME.Options|nil
---@alias NAME.Api
---| NAME.Members
---| fun(options: NAME.OptionsWithUrl): endpoint.Request
---| fun(route: RouteAlone): endpoint.Request
---| fun(route: Route, options: Options): endpoint.Request]]

local function add_line(page, line)
  page[#page + 1], page.size = line, page.size + #line + 1
end

local function new_page(pages, head)
  local page = { size = 0 }
  pages[#pages + 1] = page
  add_line(page, head)
  return page
end

local function size_of(block)
  local size = #block.head
  for _, line in ipairs(block) do size = size + #line + 1 end
  return size
end

-- Appends a block to the last page, or to a new one. A class that is too long for one goes on
-- in the next under the same name.
local function add_block(pages, block)
  local page = pages[#pages]
  if page and page.size + size_of(block) < LARGEST_FILE then
    add_line(page, "")
    add_line(page, block.head)
  else
    page = new_page(pages, block.head)
  end
  for _, line in ipairs(block) do
    if #page > 1 and page.size + #line > LARGEST_FILE then page = new_page(pages, block.head) end
    add_line(page, line)
  end
  if block.last then add_line(page, block.last) end
end

-- Lines as blocks that need no second page. head, last: what stands around each; a "#" in it is
-- the block's number, from the second on.
local function numbered(lines, head, last)
  local block = { head = head:gsub("#", ""), size = 0, last = last }
  local blocks = { block }
  for _, line in ipairs(lines) do
    if block[1] and block.size + #line > LARGEST_BLOCK then
      block = { head = head:gsub("#", #blocks + 1), size = 0, last = last }
      blocks[#blocks + 1] = block
    end
    block[#block + 1], block.size = line, block.size + #line + 1
  end
  return blocks
end

-- Routes as an enumeration, of as many parts as it needs: its blocks, and the union of the parts.
local function enumeration(module, name, routes)
  local blocks = numbered(routes, "---@enum (key) " .. module .. "." .. name .. "#\nlocal " .. name ..
    "# = { -- luacheck: ignore", "}")
  local parts = {}
  for number in ipairs(blocks) do parts[number] = module .. "." .. name .. (number > 1 and number or "") end
  return blocks, table.concat(parts, "|")
end

local function pages_of(to)
  local name, pages = to.name, {}
  local overloads = numbered(to.overloads, "---The options of each route.", "---@class " .. name .. ".Members")
  local routes, all = enumeration(name, "Routes", to.routes)
  local without_options, alone = enumeration(name, "RoutesWithoutOptions", to.alone)
  local head = { head = HEAD:gsub("%u%u+", { NAME = name, ROUTES = all, ALONE = alone }) }
  for _, blocks in ipairs { { head }, to.blocks, overloads, routes, without_options } do
    for _, block in ipairs(blocks) do add_block(pages, block) end
  end
  return pages
end

-- The definitions of calls, as a list of texts, one for each file.
function definitions.texts(doc, calls, name, with_responses)
  local to, texts = classes.new(doc, name), {}
  to.overloads, to.routes, to.alone = {}, {}, {}
  for _, call in ipairs(calls) do add_call(to, call, with_responses) end
  for number, page in ipairs(pages_of(to)) do
    texts[number] = MARK .. "\n" .. table.concat(page, "\n") .. "\n"
  end
  return texts
end

return definitions

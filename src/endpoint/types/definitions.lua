-- SPDX-License-Identifier: MIT
-- The calls of an API as definitions for lua-language-server: a class for the options of each
-- call, and a type for the endpoint, which is a function for each route. Checked with it were
-- its versions from 3.19 on.
local definitions = {}

local classes = require "endpoint.types.classes"
local reader = require "endpoint.types.reader"
local schema = require "endpoint.types.schema"

-- The editor skips files of 500 KB without a word.
local LARGEST_FILE = 250000

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

-- Adds the classes of a call, and its function.
local function add_call(to, call, with_responses)
  local class = classes.of_call(to, call)
  local alias = with_responses and classes.unique(to, class .. ".response")
  local options, is_required = add_options(to, call, class)
  if alias then add_response(to, call, alias) end
  classes.finish(to)
  local route = schema.literal(call.route)
  to.functions[#to.functions + 1] = ("---| fun(route: %s, options%s: %s): endpoint.Request")
    :format(route, is_required and "" or "?", options)
  if is_required then to.routes[#to.routes + 1] = "  " .. route .. "," end
  reader.spend(to.doc, 3 * #route)
end

-- --- files ------------------------------------------------------------------------

-- A call without options of a route that needs some finds a class that has nothing, so that the
-- editor marks its use: a call with one argument is right for other routes. These routes are
-- an enumeration, since the editor would complete those of an alias twice.
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

---What a call without options returns for a route that needs some.
---@class NAME.options_are_missing

---A request without a route of the document: its `url` is among the options.
---@class NAME.OptionsWithUrl : endpoint.Options

---@alias NAME.Api
---| NAME.Members
---| fun(options: NAME.OptionsWithUrl): endpoint.Request]]

local function add_line(page, line)
  page[#page + 1], page.size = line, page.size + #line + 1
end

local function new_page(pages, head)
  local page = { size = 0 }
  pages[#pages + 1] = page
  add_line(page, head)
  return page
end

-- Appends a block to the last page, or to a new one. A class that is too long for the page
-- goes on in the next under the same name. An alias cannot do that: its block has a size.
local function add_block(pages, block)
  local page = pages[#pages]
  if page and page.size + (block.size or #block.head) < LARGEST_FILE then
    add_line(page, "")
    add_line(page, block.head)
  else
    page = new_page(pages, block.head)
  end
  for _, line in ipairs(block) do
    if not block.size and page.size + #line > LARGEST_FILE then page = new_page(pages, block.head) end
    add_line(page, line)
  end
end

-- Lines as blocks with numbers, each of which fits into a file.
local function numbered(lines, head, last)
  local blocks = {}
  for _, line in ipairs(lines) do
    local block = blocks[#blocks]
    if not block or block.size + #line > LARGEST_FILE / 2 then
      block = { head = head:gsub("#", #blocks + 1), size = 0 }
      blocks[#blocks + 1] = block
    end
    block[#block + 1], block.size = line, block.size + #line + 1
  end
  for _, block in ipairs(blocks) do block[#block + 1] = last end
  return blocks
end

local function pages_of(to)
  local name = to.name
  local head = { head = HEAD:gsub("NAME", name) }
  local routes = numbered(to.functions, "---@alias " .. name .. ".Routes#")
  local bare = numbered(to.routes, "---@enum " .. name .. ".NeedOptions#\nlocal NeedOptions# = { -- luacheck: ignore", "}")
  for number in ipairs(bare) do
    head[number] = ("---| fun(route: %s.NeedOptions%d): %s.options_are_missing"):format(name, number, name)
  end
  for number in ipairs(routes) do head[#head + 1] = "---| " .. name .. ".Routes" .. number end
  local pages = {}
  for _, block in ipairs(append(append(append({ head }, to.blocks), routes), bare)) do add_block(pages, block) end
  return pages
end

-- The definitions of calls, as a list of texts, one for each file.
function definitions.texts(doc, calls, name, with_responses)
  local to, texts = classes.new(doc, name), {}
  to.functions, to.routes = {}, {}
  for _, call in ipairs(calls) do add_call(to, call, with_responses) end
  for number, page in ipairs(pages_of(to)) do
    texts[number] = MARK .. "\n" .. table.concat(page, "\n") .. "\n"
  end
  return texts
end

return definitions

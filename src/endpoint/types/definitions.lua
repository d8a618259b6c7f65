-- SPDX-License-Identifier: MIT
-- The calls of an API as definitions for lua-language-server: a class for the options of each
-- call, and types for the endpoint and its sender.
local definitions = {}

local budget = require "endpoint.types.document.budget"
local classes = require "endpoint.types.definitions.classes"
local routes = require "endpoint.types.definitions.routes"
local schema = require "endpoint.types.document.schema"
local source = require "endpoint.types.source"

-- --- options ----------------------------------------------------------------------

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

-- Adds a block with the class of some fields. parents: a list; last: a line behind them. Classes in `NAME.body` are
-- called as if they were in `NAME`.
local function add_class(to, class, parents, fields, head, last)
  local block = {
    head = (head or "") .. "---@class " .. class .. (parents[1] and " : " or "") .. table.concat(
      parents,
      ", "
    ),
  }
  budget.spend(to.doc, #block.head)
  classes.add_fields(to, block, fields, classes.namer(to, "sent", (class:gsub("%.body$", ""))))
  block[#block + 1] = last
  to.blocks[#to.blocks + 1] = block
end

-- Adds the class of a table among the options, and returns the field of that table.
local function add_part(to, class, part, parents, last)
  class = class .. "." .. part.name
  add_class(to, class, parents, part.fields, nil, last)
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

-- The params: a map without known keys is named where any may stand.
local function add_params(to, call, class)
  local free = call.params.free
  local last = free ~= "" and "---@field [string] any # " .. source.line(free) or nil
  call.params.is_in_route = true
  return add_part(to, class, call.params, last and {} or classes.others(to), last)
end

-- The tables among the options, beside the body.
local function parts_of(to, call, class)
  local fields = {}
  if call.params then
    fields[1] = add_params(to, call, class)
  end
  for _, note in ipairs(call.notes) do
    fields[#fields + 1] = { name = note, types = {}, note = "stands for fields of such names" }
  end
  if #call.headers > 0 then
    fields[#fields + 1] = add_part(
      to,
      class,
      { name = "headers", fields = call.headers },
      {},
      ANY_HEADER
    )
  end
  return fields
end

-- Adds the class of the body's properties, which the options and `data` have alike, and returns its name.
local function add_body(to, call, class)
  local body, data = class .. ".body", class .. ".data"
  local parents, last = classes.others(to, call.rest, data)
  add_class(to, body, {}, call.body_fields)
  add_class(to, data, append({ body }, parents), {}, nil, last)
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

local function head_of(call)
  local mark = call.deprecated and " (deprecated)" or ""
  local summary = call.summary and call.summary:find "%S" and ": " .. source.line(call.summary)
    or ""
  return ("---`%s %s`%s%s\n"):format(call.method, source.line(call.path), mark, summary)
end

-- Adds the class of options in which the whole body is `data`. It names nothing that need not be there: that the
-- other class does.
local function add_other(to, class, fields)
  local other = class .. ".with_data"
  local required = only(fields, function(field)
    return field.required
  end)
  add_class(to, other, { to.name .. ".AnyOptions" }, append({ whole_body(class, true) }, required))
  return "|" .. other
end

-- Adds the class of what the plain route takes, and returns its name. A parameter of the query's expression has
-- a type that no value has, and that names the route.
local function add_plain(to, call, class, parents, fields)
  local hint = source.literal("needs the route " .. call.route)
  local plain = only(fields, function(field)
    return not field.is_in_route
  end)
  for _, field in ipairs(fields) do
    if field.is_in_route then
      plain[#plain + 1] = { name = field.name, types = schema.scalars { hint } }
    end
  end
  add_class(to, class .. ".plain", parents, plain)
  return class .. ".plain"
end

-- Adds the classes of a call's options. Returns what its route takes, and what the plain route does, if there is
-- one: each a type.
local function add_options(to, call, class)
  local is_open = call.rest and #call.body_fields > 0 or #call.notes > 0
  local parents, fields, other =
    { to.name .. (is_open and ".OpenOptions" or ".Options") }, append({}, call.fields), ""
  if call.data then
    fields[#fields + 1] = add_part(to, class, call.data, classes.others(to, call.rest, class))
  end
  append(fields, parts_of(to, call, class))
  if #call.body_fields > 0 then
    table.insert(parents, 1, add_body(to, call, class))
    if has_required(call.body_fields) then
      other = add_other(to, class, fields)
    end
    fields[#fields + 1] = whole_body(class)
  end
  if call.plain then
    parents = { add_plain(to, call, class, parents, fields) }
    fields = only(fields, function(field)
      return field.is_in_route
    end)
  end
  add_class(to, class, parents, fields, head_of(call))
  return class .. other, call.plain and parents[1] .. other
end

-- --- answers ----------------------------------------------------------------------

-- The text of what the elements of lists are; nil if something is no list, or not known.
local function element_of(types, class_of)
  local texts = {}
  for _, of in ipairs(types) do
    if of.kind ~= "list" then
      return nil
    end
    texts[#texts + 1] = of.inner[1] and schema.union(of.inner, class_of) or nil
  end
  return texts[1] and table.concat(texts, "|") or nil
end

-- Adds what the responses of a call are: an alias. Returns it, or any, and the type of the elements of a list.
local function add_response(to, call, alias)
  local texts, element = {}, nil
  local namer = classes.namer(to, "received", alias)
  for number, response in ipairs(call.responses) do
    local word = number == 1 and "body" or "body_" .. number
    local function class_of(value)
      return namer(value, word)
    end
    local types = schema.types_of(to.doc, response)
    local text = schema.union(types, class_of)
    if text ~= "" then
      texts[#texts + 1] = text
    end
    element = #call.responses == 1 and element_of(types, class_of) or nil
  end
  if not texts[1] then
    return "any"
  end
  local head = "---@alias " .. alias .. " " .. table.concat(texts, "|")
  to.blocks[#to.blocks + 1] = { head = head }
  budget.spend(to.doc, #head)
  return alias, element
end

-- --- calls ------------------------------------------------------------------------

-- Must a call have options?
local function needs_options(call)
  return has_required(call.fields)
    or has_required(call.body_fields)
    or call.data and (call.data.required or has_required(call.data.fields))
    or call.params and (call.params.required or has_required(call.params.fields))
    or false
end

-- Adds the classes of a call and its routes.
local function add_call(to, call, with_responses)
  local class, answer, element = classes.of_call(to, call), nil, nil
  if to.is_route[call.plain] then
    call.plain = nil
  end
  local options, plain = add_options(to, call, class)
  if with_responses then
    answer, element = add_response(to, call, class .. ".response")
  end
  classes.finish(to)
  routes.add(to.doc, to.routes, call.route, options, needs_options(call), answer, element)
  if plain then
    routes.add(to.doc, to.routes, call.plain, plain, needs_options(call), answer, element)
  end
end

-- --- files ------------------------------------------------------------------------

-- A page is the text of a file, of blocks: lists of lines with a `head` and perhaps a `last` line. `size` counts bytes
-- without the ends of lines.
-- The editor skips files of 500 KB without a word.
local LARGEST_FILE = 2 ^ 18

local MARK = "---@meta _\n-- Written by endpoint-types. Not to be changed by hand.\n"

local function add_line(page, line)
  page[#page + 1], page.size = line, page.size + #line
end

local function new_page(list, head)
  list[#list + 1] = { head, size = #head }
  return list[#list]
end

local function size_of(block)
  local size = #block.head
  for _, line in ipairs(block) do
    size = size + #line
  end
  return size
end

-- Appends a block to the last page, or to a new one. A class that is too long for one goes on
-- in the next under the same name.
local function add_block(list, block)
  local page = list[#list]
  if page and page.size + size_of(block) < LARGEST_FILE then
    add_line(page, "")
    add_line(page, block.head)
  else
    page = new_page(list, block.head)
  end
  for _, line in ipairs(block) do
    if #page > 1 and page.size + #line > LARGEST_FILE then
      page = new_page(list, block.head)
    end
    add_line(page, line)
  end
  if block.last then
    add_line(page, block.last)
  end
end

-- Lists of blocks as a list of texts, one for each file.
local function texts_of(lists)
  local list, texts = {}, {}
  for _, blocks in ipairs(lists) do
    for _, block in ipairs(blocks) do
      add_block(list, block)
    end
  end
  for number, page in ipairs(list) do
    texts[number] = MARK .. "\n" .. table.concat(page, "\n") .. "\n"
  end
  return texts
end

-- The definitions of calls, as a list of texts, one for each file. options: `responses`, true for types of them
-- and of a sender; `open`, true if names that the document does not have are not marked.
function definitions.texts(doc, calls, name, options)
  local to = classes.new(doc, name, options.open)
  to.routes, to.is_route = routes.new(), {}
  for _, call in ipairs(calls) do
    to.is_route[call.route] = true
  end
  for _, call in ipairs(calls) do
    add_call(to, call, options.responses)
  end
  local head, lists = routes.blocks(to.routes, name, options.open)
  return texts_of { head, to.blocks, (table.unpack or unpack)(lists) }
end

return definitions

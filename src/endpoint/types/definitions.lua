-- The calls of an API as definitions for lua-language-server: a class for the options of each
-- call, and a type for the endpoint, which is a function for each route. Checked with it were
-- its versions from 3.19 on.
local definitions = {}

local document = require "endpoint.types.document"
local schema = require "endpoint.types.schema"

-- The editor skips files of 500 KB without a word.
local LARGEST_FILE = 250000

-- The most bytes of a description.
local LONGEST_TEXT = 120

definitions.MARK = "---@meta _\n-- Written by endpoint-types. Not to be changed by hand.\n"

-- --- lines ------------------------------------------------------------------------

-- Text of the document for a comment: one line without tags of HTML, shortened at a space.
function definitions.line_of(text)
  text = text:sub(1, 8 * LONGEST_TEXT):gsub("</?%a%w*>", " "):gsub("[%c%s]+", " ")
  text = document.printable(text):gsub("^ ", ""):gsub(" $", "")
  if #text <= LONGEST_TEXT then return text end
  local short = text:sub(1, LONGEST_TEXT + 1):match "^(.*[^ ]) " or text:sub(1, LONGEST_TEXT):gsub("[\128-\255]+$", "")
  return short .. " ..."
end
local line_of = definitions.line_of

-- These words before a field's name would say who may see it.
local IS_SCOPE = { public = true, protected = true, private = true, package = true }

local function key_of(name)
  if name:find "^[A-Za-z_][A-Za-z0-9_]*$" and not IS_SCOPE[name] then return name end
  return "[" .. schema.literal(name) .. "]"
end

-- What stands behind the type. A "#" begins it, so no text becomes a part of the type; a note
-- can name what the document names.
local function remark_of(field)
  local parts, text = {}, document.text_of(field.description)
  if field.deprecated == true then parts[1] = "deprecated" end
  if field.is_asked then parts[#parts + 1] = "required" end
  parts[#parts + 1] = field.note and line_of(field.note)
  if text and text:find "%S" then parts[#parts + 1] = line_of(text) end
  return #parts > 0 and " # " .. table.concat(parts, "; ") or ""
end

local function field_line(field)
  local mark = field.required and "" or "?"
  return "---@field " .. key_of(field.name) .. mark .. " " .. field.type .. remark_of(field)
end

-- --- classes ------------------------------------------------------------------------

-- Adds the lines of fields to a block. Editors show a hundred: those that must be there come
-- first, deprecated ones last. The first of a name counts.
local function add_fields(block, fields)
  local groups, is_there = { {}, {}, {} }, {}
  for _, field in ipairs(fields) do
    local group = groups[field.required and 1 or field.deprecated and 3 or 2]
    if not is_there[field.name] then group[#group + 1] = field_line(field) end
    is_there[field.name] = true
  end
  for _, group in ipairs(groups) do
    for _, line in ipairs(group) do block[#block + 1] = line end
  end
end

local function has_required(fields)
  for _, field in ipairs(fields) do
    if field.required then return true end
  end
  return false
end

-- Adds the class of a table among the options, and returns the field of that table.
local function add_part(blocks, class, part, last)
  local block = { head = "---@class " .. class .. "." .. part.name }
  add_fields(block, part.fields)
  block[#block + 1] = last
  blocks[#blocks + 1] = block
  return { name = part.name, type = class .. "." .. part.name, note = part.note,
    required = part.required or has_required(part.fields) }
end

-- A header is any other one, too.
local ANY_HEADER = "---@field [string] endpoint.HeaderValue|endpoint.Null|nil"

-- The fields of a call's options, of which its tables have classes.
local function fields_of(blocks, call, class)
  local fields = {}
  for _, field in ipairs(call.fields) do fields[#fields + 1] = field end
  if call.data then fields[#fields + 1] = add_part(blocks, class, call.data) end
  if call.params then fields[#fields + 1] = add_part(blocks, class, call.params) end
  for _, note in ipairs(call.notes) do
    fields[#fields + 1] = { name = note, type = "any", note = "stands for fields of such names" }
  end
  if #call.headers > 0 then
    fields[#fields + 1] = add_part(blocks, class, { name = "headers", fields = call.headers }, ANY_HEADER)
  end
  return fields
end

-- A name for the class of a call that no other has, nor an alias of routes.
local function class_of(call, name, taken)
  local word = (call.id or call.method .. call.path):gsub("[^A-Za-z0-9]+", "_"):sub(1, 100)
  local class, number = name .. "." .. word, 1
  while taken[class] or class:find "%.Routes%d+$" do
    number = number + 1
    class = name .. "." .. word .. "_" .. number
  end
  taken[class] = true
  return class
end

local function head_of(call, class, name)
  local mark = call.deprecated and " (deprecated)" or ""
  local summary = call.summary and call.summary:find "%S" and ": " .. line_of(call.summary) or ""
  return ("---`%s %s`%s%s\n---@class %s : %s.Options"):format(call.method, line_of(call.path), mark, summary, class, name)
end

-- Adds the classes of a call, and returns its function.
local function add_call(blocks, call, name, taken)
  local class = class_of(call, name, taken)
  local fields = fields_of(blocks, call, class)
  local block = { head = head_of(call, class, name) }
  add_fields(block, fields)
  blocks[#blocks + 1] = block
  local mark = has_required(fields) and "" or "?"
  return ("---| fun(route: %s, options%s: %s): endpoint.Request"):format(schema.literal(call.route), mark, class)
end

-- --- files ------------------------------------------------------------------------

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

---@alias NAME.Api
---| NAME.Members
---| fun(options: endpoint.Options): endpoint.Request]]

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

-- The functions as aliases, each of which fits into a file.
local function routes_in(functions, name)
  local blocks = {}
  for _, line in ipairs(functions) do
    local block = blocks[#blocks]
    if not block or block.size + #line > LARGEST_FILE / 2 then
      block = { head = "---@alias " .. name .. ".Routes" .. #blocks + 1, size = 0 }
      blocks[#blocks + 1] = block
    end
    block[#block + 1], block.size = line, block.size + #line + 1
  end
  return blocks
end

-- The definitions of calls, as a list of texts, one for each file.
function definitions.texts(calls, name)
  local taken = { [name .. ".Api"] = true, [name .. ".Options"] = true, [name .. ".Members"] = true,
    [name .. ".Defaults"] = true }
  local blocks, functions, head = {}, {}, { head = HEAD:gsub("NAME", name) }
  for _, call in ipairs(calls) do functions[#functions + 1] = add_call(blocks, call, name, taken) end
  local routes = routes_in(functions, name)
  for number in ipairs(routes) do head[number] = "---| " .. name .. ".Routes" .. number end
  local pages = {}
  add_block(pages, head)
  for _, block in ipairs(blocks) do add_block(pages, block) end
  for _, block in ipairs(routes) do add_block(pages, block) end
  local texts = {}
  for number, page in ipairs(pages) do texts[number] = definitions.MARK .. "\n" .. table.concat(page, "\n") .. "\n" end
  return texts
end

return definitions

-- The reference of all functions: the editor's definitions in src/addon/library as Markdown, of which `make docs`
-- makes a page.
local support = require "support"

local reference = {}
reference.files = support.files("src/addon/library/*.lua", "src/addon/library/endpoint/*.lua")

-- The file that describes a module.
local function file_of(module) return "src/addon/library/" .. module:gsub("%.", "/") .. ".lua" end

-- The name and type behind a tag. An @return has its type first.
local function name_and_type(tag, head)
  if tag == "return" then return head:match " ([%w_]+)$", (head:gsub(" [%w_]+$", "")) end
  if tag == "overload" then return "", head end
  return head:gsub("^%(exact%) ", ""):match "^([^%s:]+):? ?(.*)$"
end

-- Reads one definition, a comment and perhaps the function below it: `tag` (class, alias or
-- function), `name`, `type`, `text`, and `items`, its other tags with the same fields. The
-- text of a tag stands behind " # " or in the lines above the tag.
local function read_block(block)
  local entry, lines = { items = {} }, {}
  for line in block:gmatch "[^\n]+" do
    local tag, rest = line:match "^%-%-%-@(%w+) (.*)$"
    if not tag then
      lines[#lines + 1] = line:match "^%-%-%-(.*)$" -- nil for code
      local signature, name = line:match "^function (([%w_.]+).*) end$"
      if name then entry.tag, entry.name, entry.signature = "function", name, signature end
    else
      local head, tail = rest:match "^(.-) # (.*)$"
      local name, type = name_and_type(tag, head or rest)
      local above = table.concat(lines, "\n")
      lines = {}
      if not entry.text then entry.text, above = above, "" end
      if tag == "class" or tag == "alias" then
        entry.tag, entry.name, entry.type = tag, name, type
      else
        entry.items[#entry.items + 1] = { tag = tag, name = name, type = type, text = tail or above }
      end
    end
  end
  return entry
end

-- The definitions of a file in its order. The text before the first blank line describes the
-- file and defines nothing.
function reference.read(path)
  local entries, source = {}, support.read(path):match "\n\n(.*)$"
  for block in source:gmatch "%-%-%-.-\n\n" do entries[#entries + 1] = read_block(block) end
  return entries
end

-- The sorted names of the functions of endpoint.clients that take a result: the clients.
function reference.clients()
  local names = {}
  for _, entry in ipairs(reference.read(file_of "endpoint.clients")) do
    local first = entry.items[1]
    if entry.tag == "function" and first.name == "r" then names[#names + 1] = entry.name:match "^clients%.(.*)$" end
  end
  table.sort(names)
  return names
end

-- Can what the definition describes be called? An endpoint can.
local function is_function(entry)
  return entry.tag == "function" or entry.type:find "^function" ~= nil
end

-- The first sentence.
local function summary_of(entry)
  return ((entry.text:gsub("\n", " ") .. " "):match "^(.-%.) " or entry.text)
end

local function items_of(entry, tag)
  local items = {}
  for _, item in ipairs(entry.items) do
    if item.tag == tag then items[#items + 1] = item end
  end
  return items
end

-- A function's signature with its types.
local function typed_signature(entry)
  local parameters, results = {}, {}
  for i, item in ipairs(items_of(entry, "param")) do parameters[i] = item.name .. ": " .. item.type end
  for i, item in ipairs(items_of(entry, "return")) do results[i] = item.type end
  local result = #results > 0 and ": " .. table.concat(results, ", ") or ""
  return ("%s(%s)%s"):format(entry.name, table.concat(parameters, ", "), result)
end

-- How the definition is called, or of what type it is: a list.
local function signatures_of(entry)
  local signatures = {}
  if entry.tag == "function" then
    signatures[1] = typed_signature(entry)
  elseif entry.type ~= "" and not is_function(entry) then
    signatures[1] = entry.tag .. ": " .. entry.type
  end
  for _, item in ipairs(items_of(entry, "overload")) do
    if not item.type:find "self:" then -- that is the same with a colon
      signatures[#signatures + 1] = entry.name:gsub("%.Endpoint$", "") .. item.type:sub(4)
    end
  end
  return signatures
end

-- The fields of a class and of those that it inherits from.
local function fields_of(entry, known)
  local fields = known[entry.type] and fields_of(known[entry.type], known) or {}
  for _, item in ipairs(items_of(entry, "field")) do fields[#fields + 1] = item end
  return fields
end

local add_items

-- A line for a parameter, a result or a field, and below it the fields of its class of options or settings.
local function add_item(lines, item, known, indent)
  local name = item.name and ("**`%s`** "):format(item.name) or ""
  lines[#lines + 1] = ("%s- %s`%s`: %s"):format(indent, name, item.type, (item.text:gsub("\n", " ")))
  local is_settings = item.tag == "param" and (item.type:find "Options$" or item.type:find "Settings$")
  local class = is_settings and known[item.type]
  if class then add_items(lines, fields_of(class, known), known, indent .. "    ") end
end

function add_items(lines, items, known, indent)
  for _, item in ipairs(items) do add_item(lines, item, known, indent) end
end

local GROUPS = { { "Parameters", "param" }, { "Returns", "return" }, { "Fields", "field" } }

local function entry_markdown(entry, known)
  local lines = { "### " .. entry.name, "", "```", table.concat(signatures_of(entry), "\n"), "```", "", entry.text, "" }
  if lines[4] == "" then lines = { lines[1], "", entry.text, "" } end
  for _, group in ipairs(GROUPS) do
    local items = group[2] == "field" and entry.type and fields_of(entry, known) or items_of(entry, group[2])
    if #items > 0 then lines[#lines + 1] = "**" .. group[1] .. "**\n" end
    add_items(lines, items, known, "")
    lines[#lines + 1] = ""
  end
  return table.concat(lines, "\n")
end

-- The values of an endpoint are fields of its class, and entries of their own.
local function values_of(entry, known)
  local values = {}
  for _, item in ipairs(entry.name == "endpoint.Endpoint" and entry.items or {}) do
    if item.tag == "field" then
      local value = { tag = "value", name = "endpoint." .. item.name, type = item.type, items = {},
        text = item.text:gsub("^%l", string.upper) .. "." }
      values[#values + 1], known[value.name] = value, value
    end
  end
  return values
end

-- The modules: a list of { title, entries }, the types of all at its end. And all entries by name.
function reference.modules()
  local modules, types, known = {}, {}, {}
  for _, path in ipairs(reference.files) do
    local module = { title = path:match "library/(.*)%.lua":gsub("/", "."), entries = {} }
    modules[#modules + 1] = module
    for _, entry in ipairs(reference.read(path)) do
      known[entry.name] = entry
      local list = (is_function(entry) or entry.name == module.title) and module.entries or types
      list[#list + 1] = entry
      for _, value in ipairs(values_of(entry, known)) do list[#list + 1] = value end
    end
  end
  modules[#modules + 1] = { title = "Types", entries = types }
  return modules, known
end

-- What follows the heading of the index: each entry in a line.
local function index_markdown(modules)
  local lines = {}
  for _, module in ipairs(modules) do
    lines[#lines + 1] = "\n**" .. module.title .. "**\n"
    for _, entry in ipairs(module.entries) do
      lines[#lines + 1] = ("- [`%s`](#%s): %s"):format(entry.name, entry.name, summary_of(entry))
    end
  end
  return table.concat(lines, "\n")
end

-- The whole page, with the usage of the program endpoint-types.
function reference.markdown(usage)
  local modules, known = reference.modules()
  local parts = { "# Functions and types\n", index_markdown(modules),
    "\n**Program**\n\n- [`endpoint-types`](#endpoint-types): Makes a typed module of an OpenAPI document.\n" }
  for _, module in ipairs(modules) do
    parts[#parts + 1] = "## " .. (module.title == "Types" and "Types" or "Module " .. module.title) .. "\n"
    for _, entry in ipairs(module.entries) do parts[#parts + 1] = entry_markdown(entry, known) end
  end
  parts[#parts + 1] = "## The program\n\n### endpoint-types\n\n```\n" .. usage .. "```\n\n[Its page](../docs/openapi.md)\n"
  return table.concat(parts, "\n")
end

return reference

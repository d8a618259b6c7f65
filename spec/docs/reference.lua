-- The reference of all functions: the editor's definitions in src/addon/library as Markdown, of
-- which `make docs` makes a page for each module.
local support = require "support"

local reference = {}
reference.files = support.files("src/addon/library/*.lua", "src/addon/library/endpoint/*.lua")

-- The name and type after a tag. An @return has its type first.
local function name_and_type(tag, head)
  if tag == "return" then
    return head:match " ([%w_]+)$", (head:gsub(" [%w_]+$", ""))
  end
  if tag == "overload" then
    return "", head
  end
  return head:gsub("^%(exact%) ", ""):match "^([^%s:]+):? ?(.*)$"
end

-- A block in which each tag is one line. A type continues on the next line after a bracket, a comma
-- or a colon, as lua-language-server reads it.
local function joined(block)
  local whole = block
  repeat
    local count
    whole, count = whole:gsub("(\n%-%-%-@[^\n]*[(,:])\n%-%-%-([^@])", "%1 %2")
  until count == 0
  return whole
end

-- Reads one definition, a comment and perhaps the function below it: `tag` (class, alias or
-- function), `name`, `type`, `text`, and `items`, its other tags with the same fields. The
-- text of a tag comes after " # " or in the lines above the tag.
local function read_block(block)
  local entry, lines = { items = {} }, {}
  for line in joined(block):gmatch "[^\n]+" do
    local tag, rest = line:match "^%-%-%-@(%w+) (.*)$"
    if not tag then
      lines[#lines + 1] = line:match "^%-%-%-(.*)$" -- nil for code
      local signature, name = line:match "^function (([%w_.]+).*) end$"
      if name then
        entry.tag, entry.name, entry.signature = "function", name, signature
      end
    else
      local head, tail = rest:match "^(.-) # (.*)$"
      local above, name, type = table.concat(lines, "\n"), name_and_type(tag, head or rest)
      lines = {}
      if not entry.text then
        entry.text, above = above, ""
      end
      if tag == "class" or tag == "alias" then
        entry.tag, entry.name, entry.type = tag, name, type
      else
        entry.items[#entry.items + 1] =
          { tag = tag, name = name, type = type, text = tail or above }
      end
    end
  end
  return entry
end

-- The definitions of each file in its order, and all by name. The text before the first blank line
-- describes the file and defines nothing.
local by_file, known = {}, {}
reference.known = known
for i, path in ipairs(reference.files) do
  by_file[i] = {}
  for block in support.read(path):match "\n\n(.*)$":gmatch "%-%-%-.-\n\n" do
    local entry = read_block(block)
    by_file[i][#by_file[i] + 1], known[entry.name] = entry, entry
  end
end

-- The sorted names of the functions of endpoint.clients that take a result: the clients.
function reference.clients()
  local names = {}
  for name, entry in pairs(known) do
    local first = entry.items[1]
    if entry.tag == "function" and first.name == "r" then
      names[#names + 1] = name:match "^clients%.(.*)$"
    end
  end
  table.sort(names)
  return names
end

-- Can what the definition describes be called? An endpoint can.
local function is_function(entry)
  return entry.tag == "function" or entry.type:find "^function" ~= nil
end

local function items_of(entry, tag)
  local items = {}
  for _, item in ipairs(entry.items) do
    if item.tag == tag then
      items[#items + 1] = item
    end
  end
  return items
end

-- How the definition is called, with its types, or of what type it is: a list.
local function signatures_of(entry)
  local signatures, parameters, results = {}, {}, {}
  for i, item in ipairs(items_of(entry, "param")) do
    parameters[i] = item.name .. ": " .. item.type
  end
  for i, item in ipairs(items_of(entry, "return")) do
    results[i] = item.type
  end
  if entry.tag == "function" then
    local result = #results > 0 and ": " .. table.concat(results, ", ") or ""
    signatures[1] = ("%s(%s)%s"):format(entry.name, table.concat(parameters, ", "), result)
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
local function fields_of(entry)
  local fields = known[entry.type] and fields_of(known[entry.type]) or {}
  for _, item in ipairs(items_of(entry, "field")) do
    fields[#fields + 1] = item
  end
  return fields
end

-- A line for each parameter, result or field, and below it the fields of its class of options or
-- settings.
local function add_items(lines, items, indent)
  for _, item in ipairs(items) do
    local name = item.name and ("**`%s`** "):format(item.name) or ""
    lines[#lines + 1] = ("%s- %s`%s`: %s"):format(
      indent,
      name,
      item.type,
      (item.text:gsub("\n", " "))
    )
    local is_settings = item.tag == "param"
      and (item.type:find "Options$" or item.type:find "Settings$")
    local class = is_settings and known[item.type]
    if class then
      add_items(lines, fields_of(class), indent .. "    ")
    end
  end
end

local GROUPS = { { "Parameters", "param" }, { "Returns", "return" }, { "Fields", "field" } }

local function entry_markdown(entry)
  local lines = {
    "## " .. entry.name,
    "",
    "```",
    table.concat(signatures_of(entry), "\n"),
    "```",
    "",
    entry.text,
    "",
  }
  if lines[4] == "" then
    lines = { lines[1], "", entry.text, "" }
  end
  for _, group in ipairs(GROUPS) do
    local items = group[2] == "field" and entry.type and fields_of(entry)
      or items_of(entry, group[2])
    if #items > 0 then
      lines[#lines + 1] = "**" .. group[1] .. "**\n"
    end
    add_items(lines, items, "")
    lines[#lines + 1] = ""
  end
  return table.concat(lines, "\n")
end

-- The entries of a file: what the module is and its functions, and then the types.
local function entries_of(index, name)
  local entries, types = {}, {}
  for _, entry in ipairs(by_file[index]) do
    local list = (is_function(entry) or entry.name == name) and entries or types
    list[#list + 1] = entry
  end
  for _, entry in ipairs(types) do
    entries[#entries + 1] = entry
  end
  return entries
end

-- The page of a module: a line for each entry, with its first sentence, and then the entries.
local function page_of(name, entries)
  local index, sections = { ("# The module %s\n"):format(name) }, {}
  for i, entry in ipairs(entries) do
    local sentence = (entry.text:gsub("\n", " ") .. " "):match "^(.-%.) "
    index[i + 1] = ("- [`%s`](#%s): %s"):format(entry.name, entry.name, sentence or entry.text)
    sections[i] = entry_markdown(entry)
  end
  return table.concat(index, "\n") .. "\n\n" .. table.concat(sections, "\n")
end

-- The page of each module, by its name.
function reference.pages()
  local pages = {}
  for i, path in ipairs(reference.files) do
    local name = path:match "library/(.*)%.lua":gsub("/", ".")
    pages[name] = page_of(name, entries_of(i, name))
  end
  return pages
end

-- Writes them into a directory: endpoint.md, endpoint.clients.md.
function reference.write(directory)
  for name, page in pairs(reference.pages()) do
    support.write(directory .. "/" .. name .. ".md", page)
  end
end

return reference

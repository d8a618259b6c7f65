-- The reference: the editor's definitions in src/addon/library as one page of HTML, from
-- build/docs.
local endpoint = require "endpoint"
local support = require "support"

local reference = {}
reference.files = { "src/addon/library/endpoint.lua", "src/addon/library/endpoint/clients.lua" }

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
  for _, entry in ipairs(reference.read(reference.files[2])) do
    local first = entry.items[1]
    if entry.tag == "function" and first.name == "r" then names[#names + 1] = entry.name:match "^clients%.(.*)$" end
  end
  table.sort(names)
  return names
end

local function escaped(text)
  return (text:gsub("[&<>]", { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;" }))
end

local function inline(text)
  return (escaped(text):gsub("`([^`]+)`", "<code>%1</code>"):gsub("%*%*(%a[^*]*)%*%*", "<b>%1</b>"))
end

local function prose(text)
  local parts = {}
  for paragraph in (text .. "\n\n"):gmatch "%s*(.-)\n\n" do
    local list, count = ("\n" .. inline(paragraph)):gsub("\n ?%- ", "\n<li>")
    parts[#parts + 1] = count > 0 and "<ul>" .. list .. "</ul>" or "<p>" .. list .. "</p>"
  end
  return table.concat(parts, "\n")
end

-- The Markdown that the definitions use: paragraphs, lists, and fenced blocks of code.
local function markdown(text)
  local parts = {}
  local rest = (text .. "\n"):gsub("(.-)\n```lua\n(.-)```\n", function(before, code)
    parts[#parts + 1] = prose(before) .. "\n<pre>" .. escaped(code) .. "</pre>"
    return ""
  end)
  return table.concat(parts, "\n") .. prose(rest)
end

-- A type, in which each name of `known` is a link.
local function type_html(type, known)
  return "<code>" .. escaped(type):gsub("endpoint%.[%w_.]+", function(name)
    return known[name] and ('<a href="#%s">%s</a>'):format(name, name)
  end) .. "</code>"
end

-- A parameter, a result or a field.
local function item_html(item, known)
  local name = item.name and "<b><code>" .. escaped(item.name) .. "</code></b> " or ""
  return ("<dt>%s%s <small>%s</small>\n<dd>%s"):format(name, type_html(item.type, known), item.tag, inline(item.text))
end

-- Can what the definition describes be called? An endpoint can.
local function is_function(entry)
  return entry.tag == "function" or entry.type:find "^function" ~= nil
end

-- How the definition is called, or of what type it is: a list.
local function signatures_of(entry)
  local signatures = { entry.signature }
  if not is_function(entry) and entry.type ~= "" then signatures[1] = entry.tag .. ": " .. entry.type end
  for _, item in ipairs(entry.items) do
    if item.tag == "overload" and not item.type:find "self:" then -- that is the same with a colon
      signatures[#signatures + 1] = entry.name:gsub("%.Endpoint$", "") .. item.type:sub(4)
    end
  end
  return signatures
end

local function entry_html(entry, known)
  local lines, items = { ('<h3 id="%s">%s</h3>'):format(entry.name, entry.name) }, {}
  for _, signature in ipairs(signatures_of(entry)) do lines[#lines + 1] = "<p>" .. type_html(signature, known) end
  lines[#lines + 1] = markdown(entry.text)
  for _, item in ipairs(entry.items) do
    if item.tag ~= "overload" then items[#items + 1] = item_html(item, known) end
  end
  if #items > 0 then lines[#lines + 1] = "<dl>\n" .. table.concat(items, "\n") .. "\n</dl>" end
  return table.concat(lines, "\n") .. "\n"
end

-- The index and the sections of the functions, or of the other definitions.
local function group_html(entries, title, functions, known)
  local links, sections = {}, {}
  for _, entry in ipairs(entries) do
    if is_function(entry) == functions then
      links[#links + 1] = ('<li><a href="#%s">%s</a>'):format(entry.name, entry.name)
      sections[#sections + 1] = entry_html(entry, known)
    end
  end
  return ("<h2>%s</h2>\n<ul class=index>\n%s\n</ul>\n"):format(title, table.concat(links, "\n")),
    ("<h2>%s</h2>\n%s"):format(title, table.concat(sections))
end

local PAGE = [[
<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>endpoint $version: reference</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><style>
body { max-width: 48em; margin: 0 auto; padding: 0 1em 2em; font-family: sans-serif; line-height: 1.45 }
body { overflow-wrap: anywhere }
header { position: sticky; top: 0; padding: 0.5em 0; background: #fff; border-bottom: 1px solid #ccc }
header a { margin-left: 1em } h2, h3 { scroll-margin-top: 3em } h3 { border-top: 1px solid #ccc; padding-top: 0.8em }
pre, code { background: #f4f4f4; font-family: monospace, monospace; font-size: 0.88em }
pre { padding: 0.6em; overflow: auto; overflow-wrap: normal } .index { padding: 0; list-style: none; columns: 18em }
small { color: #666 } dt { margin-top: 0.6em } dd { margin-left: 1.5em }
</style></head><body>
<header><b>endpoint $version</b> <a href="#index">Index</a> <a href="../../README.md">README</a></header>
<h1 id="index">Reference</h1>
<p>The guides: <a href="../../README.md">README</a> · <a href="../../docs/guide.md">How do I say it</a> ·
<a href="../../docs/clients.md">Clients</a> · <a href="../../docs/embedding.md">Linking it into a program</a> ·
<a href="../../docs/nginx.md">OpenResty and nginx</a> · <a href="../../examples/README.md">Programs</a></p>
$functions_index$types_index$functions$types</body></html>
]]

-- The page of all definitions.
function reference.html()
  local known, entries, parts = {}, {}, { version = endpoint._VERSION }
  for _, path in ipairs(reference.files) do
    for _, entry in ipairs(reference.read(path)) do entries[#entries + 1], known[entry.name] = entry, true end
  end
  parts.functions_index, parts.functions = group_html(entries, "Functions", true, known)
  parts.types_index, parts.types = group_html(entries, "Types", false, known)
  return (PAGE:gsub("%$([%a_]+)", parts))
end

return reference

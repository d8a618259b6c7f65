-- The reference: the editor's definitions in src/addon/library as one page of HTML.
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

local function entry_html(entry, known)
  local signatures, rows = { entry.signature or entry.type ~= "" and entry.tag .. ": " .. entry.type or nil }, {}
  for _, item in ipairs(entry.items) do
    if item.tag ~= "overload" then
      rows[#rows + 1] = ("<tr><td>%s<td><code>%s</code><td>%s<td>%s"):format(item.tag, item.name or "",
        type_html(item.type, known), inline(item.text))
    elseif not item.type:find "self:" then -- the same with a colon
      signatures[#signatures + 1] = entry.name:gsub("%.Endpoint$", "") .. item.type:sub(4)
    end
  end
  for i, signature in ipairs(signatures) do signatures[i] = "<p>" .. type_html(signature, known) end
  return ('<h2 id="%s">%s</h2>\n%s\n%s\n<table>\n%s\n</table>\n'):format(entry.name, entry.name,
    table.concat(signatures, "\n"), markdown(entry.text), table.concat(rows, "\n"))
end

local PAGE = [[
<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>endpoint: reference</title><style>
body { max-width: 60em; margin: 2em auto; padding: 0 1em; font-family: sans-serif; line-height: 1.4 }
pre, code { background: #f4f4f4 } pre { padding: 0.6em; overflow: auto }
h2 { border-top: 1px solid #ccc; padding-top: 0.6em } td { padding: 0.2em 0.8em 0.2em 0; vertical-align: top }
</style></head><body><h1>endpoint: reference</h1><p>%s</p>
%s</body></html>
]]

-- The page of all definitions.
function reference.html()
  local known, links, sections, entries = {}, {}, {}, {}
  for _, path in ipairs(reference.files) do
    for _, entry in ipairs(reference.read(path)) do
      entries[#entries + 1], known[entry.name] = entry, true
      links[#links + 1] = ('<a href="#%s">%s</a>'):format(entry.name, entry.name)
    end
  end
  for i, entry in ipairs(entries) do sections[i] = entry_html(entry, known) end
  return PAGE:format(table.concat(links, " · "), table.concat(sections))
end

return reference

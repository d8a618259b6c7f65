-- Writes the documents and the reference as pages of HTML, by cmark-gfm. A link that leads nowhere raises.
-- Usage: lua spec/docs/site.lua DIRECTORY, with the usage of endpoint-types as standard input
local endpoint = require "endpoint"
local json = require "cjson"
local reference = require "docs.reference"
local support = require "support"

local directory = arg[1]

local TEMPLATE = [[
<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>$title · endpoint $version</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><style>
:root { color-scheme: light dark; --text: #1b1f24; --back: #fff; --soft: #f3f4f6; --line: #d4d7dc; --link: #0b57b0;
  --weak: #5b636e }
@media (prefers-color-scheme: dark) { :root { --text: #dfe3e8; --back: #14171b; --soft: #20252b; --line: #3a4149;
  --link: #7db4ff; --weak: #9aa4af } }
* { box-sizing: border-box }
body { margin: 0; background: var(--back); color: var(--text); font: 1rem/1.55 system-ui, sans-serif;
  overflow-wrap: break-word }
a { color: var(--link) } header, main { padding: 0 1rem } main { max-width: 60rem; padding-bottom: 4rem }
header { border-bottom: 1px solid var(--line); padding-bottom: .6rem }
header > b { display: block; padding: .6rem 0 }
nav ul { list-style: none; margin: .4rem 0 1rem; padding: 0 } nav a { text-decoration: none }
nav li { padding: .1rem 0 } nav li.deep { padding-left: .8rem; font-size: .9rem }
input { width: 100%; padding: .45rem .6rem; font: inherit; color: inherit; background: var(--soft);
  border: 1px solid var(--line); border-radius: .3rem }
#found a { display: block; padding: .3rem .2rem; border-bottom: 1px solid var(--line) }
#found small { display: block; color: var(--weak) } summary { cursor: pointer; padding: .5rem 0 }
h1, h2, h3 { line-height: 1.25; scroll-margin-top: 1rem; overflow-wrap: anywhere } h1 { font-size: 1.6rem }
h2 { margin-top: 2.2rem; border-bottom: 1px solid var(--line); padding-bottom: .2rem } h3 { margin-top: 2rem }
code, pre { font-family: ui-monospace, monospace; font-size: .88em; background: var(--soft); border-radius: .2rem }
code { padding: .1em .25em; overflow-wrap: anywhere } table code { overflow-wrap: normal }
pre { padding: .7rem; overflow-x: auto } pre > code:not([class]) { white-space: pre-wrap }
pre code { padding: 0; font-size: 1em; overflow-wrap: normal } main li { margin: .2rem 0 }
table { display: block; overflow-x: auto; border-collapse: collapse; margin: .8rem 0 } td { min-width: 6rem }
th, td { border: 1px solid var(--line); padding: .3rem .5rem; text-align: left; vertical-align: top }
img { max-width: 100%; height: auto }
@media (min-width: 60rem) {
  body { display: grid; grid-template-columns: 18rem minmax(0, 1fr) }
  header { position: sticky; top: 0; height: 100vh; overflow-y: auto; border: 0; border-right: 1px solid var(--line) }
  main { padding: 0 2.5rem 4rem }
}
</style></head><body>
<header><b><a href="index.html">endpoint $version</a></b>
<input id="search" type="search" placeholder="Search" aria-label="Search"><div id="found"></div>
<details id="menu"><summary>Contents</summary><nav>$menu</nav></details></header>
<main>
$content
</main>
<script src="search.js"></script><script>
const box = document.querySelector("#search"), list = document.querySelector("#found")
box.oninput = () => {
  const words = box.value.toLowerCase().split(/\s+/).filter(Boolean)
  const has = (text) => words.every((word) => text.toLowerCase().includes(word))
  const hits = words.length ? PLACES.filter(([title, , text]) => has(title + " " + text)) : []
  hits.sort((a, b) => has(b[0]) - has(a[0]) || a[0].length - b[0].length)
  list.replaceChildren(...hits.slice(0, 25).map(([title, href, text]) => {
    const link = document.createElement("a"), small = document.createElement("small")
    link.href = href, small.append(text), link.append(title, small)
    return link
  }))
}
document.querySelector("#menu").open = matchMedia("(min-width: 60rem)").matches
</script></body></html>
]]

-- The pages in their order, and by path: { path, page, source }. Links are relative to the path, the source is
-- its Markdown.
local pages, by_path = {}, {}

-- docs/guide.md is guide.html; README.md, examples/README.md and the like have the names of their folders.
local function page_of(path)
  local folder, name = ("/" .. path):match "([%w_]*)/([%w_-]+)%.md$"
  return (name == "README" and folder ~= "" and folder or name):lower() .. ".html"
end

-- The path of a link that a document has, without "..".
local function resolve(path, link)
  path = (path:match "^(.*/)" or "") .. link
  repeat
    local count
    path, count = path:gsub("[^/]+/%.%./", "", 1)
  until count == 0
  return path
end

local function add_page(path, page, source)
  if by_path[path] then return end
  by_path[path] = { path = path, page = page or page_of(path), source = source or path }
  pages[#pages + 1] = by_path[path]
end

local function run(command)
  local pipe = assert(io.popen(command))
  local text = pipe:read "*a"
  assert(pipe:close(), command)
  return text
end

local ENTITIES = { ["&lt;"] = "<", ["&gt;"] = ">", ["&amp;"] = "&", ["&quot;"] = '"' }
local function plain(html) return (html:gsub("<[^>]*>", ""):gsub("&%a+;", ENTITIES)) end

-- --- one page

-- The words of a heading as hosting sites make its anchor; an entry of the reference has its name.
local function anchor_of(page, title)
  if page == "api.html" and not title:find " " then return title end
  return (title:lower():gsub("[^%w %-_]", ""):gsub(" ", "-"))
end

-- Gives each heading its anchor, and the page its `title`, `headings` and `anchors`.
local function with_anchors(page, html)
  page.headings, page.anchors = {}, {}
  return (html:gsub("<h([123])>(.-)</h%1>()", function(level, inner, behind)
    local title = plain(inner)
    local anchor = anchor_of(page.page, title)
    page.title = page.title or title
    page.anchors[anchor] = true
    local said = plain(html:match("^%s*<p>(.-)</p>", behind) or "")
    said = said:match "^(.-%.)%s" or said
    page.headings[#page.headings + 1] = { title = title, anchor = anchor, text = said }
    return ('<h%s id="%s">%s</h%s>'):format(level, anchor, inner, level)
  end))
end

-- Links in the tree become links to pages. Other files are copied, as text that a browser shows.
local function link_of(page, link)
  local file, anchor = link:match "^([^#]*)(.*)$"
  if file:find "^%a+:" then return link end
  local path = file == "" and page.path or resolve(page.path, file)
  local target = by_path[path] or by_path[path:gsub("%.html$", ".md")]
  if target then
    page.links[#page.links + 1] = { target, anchor:sub(2), link }
    return target.page .. anchor
  end
  local name = path:find "%.png$" and path or "files/" .. path .. ".txt"
  run(("install -D -m 644 '%s' '%s/%s'"):format(path, directory, name))
  return name
end

local function with_links(page, html)
  page.links = {}
  return (html:gsub(' (%l+)="([^"]*)"', function(name, link) -- in text a quotation mark is &quot;
    return (name == "href" or name == "src") and (' %s="%s"'):format(name, link_of(page, link)) or nil
  end))
end

-- The types in signatures, and those of parameters, results and fields, become links.
local function with_types(html, known)
  local function link(name)
    return known[name] and known[name].type and ('<a href="#%s">%s</a>'):format(name, name)
  end
  for _, before in ipairs { "<pre><code>", "</strong> <code>", "<li><code>" } do
    html = html:gsub(before .. "[^<]*", function(text) return (text:gsub("endpoint%.[%w_.]*[%w_]", link)) end)
  end
  return html
end

local function render(page, known)
  local html = run("cmark-gfm -e table " .. page.source)
  assert(not html:find("raw HTML omitted", 1, true), page.path)
  html = with_links(page, with_anchors(page, html))
  if page.page == "api.html" then html = with_types(html, known) end
  if page.page == "index.html" then
    html = html .. '<p><a href="api.html">Functions and types</a>: each with its parameters, results and errors</p>\n'
  end
  page.html = html
end

-- The sidebar: all pages, and the headings of this one below it.
local function menu_of(page)
  local lines = { "<ul>" }
  for _, other in ipairs(pages) do
    lines[#lines + 1] = ('<li><a href="%s">%s</a>'):format(other.page, (other.title:gsub(":.*", ""):gsub("<", "&lt;")))
    for i, heading in ipairs(other == page and page.headings or {}) do
      local item = ('<li class="deep"><a href="#%s">%s</a>'):format(heading.anchor, (heading.title:gsub("<", "&lt;")))
      lines[#lines + 1] = i > 1 and item or nil
    end
  end
  return table.concat(lines, "\n") .. "</ul>"
end

-- --- all pages

local api = directory .. "/api.md"
local text, known = reference.markdown(io.read "*a")
support.write(api, text)
add_page("docs/README.md", "index.html")
add_page "README.md"
add_page("docs/api.md", "api.html", api)
for link in support.read "docs/README.md":gmatch "%]%(([^)#]*%.md)%)" do add_page(resolve("docs/README.md", link)) end
for _, page in ipairs(pages) do render(page, known) end
os.remove(api)

local places = {}
for _, page in ipairs(pages) do
  for _, link in ipairs(page.links) do
    assert(link[2] == "" or link[1].anchors[link[2]], page.path .. ": no heading for " .. link[3])
  end
  for i, heading in ipairs(page.headings) do
    local title = i == 1 and heading.title or heading.title .. " · " .. page.title:gsub(":.*", "")
    places[#places + 1] = { title, page.page .. "#" .. heading.anchor, heading.text }
  end
  local parts = { title = page.title, version = endpoint._VERSION, menu = menu_of(page), content = page.html }
  support.write(directory .. "/" .. page.page, (TEMPLATE:gsub("%$(%l+)", parts)))
end
support.write(directory .. "/search.js", "const PLACES = " .. json.encode(places) .. "\n")
print(("%d pages, %d places to search for"):format(#pages, #places))

-- Writes the documents and the reference as pages of HTML, by cmark-gfm. A link that leads nowhere raises.
-- Usage: lua spec/docs/site.lua DIRECTORY, with the usage of endpoint-types as standard input
local endpoint = require "endpoint"
local json = require "cjson"
local reference = require "docs.reference"
local support = require "support"

local directory = arg[1]
local unpack = support.unpack

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

local function quoted(text) return "'" .. text:gsub("'", "'\\''") .. "'" end

local ENTITIES = { ["&lt;"] = "<", ["&gt;"] = ">", ["&amp;"] = "&", ["&quot;"] = '"' }
local function plain(html) return (html:gsub("<[^>]*>", ""):gsub("&%a+;", ENTITIES)) end

-- --- what pages have beside their text

local STEPS = { { "You give", "a route, <code>GET /orgs/{org}/repos</code>, and parameters" },
  { "find", "the route's template, compiled once" },
  { "read", "options and parameters over the defaults" },
  { "write", "path, query, body: each value encoded for its place" },
  { "judge", "the finished URL: no <code>..</code>, nothing missing, no other host" },
  { "dress", "headers, <code>accept</code>; no default leaves home" },
  { "You get", "<code>method url headers body</code>; <code>endpoint.request</code> or any client sends it" } }

local function way_of_a_call()
  local items = {}
  for i, step in ipairs(STEPS) do items[i] = ("<li><b>%s</b> %s"):format(step[1], step[2]) end
  return '<p><a href="api.html">Functions and types</a>: each with its parameters, results and errors</p>\n'
    .. '<h2>The way of a call</h2>\n<ol class="way">' .. table.concat(items, "\n") .. "</ol>\n"
end

-- Bars, made of the rows of the page's table that has octokit's times: nanoseconds a call.
local function plot_of(text)
  local rows, most = {}, 0
  local times = text:match "| octokit |\n|[-|]*|(\n.-\n)\n"
  for call, lua, jit, octokit in times:gmatch "\n| ([^|]-) | (%d+) | [%d.]+ | (%d+) | [%d.]+ | (%d+) |" do
    rows[#rows + 1] = { call:gsub("`([^`]*)`", "<code>%1</code>"), tonumber(lua), tonumber(jit), tonumber(octokit) }
    most = math.max(most, unpack(rows[#rows], 2))
  end
  assert(#rows > 8, "expected the table of times")
  for i, row in ipairs(rows) do
    local bars = {}
    for column, name in ipairs { "Lua 5.4", "LuaJIT", "octokit" } do
      local time = row[column + 1]
      bars[column] = ('<i class="%s" style="--n: %.2f">%d %s</i>'):format(("abc"):sub(column, column), 100 * time / most,
        time, name)
    end
    rows[i] = "<span>" .. row[1] .. "</span><div>" .. table.concat(bars) .. "</div>"
  end
  return '<p>Nanoseconds a call:</p>\n<div class="plot">' .. table.concat(rows, "\n") .. "</div>\n"
end

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
    page.headings[#page.headings + 1] = { level = tonumber(level), title = title, anchor = anchor, text = said }
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
  run(("mkdir -p %s && cp %s %s"):format(quoted(directory .. "/" .. name:match "^(.*)/" or ""), quoted(path),
    quoted(directory .. "/" .. name)))
  return name
end

local function with_links(page, html)
  page.links = {}
  return (html:gsub(' (%a+)="([^"]*)"', function(name, link) -- in text a quotation mark is &quot;
    if name == "href" or name == "src" then return (' %s="%s"'):format(name, link_of(page, link)) end
  end))
end

-- Tables may be wider than a phone.
local function with_tables(html)
  return (html:gsub("<table>(.-)</table>", function(inner)
    local columns = select(2, inner:match "<tr>(.-)</tr>":gsub("<th", ""))
    return ('<div class="scroll"><table%s>%s</table></div>'):format(columns > 2 and ' class="wide"' or "", inner)
  end))
end

-- Signatures, and the types of parameters, results and fields.
local TYPED = { "<pre><code>", "</strong> <code>", "<li><code>" }

local function with_types(html, known)
  local function link(name)
    return known[name] and known[name].type and ('<a href="#%s">%s</a>'):format(name, name)
  end
  for _, before in ipairs(TYPED) do
    html = html:gsub(before .. "[^<]*", function(text) return (text:gsub("endpoint%.[%w_.]*[%w_]", link)) end)
  end
  return html
end

local function render(page, known)
  local html = run("cmark-gfm -e table " .. page.source)
  assert(not html:find("raw HTML omitted", 1, true), page.path)
  html = with_tables(with_links(page, with_anchors(page, html)))
  if page.page == "api.html" then html = with_types(html, known) end
  if page.page == "index.html" then html = html .. way_of_a_call() end
  if page.page == "benchmarks.html" then
    html = html:gsub('\n<div class="scroll">', function(tag) return "\n" .. plot_of(support.read(page.path)) .. tag end, 1)
  end
  page.html = html
end

-- The sidebar: all pages, and the headings of this one below it.
local function menu_of(page)
  local lines = { "<ul>" }
  for _, other in ipairs(pages) do
    lines[#lines + 1] = ('<li><a href="%s">%s</a>'):format(other.page, (other.title:gsub(":.*", ""):gsub("<", "&lt;")))
    for _, heading in ipairs(other == page and page.headings or {}) do
      local title = heading.title:gsub("<", "&lt;")
      local item = ('<li class="deep"><a href="#%s">%s</a>'):format(heading.anchor, title)
      lines[#lines + 1] = heading.level > 1 and item or nil
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

local template, places = support.read "spec/docs/site.html", {}
for _, page in ipairs(pages) do
  for _, link in ipairs(page.links) do
    assert(link[2] == "" or link[1].anchors[link[2]], page.path .. ": no heading for " .. link[3])
  end
  for _, heading in ipairs(page.headings) do
    local title = heading.level == 1 and heading.title or heading.title .. " · " .. page.title:gsub(":.*", "")
    places[#places + 1] = { title, page.page .. "#" .. heading.anchor, heading.text }
  end
  local parts = { title = page.title, version = endpoint._VERSION, menu = menu_of(page), content = page.html }
  support.write(directory .. "/" .. page.page, (template:gsub("%$(%l+)", parts)))
end
support.write(directory .. "/search.js", "const PLACES = " .. json.encode(places) .. "\n")
print(("%d pages, %d places to search for"):format(#pages, #places))

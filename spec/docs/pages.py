"""What MkDocs lacks: links that leave docs/, checked anchors and headings, synonyms, and a search
without a web server.
"""
import glob
import json
import os
import re

from mkdocs.structure.files import File, Files
from pymdownx.slugs import slugify

REFERENCE = "build/api/"
MODULES = [os.path.basename(path)[:-3] for path in glob.glob(REFERENCE + "*.md")]
SEARCH = """var __search = {
  transform: text => text.replace(/\\W+/g, " "),
  index: Promise.resolve(%s),
  worker: URL.createObjectURL(new Blob([%s])),
}
"""
# Material's links are hard to read in its dark mode. A line of text has at most 75 characters, but
# a table and an example may be wider. Code in a table is as large as the text beside it.
HEAD = """<style>
[data-md-color-scheme=slate] { --md-typeset-a-color: #8ab4f8 }
.md-grid { max-width: 72rem }
.md-typeset :is(p, ul, ol, blockquote) { max-width: 75ch }
.md-typeset table:not([class]) { font-size: .72rem }
.md-typeset table:not([class]) code { font-size: 1em; word-break: normal }
.md-typeset :is(h1, h2, h3, p, li) { overflow-wrap: anywhere }
</style>
<script>
// Material remembers the colors of the first visit. Here the system chooses them, until a reader has.
try {
  if (!localStorage.getItem("colors"))
    for (const key of Object.keys(localStorage))
      if (key.endsWith("__palette")) localStorage.removeItem(key)
  addEventListener("change", event => {
    if (event.isTrusted && event.target.name === "__palette")
      localStorage.setItem("colors", "chosen")
  })
} catch {} // a page that is opened from disk may have no memory
</script>
<script src="%ssearch.js"></script></head>"""
anchors, links, wrong = {}, [], []


def beside(path, link):
    return os.path.normpath(os.path.join(os.path.dirname(path), link))


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def pages_of(nav):
    """The paths in a navigation, whose groups are lists."""
    for entry in nav:
        for value in entry.values():
            yield from pages_of(value) if isinstance(value, list) else [value]


def on_files(files, config):
    """All files that links lead to. Sources get names that a browser shows as text."""
    paths = list(pages_of(config["nav"]))
    for path in paths:  # the list grows
        for link in re.findall(r"\]\(([^)#:]+)", read(path)) if path.endswith(".md") else []:
            if os.path.isfile(beside(path, link)) and beside(path, link) not in paths:
                paths.append(beside(path, link))
    found = [
        file
        for file in files
        if file.src_uri.startswith("assets/") and not re.search(r"lunr|\.map$", file.src_uri)
    ]
    for path in paths:
        file = File(path, ".", config["site_dir"], False)
        name = re.sub(r"^(\.|build/)", "", file.dest_uri)
        file.dest_uri = file.url = re.sub(r"\.(?!html$|png$|svg$)\w+$", r"\g<0>.txt", name)
        file.abs_dest_path = os.path.join(config["site_dir"], file.dest_uri)
        found.append(file)
    return Files(found)


def on_page_markdown(markdown, page, config, files):
    """Anchors are as GitHub makes them; in the reference they are names of Lua. Only GitHub knows a
    file's name after ```lua, and only GitHub wants a | of code in a table escaped.
    """
    if page.file.src_uri.startswith(REFERENCE):
        name_of = lambda title, dash: title.replace(" ", dash)
    else:
        name_of = slugify(case="lower")
    config["mdx_configs"]["toc"] = {"slugify": name_of}
    return re.sub(r"(?m)^( *```\w+) (\S+)$", r'\1 title="\2"', markdown).replace(r"\|", "|")


def type_link(name):
    module = max((path for path in MODULES if name.startswith(path + ".")), key=len)
    return f'<a href="{module}.html#{name}">{name}</a>'


def on_page_content(html, page, config, files):
    """A type that the reference names in code is a link to its entry, which is on the page of its
    module.
    """
    if page.file.src_uri.startswith(REFERENCE):
        type_in_code = r"\bendpoint(?:\.\w+)?\.[A-Z]\w*(?=[^<]*</code>(?!</a>))"
        return re.sub(type_in_code, lambda found: type_link(found.group(0)), html)


def on_post_page(output, page, config):
    if len(re.findall(r"<h1\b", output)) != 1:
        wrong.append(f"{page.url}: not one h1")
    anchors[page.url] = re.findall(r' id="([^"]*)"', output)
    for link, anchor in re.findall(r' (?:href|src)="([^":#]*)#?([^":]*)"', output):
        links.append((page.url, beside(page.url, link) if link else page.url, anchor))
    return output.replace("</head>", HEAD % ("../" * page.url.count("/")))


def on_post_build(config):
    """A page that is opened from disk may not load the index and the worker of the search. So a
    script contains both.
    """
    os.chdir(config["site_dir"])
    worker = read(glob.glob("assets/javascripts/workers/search*.js")[0])
    index = json.loads(read("search/search_index.json"))
    synonyms = config["extra"]["synonyms"]
    for entry in index["docs"]:
        source = re.sub(r"\.html$", ".md", entry["location"])
        if source in synonyms:
            entry["tags"] = re.split("[ -]", " ".join(synonyms[source]))
    text = json.dumps(index, ensure_ascii=False)
    with open("search/search_index.json", "w", encoding="utf-8") as file:
        file.write(text)
    with open("search.js", "w", encoding="utf-8") as file:
        file.write(SEARCH % (text, json.dumps(worker)))
    dead = [
        f"{page}: {path}#{anchor}"
        for page, path, anchor in links
        if not os.path.exists(path) or anchor and anchor not in anchors[path]
    ]
    if dead:
        raise SystemExit("Links that lead nowhere, as PAGE: LINK:\n" + "\n".join(dead))
    if wrong:
        raise SystemExit("\n".join(wrong))

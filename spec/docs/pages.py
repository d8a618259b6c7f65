"""What MkDocs lacks for the pages: links that leave docs/, checked anchors, and a search without a web server."""
import glob
import json
import os
import re

from mkdocs.structure.files import File, Files
from pymdownx.slugs import slugify

REFERENCE = "build/api.md"
SEARCH = """var __search = {
  transform: text => text.replace(/\\W+/g, " "),
  index: Promise.resolve(%s),
  worker: URL.createObjectURL(new Blob([%s])),
}
"""
# In the dark, Material's links are too dark to be read.
HEAD = """<style>[data-md-color-scheme=slate] { --md-typeset-a-color: #8ab4f8 }</style>
<script src="%ssearch.js"></script></head>"""
anchors, links = {}, []


def beside(path, link):
    return os.path.normpath(os.path.join(os.path.dirname(path), link))


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def on_files(files, config):
    """All that links lead to. Sources get names that a browser shows as text."""
    paths = ["docs/README.md", "README.md", REFERENCE]
    for path in paths:  # the list grows
        for link in re.findall(r"\]\(([^)#:]+)", read(path)) if path.endswith(".md") else []:
            if os.path.isfile(beside(path, link)) and beside(path, link) not in paths:
                paths.append(beside(path, link))
    config["nav"] = [path for path in paths if path.endswith(".md")]
    found = [file for file in files if file.src_uri.startswith("assets/") and not re.search(r"lunr|\.map$", file.src_uri)]
    for path in paths:
        file = File(path, ".", config["site_dir"], False)
        name = re.sub(r"^(\.|build/)", "", file.dest_uri)
        file.dest_uri = file.url = re.sub(r"\.(?!html$|png$|svg$)\w+$", r"\g<0>.txt", name)
        file.abs_dest_path = os.path.join(config["site_dir"], file.dest_uri)
        found.append(file)
    return Files(found)


def on_page_markdown(markdown, page, config, files):
    """Anchors are as GitHub makes them, or names in the reference. GitHub alone knows a file's name behind ```lua, and
    wants a | of code in a table escaped.
    """
    is_reference = page.file.src_uri == REFERENCE
    name_of = (lambda title, dash: title.replace(" ", dash)) if is_reference else slugify(case="lower")
    config["mdx_configs"]["toc"] = {"slugify": name_of}
    return re.sub(r"(?m)^( *```\w+) (\S+)$", r'\1 title="\2"', markdown).replace(r"\|", "|")


def on_page_content(html, page, config, files):
    """A type that the reference names in code is a link to its entry."""
    if page.file.src_uri == REFERENCE:
        return re.sub(r"\bendpoint(?:\.\w+)?\.[A-Z]\w*(?=[^<]*</code>(?!</a>))", r'<a href="#\g<0>">\g<0></a>', html)


def on_post_page(output, page, config):
    anchors[page.url] = re.findall(r' id="([^"]*)"', output)
    for link, anchor in re.findall(r' (?:href|src)="([^":#]*)#?([^":]*)"', output):
        links.append((page.url, beside(page.url, link) if link else page.url, anchor))
    return output.replace("</head>", HEAD % ("../" * page.url.count("/")))


def on_post_build(config):
    """Opened from disk, a page may not load the index and the worker of the search: a script holds both."""
    os.chdir(config["site_dir"])
    worker = read(glob.glob("assets/javascripts/workers/search*.js")[0])
    with open("search.js", "w", encoding="utf-8") as file:
        file.write(SEARCH % (read("search/search_index.json"), json.dumps(worker)))
    dead = [f"{page}: {path}#{anchor}" for page, path, anchor in links
            if not os.path.exists(path) or anchor and anchor not in anchors[path]]
    if dead:
        raise SystemExit("Links that lead nowhere, behind their pages:\n" + "\n".join(dead))

"""Sphinx's settings for `./dev site`: the pages as they are, with search, and without a network."""
import re

project = "stepsim"
extensions = ["myst_parser"]
root_doc = "index"
myst_heading_anchors = 3
html_theme = "sphinx_rtd_theme"
html_theme_options = {"navigation_depth": 2}
html_static_path = ["site"]
html_css_files = ["tables.css"]
html_show_copyright = False
html_copy_source = False


def contents_of(index):
    """The contents list that Sphinx wants, from the links below each heading of docs/index.md."""
    for title, links in re.findall(r"^## (.*)\n((?:(?!## ).*\n?)*)", index, re.MULTILINE):
        names = re.findall(r"\]\(([\w/-]+)\.md\)", links)
        yield "\n".join(["```{toctree}", ":hidden:", f":caption: {title}", *names, "```", ""])


def adapt(app, page, source):
    """Adds the contents list. Links to files outside docs/ become plain text, because the site does not contain them."""
    if page == "index":
        source[0] += "\n" + "\n".join(contents_of(source[0]))
    outside = r"\[([^\]]*)\]\((?:\.\./){%d}[^)]*\)" % (page.count("/") + 1)
    source[0] = re.sub(outside, r"\1", source[0])


def setup(app):
    app.connect("source-read", adapt)

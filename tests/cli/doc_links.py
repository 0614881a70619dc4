#!/usr/bin/env python3
"""doc_links.py STEPSIM ROOT: the documentation holds together. Every link leads to a file, and to a heading in it; every page is
in docs/index.md, every CSV file of docs/results on a page, and every command and extension of -o in the reference; the README is
short; what docs/generate.py makes is what the program says."""
import glob
import json
import os
import re
import sys

from checks import STEPSIM, check, run, stepsim, verdict

ROOT = os.path.abspath(sys.argv[2])
README_LINES = 120


def text_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def pages():
    named = [os.path.join(ROOT, name) for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")]
    return named + sorted(glob.glob(os.path.join(ROOT, "docs/**/*.md"), recursive=True))


def prose_of(page):
    """The page without its code."""
    return re.sub(r"`[^`\n]*`", "", re.sub(r"^```.*?^```", "", text_of(page), flags=re.MULTILINE | re.DOTALL))


def anchor_of(heading):
    """As GitHub and Sphinx make it."""
    heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading.strip().lower())
    return re.sub(r"[^\w\- ]", "", heading).replace(" ", "-")


def anchors_of(page):
    text = re.sub(r"^```.*?^```", "", text_of(page), flags=re.MULTILINE | re.DOTALL)
    headings = [anchor_of(heading) for heading in re.findall(r"^#+ (.*)$", text, re.MULTILINE)]
    return {*headings, *re.findall(r'<a id="([^"]+)"', text)}


def links():
    """(page, target) of each link that stays in the repository."""
    for page in pages():
        for target in re.findall(r"\]\(([^)\s]+)\)", prose_of(page)):
            if not re.match(r"[a-z]+:", target):
                yield page, target


def problem_of(page, target):
    name, _, anchor = target.partition("#")
    path = os.path.normpath(os.path.join(os.path.dirname(page), name)) if name else page
    if not os.path.exists(path):
        return "there is no such file"
    if anchor and anchor not in anchors_of(path):
        return f"there is no such heading, only {sorted(anchors_of(path))}"
    return None


def main():
    found = list(links())
    check("there are links", len(found) > 100, len(found))
    for page, target in found:
        problem = problem_of(page, target)
        check(f"{os.path.relpath(page, ROOT)}: {target}", problem is None, problem)
    targets = {os.path.normpath(os.path.join(os.path.dirname(page), target.partition("#")[0])) for page, target in found}
    index = os.path.join(ROOT, "docs/index.md")
    listed = {os.path.normpath(os.path.join(ROOT, "docs", target)) for page, target in found if page == index}
    for page in pages():
        if page.startswith(os.path.join(ROOT, "docs")) and page != index:
            check(f"docs/index.md lists {os.path.relpath(page, ROOT)}", page in listed)
    for table in glob.glob(os.path.join(ROOT, "docs/results/*.csv")):
        check(f"a page links to {os.path.relpath(table, ROOT)}", table in targets)
    lines = text_of(os.path.join(ROOT, "README.md")).count("\n")
    check("the README is short", lines <= README_LINES, f"{lines} lines; at most {README_LINES}")
    kinds = {kind["name"]: kind["topics"] for kind in json.loads(stepsim("help", "--json").stdout)["kinds"]}
    commands = text_of(os.path.join(ROOT, "docs/reference/commands.md"))
    for kind in ("command", "output"):
        for topic in kinds[kind]:
            check(f"docs/reference/commands.md has {topic['name']}", re.search(rf"^\| .*`{re.escape(topic['name'])}[` ].* \|", commands, re.MULTILINE))
    made = run(sys.executable, os.path.join(ROOT, "docs/generate.py"), STEPSIM, "--check")
    check("generated pages are up to date", made.returncode == 0, made.stdout.decode() + made.stderr.decode())
    return verdict()


sys.exit(main())

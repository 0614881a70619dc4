#!/usr/bin/env python3
"""doc_site.py ROOT: the site of the documentation (./dev site) builds without a warning, has every page with its pictures, needs no
network, and its search finds a word. Skips if Sphinx is not installed."""
import glob
import os
import re
import shutil
import sys
import tempfile

from checks import check, run, verdict

ROOT = os.path.abspath(sys.argv[1])


def text_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def main():
    if shutil.which("sphinx-build") is None:
        print("skipped: sphinx-build is absent")
        return 0
    docs = os.path.join(ROOT, "docs")
    with tempfile.TemporaryDirectory() as site:
        done = run("sphinx-build", "-W", "--keep-going", "-q", "-d", os.path.join(site, "work"), "-b", "html", docs, os.path.join(site, "html"))
        check("the site builds without a warning", done.returncode == 0, done.stderr.decode())
        for page in glob.glob(os.path.join(docs, "**/*.md"), recursive=True):
            name = os.path.relpath(page, docs)[:-3]
            html = text_of(os.path.join(site, "html", name + ".html"))
            asked = [tag for tag in re.findall(r"<(?:script|img|link)\b[^>]*>", html) if re.search(r'(?:src|href)="(?:https?:)?//', tag)]
            check(f"{name} asks for nothing from a network", not asked, asked)
            pictures = [os.path.join(os.path.dirname(os.path.join(site, "html", name)), source) for source in re.findall(r'<img [^>]*src="([^"]+)"', html)]
            check(f"{name} has its pictures", all(os.path.exists(picture) for picture in pictures), pictures)
        check("the search knows a term", "straggler" in text_of(os.path.join(site, "html/searchindex.js")))
    return verdict()


sys.exit(main())

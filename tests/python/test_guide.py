"""The examples of the documentation and of help() run, in the order of the page, and give what they say."""

import ast
import contextlib
import doctest
import importlib
import io
import pkgutil
import re

import pytest
from conftest import SOURCE

import stepsim

PAGES = ["README.md", "docs/guides/python.md"]
MODULES = ["stepsim", *(f"stepsim.{module.name}" for module in pkgutil.iter_modules(stepsim.__path__)
                        if module.name not in ("_core", "__main__"))]


@pytest.mark.parametrize("page", PAGES)
def test_the_examples_of_a_page_print_what_their_comments_say(page, monkeypatch):
    """A comment after print() that is one word or number is what it prints."""
    pytest.importorskip("pandas")
    pytest.importorskip("matplotlib")
    monkeypatch.setenv("MPLBACKEND", "Agg")
    monkeypatch.chdir(SOURCE)
    code = "\n".join(re.findall(r"^```python\n(.*?)^```", (SOURCE / page).read_text(), re.DOTALL | re.MULTILINE))
    assert "import stepsim" in code
    names = {"__name__": "__page__"}
    for statement in ast.parse(code).body:
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(ast.Module([statement], []), page, "exec"), names)
        last_line = code.splitlines()[statement.end_lineno - 1]
        if said := re.search(r"^print\(.*# (\S+)$", last_line):
            assert out.getvalue() == said[1] + "\n"


def test_the_guide_has_examples_whose_output_is_tested():
    assert len(re.findall(r"^print\(.*# \S+$", (SOURCE / "docs/guides/python.md").read_text(), re.MULTILINE)) >= 2


@pytest.mark.parametrize("module", MODULES)
def test_the_examples_of_help_give_what_they_say(module, monkeypatch):
    pytest.importorskip("pandas")
    monkeypatch.chdir(SOURCE)
    results = doctest.testmod(importlib.import_module(module))
    assert results.failed == 0 and (results.attempted > 0 or module != "stepsim")

"""The Python code of the README and of docs/guides/python.md runs, in the order of the page."""

import re

import pytest
from conftest import SOURCE


@pytest.mark.parametrize("page", ["README.md", "docs/guides/python.md"])
def test_the_code_of_a_page_runs(page, monkeypatch, tmp_path):
    pytest.importorskip("pandas")
    code = "\n".join(re.findall(r"^```python\n(.*?)^```", (SOURCE / page).read_text(), re.DOTALL | re.MULTILINE))
    assert "import stepsim" in code
    monkeypatch.chdir(SOURCE)
    exec(compile(code, page, "exec"), {"__name__": "__page__"})


def test_the_figures_in_comments_are_printed(capsys, monkeypatch):
    """A comment behind print() that is one word or number is what it prints."""
    monkeypatch.chdir(SOURCE)
    page = (SOURCE / "docs/guides/python.md").read_text()
    first = re.search(r"^```python\n(.*?)^```", page, re.DOTALL | re.MULTILINE).group(1)
    exec(compile(first, "python.md", "exec"), {})
    printed = capsys.readouterr().out.splitlines()
    told = re.findall(r"^print.*# (\S+)$", first, re.MULTILINE)
    assert told == ["good", "280582714"] and printed[:2] == told

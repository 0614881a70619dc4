"""Without an optional module, what needs it says what to install, and the rest works."""

import sys

import pytest
from conftest import SAMPLE

import stepsim


def without(monkeypatch, name):
    for module in [each for each in sys.modules if each.split(".")[0] == name] or [name]:
        monkeypatch.setitem(sys.modules, module, None)
    return f"^this needs {name}, which is not installed; install python3-{name}, or pip install 'stepsim\\[(columns|tables|plots)\\]'$"


def test_without_matplotlib(capture, monkeypatch):
    sentence = without(monkeypatch, "matplotlib")
    with pytest.raises(ImportError, match=sentence):
        capture.replay().plot()
    assert "<img" in capture.replay()._repr_html_()  # the program's own picture


def test_without_pandas(capture, monkeypatch):
    sentence = without(monkeypatch, "pandas")
    answer = capture.what_if({"network.bandwidth": "2x"})
    for ask in (answer.to_pandas, answer.scenario.to_pandas, answer.uncertainty.to_pandas, capture.edges.to_pandas,
                capture.tasks.to_pandas, capture.sweep({"compute.scale": [1, 2]}).to_pandas):
        with pytest.raises(ImportError, match=sentence):
            ask()
    assert answer.uncertainty._repr_html_() is None and len(answer.uncertainty) > 1


def test_without_numpy(monkeypatch):
    capture = stepsim.load(SAMPLE)
    sentence = without(monkeypatch, "numpy")
    for ask in (lambda: capture.tasks, lambda: capture.edges, lambda: capture.replay().timeline()):
        with pytest.raises(ImportError, match=sentence):
            ask()
    assert capture.replay().iteration.measured_ns == 280_582_714


def test_a_list_is_a_table_in_a_notebook(capture):
    pytest.importorskip("pandas")
    page = capture.replay().steps._repr_html_()
    assert page.count("<tr") == 1 + 6 and "<th>replayed_ns</th>" in page

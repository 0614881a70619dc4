"""Type checkers and editors see the types of everything that users call."""

import inspect
import json
import os
import re
import sys

import pytest
from conftest import SOURCE

import stepsim


def public_functions():
    for name in stepsim.__all__:
        value = getattr(stepsim, name)
        if inspect.isfunction(value):
            yield name, value
        elif inspect.isclass(value) and not issubclass(value, Exception):
            for member, method in inspect.getmembers(value, inspect.isfunction):
                is_public = not member.startswith("_") or member == "__init__"
                if is_public and method.__module__.startswith("stepsim"):  # not those of collections.abc.Mapping
                    yield f"{name}.{member}", method


@pytest.mark.parametrize("name, function", public_functions(), ids=lambda value: value if isinstance(value, str) else "")
def test_every_parameter_and_result_has_a_type(name, function):
    signature = inspect.signature(function)
    parameters = [each for each in signature.parameters.values() if each.name != "self"]
    assert signature.return_annotation is not inspect.Signature.empty
    assert all(each.annotation is not inspect.Parameter.empty for each in parameters)


SCRIPT = """
import concurrent.futures
import pathlib

import stepsim


def ask(path: pathlib.Path) -> int:
    capture = stepsim.load(path, steps=(5, 7), ranks=[0, 1])
    answer: stepsim.WhatIf = capture.what_if({"network.bandwidth": "2x"}, network_latency="2us")
    sweep = capture.sweep({"compute.scale": [1, 2]}, executor=concurrent.futures.ThreadPoolExecutor(2))
    answer.save(path / "answer.csv")
    capture.compare(capture, fail_above=["3%"])
    answer.timeline(1).plot(ax=answer.plot())
    tasks: stepsim.Tasks = capture.tasks
    try:
        stepsim.check("one", b"two")
    except (stepsim.MissingFile, stepsim.CannotAnswer) as error:
        print(error, len(sweep.to_pandas()), tasks.start_ns.min())
    return int(answer.baseline.iteration_ns)
"""


def checked(tmp_path, script):
    """Returns what mypy reports about a script."""
    api = pytest.importorskip("mypy.api")
    file, options = tmp_path / "script.py", tmp_path / "mypy.ini"
    file.write_text(script)
    # mypy would read other packages for a minute.
    options.write_text("[mypy]\nstrict = True\n[mypy-numpy.*,pandas.*,matplotlib.*,tqdm.*,distributed.*]\nfollow_imports = skip\n"
                       "ignore_missing_imports = True\n")
    report, problems, _ = api.run(["--config-file", os.fspath(options), "--python-executable", sys.executable,
                                   "--cache-dir", os.fspath(tmp_path / "cache"), os.fspath(file)])
    return [line for line in (report + problems).splitlines() if ": error: " in line]


def test_mypy_accepts_a_script(tmp_path):
    assert checked(tmp_path, SCRIPT) == []
    wrong = checked(tmp_path, SCRIPT.replace("steps=(5, 7)", "steps=5.5"))
    assert len(wrong) == 1 and 'incompatible type "float"' in wrong[0]


MISTAKES = ["capture.replay().iteration.measured_nss", "capture.replay().steps[0].errors", "capture.critical_path().lengths_ns",
            "capture.what_if().scenario.low_nss", "capture.what_if().uncertainty[0].source_", "capture.sweep().points[0].ns",
            "capture.sweep().best.set_", "capture.advise().advice[0].verdicts", "capture.stats().launch",
            "capture.stats().kernels[0].totals_ns", "capture.stats().overlap[0].idle", "capture.stats().idle[0].streams",
            "capture.stats(collectives=True).devices", "capture.stats().collectives[0].busbw", "capture.check().verdikt",
            "capture.compare('x').gate_", "capture.calibrate().fits[0].sample", "capture.task_list().kinds[0].names",
            "capture.graph().nodes[0].labels", "capture.convert('x.json').outputs", "capture.scrub('x').replaces",
            "capture.tasks.startns", "capture.edges.sources", "stepsim.check('x').findings[0].text_",
            "stepsim.compare('a', 'b').row", "stepsim.calibrate('x').host", "stepsim.scrub('x', to='y').file"]


def test_mypy_refuses_a_mistyped_field_of_each_result(tmp_path):
    reports = checked(tmp_path, "\n".join(["import stepsim", "capture = stepsim.load('x')", *MISTAKES]))
    assert len(reports) == len(MISTAKES)
    for mistake, report in zip(MISTAKES, reports):
        assert f'has no attribute "{mistake.split(".")[-1]}"' in report, (mistake, report)


KINDS = {"replay.tasks": "int", "replay.iteration.measured_ns": "int | None", "replay.iteration.pace": "str | None",
         "replay.steps[0].error": "float | None", "replay.capture.device_work": "bool", "replay.capture.devices[0]": "str",
         "replay.profiler": "fields.ReplayProfiler | None", "answer.scenario.low_ns": "int",
         "answer.scenario": "fields.WhatIfScenario", "answer.uncertainty": "stepsim.Records[fields.WhatIfScenarioInterval]",
         "sweep.points[0].set['compute.scale']": "str", "sweep.best": "fields.SweepBest",
         "capture.check().questions['replay']": "str | None", "capture.stats(rows=3)": "stepsim.Stats",
         "capture.stats(collectives=True).rows": "stepsim.Records[fields.CollectivesInputRow]"}


def test_mypy_knows_the_types_of_fields(tmp_path):
    lines = ["from typing import assert_type", "import stepsim", "from stepsim import fields", "capture = stepsim.load('x')",
             "replay, answer, sweep = capture.replay(), capture.what_if(), capture.sweep()",
             *(f"assert_type({field}, {kind})" for field, kind in KINDS.items())]
    assert checked(tmp_path, "\n".join(lines)) == []


def test_mypy_accepts_the_guide(tmp_path):
    page = (SOURCE / "docs/guides/python.md").read_text()
    assert checked(tmp_path, "\n".join(re.findall(r"^```python\n(.*?)^```", page, re.DOTALL | re.MULTILINE))) == []


@pytest.mark.parametrize("notebook", sorted((SOURCE / "docs/notebooks").glob("*.ipynb")), ids=lambda path: path.stem)
def test_mypy_accepts_a_notebook(tmp_path, notebook):
    cells = json.loads(notebook.read_text())["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    assert len(code) > 2 and checked(tmp_path, "\n".join(code)) == []

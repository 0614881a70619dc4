"""Every method gives the answer of the command of the same name, and its other forms hold the same figures."""

import base64
import re

import pytest

import stepsim
from conftest import SOURCE

BANDWIDTH = {"network.bandwidth": "2x"}
METHODS = [
    ("replay", {}, ["replay"]),
    ("replay", {"network": "maxmin"}, ["replay", "--network", "maxmin"]),
    ("critical_path", {"rows": 3}, ["critical-path", "--rows", "3"]),
    ("what_if", {"changes": BANDWIDTH}, ["whatif", "--set", "network.bandwidth=2x"]),
    ("what_if", {"changes": {"compute{rank=0}.scale": 0.5}, "interference": False},
     ["whatif", "--set", "compute{rank=0}.scale=0.5", "--no-interference"]),
    ("sweep", {"grid": {"network.bandwidth": ["1x", "2x"], "compute.scale": (0.5, 1)}},
     ["sweep", "--set", "network.bandwidth=1x,2x", "--set", "compute.scale=0.5,1"]),
    ("advise", {}, ["advise"]),
    ("stats", {"by": "class"}, ["stats", "--by", "class", "--join"]),
    ("check", {}, ["check"]),
    ("calibrate", {}, ["calibrate"]),
    ("task_list", {"select": "kind=collective", "rows": 3}, ["tasks", "--select", "kind=collective", "--rows", "3"]),
    ("graph", {"fold": "class", "merge_ranks": True}, ["graph", "--fold", "class", "--merge-ranks"]),
]


@pytest.mark.parametrize("method, options, command", METHODS, ids=[" ".join(command) for _, _, command in METHODS])
def test_a_method_gives_the_answer_of_its_command(capture, sample, program, method, options, command):
    assert getattr(capture, method)(**options).to_json() + "\n" == program(command[0], sample, *command[1:], "--json")


def test_a_plan_is_the_answer_of_its_command(program):
    sample = SOURCE / "scenarios" / "samples" / "transformer"
    plan = stepsim.load(sample).plan([2, 4], device="H100", changes={"parallel.tensor": [1, 2]}, global_batch="4x")
    assert plan.to_json() + "\n" == program("plan", sample, "--devices", "2,4", "--device", "H100", "--global-batch", "4x",
                                            "--set", "parallel.tensor=1,2", "--json")
    assert [best.devices for best in plan.by_devices] == [2, 4]
    assert plan.front == []


def test_fields_are_attributes_and_items(capture):
    replay = capture.replay()
    assert replay.iteration.measured_ns == replay["iteration"]["measured_ns"] == 280_582_714
    assert [step.rank for step in replay.steps] == [step["rank"] for step in replay.to_dict()["steps"]]
    assert "iteration" in replay and "nothing" not in replay
    with pytest.raises(AttributeError, match="no field 'nothing'; expected one of .*iteration"):
        replay.nothing


def test_completion_lists_what_is_for_users():
    assert {name for name in dir(stepsim) if not name.startswith("_")} == {
        "Advice", "Calibration", "CannotAnswer", "Capture", "Check", "Collectives", "Comparison", "Conversion", "CriticalPath",
        "Edges", "Error", "Fields", "Graph", "InputError", "Machine", "MissingFile", "OutputError", "Plan", "Records", "Replay", "Result",
        "Scrubbing", "Stats", "Sweep", "TaskList", "Tasks", "Timeline", "UsageError", "WhatIf", "calibrate", "check",
        "compare", "fit_machine", "load", "scrub"}


def test_changes_are_a_dict_or_keywords_or_a_scenario(capture):
    scenario = SOURCE / "scenarios" / "library" / "half-the-network.yaml"
    expected = capture.what_if({"network.bandwidth": "0.5x"})
    assert capture.what_if(network_bandwidth="0.5x").scenario == expected.scenario
    assert capture.what_if(scenario=scenario).scenario.iteration_ns == expected.scenario.iteration_ns
    assert capture.what_if(batch_scale=2, scenario=scenario).changes == ["network.bandwidth=0.5x", "batch.scale=2"]


def test_the_text_form_is_what_the_command_prints(capture, sample, program, monkeypatch):
    monkeypatch.setenv("COLUMNS", "1000")
    assert str(capture.replay()) == program("replay", sample)
    assert str(capture.replay(slow_ranks=True)) == program("replay", sample, "--slow-ranks")


def test_the_notebook_form_has_the_verdict_every_table_and_the_picture(capture, tmp_path):
    answer = capture.replay()
    page = answer._repr_html_()
    assert page.count("<table>") == page.count("</table>") > 3
    assert "<td class=number>280.583 ms</td>" in page and "<script" not in page
    answer.save(tmp_path / "x.svg")
    data = re.search("<img [^>]*src='data:image/svg\\+xml;base64,([^']+)'>", page)[1]
    without_command = re.compile(rb"<metadata>.*?</metadata>", re.DOTALL)
    assert without_command.sub(b"", base64.b64decode(data)) == without_command.sub(b"", (tmp_path / "x.svg").read_bytes())
    assert page.index(answer._answer.document()["headline"][:20]) < page.index("<img") < page.index("<table>")


def test_the_notebook_form_of_an_answer_without_a_picture_has_none(capture):
    assert "<img" not in capture.stats(collectives=True)._repr_html_()


def test_a_result_is_saved_in_the_form_of_its_extension(capture, tmp_path, sample, program):
    answer = capture.what_if(BANDWIDTH)
    for extension in ("json", "html", "svg", "csv", "md", "trace.json", "tasks.json"):
        file = tmp_path / f"answer.{extension}"
        answer.save(file)
        assert file.stat().st_size > 0
    assert (tmp_path / "answer.json").read_text() == answer.to_json() + "\n"
    capture.calibrate().save(tmp_path / "cluster.yaml")
    other = stepsim.load(sample).what_if({"compute.scale": 1}, cluster=tmp_path / "cluster.yaml")
    assert other.scenario.iteration_ns > 0


def test_an_answer_without_a_picture_is_refused(capture, tmp_path):
    with pytest.raises(stepsim.UsageError, match="nothing to draw; expected another extension"):
        capture.stats(collectives=True).save(tmp_path / "x.svg")


def test_a_file_that_cannot_be_loaded_is_an_answer_of_check(tmp_path):
    trace = tmp_path / "empty.json"
    trace.write_text('{"traceEvents": []}')
    with pytest.raises(stepsim.InputError):
        stepsim.load(trace)
    assert stepsim.check(trace).verdict == "unusable"


def test_a_failed_gate_is_an_answer_of_compare(capture):
    assert capture.compare(capture, fail_above="3%").gate.failed is False


def test_a_machine_is_fitted_to_measured_steps(tmp_path):
    runs = tmp_path / "runs.csv"
    model = "gpt --layers 2 --hidden 256 --heads 4 --sequence 512 --device A100"
    runs.write_text("model,micro_batch,step_ms\n" + "".join(f"{model},{batch},{time}\n" for batch, time in ((64, 22), (128, 44), (256, 88))))
    machine = stepsim.fit_machine(runs, to=tmp_path / "machine.yaml")
    assert machine.runs == 3 and machine.device.startswith("A100")
    assert machine.error_from_others < machine.error_by_data_sheet
    assert [step.measured_ns for step in machine.steps] == [22_000_000, 44_000_000, 88_000_000]
    assert (tmp_path / "machine.yaml").read_text().startswith("# Made by stepsim")

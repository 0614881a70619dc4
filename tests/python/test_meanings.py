"""Every field says what it means and its unit, in the words of the glossary and of docs/reference/json.md."""

import json
import pydoc
import re

import pytest
from conftest import SOURCE

import stepsim
from stepsim import meanings

SCHEMA = json.loads(stepsim._core.json_schema())["oneOf"]


def paths(schema, path):
    for one in [*schema.get("oneOf", []), *schema.get("anyOf", []), *filter(None, [schema.get("items")])]:
        yield from paths(one, path)
    for name, member in schema.get("properties", {}).items():
        yield f"{path}.{name}"
        yield from paths(member, f"{path}.{name}")


ALL = [path for answer in SCHEMA for path in paths(answer, answer["title"].split(".")[1].split("/")[0])]


def test_every_field_has_a_meaning():
    terms = stepsim._core.glossary()
    assert "whatif.scenario.interval.low_ns" in ALL
    assert [path for path in ALL if not meanings.meaning_of(path, terms)] == []


def test_every_meaning_is_of_a_field():
    """Each key is the end of a path for which no longer key exists."""
    used = {next((end for end in (path.split(".", first)[-1] for first in range(path.count(".") + 1))
                  if end in meanings._MEANINGS), None) for path in ALL}
    assert set(meanings._MEANINGS) - used == set()


def test_a_list_does_not_mean_what_a_number_means():
    rows = re.findall(r"^\| `[^`]+` \| (array|integer|number)\b[^|]* \| (.*) \|$", (SOURCE / "docs/reference/json.md").read_text(),
                      re.MULTILINE)
    lists = {meaning for kind, meaning in rows if kind == "array"}
    assert lists & {meaning for kind, meaning in rows if kind != "array"} == set() and len(lists) > 50


@pytest.mark.parametrize("name, kind, unit", [
    ("iteration_ns", "integer or null", "nanoseconds"), ("bytes", "integer", "bytes"), ("peak_bytes", "integer", "bytes"),
    ("bytes_of_files", "integer", "bytes"),
    ("busbw_bytes_per_second", "number or null", "bytes per second"), ("change", "number", "ratio"),
    ("count", "integer", ""), ("host", "integer", "nanoseconds"), ("host", "string", ""), ("mean_queue", "number", ""),
])
def test_units_follow_from_the_name_and_the_type(name, kind, unit):
    assert meanings.unit_of(name, kind) == unit


def test_an_answer_explains_its_fields_as_the_page_does(capture):
    answer = capture.what_if({"network.bandwidth": "2x"})
    page = (SOURCE / "docs/reference/json.md").read_text()
    section = page[page.index("## stepsim.whatif/1"):page.index("## stepsim.sweep/1")]
    rows = {cells[1].strip().strip("`"): cells[3].strip() for line in section.splitlines()
            if len(cells := line.replace("&lt;", "<").split("|")) == 5}
    assert answer.scenario.explain("low_ns") == rows["scenario.low_ns"] == (
        "lower end of the range of the step time (nanoseconds)")
    assert answer.scenario.interval[0].explain("source") == rows["scenario.interval[].source"]
    assert answer.explain("memory") == rows["memory"]
    assert answer.explain("throughput") == rows["throughput"] == (
        stepsim._core.glossary()["throughput"][0].lower() + stepsim._core.glossary()["throughput"][1:-1])
    with pytest.raises(stepsim.UsageError, match="^no field 'x'; expected one of schema, "):
        answer.explain("x")


@pytest.mark.parametrize("result, path, unit", [
    (stepsim.Advice, "advise.together", ""), (stepsim.Calibration, "calibrate.links", ""), (stepsim.Check, "check.verdict", ""),
    (stepsim.Collectives, "collectives.inputs", ""), (stepsim.Comparison, "compare.gate", ""),
    (stepsim.Conversion, "cut.flows", ""), (stepsim.Conversion, "part.bytes", " (bytes)"),
    (stepsim.Conversion, "provenance", ""), (stepsim.CriticalPath, "critical_path.length_ns", " (nanoseconds)"),
    (stepsim.Scrubbing, "scrub.replaced", ""), (stepsim.TaskList, "tasks.kinds", ""),
], ids=lambda value: getattr(value, "__name__", value))
def test_help_lists_the_fields_of_a_result(result, path, unit):
    line = f" |  {path.split('.')[-1]}: {meanings.meaning_of(path, stepsim._core.glossary())}{unit}"
    assert pydoc.plain(pydoc.render_doc(result)).splitlines().count(line) == 1


def test_help_lists_the_fields_of_an_object(capture):
    replay, check = capture.replay(), capture.check()
    assert f"measured_ns: {replay.iteration.explain('measured_ns')}" in replay.iteration.__doc__.splitlines()
    assert f"findings: {check.explain('findings')}" in check.__doc__.splitlines()
    assert "measured_ns:" not in stepsim.Fields.__doc__ and "findings:" not in stepsim.Result.__doc__
    for page in (replay.__doc__, pydoc.plain(pydoc.render_doc(stepsim.Replay)), pydoc.plain(pydoc.render_doc(replay))):
        assert "The result of replay()" in page
        assert page.count(f"iteration: {replay.explain('iteration')}") == 1
    assert "An object of a JSON answer." in pydoc.plain(pydoc.render_doc(stepsim.Fields))
    sweep = capture.sweep({"network.bandwidth": ["1x", "2x"]})
    assert sweep.points[0].set.explain("network.bandwidth") == ""  # the user's own name

"""The classes that type checkers see have the members of real answers, with types that fit their values."""

import collections
import contextlib
import inspect
import keyword
import re
import typing
from pathlib import Path

import pytest
from conftest import SAMPLE, SOURCE

import stepsim

TYPES = {"int": int, "str": str, "float": float, "bool": bool, "Any": typing.Any, "Fields": stepsim.Fields,
         "Records": stepsim.Records}
PLAIN = {float: (int, float), stepsim.Fields: dict, stepsim.Records: list}  # what such a value is in to_dict()
Member = collections.namedtuple("Member", "type may_be_absent")


def classes_of_stub():
    """Returns the members of each class in fields.pyi: {"ReplayStep": {"rank": Member(int, False), ...}, ...}."""
    text = Path(stepsim.fields.__file__).with_suffix(".pyi").read_text()
    bodies = dict(re.findall(r"^class (\w+)\(Fields\[Any\]\):\n((?:    .+\n)+)", text, re.MULTILINE))
    names = {**TYPES, **{name: type(name, (), {}) for name in bodies}}
    line = re.compile(r'    (?:# \[")?(\w+)(?:"\])?: (.+?)(  # may be absent)?')
    members = {name: [line.fullmatch(each).groups() for each in body.splitlines()] for name, body in bodies.items()}
    return {name: {member: Member(eval(kind, names), bool(absent)) for member, kind, absent in found}
            for name, found in members.items()}


CLASSES = classes_of_stub()


def misfits(value, kind, where):
    """Yields the places at which a value of dicts, lists, numbers and texts is not of a type."""
    of, inner = typing.get_origin(kind) or kind, typing.get_args(kind)
    if of is typing.Any:
        return
    if inner and of not in PLAIN:  # a union
        if all([*misfits(value, each, where)] for each in inner):
            yield f"{where}: {value!r:.60} is not of {kind}"
    elif of.__name__ in CLASSES and isinstance(value, dict):
        yield from misfits_of_members(value, CLASSES[of.__name__], where)
    elif not isinstance(value, PLAIN.get(of, of)) or (isinstance(value, bool) and of is not bool):
        yield f"{where}: {value!r:.60} is not of {kind}"
    elif inner:
        for place, each in value.items() if of is stepsim.Fields else enumerate(value):
            yield from misfits(each, inner[0], f"{where}[{place!r}]")


def misfits_of_members(value, known, where):
    yield from (f"{where}.{name} is in no class" for name in value if name not in known)
    yield from (f"{where} has no {name}" for name in known if name not in value and not known[name].may_be_absent)
    for name in known.keys() & value.keys():
        yield from misfits(value[name], known[name].type, f"{where}.{name}")


QUESTIONS = [
    ("replay", {}), ("replay", {"slow_ranks": True}), ("critical_path", {}), ("what_if", {"changes": {"compute.scale": 0.5}}),
    ("what_if", {"changes": {"batch.scale": 2}}), ("sweep", {"grid": {"compute.scale": [0.5, 1], "batch.scale": [1, 64]}}),
    ("advise", {}), ("stats", {}), ("stats", {"by": "rank"}), ("stats", {"kernels": True}), ("stats", {"collectives": True}),
    ("plan", {"devices": 2, "changes": {"parallel.microbatches": 1, "parallel.recompute": "none", "parallel.zero": 0}}),
    ("check", {}), ("calibrate", {}), ("task_list", {}), ("graph", {"fold": "class", "merge_ranks": True}),
    ("compare", {"other": SAMPLE, "fail_above": ["3%", "exposed=2%"], "allow_noise": True}), ("scrub", {"path": "scrubbed"}),
    ("convert", {"path": "x.tasks.json"}), ("convert", {"path": "x.stepsim"}), ("convert", {"path": "x.pt.trace.json"}),
    ("convert", {"path": "comm.json", "comm_json": True}), ("convert", {"path": "comm/", "comm_json": True}),
    ("convert", {"path": "cut.trace.json", "min_duration": "10us"}), ("convert", {"path": "cut/", "min_duration": "10us"}),
]
TESTS, TRACES = SOURCE / "tests", SOURCE.parent / "shared" / "traces"
RUNS = TESTS / "golden/data/measured-runs.csv"
CAPTURES = [SAMPLE, SAMPLE.parent / "transformer", SAMPLE.parent / "byteps-even",
            TESTS / "golden/data/gpu_step.json", TESTS / "golden/data/gpu_memory.json",
            TESTS / "fuzz/corpus/capture_fuzz/nccl.capture", TRACES / "kineto/v100-rank1of2-5steps.json.gz",
            TRACES / "kineto/ascend-ddp-2ranks", TRACES / "kineto/dlrm-8ranks", TRACES / "other/horovod-timeline-resnet.json.gz",
            TRACES / "kineto/t4-dataloader-fp32.pt.trace.json.gz"]


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """(path, method, answer) of each question that can be asked of each capture."""
    found = []
    for path in filter(Path.exists, CAPTURES):
        capture = stepsim.load(path)
        with contextlib.chdir(tmp_path_factory.mktemp("answers")):
            for method, options in QUESTIONS:
                with contextlib.suppress(stepsim.Error):  # not every capture can answer every question
                    found.append((path, method, getattr(capture, method)(**options)))
    found.append((RUNS, "fit_machine", stepsim.fit_machine(RUNS)))
    return found


def test_every_kind_of_answer_is_tested(answers):
    results = {value for value in vars(stepsim).values() if inspect.isclass(value) and issubclass(value, stepsim.Result)}
    assert {type(answer) for _, _, answer in answers} == results - {stepsim.Result}
    conversions = {answer.schema for _, method, answer in answers if method == "convert"}
    assert conversions == {f"stepsim.{name}/1" for name in ("convert", "part", "profiler_trace", "comm_json", "cut")}


def test_an_answer_has_the_members_of_its_class(answers):
    for path, method, answer in answers:
        name = type(answer).__name__
        assert [*misfits_of_members(answer.to_dict(), CLASSES[name], f"{path.name}: {method}()")] == []
        assert name in inspect.signature(getattr(stepsim.Capture, method, None) or getattr(stepsim, method)).return_annotation.split(" | ")


def test_a_member_that_does_not_fit_is_found():
    step = {"rank": 0, "step": 1, "measured_ns": None, "replayed_ns": 5, "error": 0, "held_out_error": 0.5}
    kind = type("ReplayStep", (), {})
    assert [*misfits(step, kind, "x")] == []
    for change, misfit in [({"rank": None}, "x.rank: None is not of"), ({"rank": True}, "x.rank: True is not of"),
                           ({"error": ""}, "x.error: '' is not of"), ({"other": 1}, "x.other is in no class")]:
        assert [each for each in misfits({**step, **change}, kind, "x") if each.startswith(misfit)]
    assert [*misfits({name: step[name] for name in step if name != "rank"}, kind, "x")] == ["x has no rank"]


def test_rows_of_stats_and_columns_have_the_declared_members(gpu_capture):
    stats = gpu_capture.stats()
    for row in [*stats.overlap, *stats.idle]:
        known = {name: Member(kind, False) for name, kind in typing.get_type_hints(type(row)).items()}
        assert [*misfits_of_members(row.to_dict(), known, "row")] == []
    for columns in (gpu_capture.tasks, gpu_capture.edges):
        assert {*type(columns).__annotations__} == {name for name in columns if not keyword.iskeyword(name)}


def test_classes_can_be_imported_at_run_time():
    from stepsim.fields import ReplayStep

    assert ReplayStep is stepsim.fields.ReplayStep and ReplayStep.__name__ == "ReplayStep"
    assert not hasattr(stepsim.fields, "__path__")

"""Answers as pandas frames: one for each question, with the numbers of the JSON."""

import collections.abc
import csv
import json
import pickle

import pytest

import stepsim

pandas = pytest.importorskip("pandas")
BANDWIDTH = {"network.bandwidth": "2x"}
CLASSES = {"stepsim.replay/1": stepsim.Replay, "stepsim.whatif/1": stepsim.WhatIf, "stepsim.sweep/1": stepsim.Sweep,
           "stepsim.stats/1": stepsim.Stats, "stepsim.collectives/1": stepsim.Collectives}


def test_fields_are_a_mapping(capture):
    answer = capture.replay()
    plain = json.loads(answer.to_json())
    assert isinstance(answer, collections.abc.Mapping) and isinstance(answer.iteration, collections.abc.Mapping)
    assert list(answer.iteration.items()) == list(plain["iteration"].items())
    assert list(answer.iteration.values()) == list(plain["iteration"].values())
    assert answer.get("nothing", 5) == 5 and answer.get("tasks") == plain["tasks"]
    assert dict(answer.iteration) == plain["iteration"] == answer.iteration
    assert "iteration" in answer and "nothing" not in answer


def test_no_member_is_hidden_by_a_method():
    schema = json.loads(stepsim._core.json_schema())

    def members(part):
        for one in [*part.get("oneOf", []), *part.get("anyOf", []), *([part["items"]] if "items" in part else [])]:
            yield from members(one)
        for name, member in part.get("properties", {}).items():
            yield name
            yield from members(member)

    names = set(members(schema))
    assert {"iteration", "busbw_bytes_per_second"} <= names
    assert not names & set(dir(stepsim.Fields))
    for answer in schema["oneOf"]:
        assert not set(answer["properties"]) & set(dir(CLASSES.get(answer["title"], stepsim.Result)))


def test_a_list_is_a_frame_with_a_row_per_element(capture):
    answer = capture.what_if(BANDWIDTH)
    interval = json.loads(answer.to_json())["scenario"]["interval"]
    frame = answer.scenario.interval.to_pandas()
    assert list(frame.columns) == list(interval[0]) and frame.to_dict("records") == interval
    assert pandas.DataFrame(answer.scenario.interval)[list(frame.columns)].equals(frame)
    assert answer.uncertainty.to_pandas().equals(frame)
    assert list(answer.changes.to_pandas()["value"]) == ["network.bandwidth=2x"]
    assert len(answer.why.to_pandas()) == len(json.loads(answer.to_json())["why"])


def test_an_object_is_a_row_and_a_series(capture):
    fields = capture.what_if(BANDWIDTH).throughput
    frame = fields.to_pandas()
    assert len(frame) == 1 and frame["scenario.in_all"][0] == fields.scenario.in_all
    assert pandas.Series(fields.baseline).to_dict() == fields.baseline.to_dict()


def test_each_question_to_stats_has_a_frame(gpu_capture):
    """The figures are those of the fixture's description, three times."""
    stats = gpu_capture.stats()
    kernels = stats.kernels.to_pandas()
    assert list(kernels["name"]) == ["ampere_sgemm_32x32"] and list(kernels["total_ns"]) == [90_000]
    overlap = stats.overlap.to_pandas()
    assert overlap[["rank", "compute_ns", "exposed_communication_ns", "hidden_communication_ns", "exposed_copies_ns"]
                   ].values.tolist() == [[0, 90_000, 30_000, 30_000, 15_000]]
    copies = stats.copies.to_pandas()
    assert copies[["count", "total_bytes", "time_ns", "bytes_per_second"]].values.tolist() == [[3, 2400, 15_000, 160e6]]
    idle = stats.idle.to_pandas()
    assert list(idle["stream"]) == ["stream 7", "stream 9"]
    # From the first kernel at 120 us to the last copy's end at 365 us.
    assert list(idle["idle_ns"]) == [245_000 - 3 * 35_000, 245_000 - 3 * 20_000]
    assert {"host_wait_ns", "kernel_wait_ns", "other_wait_ns"} <= set(idle)
    collectives = stats.collectives.to_pandas()
    assert list(collectives["count"]) == [3] and list(collectives["total_time_ns"]) == [60_000]
    assert stats.collectives == gpu_capture.stats(collectives=True).collectives
    assert stats.launches == stats.inputs[0].launches and "launches" in dir(stats)


def test_an_empty_list_has_the_columns_of_its_elements(capture, gpu_capture):
    empty, other = capture.stats(), gpu_capture.stats()
    for name in ("kernels", "copies", "launches"):
        assert len(getattr(empty, name)) == 0 < len(getattr(other, name))
        assert list(getattr(empty, name).to_pandas().columns) == list(getattr(other, name).to_pandas().columns)
    assert list(capture.what_if(BANDWIDTH).assumptions.to_pandas()) == ["value"]
    assert list(capture.replay().assumptions.to_pandas()) == ["value"]


@pytest.fixture(scope="module")
def lone_rank(tmp_path_factory):
    """Returns a function that loads one step of a rank with one kernel of this name, which states no other rank."""

    def load(kernel):
        thread, stream = {"ph": "X", "pid": 1, "tid": 1}, {"ph": "X", "pid": 1, "tid": 7}
        events = [{**thread, "name": "ProfilerStep#1", "cat": "user_annotation", "ts": 100, "dur": 100},
                  {**thread, "name": "cudaLaunchKernel", "cat": "cuda_runtime", "ts": 110, "dur": 2, "args": {"correlation": 1}},
                  {**stream, "name": kernel, "cat": "kernel", "ts": 120, "dur": 30,
                   "args": {"correlation": 1, "stream": 7, "device": 0}}]
        file = tmp_path_factory.mktemp("lone") / "lone.json"
        file.write_text(json.dumps({"traceEvents": events}))
        return stepsim.load(file)

    return load


def test_a_job_without_collectives_has_an_empty_list_of_them(lone_rank, gpu_capture):
    collectives = lone_rank("ampere_sgemm_32x32").stats().collectives
    assert collectives == [] and isinstance(collectives, stepsim.Records)
    assert {"group", "operation", "bytes", "time_ns"} < set(collectives.to_pandas().columns) and len(collectives.to_pandas()) == 0


def test_collectives_of_an_unknown_number_of_ranks_are_no_empty_list(lone_rank):
    with pytest.raises(stepsim.CannotAnswer, match="collectives: no collective is known to have several ranks"):
        lone_rank("ncclDevKernel_AllReduce_Sum_f32_RING_LL").stats().collectives


def test_a_task_graph_has_no_measured_collectives(lone_rank, tmp_path):
    lone_rank("ampere_sgemm_32x32").convert(tmp_path / "graph.tasks.json")
    with pytest.raises(stepsim.CannotAnswer, match="collectives: nothing was measured"):
        stepsim.load(tmp_path / "graph.tasks.json").stats().collectives


def test_stragglers_are_those_of_the_replay(capture):
    frame = capture.stats().stragglers.to_pandas()
    assert frame.to_dict("records") == json.loads(capture.replay().to_json())["stragglers"] and len(frame) == 2


def test_what_a_result_of_stats_does_not_have_is_said(capture):
    with pytest.raises(stepsim.UsageError, match="kernels: rows by 'rank' have no kind; expected by='name' or by='class'"):
        capture.stats(by="rank").kernels
    with pytest.raises(stepsim.UsageError, match="^collectives: this result was pickled; expected the one that stats"):
        pickle.loads(pickle.dumps(capture.stats())).collectives
    with pytest.raises(AttributeError, match="no field 'nothing'"):
        capture.stats().nothing


def test_the_frame_of_a_sweep_has_the_rows_of_the_csv_file(capture, sample, program):
    frame = capture.sweep({"network.bandwidth": ["1x", "2x", "4x"]}).to_pandas()
    rows = list(csv.DictReader(program("sweep", sample, "--set", "network.bandwidth=1x,2x,4x", "-o", "-.csv").splitlines()))
    assert list(frame["iteration_ns"]) == [int(row["iteration_ns"]) for row in rows]
    assert list(frame["network.bandwidth.text"]) == [row["network.bandwidth"] for row in rows]
    assert list(frame["network.bandwidth"]) == [1.0, 2.0, 4.0]
    assert pandas.api.types.is_integer_dtype(frame["iteration_ns"])


@pytest.mark.parametrize("key, texts, numbers, unit", [
    ("compute.scale", ["0.5", "1"], [0.5, 1], ""),
    ("network.bandwidth", ["0.5x", "2x"], [0.5, 2], "x"),
    ("network.bandwidth", ["1Gb/s", "3GB/s"], [125e6, 3e9], "bytes/s"),
    ("network.latency", ["5us", "1ms"], [5000, 1_000_000], "ns"),
    ("comm.bucket_bytes", ["1MiB", "25MB"], [1 << 20, 25_000_000], "bytes"),
    ("network.bandwidth", ["2x", "1Gb/s"], ["2x", "1Gb/s"], ""),
])
def test_swept_values_are_numbers_if_they_have_one_unit(capture, key, texts, numbers, unit):
    sweep = capture.sweep({key: texts})
    assert sweep.axis(key) == (numbers, unit)
    frame = sweep.to_pandas()
    assert list(frame[key]) == numbers
    assert (f"{key}.text" in frame) == bool(unit)

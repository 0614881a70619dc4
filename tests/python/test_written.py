"""Methods and functions that write files: what they write is what the command writes, and they say what it was."""

import gzip
import json
import re
import shutil

import pytest
from conftest import SAMPLE

import stepsim

NCCL_TESTS = """# nThread 1 nGpus 8 minBytes 8 maxBytes 134217728 step: 2(factor) warmup iters: 5 iters: 20 agg iters: 1 validation: 1
#
#  Rank  0 Group  0 Pid 100 on node1 device  0 [0x00] NVIDIA H100
#  Rank  1 Group  0 Pid 100 on node1 device  1 [0x01] NVIDIA H100
#                                                              out-of-place                       in-place
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
     1048576        262144     float     sum      -1    40.0   26.21   26.21      0    40.0   26.21   26.21      0
    16777216       4194304     float     sum      -1   200.0   83.89   83.89      0   200.0   83.89   83.89      0
   134217728      33554432     float     sum      -1  1400.0   95.87   95.87      0  1400.0   95.87   95.87      0
"""


def same(path, other):
    """Compares two files but for the command that wrote them."""
    texts = [(gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()).decode()
             for file in (path, other)]
    return len({re.sub(r'(command"?:? ?"?|stepsim convert )[^\n]*', "", text) for text in texts}) == 1 and texts[0] != ""


@pytest.mark.parametrize("name", ["job.trace.json", "job.tasks.json", "job.csv"])
def test_convert_writes_the_file_of_the_command(capture, program, sample, tmp_path, name):
    (tmp_path / "program").mkdir()
    written = capture.convert(tmp_path / name)
    assert written.schema == "stepsim.convert/1" and written.tasks == len(capture.tasks)
    assert written.output == str(tmp_path / name)
    program("convert", sample, "-o", tmp_path / "program" / name)
    assert same(tmp_path / name, tmp_path / "program" / name)
    assert "750 tasks" in str(written)


def test_a_converted_task_graph_takes_as_long_as_the_replay(capture, tmp_path):
    capture.convert(tmp_path / "job.tasks.json")
    again = stepsim.load(tmp_path / "job.tasks.json")
    assert again.replay().timeline()["finish_ns"].max() == capture.replay().timeline()["finish_ns"].max()


def test_convert_cuts_a_trace(gpu_capture, tmp_path):
    written = gpu_capture.convert(tmp_path / "kernels.trace.json", select="category=kernel", min_duration="25us")
    assert written.schema == "stepsim.cut/1"
    events = json.loads((tmp_path / "kernels.trace.json").read_text())["traceEvents"]
    kernels = [event["name"] for event in events if event.get("ph") == "X" and "ProfilerStep" not in event["name"]]
    assert kernels == ["ampere_sgemm_32x32"] * 3


def test_convert_writes_comm_json(capture, tmp_path):
    written = capture.convert(f"{tmp_path}/communication/", comm_json=True)
    assert written.schema == "stepsim.comm_json/1" and len(written.files) == 2
    assert len(list(tmp_path.glob("communication/**/comm.json"))) == 2


def test_scrub_removes_names_and_keeps_the_answer(tmp_path):
    shutil.copytree(SAMPLE, tmp_path / "job")
    written = stepsim.scrub(tmp_path / "job", to=tmp_path / "public")
    assert written.schema == "stepsim.scrub/1" and len(written.replaced) > 0
    assert stepsim.load(tmp_path / "public").replay().iteration.measured_ns == 280_582_714
    again = stepsim.load(tmp_path / "job").scrub(tmp_path / "again")
    assert again.replaced == written.replaced
    assert sorted(path.name for path in tmp_path.glob("again/**/*.gz")) == ["rank0.pt.trace.json.gz", "rank1.pt.trace.json.gz"]


def test_calibrate_writes_cluster_yaml(capture, tmp_path):
    answer = capture.calibrate(tmp_path / "cluster.yaml")
    assert answer == capture.calibrate() and "nic: {bandwidth:" in (tmp_path / "cluster.yaml").read_text()
    assert capture.replay(network="maxmin", cluster=tmp_path / "cluster.yaml").iteration.replayed_ns > 0


def test_calibrate_reads_nccl_tests(tmp_path):
    (tmp_path / "all_reduce_perf.txt").write_text(NCCL_TESTS)
    answer = stepsim.calibrate(tmp_path / "all_reduce_perf.txt", to=tmp_path / "cluster.yaml")
    assert answer.schema == "stepsim.calibrate/1" and "134217728" in (tmp_path / "cluster.yaml").read_text()


def test_a_graph_is_written_for_programs_and_drawn(capture, tmp_path):
    graph = capture.graph(fold="class", merge_ranks=True)
    assert len(graph.nodes) == len({node.name for node in graph.nodes}) > 1
    graph.save(tmp_path / "graph.dot")
    text = (tmp_path / "graph.dot").read_text()
    assert text.count("label=") >= len(graph.nodes) and "digraph" in text
    if shutil.which("dot") is None:
        pytest.skip("Graphviz is not installed: no picture of a graph")
    graph.save(tmp_path / "graph.svg")
    assert (tmp_path / "graph.svg").read_text().count("<rect") >= len(graph.nodes)


def test_tasks_that_can_be_selected_are_listed(capture):
    listed = capture.task_list(select="kind=collective")
    kinds = capture.tasks.to_pandas()["kind"]
    assert listed.tasks == (kinds == "collective").sum() > 0


@pytest.mark.parametrize("ask, sentence", [
    (lambda capture, folder: capture.convert("-"), "'-' is standard output; expected the name of a file"),
    (lambda capture, folder: stepsim.scrub(SAMPLE, to="-"), "'-' is standard output; expected the name of a file"),
    (lambda capture, folder: capture.convert(folder / "x.unknown"), "^'.*x.unknown': unknown extension '.unknown'; expected "),
    (lambda capture, folder: capture.convert(folder / "x.csv", min_duration="1us"),
     "select and min_duration cut a part out of a trace; expected OUT.trace.json or FOLDER/"),
    (lambda capture, folder: capture.convert(folder / "x.trace.json", min_duration="long"), "min_duration: 'long' "),
    (lambda capture, folder: stepsim.load(SAMPLE, steps=5).scrub(folder / "x"), r"scrub\(\) .*steps"),
    (lambda capture, folder: capture.graph(merge_ranks=True), "merge_ranks needs a fold; expected fold name, layer or class"),
    (lambda capture, folder: capture.graph(fold="x"), "unknown key of fold 'x'; expected auto, task"),
    (lambda capture, folder: capture.task_list(select="x=1"), "^select 'x=1': unknown key 'x'; expected rank, "),
])
def test_what_cannot_be_written_is_said_in_terms_of_arguments(capture, tmp_path, ask, sentence):
    with pytest.raises(stepsim.UsageError, match=sentence) as raised:
        ask(capture, tmp_path)
    assert "--" not in str(raised.value) and " -o" not in str(raised.value)
    assert list(tmp_path.iterdir()) == []

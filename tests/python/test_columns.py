"""Tasks, edges and timelines as columns."""

import pytest

numpy = pytest.importorskip("numpy")
pandas = pytest.importorskip("pandas")


def test_tasks_are_those_of_the_replay(capture):
    replay = capture.replay()
    assert len(capture.tasks) == replay.tasks and len(capture.edges) == replay.edges
    assert set(capture.tasks.kinds[kind] for kind in capture.tasks.kind) <= set(capture.tasks.kinds)


def test_stored_columns_are_views_that_cannot_be_written(capture):
    for columns in (capture.tasks, capture.edges):
        views = [column for column in columns.__dict__["_columns"].values() if column.base is not None]
        assert views
        for view in views:
            with pytest.raises(ValueError, match="read-only"):
                view[0] = 0


def test_a_column_outlives_its_capture(sample):
    import stepsim

    start = stepsim.load(sample).tasks.start_ns
    assert (numpy.sort(start) > 0).all()


def test_edges_order_the_recorded_times(capture):
    """An edge's target starts at least its lag after its source has ended, on one host's clock."""
    tasks, edges = capture.tasks, capture.edges
    ranks = numpy.asarray(tasks.lanes["rank"])[tasks.lane]
    same = ranks[edges.source] == ranks[edges.target]
    assert same.sum() > 500
    late = tasks.finish_ns[edges.source] + edges.lag_ns <= tasks.finish_ns[edges.target]
    assert late[same].all()
    assert (edges.source < edges.target).all()


def test_the_replay_of_a_capture_orders_every_edge(capture):
    timeline = capture.replay().timeline()
    edges = capture.edges
    assert (timeline["finish_ns"][edges.source] <= timeline["finish_ns"][edges.target]).all()
    assert (timeline["start_ns"] <= timeline["finish_ns"]).all()


def test_a_what_if_has_two_timelines(capture):
    answer = capture.what_if(network_bandwidth="2x")
    assert [answer.timeline(i)["replay"] for i in (0, 1)] == ["baseline", "scenario"]
    with pytest.raises(IndexError, match="replay 2 of 2; expected 0 to 1"):
        answer.timeline(2)


def test_the_frame_of_tasks_has_classes_operators_and_shapes(tmp_path):
    import json

    import stepsim

    events = [("aten::addmm", "cpu_op", 0, 9, 1, {"External id": 1, "Input Dims": [[4], [8, 2], [2, 4]], "Input type": ["float"] * 3}),
              ("cudaLaunchKernel", "cuda_runtime", 2, 2, 1, {"correlation": 7, "External id": 1}),
              ("ampere_sgemm_32x32", "kernel", 20, 30, 7, {"correlation": 7, "stream": 7, "device": 0, "External id": 1})]
    file = tmp_path / "gemm.json"
    file.write_text(json.dumps({"traceEvents": [{"ph": "X", "pid": 1, "name": name, "cat": cat, "ts": ts, "dur": dur, "tid": tid, "args": args}
                                                for name, cat, ts, dur, tid, args in events]}))
    frame = stepsim.load(file).tasks.to_pandas()
    kernel = frame[frame["kind"] == "kernel"].iloc[0]
    assert (kernel["class"], kernel["operator"], kernel["shapes"]) == ("gemm", "aten::addmm", "[[4], [8, 2], [2, 4]]")
    assert frame[frame["kind"] != "kernel"][["class", "operator", "shapes"]].isna().all(axis=None)


def test_the_frame_of_tasks_names_ranks_lanes_and_kinds(capture):
    frame = capture.tasks.to_pandas()
    assert len(frame) == len(capture.tasks)
    assert set(frame["rank"]) == {0, 1}
    assert frame["kind"].isin(["collective", "operator", "host"]).any()
    by_hand = sum(d for d, lane in zip(capture.tasks.duration_ns, capture.tasks.lane) if capture.tasks.lanes["rank"][lane] == 0)
    assert frame[frame["rank"] == 0]["duration_ns"].sum() == by_hand
    assert len(capture.edges.to_pandas()) == len(capture.edges)

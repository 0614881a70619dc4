"""Tasks, edges and timelines as columns."""

import pickle

import pytest

import stepsim

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


def test_the_frame_of_tasks_has_classes_operators_shapes_streams_and_steps(gpu_capture):
    frame = gpu_capture.tasks.to_pandas()
    kernel = frame[frame["kind"] == "kernel"]
    for name, text in {"class": "gemm", "operator": "aten::addmm", "shapes": "[[4], [8, 2], [2, 4]]", "stream": "stream 7"}.items():
        assert set(kernel[name]) == {text}
    assert kernel.groupby("step")["duration_ns"].sum().to_dict() == {1: 30_000, 2: 30_000, 3: 30_000}
    others = frame[frame["stream"].isna()]
    assert len(others) > 3 and others[["class", "operator", "shapes"]].isna().all(axis=None)
    assert gpu_capture.tasks.step[frame["step"].isna()].tolist() == [-1] * frame["step"].isna().sum()


def test_the_tasks_on_the_critical_path_are_those_of_the_command(capture):
    frame = capture.tasks.to_pandas()
    path = capture.critical_path().tasks.to_pandas()
    shown = frame[frame["on_critical_path"]]
    columns = ["name", "rank", "lane"]
    assert sorted(map(tuple, shown[columns].values)) == sorted(map(tuple, path[columns].values)) and len(path) > 10


def test_a_capture_that_cannot_be_replayed_has_the_other_columns(capture):
    def refuse():
        raise stepsim.CannotAnswer("the tasks have no durations")

    tasks = stepsim.Tasks(capture._captures, refuse)
    expected = capture.tasks.to_pandas().drop(columns="on_critical_path")
    assert tasks.to_pandas().equals(expected) and pickle.loads(pickle.dumps(tasks)).to_pandas().equals(expected)
    for each in (tasks, pickle.loads(pickle.dumps(tasks))):
        with pytest.raises(stepsim.CannotAnswer, match="^the tasks have no durations$"):
            each.on_critical_path


def test_texts_in_the_frame_of_tasks_are_categories(capture):
    frame = capture.tasks.to_pandas()
    assert {name for name in frame if frame[name].dtype == "category"} == {
        "host", "name", "kind", "lane", "stream", "class", "operator", "shapes"}
    assert frame.memory_usage(deep=True).sum() < 100 * len(frame) + 20_000  # no text per row


def test_the_frame_of_tasks_names_ranks_lanes_and_kinds(capture):
    frame = capture.tasks.to_pandas()
    assert len(frame) == len(capture.tasks)
    assert set(frame["rank"]) == {0, 1}
    assert frame["kind"].isin(["collective", "operator", "host"]).any()
    by_hand = sum(d for d, lane in zip(capture.tasks.duration_ns, capture.tasks.lane) if capture.tasks.lanes["rank"][lane] == 0)
    assert frame[frame["rank"] == 0]["duration_ns"].sum() == by_hand
    assert len(capture.edges.to_pandas()) == len(capture.edges)

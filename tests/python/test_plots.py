"""Pictures of answers: they draw the figures of the JSON, with units, on the Axes that are given."""

import json

import pytest

import stepsim

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402 (after the choice of a backend)


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def texts_of(ax):
    legend = ax.get_legend()
    return [text.get_text() for text in [*ax.texts, *(legend.texts if legend else [])]]


def test_the_parts_of_a_step_are_those_of_the_answer(capture):
    replay = capture.replay()
    ax = replay.plot()
    parts = {name: time for name, time in replay.iteration_parts.items() if name != "rank" and time > 0}
    assert [bar.get_width() for bar in ax.patches] == [time / 1e6 for time in parts.values()] and len(parts) == 3
    assert ax.get_xlabel() == f"time in a step of rank {replay.iteration_parts.rank} (ms)"
    assert texts_of(ax)[0] == f"{replay.iteration_parts.compute_ns / 1e6:.1f} ms (52.2 %)"
    assert ax.get_title(loc="left") == "step time 280.6 ms, measured 280.6 ms"


def test_every_part_of_a_step_can_be_drawn():
    schema = next(answer for answer in json.loads(stepsim._core.json_schema())["oneOf"]
                  if answer["title"] == "stepsim.replay/1")
    assert set(schema["properties"]["iteration_parts"]["properties"]) == {"rank", *stepsim.plots._PARTS}


def test_uncertainty_has_a_bar_for_each_source(capture):
    answer = capture.what_if({"network.bandwidth": "2x"})
    ax = answer.plot()
    ranges = [[each.low_ns / 1e6, each.high_ns / 1e6] for each in answer.uncertainty]
    scenario = answer.scenario
    drawn = [list(line.get_xdata()) for line in ax.lines]
    assert drawn == [*ranges, [scenario.low_ns / 1e6, scenario.high_ns / 1e6], [scenario.iteration_ns / 1e6] * 2]
    assert [label.get_text() for label in ax.get_yticklabels()] == [*(each.source for each in answer.uncertainty), "all together"]
    assert ax.get_xlabel() == "step time (ms)"


def test_a_sweep_has_a_line_its_range_and_its_knee(capture):
    answer = capture.sweep({"network.bandwidth": ["4x", "0.5x", "1x", "2x", "8x"]})
    ax = answer.plot()
    times = {float(point.set["network.bandwidth"][:-1]): point.iteration_ns / 1e6 for point in answer.points}
    line, baseline, knee = ax.lines
    assert dict(zip(line.get_xdata(), line.get_ydata())) == times and list(line.get_xdata()) == sorted(times)
    assert list(baseline.get_ydata()) == [answer.baseline.iteration_ns / 1e6] * 2
    assert f"{knee.get_xdata()[0]:g}x" == answer.knees[0].value
    low, high = ax.collections[0].get_paths()[0].get_extents().intervaly
    assert (low, high) == (min(point.low_ns for point in answer.points) / 1e6, max(point.high_ns for point in answer.points) / 1e6)
    assert [label.get_text() for label in ax.get_xticklabels()] == ["0.5x", "1x", "2x", "4x", "8x"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("network.bandwidth, times the captured value", "step time (ms)")


def test_a_sweep_of_two_parameters_has_a_line_for_each_value_of_one(capture):
    answer = capture.sweep({"network.bandwidth": ["1x", "2x", "4x"], "compute.scale": [0.5, 1]})
    assert [text for text in texts_of(answer.plot()) if "=" in text] == ["compute.scale=0.5", "compute.scale=1"]
    assert [text for text in texts_of(answer.plot(x="compute.scale")) if "=" in text] == [
        f"network.bandwidth={value}" for value in ("1x", "2x", "4x")]
    with pytest.raises(stepsim.UsageError, match="^'batch' is not a swept parameter; expected network.bandwidth or compute.scale"):
        answer.plot(x="batch")


def test_values_without_a_common_unit_are_drawn_in_their_order(capture):
    ax = capture.sweep({"network.bandwidth": ["2x", "1Gb/s"]}).plot()
    assert list(ax.lines[0].get_xdata()) == [0, 1]
    assert [label.get_text() for label in ax.get_xticklabels()] == ["2x", "1Gb/s"]


def test_a_sweep_of_too_many_lines_is_refused(capture):
    answer = capture.sweep({"network.bandwidth": [f"{factor}x" for factor in range(1, 13)],
                            "compute.scale": [scale / 12 for scale in range(1, 13)]})
    with pytest.raises(stepsim.UsageError, match="the sweep has 12 lines over 'network.bandwidth'; expected at most 10"):
        answer.plot()


def test_a_timeline_has_a_row_per_stream_and_the_time_that_it_works(gpu_capture):
    replay = gpu_capture.replay()
    ax = replay.timeline().plot()
    labels = [label.get_text() for label in ax.get_yticklabels()]
    assert labels[-2:] == ["rank 0, stream 7", "rank 0, stream 9"]
    assert ax.get_xlabel() == "time (us)"
    colours = {name: matplotlib.colors.to_rgba(colour) for name, _, colour in stepsim._core.class_styles()}

    def drawn(row, name):
        paths = [path.get_extents() for bars in ax.collections if tuple(bars.get_facecolor()[0]) == colours[name]
                 for path in bars.get_paths()]
        return sum(path.width for path in paths if abs((path.y0 + path.y1) / 2 - row) < 0.01)

    # The fixture's description: 30 us of gemm and 5 us of copies in each step on stream 7, 20 us of all-reduce on 9.
    assert drawn(len(labels) - 2, "compute") == pytest.approx(90)
    assert drawn(len(labels) - 2, "copy") == pytest.approx(15)
    assert drawn(len(labels) - 1, "communication") == pytest.approx(60)
    assert "on the critical path" in texts_of(ax)


def test_a_part_of_a_timeline_is_drawn(capture):
    ax = capture.what_if({"network.bandwidth": "2x"}).timeline(1).plot(begin_ns=50_000_000, end_ns=100_000_000)
    assert ax.get_xlim() == (50, 100) and ax.get_xlabel() == "time in the scenario replay (ms)"


def test_given_axes_are_drawn_on_and_returned(capture):
    _, (first, second, third, fourth) = plt.subplots(4)
    answer = capture.what_if({"network.bandwidth": "2x"})
    assert answer.plot(ax=first) is first and capture.replay().plot(ax=second) is second
    assert answer.timeline().plot(ax=third) is third
    assert capture.sweep({"compute.scale": [0.5, 1]}).plot(ax=fourth) is fourth
    assert len(plt.get_fignums()) == 1 and all(ax.has_data() for ax in (first, second, third, fourth))

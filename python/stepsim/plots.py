"""Pictures of answers with matplotlib, if that is installed. Each function draws on the Axes `ax`, or on new ones if it
is None, and returns them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stepsim import _core, optional

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_STYLES = _core.class_styles()
_COLOURS = {name: colour for name, _, colour in _STYLES}
_PARTS = {"compute_ns": ("compute", "compute"), "communication_ns": ("communication", "exposed communication"),
          "copies_ns": ("copy", "exposed copies"), "collective_wait_ns": ("wait", "waiting for ranks"),
          "loader_ns": ("loader", "waiting for data"), "host_ns": ("host", "CPU only"),
          "other_steps_ns": (None, "other steps' work"), "idle_ns": (None, "idle")}
_GREY = "#999999"
_MOST_LINES = 10
_MOST_ROWS = 40  # of a timeline
_BARS_OF_A_ROW = 2000  # shorter bars would be less than a pixel wide


def _axes(ax: Axes | None, width: float, height: float) -> Axes:
    if ax is not None:
        return ax
    return optional.pyplot().subplots(figsize=(width, height), layout="constrained")[1]


def _unit(longest_ns):
    """Returns the unit in which to show times up to `longest_ns`, in nanoseconds, and its name."""
    return next((unit for unit in ((1e9, "s"), (1e6, "ms"), (1e3, "us")) if longest_ns >= unit[0]), (1, "ns"))


def _text(time_ns):
    size, name = _unit(time_ns)
    return f"{time_ns / size:.4g} {name}"


def step_parts(replay: Any, ax: Axes | None) -> Axes:
    """Bars of the parts of a step of the slowest rank, which do not overlap."""
    parts, iteration = replay.iteration_parts, replay.iteration
    shown = [(label, parts[name], _COLOURS.get(key, _GREY)) for name, (key, label) in _PARTS.items() if parts.get(name)]
    size, unit = _unit(iteration.replayed_ns)
    ax = _axes(ax, 8, 1.2 + 0.4 * len(shown))
    bars = ax.barh([label for label, _, _ in shown], [time / size for _, time, _ in shown],
                   color=[colour for _, _, colour in shown])
    ax.bar_label(bars, [f"{_text(time)} ({100 * time / iteration.replayed_ns:.1f} %)" for _, time, _ in shown],
                 padding=4)
    ax.invert_yaxis()
    ax.set_xlim(right=1.3 * max(time for _, time, _ in shown) / size)
    ax.spines[["top", "right"]].set_visible(False)
    ax.set_xlabel(f"time in a step of rank {parts.rank} ({unit})")
    measured = f", measured {_text(iteration.measured_ns)}" if iteration.measured_ns else ""
    ax.set_title(f"step time {_text(iteration.replayed_ns)}{measured}", loc="left")
    return ax


def uncertainty(answer: Any, ax: Axes | None) -> Axes:
    """The range that each source of uncertainty causes, and the range of the answer."""
    scenario = answer.scenario
    ranges = [(each.source, each.low_ns, each.high_ns) for each in answer.uncertainty]
    ranges.append(("all together", scenario.low_ns, scenario.high_ns))
    size, unit = _unit(scenario.high_ns)
    ax = _axes(ax, 8, 1.4 + 0.32 * len(ranges))
    for row, (source, low, high) in enumerate(ranges):
        colour = "black" if source == "all together" else _COLOURS["compute"]
        ax.plot([low / size, high / size], [row, row], color=colour, linewidth=6, solid_capstyle="butt", marker="|",
                markersize=10)
    ax.axvline(scenario.iteration_ns / size, color=_GREY, linewidth=1, zorder=0)
    ax.set_yticks(range(len(ranges)), [source for source, _, _ in ranges])
    ax.invert_yaxis()
    ax.spines[["top", "right"]].set_visible(False)
    ax.set_xlabel(f"step time ({unit})")
    ax.set_title(f"predicted {_text(scenario.iteration_ns)} ({_text(scenario.low_ns)} to {_text(scenario.high_ns)}), "
                 f"baseline {_text(answer.baseline.iteration_ns)}", loc="left")
    return ax


def sweep(answer: Any, x: str | None, ax: Axes | None) -> Axes:
    """The step time over one parameter, a line for each combination of the others, with its range and its knee."""
    names = list(answer.points[0].set)
    x = x or max(names, key=lambda name: len(set(answer.axis(name)[0])))
    values, unit = answer.axis(x)
    texts = [point.set[x] for point in answer.points]
    is_number = not isinstance(values[0], str)
    at = values if is_number else [list(dict.fromkeys(values)).index(value) for value in values]
    others = [", ".join(f"{name}={point.set[name]}" for name in names if name != x) for point in answer.points]
    lines = list(dict.fromkeys(others))
    if len(lines) > _MOST_LINES:
        raise _core.UsageError(f"plot: the sweep has {len(lines)} lines over '{x}'; expected at most {_MOST_LINES}: "
                               "sweep fewer values, or plot to_pandas()")
    size, time_unit = _unit(max((point.high_ns for point in answer.points if "high_ns" in point), default=1))
    ax = _axes(ax, 8, 4.5)
    for line in lines:
        points = sorted((at[i], point.iteration_ns / size, point.low_ns / size, point.high_ns / size)
                        for i, point in enumerate(answer.points) if others[i] == line and "iteration_ns" in point)
        where, times, low, high = zip(*points) if points else ([], [], [], [])
        drawn = ax.plot(where, times, marker="o", markersize=4, label=line or "predicted, with its range")[0]
        ax.fill_between(where, low, high, alpha=0.2, color=drawn.get_color(), linewidth=0)
    ax.axhline(answer.baseline.iteration_ns / size, color=_GREY, linewidth=1, linestyle="--",
               label=f"baseline {_text(answer.baseline.iteration_ns)}")
    for knee in answer.knees:
        if knee.key == x:
            flat = {"above": "larger values make", "below": "smaller values make"}.get(knee.flat, "all values make")
            ax.axvline(at[texts.index(knee.value)], color="black", linewidth=1, linestyle=":",
                       label=f"knee: {knee.value} ({flat} little difference)")
    _mark_values(ax, at, texts, is_number)
    of = {"x": ", times the captured value", "": ""}.get(unit, "")
    ax.set_xlabel(f"{x}{of}")
    ax.set_ylabel(f"step time ({time_unit})")
    ax.set_ylim(bottom=0)
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1), frameon=False, ncols=1 if len(lines) == 1 else 2)
    return ax


def backtest(answer: Any, ax: Axes | None) -> Axes:
    steps = answer.steps
    ax = _axes(ax, 7, 0.8 + 0.3 * len(steps))
    scale, unit = _unit(max(step.measured_ns for step in steps))
    rows = range(len(steps))
    ax.barh(rows, [step.measured_ns / scale for step in steps], color="#dddddd", label="measured")
    ax.plot([step.by_data_sheet_ns / scale for step in steps], rows, "x", color=_GREY, label="by data sheet")
    if all(step.from_others_ns is not None for step in steps):
        ax.plot([step.from_others_ns / scale for step in steps], rows, "o", color=_COLOURS["compute"], label="from the others")
    ax.set_yticks(rows, [step.name for step in steps])
    ax.invert_yaxis()
    ax.set_xlabel(f"step time ({unit})")
    ax.set_title(f"Steps of {answer.device}")
    ax.legend()
    return ax


def _mark_values(ax, at, texts, is_number):
    """Labels the swept values with their texts, on a logarithmic scale if they span a factor of 8."""
    from matplotlib.ticker import NullFormatter, NullLocator

    ticks = dict(sorted(zip(at, texts)))
    if is_number and min(at) > 0 and max(at) >= 8 * min(at):
        ax.set_xscale("log", base=2)
        ax.xaxis.set_minor_locator(NullLocator())
        ax.xaxis.set_minor_formatter(NullFormatter())
    if len(ticks) <= 12:
        ax.set_xticks(list(ticks), list(ticks.values()))


def timeline(answer: Any, index: int, begin_ns: int | None, end_ns: int | None, ax: Axes | None) -> Axes:
    """When each thread and stream works, by class of work. The tasks on the critical path are underlined."""
    import numpy

    times, tracks, path = answer.timeline(index), answer.tracks(index), answer.critical_path(index)
    start, finish, lane, classes = times["start_ns"], times["finish_ns"], tracks["lane"], tracks["class"]
    begin = 0 if begin_ns is None else begin_ns
    end = int(finish.max(initial=1)) if end_ns is None else end_ns
    shown = (finish > begin) & (start < end)
    busy = numpy.bincount(lane[shown], (finish - start)[shown], len(tracks["lanes"]["name"]))
    lanes = tracks["lanes"]
    busiest = [row for row in numpy.argsort(-busy, kind="stable")[:_MOST_ROWS].tolist()
               if busy[row] > (end - begin) / _BARS_OF_A_ROW]
    rows = sorted(busiest, key=lambda row: (lanes["rank"][row], row))
    size, unit = _unit(end - begin)
    ax = _axes(ax, 10, 1.4 + 0.28 * len(rows))
    used = set()
    for y, row in enumerate(rows):
        of_row = numpy.flatnonzero(shown & (lane == row))
        for code in numpy.unique(classes[of_row]).tolist():
            tasks = of_row[classes[of_row] == code]
            ax.broken_barh(_bars(start[tasks], finish[tasks], (end - begin) / _BARS_OF_A_ROW, size), (y - 0.35, 0.7),
                           color=_STYLES[code][2], linewidth=0)
            used.add(code)
        on_path = path[(lane[path] == row) & shown[path]]
        ax.broken_barh(_bars(start[on_path], finish[on_path], 0, size), (y + 0.35, 0.14), color="black", linewidth=0)
    ax.set_yticks(range(len(rows)), [f"rank {lanes['rank'][row]}, {lanes['name'][row]}" for row in rows])
    ax.set_ylim(len(rows) - 0.4, -0.6)
    ax.set_xlim(begin / size, end / size)
    replay = "" if times["replay"] == "replayed" else f" in the {times['replay']} replay"
    ax.set_xlabel(f"time{replay} ({unit})")
    keys = [ax.barh(0, 0, color=_STYLES[code][2], label=_STYLES[code][1]) for code in sorted(used)]
    keys.append(ax.plot([], [], color="black", linewidth=3, label="on the critical path")[0])
    ax.legend(handles=keys, loc="lower center", bbox_to_anchor=(0.5, 1), ncols=len(keys), frameon=False)
    return ax


def _bars(start, finish, gap, size):
    """Returns (start, width) of bars, in units of `size`. Those that follow within `gap` nanoseconds are one bar."""
    import numpy

    if not len(start):
        return []
    order = numpy.argsort(start, kind="stable")
    start, finish = start[order], numpy.maximum.accumulate(finish[order])
    first = numpy.flatnonzero(numpy.append(True, start[1:] > finish[:-1] + gap))
    last = numpy.append(first[1:], len(start)) - 1
    return list(zip(start[first] / size, (finish[last] - start[first]) / size))

"""Results of some commands, with more than their fields."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from stepsim import _core, fields, optional, plots
from stepsim.result import Fields, Records, Result

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes

    from stepsim.capture import Capture


class Replay(Result, fields.Replay, answers="replay"):
    """The result of replay()."""

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draws the parts of a step of the slowest rank with matplotlib, on `ax` if given. Returns the Axes."""
        return plots.step_parts(self, ax)


class WhatIf(Result, fields.WhatIf, answers="whatif"):
    """The result of what_if(). `why` lists what a change affects, and `uncertainty` what makes the answer uncertain."""

    @property
    def uncertainty(self) -> Records[fields.WhatIfScenarioInterval]:
        """The sources of the range, each with the step times to which it can lead; `scenario.interval` in JSON."""
        return self.scenario.interval

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draws the predicted step time, its range, and what each source of uncertainty contributes, with matplotlib,
        on `ax` if given. Returns the Axes."""
        return plots.uncertainty(self, ax)


class Sweep(Result, fields.Sweep, answers="sweep"):
    """The result of sweep()."""

    def to_pandas(self) -> pandas.DataFrame:
        """Returns a DataFrame with a row per point. A swept parameter is a column of numbers if all of its values are:
        "2x" is 2.0, sizes are bytes, times nanoseconds, and rates bytes per second. A second column has the texts of
        values with a unit: "network.bandwidth.text"."""
        pandas = optional.pandas()

        columns = {}
        for name, values in self._answer.columns().items():
            numbers, unit = self.axis(name) if name in self.points[0].set else (values, "")
            columns[name] = numbers
            if unit:
                columns[name + ".text"] = values
        return pandas.DataFrame(columns)

    def plot(self, x: str | None = None, ax: Axes | None = None) -> Axes:
        """Draws the step time over the parameter `x` (by default, the one with most values) with its range, a line for
        each combination of other parameters, and the knee, with matplotlib, on `ax` if given. Returns the Axes."""
        return plots.sweep(self, x, ax)

    def axis(self, name: str) -> tuple[list[Any], str]:
        """Returns the values of a swept parameter at each point, and their unit: "x" (times the captured value),
        "bytes", "ns", "bytes/s" or "". Values that are not all numbers of one unit are texts."""
        if name not in self.points[0].set:
            raise _core.UsageError(f"'{name}' is not a swept parameter; expected {' or '.join(self.points[0].set)}")
        texts: list[Any] = [point.set[name] for point in self.points]
        quantities = [_core.quantity(text) for text in texts]
        if None in quantities:
            return texts, ""
        units = {unit for number, unit in quantities if unit or number}  # a plain 0 has any unit
        return (texts, "") if len(units) > 1 else ([number for number, _ in quantities], "".join(units))


class Plan(Result, fields.Plan, answers="plan"):
    """The result of plan(). `best` is the best plan (None if the memory of its device is not known), `plans` are the best ten."""


class Graph(Result, fields.Graph, answers="graph"):
    """The result of graph()."""

    def __init__(self, answer: Any, draw: Callable[[str], Any] | None = None) -> None:
        super().__init__(answer)
        self._draw = draw

    def save(self, path: str | bytes | os.PathLike[Any]) -> None:
        """Writes the graph to a file, in the form of its extension. Pictures need Graphviz, which places the nodes."""
        (super() if self._draw is None else Result(self._draw(path))).save(path)


class _OfInput(Result):
    """Members of the first of `inputs` are also members of the result."""

    if not TYPE_CHECKING:
        def __getattr__(self, name):
            if not name.startswith("_") and name not in self._members and name in self.inputs[0]:
                return self.inputs[0][name]
            return super().__getattr__(name)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._members["inputs"][0]]


class Collectives(_OfInput, fields.Collectives, fields.CollectivesInput, answers="collectives"):
    """The result of stats(collectives=True). The members of its input (`rows`, `slow`, ...) are also members of the
    result."""

    @property
    def collectives(self) -> Records[fields.CollectivesInputRow]:
        """The rows, as stats().collectives has them."""
        return self.rows


class StatsOverlap(Fields[Any]):
    """Where the time of a device goes: compute, exposed and hidden communication and copies."""

    rank: int
    device: int | None
    compute_ns: int
    exposed_communication_ns: int
    hidden_communication_ns: int
    exposed_copies_ns: int
    hidden_copies_ns: int


class StatsIdle(Fields[Any]):
    """The idle time of a stream. What it waited for is absent if launches are not recorded."""

    rank: int
    device: int | None
    stream: str
    idle_ns: int
    host_wait_ns: int
    kernel_wait_ns: int
    other_wait_ns: int


class Stats(_OfInput, fields.Stats, fields.StatsInput, answers="stats"):
    """The result of stats(). The members of its input (`rows`, `devices`, `streams`, `launches`, `memory`, ...) are
    also members of the result, and some questions have a list of their own:

    kernels      rows of kernels: counts and times
    copies       sizes and rates of copies on each rank
    overlap      compute, and exposed and hidden communication and copies, of each device
    idle         idle time of each stream, and what it waited for if launches are recorded
    collectives  rows of collectives with bandwidths, as with collectives=True
    stragglers   ranks for which others waited, of replay()

    Each list has to_pandas(). The last two ask the capture again, and are not in a result that was pickled.
    """

    def __init__(self, answer: Any, capture: Capture | None = None) -> None:
        super().__init__(answer)
        self._capture = capture

    @property
    def kernels(self) -> Records[fields.StatsInputRow]:
        """The rows of kernels."""
        if any("kind" not in row for row in self.rows):
            raise _core.UsageError(f"kernels: rows by '{self.by}' have no kind; expected by='name' or by='class'")
        return Records((row for row in self.rows if row.kind == "kernel"), "stats.inputs.rows")

    @property
    def overlap(self) -> Records[StatsOverlap]:
        """Where the time of each device goes: compute, exposed and hidden communication and copies."""
        return Records(_part(StatsOverlap, device.to_dict(), device._path) for device in self.devices)

    @property
    def idle(self) -> Records[StatsIdle]:
        """The idle time of each stream, and what it waited for if launches are recorded."""
        waits: dict[tuple[int, int | None, str], dict[str, Any]] = {
            (each.rank, each.device, each.stream): each.to_dict() for each in self.streams}
        return Records(_part(StatsIdle, {**waits.get((device.rank, device.device, stream.name), {}),
                                         "rank": device.rank, "device": device.device, "stream": stream.name,
                                         "idle_ns": stream.idle_ns}, "stats.inputs.streams")
                       for device in self.devices for stream in device.streams)

    @property
    def collectives(self) -> Records[fields.CollectivesInputRow]:
        """The rows of collectives, with bandwidths, arrival and expected times. Empty for a job without collectives."""
        capture = self._of("collectives")
        try:
            return capture.stats(collectives=True).rows
        except _core.CannotAnswer:
            if not self.measured or any(each.kind == "collective" for each in capture.task_list().kinds):
                raise
            return Records([], "collectives.inputs.rows")

    @property
    def stragglers(self) -> Records[fields.ReplayStraggler]:
        """The ranks for which others waited in collectives."""
        return self._of("stragglers").replay().stragglers

    def _of(self, name: str) -> Capture:
        if self._capture is None:
            raise _core.UsageError(f"{name}: this result was pickled; expected the one that stats() has returned")
        return self._capture


class CriticalPath(Result, fields.CriticalPath, answers="critical_path"):
    """The result of critical_path()."""


class Advice(Result, fields.Advice, answers="advise"):
    """The result of advise()."""


class Check(Result, fields.Check, answers="check"):
    """The result of check()."""


class Comparison(Result, fields.Comparison, answers="compare"):
    """The result of compare()."""


class Calibration(Result, fields.Calibration, answers="calibrate"):
    """The result of calibrate()."""


class Machine(Result, fields.Machine, answers="machine"):
    """The result of fit_machine(). save("machine.yaml") writes the machine."""

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draws each measured step, and what the data sheet and the other steps predict for it, with matplotlib, on `ax`
        if given. Returns the Axes."""
        return plots.backtest(self, ax)


class TaskList(Result, fields.TaskList, answers="tasks"):
    """The result of task_list()."""


class Conversion(Result, fields.Conversion, answers="convert comm_json cut profiler_trace part"):
    """The result of convert(). Which members it has depends on the format, which `schema` names."""


class Scrubbing(Result, fields.Scrubbing, answers="scrub"):
    """The result of scrub()."""


def _part(cls, members, path):
    """Returns a `cls` of those members that it declares."""
    return cls({name: members[name] for name in cls.__annotations__ if name in members}, path)

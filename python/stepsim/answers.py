"""Results of some commands, with more than their fields."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from stepsim import _core, optional, plots
from stepsim.result import Fields, Records, Result

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes

    from stepsim.capture import Capture


class Replay(Result, answer="replay"):
    """The result of replay()."""

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draws the parts of a step of the slowest rank with matplotlib, on `ax` if given. Returns the Axes."""
        return plots.step_parts(self, ax)


class WhatIf(Result, answer="whatif"):
    """The result of what_if(). `why` lists what a change affects, and `uncertainty` what makes the answer uncertain."""

    @property
    def uncertainty(self) -> Records:
        """The sources of the range, each with the step times to which it can lead; `scenario.interval` in JSON."""
        return self.scenario.interval  # type: ignore[no-any-return]

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draws the predicted step time, its range, and what each source of uncertainty contributes, with matplotlib,
        on `ax` if given. Returns the Axes."""
        return plots.uncertainty(self, ax)


class Sweep(Result, answer="sweep"):
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
        texts = [point.set[name] for point in self.points]
        quantities = [_core.quantity(text) for text in texts]
        if None in quantities:
            return texts, ""
        units = {unit for number, unit in quantities if unit or number}  # a plain 0 has any unit
        return (texts, "") if len(units) > 1 else ([number for number, _ in quantities], "".join(units))


class Graph(Result, answer="graph"):
    """The result of graph()."""

    def __init__(self, answer: Any, draw: Callable[[str], Any] | None = None) -> None:
        super().__init__(answer)
        self._draw = draw

    def save(self, path: str | bytes | os.PathLike[Any]) -> None:
        """Writes the graph to a file, in the form of its extension. Pictures need Graphviz, which places the nodes."""
        (super() if self._draw is None else Result(self._draw(path))).save(path)


class Stats(Result, answer="stats"):
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

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_") and name not in self._members and name in self._input:
            return self._input[name]
        return super().__getattr__(name)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._input]

    @property
    def _input(self) -> Fields:
        return self.inputs[0]  # type: ignore[no-any-return]

    @property
    def kernels(self) -> Records:
        """The rows of kernels."""
        if any("kind" not in row for row in self._input.rows):
            raise _core.UsageError(f"kernels: rows by '{self._input.by}' have no kind; expected by='name' or "
                                   "by='class'")
        return Records((row for row in self._input.rows if row.kind == "kernel"), "stats.inputs.rows")

    @property
    def overlap(self) -> Records:
        """Where the time of each device goes: compute, exposed and hidden communication and copies."""
        return Records(_part(device, "rank", "device", "compute_ns", "exposed_communication_ns",
                             "hidden_communication_ns", "exposed_copies_ns", "hidden_copies_ns")
                       for device in self._input.devices)

    @property
    def idle(self) -> Records:
        """The idle time of each stream, and what it waited for if launches are recorded."""
        waits = {(each.rank, each.device, each.stream): _part(each, "host_wait_ns", "kernel_wait_ns", "other_wait_ns")
                 for each in self._input.streams}
        return Records(Fields({**_part(device, "rank", "device"), "stream": stream.name, "idle_ns": stream.idle_ns,
                               **waits.get((device.rank, device.device, stream.name), {})}, "stats.inputs.streams")
                       for device in self._input.devices for stream in device.streams)

    @property
    def collectives(self) -> Records:
        """The rows of collectives, with bandwidths, arrival and expected times. Empty for a job without collectives."""
        if self.schema == "stepsim.collectives/1":
            return self._input.rows  # type: ignore[no-any-return]
        capture = self._of("collectives")
        try:
            return capture.stats(collectives=True).collectives
        except _core.CannotAnswer:
            if not self._input.measured or any(each.kind == "collective" for each in capture.task_list().kinds):
                raise
            return Records([], "collectives.inputs.rows")

    @property
    def stragglers(self) -> Records:
        """The ranks for which others waited in collectives."""
        return self._of("stragglers").replay().stragglers  # type: ignore[no-any-return]

    def _of(self, name: str) -> Capture:
        if self._capture is None:
            raise _core.UsageError(f"{name}: this result was pickled; expected the one that stats() has returned")
        return self._capture


def _part(fields, *names):
    return Fields({name: fields.to_dict()[name] for name in names}, fields._path)

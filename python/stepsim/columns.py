"""The tasks and edges of a capture as numpy columns."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from stepsim import optional
from stepsim._core import InputError

if TYPE_CHECKING:
    import numpy
    import pandas

    Column = numpy.ndarray[Any, Any]


class _Columns:
    """Columns of equal length. Each is an attribute; a column that stepsim stores as it is has not been copied and is
    read-only."""

    def __init__(self, columns: dict[str, Any]) -> None:
        self._columns = columns

    if not TYPE_CHECKING:  # type checkers know the columns of each class
        def __getattr__(self, name):
            if name.startswith("_"):  # also asked by copy and pickle, before there are columns
                raise AttributeError(name)
            if name not in self._columns:
                raise AttributeError(f"no column '{name}'; expected one of {', '.join(self._columns)}")
            return self._columns[name]

    def __getitem__(self, name: str) -> Column:
        return self._columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(next(iter(self._columns.values())))

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._columns]

    def __repr__(self) -> str:
        return f"<stepsim.{type(self).__name__}: {len(self)} rows of {', '.join(self._columns)}>"

    def _frame(self, **categories):
        pandas = optional.pandas()

        frame = {name: column if categories.get(name) is None else _categorical(column, categories[name])
                 for name, column in self._columns.items()}
        return pandas.DataFrame(frame, copy=False)


def _categorical(codes, texts):
    """Returns `texts[code]` for each code. Equal texts are one category. The code -1 and the text None are missing."""
    import numpy
    pandas = optional.pandas()

    categories = {text: i for i, text in enumerate(dict.fromkeys(text for text in texts if text is not None))}
    if len(categories) < len(texts):
        codes = numpy.asarray([categories.get(text, -1) for text in texts] + [-1], dtype=numpy.int32)[codes]
    return pandas.Categorical.from_codes(codes, list(categories))


def _raise(error):
    raise error


class Tasks(_Columns):
    """The tasks of the graph, in topological order; the position of a task is its id.

    name, kind, lane   indices into `names`, `kinds` and `lanes`
    duration_ns        its own work, without waiting
    bytes              moved or reduced; 0 if not recorded
    start_ns, finish_ns  measured, on the reference host's clock; absent for a task graph, which was never run
    step               number of its step, -1 if it is in none
    class              index into `classes` for device work, otherwise -1: tasks["class"]
    operator           index into `operators` for device work whose operator is recorded, otherwise -1
    """

    name: Column
    kind: Column
    lane: Column
    duration_ns: Column
    bytes: Column
    start_ns: Column
    finish_ns: Column
    step: Column
    operator: Column

    def __init__(self, captures: Any, critical_path: Callable[[], Any]) -> None:
        optional.numpy()
        super().__init__(captures.tasks())
        self._critical_path = critical_path
        self.names = captures.names()
        self.kinds = captures.task_kinds()
        self.lanes = captures.lanes()
        self.classes = captures.classes()
        self.operators = captures.operators()

    def __getstate__(self) -> dict[str, Any]:
        critical_path = None  # which is not needed again
        try:
            self.on_critical_path
        except InputError as error:
            critical_path = functools.partial(_raise, error)
        return {**self.__dict__, "_critical_path": critical_path}

    @functools.cached_property
    def on_critical_path(self) -> Column:
        """True for the tasks that determine the length of a typical step: those of Capture.critical_path(). Raises
        CannotAnswer if the capture cannot be replayed."""
        import numpy

        on_path = numpy.zeros(len(self), dtype=bool)
        on_path[self._critical_path()] = True
        return on_path

    def to_pandas(self) -> pandas.DataFrame:
        """Returns a DataFrame with a row per task, the rank, host and stream of its lane, the shapes of its operator's
        inputs, and whether it is on the critical path, for which the capture is replayed once, unless it cannot be.
        Texts are categories; the step of a task outside all steps is missing."""
        import numpy
        pandas = optional.pandas()

        texts = {"class": self.classes, "operator": self.operators["name"]}
        frame = self._frame(name=self.names, kind=self.kinds, lane=self.lanes["name"], **texts)
        frame["shapes"] = _categorical(self.operator, self.operators["shapes"])
        frame.insert(0, "rank", numpy.asarray(self.lanes["rank"], dtype=numpy.int32)[self.lane])
        frame.insert(1, "host", _categorical(self.lane, self.lanes["host"]))
        streams = [name if stream else None for name, stream in zip(self.lanes["name"], self.lanes["is_stream"])]
        frame.insert(frame.columns.get_loc("lane") + 1, "stream", _categorical(self.lane, streams))
        frame["step"] = pandas.arrays.IntegerArray(self.step, self.step < 0)
        with contextlib.suppress(InputError):
            frame["on_critical_path"] = self.on_critical_path
        return frame


class Edges(_Columns):
    """The dependencies between tasks, ordered by source.

    source, target  ids of tasks
    kind            index into `kinds`
    lag_ns          minimum time between the end of the source and the start of the target
    """

    source: Column
    target: Column
    kind: Column
    lag_ns: Column

    def __init__(self, captures: Any) -> None:
        optional.numpy()
        super().__init__(captures.edges())
        self.kinds = captures.edge_kinds()

    def to_pandas(self) -> pandas.DataFrame:
        """Returns a DataFrame with a row per edge."""
        return self._frame(kind=self.kinds)

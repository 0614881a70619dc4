"""Replay a captured training step, ask what would change it, and see how far to trust the answer.

    >>> import stepsim
    >>> capture = stepsim.load("scenarios/samples/pytorch-ddp")
    >>> capture.replay().iteration.measured_ns
    280582714
    >>> answer = capture.what_if({"network.bandwidth": "2x"})
    >>> answer.scenario.iteration_ns < answer.baseline.iteration_ns
    True
    >>> report = str(answer)  # what `stepsim whatif` prints
    >>> frame = capture.tasks.to_pandas()  # a row per task

Times are whole nanoseconds (names end in _ns), sizes bytes, shares and errors ratios (0.05 is 5 %). Each method is the
command of the same name of the program `stepsim`, and its result has the fields of --json.
"""

from stepsim._core import CannotAnswer, Error, InputError, MissingFile, OutputError, UsageError, __version__
from stepsim.answers import (Advice, Calibration, Check, Collectives, Comparison, Conversion, CriticalPath, Graph,
                             Machine, Plan, Replay, Scrubbing, Stats, Sweep, TaskList, WhatIf)
from stepsim.capture import Capture, calibrate, check, compare, fit_machine, load, scrub
from stepsim.columns import Edges, Tasks
from stepsim.result import Fields, Records, Result, Timeline

__all__ = ["Advice", "Calibration", "CannotAnswer", "Capture", "Check", "Collectives", "Comparison", "Conversion",
           "CriticalPath", "Edges", "Error", "Fields", "Graph", "InputError", "Machine", "MissingFile", "OutputError",
           "Plan", "Records", "Replay", "Result", "Scrubbing", "Stats", "Sweep", "TaskList", "Tasks", "Timeline",
           "UsageError", "WhatIf", "__version__", "calibrate", "check", "compare", "fit_machine", "load", "scrub"]


def __dir__() -> list[str]:
    return __all__

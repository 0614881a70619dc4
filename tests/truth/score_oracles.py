#!/usr/bin/env python3
"""Replays small jobs under the max-min network, and compares each task's finish time with other simulators' answers.

    score_oracles.py STEPSIM FOLDER

FOLDER contains cases like those in tests/truth/data/oracles.tar.xz: a task graph with the expected finish times in
`finish_s`. The tolerance is a nanosecond, or 1e-9 of the time if that is more. Each hop may add a rounding error,
because stepsim's times are whole nanoseconds."""
import json
import os
import pathlib
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "cli"))
from checks import answer, read, verdict  # noqa: E402


def worst_error(file):
    """The largest error of a task, in units of the tolerance, and the limit for it."""
    case = json.loads(read(file))
    finish = {task["id"]: task["finish_ns"] * 1e-9 for task in answer("replay", str(file), "--network", "maxmin", "--tasks")["tasks_detail"]}
    errors = [abs(finish[task] - theirs) / max(1e-9, 1e-9 * theirs) for task, theirs in enumerate(case["finish_s"])]
    return max(errors), len(case["tasks"]) ** 0.5 + 1


def main():
    files = sorted(pathlib.Path(sys.argv[2]).glob("*.json"))
    wrong = 0
    for file in files:
        error, allowed = worst_error(file)
        wrong += error > allowed
        print(f"{file.stem:14} worst task off by {error:.1f} ns{'' if error <= allowed else '  WRONG'}")
    print(f"{len(files)} cases, {wrong} wrong")
    return 1 if wrong or verdict() or len(files) != 18 else 0


if __name__ == "__main__":
    sys.exit(main())

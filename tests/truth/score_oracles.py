#!/usr/bin/env python3
"""Replays small jobs under the max-min network, and compares each task's finish time with other simulators' answer.

    score_oracles.py STEPSIM FOLDER

FOLDER holds cases as in tests/truth/data/oracles.tar.xz: a task graph whose `finish_s` is the answer. It is agreed with to
a nanosecond, or to 1e-9 of the time if that is more; and as times are whole nanoseconds here, each hop may round once."""
import json
import os
import pathlib
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "cli"))
from checks import answer, read, verdict  # noqa: E402


def worst_error(file):
    """The largest error of a task in units of what is agreed to, and what is allowed."""
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

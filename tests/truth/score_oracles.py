#!/usr/bin/env python3
"""Replays small jobs under the max-min network, and compares each task's finish time with other simulators' answer.

    score_oracles.py STEPSIM FOLDER

FOLDER holds cases as in tests/truth/data/oracles.tar.xz: a task graph whose `finish_s` is the answer. It is agreed with to
a nanosecond, or to 1e-9 of the time if that is more; and as times are whole nanoseconds here, each hop may round once."""
import json
import os
import pathlib
import subprocess
import sys


def worst_error(stepsim, file):
    """The largest error of a task in units of what is agreed to, and what is allowed."""
    with open(file, encoding="utf-8") as text:
        case = json.load(text)
    run = subprocess.run([stepsim, "replay", file, "--network", "maxmin", "--json", "--tasks"], capture_output=True, check=True)
    finish = {task["id"]: task["finish_ns"] * 1e-9 for task in json.loads(run.stdout)["tasks_detail"]}
    errors = [abs(finish[task] - answer) / max(1e-9, 1e-9 * answer) for task, answer in enumerate(case["finish_s"])]
    return max(errors), len(case["tasks"]) ** 0.5 + 1


def main():
    stepsim, files = os.path.abspath(sys.argv[1]), sorted(pathlib.Path(sys.argv[2]).glob("*.json"))
    wrong = 0
    for file in files:
        error, allowed = worst_error(stepsim, file)
        wrong += error > allowed
        print(f"{file.stem:14} worst task off by {error:.1f} ns{'' if error <= allowed else '  WRONG'}")
    print(f"{len(files)} cases, {wrong} wrong")
    return 1 if wrong or len(files) != 18 else 0


if __name__ == "__main__":
    sys.exit(main())

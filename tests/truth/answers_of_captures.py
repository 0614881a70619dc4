#!/usr/bin/env python3
"""answers_of_captures.py STEPSIM: what every answer about a real capture owes its reader, whatever the capture. Captures are taken
from beside the checkout, where they are.

anchored  the baseline of a prediction is the measured iteration: within 5 %, or the range of a neutral question holds the measured one
one       whatif, sweep and advise give the same baseline, the same measured iteration and the same error
trusted   where the captured steps contradict the repetition of one, check finds it and the what-if says so"""
import glob
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "cli"))
from checks import SHARED, check, quietly, verdict  # noqa: E402

NEUTRAL = "compute.scale=1"
MOST_FOR_ADVISE = 2_000_000  # bytes: it predicts some twenty changes


def answer(*arguments):
    """The JSON of an answer; None where the question is refused with a sentence."""
    run = quietly(*arguments, "--json")
    check(f"{arguments}: exit code", run.returncode in (0, 1, 2, 5), run)
    return json.loads(run.stdout) if run.stdout else None


def judge(name, path):
    whole = answer("whatif", path, "--set", NEUTRAL)
    if whole is None:
        return
    measured, predicted = whole["measured"].get("iteration_ns"), whole["baseline"]["iteration_ns"]
    if measured:
        low, high = whole["scenario"]["low_ns"], whole["scenario"]["high_ns"]
        check(f"{name} is anchored", abs(predicted / measured - 1) <= 0.05 or low <= measured <= high, (measured, predicted, low, high))
    first = {"iteration_ns": predicted, "measured_ns": measured, "error": whole["baseline"].get("error")}
    size = sum(os.path.getsize(file) for file in ([path] if os.path.isfile(path) else glob.glob(path + "/*")))
    for question in [("sweep", path, "--set", NEUTRAL)] + ([("advise", path)] if size < MOST_FOR_ADVISE else []):
        other = answer(*question)
        if other is not None:
            found = {key: other["baseline"].get(key) for key in first}
            check(f"{name}: {question[0]} has the baseline of whatif", found == first, (found, first))
    contradicted = any("until it is steady" in sentence for sentence in whole["assumptions"])
    found = any(finding["name"] == "repetition_contradicted" for finding in answer("check", path)["findings"])
    check(f"{name}: check and whatif agree on whether the steps repeat", found == contradicted, (found, contradicted))


def captures():
    """Files and folders of one job each, by name."""
    for folder in ["fresh/*", "kineto", "nsys", "other", "pytorch-cpu"]:
        for path in sorted(glob.glob(os.path.join(SHARED, folder, "*"))):
            if not path.endswith((".md", ".yaml", ".csv", ".txt")):
                yield os.path.relpath(path, SHARED), path


def main():
    count = 0
    for name, path in captures():
        judge(name, path)
        count += 1
    print(f"{count} captures are beside the checkout" if count else "no captures are beside the checkout: nothing was judged")
    return verdict()


if __name__ == "__main__":
    sys.exit(main())

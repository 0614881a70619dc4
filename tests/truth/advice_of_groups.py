"""Checks that the change that advise ranks first is among the best of those that were measured.

    advice_of_groups.py STEPSIM TRUTH

TRUTH holds groups of measured runs (docs/internals/test-data.md), each with the captured run as its base. For each group
whose measured.csv varies a setting that advise tries, each measured run is matched with the change that means the
same: the same keys with the same values, where sizes and rates may differ by a tenth. Of these, the change that
advise predicts to be the shortest must be among the two shortest that were measured (of two runs, the shorter one).
The same must hold without changes of hardware, where at least three runs differ in settings alone. The job as
captured is one of the runs in both checks. Exit 1 if not; prints both orders of every group. Also counts how many
measured changes, relative to the captured run, lie in the range of the predicted change: at least 85 % must."""

import csv
import os
import pathlib
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "cli"))
import checks  # noqa: E402

# Columns that are results of a run, not settings.
MEASUREMENTS = {"median_step_s", "p10", "p90", "is_base"}
SUFFIXES = {"": 1, "KiB": 1 << 10, "MiB": 1 << 20}


def settings_of(run, base):
    """The changes from the captured run to this one, by key; None if advise does not try one of them."""
    changed = {column for column in run if column not in MEASUREMENTS and run[column] != base[column]}
    makers = {
        "rate": lambda: {"network.bandwidth": float(run["rate"]) / float(base["rate"])},
        "partition": lambda: {"comm.partition_bytes": float(run["partition"])},
        "bucket": lambda: {"comm.bucket_bytes": float(run["bucket"]) * (1 << 20)},
        "servers": lambda: {"cluster.servers": float(run["servers"])},
        "schedule": lambda: {"comm.schedule": run["schedule"]},
        "credit": lambda: {"comm.credit_bytes": float(run["credit"])},
        "barrier": lambda: {"comm.barrier": run["barrier"]},
        "control": lambda: {"comm.control": run["control"]},
    }
    if not changed <= makers.keys():
        return None
    return {key: value for column in sorted(changed) for key, value in makers[column]().items()}


def number_of(text):
    found = re.fullmatch(r"([0-9.]+)(x|[KM]iB)?", text)
    return text if found is None else float(found[1]) * SUFFIXES.get(found[2] or "", 1)


def same(measured, tried):
    def close(a, b):
        return a == b if isinstance(a, str) or isinstance(b, str) else abs(a - b) <= 0.1 * b

    return measured.keys() == tried.keys() and all(close(measured[key], number_of(tried[key])) for key in measured)


def text_of(settings):
    return ", ".join(f"{key}={value:g}" if isinstance(value, float) else f"{key}={value}"
                     for key, value in settings.items()) or "as captured"


def runs_of(group):
    """[(settings, measured, predicted, range of the predicted change)] of the runs that were both measured and tried,
    including the captured run."""
    with open(group / "measured.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    base = next(row for row in rows if row["is_base"] == "1")
    measured = [(settings_of(row, base), float(row["median_step_s"])) for row in rows]
    if all(settings in (None, {}) for settings, _ in measured):
        return []
    answer = checks.answer("advise", f"{group}/base/traces", "--job", f"{group}/base/job.yaml")
    tried = [({}, answer["baseline"]["iteration_ns"], None)]
    tried += [(entry["set"], entry["iteration_ns"], (entry["low_change"], entry["high_change"]))
              for entry in answer["advice"] if entry["takes"] != "limit"]
    return [(settings, time, predicted, change) for settings, time in measured if settings is not None
            for meant, predicted, change in tried if same(settings, meant)]


def is_hardware(settings):
    return any(key.startswith(("network.", "cluster.")) for key in settings)


def check(name, runs):
    """Whether the run with the shortest prediction is among the shortest that were measured. Prints both orders."""
    by_measured = sorted(runs, key=lambda run: run[1])
    by_predicted = sorted(runs, key=lambda run: run[2])
    passed = by_predicted[0] in by_measured[:min(2, len(runs) - 1)]
    print(f"{'pass' if passed else 'FAIL'}  {name}")
    for title, order, time in (("measured", by_measured, 1), ("predicted", by_predicted, 2)):
        scale = 1 if time == 1 else 1e-9
        print(f"      {title}: " + "; ".join(f"{text_of(run[0])} {run[time] * scale:.4f} s" for run in order))
    return passed


def changes_in_range(runs):
    """For each run except the captured one: whether its measured change lies in the predicted range."""
    base = next(run[1] for run in runs if not run[0])
    held = []
    for settings, time, predicted, change in runs:
        if not settings:
            continue
        measured = time / base - 1
        held.append(change[0] <= measured <= change[1])
        print(f"      {text_of(settings)}: measured {measured:+.1%}, predicted {change[0]:+.1%} to {change[1]:+.1%}"
              f"{'' if held[-1] else ', outside'}")
    return held


def main():
    truth = pathlib.Path(sys.argv[2])
    results = []
    held = []
    for file in sorted(truth.glob("*/*/measured.csv")):
        group = file.parent
        runs = runs_of(group)
        if len(runs) < 2:
            continue
        name = f"{group.parent.name}/{group.name}"
        results.append(check(name, runs))
        held += changes_in_range(runs)
        settings = [run for run in runs if not is_hardware(run[0])]
        if len(settings) > 2:
            results.append(check(f"{name}, settings alone", settings))
    print(f"{sum(results)} of {len(results)} orders pass; {sum(held)} of {len(held)} changes lie in their range")
    return 0 if results and all(results) and not checks.failures and sum(held) >= 0.85 * len(held) else 1


if __name__ == "__main__":
    sys.exit(main())

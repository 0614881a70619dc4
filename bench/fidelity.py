#!/usr/bin/env python3
"""fidelity.py STEPSIM TRUTH: predicts every measured run in TRUTH from the captured run of its group and writes
docs/results/measured-runs.csv to standard output: measured and predicted seconds, range, error.

TRUTH contains folders such as ps/ and ddp/ (docs/internals/test-data.md) with groups of runs: base/traces,
base/job.yaml and measured.csv (one row per run; the captured run has is_base=1), with noisy and contended runs in
measured-*.csv."""
import argparse
import csv
import json
import pathlib
import subprocess
import sys

SETTINGS = {"partition": "comm.partition_bytes", "control": "comm.control", "barrier": "comm.barrier",
            "schedule": "comm.schedule", "credit": "comm.credit_bytes", "workers": "cluster.workers",
            "servers": "cluster.servers"}
MEBIBYTE = 1 << 20


def factor(value, base):
    return f"{float(value) / float(base):.10g}"


def slower_workers(row, base):
    pairs = list(zip(base["slow"].split(), row["slow"].split()))[:int(row["workers"])]
    return [f"compute{{worker={w}}}.scale={factor(s, b)}" for w, (b, s) in enumerate(pairs) if b != s]


def changes(row, base):
    """Returns the --set options that turn the captured run into this one."""
    found = []
    for key, value in row.items():
        if value == base.get(key):
            continue
        if key == "rate":
            found.append(f"network.bandwidth={factor(value, base[key])}x")
        elif key == "bucket":
            found.append(f"comm.bucket_bytes={int(float(value) * MEBIBYTE)}")
        elif key == "straggler":
            found.append(f"compute{{rank=0}}.scale={factor(value, base[key])}")
        elif key == "batch":
            found.append(f"batch.scale={factor(value, base[key])}")
        elif key == "slow":
            found += slower_workers(row, base)
        elif key in SETTINGS:
            found.append(f"{SETTINGS[key]}={value}")
    return found


def predict(stepsim, group, sets):
    command = [stepsim, "whatif", str(group / "base/traces"), "--job", str(group / "base/job.yaml"), "--json"]
    for one in sets:
        command += ["--set", one]
    run = subprocess.run(command, capture_output=True, text=True, timeout=300)
    if run.returncode != 0:
        sys.exit(f"{' '.join(command)}: {run.stderr.strip()}")
    return json.loads(run.stdout)["scenario"]


def rows_of(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def results(stepsim, group):
    """Returns a row for each run of the group."""
    base = next(row for row in rows_of(group / "measured.csv") if row["is_base"] == "1")
    for path in sorted(group.glob("measured*.csv"), key=lambda p: (p.name != "measured.csv", p.name)):
        kind = path.stem.removeprefix("measured").removeprefix("-")
        for row in rows_of(path):
            sets = changes(row, base)
            answer, measured = predict(stepsim, group, sets), float(row["median_step_s"])
            predicted, low, high = (answer[key] * 1e-9 for key in ("iteration_ns", "low_ns", "high_ns"))
            run = (", ".join(sets) or "as captured") + (f" ({kind})" if kind else "")
            inside = "yes" if low * 0.97 <= measured <= high * 1.03 else "no"
            yield [f"{group.parent.name}/{group.name}", run, *(f"{value:.4f}" for value in (measured, predicted, low, high)), inside,
                   f"{predicted / measured - 1:+.1%}".replace("%", " %")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stepsim")
    parser.add_argument("truth", type=pathlib.Path)
    args = parser.parse_args()
    table = csv.writer(sys.stdout, lineterminator="\n")
    table.writerow(["group", "run", "measured_s", "predicted_s", "low_s", "high_s", "inside", "error"])
    for group in sorted(path.parent for path in args.truth.glob("*/*/measured.csv")):
        table.writerows(results(args.stepsim, group))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""table.py BENCHMARK [ARGUMENT...]: runs a benchmark program and writes its table of docs/results to standard output:

    bench/table.py build/release/bin/models_bench > docs/results/models_bench.csv

A row has the medians of five runs, which are interleaved at random with those of the other rows: the time of one
iteration (CPU time, or wall time for benchmarks that end in real_time), rates per second, and the benchmark's own
counters. "times the row above" is the ratio of the two times if the two names differ in one number: a size, or a
number of threads. ARGUMENTs go to the program. On standard error it says which benchmarks could not run."""
import csv
import json
import re
import statistics
import subprocess
import sys
import tempfile

ARGUMENTS = ["--benchmark_repetitions=5", "--benchmark_min_time=0.2", "--benchmark_enable_random_interleaving=true"]
# What google-benchmark says of every run; all other numbers are counters of the benchmark.
OF_EVERY_RUN = {"family_index", "per_family_instance_index", "repetitions", "repetition_index", "threads", "iterations", "real_time", "cpu_time"}
# The same workloads in other simulators, in runs of their own on the same kind of machine (docs/internals/test-data.md).
SIMGRID, LOGGOPSIM = "SimGrid 4.1", "LogGOPSim"
ELSEWHERE = {
    "maxmin/ring_64x12": (SIMGRID, 0.99), "maxmin/ring_64x120": (SIMGRID, 0.95), "maxmin/ring_512x2": (SIMGRID, 0.92),
    "maxmin/train_64x10x1": (SIMGRID, 0.25), "maxmin/train_64x10x10": (SIMGRID, 0.26), "maxmin/ps_16x4x20x2x5": (SIMGRID, 0.076),
    "maxmin/ps_64x8x50x3x1": (SIMGRID, 0.0029),
    "loggp/ring_64x12": (LOGGOPSIM, 2.4), "loggp/ring_64x120": (LOGGOPSIM, 2.3), "loggp/ring_512x2": (LOGGOPSIM, 1.84),
    "loggp/ring_1024x1": (LOGGOPSIM, 1.48), "loggp/train_64x10x10": (LOGGOPSIM, 2.05), "loggp/ps_64x8x50x3x1": (LOGGOPSIM, 1.29),
    "loggp/ps_64x8x50x3x50": (LOGGOPSIM, 1.06),
}


def runs_of(program, arguments):
    """Runs the program; returns {benchmark: [run, ...]} in the order in which they are declared."""
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        subprocess.run([program, *ARGUMENTS, *arguments, f"--benchmark_out={out.name}"], check=True, stdout=sys.stderr)
        found = json.load(out)["benchmarks"]
    runs = {}
    for run in sorted((run for run in found if run["run_type"] == "iteration"), key=lambda run: (run["family_index"], run["per_family_instance_index"])):
        if run.get("error_occurred"):
            print(f"table.py: {run['name']}: {run['error_message']}", file=sys.stderr)
        else:
            runs.setdefault(run["run_name"].replace(" ", ""), []).append(run)
    return runs


def time_of(name, run):
    """Returns the seconds of one iteration."""
    which = "real_time" if name.endswith(("/real_time", "/manual_time")) else "cpu_time"
    return run[which] * {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}[run["time_unit"]]


def figure(value):
    """Returns the value with three significant digits."""
    for unit, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if abs(value) >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value:.3g}"


def time_text(seconds):
    unit, size = next((unit, size) for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6), ("ns", 1e-9)) if seconds >= size or unit == "ns")
    return f"{seconds / size:.3g} {unit}"


def differ_in_one_number(a, b):
    """Tells whether two benchmarks measure two sizes of one workload, or one workload on several threads."""
    words, others = (re.split(r"(\d+)", name) for name in (a, b))
    return words[::2] == others[::2] and sum(x != y for x, y in zip(words[1::2], others[1::2])) == 1


def table(runs):
    rows, columns, before = [], ["benchmark", "time", "times the row above"], None
    for name, of in runs.items():
        median = lambda key, of=of: statistics.median(run[key] for run in of)  # noqa: E731
        seconds = statistics.median(time_of(name, run) for run in of)
        row = {"benchmark": name, "time": time_text(seconds)}
        if before and differ_in_one_number(before[0], name):
            row["times the row above"] = f"{seconds / before[1]:.2f}"
        row |= {key.replace("_", " "): figure(median(key)) for key, value in of[0].items() if isinstance(value, (int, float)) and key not in OF_EVERY_RUN}
        other = ELSEWHERE.get("/".join(name.split("/")[:2]))
        if other and name.split("/")[-1] == "1":
            row["items per second elsewhere"] = f"{figure(other[1] * 1e6)}, {other[0]}"
        columns += [column for column in row if column not in columns]
        rows.append(row)
        before = name, seconds
    return [column for column in columns if any(column in row for row in rows)], rows


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    columns, rows = table(runs_of(sys.argv[1], sys.argv[2:]))
    writer = csv.DictWriter(sys.stdout, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)

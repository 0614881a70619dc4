#!/usr/bin/env python3
"""table.py RESULT.json: prints the rows of docs/results/network-speed.csv from the output of models_bench:

    build/release/bin/models_bench --benchmark_repetitions=5 --benchmark_min_time=0.3 \\
      --benchmark_enable_random_interleaving --benchmark_out=result.json
    bench/table.py result.json

Rates are medians of CPU time over the repetitions. The text below the table states how much longer ten times the tasks
take, and how much faster two threads are."""
import csv
import json
import statistics
import sys

# Other runs on the same kind of machine (docs/internals/test-data.md).
PEERS = {
    "maxmin": ("SimGrid 4.1", {"ring_64x12": "0.99 M", "ring_64x120": "0.95 M", "ring_512x2": "0.92 M", "train_64x10x1": "0.25 M",
                               "train_64x10x10": "0.26 M", "ps_16x4x20x2x5": "0.076 M", "ps_64x8x50x3x1": "0.0029 M"}),
    "loggp": ("LogGOPSim", {"ring_64x12": "2.4 M", "ring_64x120": "2.3 M", "ring_512x2": "1.84 M", "ring_1024x1": "1.48 M", "train_64x10x10": "2.05 M",
                            "ps_64x8x50x3x1": "1.29 M", "ps_64x8x50x3x50": "1.06 M"}),
}
# The larger workload has ten times the tasks of the smaller one.
GROWTH = [("ring_64x12", "ring_64x120"), ("train_64x10x1", "train_64x10x10")]


def runs_of(path):
    """Returns {(model, workload, threads): [benchmark, ...]}, in the order of the file."""
    with open(path) as file:
        result = json.load(file)
    runs = {}
    for run in result["benchmarks"]:
        if run.get("run_type") == "aggregate":
            continue
        if run.get("error_occurred"):
            sys.exit(f"table.py: {run['name']}: {run['error_message']}")
        model, workload, threads = run["name"].split("/")[:3]
        runs.setdefault((model, workload, int(threads)), []).append(run)
    return runs


def rate(runs):
    return statistics.median(run["items_per_second"] for run in runs)


def print_table(runs):
    table = csv.writer(sys.stdout, lineterminator="\n")
    table.writerow(["workload", "tasks", "M tasks/s", "bytes a task", "others, in runs of their own"])
    for (model, workload, threads), of in runs.items():
        if workload.startswith("threads_"):
            continue
        name, figures = PEERS.get(model, ("", {}))
        other = f"{name} {figures[workload]}" if workload in figures else ""
        table.writerow([f"{model}, {workload.replace('_', ' ')}", f"{of[0]['tasks']:,.0f}", f"{rate(of) / 1e6:.2f}",
                        f"{of[0]['bytes_per_task']:.0f}", other])


def print_growth(runs):
    for model in dict.fromkeys(key[0] for key in runs):
        for small, large in GROWTH:
            pair = [runs.get((model, workload, 1)) for workload in (small, large)]
            if all(pair):
                times = [of[0]["tasks"] / rate(of) for of in pair]
                print(f"{model}: {large} has {pair[1][0]['tasks'] / pair[0][0]['tasks']:.1f} times the tasks of {small} and takes {times[1] / times[0]:.2f} times the time.")


def print_threads(runs):
    for (model, workload, threads), of in runs.items():
        if workload.startswith("threads_") and threads > 1:
            alone = rate(runs[model, workload, 1])
            print(f"{model}: {threads} threads take {workload[len('threads_'):]} at {rate(of) / alone:.2f} times the rate of one, in real time.")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    found = runs_of(sys.argv[1])
    print_table(found)
    print()
    print_growth(found)
    print_threads(found)

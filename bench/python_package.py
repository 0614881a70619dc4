#!/usr/bin/env python3
"""python_package.py TRACE: measures the Python package on a Kineto trace of one rank, beside a reader in pandas.

TRACE is docs/internals/test-data.md's v100-rank1of2-5steps.json.gz. `stepsim` must be importable (pip install ., or
PYTHONPATH of a release build). Each row is a process of its own, which runs the work once before the clock starts
(warm file cache; its memory above that of the imported modules), and then three times (the shortest wall time). The
pandas reader does what HTA does first: json.load, then a DataFrame of the events. HTA itself reads 12 MB/s of
uncompressed text (shared/design.md, section 11; measured on two cores like these). Answers are checked: as many tasks
as the replay has, as much kernel time as in the file. Writes docs/results/python-package.csv to standard output."""
import csv
import gzip
import json
import os
import subprocess
import sys
import time

HTA_BYTES_PER_SECOND = 12e6
RUNS = 3


def events(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
        return json.load(file)["traceEvents"]


def with_stepsim(path):
    """Reads, replays, and makes a DataFrame of all tasks."""
    capture = stepsim.load(path)
    replay = capture.replay()
    frame = capture.tasks.to_pandas()
    assert len(frame) == replay.tasks
    return int(frame["duration_ns"].to_numpy()[(frame["kind"] == "kernel").to_numpy()].sum())


def load_only(path):
    return len(stepsim.load(path).tasks)


def with_pandas(path):
    """Reads all events into a DataFrame."""
    frame = pandas.DataFrame(events(path))
    return int(round(frame["dur"].to_numpy()[(frame["cat"] == "kernel").to_numpy()].sum() * 1000))


WORK = {"stepsim: load, replay, DataFrame of all tasks": with_stepsim, "stepsim: load": load_only, "json.load and pandas.DataFrame": with_pandas}


def peak():
    """Returns the largest memory of this process. Not by getrusage(), which counts the parent's too."""
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM:"))


def measure(name, path):
    """Runs one row in this process; prints wall seconds, bytes above the imports, and the answer."""
    work, imported = WORK[name], peak()
    answer, times = work(path), []
    memory = peak() - imported
    for _ in range(RUNS):
        begin = time.perf_counter()
        assert work(path) == answer
        times.append(time.perf_counter() - begin)
    print(json.dumps([min(times), memory, answer]))


def main(path):
    size = len(gzip.open(path).read()) if path.endswith(".gz") else os.path.getsize(path)
    rows = {name: json.loads(subprocess.run([sys.executable, __file__, path, name], check=True, capture_output=True, text=True).stdout) for name in WORK}
    kernels = sum(event["dur"] for event in events(path) if event.get("cat") == "kernel" and "nccl" not in event["name"].lower())
    found = rows["stepsim: load, replay, DataFrame of all tasks"][2]
    assert abs(found - kernels * 1000) <= len(events(path)), (found, kernels)  # times in microseconds have rounded digits
    table = csv.writer(sys.stdout, lineterminator="\n")
    table.writerow(["work", "wall time", "text per second", "times HTA's 12 MB/s", "memory", "of pandas"])
    pandas_memory = rows["json.load and pandas.DataFrame"][1]
    for name, (seconds, memory, _) in rows.items():
        table.writerow([name, f"{seconds * 1000:.0f} ms", f"{size / seconds / 1e6:.0f} MB/s", f"{size / seconds / HTA_BYTES_PER_SECOND:.1f}",
                        f"{memory / 1e6:.0f} MB", f"{memory / pandas_memory:.2f}"])


if __name__ == "__main__":
    if len(sys.argv) == 3:
        import pandas

        import stepsim

        measure(sys.argv[2], sys.argv[1])
    else:
        main(*sys.argv[1:])

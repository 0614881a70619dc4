#!/usr/bin/env python3
"""loader_waits.py STEPSIM FOLDER...: compares how long captures wait for data-loading processes with a sum made from
their JSON alone.

A wait is an interval of more than 100 us within a _MultiProcessingDataLoaderIter.__next__ in which no operator and
no runtime call of the same thread is open. `stats` must report the sum of the waits. `replay` and `critical-path`
must not report more, and host.scale must not change it. A capture whose loader has no processes must have no such
waits. Where waits for data take most of the time, advise must list them first."""
import glob
import gzip
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "cli"))
from checks import quietly  # noqa: E402

NEXT = "_MultiProcessingDataLoaderIter.__next__"
HOST = ("cpu_op", "Operator", "cuda_runtime", "cuda_driver", "Runtime")
LEAST_NS = 100_000


def ns(microseconds):
    """Converts Kineto's decimal microseconds to nanoseconds, without the rounding error of a double."""
    whole, _, rest = str(microseconds).partition(".")
    return int(whole) * 1000 + int((rest + "000")[:3])


def waits_of(path):
    """Sum and number of the waits of a capture; None if it has no such loader."""
    with gzip.open(path) as file:
        trace = json.loads(file.read(), strict=False, parse_float=str)
    events = [e for e in (trace if isinstance(trace, list) else trace["traceEvents"]) if e.get("ph") == "X" and "dur" in e]
    asked = [e for e in events if NEXT in str(e["name"])]
    if not asked:
        return None
    total = count = 0
    for outer in asked:
        begin, end = ns(outer["ts"]), ns(outer["ts"]) + ns(outer["dur"])
        inner = sorted((ns(e["ts"]), ns(e["ts"]) + ns(e["dur"])) for e in events
                       if e is not outer and e.get("cat") in HOST and (e["pid"], e["tid"]) == (outer["pid"], outer["tid"])
                       and begin <= ns(e["ts"]) < end)
        at = begin
        for first, last in inner + [(end, end)]:
            if first - at > LEAST_NS:
                total, count = total + first - at, count + 1
            at = max(at, last)
    return total, count


def answer(*arguments):
    run = quietly(*arguments, "--json", text=True)
    return json.loads(run.stdout) if run.stdout else {"failed": run.stderr}


def problems_of(path):
    waits = waits_of(path)
    if waits is None:
        return []
    total, count = waits
    found = []
    totals = answer("stats", path)["inputs"][0]["totals"]
    # Each wait may round a fraction of a microsecond once, and the precision of a timestamp may limit the end of a
    # wait.
    if abs(totals.get("loader_ns", 0) - total) > 1000 * (count + 1):
        found.append(f"stats says {totals.get('loader_ns', 0)} ns of waits for data, its events {total} ns in {count}")
    if count == 0:
        return found
    replay = answer("replay", path)
    if "breakdown" in replay and len(replay["breakdown"]) == 1:
        # An iteration is the mean over the middle half of those between the starts of steps.
        rank, steps = replay["breakdown"][0], max(1, min(middle_half(len(replay["steps"])), middle_half(len(replay["steps"]) - 1)))
        if rank.get("loader_ns", 0) * steps > total + 1000 * count:
            found.append(f"replay says {rank['loader_ns']} ns an iteration, {steps} of them: more than {total} ns")
    slower = answer("whatif", path, "--set", "host.scale=1.5")
    if "scenario" in slower and slower["scenario"]["critical_path"].get("loader_ns", 0) > total + 1000 * count:
        found.append("a slower host waits longer for data than it did")
    parts = {key: value for key, value in replay.get("iteration_parts", {}).items() if key.endswith("_ns")}
    if 2 * parts.get("loader_ns", 0) > sum(parts.values()):
        tried = [one["set"] for one in answer("advise", path)["advice"] if one["takes"] != "limit"]
        if not next(iter(tried[0])).startswith("loader."):
            found.append(f"more than half of an iteration waits for data, and advise begins with {tried[0]}")
    return found


def middle_half(n):
    return n if n <= 2 else n - 2 * ((n + 3) // 4)


def main():
    paths = sorted({path for folder in sys.argv[2:] for path in glob.glob(os.path.join(folder, "**", "*.json.gz"), recursive=True)})
    if not paths:
        print("skipped: there are no captures in " + " ".join(sys.argv[2:]))
        return 0
    failed = 0
    for path in paths:
        for problem in problems_of(path):
            failed += 1
            print(f"{path}: {problem}")
    print(f"{len(paths)} captures, {failed} problems")
    return 1 if failed else 0


sys.exit(main())

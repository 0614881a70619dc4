#!/usr/bin/env python3
"""nsys_kernels.py STEPSIM: `stats --kernels` has the rows of `nsys stats cuda_gpu_kern_sum`: SQL over the same file, by
kernel name the count, and the total, shortest and longest time, sorted by the total time."""
import os
import sqlite3
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
from checks import SHARED, answer, check, verdict  # noqa: E402

QUERY = """SELECT value, COUNT(*), SUM(end - start), MIN(end - start), MAX(end - start)
FROM CUPTI_ACTIVITY_KIND_KERNEL JOIN StringIds ON StringIds.id = demangledName GROUP BY value"""


def main():
    trace = os.path.join(SHARED, "nsys", "h100-2gpu-1s.sqlite")
    if not os.path.exists(trace):
        print("skipped: shared/traces/nsys is absent")
        return 0
    with sqlite3.connect(f"file:{trace}?mode=ro", uri=True) as database:
        expected = {name: tuple(row) for name, *row in database.execute(QUERY)}
    rows = answer("stats", trace, "--kernels")["inputs"][0]["rows"]
    found = {row["name"]: (row["count"], row["total_ns"], row["min_ns"], row["max_ns"]) for row in rows}
    check("the names", set(found) == set(expected), set(found) ^ set(expected))
    check("count and times of every kernel", found == expected, [(name, found.get(name), expected[name]) for name in expected if found.get(name) != expected[name]][:3])
    totals = [row["total_ns"] for row in rows]
    check("sorted by total time", totals == sorted(totals, reverse=True) and len(totals) > 20, totals)
    return verdict()


if __name__ == "__main__":
    sys.exit(main())

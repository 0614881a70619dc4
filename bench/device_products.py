#!/usr/bin/env python3
"""device_products.py STEPSIM SHARED [--json FILE]: predicts measured matrix products on one device from those on another and
writes docs/results/device-products.csv to standard output: for each ordered pair of devices, how far off the ratios of the
two times are, and whether their order over the shapes is right (Spearman's rank correlation).

SHARED contains truth/cluster/gemm.csv (docs/internals/test-data.md): bf16 products by m, n and k on A100, H100, B200 and
L40S, called again and again. Each shape that was measured on both devices of a pair is asked for, or each N-th with --each N.
Each product is a capture of its own. Products whose operands fit into a cache of the two devices are listed apart, because
what a call finds there depends on the calls before it."""
import argparse
import concurrent.futures
import csv
import itertools
import json
import pathlib
import statistics
import sys

import device_kernels

DEVICES = {"a100_sxm": "A100 SXM 80GB", "h100_sxm": "H100 SXM", "b200_sxm": "B200", "l40s": "L40S"}
CACHES = {"A100 SXM 80GB": 40e6, "H100 SXM": 50e6, "B200": 126e6, "L40S": 96e6}  # as in model/cost/device/library.cpp
GROUPS = ["exceed both caches", "fit into one cache", "fit into both caches"]


def products(file):
    """Returns {device: {(m, n, k): row as device_kernels.py has it}}."""
    found = {}
    with open(file, newline="", encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            shape = tuple(int(row[side]) for side in "mnk")
            found.setdefault(DEVICES[row["system"]], {})[shape] = {"device": row["device"], "dtype": "bf16", "op": "gemm", "tokens": row["m"], "n": row["n"],
                                                                   "k": row["k"], "measured_us": float(row["latency_ms"]) * 1e3}
    return found


def operands(a, b, shape):
    """Returns the group of a product, by the bytes of its factors and its result."""
    m, n, k = shape
    return GROUPS[sum(2 * (m * n + m * k + n * k) <= CACHES[device] for device in (a, b))]


def answers(stepsim, found, each=1):
    """Returns a row for each product on each ordered pair of devices."""
    pairs = [(a, b, shape) for a, b in itertools.permutations(found, 2) for shape in sorted(found[a].keys() & found[b].keys())[::each]]

    def answer(pair):
        a, b, shape = pair
        before, after = found[a][shape], found[b][shape]
        return {"from": a, "to": b, "shape": shape, "operands": operands(a, b, shape), "before_us": before["measured_us"], "measured_us": after["measured_us"],
                "predicted_us": device_kernels.predict(stepsim, before, f"device.to={b}")}

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return list(pool.map(answer, pairs))


def rank_correlation(pairs):
    """Returns Spearman's rank correlation of (x, y) pairs: that of their places, in which equal values share a mean place."""
    def places(values):
        ordered = sorted(values)
        first, times = {value: place for place, value in reversed(list(enumerate(ordered)))}, {}
        for value in ordered:
            times[value] = times.get(value, 0) + 1
        return [first[value] + (times[value] - 1) / 2 for value in values]

    return statistics.correlation(*map(places, zip(*pairs)))


def table(asked):
    for a, b in dict.fromkeys((row["from"], row["to"]) for row in asked):
        of_pair = [row for row in asked if (row["from"], row["to"]) == (a, b)]
        for name in [*GROUPS, "all"]:
            rows = [row for row in of_pair if name in (row["operands"], "all")]
            errors = [row["predicted_us"] / row["measured_us"] - 1 for row in rows]
            ratios = [(row["predicted_us"] / row["before_us"], row["measured_us"] / row["before_us"]) for row in rows]
            yield [a, b, name, len(rows), f"{100 * statistics.median(errors):+.1f} %", *(f"{100 * value:.1f} %" for value in (statistics.mean(map(abs, errors)), max(map(abs, errors)))), f"{rank_correlation(ratios):.2f}"]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stepsim")
    parser.add_argument("shared", type=pathlib.Path)
    parser.add_argument("--each", type=int, default=1)
    parser.add_argument("--json", type=pathlib.Path, help="also write each answer to this file")
    options = parser.parse_args()
    asked = answers(options.stepsim, products(options.shared / "truth/cluster/gemm.csv"), options.each)
    if options.json:
        options.json.write_text(json.dumps(asked), encoding="utf-8")
    written = csv.writer(sys.stdout, lineterminator="\n")
    written.writerow(["from", "to", "operands", "products", "median error", "mean |error|", "worst", "rank correlation"])
    written.writerows(table(asked))

#!/usr/bin/env python3
"""fit_nccl.py SHARED [--tables | --distance | --without SOURCE]: fits the constants of the collective model `nccl` (model/cost/collective/nccl_times.cpp) to measured
collectives (docs/internals/test-data.md) and writes docs/results/nccl-left-out.csv to standard output: the errors of each system
and operation with the constants of the program, and with constants that were fitted without that system. The fitted constants
go to standard error.

Three kinds of measurements are fitted together: loops of nccl-tests, in which calls follow each other; loops of PyTorch, which
wait for other ranks; and kernels of training steps, from the last rank's arrival on.

With --tables it writes docs/results/nccl-loops-as-tables.csv instead: how well the loops of nccl-tests, taken as tables of the same
device, operation and ranks, and the formula give the times of PyTorch's loops and of kernels of steps.

With --distance it writes docs/results/nccl-distance.csv: how well constants that are fitted to collectives of few ranks give
those of more ranks. It counts the rows within the program's usual error, and within the error that grows with the distance;
"error of 85 %" is the factor, in logarithms, by which the usual error must grow to contain 85 % of the rows.

With --without it fits the constants again without one source of tests/truth/evidence/sources.csv, and prints them beside those of
the program, and the errors of the source with both. It says which constants of the source no script fits.

The formula is written here a second time, so that it can be fitted without building the program. Payloads are bytes of the
larger buffer; times are in microseconds and rates in GB/s."""
import csv
import dataclasses
import gzip
import json
import math
import pathlib
import re
import statistics
import sys

# System: rate of a device's link by data sheet, factor on latencies (0: PCIe, not NVLink), the constant of its switch's rate.
SYSTEMS = {"a100_sxm": (300, 1.12, None), "h100_sxm": (450, 0.85, "hopper"), "b200_sxm": (900, 1.12, "blackwell"), "l40s": (32, 0, None)}
CLUSTERS = SYSTEMS["h100_sxm"]  # both clusters have H100
# What the sources of tests/truth/evidence are called here.
SOURCES = {"aiconfigurator-a100-sxm-80gb": "a100_sxm", "aiconfigurator-h100-sxm": "h100_sxm", "aiconfigurator-b200": "b200_sxm", "aiconfigurator-l40s": "l40s", "h100-ib": "h100-ib",
           "h100-10hosts": "h100-10hosts", "alps-gh200": "gh200-alps", "vidur-a100-dgx": "a100_dgx", "mleng-a100": "a100_8", "mleng-b200": "b200_8"}
# Hosts of four GH200 without a switch between them, whose NICs carry 100 GB/s together; medians of ten settings. Only
# long payloads: between 64 KB and 1 MB, and around 16 MB, some settings take ten times as long as smaller payloads do.
ALPS, ALPS_NICS, ALPS_SHORTEST = (450, 0.85, None), 100, 64 << 20
NIC_LATENCY = 4  # of a route between hosts: two NICs of 2 us
SHORTEST = 4096
NEXT = 4  # a payload counts if it is that many times the last one
LONG = 1 << 20
# There are 486 rows of nccl-tests, 106 of PyTorch's loops and 13 of steps, and half of nccl-tests' are short ones.
LOOPS, LONG_LOOPS, TORCH, STEPS = 1, 3, 4, 4

# Medians of kernels of steps: system, operation, ranks, bytes, microseconds. On eight H100 (nanogpt-8xh100/8-ranks) from the last
# start to the last end of each collective's kernels; on two A100 of all-reduces without other work (fresh/pair-ddp-naive-overlap).
KERNELS = [("h100_sxm", "all_gather", 8, 192, 34), ("h100_sxm", "all_gather", 8, 256, 10.7), ("h100_sxm", "all_gather", 8, 2304, 54.3),
           ("h100_sxm", "all_gather", 8, 77_266_944, 229.8), ("h100_sxm", "all_gather", 8, 150_994_944, 449.5),
           ("h100_sxm", "reduce_scatter", 8, 192, 19), ("h100_sxm", "reduce_scatter", 8, 256, 26.4), ("h100_sxm", "reduce_scatter", 8, 2304, 24.3),
           ("h100_sxm", "reduce_scatter", 8, 77_266_944, 275.6), ("h100_sxm", "reduce_scatter", 8, 150_994_944, 479.4),
           ("a100_sxm", "all_reduce", 2, 6_400, 13.5), ("a100_sxm", "all_reduce", 2, 10_240_000, 93), ("a100_sxm", "all_reduce", 2, 40_960_000, 261)]

# The constants of the program, in the same order. PCIe's efficiency, the latency of NVLS and the least latency of a network hop
# are NCCL's own figures (src/graph/tuning.cc) and are not fitted.
START = {"base": 6, "hop": 1.35, "hop_beside_network": 3.7, "pairs_base": 8.4, "pairs_by_peer": 0.05, "pairs_by_peer_between_hosts": 1.1,
         "own_part": 0.3, "pipeline": 1.45, "longest_pipeline": 4.5, "hopper": 0.93, "blackwell": 0.73, "tree_share": 0.78,
         "pairs_share": 0.9, "nvlink": 0.73}
PCIE, NVLS_LATENCY, NETWORK_HOP = 0.76, 25, 3
USUAL_LATENCY_ERROR, USUAL_RATE_ERROR, ERROR_GROWTH = 25, 0.15, 0.3


@dataclasses.dataclass
class Row:
    system: str
    op: str
    ranks: int
    hosts: int
    bytes: int
    us: float
    link: tuple
    nics: float = 0  # rate of a host's NICs together
    weight: float = LOOPS


def loops(folder):
    """Yields the rows of nccl-tests, of each system those of its newest NCCL."""
    def number(version):
        return [int(part) for part in re.findall(r"\d+", version)]

    with open(folder / "one-host.csv", encoding="utf-8") as table:
        rows = [row for row in csv.DictReader(table) if row["system"] in SYSTEMS]
    newest = {system: max((row["version"] for row in rows if row["system"] == system), key=number) for system in SYSTEMS}
    for row in rows:
        if row["version"] == newest[row["system"]]:
            yield Row(row["system"], row["op"], int(row["num_gpus"]), 1, 2 * int(row["message_size"]), 1e3 * float(row["latency_ms"]), SYSTEMS[row["system"]])
    with open(folder / "many-hosts.csv", encoding="utf-8") as table:
        for row in csv.DictReader(table):
            hosts = int(row["hosts"])
            yield Row(row["source"], row["op"], hosts * int(row["gpus_per_host"]), hosts, int(row["bytes"]), float(row["time_us"]), CLUSTERS, int(row["nics"]) * int(row["nic_gbps"]) / 8)


def alps(file):
    """Yields the rows of up to eight hosts; on more, the network is congested."""
    with gzip.open(file, "rt", encoding="utf-8") as table:
        for ranks, size, times in json.load(table):
            if 4 < ranks <= 32 and size >= ALPS_SHORTEST:
                yield Row("gh200-alps", "all_reduce", ranks, ranks // 4, size, 1e3 * statistics.median(times), ALPS, ALPS_NICS)


def torch_loops(table):
    """Yields the rows of PyTorch's loops on one host whose devices are all connected in the same way."""
    with open(table, encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["op"] == "all_reduce" and row["ranks"] == row["devices_per_node"] and "pairwise" not in row["node"]:
                link = SYSTEMS["b200_sxm" if "b200" in row["node"] else "a100_sxm"]
                yield Row(f"{row['node']} (PyTorch)", row["op"], int(row["ranks"]), 1, int(row["bytes"]), float(row["measured_us"]), link, weight=TORCH)


def kernels():
    for system, op, ranks, size, us in KERNELS:
        yield Row(f"{system} (steps)", op, ranks, 1, size, us, SYSTEMS[system], weight=STEPS)


def thinned(rows):
    """Returns the rows whose payload is at least NEXT times the last one of the same system, operation and ranks."""
    last, kept = {}, []
    for row in sorted(rows, key=lambda row: (row.bytes, row.us)):
        key = row.system, row.op, row.ranks, row.hosts
        if row.bytes >= max(SHORTEST, NEXT * last.get(key, 0)):
            last[key] = row.bytes
            kept.append(row)
    return kept


def predicted(row, c):
    n, on_host, payload = row.ranks, row.ranks / row.hosts, row.bytes / 1e3
    rate, factor, switch = row.link
    inside = rate * c["nvlink"] if factor else rate * PCIE * min(1, (2 / n) ** 2)  # no peer access, but of two

    def time(latency, transfer):
        latency *= factor or 1
        return latency + transfer + c["pipeline"] * math.sqrt(latency * min(transfer, c["longest_pipeline"] * latency))

    if row.op == "alltoall":
        latency = c["pairs_base"] + c["pairs_by_peer"] * (on_host - 1) + c["pairs_by_peer_between_hosts"] * (n - on_host)
        transfer = (on_host - 1 + c["own_part"]) / n * payload / inside
        if row.hosts > 1:
            latency += NIC_LATENCY - NETWORK_HOP
            transfer = max(transfer if on_host > 1 else 0, (n - on_host) / n * payload / (row.nics / on_host * c["pairs_share"]))
        return time(latency, transfer)
    rounds = 2 if row.op == "all_reduce" else 1
    hop = c["hop"] if row.hosts == 1 else max(c["hop"], c["hop_beside_network"])
    between = max(NIC_LATENCY, NETWORK_HOP)
    bus = inside if row.hosts == 1 else min(inside, row.nics) if on_host > 1 else row.nics
    ring = time(c["base"] + rounds * ((n - row.hosts) * hop + (row.hosts - 1) * between), (rounds * (n - 1) + c["own_part"]) / n * payload / bus)
    if row.op != "all_reduce":
        return ring
    reduced = (1 + 1 / on_host) * payload / (inside * c[switch]) if switch and on_host > 2 else None
    if row.hosts == 1:
        return min(ring, time(NVLS_LATENCY, reduced)) if reduced else ring
    if row.hosts == 2 and on_host > 1 and not factor:
        return ring  # two hosts with PCIe
    on_hosts = 0 if on_host == 1 else reduced or 2 * payload / inside
    latency = c["base"] + 2 * (on_host - 1) * hop + 2 * math.log2(row.hosts) * between
    on_nics = (1 if row.hosts == 2 else 2) * payload / (row.nics * c["tree_share"])
    return min(ring, time(latency, max(on_hosts, on_nics)))


def error(row, constants):
    return predicted(row, constants) / row.us - 1


def fitted(rows, start):
    """Returns constants with the least mean |ln(predicted / measured)|: a search along one constant at a time, in steps that get
    smaller."""
    def loss(constants):
        return sum(row.weight * abs(math.log(predicted(row, constants) / row.us)) for row in rows)

    best, least = dict(start), loss(start)
    steps = dict.fromkeys(start, 0.3)
    while max(steps.values()) > 0.01:
        for name in start:
            for factor in (1 + steps[name], 1 / (1 + steps[name])):
                other = {**best, name: best[name] * factor}
                if (found := loss(other)) < least - 1e-4:
                    best, least = other, found
                    break
            else:
                steps[name] *= 0.6
    return best


def share(errors):
    return f"{statistics.mean(map(abs, errors)):.0%}".replace("%", " %") if errors else ""


def interpolated(table, size):
    """Returns the time of a size from (bytes, us) in ascending order: linear in the logarithms, and a constant below."""
    if size <= table[0][0]:
        return table[0][1]
    after = next((place for place, entry in enumerate(table) if entry[0] >= size), len(table) - 1)
    (low, short), (high, long) = table[after - 1:after + 1]
    return short * (long / short) ** (math.log(size / low) / math.log(high / low))


def loops_as_tables(shared):
    tables = {}
    for row in loops(shared / "truth/cluster/nccl"):
        if row.hosts == 1:
            tables.setdefault((row.link, row.op, row.ranks), {})[row.bytes] = row.us
    errors = {}
    for row in [*torch_loops(shared / "truth/gpu/tables/collectives.csv"), *kernels()]:
        table = sorted(tables[row.link, row.op, row.ranks].items())
        errors.setdefault((row.system, row.bytes > LONG), []).append((interpolated(table, row.bytes) / row.us - 1, error(row, START)))
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["measured by", "payload", "rows", "error of the loops of nccl-tests", "error of the formula"])
    for (system, is_long), both in errors.items():
        out.writerow([system, "above 1 MB" if is_long else "up to 1 MB", len(both), *map(share, zip(*both))])


def distance(rows):
    """Writes how errors grow with the number of ranks beyond those that the constants are fitted to."""
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["fitted to ranks up to", "predicted ranks", "doublings", "rows", "within the usual error", "error of 85 %", "within the grown error"])
    for most in (4, 8, 16):
        constants = fitted([row for row in rows if row.ranks <= most], START)
        for ranks in sorted({row.ranks for row in rows if row.ranks > most}):
            doublings = math.log2(ranks / most)
            factors = []
            for row in rows:
                if row.ranks == ranks:
                    us = predicted(row, constants)
                    factors.append(abs(math.log(us / row.us)) / math.log1p(USUAL_RATE_ERROR + USUAL_LATENCY_ERROR / us))
            within = [f"{sum(factor <= limit for factor in factors) / len(factors):.0%}".replace("%", " %") for limit in (1, 1 + ERROR_GROWTH * doublings)]
            of_most = sorted(factors)[math.ceil(0.85 * len(factors)) - 1]
            out.writerow([most, ranks, f"{doublings:.1f}", len(factors), within[0], f"{of_most:.2f}", within[1]])


def print_without(rows, source):
    """Prints what the fit without a source changes."""
    with open(pathlib.Path(__file__).resolve().parent.parent / "tests/truth/evidence/sources.csv", newline="", encoding="utf-8") as file:
        found = {row["source"]: row for row in csv.DictReader(file)}
    if source not in found:
        sys.exit(f"dev: no source '{source}'; expected one of {' '.join(found)}")
    constants = found[source]["constants"].split() or ["none: it is unseen"]
    system = SOURCES.get(source)
    if system is None:
        print(f"{source}: no script fits its constants again ({' '.join(constants)})")
        return
    print(f"{source}: constants that were fitted to it: {' '.join(constants)}\n")
    mine = [row for row in rows if row.system.split()[0] == system]
    refitted = fitted([row for row in rows if row.system.split()[0] != system], START)
    for name, value in START.items():
        print(f"{name:24} {value:8.3g} {refitted[name]:8.3g} without it")
    for long, name in ((False, "up to 1 MB"), (True, "above 1 MB")):
        some = [row for row in mine if (row.bytes > LONG) == long]
        if some:
            print(f"mean error, {name}: {share([error(row, START) for row in some])} seen, {share([error(row, refitted) for row in some])} unseen ({len(some)} rows)")


def main():
    if sys.argv[2:3] != ["--without"] and (len(sys.argv) not in (2, 3) or sys.argv[2:] not in ([], ["--tables"], ["--distance"])):
        sys.exit(__doc__)
    shared = pathlib.Path(sys.argv[1])
    if sys.argv[2:] == ["--tables"]:
        loops_as_tables(shared)
        return
    rows = thinned([*loops(shared / "truth/cluster/nccl"), *alps(shared / "truth/cluster/alps/allreduce-ms-of-10-settings.json.gz")])
    for row in rows:
        row.weight = LONG_LOOPS if row.bytes > LONG else LOOPS
    others = [*torch_loops(shared / "truth/gpu/tables/collectives.csv"), *kernels()]
    rows += others
    if sys.argv[2:] == ["--distance"]:
        distance(rows)
        return
    if sys.argv[2:3] == ["--without"]:
        print_without(rows, sys.argv[3])
        return
    print("fitted to all:", {name: round(value, 2) for name, value in fitted(rows, START).items()}, file=sys.stderr)
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["system", "operation", "rows", "up to 1 MB", "above 1 MB", "left out, up to 1 MB", "left out, above 1 MB"])
    total = {place: [] for place in range(4)}
    for system in dict.fromkeys(row.system for row in rows):
        without = fitted([row for row in rows if row.system.split()[0] != system.split()[0]], START)
        for op in dict.fromkeys(row.op for row in rows if row.system == system):
            mine = [row for row in rows if row.system == system and row.op == op]
            errors = [[error(row, constants) for row in mine if (row.bytes > LONG) == long] for constants in (START, without) for long in (False, True)]
            out.writerow([system, op, len(mine), *map(share, errors)])
            for place, some in enumerate(errors):
                total[place] += [] if mine[0] in others else some
    out.writerow(["nccl-tests", "", len(rows) - len(others), *map(share, total.values())])


if __name__ == "__main__":
    main()

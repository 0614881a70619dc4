#!/usr/bin/env python3
"""nccl_tables.py STEPSIM SHARED TABLE: predicts measured all-reduces within one host and writes a table of docs/results to
standard output:

    nccl-tables    errors by size of the payload, predicted from tables of other ranks or sizes, or from links
    nccl-ranges    how many measured times lie in the predicted range, and how wide the ranges are

SHARED contains truth/gpu/tables/collectives.csv (docs/internals/test-data.md). Tables are written as nccl-tests prints them,
and `stepsim calibrate --nccl-tests` makes a cluster.yaml of them. Each predicted all-reduce is a capture of ranks that do
nothing else; `stepsim whatif` on that cluster gives its time and its range."""
import csv
import itertools
import json
import math
import pathlib
import statistics
import subprocess
import sys
import tempfile

SIZES = [("up to 256 KB", 262_144), ("up to 4 MB", 3_999_999), ("up to 64 MB", 67_199_999), ("larger", math.inf)]
PCIE_EFFICIENCY = 0.76  # the share of PCIe's data-sheet rate that stepsim assumes (docs/internals/models.md)
# Medians of all-reduces that ran alone, (bytes, us), from shared/traces/fresh/README.md.
TWO_A100 = [(6_400, 13.5), (10_240_000, 93), (40_960_000, 261)]
TWO_RTX_3090 = [(1_536, 12.4), (1_179_648, 133.0), (4_718_592, 490.5), (15_360_000, 1641.6)]


def measured(shared):
    """Returns {node: {ranks: [(bytes, us), ...]}}."""
    nodes = {"two A100 (pair-ddp-naive-overlap)": {2: TWO_A100}, "two RTX 3090 (nsys-ddp53)": {2: TWO_RTX_3090}}
    with open(shared / "truth/gpu/tables/collectives.csv", encoding="utf-8") as table:
        for row in csv.DictReader(table):
            if row["op"] == "all_reduce" and row["ranks"] == row["devices_per_node"]:
                nodes.setdefault(row["node"], {}).setdefault(int(row["ranks"]), []).append((int(row["bytes"]), float(row["measured_us"])))
    return {node: {ranks: sorted(rows) for ranks, rows in by_ranks.items()} for node, by_ranks in nodes.items()}


def nccl_tests(rows, ranks):
    # Without lines that name the ranks' devices, a node has eight, and so has places for more ranks than the table.
    lines = [f"# nThread 1 nGpus {ranks} minBytes 8 maxBytes 1"]
    lines += ["#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong"]
    for size, us in rows:
        rate = size / us / 1e3
        part = f"{us:10.2f} {rate:7.2f} {rate * 2 * (ranks - 1) / ranks:7.2f}      0"
        lines.append(f"{size:12} {size // 2:12}      half     sum      -1 {part} {part}")
    return "\n".join(lines) + "\n"


def fitted_to(tables):
    """Returns what makes a cluster.yaml from tables {ranks: rows}."""
    def make(stepsim, folder, _ranks):
        files = []
        for ranks, rows in tables.items():
            files.append(folder / f"all_reduce_{ranks}.txt")
            files[-1].write_text(nccl_tests(rows, ranks), encoding="utf-8")
        subprocess.run([stepsim, "calibrate", "--quiet", "--nccl-tests", *files, "-o", folder / "cluster.yaml"], check=True, stdout=subprocess.DEVNULL)
    return make


def links_of(bandwidth, more="", messages=""):
    """Returns what makes a cluster.yaml with links of so many GB/s. stepsim takes links of up to 64 GB/s as PCIe."""
    def make(_stepsim, folder, ranks):
        text = f"hosts: 1\ndevices: {ranks}\nnic: {{bandwidth: 400Gb/s}}\nnvlink: {{bandwidth: {bandwidth}GB/s{more}}}\n{messages}"
        (folder / "cluster.yaml").write_text(text, encoding="utf-8")
    return make


def ring_fitted_to(tables):
    """Returns what makes a cluster.yaml with the links and the overhead of a ring, O + 2 (n - 1) (2 L + S / (n B)), that have the
    least mean |ln(predicted / measured)| on a grid."""
    def off(guess):
        overhead, latency, rate = guess
        return statistics.mean(abs(math.log((overhead + 2 * (n - 1) * (2 * latency + size / (n * rate * 1e3))) / us)) for n, rows in tables.items() for size, us in rows)

    grid = itertools.product((0, 2, 4, 6, 8, 10, 12, 15, 18, 22, 26, 30), (0, .1, .2, .4, .6, .8, 1, 1.5, 2, 3, 4), range(60, 700, 20))
    overhead, latency, rate = min(grid, key=off)
    return links_of(rate, f", latency: {latency * 1e3:.0f}ns, efficiency: 1", f"messages: {{collective_overhead: {overhead}us}}\n")


KERNELS = {"all_reduce": ("allreduce", "AllReduce_Sum_f16_RING_LL"), "all_gather": ("_allgather_base", "AllGather_RING_LL"),
           "reduce_scatter": ("_reduce_scatter_base", "ReduceScatter_Sum_f16_RING_LL"), "alltoall": ("all_to_all", "SendRecv")}


def capture(folder, ranks, size, operation="all_reduce", per_host=None, us=50):
    """Writes the traces of ranks that do one collective and nothing else, and yields their names. `size` is in bytes of the
    larger buffer."""
    name, kernel = KERNELS[operation]
    elements = {side: max(1, size // 2 // (ranks if operation == divided else 1)) for side, divided in (("In", "all_gather"), ("Out", "reduce_scatter"))}
    group = {"Collective name": name, "dtype": "Half", "In msg nelems": elements["In"], "Out msg nelems": elements["Out"], "Group size": ranks,
             "Process Group Name": "0", "Process Group Ranks": str(list(range(ranks)))}
    per_host = per_host or ranks
    for rank in range(ranks):
        def event(cat, name, ts, dur, tid, pid, args):
            return dict(ph="X", cat=cat, name=name, pid=pid, tid=tid, ts=ts, dur=dur, args=args)
        pid, device = 1000 + rank, rank % per_host
        events = [event("cpu_op", "record_param_comms", 100, 30, 1, pid, {"External id": 2, **group}),
                  event("cuda_runtime", "cudaLaunchKernelExC", 110, 5, 1, pid, {"External id": 2, "correlation": 7}),
                  event("kernel", f"ncclDevKernel_{kernel}(ncclDevComm*)", 120, us, 20, device, {"External id": 2, "device": device, "stream": 20, "correlation": 7, **group}),
                  event("cuda_runtime", "cudaDeviceSynchronize", 125, us, 1, pid, {"correlation": 8})]
        file = folder / f"host{rank // per_host:03}_{pid}.{rank:04}.pt.trace.json"  # by its name, a file belongs to a host
        file.write_text(json.dumps({"schemaVersion": 1, "distributedInfo": {"backend": "nccl", "rank": rank, "world_size": ranks}, "traceEvents": events}), encoding="utf-8")
        yield file


def time_of(scenario):
    """Returns the collective's time in us and its range, from the range's source "nccl" alone."""
    predicted, step = scenario["breakdown"]["communication_ns"], scenario["iteration_ns"]
    source = next(source for source in scenario["interval"] if source["source"] == "nccl")
    return predicted / 1e3, (predicted - step + source["low_ns"]) / 1e3, (predicted - step + source["high_ns"]) / 1e3


def predictions(stepsim, make_cluster, ranks, rows):
    """Yields (bytes, measured us, predicted us, low, high), low and high from the range's source "nccl" alone."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        make_cluster(stepsim, folder, ranks)
        for size, us in rows:
            # An answer has this source only if something changes. A host that is 0.1 % faster does not change collectives.
            words = [*capture(folder, ranks, size // 2 * 2), "--network", "maxmin", "--cluster", folder / "cluster.yaml", "--set", "host.scale=0.999"]
            run = subprocess.run([stepsim, "whatif", "--quiet", "--json", *words], capture_output=True, text=True)
            if run.returncode != 0:
                sys.exit(run.stderr)
            yield size, us, *time_of(json.loads(run.stdout)["scenario"])


def questions(nodes):
    """Yields (node, source of the prediction, ranks, what makes the cluster.yaml, measured rows)."""
    dgx = nodes["a100_dgx"]
    for fitted, predicted in (((2, 4), 8), ((4,), 8), ((2,), 8), ((2,), 4)):
        tables = {ranks: dgx[ranks] for ranks in fitted}
        yield "a100_dgx", f"{' and '.join(map(str, fitted))} GPUs", predicted, fitted_to(tables), dgx[predicted]
    for node, ranks in (("a100_8", 8), ("b200_8", 8), ("a100_pairwise_nvlink", 4)):
        rows = nodes[node][ranks]
        yield node, f"every second size of {ranks} GPUs", ranks, fitted_to({ranks: rows[::2]}), rows[1::2]
    links = {"a100_8": ("data sheet: NVLink of 300 GB/s", 300), "b200_8": ("data sheet: NVLink of 900 GB/s", 900),
             "a100_dgx": ("data sheet: NVLink of 300 GB/s", 300), "a100_pairwise_nvlink": ("data sheet: PCIe of 31.5 GB/s", 31.5),
             "two A100 (pair-ddp-naive-overlap)": ("data sheet: NVLink of 300 GB/s", 300),
             "two RTX 3090 (nsys-ddp53)": ("slope of its sizes: PCIe of 9.6 GB/s", 9.6 / PCIE_EFFICIENCY)}
    for node, (source, bandwidth) in links.items():
        for ranks, rows in nodes[node].items():
            if (node, ranks) != ("a100_pairwise_nvlink", 2):  # these two GPUs meet over NVLink
                yield node, source, ranks, links_of(bandwidth), rows
    for fitted in ((2, 4), (8,)):
        tables = {ranks: dgx[ranks] for ranks in fitted}
        yield "a100_dgx", f"formula of a ring fitted to {' and '.join(map(str, fitted))} GPUs", 8, ring_fitted_to(tables), dgx[8]


def percent(value, sign=""):
    return f"{round(value * 100):{sign}d} %"


def errors(stepsim, nodes):
    yield "node", "GPUs", "predicted from", "payload", "sizes", "mean error", "mean absolute error"
    for node, source, ranks, cluster, rows in questions(nodes):
        found = [(size, predicted / us - 1) for size, us, predicted, _, _ in predictions(stepsim, cluster, ranks, rows)]
        for (label, most), least in zip(SIZES, [0, *(most for _, most in SIZES)]):
            part = [error for size, error in found if least < size <= most]
            if part:
                yield node, ranks, source, label, len(part), percent(statistics.mean(part), "+"), percent(statistics.mean(map(abs, part)))


def range_questions(nodes):
    """Yields (what is predicted, ranks, cluster, rows to predict)."""
    for by_ranks in nodes.values():
        for ranks, rows in by_ranks.items():
            for first in (0, 1):
                yield "between sizes of a table", ranks, fitted_to({ranks: rows[first::2]}), rows[1 - first::2]
    for fitted, predicted in itertools.permutations(nodes["a100_dgx"], 2):
        yield "other ranks of a100_dgx", predicted, fitted_to({fitted: nodes["a100_dgx"][fitted]}), nodes["a100_dgx"][predicted]
    for node, bandwidth in (("a100_dgx", 300), ("a100_8", 300), ("b200_8", 900)):
        for ranks, rows in nodes[node].items():
            yield "from data sheets: a100_dgx, a100_8, b200_8", ranks, links_of(bandwidth), rows


def ranges(stepsim, nodes):
    found = {}
    for name, ranks, cluster, rows in range_questions({node: by_ranks for node, by_ranks in nodes.items() if not node.startswith("two ")}):
        found.setdefault(name, []).extend((low <= us <= high, high / low) for _, us, _, low, high in predictions(stepsim, cluster, ranks, rows))
    yield "predicted", "rows", "measured inside", "median of high / low"
    for name, rows in found.items():
        yield name, len(rows), percent(statistics.mean(inside for inside, _ in rows)), f"{statistics.median(width for _, width in rows):.2f}"


TABLES = {"nccl-tables": errors, "nccl-ranges": ranges}

if __name__ == "__main__":
    if len(sys.argv) != 4 or sys.argv[3] not in TABLES:
        sys.exit(__doc__)
    csv.writer(sys.stdout, lineterminator="\n").writerows(TABLES[sys.argv[3]](sys.argv[1], measured(pathlib.Path(sys.argv[2]))))

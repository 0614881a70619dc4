#!/usr/bin/env python3
"""Predicts measured all-reduces from tables of other rank counts.

usage: nccl_tables.py STEPSIM COLLECTIVES.csv --fit 2,4 --predict 8 [--node NAME] [--every N/K] [--vendor GB/S] [--show]

COLLECTIVES.csv has the columns source, node, op, ranks, devices_per_node, bytes, measured_us. For each node of one host
the rows with the rank counts of --fit are written as nccl-tests prints them, `stepsim calibrate --nccl-tests` makes a
cluster.yaml from them, and `stepsim replay --network maxmin` on it predicts the time of every row of --predict. Prints
by size the mean error, the mean of its absolute value, and the largest. Sizes can be held out in place of rank counts:
--every 0/2 fits the even rows of --predict itself and predicts the odd ones. --vendor fits nothing and uses NVLink's
data sheet."""
import argparse, csv, json, os, subprocess, tempfile

SIZES = [("to 256 KB", 0, 262145), ("to 4 MB", 262145, 4_000_000), ("to 64 MB", 4_000_000, 67_200_000), ("more", 67_200_000, 1 << 62)]


def nccl_tests(rows, ranks):
    lines = [f"# nThread 1 nGpus {ranks} minBytes 8 maxBytes 1", "# Using devices"]
    lines += [f"#  Rank {r:2} Group  0 Pid {4000 + r} on node-a device {r:2} [0x{r:02x}] GPU" for r in range(ranks)]
    lines += ["#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong"]
    for size, us in rows:
        rate = size / us / 1e3
        part = f"{us:10.2f} {rate:7.2f} {rate * 2 * (ranks - 1) / ranks:7.2f}      0"
        lines.append(f"{size:12} {size // 2:12}      half     sum      -1 {part} {part}")
    return "\n".join(lines) + "\n"


def capture(folder, ranks, size):
    group = {"Collective name": "allreduce", "dtype": "Half", "In msg nelems": size // 2, "Out msg nelems": size // 2, "Group size": ranks,
             "Process Group Name": "0", "Process Group Ranks": str(list(range(ranks)))}
    files = []
    for rank in range(ranks):
        def event(cat, name, ts, dur, tid, pid, args):
            return dict(ph="X", cat=cat, name=name, pid=pid, tid=tid, ts=ts, dur=dur, args=args)
        pid = 1000 + rank
        events = [event("cpu_op", "record_param_comms", 100, 30, 1, pid, {"External id": 2, **group}),
                  event("cuda_runtime", "cudaLaunchKernelExC", 110, 5, 1, pid, {"External id": 2, "correlation": 7}),
                  event("kernel", "ncclDevKernel_AllReduce_Sum_f16_RING_LL(ncclDevComm*)", 120, 50, 20, rank, {"External id": 2, "device": rank, "stream": 20, "correlation": 7, **group}),
                  event("cuda_runtime", "cudaDeviceSynchronize", 125, 50, 1, pid, {"correlation": 8})]
        files.append(os.path.join(folder, f"rank{rank}.json"))
        with open(files[-1], "w") as out:
            json.dump({"schemaVersion": 1, "distributedInfo": {"backend": "nccl", "rank": rank, "world_size": ranks}, "traceEvents": events}, out)
    return files


def predicted(stepsim, cluster, ranks, size):
    with tempfile.TemporaryDirectory() as folder:
        files = capture(folder, ranks, size // 2 * 2)
        done = subprocess.run([stepsim, "replay", "--quiet", "--json", *files, "--network", "maxmin", "--cluster", cluster], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(done.stderr)
    return json.loads(done.stdout)["breakdown"][0]["communication_ns"] / 1e3


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("stepsim")
    p.add_argument("table")
    p.add_argument("--fit", default="2,4")
    p.add_argument("--predict", default="8")
    p.add_argument("--node")
    p.add_argument("--every")
    p.add_argument("--vendor", type=float)
    p.add_argument("--show", action="store_true")
    o = p.parse_args()
    nodes = {}
    with open(o.table) as table:
        for row in csv.DictReader(table):
            if row["op"] == "all_reduce" and row["ranks"] == row["devices_per_node"] and o.node in (None, row["node"]):
                nodes.setdefault((row["source"], row["node"]), {}).setdefault(int(row["ranks"]), []).append((int(row["bytes"]), float(row["measured_us"])))
    print(f"{'node':34}" + "".join(f"{label:>24}" for label, _, _ in SIZES) + "   mean error, mean absolute, largest")
    for (source, node), by_ranks in nodes.items():
        for rows in by_ranks.values():
            rows.sort()
        ranks = int(o.predict)
        if ranks not in by_ranks:
            continue
        with tempfile.TemporaryDirectory() as folder:
            cluster = os.path.join(folder, "cluster.yaml")
            wanted = by_ranks[ranks]
            if o.vendor:
                with open(cluster, "w") as out:
                    out.write(f"hosts: 1\ndevices: {ranks}\nnic: {{bandwidth: 400Gb/s}}\nnvlink: {{bandwidth: {o.vendor}GB/s}}\n")
            else:
                fit = {n: by_ranks[n] for n in map(int, o.fit.split(",")) if n in by_ranks}
                if o.every:
                    first, step = map(int, o.every.split("/"))
                    fit = {ranks: wanted[first::step]}
                    wanted = [row for i, row in enumerate(wanted) if i % step != first]
                if not o.every and len(fit) < len(o.fit.split(",")):
                    continue
                files = []
                for n, rows in fit.items():
                    files.append(os.path.join(folder, f"all_reduce_{n}.txt"))
                    with open(files[-1], "w") as out:
                        out.write(nccl_tests(rows, n))
                done = subprocess.run([o.stepsim, "calibrate", "--quiet", "--nccl-tests", *files, "-o", cluster], capture_output=True, text=True)
                if done.returncode != 0:
                    raise SystemExit(done.stderr)
            errors = {label: [] for label, _, _ in SIZES}
            for size, us in wanted:
                time = predicted(o.stepsim, cluster, ranks, size)
                label = next(label for label, low, high in SIZES if low <= size < high)
                errors[label].append(time / us - 1)
                if o.show:
                    print(f"    {size:>12} B  measured {us:10.1f} us  predicted {time:10.1f} us  {time / us - 1:+.0%}")
        cells = [f"{sum(e) / len(e):+.1%} {sum(map(abs, e)) / len(e):.1%} {max(map(abs, e)):.0%} ({len(e)})" if e else "-" for e in errors.values()]
        print(f"{source + ' ' + node:34}" + "".join(f"{cell:>24}" for cell in cells))


if __name__ == "__main__":
    main()

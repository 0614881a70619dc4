"""Compares the device statistics of `stepsim stats` with counts made here by independent code.

    device_statistics.py STEPSIM KINETO

KINETO is a folder of captures made by others (docs/internals/test-data.md). Compared for each capture: launches by name,
queues and idle time of streams, copies, sequences of kernels by operator, and occupancy as the profiler recorded
it. The definitions are those of HTA and of TensorBoard's PyTorch plugin, as docs/guides/where-time-goes.md gives them. Exit 1 where
a figure differs."""

import collections
import gzip
import json
import os
import statistics
import sys
from decimal import Decimal

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "cli"))
import checks  # noqa: E402

CAPTURES = ["alexnet-syncs", "ns-resolution-5steps", "ddp-a100-rank0of2", "v100-rank1of2-5steps", "t4-dataloader-fp32.pt.trace",
            "resnet-2080ti", "deepview-full-launch-queue", "diff-control-a100-rank3of8", "sampled-rank1-mismatched",
            "gpt2-compile-no-sync", "gpt2-cuda-graphs-no-sync", "event-sync", "mi300-resnet18-train",
            "kineto-sample-2021-resnet50-nw0.pt.trace"]
DEVICE = {"kernel", "gpu_memcpy", "gpu_memset", "Kernel", "Memcpy", "Memset"}
CALLS = {"cuda_runtime", "cuda_driver", "Runtime"}
OPERATORS = {"cpu_op", "Operator", "cpu_Op"}
FULL, KERNEL_WAIT = 1024, 30_000

def check(what, ours, expected, within=0.0):
    checks.check(what, abs(ours - expected) <= within * abs(expected), f"{ours}, expected {expected}")


class Event:
    def __init__(self, record):
        self.name, self.args = record["name"], record.get("args", {})
        self.begin = int(Decimal(record["ts"]) * 1000)
        self.length = int(Decimal(record.get("dur", 0)) * 1000)
        self.end = self.begin + self.length
        self.thread = (record.get("pid"), record.get("tid"))
        self.kind = record["cat"]
        self.correlation = self.args.get("correlation")


def read(path):
    """Returns (device work by start, calls by correlation, events of host threads)."""
    with gzip.open(path) as file:
        trace = json.load(file, parse_float=Decimal)
    records = [r for r in (trace["traceEvents"] if isinstance(trace, dict) else trace)
               if r.get("ph") == "X" and r.get("cat") in DEVICE | CALLS | OPERATORS
               and not r["name"].startswith("ProfilerStep#")]  # old profilers record these marks as operators
    events = [Event(record) for record in records]
    work = sorted((e for e in events if e.kind in DEVICE), key=lambda e: (e.begin, e.end))
    calls = {e.correlation: e for e in events if e.kind in CALLS and e.correlation is not None}
    return work, calls, [e for e in events if e.kind not in DEVICE]


def check_launches(answer, work, calls):
    of_name = collections.defaultdict(list)
    for piece in work:
        if piece.correlation in calls:
            of_name[piece.name].append((calls[piece.correlation], piece))
    ours = {use["name"]: use for use in answer["launches"]}
    check("names with launches", len(ours), len(of_name))
    for name, pairs in of_name.items():
        use = ours.get(name)
        if use is None:
            checks.failures.append(name)
            print(f"FAILED no launches of {name[:60]}")
            continue
        label = f"launches of {name[:60]}: "
        check(label + "count", use["work"]["count"], len(pairs))
        check(label + "calls", use["call"]["total_ns"], sum(call.length for call, _ in pairs))
        check(label + "work", use["work"]["total_ns"], sum(piece.length for _, piece in pairs))
        delays = [max(0, piece.begin - call.end) for call, piece in pairs]
        check(label + "delay", use["delay"]["total_ns"], sum(delays))
        check(label + "median delay", use["delay"]["median_ns"], int(statistics.median(delays)))
        check(label + "short", use["short"], sum(piece.length < call.length for call, piece in pairs))


def idle_of(pieces, calls):
    sums, ended = collections.Counter(), pieces[0].end
    for piece in pieces:
        gap = piece.begin - ended
        if gap > 0:
            called = calls.get(piece.correlation)
            late = called is not None and called.begin > ended
            sums["host" if late else "kernel" if gap < KERNEL_WAIT else "other"] += gap
        ended = max(ended, piece.end)
    sums["outside"] = pieces[0].begin - ended  # minus the stream's span; check_streams adds the device's
    return sums


def queue_of(pieces, calls):
    """Returns (mean length, longest, time with a full queue)."""
    steps = []
    for piece in pieces:
        called = calls.get(piece.correlation)
        if called is not None and called.begin < piece.begin:
            steps += [(called.begin, 1), (piece.begin, -1)]
    steps.sort()
    length = longest = area = full = 0
    for (time, change), (until, _) in zip(steps, steps[1:] + steps[-1:]):
        length += change
        longest = max(longest, length)
        area += length * (until - time)
        full += until - time if length >= FULL else 0
    span = steps[-1][0] - steps[0][0] if steps else 0
    return area / span if span else 0, longest, full


def check_streams(answer, work, calls):
    of_stream = collections.defaultdict(list)
    of_device = collections.defaultdict(list)
    for piece in work:
        of_stream[int(piece.args["device"]), int(piece.args["stream"])].append(piece)
        of_device[int(piece.args["device"])].append(piece)
    expected = {key: pieces for key, pieces in of_stream.items() if any(p.correlation in calls for p in pieces)}
    check("streams with launches", len(answer["streams"]), len(expected))
    idle = {(device["device"], stream["name"]): stream["idle_ns"] for device in answer["devices"]
            for stream in device["streams"]}
    for use in answer["streams"]:
        pieces = expected[use["device"], int(use["stream"].removeprefix("stream "))]
        span = max(p.end for p in of_device[use["device"]]) - min(p.begin for p in of_device[use["device"]])
        label = f"{use['stream']} of device {use['device']}: "
        waits = idle_of(pieces, calls)
        for ours, theirs in (("host_wait_ns", "host"), ("kernel_wait_ns", "kernel"), ("other_wait_ns", "other")):
            check(label + theirs + " wait", use[ours], waits[theirs])
        check(label + "outside", use["outside_ns"], span + waits["outside"])
        check(label + "idle time is divided", idle[use["device"], use["stream"]],
              use["host_wait_ns"] + use["kernel_wait_ns"] + use["other_wait_ns"] + use["outside_ns"])
        mean, longest, full = queue_of(pieces, calls)
        check(label + "mean queue", use["mean_queue"], mean, 1e-9)
        check(label + "longest queue", use["longest_queue"], longest)
        check(label + "full queue", use["full_ns"], full)
        check(label + "launches", use["launches"], sum(p.correlation in calls for p in pieces))


def check_copies(answer, work):
    of_name = collections.defaultdict(list)
    for piece in work:
        if piece.kind not in ("kernel", "Kernel") and int(piece.args.get("bytes", 0)) > 0:
            of_name[piece.name].append(piece)
    check("names of copies", len(answer["copies"]), len(of_name))
    for use in answer["copies"]:
        pieces = of_name[use["name"]]
        sizes = [int(piece.args["bytes"]) for piece in pieces]
        label = use["name"] + ": "
        check(label + "count", use["count"], len(pieces))
        check(label + "bytes", use["total_bytes"], sum(sizes))
        check(label + "median", use["median_bytes"], int(statistics.median(sizes)))
        time = sum(piece.length for piece in pieces)
        check(label + "bandwidth", use["bytes_per_second"], sum(sizes) / time * 1e9 if time else 0, 1e-9)
        # The area under the curve is the number of bytes moved.
        moved = sum(point["bytes_per_second"] * (until["time_ns"] - point["time_ns"]) / 1e9
                    for point, until in zip(use["curve"], use["curve"][1:]))
        check(label + "curve", moved, sum(sizes), 1e-6)


def check_sequences(answer, work, calls, host):
    """Groups sequences by the outermost operator around each launch, using the times of one thread."""
    of_thread = collections.defaultdict(list)
    for event in host:
        of_thread[event.thread].append(event)
    outermost = {}
    for events in of_thread.values():
        around = None
        for event in sorted(events, key=lambda e: (e.begin, -e.length)):
            if around is not None and event.begin >= around.end:
                around = None
            if event.kind in OPERATORS and around is None:
                around = event
            elif event.kind in CALLS and around is not None and event.correlation is not None:
                outermost[event.correlation] = around
    launched = collections.defaultdict(list)
    for piece in work:
        if piece.correlation in calls and piece.correlation in outermost:
            launched[outermost[piece.correlation]].append(piece)
    expected = collections.Counter()
    for operator, pieces in launched.items():
        if len(pieces) >= 3:
            expected[operator.name, tuple(piece.name for piece in pieces)] += 1
    ours = {(s["name"], tuple(s["kernels"])): s["calls"] for s in answer["sequences"]}
    check("sequences", len(ours), len(expected))
    check("calls with sequences", sum(ours.values()), sum(expected.values()))
    for key, calls_of_it in expected.items():
        check(f"sequence of {key[0]} with {len(key[1])} pieces", ours.get(key, 0), calls_of_it)


def check_occupancy(answer, work):
    """Time-weighted means of what the profiler recorded. It writes at most two decimals, and occupancy in whole
    percent."""
    of_name = collections.defaultdict(list)
    for piece in work:
        if "est. achieved occupancy %" in piece.args and piece.length > 0:
            of_name[piece.name].append(piece)
    checked = 0
    for use in answer["kernel_occupancy"]:
        pieces = of_name.get(use["name"], [])
        time = sum(piece.length for piece in pieces)
        if not pieces or time != use["time_ns"]:
            continue
        mean = lambda key: float(sum(Decimal(p.args[key]) * p.length for p in pieces)) / time
        label = f"{use['name'][:50]}: "
        check(label + "blocks per SM", use["blocks"], mean("blocks per SM"), 0.01)
        check(label + "warps per SM", use["warps"], mean("warps per SM"), 0.01)
        if any(Decimal(p.args["est. achieved occupancy %"]) > 0 for p in pieces):
            difference = abs(100 * use["occupancy"] - mean("est. achieved occupancy %"))
            if difference > 1:
                checks.failures.append(label)
                print(f"FAILED {label}occupancy {100 * use['occupancy']:.1f} %, the profiler has "
                      f"{mean('est. achieved occupancy %'):.1f} %")
            checked += 1
    return checked


def main():
    folder = sys.argv[2]
    if not os.path.isdir(folder):
        print(f"skipped: {folder} is absent")
        return 0
    for capture in CAPTURES:
        path = os.path.join(folder, capture + ".json.gz")
        work, calls, host = read(path)
        answer = checks.answer("stats", path)["inputs"][0]
        before = len(checks.failures)
        check_launches(answer, work, calls)
        check_streams(answer, work, calls)
        check_copies(answer, work)
        check_sequences(answer, work, calls, host)
        kernels = check_occupancy(answer, work)
        print(f"{capture}: {len(work)} pieces of work, {len(answer['launches'])} names with launches, "
              f"{len(answer['streams'])} streams, {len(answer['copies'])} names of copies, {len(answer['sequences'])} sequences, "
              f"occupancy of {kernels} kernels; {len(checks.failures) - before} differ")
    return checks.verdict()


if __name__ == "__main__":
    sys.exit(main())

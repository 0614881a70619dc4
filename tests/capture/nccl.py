#!/usr/bin/env python3
"""nccl.py STEPSIM SAMPLE_RANKS FAKE_CUDA FAKE_RCCL: `stepsim capture --with-nccl` of two ranks on our fake CUDA and
NCCL, with each version of NCCL's profiler interface, to the replay of both files as one job and the waits in `stats`.
Whatever goes wrong, the program must end as it does without capture."""
import json
import os
import sys

from captures import answer, diagnostics, folder, run_until, run_with, work
from checks import STEPSIM, check, verdict

SAMPLE, FAKE_CUDA, FAKE_RCCL = (os.path.abspath(path) for path in sys.argv[2:5])
STEPS = 3
# From fake_nccl.h: times of one collective's channels and transfers, on each rank.
DEVICE, PEER, NETWORK, FLUSH = 300, 500, 700, 200
CHANNELS, TRANSFERS, BYTES, CHANNEL_TIME = 2, 3, 4096, 5000


def capture(*options, way="whole", ranks=(0, 1), steps=STEPS + 2, **variables):
    """Returns (results, folder) of the captured ranks."""
    directory = folder()
    results = []
    for rank in ranks:
        environment = {"STEPSIM_CUPTI_LIBRARY": FAKE_CUDA, "RANK": str(rank), "WORLD_SIZE": "2", **variables}
        results.append(run_with(environment, STEPSIM, "capture", "--dir", directory, *options, "--", SAMPLE, str(steps), way))
    return results, directory


def has_all_sizes(reply):
    return not any("keep their recorded durations" in sentence for sentence in reply["assumptions"])


def transfers(directory):
    """Returns the rows of transfers by (rank, group, operation), and the whole answer."""
    reply = answer("stats", directory)
    rows = reply["inputs"][0]["transfers"] if "inputs" in reply else []
    return {(row["rank"], row["group"], row["operation"]): row for row in rows}, reply


def reductions(directory):
    """Returns (stream, duration in us, bytes) of the kernels of reductions on both communicators, in order."""
    found = []
    for name in sorted(os.listdir(directory)):
        converted = os.path.join(folder(), f"{name}.pt.trace.json")
        os.mkdir(os.path.dirname(converted))
        run_with({}, STEPSIM, "convert", os.path.join(directory, name), "-o", converted)
        with open(converted) as file:
            events = json.load(file)["traceEvents"]
        kernels = [event for event in events if event.get("cat") == "kernel" and "AllReduce" in event["name"] and event["dur"] in (90, 40)]
        found += [(event["args"]["stream"], event["dur"], event["args"].get("bytes")) for event in sorted(kernels, key=lambda event: event["ts"])]
    return found


def as_without_capture(result, what, *program, code=7):
    alone = run_with({"RANK": "0"}, SAMPLE, *program)
    check(f"{what}: the program ends as without capture", (result.returncode, result.stdout) == (alone.returncode, alone.stdout) and alone.returncode == code, result)
    check(f"{what}: NCCL has nothing to complain of", "fake NCCL" not in result.stderr, result.stderr)


def check_waits(row, operations, version, what):
    """Checks a row of `operations` operations, each with transfers of all channels in both directions."""
    pieces = operations * CHANNELS * TRANSFERS
    peer = PEER if version >= 4 else 0
    sent, received = row["sent"], row["received"]
    check(f"{what}: {operations} operations", row["count"] == operations, row)
    check(f"{what}: what was sent", (sent["pieces"], sent["bytes"]) == (pieces, pieces * BYTES), row)
    check(f"{what}: what sending waited for", (sent["device_wait_ns"], sent["peer_wait_ns"], sent["network_ns"]) ==
           (pieces * DEVICE, pieces * peer, pieces * NETWORK), row)
    check(f"{what}: what was received", (received["pieces"], received["bytes"]) == (pieces, pieces * BYTES), row)
    check(f"{what}: what receiving waited for", (received["device_wait_ns"], received["peer_wait_ns"], received["network_ns"]) ==
           (pieces * DEVICE, 0, pieces * (NETWORK + FLUSH)), row)
    on_host = TRANSFERS * (DEVICE + peer + NETWORK) + TRANSFERS * (NETWORK + FLUSH + DEVICE)
    expected = {2: 0, 3: on_host}.get(version, CHANNEL_TIME)
    check(f"{what}: channels", row["channels"] == (operations * CHANNELS if version > 2 else 0), row)
    check(f"{what}: the time of channels", row["channel_ns"] == row["channels"] * expected, row)


# Runs each version of the interface through to the answers.
for version in (2, 3, 4, 5, 6):
    results, traces = capture("--with-nccl", "--active", str(STEPS), FAKE_NCCL_VERSION=str(version))
    for result in results:
        as_without_capture(result, f"v{version}", str(STEPS + 2))
        check(f"v{version}: it says what it captured", f"{4 * STEPS} operations of NCCL" in result.stderr, result.stderr)
    replay = answer("replay", traces)
    check(f"v{version}: one job of two ranks", replay.get("ranks") == [0, 1], replay)
    check(f"v{version}: its steps", [(step["rank"], step["step"]) for step in replay.get("steps", [])] == [(r, s) for r in (0, 1) for s in range(STEPS)], replay.get("steps"))
    check(f"v{version}: replay error under 1 %", abs(replay["iteration"]["error"]) < 0.01, replay["iteration"])
    check(f"v{version}: nothing to complain of", not set(diagnostics(replay)) - {"not used:"}, diagnostics(replay))
    # Before version 4 NCCL does not report how many ranks take part in a gather.
    check(f"v{version}: sizes are known", has_all_sizes(replay) == (version >= 4), replay["assumptions"])
    rows, reply = transfers(traces)
    check(f"v{version}: three kinds of operations of each rank", len(rows) == 6, reply)
    for rank in (0, 1):
        world = f"world, rank {rank} of 2" if version >= 4 else "world"
        reverse = f"reversed, rank {1 - rank} of 2" if version >= 4 else "reversed"
        reduce = rows[rank, world, "AllReduce"]
        check_waits(reduce, 2 * STEPS, version, f"v{version}, rank {rank}: all-reduce")
        check(f"v{version}: bytes of all-reduces", reduce["bytes"] == STEPS * 1500 * 4, reduce)
        check(f"v{version}: how they were done", (reduce["algorithm"], reduce["protocol"]) == ("RING", "LL"), reduce)
        gather = rows[rank, reverse, "AllGather"]
        check_waits(gather, STEPS, version, f"v{version}, rank {rank}: all-gather")
        check(f"v{version}: bytes of all-gathers", gather["bytes"] == (STEPS * 4096 * 2 if version >= 4 else 0), gather)
        message = rows[rank, world, "Recv" if rank else "Send"]
        check_waits(message, STEPS, version, f"v{version}, rank {rank}: messages")
        check(f"v{version}: bytes of messages", message["bytes"] == STEPS * 250 * 4, message)

# RCCL, which is recognised by its library: the time of its channels is taken by the CPU.
results, traces = capture("--with-nccl", "--active", str(STEPS), LD_PRELOAD=FAKE_RCCL)
as_without_capture(results[0], "RCCL", str(STEPS + 2))
rows, reply = transfers(traces)
on_host = TRANSFERS * (DEVICE + PEER + NETWORK) + TRANSFERS * (NETWORK + FLUSH + DEVICE)
check("RCCL: the time of channels", rows and all(row["channel_ns"] == row["channels"] * on_host > 0 for row in rows.values()), reply)

# The use of the sizes: with half the network, collectives are slower.
results, traces = capture("--with-nccl", "--active", str(STEPS))
slower = answer("whatif", traces, "--set", "network.bandwidth=0.5x")
check("half the network makes steps longer", slower.get("scenario", {}).get("iteration_ns", 0) > slower.get("baseline", {}).get("iteration_ns", 0) > 0, slower)
parts = slower["baseline"]["iteration_parts"]
check("rank 0 waits for rank 1 three times a step", (parts["rank"], parts["collective_wait_ns"]) == (0, 3 * 50_000), parts)
table = run_with({}, STEPSIM, "stats", traces).stdout
check("a table for people", "Transfers" in table and "for the peer" in table and "reversed, rank 0 of 2" in table, table)

# Without --with-nccl NCCL reports nothing, and collectives are recognised by the names of their kernels.
results, traces = capture("--active", str(STEPS))
check("only where it is asked for", "of NCCL" not in results[0].stderr and transfers(traces)[0] == {}, results[0].stderr)
check("and then sizes are not known", not has_all_sizes(answer("replay", traces)), answer("replay", traces))

# If the user has set a profiler plugin, it stays.
for theirs in ("/opt/their/libnccl-profiler.so", "none"):
    results, traces = capture("--with-nccl", "--active", "1", NCCL_PROFILER_PLUGIN=theirs)
    as_without_capture(results[0], theirs, str(STEPS + 2))
    check("another profiler stays, and that is said", f"NCCL_PROFILER_PLUGIN is already set to {theirs}" in results[0].stderr and transfers(traces)[0] == {}, results[0].stderr)

# Misbehaviour of NCCL or the program.
results, traces = capture("--with-nccl", way="open")
as_without_capture(results[0], "events that do not end", str(STEPS + 2), "open")
# For each step and operation of the world: each channel, its two proxy operations and their transfers.
left = (STEPS + 2) * 3 * CHANNELS * (1 + 2 + 2 * TRANSFERS)
check("they are counted", diagnostics(answer("replay", traces)).get("nccl_events_unfinished") == 2 * left, answer("replay", traces))
results, traces = capture("--with-nccl", "--active", "1", "--buffer-mb", "4", way="flood", ranks=(0,))
as_without_capture(results[0], "more events than there is room for", str(STEPS + 2), "flood")
check("they are counted", diagnostics(answer("replay", traces)).get("nccl_events_lost", 0) > 100_000, answer("replay", traces))
results, traces = capture("--with-nccl", "--active", str(STEPS), way="pxn")
as_without_capture(results[0], "proxy operations of another process", str(STEPS + 2), "pxn")
other = transfers(traces)[0].get((0, "unknown", "unknown"), {"sent": {}})
check("they are of nobody", other["sent"].get("pieces") == STEPS * 3 * CHANNELS * TRANSFERS, transfers(traces)[0])
results, traces = capture("--with-nccl", "--active", str(STEPS), way="callback")
as_without_capture(results[0], "reports on a thread of CUDA", str(STEPS + 2), "callback")
check("they are of the kernels that NCCL launched", reductions(traces) == 2 * STEPS * [(20, 90.0, 4 * 3000), (21, 40.0, 4 * 7000)], reductions(traces))
check("nothing is without a kernel", "nccl_without_kernel" not in diagnostics(answer("replay", traces)), answer("replay", traces))
results, traces = capture("--with-nccl", "--active", str(STEPS), way="callback", FAKE_NCCL_VERSION="4")
check("before version 5, they have no kernel", diagnostics(answer("replay", traces)).get("nccl_without_kernel") == 2 * 2 * STEPS, answer("replay", traces))
results, traces = capture("--with-nccl", "--active", str(STEPS), way="graph")
as_without_capture(results[0], "a CUDA graph", str(STEPS + 2), "graph")
check("its replays have no kernel", diagnostics(answer("replay", traces)).get("nccl_without_kernel") == 2 * STEPS, answer("replay", traces))
for way, code in (("fork", 7), ("kill", -9), ("exit", 7)):
    if way == "kill":
        traces, program = folder(), (str(STEPS + 2), way, os.path.join(work.name, "recorded0"))
        results = [run_until(lambda: transfers(traces)[0].get((rank, f"world, rank {rank} of 2", "AllReduce"), {}).get("count") == 2 * (STEPS + 2),
                             {"STEPSIM_CUPTI_LIBRARY": FAKE_CUDA, "RANK": str(rank), "WORLD_SIZE": "2"},
                             STEPSIM, "capture", "--dir", traces, "--with-nccl", "--", SAMPLE, *program[:2], program[2][:-1] + str(rank)) for rank in (0, 1)]
    else:
        program = (str(STEPS + 2), way)
        results, traces = capture("--with-nccl", way=way)
    as_without_capture(results[0], way, *program, code=code)
    check(f"{way}: one file a rank", len(os.listdir(traces)) == 2, os.listdir(traces))
    rows, reply = transfers(traces)
    check(f"{way}: all is there", rows[0, "world, rank 0 of 2", "AllReduce"]["count"] == 2 * (STEPS + 2), reply)

# NCCL alone, without CUPTI. The file has no kernel, but it has NCCL's reports.
variables = run_with({}, STEPSIM, "capture", "--quiet", "--dir", folder(), "--", "env").stdout.splitlines()
module = next(line.split("=", 1)[1] for line in variables if line.startswith("CUDA_INJECTION64_PATH="))
alone = folder()
os.mkdir(alone)
result = run_with({"RANK": "0", "NCCL_PROFILER_PLUGIN": module, "STEPSIM_CAPTURE_DIR": alone}, SAMPLE, "4")
as_without_capture(result, "NCCL alone", "4")
check("a file without CUPTI", len(os.listdir(alone)) == 1, os.listdir(alone))
result = run_with({"RANK": "0", "NCCL_PROFILER_PLUGIN": module}, SAMPLE, "4")
as_without_capture(result, "NCCL alone, and nothing to be recorded", "4")
off = folder()
os.mkdir(off)
run_with({"RANK": "0", "NCCL_PROFILER_PLUGIN": module, "STEPSIM_CAPTURE_DIR": off, "STEPSIM_CAPTURE_NCCL": "0"}, SAMPLE, "4")
check("switched off by a variable", os.listdir(off) == [], os.listdir(off))

sys.exit(verdict())

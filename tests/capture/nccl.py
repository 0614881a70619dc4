#!/usr/bin/env python3
"""nccl.py STEPSIM SAMPLE_RANKS FAKE_CUDA: `stepsim capture --with-nccl` of two ranks on a CUDA and an NCCL of our own, by
each version of NCCL's profiler interface, to the replay of both files as one job and the waits in `stats`; and whatever
goes wrong, the program ends as it does without us."""
import json
import os
import subprocess
import sys

from captures import diagnostics, expect, folder, verdict

STEPSIM, SAMPLE, FAKE_CUDA = (os.path.abspath(path) for path in sys.argv[1:4])
ENVIRONMENT = {name: value for name, value in os.environ.items()
               if not name.startswith(("FAKE_", "STEPSIM_", "RANK", "NCCL_", "CUDA_INJ", "NVTX_INJ"))}
STEPS = 3
# fake_nccl.h: what one collective's channels and transfers do, on each rank.
DEVICE, PEER, NETWORK, FLUSH = 300, 500, 700, 200
CHANNELS, TRANSFERS, BYTES, CHANNEL_TIME = 2, 3, 4096, 5000


def capture(*options, way="whole", ranks=(0, 1), steps=STEPS + 2, **variables):
    """(results, folder) of the captured ranks."""
    directory = folder()
    results = []
    for rank in ranks:
        command = [STEPSIM, "capture", "--dir", directory, *options, "--", SAMPLE, str(steps), way]
        environment = {**ENVIRONMENT, "STEPSIM_CUPTI_LIBRARY": FAKE_CUDA, "RANK": str(rank), "WORLD_SIZE": "2", **variables}
        results.append(subprocess.run(command, env=environment, capture_output=True, text=True))
    return results, directory


def answer(*words):
    result = subprocess.run([STEPSIM, *words, "--json"], env=ENVIRONMENT, capture_output=True, text=True)
    return json.loads(result.stdout) if result.returncode == 0 else {"failed": result.stderr}


def has_all_sizes(reply):
    return not any("do not say what they transfer" in sentence for sentence in reply["assumptions"])


def transfers(directory):
    """By (rank, group, operation)."""
    reply = answer("stats", directory)
    rows = reply["inputs"][0]["transfers"] if "inputs" in reply else []
    return {(row["rank"], row["group"], row["operation"]): row for row in rows}, reply


def as_without_capture(result, what, *program, code=7):
    alone = subprocess.run([SAMPLE, *program], env={**ENVIRONMENT, "RANK": "0"}, capture_output=True, text=True)
    expect((result.returncode, result.stdout) == (alone.returncode, alone.stdout) and alone.returncode == code,
           f"{what}: the program ends as without capture", result)
    expect("fake NCCL" not in result.stderr, f"{what}: NCCL has nothing to complain of", result.stderr)


def check_waits(row, operations, version, what):
    """Of a row of `operations` operations, each with transfers of all channels both ways."""
    pieces = operations * CHANNELS * TRANSFERS
    peer = PEER if version >= 4 else 0
    sent, received = row["sent"], row["received"]
    expect(row["count"] == operations, f"{what}: {operations} operations", row)
    expect((sent["pieces"], sent["bytes"]) == (pieces, pieces * BYTES), f"{what}: what was sent", row)
    expect((sent["device_wait_ns"], sent["peer_wait_ns"], sent["network_ns"]) ==
           (pieces * DEVICE, pieces * peer, pieces * NETWORK), f"{what}: what sending waited for", row)
    expect((received["pieces"], received["bytes"]) == (pieces, pieces * BYTES), f"{what}: what was received", row)
    expect((received["device_wait_ns"], received["peer_wait_ns"], received["network_ns"]) ==
           (pieces * DEVICE, 0, pieces * (NETWORK + FLUSH)), f"{what}: what receiving waited for", row)
    on_host = TRANSFERS * (DEVICE + peer + NETWORK) + TRANSFERS * (NETWORK + FLUSH + DEVICE)
    expected = {2: 0, 3: on_host}.get(version, CHANNEL_TIME)
    expect(row["channels"] == (operations * CHANNELS if version > 2 else 0), f"{what}: channels", row)
    expect(row["channel_ns"] == row["channels"] * expected, f"{what}: the time of channels", row)


# Each version of the interface, to the answers.
for version in (2, 3, 4, 5, 6):
    results, traces = capture("--with-nccl", "--active", str(STEPS), FAKE_NCCL_VERSION=str(version))
    for result in results:
        as_without_capture(result, f"v{version}", str(STEPS + 2))
        expect(f"{4 * STEPS} operations of NCCL" in result.stderr, f"v{version}: it says what it captured", result.stderr)
    replay = answer("replay", traces)
    expect(replay.get("ranks") == [0, 1], f"v{version}: one job of two ranks", replay)
    expect([(step["rank"], step["step"]) for step in replay.get("steps", [])] == [(r, s) for r in (0, 1) for s in range(STEPS)],
           f"v{version}: its steps", replay.get("steps"))
    expect(abs(replay["iteration"]["error"]) < 0.01, f"v{version}: replay error under 1 %", replay["iteration"])
    expect(not set(diagnostics(replay)) - {"not used:"}, f"v{version}: nothing to complain of", diagnostics(replay))
    # Before version 4 NCCL does not say how many ranks gather.
    expect(has_all_sizes(replay) == (version >= 4), f"v{version}: sizes are known", replay["assumptions"])
    rows, reply = transfers(traces)
    expect(len(rows) == 6, f"v{version}: three kinds of operations of each rank", reply)
    for rank in (0, 1):
        world = f"world, rank {rank} of 2" if version >= 4 else "world"
        reverse = f"reversed, rank {1 - rank} of 2" if version >= 4 else "reversed"
        reduce = rows[rank, world, "AllReduce"]
        check_waits(reduce, 2 * STEPS, version, f"v{version}, rank {rank}: all-reduce")
        expect(reduce["bytes"] == STEPS * 1500 * 4, f"v{version}: bytes of all-reduces", reduce)
        expect((reduce["algorithm"], reduce["protocol"]) == ("RING", "LL"), f"v{version}: how they were done", reduce)
        gather = rows[rank, reverse, "AllGather"]
        check_waits(gather, STEPS, version, f"v{version}, rank {rank}: all-gather")
        expect(gather["bytes"] == (STEPS * 4096 * 2 if version >= 4 else 0), f"v{version}: bytes of all-gathers", gather)
        message = rows[rank, world, "Recv" if rank else "Send"]
        check_waits(message, STEPS, version, f"v{version}, rank {rank}: messages")
        expect(message["bytes"] == STEPS * 250 * 4, f"v{version}: bytes of messages", message)

# What the sizes are good for: half the network makes collectives slower.
results, traces = capture("--with-nccl", "--active", str(STEPS))
slower = answer("whatif", traces, "--set", "network.bandwidth=0.5x")
expect(slower.get("scenario", {}).get("iteration_ns", 0) > slower.get("baseline", {}).get("iteration_ns", 0) > 0,
       "half the network makes steps longer", slower)
parts = slower["baseline"]["iteration_parts"]
expect((parts["rank"], parts["collective_wait_ns"]) == (0, 3 * 50_000), "rank 0 waits for rank 1 three times a step", parts)
table = subprocess.run([STEPSIM, "stats", traces], env=ENVIRONMENT, capture_output=True, text=True).stdout
expect("Transfers" in table and "for the peer" in table and "reversed, rank 0 of 2" in table, "a table for people", table)

# Without --with-nccl NCCL is told nothing, and collectives are known by the names of kernels.
results, traces = capture("--active", str(STEPS))
expect("of NCCL" not in results[0].stderr and transfers(traces)[0] == {}, "only where it is asked for", results[0].stderr)
expect(not has_all_sizes(answer("replay", traces)), "and then sizes are not known", answer("replay", traces))

# A profiler of the user's own stays.
for theirs in ("/opt/their/libnccl-profiler.so", "none"):
    results, traces = capture("--with-nccl", "--active", "1", NCCL_PROFILER_PLUGIN=theirs)
    as_without_capture(results[0], theirs, str(STEPS + 2))
    expect(f"NCCL_PROFILER_PLUGIN names {theirs} already" in results[0].stderr and transfers(traces)[0] == {},
           "another profiler stays, and that is said", results[0].stderr)

# Whatever NCCL or the program does.
results, traces = capture("--with-nccl", way="open")
as_without_capture(results[0], "events that do not end", str(STEPS + 2), "open")
# Of each step and operation of the world: each channel, its two proxy operations and their transfers.
left = (STEPS + 2) * 3 * CHANNELS * (1 + 2 + 2 * TRANSFERS)
expect(diagnostics(answer("replay", traces)).get("nccl_events_unfinished") == 2 * left, "they are counted", answer("replay", traces))
results, traces = capture("--with-nccl", "--active", "1", "--buffer-mb", "4", way="flood", ranks=(0,))
as_without_capture(results[0], "more events than there is room for", str(STEPS + 2), "flood")
expect(diagnostics(answer("replay", traces)).get("nccl_events_lost", 0) > 100_000, "they are counted", answer("replay", traces))
results, traces = capture("--with-nccl", "--active", str(STEPS), way="pxn")
as_without_capture(results[0], "proxy operations of another process", str(STEPS + 2), "pxn")
other = transfers(traces)[0].get((0, "unknown", "unknown"), {"sent": {}})
expect(other["sent"].get("pieces") == STEPS * 3 * CHANNELS * TRANSFERS, "they are of nobody", transfers(traces)[0])
for way, code in (("fork", 7), ("kill", -9), ("exit", 7)):
    results, traces = capture("--with-nccl", way=way)
    as_without_capture(results[0], way, str(STEPS + 2), way, code=code)
    expect(len(os.listdir(traces)) == 2, f"{way}: one file a rank", os.listdir(traces))
    rows, reply = transfers(traces)
    expect(rows[0, "world, rank 0 of 2", "AllReduce"]["count"] == 2 * (STEPS + 2), f"{way}: all is there", reply)

# NCCL alone: CUPTI is left to others. There is no kernel, and what NCCL told is there.
module = next(line.split("=", 1)[1] for line in subprocess.run(
    [STEPSIM, "capture", "--quiet", "--dir", folder(), "--", "env"], env=ENVIRONMENT, capture_output=True,
    text=True).stdout.splitlines() if line.startswith("CUDA_INJECTION64_PATH="))
alone = folder()
os.mkdir(alone)
result = subprocess.run([SAMPLE, "4"], env={**ENVIRONMENT, "RANK": "0", "NCCL_PROFILER_PLUGIN": module,
                                           "STEPSIM_CAPTURE_DIR": alone}, capture_output=True, text=True)
as_without_capture(result, "NCCL alone", "4")
expect(len(os.listdir(alone)) == 1, "a file without CUPTI", os.listdir(alone))
result = subprocess.run([SAMPLE, "4"], env={**ENVIRONMENT, "RANK": "0", "NCCL_PROFILER_PLUGIN": module}, capture_output=True, text=True)
as_without_capture(result, "NCCL alone, and nothing to be recorded", "4")
off = folder()
os.mkdir(off)
result = subprocess.run([SAMPLE, "4"], env={**ENVIRONMENT, "RANK": "0", "NCCL_PROFILER_PLUGIN": module, "STEPSIM_CAPTURE_DIR": off,
                                           "STEPSIM_CAPTURE_NCCL": "0"}, capture_output=True, text=True)
expect(os.listdir(off) == [], "switched off by a variable", os.listdir(off))

sys.exit(verdict())

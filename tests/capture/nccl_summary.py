#!/usr/bin/env python3
"""nccl_summary.py STEPSIM SAMPLE_RANKS FAKE_RCCL: `stepsim capture --nccl-summary` of two ranks on our fake CUDA and NCCL:
what the summaries say, where and when they are written, and that the program ends as it does without them."""
import json
import os
import signal
import subprocess
import sys

from captures import ENVIRONMENT, folder, run_until, run_with, work
from checks import HANGS, STEPSIM, check, verdict, wait_until

SAMPLE, FAKE_RCCL = (os.path.abspath(path) for path in sys.argv[2:4])
STEPS = 5
# From fake_nccl.h: two channels of 5,000 ns. The second begins after the transfers of the first, three in each direction:
# 300 + 500 + 700 ns to send, 700 + 200 + 300 ns to receive.
TIME = 3 * (300 + 500 + 700) + 3 * (700 + 200 + 300) + 5000


def summarise(*options, way="whole", ranks=(0, 1), steps=STEPS, directory=None, **variables):
    """Returns (results, folder) of the ranks."""
    directory = directory or folder()
    results = [run_with({"RANK": str(rank), "WORLD_SIZE": "2", **variables}, STEPSIM, "capture", "--nccl-summary", "--dir", directory,
                        *options, "--", SAMPLE, str(steps), way) for rank in ranks]
    return results, directory


def summaries(directory):
    """Returns the summaries in a folder, by rank."""
    found = []
    for name in os.listdir(directory) if os.path.isdir(directory) else []:
        if not name.endswith(".nccl.json"):
            continue
        with open(os.path.join(directory, name)) as file:
            text = file.read()
        if text:  # it is empty until it is written for the first time
            found.append(json.loads(text))
    return sorted(found, key=lambda summary: (summary["rank"], summary["pid"]))


def communicators(summary):
    return {one["name"] or one["id"]: one for one in summary["communicators"]}


def as_without(result, what, *program, code=7):
    alone = run_with({"RANK": "0"}, SAMPLE, *program)
    check(f"{what}: the program ends as without capture", (result.returncode, result.stdout) == (alone.returncode, alone.stdout) and alone.returncode == code, result)
    check(f"{what}: NCCL has nothing to complain of", "fake NCCL" not in result.stderr, result.stderr)


def near(value, expected):
    return value is not None and abs(value / expected - 1) < 1e-8


# Times by the GPU: sizes, bandwidths and counts.
for version in (4, 5, 6):
    results, directory = summarise(FAKE_NCCL_VERSION=str(version))
    for result in results:
        as_without(result, f"v{version}", str(STEPS))
        check(f"v{version}: it says where", "*.nccl.json" in result.stderr and directory in result.stderr, result.stderr)
    files = sorted(os.listdir(directory))
    check(f"v{version}: one file of each process and nothing else", len(files) == 2 and all(name.endswith(".nccl.json") for name in files), files)
    for rank, summary in enumerate(summaries(directory)):
        check(f"v{version}: its process", (summary["rank"], summary["ended"], summary["failed_writes"], summary["lost_channels"]) == (rank, True, 0, 0), summary)
        world, reverse = (communicators(summary)[name] for name in ("world", "reversed"))
        check(f"v{version}: the communicators", [(one["id"], one["ranks"], one["rank"], one["ended"]) for one in (world, reverse)] ==
              [("0x1111", 2, rank, True), ("0x2222", 2, 1 - rank, True)], summary)
        check(f"v{version}: messages are no collectives", (world["collectives"], world["left_ring"], reverse["collectives"]) == (2 * STEPS, 0, STEPS), world)
        rows = {row["from_bytes"]: row for row in world["classes"]}
        for size, from_bytes in ((4000, 2048), (2000, 1024)):
            row = rows[from_bytes]
            check(f"v{version}: all-reduces of {size} bytes", (row["collective"], row["count"], row["timed"], row["bytes"], row["time_ns"], row["busbw_count"]) ==
                  ("AllReduce", STEPS, STEPS, STEPS * size, STEPS * TIME, STEPS), row)
            bus = size / TIME * 1e9 * 2 * (2 - 1) / 2
            check(f"v{version}: bus bandwidth of {size} bytes", near(row["busbw_median_bytes_per_second"], bus) and near(row["busbw_p95_bytes_per_second"], bus), row)
        entry = reverse["ring"][-1]
        check(f"v{version}: an all-gather", (entry["sequence"], entry["collective"], entry["algorithm"], entry["protocol"], entry["size_bytes"], entry["time_ns"], entry["clock"]) ==
              (STEPS - 1, "AllGather", "RING", "LL", 2 * 4096, TIME, "gpu"), entry)
        check(f"v{version}: its bandwidths", near(entry["algbw_bytes_per_second"], 8192 / TIME * 1e9) and near(entry["busbw_bytes_per_second"], 8192 / TIME * 1e9 / 2), entry)

# Times by the host: real ones, because the fake CUDA's clock is not asked for the time.
for what, variables in (("v2", {"FAKE_NCCL_VERSION": "2"}), ("v3", {"FAKE_NCCL_VERSION": "3"}), ("RCCL", {"LD_PRELOAD": FAKE_RCCL})):
    results, directory = summarise(ranks=(0,), **variables)
    as_without(results[0], what, str(STEPS))
    world = communicators(summaries(directory)[0])["world"]
    check(f"{what}: the host's clock", [entry["clock"] for entry in world["ring"]] == 2 * STEPS * ["host"] and all(entry["time_ns"] > 0 for entry in world["ring"]), world)
    check(f"{what}: bus bandwidth only for a known number of ranks", (world["ring"][0]["busbw_bytes_per_second"] is None) == (what != "RCCL"), world)

# More collectives than the ring holds.
results, directory = summarise("--ring", "3", ranks=(0,))
world = communicators(summaries(directory)[0])["world"]
check("the ring has the last ones", (world["collectives"], world["left_ring"], [entry["sequence"] for entry in world["ring"]]) == (2 * STEPS, 2 * STEPS - 3, [7, 8, 9]), world)
check("those that left it are counted", [(row["count"], row["timed"], row["time_ns"]) for row in world["classes"]] == 2 * [(STEPS, STEPS, STEPS * TIME)], world)

# Ends of communicators and processes.
results, directory = summarise(way="brief", ranks=(0,))
found = communicators(summaries(directory)[0])
check("a communicator that ended before is kept", (found["brief"]["ended"], found["brief"]["collectives"], found["world"]["collectives"]) == (True, 1, 2 * STEPS), found)
results, directory = summarise(way="exit", ranks=(0,))
as_without(results[0], "exit", str(STEPS), "exit")
summary = summaries(directory)[0]
check("communicators that were not destroyed", summary["ended"] and not any(one["ended"] for one in summary["communicators"]), summary)
results, directory = summarise(way="fork", ranks=(0,))
as_without(results[0], "fork", str(STEPS), "fork")
check("a child that uses its parent's communicators changes nothing", [communicators(one)["world"]["collectives"] for one in summaries(directory)] == [2 * STEPS], os.listdir(directory))
results, directory = summarise(way="forknew", ranks=(0,))
as_without(results[0], "forknew", str(STEPS), "forknew")
check("a child with communicators of its own has a file of its own", sorted(communicators(one)["world"]["collectives"] for one in summaries(directory)) == [2, 2 * STEPS], os.listdir(directory))

# What was written is kept when the program is killed, at intervals or at a signal.
def counted(directory, least=1):
    return sum(one["collectives"] for summary in summaries(directory) for one in summary["communicators"]) >= least


directory = folder()
result = run_until(lambda: counted(directory, 3 * STEPS), {"RANK": "0"}, STEPSIM, "capture", "--nccl-summary", "--interval", "1", "--dir", directory,
                   "--", SAMPLE, str(STEPS), "kill", os.path.join(work.name, "written"))
check("a killed program", result.returncode == -9 and not summaries(directory)[0]["ended"], (result, summaries(directory)))
directory, stop = folder(), os.path.join(work.name, "stop")
program = subprocess.Popen([STEPSIM, "capture", "--nccl-summary", "--interval", "0", "--signal", "USR2", "--dir", directory, "--", SAMPLE, "1", "until", stop],
                           env={**ENVIRONMENT, "RANK": "0"}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
wait_until(lambda: summaries(directory), program)
first = summaries(directory)[0]
os.kill(first["pid"], signal.SIGUSR2)
wait_until(lambda: summaries(directory)[0]["written_ns"] > first["written_ns"], program)
check("a signal writes it", not first["signal_refused"] and not summaries(directory)[0]["ended"], summaries(directory))
open(stop, "w").close()
out, err = program.communicate(timeout=HANGS)
check("and the program goes on to its end", program.returncode == 7 and summaries(directory)[0]["ended"], (program.returncode, out, err))

# Others may have put links into the folder, under the names that the process could use.
directory, theirs = folder(), os.path.join(work.name, "theirs")
with open(theirs, "w") as file:
    file.write("not ours")
plant = "for end in nccl.json nccl.json.new; do ln -s \"$1\" \"$STEPSIM_CAPTURE_DIR/$(uname -n)_$$.$end\"; done; exec \"$2\" \"$3\""
result = run_with({"RANK": "0"}, STEPSIM, "capture", "--nccl-summary", "--dir", directory, "--", "sh", "-c", plant, "sh", theirs, SAMPLE, str(STEPS))
as_without(result, "planted links", str(STEPS))
written = [name for name in os.listdir(directory) if not os.path.islink(os.path.join(directory, name))]
check("planted links are not followed", open(theirs).read() == "not ours" and len(written) == 1 and written[0].endswith("-2.nccl.json"), os.listdir(directory))

# CUDA loads no tool, so CUPTI is not used.
result = run_with({}, STEPSIM, "capture", "--nccl-summary", "--dir", folder(), "--", "env")
check("only NCCL loads the module", "NCCL_PROFILER_PLUGIN=" in result.stdout and "INJECTION64_PATH" not in result.stdout, result.stdout)
check("a program without NCCL", "created no communicator" in result.stderr, result.stderr)
results, directory = summarise("--ranks", "1")
check("only the ranks that are asked for", [summary["rank"] for summary in summaries(directory)] == [1], os.listdir(directory))
results, directory = summarise(ranks=(0,), STEPSIM_CAPTURE_NCCL="0")
as_without(results[0], "off", str(STEPS))
check("switched off by a variable", summaries(directory) == [], os.listdir(directory))
results, directory = summarise(ranks=(0,), NCCL_PROFILER_PLUGIN="none")
as_without(results[0], "another profiler", str(STEPS))
check("another profiler stays, and that is said", "NCCL_PROFILER_PLUGIN is already set to none" in results[0].stderr and not os.path.exists(directory), results[0].stderr)
results, directory = summarise(ranks=(0,), directory="/proc/none")
as_without(results[0], "a folder that cannot be made", str(STEPS))
directory = folder()
os.mkdir(directory)
removed = run_with({"RANK": "0", "NCCL_PROFILER_PLUGIN": next(line.split("=", 1)[1] for line in result.stdout.splitlines() if line.startswith("NCCL_PROFILER_PLUGIN=")),
                    "STEPSIM_CAPTURE_DIR": os.path.join(directory, "absent"), "STEPSIM_CAPTURE_NCCL_SUMMARY": "1"}, SAMPLE, str(STEPS))
as_without(removed, "a folder that is gone", str(STEPS))
check("it writes nothing elsewhere", os.listdir(directory) == [], os.listdir(directory))

for options, words in ((["--nccl-summary", "--active", "3"], "--active cannot be combined with --nccl-summary"), (["--nccl-summary", "--torch"], "--torch cannot be combined"),
                       (["--ring", "3"], "--ring is an option of summaries; expected it with --nccl-summary"),
                       (["--nccl-summary", "--ring", "0"], "expected a whole number from 1"), (["--nccl-summary", "--ring", "2000000"], "expected a whole number from 1 to 1000000")):
    result = run_with({}, STEPSIM, "capture", *options, "--", "true")
    check(f"{options}: {words}", result.returncode == 2 and words in result.stderr, result)

sys.exit(verdict())

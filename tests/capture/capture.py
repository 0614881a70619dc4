#!/usr/bin/env python3
"""capture.py STEPSIM SAMPLE_PROGRAM FAKE_CUDA: `stepsim capture` of a program on our fake CUDA, from the command line
to the replay. The recording must be right, and whatever goes wrong, the program must end as it does without
capture."""
import gzip
import json
import os
import re
import resource
import shutil
import signal
import sys
import time

from captures import answer, diagnostics, folder, run_until, run_with, work
from checks import HANGS, STEPSIM, check, start, stepsim, verdict

SAMPLE, FAKE_CUDA = (os.path.abspath(path) for path in sys.argv[2:4])


def capture(*options, program=(SAMPLE, "8"), directory=None, **variables):
    """Returns (result, folder) of a captured program."""
    directory = directory or folder()
    variables = {"STEPSIM_CUPTI_LIBRARY": FAKE_CUDA, **variables}
    return run_with(variables, STEPSIM, "capture", "--dir", directory, *options, "--", *program), directory


def replay(directory):
    return answer("replay", directory)


def steps(replayed):
    return [step["step"] for step in replayed.get("steps", [])]


def as_without_capture(result, what, *program, code=7):
    alone = run_with({}, SAMPLE, *program)
    same = (result.returncode, result.stdout) == (alone.returncode, alone.stdout)
    check(f"{what}: the program ends as without capture", same and alone.returncode == code, result)


# The recording is right: three steps, replayed to the nanosecond, with the reason for every wait.
result, traces = capture("--active", "3", RANK="0", WORLD_SIZE="1")
as_without_capture(result, "--active 3", "8")
check("it says what it captured", "captured 3 steps of rank 0" in result.stderr, result.stderr)
whole = replay(traces)
check("the first three steps", steps(whole) == [0, 1, 2], whole)
check("replay error under 1 %", abs(whole["iteration"]["error"]) < 0.01 and whole["unexplained_wait_ns"] == 0, whole)
check("nothing to complain of", not set(diagnostics(whole)) - {"not used:"}, diagnostics(whole))
named = {row["name"] for row in answer("stats", traces, "--by", "name")["inputs"][0]["rows"]}
check("names are those that people write", "void gemm<3>(float*)" in named and "cudaLaunchKernel" in named, named)
again, other = capture("--active", "3", RANK="0", WORLD_SIZE="1")
check("the same in every run", replay(other)["steps"] == whole["steps"], again)

# The form of PyTorch's profiler: the same steps, to the nanosecond.
as_kineto = os.path.join(work.name, "host_1.123.pt.trace.json.gz")
result = stepsim("convert", other, "-o", as_kineto, text=True)
check("convert writes what was recorded", result.returncode == 0 and "unchanged" in result.stdout, result)
check("a trace of PyTorch's profiler has the same answer", replay(as_kineto).get("steps") == whole["steps"], replay(as_kineto))

in_kineto = json.loads(gzip.open(as_kineto).read())
check("and its device has the memory that CUPTI states", [device["totalGlobalMem"] for device in in_kineto["deviceProperties"]] == [80 << 30])


def arguments_of(category, name=""):
    """Returns the arguments of the events of a category whose names have this part."""
    return [event["args"] for event in in_kineto["traceEvents"] if event.get("cat") == category and name in event["name"]]


# What each step of the sample program does: two copies, a memset, and its optimizer as a graph of three kernels.
check("the sizes of copies", sorted(of.get("bytes", 0) for of in arguments_of("gpu_memcpy")) == [4] * 3 + [200_000] * 3, arguments_of("gpu_memcpy"))
check("the directions of copies", [len(arguments_of("gpu_memcpy", direction)) for direction in ("HtoD", "DtoH")] == [3, 3])
check("the sizes of memsets", [of.get("bytes") for of in arguments_of("gpu_memset")] == [1_000_000] * 3, arguments_of("gpu_memset"))
check("the launches of kernels", [(of["grid"], of["stream"], of["registers per thread"]) for of in arguments_of("kernel", "adam")] == [([128, 1, 1], 7, 32)] * 9,
      arguments_of("kernel", "adam"))

# The form of BytePS: three all-reduces in each of three steps, and a total for each from its launch on.
as_byteps = os.path.join(work.name, "comm.json")
result = stepsim("convert", other, "-o", as_byteps, "--json", text=True)
counts = {"tensors": 3, "steps": 3, "stages": 9, "totals": 9}
check("comm.json of a capture", result.returncode == 0 and counts.items() <= json.loads(result.stdout)["files"][0].items(), result)
check("it is read again", len(replay(as_byteps).get("steps", [])) + len(replay(as_byteps).get("set_aside", [])) == 3, replay(as_byteps))

# All layouts of CUPTI's records. Before 26 (CUDA 12.8), waits and records of events have no common id.
for version in (12, 13, 14, 15, 17, 18, 19, 22, 26, 27, 28, 130000):
    result, traces = capture("--active", "3", FAKE_CUPTI_VERSION=str(version))
    found = replay(traces)
    check(f"CUPTI {version}: the same answer", found.get("steps") == whole["steps"], (result.stderr, found.get("failed")))

# On WSL, CUPTI's clock is not the system's, and times are moved to the system's. The fake's clock stands at November
# 2023 when the program begins.
def first_time(traces):
    path = traces + ".pt.trace.json"
    result = stepsim("convert", traces, "-o", path, text=True)
    check("convert", result.returncode == 0, result)
    made = json.load(open(path))
    return made["baseTimeNanoseconds"] + min(event["ts"] for event in made["traceEvents"] if event.get("cat") == "cuda_runtime") * 1000


check("without WSL, times are those of CUPTI", 0 < first_time(other) - 1_700_000_000e9 < 1e9, first_time(other))
began = time.time_ns()
result, traces = capture("--active", "3", FAKE_CUPTI_WSL="1")
as_without_capture(result, "WSL", "8")
simulated_ns = 1e9  # more than the program's time on the fake's clock
check("WSL: times are the system's", began - 1000 <= first_time(traces) <= time.time_ns() + simulated_ns, (began, first_time(traces)))
check("WSL: the same steps", replay(traces).get("steps") == whole["steps"], (result.stderr, replay(traces)))

# Schedules, with the steps counted as in torch.profiler.
result, traces = capture("--skip-first", "1", "--wait", "1", "--warmup", "1", "--active", "2", "--repeat", "2",
                         program=(SAMPLE, "12"))
check("two cycles of a schedule", steps(replay(traces)) == [3, 4, 7, 8], (result.stderr, replay(traces)))
result, traces = capture("--skip-first", "2", "--active", "3", "--step-range", "train_step", program=(SAMPLE, "8", "range"))
check("steps by the name of a range", steps(replay(traces)) == [2, 3, 4], replay(traces))
result, traces = capture("--skip-first", "1", "--active", "2", "--step-range", "train_step", "--without-nvtx",
                         program=(SAMPLE, "8", "range"))
check("the same without ranges in the file", steps(replay(traces)) == [1, 2], replay(traces))
result, traces = capture(program=(SAMPLE, "8", "none"))
unmarked = replay(traces)
check("steps where launches repeat", len(steps(unmarked)) == 7 and "steps_from_launches" in diagnostics(unmarked), unmarked)
result, traces = capture("--without-sync", "--active", "3")
check("without waits in the file they are inferred", "inferred_stream_wait" in diagnostics(replay(traces)) or abs(replay(traces)["iteration"]["error"]) < 0.01, replay(traces))

# CUPTI's own overhead: in each step a flush of 1,500 ns, and 700 and 300 ns of waiting for room in the queue.
result, traces = capture("--active", "3", program=(SAMPLE, "8", "mark", "overhead"))
used = answer("stats", traces)
check("CUPTI's overhead by kind", used["inputs"][0]["overhead"] == [
    {"rank": 0, "kind": "Buffer Flush", "of": "profiler", "count": 3, "total_ns": 3 * 1500, "by_clock_ns": 3 * 1500, "longest_ns": 1500},
    {"rank": 0, "kind": "Command Buffer Full", "of": "CUDA", "count": 6, "total_ns": 3 * 1000, "by_clock_ns": 3 * 1000, "longest_ns": 700}], used["inputs"][0]["overhead"])
text = stepsim("stats", traces, text=True).stdout
check("and as text", "Overhead (" in text and "Buffer Flush" in text, text)
judged = answer("check", traces)
process = judged["files"][0]["processes"][0]
found = {finding["name"]: finding for finding in judged["findings"]}
check("check lists it", [use["total_ns"] for use in process["overhead"]] == [4500, 3000], process)
check("check says what it took", "profiler_overhead" in found and "4.5 us in 3 pieces: Buffer Flush 4.5 us (3)" in found["profiler_overhead"]["sentence"]
       and abs(found["profiler_overhead"]["share"] - 4500 / process["span_ns"]) < 1e-9, found)
check("CUDA's own is told apart", "3 us in 6 pieces" in found.get("cuda_overhead", {}).get("sentence", ""), found)
as_kineto = os.path.join(work.name, "overhead.pt.trace.json")
stepsim("convert", traces, "-o", as_kineto)
again = answer("stats", as_kineto)
check("a trace of PyTorch's profiler has it, too", [use["total_ns"] for use in again["inputs"][0]["overhead"]] == [4500, 3000], again)
check("and it is in nobody's way", replay(as_kineto).get("steps") == replay(traces)["steps"])

# Names in all forms of NVTX: wide characters as UTF-8, registered strings, attributes; and marks.
result, traces = capture("--active", "3", program=(SAMPLE, "8", "mark", "names"))
rows = answer("stats", traces, "--by", "name")["inputs"][0]["rows"]
named = {row["name"]: (row["count"], row["max_ns"]) for row in rows}
for name, count, length in [("wide", 1, 1000), ("größe 世界 🚀", 1, 1000), ("<\ufffd>", 1, 1000), ("started é", 1, 1000), ("attributes", 2, 1000),
                            ("attributes ü", 2, 1000), ("registered", 2, 1000), ("registered Ж", 2, 1000), ("range without a name", 2, 1000),
                            ("mark", 1, 0), ("mark ä", 1, 0), ("registered mark", 1, 0), ("mark of a domain", 1, 0)]:
    check(f"NVTX: {name}", named.get(name) == (3 * count, length), named)
said = diagnostics(replay(traces))
check("every range has its end, and marks are counted", said.get("instant_host_event") == 3 * 4 and not set(said) - {"not used:", "instant_host_event"}, said)
for marks in ("wide", "instant"):
    result, traces = capture("--skip-first", "2", "--active", "3", "--step-range", "train_step", program=(SAMPLE, "8", marks))
    check(f"steps by the name of a range or mark: {marks}", steps(replay(traces)) == [2, 3, 4], replay(traces))

# BytePS's variables count steps from 1 and include the last one. An option takes precedence over them.
result, traces = capture(directory=folder(), BYTEPS_TRACE_ON="1", BYTEPS_TRACE_START_STEP="2", BYTEPS_TRACE_END_STEP="4")
check("BYTEPS_TRACE_*", steps(replay(traces)) == [1, 2, 3], result.stderr)
result, traces = capture("--active", "1", BYTEPS_TRACE_ON="1")
check("an option comes before them", len(steps(replay(traces))) == 1, result.stderr)
result, traces = capture(BYTEPS_TRACE_ON="2", BYTEPS_TRACE_START_STEP="5")
check("only 1 is on", len(steps(replay(traces))) == 8, result.stderr)
result, traces = capture(TRACE_ON="1", TRACE_START_STEP="1", TRACE_END_STEP="3")
check("ByteProfile's older names", steps(replay(traces)) == [0, 1, 2], result.stderr)
result, traces = capture(BYTEPS_TRACE_ON="1", BYTEPS_TRACE_START_STEP="9", BYTEPS_TRACE_END_STEP="3")
check("steps that cannot be", result.returncode == 2 and "expected the last step after the first" in result.stderr, result)

# Selected ranks.
result, traces = capture("--ranks", "0,2-3", RANK="1", WORLD_SIZE="4")
as_without_capture(result, "a rank that is not asked for", "8")
check("and nothing is written", "nothing was captured" in result.stderr and not os.listdir(traces), result.stderr)
traces = folder()
for rank in range(2):
    capture("--active", "3", directory=traces, OMPI_COMM_WORLD_RANK=str(rank), OMPI_COMM_WORLD_SIZE="2")
check("the ranks of a job from one folder", replay(traces).get("ranks") == [0, 1], replay(traces))

# All ways in which a program may end.
for end, code in (("_exit", 7), ("kill", -9), ("segv", -11), ("fork", 7), ("throw", -6), ("threads", 7)):
    program = ("8", "mark", end)
    if end == "kill":
        traces, program = folder(), (*program, os.path.join(work.name, "recorded"))
        result = run_until(lambda: steps(replay(traces)) == list(range(8)), {"STEPSIM_CUPTI_LIBRARY": FAKE_CUDA},
                           STEPSIM, "capture", "--dir", traces, "--", SAMPLE, *program)
    else:
        result, traces = capture(program=(SAMPLE, *program))
    as_without_capture(result, end, *program, code=code)
    files = os.listdir(traces)
    check(f"{end}: one file", len(files) == 1, files)
    found = replay(traces)
    if end in ("kill", "fork", "threads"):
        check(f"{end}: all steps are there", steps(found) == list(range(8)), found)
    if end == "kill":
        said = [entry for entry in found["ingest"]["diagnostics"] if entry["name"] == "capture_not_closed"]
        check("kill: it says where the file stops", len(said) == 1 and "ended abnormally" in result.stderr, said)

# Ranges of two domains overlap. NVTX pops the last range of the same domain.
result, traces = capture("--active", "3", program=(SAMPLE, "8", "mark", "domains"))
lengths = {row["name"]: row["max_ns"] for row in answer("stats", traces, "--by", "name")["inputs"][0]["rows"]}
check("a domain has its own ranges", (lengths.get("of one domain"), lengths.get("of another domain")) == (2000, 2000), lengths)
check("calls that tell nothing are not recorded", "cudaLaunchKernel" in lengths and "cudaGetLastError" not in lengths, lengths)

# Before the first step that the schedule selects, nothing is recorded: of seven steps one, and the work that begins in it.
result, traces = capture("--skip-first", "6", "--active", "1", program=(SAMPLE, "7"))
check("only what the schedule selects", "captured 1 step: 18 kernels" in result.stderr, result.stderr)
result, traces = capture("--active", "1", program=(SAMPLE, "8", "none"))
as_without_capture(result, "a schedule without marks", "8", "none")
check("how to mark steps", "no step was marked, so nothing was recorded: call stepsim_mark_step()" in result.stderr, result.stderr)
check("the same in the file", "no step of the schedule was marked" in replay(traces).get("failed", ""), replay(traces))

# Start and stop without a change of the program: by time, by size, by cudaProfilerStart() and cudaProfilerStop().
result, traces = capture("--profiler-api", program=(SAMPLE, "8", "mark", "profiler"))
as_without_capture(result, "cudaProfilerStart", "8", "mark", "profiler")
check("the steps between start and stop", steps(replay(traces)) == [3, 4, 5], (result.stderr, replay(traces)))
result, traces = capture("--profiler-api", program=(SAMPLE, "8", "none", "profiler"))
check("the same without marks", "without marked steps: 54 kernels" in result.stderr, result.stderr)
result, traces = capture("--profiler-api", "--duration", "1", program=(SAMPLE, "80", "none", "late"))
kernels = int(re.search("without marked steps: ([0-9]+) kernels", result.stderr).group(1))
check("--duration counts from the start of recording", 18 <= kernels < 50 * 18, result.stderr)
result, traces = capture("--profiler-api", program=(SAMPLE, "8"))
check("a program that never starts it", "0 kernels" in result.stderr and "no kernel was recorded" in result.stderr, result.stderr)
result, traces = capture("--delay", "60", program=(SAMPLE, "8", "none"))
as_without_capture(result, "a program that ends before --delay", "8", "none")
check("it says why nothing is there", "no kernel was recorded" in result.stderr and "--delay" in result.stderr, result.stderr)
result, traces = capture("--delay", "1", "--duration", "2", program=(SAMPLE, "80", "mark", "tenth"))
found = steps(replay(traces))
check("--delay and --duration record whole steps", found and found[0] >= 1 and len(found) <= 30 and found == list(range(found[0], found[-1] + 1)), (found, result.stderr))
result, traces = capture("--duration", "1", program=(SAMPLE, "60", "none", "tenth"))
kernels = int(re.search("without marked steps: ([0-9]+) kernels", result.stderr).group(1))
check("--duration without marks", 18 <= kernels < 60 * 18 and "warning" not in result.stderr, result.stderr)
result, traces = capture("--max-size", "1", program=(SAMPLE, "200", "none", "busy"))
size = sum(os.path.getsize(os.path.join(traces, name)) for name in os.listdir(traces))
check("--max-size without marks", 1 << 20 <= size < 200 * 50 * 1500 / 2, (size, result.stderr))

# A program that closes all descriptors and opens its own file: that file has what the program wrote, ours the steps.
own = os.path.join(work.name, "own.txt")
limited = f"ulimit -n 512; exec '{STEPSIM}' capture --active 3 --dir '{folder()}' -- '{SAMPLE}' 8 mark daemon '{own}'"
result = run_with({"STEPSIM_CUPTI_LIBRARY": FAKE_CUDA}, "bash", "-c", limited)
check("the program's file is the program's", (result.returncode, open(own, "rb").read()) == (7, b"mine\n"), result)
check("the capture goes on", "captured 3 steps" in result.stderr and "abnormally" not in result.stderr, result.stderr)

# Many threads: each has its own buffer of CUPTI 13, and none of 64 x 200 launches is lost.
result, traces = capture("--buffer-mb", "32", program=(SAMPLE, "8", "mark", "threads"))
counts = {row["name"]: row["count"] for row in answer("stats", traces, "--by", "name")["inputs"][0]["rows"]}
check("64 threads", counts.get("cudaLaunchKernel") == 64 * 200 + 8 * 16 - 8 and "lost" not in result.stderr, (counts, result.stderr))

# CUPTI is told that its buffers are zero, so that it does not do that in the program's calls: all are, used ones too.
counts = os.path.join(work.name, "counts.json")
result, traces = capture("--buffer-mb", "4", program=(SAMPLE, "200", "mark", "busy"), FAKE_CUPTI_COUNTS=counts)
found = json.load(open(counts))
check("buffers are zero", found["zeroed"] > 4 * 1024 // 256 and found["not_zeroed"] == 0, found)

# Misbehaviour of CUPTI.
result, traces = capture(program=(SAMPLE, "2000"), FAKE_CUPTI_SHUFFLE="1")
check("buffers of two threads, out of order", len(steps(replay(traces))) == 2000, result.stderr)
result, traces = capture("--active", "3", FAKE_CUPTI_DROP_EVERY="40")
as_without_capture(result, "records dropped by CUPTI", "8")
check("and that is told", "lost" in result.stderr and diagnostics(replay(traces)).get("records_lost_by_cupti", 0) > 0, result.stderr)
counts = os.path.join(work.name, "counts.json")
for name, variables in {"subscribed": {"FAKE_CUPTI_OTHER_CLIENT": "2"}, "registered callbacks": {"FAKE_CUPTI_OTHER_CALLBACKS": "1"},
                        "replaced the clock": {"FAKE_CUPTI_OTHER_CLOCK": "1"}}.items():
    result, traces = capture(program=(SAMPLE, "60", "mark", "tenth"), FAKE_CUPTI_COUNTS=counts, **variables)
    as_without_capture(result, f"another client {name} later", "60", "mark", "tenth")
    check(f"{name}: what happened and when", re.search(r"another profiler .* \d+\.\d s after the capture began; nothing was recorded after that", result.stderr), result.stderr)
    before = replay(traces).get("steps", [])
    check(f"{name}: what was recorded before", [step["step"] for step in before] == list(range(len(before))) and 0 < len(before) < 60, replay(traces))
    check(f"{name}: steps have their length", all(0.5 < step["measured_ns"] / before[0]["measured_ns"] < 2 for step in before), before)
    check(f"{name}: nothing of the other client is switched off", json.load(open(counts))["disabled"] == 0, open(counts).read())
result, traces = capture(FAKE_CUPTI_OTHER_CLIENT="1")
as_without_capture(result, "another client of CUPTI", "8")
check("and that is told, too", "another profiler (CUPTI for Kineto) is using CUPTI" in result.stderr, result.stderr)
check("a replay of nothing is refused", "another profiler (CUPTI for Kineto) is using CUPTI" in replay(traces).get("failed", ""), replay(traces))

# Launches by the driver, in steps that are recorded later.
result, traces = capture("--wait", "2", "--active", "3", program=(SAMPLE, "8", "mark", "driver"))
as_without_capture(result, "launches by the driver", "8", "mark", "driver")
counts_of = {row["name"]: row["count"] for row in answer("stats", traces, "--by", "name")["inputs"][0]["rows"]}
check("all are recorded", counts_of.get("cuLaunchKernel") == 3 and not set(diagnostics(replay(traces))) - {"not used:"}, (counts_of, diagnostics(replay(traces))))

# The order of the default stream: a step's work waits for that on a blocking stream, though not in the recorded times.
result, traces = capture("--active", "3", program=(SAMPLE, "8", "mark", "default"))
as_without_capture(result, "a blocking stream", "8", "mark", "default")
check("nothing to complain of in streams", not set(diagnostics(replay(traces))) - {"not used:"} and replay(traces)["unexplained_wait_ns"] == 0, replay(traces))
for name, longer in (("ordered", 500_000 - 1_000), ("free", 0)):
    changed = answer("whatif", traces, "--set", f"compute{{name={name}.*}}.scale=500")
    slower = changed["scenario"]["iteration_ns"] - changed["baseline"]["iteration_ns"]
    check(f"work on the default stream waits for '{name}'", abs(slower - longer) < 50_000, changed.get("scenario"))

# Whole graphs: recorded from the start and dropped until they are wanted, because CUPTI crashes otherwise.
result, traces = capture("--wait", "2", "--active", "3", "--whole-graphs", program=(SAMPLE, "8"))
as_without_capture(result, "whole graphs of some steps", "8")
check("the steps asked for", steps(replay(traces)) == [2, 3, 4], (result.stderr, replay(traces)))
counts_of = {row["name"]: row["count"] for row in answer("stats", traces, "--by", "name")["inputs"][0]["rows"]}
check("nothing to complain of in them", not set(diagnostics(replay(traces))) - {"not used:", "whole_graphs"}, diagnostics(replay(traces)))
check("one graph a step, and no kernels of it", counts_of.get("CUDA graph 3") == 3 and not any("adam" in name for name in counts_of), counts_of)

# Switching and flushing exclude each other, also where flushes take long, and steps are no reason to flush.
result, traces = capture("--wait", "1", "--active", "2", "--repeat", "0", program=(SAMPLE, "200", "mark", "slow"), FAKE_CUPTI_FLUSH_MS="300",
                         FAKE_CUPTI_COUNTS=counts)
as_without_capture(result, "slow flushes", "200", "mark", "slow")
found = json.load(open(counts))
check("no switch during a flush", found["switches"] > 100 and found["switches_in_flushes"] == 0, found)
began = time.monotonic()
result, traces = capture(program=(SAMPLE, "200", "mark", "slow"), FAKE_CUPTI_COUNTS=counts)
found, took = json.load(open(counts)), time.monotonic() - began
check("at most one flush and one look for other clients a second", found["flushes"] <= took + 2 and found["subscriptions"] <= took + 2, (found, took))
result, traces = capture(FAKE_CUPTI_HANG="1")
as_without_capture(result, "a flush that hangs at the end", "8")
check("the lost buffers are counted", re.search("CUPTI did not deliver its records when the program ended: [1-9][0-9]* buffers", result.stderr), result.stderr)
# A flush that hangs while the program runs, after its second active part: of the flushes between these parts, the first
# delivers devices, and the second the first part. Marks wait for the third once, for at most 2 s, in pauses
# of 1 ms.
pauses = resource.getrusage(resource.RUSAGE_CHILDREN).ru_nvcsw
program = ("60", "mark", "tenth")
result, traces = capture("--wait", "10", "--active", "4", "--repeat", "0", program=(SAMPLE, *program), FAKE_CUPTI_HANG_PAUSED="3")
pauses = resource.getrusage(resource.RUSAGE_CHILDREN).ru_nvcsw - pauses
as_without_capture(result, "a flush that hangs", *program)
check("it is told when, and what is lost", re.search(r"CUPTI stopped delivering records \d+\.\d s after the capture began: [1-9][0-9]* buffers", result.stderr), result.stderr)
recorded, active = steps(replay(traces)), [step for step in range(60) if step % 14 >= 10]
check("what was recorded before is there", recorded and recorded == active[:len(recorded)] and len(recorded) < len(active), (recorded, result.stderr))
check("lost records are counted", diagnostics(replay(traces)).get("records_lost_by_cupti", 0) > 0, diagnostics(replay(traces)))
check("later marks do not wait for CUPTI again", 2_000 <= pauses < 3 * 2_000, pauses)
result, traces = capture("--active", "3", FAKE_CUPTI_UNREADABLE_EVERY="30")
as_without_capture(result, "a buffer that cannot be read", "8")
check("and that is told", "cannot be read to its end" in result.stderr and diagnostics(replay(traces)).get("records_lost_by_cupti", 0) > 0, result.stderr)
result, traces = capture("--active", "3", FAKE_CUPTI_REFUSE="2")
check("a kind that is refused is named", "does not record memsets: error 27" in result.stderr and diagnostics(replay(traces)).get("capture_incomplete") == 1, result.stderr)

# Which CUPTI: the one that the process has loaded, before one that is in the library path; and one that works.
loaded, found = folder(), folder()
for place in (loaded, found):
    os.mkdir(place)
os.symlink(FAKE_CUDA, os.path.join(loaded, "libcupti.so.12"))
shutil.copy(FAKE_CUDA, os.path.join(found, "libcupti.so"))
result, traces = capture("--active", "3", STEPSIM_CUPTI_LIBRARY="", LD_PRELOAD=os.path.join(loaded, "libcupti.so.12"), LD_LIBRARY_PATH=found)
check("a loaded CUPTI is used", replay(traces).get("steps") == whole["steps"], (result.stderr, replay(traces)))
os.symlink(FAKE_CUDA, os.path.join(found, "libcupti.so.13"))
result, traces = capture("--active", "3", STEPSIM_CUPTI_LIBRARY="", LD_LIBRARY_PATH=found, FAKE_CUPTI_FAIL="cuptiActivityEnable=999@libcupti.so")
check("one that fails is followed by one that works", replay(traces).get("steps") == whole["steps"], (result.stderr, replay(traces)))
result, traces = capture("--active", "3", STEPSIM_CUPTI_LIBRARY=os.path.join(found, "libcupti.so"), FAKE_CUPTI_FAIL="cuptiActivityEnable=999")
check("a message names path, version and reason", f"({found}/libcupti.so (interface version 130001): error 999)" in result.stderr, result.stderr)

# Other failures.
result, _ = capture(program=("sh", "-c", "echo ok; exit 7"), directory="/dev/full")
check("a folder that cannot be", (result.returncode, result.stdout) == (7, "ok\n"), result)
result, _ = capture(program=("sh", "-c", "kill -SEGV $$"))
check("a program that a signal ends", result.returncode == -signal.SIGSEGV, result)
result, _ = capture(program=("/no/such/program",))
check("a program that is not there", result.returncode == 127 and result.stderr == "error: cannot run /no/such/program: No such file or directory\n", result)
result = stepsim("capture", "--torch", "--dir", folder(), "--", "/no/such/program", text=True)
check("nor with --torch", result.returncode == 127 and result.stderr.count("\n") == 1, result)
for options in ([], ["--dir", "x"], ["--torch"]):
    place = folder()
    deleted = f"mkdir '{place}' && cd '{place}' && rmdir '{place}' && exec '{STEPSIM}' capture {' '.join(options)} -- sh -c 'echo ok; exit 7'"
    result = run_with({}, "sh", "-c", deleted)
    as_expected = (result.returncode, result.stdout) == (7, "ok\n") and "nothing is captured: --dir" in result.stderr
    check(f"a working folder that was deleted, {options}", as_expected, result)
result, _ = capture(program=("true",), directory="/dev/null/\x1b[2J\nx")
check("a folder's name is shown", result.stderr == "stepsim: warning: nothing is captured: --dir /dev/null/\\x1b[2J\\nx is not a folder that can be written to\n", result)
limited = f"ulimit -f 8; exec '{STEPSIM}' capture --dir '{folder()}' -- '{SAMPLE}' 500"
result = run_with({"STEPSIM_CUPTI_LIBRARY": FAKE_CUDA}, "bash", "-c", limited)
check("a full disk", (result.returncode, result.stdout) == (7, "trained 500 steps\n"), result)
check("and that is told", "the capture ends where writing failed: File too large; give a --dir on another disk" in result.stderr, result.stderr)
for tool in ("nsys", "/opt/nvidia/ncu"):
    result, _ = capture(program=(tool, "profile", "true"))
    check(f"{tool} in COMMAND", result.returncode == 2 and f"COMMAND is {os.path.basename(tool)}, which uses CUPTI itself" in result.stderr, result)
result, _ = capture(CUDA_INJECTION64_PATH="/opt/nsys/libToolsInjection64.so")
check("another tool to be injected", result.returncode == 2 and "CUDA_INJECTION64_PATH is already set to /opt/nsys/libToolsInjection64.so" in result.stderr, result)
result, _ = capture(STEPSIM_CAPTURE_LIBRARY="/nowhere/libstepsim_capture.so")
check("no module: how to get it", result.returncode == 1 and "stepsim_capture_module" in result.stderr, result)
for options, words in ((["--active", "0"], "--active: '0'"), (["--wait", "x"], "--wait: 'x'"), (["--buffer-mb", "1"], "from 4"),
                       (["--ranks", "a"], "--ranks: 'a'"), (["--activ", "3"], "did you mean '--active'")):
    result, _ = capture(*options)
    check(f"{options}", result.returncode == 2 and words in result.stderr, result)
result = stepsim("capture", "--active", "3", text=True)
check("no command", result.returncode == 2 and "-- COMMAND" in result.stderr, result)

# Signals sent to us are passed on to the program.
process = start("capture", "--dir", folder(), "--", "bash", "-c", "trap 'echo asked to end; exit 5' TERM; echo ready; while :; do sleep 0.05; done", text=True)
process.stdout.readline()
process.send_signal(signal.SIGTERM)
out, _ = process.communicate(timeout=HANGS)
check("SIGTERM reaches the program", (process.returncode, out) == (5, "asked to end\n"), (process.returncode, out))

sys.exit(verdict())

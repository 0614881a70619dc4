#!/usr/bin/env python3
"""capture.py STEPSIM SAMPLE_PROGRAM FAKE_CUDA: `stepsim capture` of a program on a CUDA of our own, from the command line
to the replay: what is recorded is right, and whatever goes wrong, the program ends as it does without us."""
import json
import os
import signal
import subprocess
import sys
import time

from captures import diagnostics, expect, folder, verdict, work

STEPSIM, SAMPLE, FAKE_CUDA = (os.path.abspath(path) for path in sys.argv[1:4])
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith(("FAKE_", "STEPSIM_", "RANK"))}


def capture(*options, program=(SAMPLE, "8"), directory=None, **variables):
    """(result, folder) of a captured program."""
    directory = directory or folder()
    command = [STEPSIM, "capture", "--dir", directory, *options, "--", *program]
    environment = {**ENVIRONMENT, "STEPSIM_CUPTI_LIBRARY": FAKE_CUDA, **variables}
    return subprocess.run(command, env=environment, capture_output=True, text=True), directory


def replay(directory):
    result = subprocess.run([STEPSIM, "replay", directory, "--json"], env=ENVIRONMENT, capture_output=True, text=True)
    return json.loads(result.stdout) if result.returncode == 0 else {"failed": result.stderr}


def steps(answer):
    return [step["step"] for step in answer.get("steps", [])]


def as_without_capture(result, what, *program, code=7):
    alone = subprocess.run([SAMPLE, *program], env=ENVIRONMENT, capture_output=True, text=True)
    same = (result.returncode, result.stdout) == (alone.returncode, alone.stdout)
    expect(same and alone.returncode == code, f"{what}: the program ends as without capture", result)


# What is recorded is right: three steps, replayed to the nanosecond, with every wait explained.
result, traces = capture("--active", "3", RANK="0", WORLD_SIZE="1")
as_without_capture(result, "--active 3", "8")
expect("captured 3 steps of rank 0" in result.stderr, "it says what it captured", result.stderr)
whole = replay(traces)
expect(steps(whole) == [0, 1, 2], "the first three steps", whole)
expect(abs(whole["iteration"]["error"]) < 0.01 and whole["unexplained_wait_ns"] == 0, "replay error under 1 %", whole)
expect(not set(diagnostics(whole)) - {"not used:"}, "nothing to complain of", diagnostics(whole))
stats = subprocess.run([STEPSIM, "stats", traces, "--by", "name", "--json"], env=ENVIRONMENT, capture_output=True, text=True)
named = {row["name"] for row in json.loads(stats.stdout)["inputs"][0]["rows"]}
expect("void gemm<3>(float*)" in named and "cudaLaunchKernel" in named, "names are those that people write", named)
again, other = capture("--active", "3", RANK="0", WORLD_SIZE="1")
expect(replay(other)["steps"] == whole["steps"], "the same in every run", again)

# As PyTorch's profiler would have written it: the same steps, to the nanosecond.
as_kineto = os.path.join(work.name, "host_1.123.pt.trace.json.gz")
result = subprocess.run([STEPSIM, "convert", other, "-o", as_kineto], capture_output=True, text=True)
expect(result.returncode == 0 and "as they were recorded" in result.stdout, "convert writes what was recorded", result)
expect(replay(as_kineto).get("steps") == whole["steps"], "a trace of PyTorch's profiler has the same answer", replay(as_kineto))

# As BytePS would have written it: three all-reduces in each of three steps, and a total of each from its launch on.
as_byteps = os.path.join(work.name, "comm.json")
result = subprocess.run([STEPSIM, "convert", other, "-o", as_byteps, "--json"], capture_output=True, text=True)
counts = {"tensors": 3, "steps": 3, "stages": 9, "totals": 9}
expect(result.returncode == 0 and counts.items() <= json.loads(result.stdout)["files"][0].items(), "comm.json of a capture", result)
expect(len(replay(as_byteps).get("steps", [])) + len(replay(as_byteps).get("set_aside", [])) == 3, "it is read again", replay(as_byteps))

# All layouts of CUPTI's records. Before 26 (CUDA 12.8) waits and records of events have no common id.
for version in (12, 13, 14, 15, 17, 18, 19, 22, 26, 27, 28, 130000):
    result, traces = capture("--active", "3", FAKE_CUPTI_VERSION=str(version))
    answer = replay(traces)
    expect(answer.get("steps") == whole["steps"], f"CUPTI {version}: the same answer", (result.stderr, answer.get("failed")))

# Schedules, counted as torch.profiler counts.
result, traces = capture("--skip-first", "1", "--wait", "1", "--warmup", "1", "--active", "2", "--repeat", "2",
                         program=(SAMPLE, "12"))
expect(steps(replay(traces)) == [3, 4, 7, 8], "two cycles of a schedule", (result.stderr, replay(traces)))
result, traces = capture("--skip-first", "2", "--active", "3", "--step-range", "train_step", program=(SAMPLE, "8", "range"))
expect(steps(replay(traces)) == [2, 3, 4], "steps by the name of a range", replay(traces))
result, traces = capture("--skip-first", "1", "--active", "2", "--step-range", "train_step", "--without-nvtx",
                         program=(SAMPLE, "8", "range"))
expect(steps(replay(traces)) == [1, 2], "the same without ranges in the file", replay(traces))
result, traces = capture(program=(SAMPLE, "8", "none"))
unmarked = replay(traces)
expect(len(steps(unmarked)) == 7 and "steps_from_launches" in diagnostics(unmarked), "steps where launches repeat", unmarked)
result, traces = capture("--without-sync", "--active", "3")
expect("inferred_stream_wait" in diagnostics(replay(traces)) or abs(replay(traces)["iteration"]["error"]) < 0.01,
      "without waits in the file they are inferred", replay(traces))

# What CUPTI tells of its own work: in each step a flush of 1,500 ns, and 700 and 300 ns of waiting for room in the queue.
result, traces = capture("--active", "3", program=(SAMPLE, "8", "mark", "overhead"))
answer = json.loads(subprocess.run([STEPSIM, "stats", traces, "--json"], env=ENVIRONMENT, capture_output=True, text=True).stdout)
expect(answer["inputs"][0]["overhead"] == [
    {"rank": 0, "kind": "Buffer Flush", "of": "profiler", "count": 3, "total_ns": 3 * 1500, "by_clock_ns": 3 * 1500, "longest_ns": 1500},
    {"rank": 0, "kind": "Command Buffer Full", "of": "CUDA", "count": 6, "total_ns": 3 * 1000, "by_clock_ns": 3 * 1000, "longest_ns": 700}],
    "CUPTI's overhead by kind", answer["inputs"][0]["overhead"])
text = subprocess.run([STEPSIM, "stats", traces], env=ENVIRONMENT, capture_output=True, text=True).stdout
expect("Overhead (" in text and "Buffer Flush" in text, "and as text", text)
answer = json.loads(subprocess.run([STEPSIM, "check", traces, "--json"], env=ENVIRONMENT, capture_output=True, text=True).stdout)
process = answer["files"][0]["processes"][0]
found = {finding["name"]: finding for finding in answer["findings"]}
expect([use["total_ns"] for use in process["overhead"]] == [4500, 3000], "check lists it", process)
expect("profiler_overhead" in found and "4.5 us in 3 pieces: Buffer Flush 4.5 us (3)" in found["profiler_overhead"]["sentence"]
       and abs(found["profiler_overhead"]["share"] - 4500 / process["span_ns"]) < 1e-9, "check says what it took", found)
expect("3 us in 6 pieces" in found.get("cuda_overhead", {}).get("sentence", ""), "CUDA's own is told apart", found)
as_kineto = os.path.join(work.name, "overhead.pt.trace.json")
subprocess.run([STEPSIM, "convert", traces, "-o", as_kineto], capture_output=True)
again = json.loads(subprocess.run([STEPSIM, "stats", as_kineto, "--json"], env=ENVIRONMENT, capture_output=True, text=True).stdout)
expect([use["total_ns"] for use in again["inputs"][0]["overhead"]] == [4500, 3000], "a trace of PyTorch's profiler has it, too", again)
expect(replay(as_kineto).get("steps") == replay(traces)["steps"], "and it is in nobody's way")

# Names as NVTX takes them: wide characters as UTF-8, registered strings, attributes; and marks.
result, traces = capture("--active", "3", program=(SAMPLE, "8", "mark", "names"))
rows = json.loads(subprocess.run([STEPSIM, "stats", traces, "--by", "name", "--json"], env=ENVIRONMENT, capture_output=True, text=True).stdout)["inputs"][0]["rows"]
named = {row["name"]: (row["count"], row["max_ns"]) for row in rows}
for name, count, length in [("wide", 1, 1000), ("größe 世界 🚀", 1, 1000), ("<\ufffd>", 1, 1000), ("started é", 1, 1000), ("attributes", 2, 1000),
                            ("attributes ü", 2, 1000), ("registered", 2, 1000), ("registered Ж", 2, 1000), ("range without a name", 2, 1000),
                            ("mark", 1, 0), ("mark ä", 1, 0), ("registered mark", 1, 0), ("mark of a domain", 1, 0)]:
    expect(named.get(name) == (3 * count, length), f"NVTX: {name}", named)
said = diagnostics(replay(traces))
expect(said.get("instant_host_event") == 3 * 4 and not set(said) - {"not used:", "instant_host_event"}, "every range has its end, and marks are counted", said)
for marks in ("wide", "instant"):
    result, traces = capture("--skip-first", "2", "--active", "3", "--step-range", "train_step", program=(SAMPLE, "8", marks))
    expect(steps(replay(traces)) == [2, 3, 4], f"steps by the name of a range or mark: {marks}", replay(traces))

# BytePS's variables: steps counted from 1, the last one included. An option comes first.
result, traces = capture(directory=folder(), BYTEPS_TRACE_ON="1", BYTEPS_TRACE_START_STEP="2", BYTEPS_TRACE_END_STEP="4")
expect(steps(replay(traces)) == [1, 2, 3], "BYTEPS_TRACE_*", result.stderr)
result, traces = capture("--active", "1", BYTEPS_TRACE_ON="1")
expect(len(steps(replay(traces))) == 1, "an option comes before them", result.stderr)
result, traces = capture(BYTEPS_TRACE_ON="2", BYTEPS_TRACE_START_STEP="5")
expect(len(steps(replay(traces))) == 8, "only 1 is on", result.stderr)
result, traces = capture(TRACE_ON="1", TRACE_START_STEP="1", TRACE_END_STEP="3")
expect(steps(replay(traces)) == [0, 1, 2], "ByteProfile's older names", result.stderr)
result, traces = capture(BYTEPS_TRACE_ON="1", BYTEPS_TRACE_START_STEP="9", BYTEPS_TRACE_END_STEP="3")
expect(result.returncode == 2 and "expected the last step behind the first" in result.stderr, "steps that cannot be", result)

# Ranks.
result, traces = capture("--ranks", "0,2-3", RANK="1", WORLD_SIZE="4")
as_without_capture(result, "a rank that is not asked for", "8")
expect("nothing was captured" in result.stderr and not os.listdir(traces), "and nothing is written", result.stderr)
traces = folder()
for rank in range(2):
    capture("--active", "3", directory=traces, OMPI_COMM_WORLD_RANK=str(rank), OMPI_COMM_WORLD_SIZE="2")
expect(replay(traces).get("ranks") == [0, 1], "the ranks of a job from one folder", replay(traces))

# However the program ends.
for end, code in (("_exit", 7), ("kill", -9), ("segv", -11), ("fork", 7), ("throw", -6), ("threads", 7)):
    result, traces = capture(program=(SAMPLE, "8", "mark", end))
    as_without_capture(result, end, "8", "mark", end, code=code)
    files = os.listdir(traces)
    expect(len(files) == 1, f"{end}: one file", files)
    answer = replay(traces)
    if end in ("kill", "fork", "threads"):
        expect(steps(answer) == list(range(8)), f"{end}: all steps are there", answer)
    if end == "kill":
        said = [entry for entry in answer["ingest"]["diagnostics"] if entry["name"] == "capture_not_closed"]
        expect(len(said) == 1 and "did not end in order" in result.stderr, "kill: it says where the file stops", said)

# Whatever CUPTI does.
result, traces = capture(program=(SAMPLE, "2000"), FAKE_CUPTI_SHUFFLE="1")
expect(len(steps(replay(traces))) == 2000, "buffers of two threads, out of order", result.stderr)
result, traces = capture("--active", "3", FAKE_CUPTI_DROP_EVERY="40")
as_without_capture(result, "records dropped by CUPTI", "8")
expect("lost" in result.stderr and diagnostics(replay(traces)).get("records_lost_by_cupti", 0) > 0, "and that is told", result.stderr)
result, traces = capture(FAKE_CUPTI_OTHER_CLIENT="1")
as_without_capture(result, "another client of CUPTI", "8")
expect("another profiler holds CUPTI" in result.stderr, "and that is told, too", result.stderr)
expect("another profiler holds CUPTI" in replay(traces).get("failed", ""), "a replay of nothing is refused", replay(traces))
result, traces = capture(program=(SAMPLE, "8", "mark", "kill"), FAKE_CUPTI_OTHER_CLIENT="2")
expect("another profiler took CUPTI" in result.stderr, "another client that comes later", result.stderr)
FUNCTIONS = ["GetVersion", "GetTimestamp", "ActivityRegisterCallbacks", "ActivityEnable", "ActivityDisable",
             "ActivityGetNextRecord", "ActivityGetNumDroppedRecords", "ActivityFlushAll", "GetCallbackName", "Subscribe",
             "SetThreadIdType"]
for function in FUNCTIONS:
    for code in (1, 11, 35, 999):
        result, traces = capture("--active", "2", FAKE_CUPTI_FAIL=f"cupti{function}={code}")
        as_without_capture(result, f"cupti{function} returns {code}", "8")
result, traces = capture(FAKE_CUPTI_FAIL="cuptiActivityEnable=35")
expect("CUPTI_ERROR_INSUFFICIENT_PRIVILEGES" in result.stderr, "the reason is CUPTI's own", result.stderr)
result, traces = capture(STEPSIM_CUPTI_LIBRARY="/nowhere/libcupti.so")
as_without_capture(result, "no CUPTI", "8")
expect("LD_LIBRARY_PATH" in result.stderr, "how to get it", result.stderr)

# Whatever else is wrong.
result, _ = capture(program=("sh", "-c", "echo ok; exit 7"), directory="/dev/full")
expect((result.returncode, result.stdout) == (7, "ok\n"), "a folder that cannot be", result)
result, _ = capture(program=("sh", "-c", "kill -SEGV $$"))
expect(result.returncode == -signal.SIGSEGV, "a program that a signal ends", result)
result, _ = capture(program=("/no/such/program",))
expect(result.returncode == 127 and "cannot run" in result.stderr, "a program that is not there", result)
limited = f"ulimit -f 8; exec '{STEPSIM}' capture --dir '{folder()}' -- '{SAMPLE}' 500"
result = subprocess.run(["bash", "-c", limited], env={**ENVIRONMENT, "STEPSIM_CUPTI_LIBRARY": FAKE_CUDA}, capture_output=True, text=True)
expect((result.returncode, result.stdout) == (7, "trained 500 steps\n"), "a full disk", result)
result, _ = capture(CUDA_INJECTION64_PATH="/opt/nsys/libToolsInjection64.so")
expect(result.returncode == 2 and "libToolsInjection64.so already" in result.stderr, "another tool to be injected", result)
result, _ = capture(STEPSIM_CAPTURE_LIBRARY="/nowhere/libstepsim_capture.so")
expect(result.returncode == 1 and "stepsim_capture_module" in result.stderr, "no module: how to get it", result)
for options, words in ((["--active", "0"], "--active: '0'"), (["--wait", "x"], "--wait: 'x'"), (["--buffer-mb", "1"], "from 4"),
                       (["--ranks", "a"], "--ranks: 'a'"), (["--activ", "3"], "did you mean '--active'")):
    result, _ = capture(*options)
    expect(result.returncode == 2 and words in result.stderr, f"{options}", result)
result = subprocess.run([STEPSIM, "capture", "--active", "3"], capture_output=True, text=True)
expect(result.returncode == 2 and "-- COMMAND" in result.stderr, "no command", result)

# Signals that others send us go on to the program.
process = subprocess.Popen([STEPSIM, "capture", "--dir", folder(), "--", "bash", "-c", "trap 'echo asked to end; exit 5' TERM; echo ready; while :; do sleep 0.05; done"],
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
process.stdout.readline()
process.send_signal(signal.SIGTERM)
out, _ = process.communicate(timeout=30)
expect((process.returncode, out) == (5, "asked to end\n"), "SIGTERM reaches the program", (process.returncode, out))

sys.exit(verdict())

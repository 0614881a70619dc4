#!/usr/bin/env python3
"""capture.py STEPSIM SAMPLE_PROGRAM FAKE_CUDA: `stepsim capture` of a program on our fake CUDA, from the command line
to the replay. The recording must be right, and whatever goes wrong, the program must end as it does without
capture."""
import json
import os
import signal
import sys

from captures import answer, diagnostics, folder, run_with, work
from checks import STEPSIM, check, start, stepsim, verdict

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
    result, traces = capture(program=(SAMPLE, "8", "mark", end))
    as_without_capture(result, end, "8", "mark", end, code=code)
    files = os.listdir(traces)
    check(f"{end}: one file", len(files) == 1, files)
    found = replay(traces)
    if end in ("kill", "fork", "threads"):
        check(f"{end}: all steps are there", steps(found) == list(range(8)), found)
    if end == "kill":
        said = [entry for entry in found["ingest"]["diagnostics"] if entry["name"] == "capture_not_closed"]
        check("kill: it says where the file stops", len(said) == 1 and "ended abnormally" in result.stderr, said)

# Misbehaviour of CUPTI.
result, traces = capture(program=(SAMPLE, "2000"), FAKE_CUPTI_SHUFFLE="1")
check("buffers of two threads, out of order", len(steps(replay(traces))) == 2000, result.stderr)
result, traces = capture("--active", "3", FAKE_CUPTI_DROP_EVERY="40")
as_without_capture(result, "records dropped by CUPTI", "8")
check("and that is told", "lost" in result.stderr and diagnostics(replay(traces)).get("records_lost_by_cupti", 0) > 0, result.stderr)
result, traces = capture(FAKE_CUPTI_OTHER_CLIENT="1")
as_without_capture(result, "another client of CUPTI", "8")
check("and that is told, too", "another profiler is using CUPTI" in result.stderr, result.stderr)
check("a replay of nothing is refused", "another profiler is using CUPTI" in replay(traces).get("failed", ""), replay(traces))
result, traces = capture(program=(SAMPLE, "8", "mark", "kill"), FAKE_CUPTI_OTHER_CLIENT="2")
check("another client that comes later", "another profiler took over CUPTI" in result.stderr, result.stderr)
FUNCTIONS = ["GetVersion", "GetTimestamp", "ActivityRegisterCallbacks", "ActivityEnable", "ActivityDisable",
             "ActivityGetNextRecord", "ActivityGetNumDroppedRecords", "ActivityFlushAll", "GetCallbackName", "Subscribe",
             "SetThreadIdType"]
for function in FUNCTIONS:
    for code in (1, 11, 35, 999):
        result, traces = capture("--active", "2", FAKE_CUPTI_FAIL=f"cupti{function}={code}")
        as_without_capture(result, f"cupti{function} returns {code}", "8")
result, traces = capture(FAKE_CUPTI_FAIL="cuptiActivityEnable=35")
check("the reason is CUPTI's own", "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES" in result.stderr, result.stderr)
result, traces = capture(STEPSIM_CUPTI_LIBRARY="/nowhere/libcupti.so")
as_without_capture(result, "no CUPTI", "8")
check("how to get it", "LD_LIBRARY_PATH" in result.stderr, result.stderr)

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
out, _ = process.communicate(timeout=30)
check("SIGTERM reaches the program", (process.returncode, out) == (5, "asked to end\n"), (process.returncode, out))

sys.exit(verdict())

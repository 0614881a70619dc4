#!/usr/bin/env python3
"""rocm.py STEPSIM SAMPLE_HIP_PROGRAM: `stepsim capture --rocm` of a program on our fake HIP and rocprofiler-sdk, from
the command line to the replay. No AMD GPU has been captured: the fakes were written after AMD's headers and sources."""
import json
import os
import sys
import time

from captures import IdleProgram, answer, attach, diagnostics, folder, is_row, run_with
from checks import STEPSIM, check, verdict

SAMPLE = os.path.abspath(sys.argv[2])


def capture(*options, program=("8",), **variables):
    """Returns (result, folder) of a captured program."""
    directory = folder()
    return run_with(variables, STEPSIM, "capture", "--rocm", "--dir", directory, *options, "--", SAMPLE, *program), directory


def replay(directory):
    return answer("replay", directory)


def steps(replayed):
    return [step["step"] for step in replayed.get("steps", [])]


def rows(directory, by):
    return {row["name"]: row for row in answer("stats", directory, "--by", by)["inputs"][0]["rows"]}


def as_without_capture(result, what, *program):
    alone = run_with({}, SAMPLE, *program)
    same = (result.returncode, result.stdout) == (alone.returncode, alone.stdout)
    check(f"{what}: the program ends as without capture", same and alone.returncode == 7, result)


def as_kineto(directory):
    """Returns the capture as PyTorch's profiler would have written it."""
    path = directory + ".pt.trace.json"
    result = run_with({}, STEPSIM, "convert", directory, "-o", path)
    check("convert", result.returncode == 0, result)
    return json.load(open(path))


# Three steps: kernels and copies on two streams, each with the call that launched it.
result, traces = capture("--active", "3", RANK="0", WORLD_SIZE="1")
as_without_capture(result, "--active 3", "8")
check("it says what it captured", "captured 3 steps of rank 0: 33 kernels" in result.stderr, result.stderr)
whole = replay(traces)
check("the first three steps", steps(whole) == [0, 1, 2], whole)
check("replay error under 1 %", abs(whole["iteration"]["error"]) < 0.01 and whole["unexplained_wait_ns"] == 0, whole)
check("nothing to complain of but that waits have no records", not set(diagnostics(whole)) - {"framework_stream_wait", "inferred_stream_wait", "inferred_host_wait"}, diagnostics(whole))
converted = as_kineto(traces)
made = converted["traceEvents"]
work = [event for event in made if event.get("cat") in ("kernel", "gpu_memcpy")]
calls = {event["args"]["correlation"]: event for event in made if event.get("cat") == "cuda_runtime"}
check("11 kernels and 3 copies in each step", len(work) == 3 * 14, len(work))
check("each has its call", all(
    (calls[event["args"]["correlation"]]["name"] == "hipLaunchKernel") == (event["cat"] == "kernel") for event in work), work[:3])
check("each call starts before its work", all(calls[event["args"]["correlation"]]["ts"] < event["ts"] for event in work), work[:3])
check("on two streams, not on the queues that they share", {(event["name"].startswith("nccl"), event["args"]["stream"]) for event in work} == {(False, 1), (True, 2)}, work[:3])
check("calls that wait for nothing are not recorded", all(call["name"] != "hipGetLastError" for call in calls.values()), calls)
began = converted["baseTimeNanoseconds"] + work[0]["ts"] * 1000
check("times are on the system's clock, not since boot", abs(began - time.time_ns()) < 3600e9, (began, time.time_ns()))
by_name = rows(traces, "name")
check("names are those that people write", {"adam(float*)", "gemm_backward(float*, float const*)", "Memcpy HtoD (Unknown -> Device)",
      "Memcpy DtoH (Device -> Unknown)", "Memcpy DtoD (Device -> Device)"} <= set(by_name), set(by_name))
check("durations of kernels", by_name["adam(float*)"]["total_ns"] == 3 * 15_000, by_name["adam(float*)"])
check("bytes of copies", [copy["total_bytes"] for copy in answer("stats", traces)["inputs"][0]["copies"] if "HtoD" in copy["name"]] == [600_000], answer("stats", traces)["inputs"][0]["copies"])
launch = next(event for event in work if event["name"] == "adam(float*)")["args"]
check("launch parameters", launch.get("grid") == [128, 1, 1] and launch.get("block") == [256, 1, 1] and launch.get("registers per thread") == 48
      and launch.get("shared memory") == 1024, launch)
check("the device", "Fake AMD GPU 192GB" in json.dumps(answer("check", traces)), answer("check", traces))
check("its memory, without that of other kinds", converted["deviceProperties"] == [{"id": 0, "name": "Fake AMD GPU 192GB", "totalGlobalMem": 192 << 30}], converted["deviceProperties"])
again, other = capture("--active", "3", RANK="0", WORLD_SIZE="1")
check("the same in every run", replay(other)["steps"] == whole["steps"], again)

# Schedules and marks. Device work that is launched in a step belongs to it, also if it ends after recording does.
result, traces = capture("--skip-first", "1", "--wait", "1", "--active", "2", "--repeat", "2")
check("two cycles of a schedule", steps(replay(traces)) == [2, 3, 5, 6], (result.stderr, replay(traces)))
result, traces = capture("--skip-first", "2", "--active", "3", "--step-range", "train_step", program=("8", "range"))
check("steps by the name of a roctx range", steps(replay(traces)) == [2, 3, 4], replay(traces))
result, traces = capture(program=("8", "none"))
check("steps where launches repeat", "steps_from_launches" in diagnostics(replay(traces)), replay(traces))
result, traces = capture("--profiler-api", program=("8", "mark", "pause"))
check("between roctxProfilerResume() and roctxProfilerPause()", steps(replay(traces)) == [2, 3, 4], (result.stderr, replay(traces)))

result, traces = capture("--profiler-api", program=("8", "mark", "profiler"))
check("between hipProfilerStart() and hipProfilerStop()", steps(replay(traces)) == [2, 3, 4], (result.stderr, replay(traces)))

# A program that runs already is recorded when it is asked for, as often as it is asked for. Kernels have been loaded,
# and streams created, before the first recording.
def idle_program(**variables):
    return IdleProgram(["--rocm"], lambda until: (SAMPLE, "5", "mark", "until", until), **variables)


with idle_program() as program:
    recordings = [(attach(program.pid, *options), count) for options, count in ((["--active", "3"], 3), (["--wait", "2", "--warmup", "1", "--active", "2"], 2))]
program.ends_as_without_capture("attach")
for number, (result, count) in enumerate(recordings, 1):
    where = os.path.join(program.folder, f"attach-{number}")
    check(f"attach {number}: it says what it captured", f"captured {count} steps of rank 0" in result.stderr and "warning" not in result.stderr, result)
    found = replay(where)
    check(f"attach {number}: the steps", is_row(steps(found), count), found)
    check(f"attach {number}: all kernels have names and calls", rows(where, "name").get("gemm_backward(float*, float const*)", {}).get("count") == 4 * count
          and not set(diagnostics(found)) - {"framework_stream_wait", "inferred_stream_wait", "inferred_host_wait"}, (rows(where, "name"), diagnostics(found)))
    check(f"attach {number}: the device is known", "Fake AMD GPU 192GB" in json.dumps(answer("check", where)), answer("check", where))
with idle_program(FAKE_ROCM_REFUSE="10") as program:
    results = [attach(program.pid, "--active", "2") for _ in range(2)]
program.ends_as_without_capture("copies are refused")
check("what is not recorded is named in each recording", all(result.stderr.count("does not record memory copies: General error") == 1 for result in results), results)

# roctx ranges: 6 us, 2 us and 3 us in each step, and an instant.
result, traces = capture("--active", "3", program=("8", "mark", "ranges"))
found = rows(traces, "name")
check("roctx ranges", [found.get(name, {}).get("total_ns") for name in ("outer", "inner", "started", "instant")] == [3 * 6_000, 3 * 2_000, 3 * 3_000, 0], found)
result, traces = capture("--active", "3", "--without-nvtx", program=("8", "mark", "ranges"))
check("none if they are not wanted", "outer" not in rows(traces, "name"), rows(traces, "name"))

# Work without a HIP stream has a stream for its queue. Without HIP streams, all work has.
result, traces = capture("--active", "3", program=("8", "mark", "openmp"))
streams = {event["args"]["stream"] for event in as_kineto(traces)["traceEvents"] if event.get("cat") == "kernel"}
check("a stream for a queue", streams == {1, 2, 1_000_004}, streams)
result, traces = capture("--active", "3", FAKE_ROCM_REFUSE_EVENTS="20")
check("streams are refused", "does not record streams: General error" in result.stderr, result.stderr)
check("and the capture is replayed", steps(replay(traces)) == [0, 1, 2], replay(traces))

# What can go wrong.
result, traces = capture(FAKE_ROCM_VERSION="0.5.0")
as_without_capture(result, "an old rocprofiler-sdk", "8")
sentence = "(version 0.5.0): expected version 1, which ROCm 7.0 and later have"
check("it is named", sentence in result.stderr and "librocprofiler-sdk.so.1" in result.stderr, result.stderr)
check("the same in the file", sentence in replay(traces).get("failed", ""), replay(traces))
result, traces = capture(FAKE_ROCM_NO_START="1")
as_without_capture(result, "a rocprofiler-sdk that does not start", "8")
check("it is told", "rocprofiler-sdk does not work: " in result.stderr and "General error" in result.stderr, result.stderr)
result, traces = capture("--active", "3", FAKE_ROCM_REFUSE="10")
check("copies are refused", "does not record memory copies: General error" in result.stderr, result.stderr)
check("the rest is recorded", steps(replay(traces)) == [0, 1, 2] and "capture_incomplete" in diagnostics(replay(traces)), replay(traces))
result, traces = capture("--active", "3", FAKE_ROCM_DROP="50")
check("dropped records are counted", diagnostics(replay(traces)).get("records_lost_by_cupti") == 2, diagnostics(replay(traces)))
result, traces = capture("--active", "3", FAKE_ROCM_HANG="1")
as_without_capture(result, "a flush that hangs at the end", "8")
check("it is told at the end", "did not deliver its last records" in result.stderr, result.stderr)
for end in ("_exit", "fork"):
    result, traces = capture("--active", "3", program=("8", "mark", end))
    as_without_capture(result, end, "8", "mark", end)
    check(f"{end}: one file", len(os.listdir(traces)) == 1, os.listdir(traces))
check("a child of fork() leaves its parent's capture alone", steps(replay(traces)) == [0, 1, 2], replay(traces))
result, traces = capture("--active", "3", "--buffer-mb", "4", program=("400",))
as_without_capture(result, "400 steps", "400")
result, traces = capture("--buffer-mb", "4", program=("2000",))
check("buffers that are filled many times lose nothing", "22000 kernels" in result.stderr.replace(",", "") and "lost" not in result.stderr, result.stderr)
result, traces = capture("--active", "3", ROCP_TOOL_LIBRARIES="/no/such/tool.so")
check("another tool of rocprofiler-sdk is loaded as well", steps(replay(traces)) == [0, 1, 2], result)
result = run_with({"ROCP_TOOL_LIBRARIES": "/other.so"}, STEPSIM, "capture", "--rocm", "--dir", folder(), "--", "env")
check("ours comes first", any(line.startswith("ROCP_TOOL_LIBRARIES=") and line.endswith("/libstepsim_capture.so:/other.so:") for line in result.stdout.splitlines()), result.stdout)
result = run_with({}, STEPSIM, "capture", "--dir", folder(), "--", SAMPLE, "8")
check("without --rocm nothing is recorded, and the option is named", result.returncode == 7 and "did not use CUDA (HIP with --rocm)" in result.stderr, result)
result = run_with({}, STEPSIM, "capture", "--dir", folder(), "--", "env")
check("without --rocm the variable is not set", "ROCP_TOOL_LIBRARIES" not in result.stdout, result.stdout)
result = run_with({}, STEPSIM, "capture", "--rocm", "--torch", "--", SAMPLE, "8")
check("not with --torch", result.returncode == 2 and "--rocm cannot be combined with --torch" in result.stderr, result)
sys.exit(verdict())

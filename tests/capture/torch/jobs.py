#!/usr/bin/env python3
"""jobs.py STEPSIM: `stepsim capture --torch` of PyTorch jobs, from the command line to a what-if. Also jobs that end
in all possible ways, or have their own profilers, processes and sitecustomize modules: they must run as without
capture."""
import gzip
import json
import os
import signal
import socket
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from captures import answer, folder, run_with, work  # noqa: E402
from checks import STEPSIM, check, read, run, verdict, write  # noqa: E402

TRAIN, TWO_RANKS = os.path.join(HERE, "train.py"), os.path.join(HERE, "two_ranks.py")


def python_with_torch():
    for python in (sys.executable, "/usr/bin/python3"):
        if run(python, "-c", "import torch, torch.distributed as d; assert d.is_gloo_available()").returncode == 0:
            return python
    return None


PYTHON = python_with_torch()
if PYTHON is None:
    print("skipped: python3-torch is absent")
    sys.exit(0)

def capture(*options, program, cwd=None, **variables):
    """Returns (result, folder of the traces) of a captured program."""
    directory = folder()
    command = [STEPSIM, "capture", "--torch", "--dir", directory, *options, "--", *program]
    return run_with(variables, *command, cwd=cwd), directory


def traces(directory):
    return sorted(name for name in os.listdir(directory) if name.endswith(".pt.trace.json.gz"))


def events(directory, name):
    with gzip.open(os.path.join(directory, name), "rt") as file:
        return json.load(file)["traceEvents"]


def steps(directory, name):
    """Returns the steps that a trace marks, in order."""
    return sorted({int(event["name"].partition("#")[2]) for event in events(directory, name)
                   if event["name"].startswith("ProfilerStep#")})


# A two-rank job over gloo: traces and job.yaml, replay, half the network, and the profiler's overhead.
times = os.path.join(work.name, "times%RANK.json")
result, directory = capture("--wait", "8", "--active", "4", program=(PYTHON, TWO_RANKS, TRAIN, "15", "times", times))
check("the job ends as without capture", (result.returncode, result.stdout) == (0, "trained 15 steps\n" * 2), result)
names = traces(directory)
check("a trace for each rank, by host and rank", len(names) == 2 and all(
    name.endswith(f"_rank{rank}.pt.trace.json.gz") for rank, name in enumerate(names)), names)
check("the steps asked for", [steps(directory, name) for name in names] == [[9, 10, 11, 12]] * 2,
      [steps(directory, name) for name in names])
check("it says what comes next", f"next: stepsim replay {directory}" in result.stderr, result.stderr)
lines = read(os.path.join(directory, "job.yaml")).decode().splitlines()
job = dict(line.split(": ", 1) for line in lines if ": " in line and not line.startswith("#"))
check("job.yaml has what was seen", {key: job.get(key) for key in ("framework", "backend", "workers", "bucket_bytes")} ==
      {"framework": "pytorch-ddp", "backend": "gloo", "workers": "2", "bucket_bytes": str(4 << 20)}, job)
own_times = json.loads(read(times.replace("%RANK", "0")))
free_ns = int(job["measured_step"].partition("ns")[0])
# The hook ends a step a little earlier than the job does, so their times differ while other programs use the processor.
# That measured_step is a median is tested in parts_test.py, with a clock that the test sets.
of_steps = own_times[3:7]  # steps 4 to 7: own_times[i] is that of step i + 1
check("measured_step is among the times that the job measures itself",
      0.98 * min(of_steps) - 1e6 < free_ns < 1.02 * max(of_steps) + 1e6,
      (free_ns, own_times))
whole = answer("replay", directory)
check("it is replayed", whole.get("ranks") == [0, 1] and abs(whole["iteration"]["error"]) < 0.01, whole)
recorded_ns = whole["iteration"]["measured_ns"]
check("the profiler's slowing stands beside the free step", whole.get("profiler") == {
    "recorded_ns": recorded_ns, "free_ns": free_ns, "shortest_step_ns": min(step["measured_ns"] for step in whole["steps"]),
    "slowing": whole["profiler"]["slowing"]} and abs(whole["profiler"]["slowing"] - (recorded_ns / free_ns - 1)) < 1e-6, whole.get("profiler"))
text = run_with({}, STEPSIM, "replay", directory).stdout
check("and is said in words", "(measured_step of job.yaml)" in text and "without it" in text, text)
found = {finding["name"] for finding in answer("check", directory).get("findings", [])}
check("check says it too", "profiler_slowing" in found and "no_shapes" not in found and "no_base_time" not in found, found)
half = answer("whatif", directory, "--set", "network.bandwidth=0.5x")
check("half the network is answered", "failed" not in half, half)
if "failed" not in half:
    ratio = half["scenario"]["iteration_ns"] / half["baseline"]["iteration_ns"]
    check("and takes longer, at most twice as long", 1 <= ratio <= 2.02, (ratio, half["scenario"], half["baseline"]))

# Selected steps, ranks and processes.
one = (PYTHON, TRAIN)
result, directory = capture("--wait", "1", "--warmup", "1", "--active", "1", "--repeat", "2", program=(*one, "8"))
check("a file for each cycle", [steps(directory, name) for name in traces(directory)] == [[5], [2]], traces(directory))
result, directory = capture("--skip-first", "2", "--active", "9", program=(*one, "6"))
check("a job that ends before all is captured: whole steps only", steps(directory, traces(directory)[0]) == [3, 4, 5],
      steps(directory, traces(directory)[0]))
result, directory = capture("--wait", "4", program=(*one, "4"))
check("too few steps: it says so", traces(directory) == [] and "made 4 steps" in result.stderr and
      "nothing was captured" in result.stderr, result)
result, directory = capture("--wait", "2", "--ranks", "1", program=(PYTHON, TWO_RANKS, TRAIN, "7"))
check("--ranks", len(traces(directory)) == 1 and "_rank1." in traces(directory)[0] and
      os.path.exists(os.path.join(directory, "job.yaml")), os.listdir(directory))
result, directory = capture("--wait", "2", "--active", "2", program=(*one, "8", "gan"))
check("two optimizers make one step", steps(directory, traces(directory)[0]) == [3, 4], result)
with socket.socket() as free:
    free.bind(("127.0.0.1", 0))
    port = free.getsockname()[1]
result, directory = capture("--wait", "2", "--active", "2", program=(*one, "8", "spawn"), WORLD_SIZE="2",
                            MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
check("ranks that the program starts", len(traces(directory)) == 2 and result.returncode == 0, result)
result, directory = capture("--wait", "2", "--active", "2", "--with-flops", "--profile-memory", "--with-stack",
                            "--with-modules", program=(*one, "8"))
whole = answer("check", directory)
check("with all that torch.profiler records", len(traces(directory)) == 1 and "failed" not in whole, (result, whole))
check("allocations are among it", any(event["name"] == "[memory]" for event in events(directory, traces(directory)[0])))

# Steps marked by a function's name: a function of the program or of a module, or a method.
helpers = folder()
write(helpers, "loop.py", "import torch\nclass Trainer:\n    @staticmethod\n    def once(value):\n        return value.sum().item()\n"
      "def run(n):\n    for _ in range(n):\n        Trainer.once(torch.zeros(4))\n")
write(helpers, "main.py", "import loop\nloop.run(9)\nprint('ran')\n")
for call in ("loop.Trainer.once",):
    result, directory = capture("--wait", "2", "--active", "2", "--step-call", call,
                                program=(PYTHON, os.path.join(helpers, "main.py")))
    check(f"--step-call {call}", result.stdout == "ran\n" and len(traces(directory)) == 1 and
          steps(directory, traces(directory)[0]) == [3, 4], result)
result, directory = capture("--wait", "2", "--active", "2", "--step-call", "__main__.train_step", program=(*one, "9"))
check("--step-call __main__.train_step", len(traces(directory)) == 1, result)
result, directory = capture("--step-call", "loop.none", program=(PYTHON, os.path.join(helpers, "main.py")))
check("--step-call of what is not there", result.stdout == "ran\n" and "no such function" in result.stderr, result)


# All ways to end, and programs with their own profilers and processes.
def same_as_uncaptured(what, *arguments, code=0, files=1, cwd=None, options=("--wait", "2", "--active", "20"), **variables):
    alone = run_with(variables, PYTHON, TRAIN, *arguments, cwd=cwd)
    result, directory = capture(*options, program=(*one, *arguments), cwd=cwd, **variables)
    check(f"{what}: the same code and output", (result.returncode, result.stdout) == (alone.returncode, alone.stdout) and
          alone.returncode == code, (result, alone))
    lines = [line for line in result.stderr.splitlines() if not line.startswith("stepsim: ")]
    check(f"{what}: the same errors", [line for line in alone.stderr.splitlines() if line not in lines] == [],
          (result.stderr, alone.stderr))
    check(f"{what}: {files} traces", len(traces(directory)) == files, (os.listdir(directory), result.stderr))
    return result, directory


_, directory = same_as_uncaptured("a script that raises", "8", "raise", code=1)
check("what it did until then is there", steps(directory, traces(directory)[0]) == [3, 4, 5], traces(directory))
same_as_uncaptured("os._exit", "8", "_exit", code=3, files=0)
same_as_uncaptured("os._exit behind the capture", "8", "_exit", code=3, options=("--wait", "2", "--active", "2"))
same_as_uncaptured("SIGKILL", "8", "kill", code=-signal.SIGKILL, files=0)
_, directory = same_as_uncaptured("a fork", "9", "fork")
check("the child's steps are not the parent's", steps(directory, traces(directory)[0]) == [3, 4, 5, 6, 7, 8], traces(directory))
same_as_uncaptured("processes that load data", "8", "loader")
own = {}
for name in ("alone", "captured"):
    os.mkdir(os.path.join(work.name, name))
run_with({}, PYTHON, TRAIN, "8", "own", cwd=os.path.join(work.name, "alone"))
for options in (("--wait", "0", "--warmup", "0", "--active", "20"), ("--wait", "2", "--active", "2")):
    result, directory = capture(*options, program=(*one, "8", "own"), cwd=os.path.join(work.name, "captured"))
    check("a profiler of its own: the program goes on", (result.returncode, result.stdout) == (0, "trained 8 steps\n"), result)
    check("and we are out of its way", traces(directory) == [] and "a profiler of its own" in result.stderr, result)
    for name in ("alone", "captured"):
        trace = json.loads(read(os.path.join(work.name, name, "own.json")))
        own[name] = sorted(event["name"] for event in (trace if isinstance(trace, list) else trace["traceEvents"]))
    check("its trace has the same events", own["alone"] == own["captured"])

# A user's sitecustomize, with and without errors, and an error in our own.
theirs = folder()
write(theirs, "sitecustomize.py", "import builtins, sys\nbuiltins.theirs = __name__\nassert sys.modules[__name__].__file__ == __file__\n")
shown = (PYTHON, "-c", "import torch, sitecustomize; print(theirs, sitecustomize.__file__)")
result, _ = capture(program=shown, PYTHONPATH=theirs)
check("their sitecustomize is loaded, as theirs", result.stdout == f"sitecustomize {theirs}/sitecustomize.py\n", result)
write(theirs, "sitecustomize.py", "raise KeyError('theirs')\n")
same_as_uncaptured("their sitecustomize fails", "6", PYTHONPATH=theirs)
write(theirs, "sitecustomize.py", "import stepsim_capture.profiler as ours\nours.Profiler = None\n")
result, directory = capture("--wait", "2", program=(*one, "6"), PYTHONPATH=theirs)
check("an error of ours is a warning", (result.returncode, result.stdout) == (0, "trained 6 steps\n") and
      result.stderr.count("warning: capture: ") == 1, result)
result, directory = capture("--wait", "2", "--active", "2", program=("/bin/sh", "-c", f"chmod 555 $STEPSIM_CAPTURE_DIR; {PYTHON} {TRAIN} 6"))
check("a folder that nobody can write to", (result.returncode, result.stdout) == (0, "trained 6 steps\n"), result)
result, directory = capture(program=(PYTHON, "-I", "-c", "print(1)"))
check("a Python that loads nothing", (result.returncode, result.stdout) == (0, "1\n") and "PYTHONPATH" in result.stderr, result)

# Existing files in the folder.
result, directory = capture("--wait", "2", "--active", "2", program=(*one, "6"))
write(directory, "job.yaml", "batch_size: 4\n")
os.rename(os.path.join(directory, traces(directory)[0]), os.path.join(directory, "old_rank0.pt.trace.json.gz"))
command = [STEPSIM, "capture", "--torch", "--dir", directory, "--wait", "2", "--active", "2", "--", *one, "6"]
result = run_with({}, *command)
kept = read(os.path.join(directory, "job.yaml")) == b"batch_size: 4\n"
check("a job.yaml of somebody else stays", kept and "is not ours and stays" in result.stderr, result)
check("traces of another run are told", "1 trace of an earlier run" in result.stderr, result.stderr)

sys.exit(verdict())

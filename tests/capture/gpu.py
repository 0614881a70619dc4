#!/usr/bin/env python3
"""gpu.py STEPSIM CASE: captures a program on a real GPU, replays the capture and compares it with what the program
launched. Needs a GPU, nvcc and libcupti.so, and for the case second_profiler also PyTorch; if one is absent, reports
that and skips. `ctest -L gpu` runs all cases.

gpu.py STEPSIM all SAMPLE_PROGRAM FAKE_CUDA: the same cases on our fake CUDA, so that they work once a GPU is there."""
import os
import re
import shutil
import statistics
import sys

from captures import answer, diagnostics, folder, run_with, work
from checks import STEPSIM, check, run, verdict

HERE = os.path.dirname(os.path.abspath(__file__))
THREADS, LAUNCHES = 32, 57  # of a step with the ending "many"


def skip_without(what):
    sys.exit(print(f"skipped: {what} is absent"))


class Gpu:
    """gpu_program.cu and PyTorch on a real GPU."""
    code = 0
    kernels = {"forward_layer": 8, "backward_layer": 8, "reduce_bucket": 4}  # of a step, outside of its CUDA graph
    of_graph = {"optimizer_step": 3}

    def __init__(self):
        nvcc = shutil.which("nvcc") or shutil.which("nvcc", path="/usr/local/cuda/bin")
        if not os.path.exists("/dev/nvidia0"):
            skip_without("a GPU")
        if nvcc is None:
            skip_without("nvcc")
        self.path = os.path.join(work.name, "gpu_program")
        run(nvcc, "-O2", "-arch=native", "-o", self.path, os.path.join(HERE, "gpu_program.cu"), "-ldl").check_returncode()

    def program(self, steps, *end):
        return {}, [self.path, str(steps), *end]

    def with_second_profiler(self, steps):
        """A job in which torch.profiler begins at half of the steps."""
        for python in (sys.executable, "/usr/bin/python3"):
            if run(python, "-c", "import torch; assert torch.cuda.is_available()").returncode == 0:
                return {}, [python, os.path.join(HERE, "torch", "second_profiler.py"), str(steps)]
        return skip_without("PyTorch with CUDA")


class Fake:
    """sample_program on our fake CUDA."""
    code = 7
    kernels = {**{f"void gemm<{layer}>": 1 for layer in range(6)}, "gemm_backward": 6, "ncclDevKernel_AllReduce_Sum_f32_RING_LL": 3}
    of_graph = {"adam": 3}

    def __init__(self, sample, cuda):
        self.sample, self.cuda = os.path.abspath(sample), os.path.abspath(cuda)

    def program(self, steps, *end):
        return {"STEPSIM_CUPTI_LIBRARY": self.cuda}, [self.sample, str(steps), "mark", *end]

    def with_second_profiler(self, steps):
        variables, program = self.program(steps, "tenth")
        return {**variables, "FAKE_CUPTI_OTHER_CLIENT": "2"}, program


def capture(machine, job, *options):
    """Captures `job`, a program with its environment. Returns what stepsim said and the folder of the capture."""
    variables, program = job
    directory = folder()
    result = run_with(variables, STEPSIM, "capture", "--dir", directory, *options, "--", *program)
    check("the program ends as without capture", result.returncode == machine.code, result)
    print(result.stderr, end="")
    return result, directory


def steps_of(replayed):
    return [step["step"] for step in replayed.get("steps", [])]


def counts(directory):
    """Returns how often each name occurs, without the arguments of kernels."""
    rows = answer("stats", directory, "--by", "name")["inputs"][0]["rows"]
    return {row["name"].split("(")[0]: row["count"] for row in rows}


def check_steps(directory, numbers, kernels, but=()):
    """Checks that a capture has these steps with these kernels in each, can be replayed and has nothing to complain of
    but the diagnostics `but`."""
    replayed = answer("replay", directory)
    check("the steps", steps_of(replayed) == list(numbers), replayed)
    check("replay error under 1 %", "iteration" in replayed and abs(replayed["iteration"]["error"]) < 0.01, replayed.get("iteration"))
    found = counts(directory)
    for name, times in kernels.items():
        check(f"{times} kernels {name} a step", found.get(name) == times * len(numbers), found)
    said = set(diagnostics(replayed)) - {"not used:", *but}
    check("nothing to complain of", not said, diagnostics(replayed))
    judged = answer("check", directory)
    check("check reads it", judged.get("files", [{}])[0].get("processes", [{}])[0].get("kernels", 0) >= len(numbers) * sum(kernels.values()), judged)
    return replayed


def cost(machine):
    """All steps after a warm-up. On a GPU, also what capturing costs: five alternating runs."""
    steps, warm_up = 60, 5
    job = machine.program(steps)
    free, captured = [], []
    for turn in range(5):
        free.append(run_with(job[0], *job[1]).stdout)
        result, directory = capture(machine, job, "--warmup", str(warm_up))
        captured.append(result.stdout)
        replayed = check_steps(directory, range(warm_up, steps), {**machine.kernels, **machine.of_graph}) if turn == 0 else replayed
    if not all(text.strip().isdigit() for text in free + captured):
        return  # not the median of a step
    first = int(captured[0])
    free, captured = (statistics.median(map(int, texts)) for texts in (free, captured))
    off = replayed["iteration"]["measured_ns"] / first - 1
    check("steps are as long as by the host's clock", abs(off) < 0.02, f"{off:.2%}")
    print(f"a step takes {free / 1e3:.1f} us free, {captured / 1e3:.1f} us captured: {captured / free - 1:+.2%}")


def schedule(machine):
    """Two cycles of --wait 3 --active 2: recording ends and begins again."""
    _, directory = capture(machine, machine.program(14), "--wait", "3", "--active", "2", "--repeat", "2")
    check_steps(directory, [3, 4, 8, 9], {**machine.kernels, **machine.of_graph})


def graphs(machine):
    """CUDA graphs, node by node and as a whole, from a step in the middle on."""
    _, directory = capture(machine, machine.program(8), "--wait", "3", "--active", "2")
    check_steps(directory, [3, 4], {**machine.kernels, **machine.of_graph})
    _, directory = capture(machine, machine.program(8), "--wait", "3", "--active", "2", "--whole-graphs")
    check_steps(directory, [3, 4], machine.kernels, but=["whole_graphs"])
    found = counts(directory)
    whole = sum(count for name, count in found.items() if name.startswith("CUDA graph "))
    check("one graph a step, and no kernels of it", whole == 2 and not machine.of_graph.keys() & found.keys(), found)


def second_profiler(machine):
    """A second profiler in the program: its trace is not cut, and ours ends where it began."""
    steps = 60
    result, directory = capture(machine, machine.with_second_profiler(steps))
    said = re.search(r"another profiler .* \d+\.\d s after the capture began; nothing was recorded after that", result.stderr)
    check("what happened and when", said, result.stderr)
    replayed = answer("replay", directory)
    before = steps_of(replayed)
    check("the steps before", 0 < len(before) < steps and before == list(range(len(before))), replayed)
    check("check reads it", "files" in answer("check", directory), answer("check", directory))


def threads(machine):
    """32 threads that launch 57 kernels each in every step, with a buffer of CUPTI 13 for each."""
    _, directory = capture(machine, machine.program(8, "many"), "--wait", "3", "--active", "2")
    check_steps(directory, [3, 4], {"small_kernel": THREADS * LAUNCHES, **machine.kernels})


CASES = {case.__name__: case for case in (cost, schedule, graphs, second_profiler, threads)}
names = CASES if sys.argv[2] == "all" else [sys.argv[2]]
subject = Fake(*sys.argv[3:5]) if len(sys.argv) > 3 else Gpu()
for name in names:
    print(f"{name}:", flush=True)
    CASES[name](subject)
sys.exit(verdict())

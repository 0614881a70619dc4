#!/usr/bin/env python3
"""gpu.py STEPSIM: captures gpu_program.cu on a real GPU, replays it, and prints the overhead of capturing. Needs nvcc,
a GPU and libcupti.so; if one is absent, reports that and skips."""
import os
import shutil
import statistics
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "cli"))
from checks import STEPSIM, answer, check, run, verdict  # noqa: E402

STEPS = 60
nvcc = shutil.which("nvcc") or shutil.which("nvcc", path="/usr/local/cuda/bin")
if not os.path.exists("/dev/nvidia0"):
    sys.exit(print("skipped: a GPU is absent"))
if nvcc is None:
    sys.exit(print("skipped: nvcc is absent"))

with tempfile.TemporaryDirectory() as work:
    program, traces = os.path.join(work, "gpu_program"), os.path.join(work, "traces")
    run(nvcc, "-O2", "-arch=native", "-o", program, os.path.join(HERE, "gpu_program.cu"), "-ldl").check_returncode()

    def median_step(*before):
        """The median step in ns, for five alternating runs."""
        result = run(*before, program, str(STEPS), text=True)
        check("the program runs", result.returncode == 0, result.stderr)
        return int(result.stdout), result.stderr

    free, captured = [], []
    for turn in range(5):
        free.append(median_step()[0])
        step, said = median_step(STEPSIM, "capture", "--warmup", "5", "--dir", os.path.join(traces, str(turn)), "--")
        captured.append(step)
        print(said, end="")
    whole = answer("replay", os.path.join(traces, "0"))
    check("all steps behind the warm-up", len(whole["steps"]) == STEPS - 5, len(whole["steps"]))
    check("replay error under 1 %", abs(whole["iteration"]["error"]) < 0.01, whole["iteration"])
    off = whole["iteration"]["measured_ns"] / captured[0] - 1
    check("steps are as long as by the host's clock", abs(off) < 0.02, f"{off:.2%}")
    lost = [entry for entry in whole["ingest"]["diagnostics"] if entry["name"] not in ("not used:",)]
    print("diagnostics:", lost)
    stats = answer("stats", os.path.join(traces, "0"), "--by", "name")
    count = {row["name"].split("(")[0]: row["count"] for row in stats["inputs"][0]["rows"]}
    for name, times in (("forward_layer", 8), ("backward_layer", 8), ("reduce_bucket", 4), ("optimizer_step", 3)):
        check(f"{times} kernels {name} a step", count.get(name) == times * (STEPS - 5), count.get(name))
    cost = statistics.median(captured) / statistics.median(free) - 1
    print(f"a step takes {statistics.median(free) / 1e3:.1f} us free, {statistics.median(captured) / 1e3:.1f} us captured: {cost:+.2%}")
sys.exit(verdict())

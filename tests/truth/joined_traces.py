#!/usr/bin/env python3
"""joined_traces.py STEPSIM: answers about small records of situations in which parts of a trace are hard to join, and about
a capture whose launch queue is full. They are in a folder next to the checkout; what is absent is skipped."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "cli"))
from checks import SHARED, check, quietly, verdict  # noqa: E402

RECORDS = os.path.join(os.path.dirname(SHARED), "findings", "ingest")
NANOGPT = os.path.join(os.path.dirname(SHARED), "truth/cluster/nanogpt-8xh100")
QUEUE = os.path.join(NANOGPT, "hook-pair/current-rank0.json.gz")


def answer(*arguments):
    run = quietly(*arguments, "--json")
    check(f"{arguments}: is answered", run.returncode == 0, run)
    return json.loads(run.stdout) if run.returncode == 0 else {}


def change(trace, what):
    return answer("whatif", trace, "--set", what)["scenario"]["change"]


def replay(name):
    return answer("replay", os.path.join(RECORDS, name))


def near(what, found, expected, by):
    check(what, found is not None and abs(found - expected) <= by, (found, expected))


def found_in(name):
    return {finding["name"] for finding in answer("check", os.path.join(RECORDS, name))["findings"]}


def records():
    # 8.8 of 10 ms are kernels that the CPU waits for; the syncs end 0.5 us before their recorded ends
    near("early syncs: half of the kernels' time", change(os.path.join(RECORDS, "sync-ends-500ns-before-its-kernel"), "device.factor=0.5"), -0.44, 0.005)
    near("correlations that are used again: step", replay("correlation-ids-reused")["iteration"]["replayed_ns"], 10e6, 1e5)
    near("rcclGenericKernel communicates", replay("kernel-name-k-rccl")["breakdown"][0]["communication_ns"], 1.5e6, 1e4)
    for name in ("seq-two-groups-of-equal-ranks", "seq-pipeline-of-3", "seq-coalesced"):
        check(f"{name}: all match", "unmatched_collective" not in found_in(name), found_in(name))
    check("a queue that is waited for: a faster GPU helps", change(os.path.join(RECORDS, "xpu-urQueueFinish"), "device.factor=0.5") < -0.2)
    near("a wait for another GPU: step", replay("wait-across-devices")["unexplained_wait_ns"], 0, 1e4)
    windows = replay("windows-on-two-hosts-7s-apart")["steps"]
    check("windows of two hosts: two steps on both ranks", [step["rank"] for step in windows] == [0, 0, 1, 1], windows)
    launched_before = replay("work-launched-before-the-first-step")
    for part, expected in (("compute_ns", 6e6), ("communication_ns", 4e6), ("exposed_communication_ns", 4e6)):
        near(f"a GPU three steps behind: {part}", launched_before["breakdown"][0][part], expected, 1e4)
    near("work that spans the first mark is not lost", launched_before["iteration"]["worst_abs_error"], 0, 1e-6)
    first_waits = replay("first-step-waits-for-other-ranks")["breakdown"][0]
    near("a first step that waits for others: exposed", first_waits["exposed_communication_ns"], 90e3, 1e3)
    overflow = replay("kernel-duration-overflow")
    near("a duration that overflows: iteration", overflow["iteration"]["replayed_ns"], 10e6, 5e4)
    early = replay("kernels-before-their-launch-2s")
    check("kernels before their launch: their step is set aside", {"rank": 0, "step": 5} in early["set_aside"], early["set_aside"])
    near("kernels before their launch: the others are answered", early["iteration"]["replayed_ns"], 10e6, 5e4)
    check("kernels before their launch: nothing is called lost", "lost_kernels" not in found_in("kernels-before-their-launch-2s"))
    merged = replay("two-ranks-merged-in-one-file")
    check("two ranks in one file: two ranks", merged["ranks"] == [0, 1], merged["ranks"])
    near("two ranks in one file: iteration", merged["iteration"]["replayed_ns"], 10e6, 5e4)
    check("two ranks in one file: said", "several_processes" in found_in("two-ranks-merged-in-one-file"))
    item = os.path.join(RECORDS, "item-waits-without-runtime-calls")
    check("a wait for a value without runtime calls: a faster network helps", change(item, "network.bandwidth=10x") < -0.3)
    apart = replay("ranks-of-two-hosts-3ms-apart")
    check("clocks 3 ms apart: one job", "untied_ranks" not in found_in("ranks-of-two-hosts-3ms-apart"), apart["assumptions"])
    for table, row in (("a-16ranks", b"ranks: 16, hosts: 2"), ("b-16ranks-first-hash-lost", b"ranks: 16, hosts: 2"), ("e-rows-broken-by-NCCL_DEBUG", b"1190200ns")):
        cluster = quietly("calibrate", "--nccl-tests", os.path.join(RECORDS, "nccl-tests", table + ".txt"), "-o", "-.yaml").stdout
        check(f"{table}: {row.decode()}", row in cluster, cluster)


if not os.path.isdir(RECORDS) or not os.path.exists(QUEUE):
    print(f"skipped: {RECORDS} or {QUEUE} does not exist")
    sys.exit(0)
records()
job = answer("replay", os.path.join(NANOGPT, "8-ranks"))
early = [sentence for sentence in job["assumptions"] if "collectives before that of rank 0" in sentence]
check("eight ranks that begin at different collectives: rank 4 and ranks 5 to 7",
      [("rank 4 " in one, "ranks 5-7 " in one) for one in early] == [(True, False), (False, True)], job["assumptions"])
near("eight ranks: replay error", job["iteration"]["worst_abs_error"], 0, 0.002)
slowest = job["stragglers"][0]
check("eight ranks: rank 1 arrives last in 16 of 76", (slowest["rank"], slowest["last_in"], slowest["collectives"]) == (1, 16, 76), slowest)
near("a full launch queue: kernels twice as fast", change(QUEUE, "compute.scale=0.5"), -0.375, 0.075)
# Measured without the profiler, over 2,245 steps each: -0.31 ms a step. Every second step has these reductions.
hooks = answer("whatif", QUEUE, "--set", "comm.start=gradient")
saved = hooks["baseline"]["iteration_ns"] - hooks["scenario"]["iteration_ns"]
near("reductions in hooks: ms saved by a step, half of that of a step that has them", saved / 2e6, 0.31, 0.06)
check("reductions in hooks: the range includes the measured change",
      hooks["scenario"]["low_ns"] <= hooks["baseline"]["iteration_ns"] * 62.72 / 63.03 <= hooks["scenario"]["high_ns"], hooks["scenario"])
already = answer("whatif", os.path.join(NANOGPT, "hook-pair/hook-rank0.json.gz"), "--set", "comm.start=gradient")
near("reductions that are in hooks already stay", already["scenario"]["change"], 0, 1e-9)
sys.exit(verdict())

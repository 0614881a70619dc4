#!/usr/bin/env python3
"""check_captures.py STEPSIM SAMPLE: tests the verdicts of `check`. Real captures are in a folder next to the checkout;
those that are absent are skipped. Each must get the verdict and the findings that an expert would give
(../shared/traces/README.md)."""
import json
import os
import sys
import tempfile

from checks import SHARED, check, quietly, verdict, write
from made_traces import paused_trace

SAMPLE = os.path.abspath(sys.argv[2])

# capture, verdict, {finding: cost}, findings that must be absent
EXPECTED = [
    ("kineto/launches-no-kernels-a100.json.gz", "unusable", {"launches_without_device_work": "prevents"}, []),
    ("kineto/sampled-rank0-mismatched.json.gz", "unusable", {"sampled_operators": "prevents", "missing_ranks": "weakens"}, []),
    ("chakra/resnet_et.json.gz", "doubtful", {"no_times": "weakens"}, ["nothing_measured"]),
    ("chakra/feeder.0.et.gz", "doubtful", {"no_times": "weakens"}, ["nothing_measured"]),
    ("other/horovod-timeline-resnet.json.gz", "doubtful", {"no_compute": "weakens"}, ["no_times"]),
    ("kineto/resnet-2080ti.json.gz", "good", {"no_shapes": "weakens"}, ["no_steps", "missing_ranks"]),
    ("fresh/param-linear/linear_kineto.json.gz", "good", {"no_shapes": "weakens"}, ["no_steps"]),
    ("fresh/pair-ddp-naive-overlap/a-naive.json.gz", "doubtful", {"no_steps": "weakens"}, ["repetition_contradicted"]),
    ("fresh/mi300-ddp/mi300-ddp-rank0of8.json.gz", "good", {"missing_ranks": "weakens"}, ["no_steps", "repetition_contradicted"]),
    ("kineto/two-windows-one-process", "doubtful", {"no_steps": "weakens"}, ["missing_ranks"]),
    ("kineto/edge-cpu_only.json.gz", "good", {"missing_ranks": "weakens", "no_device_events": "note"}, ["no_sync_events"]),
    ("kineto/alexnet-syncs.json.gz", "doubtful", {"no_steps": "weakens"}, ["no_sync_events"]),
    ("kineto/event-sync.json.gz", "good", {"no_shapes": "weakens"}, ["no_sync_events"]),
    ("kineto/ddp-a100-rank0of2.json.gz", "good", {"missing_ranks": "weakens", "no_shapes": "weakens"}, ["no_collective_sizes"]),
    ("kineto/v100-rank1of2-5steps.json.gz", "good", {"missing_ranks": "weakens", "no_collective_sizes": "weakens", "no_shapes": "weakens"}, []),
    ("kineto/dlrm-8ranks", "doubtful", {"late_start": "weakens", "one_step": "blurs"}, ["missing_ranks", "no_collective_sizes"]),  # its ranks start 7.5 of 19.9 ms apart
    ("kineto/diff-test-v100-rank1of2.json.gz", "doubtful", {"graph_test_off": "weakens"}, ["late_start"]),  # a guess without a graph is better
    ("kineto/llama-tp2", "doubtful", {"no_steps": "weakens", "no_shapes": "weakens"}, ["missing_ranks"]),
    ("kineto/rocm-mi210-gpu-only.json.gz", "doubtful", {"no_operators": "weakens", "no_steps": "weakens"}, []),
    ("kineto/rocm-mi250.json.gz", "good", {"one_step": "blurs"}, ["sampled_operators"]),
    ("kineto/ascend-ddp-2ranks", "good", {"python_recorded": "blurs"}, ["missing_ranks", "launches_without_work"]),
    ("kineto/edge-triton_example.json.gz", "doubtful", {"silent_host": "weakens"}, []),
    ("pytorch-cpu/transformer-all-options.pt.trace.json.gz", "good", {"python_recorded": "blurs"}, ["no_steps"]),
    ("other/tensorflow1-timeline-gpu.json.gz", "doubtful", {"rows_of_operators": "blurs"}, []),
    ("nsys/full-schema-3.17.2.sqlite", "doubtful", {"missing table: CUPTI_ACTIVITY_KIND_KERNEL": "prevents"}, []),
    ("hugectr/v1-dlrm-8gpu.prof.json.gz", "doubtful", {"no_dependencies": "prevents", "different_iterations": "weakens"}, ["file_unusable", "no_job"]),
]


def judged(path):
    """Returns the answer, and checks that the exit code agrees with it."""
    run = quietly("check", path, "--json")
    try:
        answer = json.loads(run.stdout)
    except ValueError:
        check(f"{path}: JSON", False, run)
        return None
    check(f"{path}: exit code", run.returncode == (0 if answer["usable"] else 1), run.stderr)
    check(f"{path}: one line of error if it cannot be used", run.stderr.count(b"\n") == (0 if answer["usable"] else 1), run.stderr)
    check(f"{path}: schema", answer["schema"] == "stepsim.check/1" and answer["usable"] == (answer["verdict"] != "unusable"), answer["verdict"])
    order = ["prevents", "exposes", "weakens", "blurs", "note"]
    costs = [order.index(finding["cost"]) for finding in answer["findings"]]
    check(f"{path}: the dearest first", costs == sorted(costs), costs)
    return answer


def captures():
    absent = 0
    for name, expected, findings, without in EXPECTED:
        path = os.path.join(SHARED, name)
        if not os.path.exists(path):
            absent += 1
            continue
        answer = judged(path)
        if answer is None:
            continue
        found = {finding["name"]: finding["cost"] for finding in answer["findings"]}
        check(f"{name} is {expected}", answer["verdict"] == expected, (answer["verdict"], found))
        for finding, cost in findings.items():
            check(f"{name}: {finding} {cost}", found.get(finding) == cost, found)
        check(f"{name} lacks no more", not set(without) & set(found), found)
        check(f"{name}: what can be mended says how", all(f["remedy"] for f in answer["findings"] if f["name"] in ("no_steps", "no_shapes", "missing_ranks")))
        text = quietly("check", path).stdout.decode().splitlines()[0]
        check(f"{name}: the first line is the verdict", text == answer["sentence"] and text.startswith({"good": "Good: ", "doubtful": "Usable with doubts: ", "unusable": "Not usable: "}[expected]), text)
    print(f"{absent} captures are not beside the checkout")


def other_formats():
    answer = judged(SAMPLE)
    check("the sample is good", answer["verdict"] == "good" and answer["whole_steps"] == 3 and answer["ranks"] == 2, answer["sentence"])
    with tempfile.TemporaryDirectory() as folder:
        graph = write(folder, "x.json", '{"hosts": 1, "tasks": [{"id": 0, "host": 0, "compute_ns": 5, "after": []}], "links": [], "routes": []}')
        answer = judged(graph)
        check("a task graph", answer["verdict"] in ("good", "unusable"), answer["sentence"])
        for name, text in (("notes.txt", "no trace\n"), ("cut.json", '{"traceEvents": [{"ph"'), ("empty.json", ""), ("list.json", "[]"), ("array.json", '{"traceEvents": []}')):
            answer = judged(write(folder, name, text))
            check(f"{name} cannot be used, and why", answer["verdict"] == "unusable" and answer["findings"][0]["sentence"], answer)
        run = quietly("check", os.path.join(folder, "absent.json"))
        check("a file that is not there is an error", run.returncode == 1 and not run.stdout and run.stderr.startswith(b"error: "), run)
        for extension in ("json", "md", "csv", "xlsx", "sqlite", "parquet", "html"):
            path = os.path.join(folder, f"out.{extension}")
            run = quietly("check", SAMPLE, "-o", path)
            check(f"-o .{extension}", run.returncode == 0 and os.path.getsize(path) > 0, run)
        path = os.path.join(folder, "out.json")
        run = quietly("check", os.path.join(folder, "notes.txt"), "-o", path)
        check("what cannot be used is written too", run.returncode == 1 and json.load(open(path))["verdict"] == "unusable", run)


def pauses():
    each = 28_990_000  # paused_trace()
    length = 80_000_000 + 7 * each
    with tempfile.TemporaryDirectory() as folder:
        path = write(folder, "paused.json", paused_trace())
        answer = judged(path)
        found = next((finding for finding in answer["findings"] if finding["name"] == "pauses"), {})
        check("7 pauses", found.get("count") == 7 and found["cost"] == "weakens" and abs(found["share"] - 7 * each / length) < 0.01, found)
        check("are a doubt", answer["verdict"] == "doubtful", answer["sentence"])
        said = [{"rank": 0, "count": 7, "paused_ns": 7 * each}]

        def paused(*arguments):
            listed = json.loads(quietly("replay", *arguments, "--json").stdout)["pauses"]
            return [{key: value for key, value in one.items() if key != "recorded_ns"} for one in listed]

        check("replay says so", paused(path) == said, paused(path))
        check("in text, too", b"Rank 0 did not run in 7 pauses, 202.9 ms of its 282.9 ms" in quietly("replay", path).stdout, quietly("replay", path).stdout)
        for factor in (0, 0.5, 1):
            answer = json.loads(quietly("whatif", path, "--set", f"host.pauses={factor}", "--json").stdout)
            change = answer["scenario"]["mean_effect"]["change"]
            check(f"host.pauses={factor} takes a part of them away", abs(change + (1 - factor) * 7 * each / length) < 1e-6, change)
        stored = os.path.join(folder, "paused.stepsim")
        quietly("convert", path, "-o", stored)
        check("a stored part keeps them", paused(stored) == said, paused(stored))
        ranks = [write(folder, f"rank{rank}.json", paused_trace(rank, 2)) for rank in (0, 1)]
        combined = os.path.join(folder, "ranks.json.gz")
        quietly("combine", *ranks, "-o", combined)
        check("a combined trace keeps them", paused(combined) == [said[0], {**said[0], "rank": 1}], paused(combined))
        check("--anonymous keeps them", paused(path, "--anonymous") == said)
        check("--steps leaves some out", paused(path, "--steps", "0-2") == [{"rank": 0, "count": 3, "paused_ns": 3 * each}], paused(path, "--steps", "0-2"))


captures()
other_formats()
pauses()
sys.exit(verdict())

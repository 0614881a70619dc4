#!/usr/bin/env python3
"""cut_outs.py STEPSIM: `convert --steps --ranks --select --min-duration -o OUT.trace.json`. The extracted part is
compared with a count made here from the trace's JSON, and is read back by stepsim. Captures are in a folder next to
the checkout; those absent are skipped. A trace made here has all features that matter to the extraction."""
import gzip
import json
import os
import sys
import tempfile

from checks import NIGHTLY, SHARED, answer, check, one_line, quietly, verdict, write

CAPTURES = ["ns-resolution-5steps", "ddp-a100-rank0of2", "gpt2-cuda-graphs-no-sync"] + ["v100-rank1of2-5steps"] * NIGHTLY
CALLS = {"cuda_runtime", "cuda_driver", "hip_runtime", "Runtime"}
MARK = "ProfilerStep#"


def load(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
        return json.load(file)


def is_span(event):
    return event.get("ph") == "X"


def is_mark(event):
    return is_span(event) and event["name"].startswith(MARK)


def steps_of(trace):
    return sorted({int(e["name"][len(MARK):]) for e in trace["traceEvents"] if is_mark(e)})


def spans_in_steps(trace, first, last):
    """Spans that begin on the host in these steps, or are launched there, without marks and spans of devices."""
    events = trace["traceEvents"]
    marks = [e for e in events if is_mark(e) and e.get("cat") != "gpu_user_annotation" and first <= int(e["name"][len(MARK):]) <= last]
    begin, end = min(e["ts"] for e in marks), max(e["ts"] + e["dur"] for e in marks)
    launched = {}
    for e in events:
        if is_span(e) and e.get("cat") in CALLS and "correlation" in e.get("args", {}):
            launched.setdefault(e["args"]["correlation"], e["ts"])
    time = lambda e: launched.get(e.get("args", {}).get("correlation"), e["ts"])
    return [e for e in events if is_span(e) and not is_mark(e) and e.get("cat") != "gpu_user_annotation" and begin <= time(e) < end]


def texts(events):
    return sorted(json.dumps(e, sort_keys=True) for e in events)


def check_valid(what, cut, whole, known):
    """`known` are the texts of the events of `whole`."""
    check(f"{what}: every record is as it was", set(texts(cut["traceEvents"])) <= known)
    places = {(str(e["pid"]), str(e["tid"]), e["ts"]) for e in cut["traceEvents"] if is_span(e)}
    arrows = {}
    for e in cut["traceEvents"]:
        if e.get("ph") in ("s", "t", "f"):
            check(f"{what}: an arrow's end lies on an event", (str(e["pid"]), str(e["tid"]), e["ts"]) in places, e)
            arrows.setdefault((e["cat"], e["id"]), set()).add(e["ph"])
    check(f"{what}: arrows have both ends", all({"s", "f"} <= ends for ends in arrows.values()), arrows)
    rows = {(str(e["pid"]), str(e["tid"])) for e in cut["traceEvents"] if e["ph"] != "M"}
    processes = {process for process, _ in rows}
    for e in cut["traceEvents"]:
        if e["ph"] == "M":
            there = (str(e["pid"]), str(e["tid"])) in rows if e["name"].startswith("thread_") else str(e["pid"]) in processes
            check(f"{what}: names are of rows that are there", there, e)
    members = lambda trace: {key: value for key, value in trace.items() if key != "traceEvents"}
    check(f"{what}: members beside the events stay", members(cut) == members(whole))
    return len(arrows)


def captures():
    for name in CAPTURES:
        path = os.path.join(SHARED, "kineto", f"{name}.json.gz")
        if not os.path.exists(path):
            print(f"{name} is not beside the checkout")
            continue
        whole = load(path)
        known = set(texts(whole["traceEvents"]))
        first, last = steps_of(whole)[1:3]
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "out.trace.json")
            said, cut = answer("convert", path, "--steps", f"{first}-{last}", "-o", out), load(out)
            arrows = check_valid(name, cut, whole, known)
            check(f"{name} has arrows", arrows > 0)
            found = [e for e in cut["traceEvents"] if is_span(e) and not is_mark(e) and e.get("cat") != "gpu_user_annotation"]
            check(f"{name}: the steps' events", texts(found) == texts(spans_in_steps(whole, first, last)), len(found))
            check(f"{name}: the counts", said["events"] + said["flows"] + said["metadata"] == len(cut["traceEvents"]) and said["records"] == len(whole["traceEvents"]), said)
            check(f"{name}: the marks", steps_of(cut) == [first, last], steps_of(cut))
            before = answer("replay", path, "--steps", f"{first}-{last}")
            after = answer("replay", out)
            check(f"{name}: read back, the iteration is the same", before["iteration"]["measured_ns"] == after["iteration"]["measured_ns"], (before["iteration"], after["iteration"]))
            out = os.path.join(folder, "out.trace.json.gz")
            quietly("convert", path, "--select", "category=kernel", "--min-duration", "100us", "-o", out)
            cut = load(out)
            check_valid(f"{name}, long kernels", cut, whole, known)
            found = [e for e in cut["traceEvents"] if is_span(e) and not is_mark(e)]
            check(f"{name}: long kernels", texts(found) == texts(e for e in whole["traceEvents"] if is_span(e) and not is_mark(e) and e.get("cat") == "kernel" and e["dur"] >= 100), len(found))


def trace(rank, marks=(1, 2, 3)):
    events = [{"ph": "M", "name": "process_name", "pid": 10, "tid": 0, "args": {"name": "python"}},
              {"ph": "M", "name": "thread_name", "pid": 10, "tid": 1, "args": {"name": "main"}},
              {"ph": "M", "name": "thread_name", "pid": 10, "tid": 2, "args": {"name": "only in step 1"}},
              {"ph": "X", "cat": "cpu_op", "name": "aten::early", "pid": 10, "tid": 2, "ts": 1100, "dur": 10}]
    for n in marks:
        t = 1000 * n
        events += [{"ph": "X", "cat": "user_annotation", "name": f"{MARK}{n}", "pid": 10, "tid": 1, "ts": t, "dur": 900},
                   {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 10, "tid": 1, "ts": t + 800, "dur": 5.5, "args": {"correlation": n}},
                   {"ph": "s", "id": n, "pid": 10, "tid": 1, "ts": t + 800, "cat": "ac2g", "name": "ac2g"},
                   # It runs after the next step has begun, but belongs to the step that launched it.
                   {"ph": "X", "cat": "kernel", "name": "sgemm", "pid": 0, "tid": 7, "ts": t + 1050, "dur": 20, "args": {"correlation": n, "device": 0, "stream": 7}},
                   {"ph": "f", "id": n, "pid": 0, "tid": 7, "ts": t + 1050, "cat": "ac2g", "name": "ac2g", "bp": "e"},
                   {"ph": "i", "name": "[memory]", "pid": 10, "tid": 1, "ts": t + 5, "s": "t"}]
    return {"schemaVersion": 1, "distributedInfo": {"backend": "nccl", "rank": rank, "world_size": 2}, "traceEvents": events, "traceName": "x"}


def made_traces():
    with tempfile.TemporaryDirectory() as folder:
        paths = [write(folder, f"rank{rank}.json", json.dumps(trace(rank))) for rank in (0, 1)]
        out = os.path.join(folder, "out.trace.json")
        run = quietly("convert", paths[0], "--steps", "2", "-o", out)
        cut = load(out)
        names = [(e["ph"], e["name"]) for e in cut["traceEvents"]]
        check("a step", run.returncode == 0 and sorted(names) == sorted([
            ("M", "process_name"), ("M", "thread_name"), ("X", f"{MARK}2"), ("X", "cudaLaunchKernel"), ("s", "ac2g"), ("X", "sgemm"), ("f", "ac2g"), ("i", "[memory]")]), names)
        check("numbers are as they were written", '"dur": 5.5' in open(out).read())
        check_valid("a step", cut, trace(0), set(texts(trace(0)["traceEvents"])))
        run = quietly("convert", *paths, "--ranks", "1", "-o", out)
        check("--ranks", run.returncode == 0 and load(out)["distributedInfo"]["rank"] == 1 and len(load(out)["traceEvents"]) == len(trace(1)["traceEvents"]), run)
        parts = os.path.join(folder, "parts", "of step 2") + "/"
        run = quietly("convert", *paths, "--steps", "2", "-o", parts, "--json")
        check("several ranks into a folder", run.returncode == 0 and sorted(os.listdir(parts)) == ["rank0.json", "rank1.json"], run)
        quietly("convert", paths[1], "--steps", "2", "-o", out)
        check("each is cut as by itself", open(os.path.join(parts, "rank1.json")).read() == open(out).read())
        said = json.loads(run.stdout)
        check("counts of all and of each", said["events"] == sum(one["events"] for one in said["files"]) > 0
              and [one["input"] for one in said["files"]] == paths, said)
        check("a folder of the cuts is a job", answer("replay", parts)["ranks"] == [0, 1])
        check("no cut replaces what it is cut from", one_line(quietly("convert", *paths, "--steps", "2", "-o", folder), 2)
              and load(paths[0]) == trace(0))
        job = os.path.dirname(write(folder, "job/rank0.json", json.dumps(trace(0))))
        left_out = [write(job, "job.yaml", "framework: pytorch-ddp\n"), write(job, "notes.txt", "our notes\n")]
        run = quietly("convert", job, "--steps", "2", "-o", out, "--json")
        check("a folder with a job.yaml is cut, and what is not cut is listed", run.returncode == 0 and steps_of(load(out)) == [2]
              and sorted(json.loads(run.stdout)["left_out"]) == left_out, run)
        run = quietly("convert", job, "--steps", "2", "-o", os.path.join(folder, "of job/"))
        check("and is cut into a folder", run.returncode == 0 and os.listdir(os.path.join(folder, "of job")) == ["rank0.json"], run)
        other = write(folder, "other/rank0.json", json.dumps(trace(5)))
        check("two files of one name", one_line(quietly("convert", paths[0], other, "--steps", "2", "-o", os.path.join(folder, "new/")), 2))
        check("--ranks into a folder", quietly("convert", *paths, "--ranks", "0", "-o", os.path.join(folder, "one/")).returncode == 0
              and os.listdir(os.path.join(folder, "one")) == ["rank0.json"])
        run = quietly("convert", paths[0], "--select", "class=gemm", "-o", out)
        check("--select leaves marks of steps", sorted(e["name"] for e in load(out)["traceEvents"] if is_span(e)) == [f"{MARK}1", f"{MARK}2", f"{MARK}3"] + ["sgemm"] * 3, run)
        check("and no arrow without its begin", not [e for e in load(out)["traceEvents"] if e["ph"] in "sf"])
        write(folder, "cut.json", open(paths[0]).read()[:-900])
        run = quietly("convert", os.path.join(folder, "cut.json"), "--steps", "1-2", "-o", out)
        check("a file that is cut off gives whole JSON", run.returncode == 0 and steps_of(load(out)) == [1, 2], run)
        os.remove(out)
        for what, code, *arguments in (
                ("several ranks", 2, *paths, "--steps", "2"), ("steps that are not there", 2, paths[0], "--steps", "7-9"),
                ("ranks that are not there", 2, *paths, "--ranks", "5"), ("a wrong key", 2, paths[0], "--select", "nam=x"),
                ("a wrong time", 2, paths[0], "--min-duration", "5"), ("nothing left", 2, paths[0], "--steps", "2", "--select", "name=nothing", "--ranks", "3"),
                ("another format", 2, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../scenarios/samples/byteps-even"), "--min-duration", "1us")):
            check(what, one_line(quietly("convert", *arguments, "-o", out), code) and not os.path.exists(out), quietly("convert", *arguments, "-o", out))
        check("--select to another form", one_line(quietly("convert", paths[0], "--select", "name=x", "-o", os.path.join(folder, "x.csv")), 2))


captures()
made_traces()
sys.exit(verdict())

#!/usr/bin/env python3
"""comm_json.py STEPSIM SAMPLES: `convert -o comm.json`. The written file is compared with a count made here from the
source JSON, and with what stepsim reads back. Captures are in a folder next to the checkout; those absent are
skipped."""
import gzip
import json
import os
import re
import shutil
import sys
import tempfile
from collections import Counter
from decimal import Decimal

from checks import SHARED, answer, check, one_line, quietly, verdict, write

SAMPLES = os.path.abspath(sys.argv[2])
KINETO = os.path.join(SHARED, "kineto")
CAPTURES = ["v100-rank1of2-5steps", "ddp-a100-rank0of2"]
CALLS = {"cuda_runtime", "cuda_driver", "Runtime"}
MARK = "ProfilerStep#"


def load(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
        return json.load(file, parse_float=Decimal)  # a double is too coarse for nanoseconds since 1970


def nanoseconds(microseconds):
    whole = Decimal(microseconds) * 1000
    return int(whole)


def event(tensor, stage, start, length, key, base):
    process = f"Comm.{tensor}"
    return (process if stage is None else f"{process}.{stage}", process, base + nanoseconds(start), nanoseconds(length), key)


def events_of(trace):
    return [(e["name"], e["pid"], nanoseconds(e["ts"]), nanoseconds(e["dur"]), e["tid"]) for e in trace["traceEvents"]]


def operation(kernel):
    return kernel.split("_")[1].split("(")[0].lower()


def expected_of(trace):
    """The expected events: the k-th kernel of an operation in a step is a tensor with one stage, and its total begins
    at the launching call."""
    spans = [e for e in trace["traceEvents"] if e.get("ph") == "X"]
    marks = sorted((e["ts"], e["ts"] + e["dur"], e["name"]) for e in spans
                   if e["name"].startswith(MARK) and e.get("cat", "").lower() != "gpu_user_annotation")
    launched = {e["args"]["correlation"]: e["ts"] for e in spans if e.get("cat") in CALLS and "correlation" in e.get("args", {})}
    kernels = sorted((e for e in spans if e.get("cat", "").lower() == "kernel" and e["name"].startswith("nccl")), key=lambda e: e["ts"])
    counts, expected, keys, base = Counter(), [], {}, trace.get("baseTimeNanoseconds", 0)
    for e in kernels:
        call = launched.get(e["args"]["correlation"], e["ts"])
        # A step lasts until the next one's mark.
        step = max((i for i, mark in enumerate(marks) if mark[0] <= call), default=None)
        if marks and (step is None or (step == len(marks) - 1 and call >= marks[-1][1])):
            continue
        op = operation(e["name"])
        tensor = f"{op}.{counts[step, op]}"
        counts[step, op] += 1
        key = keys.setdefault(tensor, len(keys)) << 16
        stage = "BROADCAST" if op in ("allgather", "broadcast") else "REDUCE"
        expected.append(event(tensor, stage, e["ts"], e["dur"], str(key), base))
        expected.append(event(tensor, None, call, e["ts"] + e["dur"] - call, "total", base))
    return expected


def captures():
    for name in CAPTURES:
        path = os.path.join(KINETO, f"{name}.json.gz")
        if not os.path.exists(path):
            print(f"{name} is not beside the checkout")
            continue
        expected = expected_of(load(path))
        stages = [e for e in expected if e[4] != "total"]
        tensors = {e[1] for e in expected}
        steps = max(Counter(e[0] for e in stages).values())
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "comm.json")
            run = quietly("convert", path, "-o", out, "--json")
            check(f"{name}: written", run.returncode == 0, run)
            said, written = json.loads(run.stdout), load(out)
            check(f"{name}: its events", sorted(events_of(written)) == sorted(expected), (len(written["traceEvents"]), len(expected)))
            counted = {"tensors": len(tensors), "steps": steps, "stages": len(stages), "totals": len(expected) - len(stages)}
            check(f"{name}: the counts {counted}", counted.items() <= said["files"][0].items(), said["files"])
            print(f"{name}: {counted}")
            by_stage = answer("stats", out, "--by", "stage")["inputs"][0]["rows"]
            told = {row["name"]: (row["count"], row["total_ns"]) for row in by_stage if row["name"] != "(none)"}
            truth = {}
            for e in stages:
                stage = e[0].rsplit(".", 1)[1]
                count, total = truth.get(stage, (0, 0))
                truth[stage] = (count + 1, total + e[3])
            check(f"{name}: read back, stages and their times", told == truth, (told, truth))
            by_tensor = answer("stats", out, "--by", "tensor")["inputs"][0]["rows"]
            check(f"{name}: read back, tensors", {f"Comm.{row['name']}" for row in by_tensor if row["name"] != "(none)"} == tensors, len(by_tensor))
            replayed = answer("replay", out)
            found = {step["step"] for step in replayed["steps"]} | {step["step"] for step in replayed["set_aside"]}
            check(f"{name}: read back, steps", len(found) == steps, found)


def copies():
    """If no rank communicates, the file contains only copies between host and device."""
    for name in ("alexnet-syncs", "resnet-2080ti"):
        path = os.path.join(KINETO, f"{name}.json.gz")
        if not os.path.exists(path):
            print(f"{name} is not beside the checkout")
            continue
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "comm.json")
            said, trace = answer("convert", path, "-o", out), load(path)
            check(f"{name}: says that they are copies", said["of_copies"], said)
            base = trace.get("baseTimeNanoseconds", 0)
            expected = Counter((("COPYH2D" if "HtoD" in e["name"] else "COPYD2H"), base + nanoseconds(e["ts"]), nanoseconds(e["dur"]))
                               for e in trace["traceEvents"] if e.get("cat", "").lower() in ("gpu_memcpy", "memcpy") and re.search("HtoD|DtoH", e["name"]))
            found = Counter((e["name"].rsplit(".", 1)[1], nanoseconds(e["ts"]), nanoseconds(e["dur"])) for e in load(out)["traceEvents"] if e["tid"] != "total")
            outside = said["left_out"].get("copies outside of whole steps", 0)
            check(f"{name}: all of them, or counted", not found - expected and sum((expected - found).values()) == outside and sum(found.values()) > 0, (expected - found, found - expected, said["left_out"]))
            print(f"{name}: {sum(found.values())} copies, {outside} outside of whole steps")
            check(f"{name}: read back", quietly("replay", out).returncode == 0)


def byteps_events_stay():
    """Events in BytePS's form stay unchanged, and so does their replay."""
    with tempfile.TemporaryDirectory() as folder:
        plain, out = os.path.join(folder, "plain"), os.path.join(folder, "out")
        for worker in ("0", "1"):
            os.makedirs(os.path.join(plain, worker, "0"))
            shutil.copy(os.path.join(SAMPLES, "byteps-even/traces", worker, "0/comm.json"), os.path.join(plain, worker, "0"))
        shutil.copy(os.path.join(SAMPLES, "byteps-even/job.yaml"), plain)
        run = quietly("convert", plain, "--comm-json", "-o", out + "/")
        check("a folder", run.returncode == 0, run)
        for worker in ("0", "1"):
            before, after = load(os.path.join(plain, worker, "0/comm.json")), load(os.path.join(out, f"worker{worker}/0/comm.json"))
            check(f"worker {worker}: the same events", Counter(events_of(before)) == Counter(events_of(after)))
            check(f"worker {worker}: members in BytePS's order", list(after["traceEvents"][0]) == ["ph", "args", "pid", "name", "ts", "dur", "tid", "cat"], after["traceEvents"][0])
            check(f"worker {worker}: the name again", all(e["args"] == {"name": e["pid"]} and e["cat"] == "Comm" and e["ph"] == "X" for e in after["traceEvents"]))
            check(f"worker {worker}: whole microseconds are integers", all(isinstance(e["ts"], int) and isinstance(e["dur"], int) for e in after["traceEvents"]))
        texts = [open(os.path.join(which, "job.yaml")).read() for which in (plain, out)]
        check("job.yaml comes along", texts[0] == texts[1])
        replays = [answer("replay", which) for which in (plain, out)]
        for one in replays:
            del one["provenance"], one["ingest"], one["clock"]  # these have the names of workers' folders
        same = {key for key in replays[0] if json.dumps(replays[0][key]).replace(plain, "") == json.dumps(replays[1][key]).replace(out, "")}
        check("the replay as before", {"steps", "iteration", "tasks", "edges", "trust", "breakdown"} <= same, set(replays[0]) - same)
        one = os.path.join(folder, "comm.json")
        check("several ranks are not one file", one_line(quietly("convert", plain, "-o", one), 2) and not os.path.exists(one))
        check("one of them is", quietly("convert", plain, "--ranks", "1", "-o", one).returncode == 0 and Counter(events_of(load(one))) == Counter(events_of(load(os.path.join(plain, "1/0/comm.json")))))
        run = quietly("convert", os.path.join(plain, "0/0"), "-o", "-.comm.json")
        check("standard output", Counter(events_of(json.loads(run.stdout))) == Counter(events_of(load(os.path.join(plain, "0/0/comm.json")))), run.stderr)
        packed = os.path.join(folder, "packed.comm.json.gz")
        check("compressed", quietly("convert", plain, "--ranks", "0", "-o", packed).returncode == 0 and events_of(load(packed)) == events_of(load(os.path.join(out, "worker0/0/comm.json"))))
        check("JSON has no other name", one_line(quietly("convert", plain, "--ranks", "0", "--comm-json", "-o", os.path.join(folder, "comm.svg")), 2))
        before = open(os.path.join(plain, "0/0/comm.json"), "rb").read()
        check("an input is not overwritten", quietly("convert", os.path.join(plain, "0/0/comm.json"), "-o", "comm.json", cwd=os.path.join(plain, "0/0")).returncode == 2 and open(os.path.join(plain, "0/0/comm.json"), "rb").read() == before)
        for option in (["--steps", "1"], ["--network", "maxmin"], ["--scrub", "--comm-json"], ["--select", "class=gemm"]):
            check(f"{option[0]} is refused", one_line(quietly("convert", plain, *option, "--comm-json", "-o", out + "/"), 2), option)


def kernel(rank, step, place, name, start, length, **arguments):
    number = 1000 * step + place
    return [{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 10 + rank, "tid": 1, "ts": 100000 * step + 10 * place + 10, "dur": 5, "args": {"correlation": number}},
            {"ph": "X", "cat": "kernel", "name": name, "pid": rank, "tid": 20, "ts": 100000 * step + start, "dur": length, "args": {"correlation": number, "device": rank, "stream": 20, **arguments}}]


def rank_trace(rank):
    """Two steps of two ranks of four: an all-reduce of the captured ranks, one kernel of compute, an all-gather. The
    second rank is late."""
    events = []
    for step in (1, 2, 3):
        events.append({"ph": "X", "cat": "user_annotation", "name": f"{MARK}{step}", "pid": 10 + rank, "tid": 1, "ts": 100000 * step, "dur": 90000})
        late = 100.5 * rank
        events += kernel(rank, step, 0, "sgemm", 500 + late, 300)
        events += kernel(rank, step, 1, "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", 1000 + late, 500 - late)
        events += kernel(rank, step, 2, "ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)", 2000 + late, 250.25 - late)
        events += kernel(rank, step, 3, "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", 3000 + late, 500 - late)
    return {"schemaVersion": 1, "distributedInfo": {"backend": "nccl", "rank": rank, "world_size": 2}, "baseTimeNanoseconds": 0, "traceEvents": events}


def made_ranks():
    with tempfile.TemporaryDirectory() as folder:
        for rank in (0, 1):
            write(folder, f"rank{rank}.json", json.dumps(rank_trace(rank)))
        out = os.path.join(folder, "out")
        run = quietly("convert", *(os.path.join(folder, f"rank{rank}.json") for rank in (0, 1)), "--comm-json", "-o", out + "/", "--json")
        check("two ranks", run.returncode == 0, run)
        said = json.loads(run.stdout)
        check("compute is counted", said["left_out"].get("compute kernels") == 2 * 3, said["left_out"])
        files = [load(os.path.join(out, f"worker{rank}/0/comm.json")) if os.path.exists(os.path.join(out, f"worker{rank}")) else load(os.path.join(out, f"worker0/{rank}/comm.json")) for rank in (0, 1)]
        names = [Counter(e["name"] for e in trace["traceEvents"]) for trace in files]
        stages = {"Comm.allreduce.0.REDUCE": 3, "Comm.allgather.0.BROADCAST": 3, "Comm.allreduce.1.REDUCE": 3}
        check("tensors have the same names on all ranks", all(stages.items() <= one.items() for one in names) and names[0] == names[1], names)
        keys = [{e["name"]: e["tid"] for e in trace["traceEvents"]} for trace in files]
        check("and the same keys", keys[0] == keys[1] and len(set(keys[0].values())) == 4, keys)
        lengths = {e["dur"] for e in files[0]["traceEvents"] if e["name"] == "Comm.allgather.0.BROADCAST"}
        check("parts of a microsecond are kept", lengths == {250.25}, lengths)
        check("step by step", answer("convert", os.path.join(folder, "rank0.json"), "--steps", "2", "--comm-json", "-o", os.path.join(folder, "one.json"))["files"][0]["steps"] == 1)
        alone = rank_trace(0)
        alone["traceEvents"] = [e for e in alone["traceEvents"] if "nccl" not in e["name"]]
        write(folder, "alone.json", json.dumps(alone))
        run = quietly("convert", os.path.join(folder, "alone.json"), "-o", os.path.join(folder, "comm.json"))
        check("no communication is no comm.json", one_line(run, 5), run)


def damaged_captures():
    """If a capture has losses, `convert` reports them for every file that it writes."""
    corpus = os.path.join(SAMPLES, "../../tests/fuzz/corpus/capture_fuzz")
    with open(os.path.join(corpus, "nccl.capture"), "rb") as file:
        whole = file.read()
    with tempfile.TemporaryDirectory() as folder:
        for content, damage, in_first_lines in ((whole, "nccl_events_lost", True), (whole[:len(whole) * 7 // 10], "capture_not_closed", False)):
            capture = write(folder, "a.capture", content)
            for name in ("out.pt.trace.json", "comm.json", "out.trace.json", "out.tasks.json"):
                arguments = ("convert", capture, "-o", os.path.join(folder, name))
                run = quietly(*arguments)
                if run.returncode == 5 and name == "comm.json":
                    continue  # the cut capture has no communication
                text = run.stdout.decode()
                found = [each["name"] for each in answer(*arguments).get("diagnostics", answer(*arguments).get("ingest", {}).get("diagnostics", []))]
                check(f"{name}: {damage} in the text", damage in text and (not in_first_lines or damage in text.splitlines()[1]), text)
                check(f"{name}: {damage} in the JSON", damage in found, found)


captures()
damaged_captures()
copies()
byteps_events_stay()
made_ranks()
sys.exit(verdict())

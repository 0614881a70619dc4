#!/usr/bin/env python3
"""combine.py STEPSIM SAMPLE CAPTURE...: traces that are combined into one give the same tasks when read back.

SAMPLE is a folder of BytePS with two workers. CAPTUREs are other folders with several ranks, skipped if absent."""
import json
import os
import shutil
import sys
import tempfile

from checks import answer, check, one_line, quietly, read, verdict, write

SAMPLE = os.path.abspath(sys.argv[2])
CAPTURES = [os.path.abspath(path) for path in sys.argv[3:]]


def combine(*arguments, **more):
    return quietly("combine", *arguments, **more)


def check_same(what, combined, *originals):
    a, b = answer("replay", combined, "--tasks"), answer("replay", *originals, "--tasks")
    for member in ("tasks", "edges", "iteration", "steps", "tasks_detail", "critical_path"):
        check(f"{what}: {member}", a[member] == b[member], f"{str(a[member])[:200]} | {str(b[member])[:200]}")


def rank_file(folder, rank, host, ahead_us, base_ns):
    """Three steps of a rank whose host's clock is ahead: 100 us of work, then a collective that ends on both ranks at
    the same time."""
    events = [{"ph": "M", "name": "process_name", "pid": 100 + rank, "tid": 0, "args": {"name": "python"}}]
    for step in range(3):
        begin = 1000 + 500 * step + ahead_us
        cpu = dict(ph="X", pid=100 + rank, tid=7, ts=begin)
        events.append(dict(cpu, cat="user_annotation", name=f"ProfilerStep#{step}", dur=500))
        work = 100 + 50 * rank
        for i, (name, start, dur) in enumerate((("gemm", 20, work), ("ncclDevKernel_AllReduce_Sum_f32_RING_LL", 20 + work, 400 - 20 - work))):
            correlation = 10 * step + i + 1
            events.append(dict(cpu, cat="cuda_runtime", name="cudaLaunchKernel", ts=begin + 5 * i, dur=4,
                               args={"correlation": correlation}))
            args = {"correlation": correlation, "stream": 7, "device": rank}
            if i == 1:
                args |= {"Collective name": "allreduce", "In msg nelems": 1000, "Out msg nelems": 1000, "dtype": "Float",
                         "Process Group Ranks": "[0, 1]", "Group size": 2}
            events.append(dict(ph="X", cat="kernel", name=name, pid=rank, tid=7, ts=begin + start, dur=dur, args=args))
            for phase in "sf":
                events.append(dict(ph=phase, id=correlation, cat="ac2g", name="ac2g", pid=rank, tid=7, ts=begin + start))
    return write(folder, f"rank{rank}.json", json.dumps({
        "schemaVersion": 1, "host_name": host, "environment": {"TOKEN": "secret"},
        "distributedInfo": {"rank": rank, "world_size": 2, "backend": "nccl"}, "traceEvents": events, "baseTimeNanoseconds": base_ns}))


def check_clocks(folder):
    # The clock is 300 us ahead, but its times count from 40 us later, so the numbers alone are 260 us ahead.
    ranks = [rank_file(folder, 0, "a", 0, 10**18), rank_file(folder, 1, "b", 300 - 40, 10**18 + 40_000)]
    files = answer("combine", *ranks, "-o", "two.json", cwd=folder)["files"]
    check("offset of the second clock", [file["offset_ns"] for file in files] == [0, 300_000], files)
    text = read(os.path.join(folder, "two.json")).decode()
    events = json.loads(text)["traceEvents"]
    ends = {}
    for event in events:
        if event.get("cat") == "kernel" and "nccl" in event["name"]:
            ends.setdefault(event["pid"], []).append(event["ts"] + event["dur"])
    check("collectives end together", list(ends) == ["rank0.0", "rank1.1"] and len({tuple(end) for end in ends.values()}) == 1, ends)
    check("arguments are kept", all(event["args"]["correlation"] for event in events if event.get("cat") == "kernel"))
    check("ids do not tie ranks", {event["id"].split(".")[0] for event in events if event["ph"] in "sf"} == {"rank0", "rank1"})
    check("no environment", "secret" not in text)
    check_same("two clocks", os.path.join(folder, "two.json"), *ranks)
    again = answer("replay", "two.json", cwd=folder)
    check("clocks are aligned", {host["offset_ns"] for host in again["clock"]["hosts"]} == {0})
    return ranks


def files_of(folder):
    return sorted(os.path.join(at, name) for at, _, names in os.walk(folder) for name in names)


def check_filter(folder):
    made = answer("combine", SAMPLE, "--filter", "Comm.layer0_weight,Comm.byteps.gradient_1.PUSH", "-o", "f.json", cwd=folder)
    events = json.loads(read(os.path.join(folder, "f.json")))["traceEvents"]
    names = {event["name"].split(".", 1)[1] for event in events if event.get("cat") == "Comm"}
    wanted = {name for name in names if name.startswith("Comm.byteps.gradient_0") or name == "Comm.byteps.gradient_1.PUSH"}
    check("only what is named stays", names == wanted and len(names) > 2, names)
    check("operators stay", sum(event.get("cat") == "operator" for event in events) == 198)
    check("what is left out is counted", sum(file["left_out"] for file in made["files"]) + len(names) > len(names))


def check_default_output(folder):
    copy = os.path.join(folder, "job")
    shutil.copytree(SAMPLE, copy)
    before = files_of(copy)
    for first in ("job/traces/0/", "job/traces/0"):  # the second run overwrites the first file
        check("in the current folder", combine(first, "job/traces/1", cwd=folder).returncode == 0)
    check("the file is there", os.path.exists(os.path.join(folder, "combined.json")))
    for inside, trace in ((copy, "."), (os.path.join(copy, "traces"), ".."), (os.path.join(copy, "traces/0"), copy)):
        refused = combine(trace, cwd=inside)
        check("the current folder is part of the input", one_line(refused, 2) and b"expected -o FILE" in refused.stderr, refused.stderr)
    check("nothing is written into the input", files_of(copy) == before)
    write(folder, "combined.json", "{}")
    refused = combine("job/traces/0", "job/traces/1", cwd=folder)
    check("another's file is not overwritten", one_line(refused, 2) and b"-o" in refused.stderr, refused.stderr)


def check_mistakes(folder, ranks):
    gpu = os.path.join(SAMPLE, "traces/0/0")
    for what, code, words, arguments in (
            ("a file and a folder", 2, b"only files or only folders", [gpu, f"{gpu}/comm.json"]),
            ("graphs alone", 1, b"no events", [f"{gpu}/dag.gml", f"{gpu}/gradient_name_list.txt"]),
            ("one trace", 2, b"two or more", [f"{gpu}/comm.json"]),
            ("two kinds", 1, b"one job", [f"{gpu}/comm.json", ranks[0]]),
            ("a missing file", 1, b"no such file", [f"{gpu}/comm.json", "absent.json"]),
            ("standard input", 2, b"read only once", ["-", f"{gpu}/dag.gml"]),
            ("an unknown tensor", 2, b"did you mean 'Comm.layer9_weight'", [SAMPLE, "--filter", "Comm.layer9_weigth"]),
            ("an empty name", 2, b"empty", [SAMPLE, "--filter", "Comm.a,"]),
            ("a filter of other traces", 2, b"BytePS", [*ranks, "--filter", "Comm.a"]),
            ("steps", 2, b"--steps", [SAMPLE, "--steps", "5"]),
            ("a network", 2, b"--network", [SAMPLE, "--network", "maxmin"]),
            ("a combined trace", 2, b"is inside an archive", ["two.json", "two.json"])):
        refused = combine(*arguments, "-o", "never.json", cwd=folder, stdin=open(f"{gpu}/comm.json", "rb"))
        check(what, one_line(refused, code) and words in refused.stderr, refused.stderr)
    check("no mistake leaves a file", not os.path.exists(os.path.join(folder, "never.json")))


def main():
    with tempfile.TemporaryDirectory() as folder:
        for name, extension in (("sample", ".json"), ("packed", ".json.gz")):
            output = os.path.join(folder, name + extension)
            combine(os.path.join(SAMPLE, "traces/0"), os.path.join(SAMPLE, "traces/1"), "-o", output)
            check_same(name, output, SAMPLE)
        for number, capture in enumerate(CAPTURES):
            if not os.path.isdir(capture):
                print(f"skipped: {capture} is absent")
                continue
            output = os.path.join(folder, f"capture{number}.json")
            combine(capture, "-o", output)
            check_same(capture, output, capture)
        check_filter(folder)
        check_default_output(folder)
        check_mistakes(folder, check_clocks(folder))
    return verdict()


sys.exit(main())

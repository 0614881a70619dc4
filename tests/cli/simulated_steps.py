#!/usr/bin/env python3
"""simulated_steps.py STEPSIM SAMPLE: the files and messages of replay --step-num."""
import gzip
import json
import os
import shutil
import sys
import tempfile
from collections import Counter

from checks import answer, check, one_line, quietly, read, verdict

SAMPLE = os.path.abspath(sys.argv[2])


def replay(*arguments, **more):
    return quietly("replay", *arguments, **more)


def events_of(path):
    text = read(path)
    return json.loads(gzip.decompress(text) if path.endswith(".gz") else text)["traceEvents"]


def main():
    with tempfile.TemporaryDirectory() as folder:
        said = answer("replay", SAMPLE, "--step-num", "4", "-o", "synthetic.json", cwd=folder)
        events = events_of(os.path.join(folder, "synthetic.json"))
        # Each of 4 iterations has 33 operators and 16 tensors per rank.
        steps = Counter((event["cat"], event["args"]["step"]) for event in events)
        check("events", steps == {(cat, step): count for cat, count in (("operator", 66), ("Comm", 32)) for step in range(4)}, steps)
        check("the uniform form", all(event["ph"] == "X" and event["name"] == event["args"]["name"] and event["args"]["cnt"] == event["args"]["step"]
                                      for event in events))
        ends = max(event["ts"] + event["dur"] for event in events)
        check("the span", abs(ends * 1000 - said["span_ns"]) < 1, (ends, said["span_ns"]))
        check("an iteration is not the span", 3.9 < said["span_ns"] / said["iteration_ns"] < 4.1, said)
        check("a step a rank", len(said["steps"]) == 8)

        replay(SAMPLE, "--step-num", "4", "--del-queue", "-o", "stages.json.gz", cwd=folder)
        stages = events_of(os.path.join(folder, "stages.json.gz"))
        pushes = [event for event in stages if ".PUSH." in event["name"]]
        check("--del-queue: a push of each partition", len(pushes) == 4 * 2 * 48, len(pushes))
        for tensor in ("Comm.layer3_weight",):
            whole = [event for event in events if event["name"] == tensor and event["pid"] == "0.rank0" and event["args"]["step"] == 2]
            parts = [event for event in stages if event["name"].startswith(tensor + ".") and event["pid"] == "0.rank0"
                     and event["args"]["step"] == 2 and event["cat"] == "Comm"]
            check("an operation spans its stages", len(whole) == 1 and whole[0]["ts"] == min(part["ts"] for part in parts), (whole, parts[:1]))

        check("without -o in the current folder", replay(SAMPLE, "--step-num", "2", cwd=folder).returncode == 0)
        check("ingest", said["ingest"]["events"] == answer("replay", SAMPLE)["ingest"]["events"] > 0, said["ingest"])

        # For a job without job.yaml the first line reports that the servers are assumed.
        shutil.copytree(SAMPLE, os.path.join(folder, "no-job-file"), ignore=shutil.ignore_patterns("job.yaml"))
        guessed = replay("no-job-file", "--step-num", "3", "-o", "guessed.json", cwd=folder)
        check("without job.yaml", guessed.returncode == 0 and b"No job.yaml was found" in guessed.stdout.split(b"\n")[0], guessed)

        for threads in ("1", "3"):
            replay(SAMPLE, "--step-num", "4", "-o", f"{threads}.json", "--threads", threads, cwd=folder)
        check("threads change nothing", events_of(os.path.join(folder, "1.json")) == events_of(os.path.join(folder, "3.json")) == events)
        for what, code, words, arguments in (
                ("no number", 2, b"--step-num", [SAMPLE, "--step-num", "many"]),
                ("no iteration", 2, b"expected 1 to", [SAMPLE, "--step-num", "0"]),
                ("too many tasks", 2, b"too many", [SAMPLE, "--step-num", "1000000", "-o", "x.json"]),
                ("--del-queue alone", 2, b"with --step-num", [SAMPLE, "--del-queue"]),
                ("--tasks", 2, b"without --step-num", [SAMPLE, "--tasks", "--step-num", "2"]),
                ("another extension", 2, b"expected .json", [SAMPLE, "--step-num", "2", "-o", "x.csv"]),
                ("no steps", 5, b"marks", [os.path.join(os.path.dirname(__file__), "../golden/data/two_hosts.json"), "--step-num", "2", "-o", "x.json"])):
            refused = replay(*arguments, cwd=folder)
            check(what, one_line(refused, code) and words in refused.stderr, refused.stderr)
        check("no mistake leaves a file", not any(name.startswith("x.") for name in os.listdir(folder)))
    return verdict()


sys.exit(main())

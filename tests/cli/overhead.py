#!/usr/bin/env python3
"""overhead.py STEPSIM: the profiler's own work, as `stats` and `check` report it. Tested on a trace in Kineto's form
that is made here, and on Nsight Systems' databases next to the checkout, where SQL gives the expected values."""
import json
import os
import sqlite3
import sys
import tempfile

from checks import SHARED, answer, check, verdict, write

TABLES = ["CUPTI_ACTIVITY_KIND_OVERHEAD", "PROFILER_OVERHEAD"]


def by_clock(spans):
    """Returns the length of the union of `spans` (start, end)."""
    total, done = 0, None
    for start, end in sorted(spans):
        start = start if done is None else max(start, done)
        if end > start:
            total, done = total + end - start, end
    return total


def kineto():
    """Two threads flush at the same time, from 10 to 40 us and from 30 to 50 us. CUDA loads a function for 7.5 us."""
    events = [{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 100 * i, "dur": 50} for i in range(10)]
    overhead = [("Buffer Flush", 10, 30), ("Buffer Flush", 30, 20), ("Lazy Function Loading", 200, 7.5), ("Activity Buffer Request", 300, 1)]
    plain = {"schemaVersion": 1, "traceEvents": events}
    whole = {"schemaVersion": 1, "traceEvents": events + [
        {"ph": "X", "cat": "overhead", "name": name, "pid": -1, "tid": 0, "ts": ts, "dur": dur} for name, ts, dur in overhead]}
    with tempfile.TemporaryDirectory() as folder:
        paths = [write(folder, name, json.dumps(trace)) for name, trace in (("plain.json", plain), ("whole.json", whole))]
        found = answer("stats", paths[1])["inputs"][0]["overhead"]
        check("Kineto's events of category overhead", found == [
            {"rank": 0, "kind": "Buffer Flush", "of": "profiler", "count": 2, "total_ns": 50000, "by_clock_ns": 40000, "longest_ns": 30000},
            {"rank": 0, "kind": "Lazy Function Loading", "of": "CUDA", "count": 1, "total_ns": 7500, "by_clock_ns": 7500, "longest_ns": 7500},
            {"rank": 0, "kind": "Activity Buffer Request", "of": "profiler", "count": 1, "total_ns": 1000, "by_clock_ns": 1000, "longest_ns": 1000}], found)
        check("none of them elsewhere", answer("stats", paths[0])["inputs"][0]["overhead"] == [])
        findings = {finding["name"]: finding for finding in answer("check", paths[1])["findings"]}
        # The span is that of the events, from 0 to 950 us. The profiler takes 41 us of it.
        check("check says what it took", abs(findings["profiler_overhead"]["share"] - 41 / 950) < 1e-9 and findings["profiler_overhead"]["cost"] == "note" and
              findings["profiler_overhead"]["count"] == 3, findings.get("profiler_overhead"))
        check("and CUDA", findings["cuda_overhead"]["count"] == 1, findings.get("cuda_overhead"))
        check("neither without", not {"profiler_overhead", "cuda_overhead"} & {finding["name"] for finding in answer("check", paths[0])["findings"]})
        replays = [answer("replay", path) for path in paths]
        check("it is no work of the replay", all(replays[0][key] == replays[1][key] for key in ("steps", "tasks", "edges", "iteration")))
        for event in whole["traceEvents"]:
            if event.get("cat") == "overhead":
                event["dur"] = 100
        write(folder, "whole.json", json.dumps(whole))
        # The overhead is from 10 to 130 us and from 300 to 400 us: 220 of 950.
        findings = {finding["name"]: finding for finding in answer("check", paths[1])["findings"]}
        check("much of it blurs", findings["profiler_overhead"]["cost"] == "blurs" and abs(findings["profiler_overhead"]["share"] - 220 / 950) < 1e-9, findings["profiler_overhead"])


def nsight():
    for name in ("h100-2gpu-1s", "full-schema-3.17.2"):
        path = os.path.join(SHARED, "nsys", f"{name}.sqlite")
        if not os.path.exists(path):
            print(f"{name} is not beside the checkout")
            continue
        database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        there = {row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        spans = {}
        for table in TABLES:
            if table in there:
                for process, kind, start, end in database.execute(
                        f"SELECT globalTid >> 24, (SELECT value FROM StringIds WHERE id = nameId), start, end FROM {table}"):
                    spans.setdefault((process, kind), []).append((start, end))
        expected = sorted((kind, len(of), sum(end - start for start, end in of), by_clock(of), max(end - start for start, end in of))
                          for (_, kind), of in spans.items())
        found = sorted((use["kind"], use["count"], use["total_ns"], use["by_clock_ns"], use["longest_ns"]) for use in answer("stats", path)["inputs"][0]["overhead"])
        check(f"{name}: as SQL counts", found == expected and len(expected) > 0, (found, expected))
        print(f"{name}: {sum(row[1] for row in expected)} records of {len(expected)} kinds and processes")


kineto()
nsight()
sys.exit(verdict())

#!/usr/bin/env python3
"""thousands_of_ranks.py STEPSIM SHARED: processor time and memory of answers about jobs with many more ranks than were
captured. SHARED is the folder of captures made by others (docs/internals/test-data.md).

First it checks an answer about 64 ranks: a change that names every rank makes each one a class of its own
(docs/internals/answers.md, "Classes of ranks"), and the answer must stay the same, to the nanosecond. Like captures are
copies of one, with names and clocks of their own, stored as parts; their answer must be that of the one. It writes
docs/results/thousands-of-ranks.csv to standard output, in about four minutes."""
import csv
import gzip
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

PROGRAM = sys.argv[1]
KINETO = pathlib.Path(sys.argv[2]) / "traces" / "kineto"
DLRM = KINETO / "dlrm-8ranks"
LONE = KINETO / "ddp-a100-rank0of2.json.gz"
GLOO = pathlib.Path(__file__).parents[1] / "scenarios" / "samples" / "pytorch-ddp"  # its collectives overlap
QUESTIONS = [
    ("8 ranks", DLRM, ["cluster.workers=8"]),
    ("64 ranks", DLRM, ["cluster.workers=64"]),
    ("1,024 ranks", DLRM, ["cluster.workers=1024"]),
    ("4,096 ranks", DLRM, ["cluster.workers=4096"]),
    ("4,096 ranks, one slow", DLRM, ["cluster.workers=4096", "straggler{rank=777}.factor=1.5"]),
    ("4,096 ranks like the captured one", LONE, ["cluster.workers=4096"]),
    ("64 ranks over gloo", GLOO, ["cluster.workers=64"]),
    ("1,024 ranks over gloo", GLOO, ["cluster.workers=1024"]),
    ("4,096 ranks over gloo", GLOO, ["cluster.workers=4096"]),
    ("4,096 ranks over gloo like the captured one", GLOO / "traces" / "rank0.pt.trace.json.gz", ["cluster.workers=4096"]),
    ("1,000,000 ranks like the captured one", LONE, ["cluster.workers=1000000"]),
]


LIKE = [64, 256, 1024]


def answer(capture, sets):
    """The answer, processor seconds and megabytes of one what-if, or of a replay if nothing changes."""
    changes = [word for one in sets for word in ("--set", one)]
    command = [PROGRAM, "whatif" if changes else "replay", str(capture), "--json", *changes]
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    out = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"thousands_of_ranks.py: {' '.join(command)} failed")
    return json.loads(out), usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def check(sets):
    of_classes, _, _ = answer(DLRM, sets)
    of_ranks, _, _ = answer(DLRM, [*sets, "straggler{rank=0-63}.factor=1"])
    for member in ("iteration_ns", "of_captured_steps_ns", "in_the_long_run_ns"):
        if of_classes["scenario"][member] != of_ranks["scenario"][member]:
            sys.exit(f"thousands_of_ranks.py: {sets}: {member} is not that of each rank")


def write_parts(folder, count):
    """Writes `count` parts of ranks that do what the captured one does, eight on each host."""
    text = gzip.decompress(LONE.read_bytes()).decode()
    process, base = (re.search(f'"{name}": ?([0-9]+)', text)[1] for name in ("pid", "baseTimeNanoseconds"))
    for rank in range(count):
        host = rank // 8
        own = text.replace('"rank": 0,', f'"rank": {rank},', 1).replace('"world_size": 2', f'"world_size": {count}', 1)
        own = own.replace('"schemaVersion": 1,', f'"schemaVersion": 1, "host_name": "node{host}",', 1)
        own = own.replace(process, str(10_000_000 + rank)).replace(base, str(int(base) + host * 7_000_000_001))
        trace = folder / "trace.json"
        trace.write_text(own)
        subprocess.run([PROGRAM, "convert", trace, "-o", folder / f"rank{rank}.stepsim", "--quiet"], check=True, stdout=subprocess.DEVNULL)
        trace.unlink()


def like_parts(out):
    one, _, _ = answer(LONE, [])
    with tempfile.TemporaryDirectory() as folder:
        for count in LIKE:
            write_parts(pathlib.Path(folder), count)
            found, seconds, megabytes = answer(folder, [])
            if found["iteration"] != one["iteration"] or len(found["ranks"]) != count:
                sys.exit(f"thousands_of_ranks.py: {count} like ranks do not take the step of one")
            classes = len(found.get("rank_classes", [])) or "-"
            out.writerow([f"{count:,} like captures as parts", LONE.name, "", classes, found["iteration"]["measured_ns"],
                          f"{seconds:.2f}", f"{megabytes:.0f}"])
            sys.stdout.flush()


def main():
    check(["cluster.workers=64"])
    check(["cluster.workers=64", "network.bandwidth=0.5x"])
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["question", "capture", "changes", "classes of ranks", "step time (ns)", "processor time (s)", "memory (MB)"])
    for question, capture, sets in QUESTIONS:
        found, seconds, megabytes = answer(capture, sets)
        classes = len(found.get("rank_classes", [])) or "-"
        out.writerow([question, capture.name, " ".join(sets), classes, found["scenario"]["iteration_ns"], f"{seconds:.2f}", f"{megabytes:.0f}"])
        sys.stdout.flush()
    like_parts(out)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""commands.py STEPSIM SHARED TABLE: measures commands on inputs that are slow for their size, and writes a table of
docs/results to standard output:

    check-speed      CPU time of `check`, which reads everything that it is given, beside that of `replay`, which stops
                     where a file cannot be a trace, on archives and traces
    workers-speed    a what-if with its range of a parameter-server job with more workers and servers than its capture

SHARED contains traces/ and truth/ (docs/internals/test-data.md). Each command is checked for the exit code that it must
give."""
import csv
import io
import json
import pathlib
import random
import statistics
import sys
import tarfile
import tempfile
import zipfile

from large_trace import run, text_of


def tar(path, members):
    """Writes a tar file, compressed if its name ends in gz; returns its size before compression."""
    size = 0
    with tarfile.open(path, "w:gz" if path.suffix == ".gz" else "w") as archive:
        for name, data in members:
            header = tarfile.TarInfo(name)
            header.size = len(data)
            archive.addfile(header, io.BytesIO(data))
            size += 512 + len(data)
    return size


def zipped(path, members):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return sum(len(data) for _, data in members)


def named_events(count):
    events = [{"ph": "X", "cat": "cpu_op", "name": f"operator {i:06}", "pid": 1, "tid": 1, "ts": 10 * i, "dur": 5, "args": {"External id": i}} for i in range(count)]
    return json.dumps({"traceEvents": events}).encode()


def inputs(folder, shared):
    """Yields (name, path, size before compression, exit code of both commands)."""
    trace = text_of(shared / "traces/kineto/v100-rank1of2-5steps.json.gz").encode()
    empty = [(f"{i}.json", b"") for i in range(200_000)]
    small = [(f"{i}.txt", b"x" * 400) for i in range(20_000)]
    yield "tar of 200,000 empty members", folder / "empty.tar", tar(folder / "empty.tar", empty), 1
    yield "zip of 200,000 empty members", folder / "empty.zip", zipped(folder / "empty.zip", empty), 1
    yield "tar of 20,000 members of 400 bytes", folder / "small.tar", tar(folder / "small.tar", small), 1
    yield "v100-rank1of2-5steps in a zip", folder / "trace.zip", zipped(folder / "trace.zip", [("trace.json", trace)]), 0
    yield "trace of 300,000 names, each once", folder / "names.json", (folder / "names.json").write_bytes(named_events(300_000)), 0
    lines = b"".join(b"2026-01-01 00:00:00 INFO step %07d loss 0.12345 and more of it\n" % i for i in range(1_000_000))
    yield "log of a million lines in a .tar.gz", folder / "log.tar.gz", tar(folder / "log.tar.gz", [("train.log", lines)]), 1
    noise = random.Random(1).randbytes(60_000_000)
    yield "60 MB of random bytes in a .tar.gz", folder / "noise.tar.gz", tar(folder / "noise.tar.gz", [("data", noise)]), 1


def check_speed(stepsim, shared):
    yield "input", "inflated", "replay", "check"
    with tempfile.TemporaryDirectory() as scratch:
        for name, path, size, status in inputs(pathlib.Path(scratch), shared):
            busy = [statistics.median(run([stepsim, command, str(path), "--quiet"], status)[2] for _ in range(3)) for command in ("replay", "check")]
            yield name, f"{size / 1e6:,.0f} MB", *(f"{seconds:.2f} s" for seconds in busy)


def workers_speed(stepsim, shared):
    base = shared / "truth/ps/vgg-first/base"
    yield "workers", "servers", "wall time", "CPU time", "memory"
    for count in (16, 32, 64):
        wanted = ["--set", f"cluster.workers={count}", "--set", f"cluster.servers={count}"]
        _, wall, busy, memory = run([stepsim, "whatif", str(base / "traces"), "--job", str(base / "job.yaml"), *wanted, "--json", "--quiet"])
        yield count, count, f"{wall:.1f} s", f"{busy:.1f} s", f"{memory / 1e6:,.0f} MB"


TABLES = {"check-speed": check_speed, "workers-speed": workers_speed}

if __name__ == "__main__":
    if len(sys.argv) != 4 or sys.argv[3] not in TABLES:
        sys.exit(__doc__)
    csv.writer(sys.stdout, lineterminator="\n").writerows(TABLES[sys.argv[3]](sys.argv[1], pathlib.Path(sys.argv[2])))

#!/usr/bin/env python3
"""large_trace.py STEPSIM TRACE... [--gigabytes N] [--folder F] [--peers]: measures stepsim's commands on a very large
Kineto trace.

Each TRACE (docs/internals/test-data.md: v100-rank1of2-5steps.json.gz; all files of dlrm-8ranks) is repeated until all
files together have N GB (default 2.7). Each copy has later times than the copy before, and distinct correlations, ids
and step numbers. Then replay, stats, critical-path and the page run on it one after another, a part is cut out and
replayed, and with --peers other tools read it too. Writes docs/results/one-large-trace.csv to standard output: wall
time, CPU time, peak memory, and that memory as a share of the file's size. Answers are checked: tasks and iteration
time of the copies are compared with those of the original, and of the part with those of the whole. Says on standard
error how large the files are, and how long headless Chromium takes for the page if ./dev page has installed it.
--folder keeps the files."""
import argparse
import csv
import gzip
import json
import multiprocessing
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
# The values that differ between copies: times, ids and step numbers.
CHANGED = re.compile(r'"(ts|External id|correlation|id)": (\d+)|ProfilerStep#(\d+)')
FRESH = 100_000_000  # difference between the ids of two copies
LIST, LIST_END = '"traceEvents": [', "\n  ]"
PEERS = {
    "Python's json.load": [sys.executable, "-c", "import json, sys; print(len(json.load(open(sys.argv[1]))['traceEvents']))"],
    "jq '.traceEvents | length'": ["jq", ".traceEvents | length"],
    "JSON.parse of node": ["node", "-e", "console.log(JSON.parse(require('fs').readFileSync(process.argv[1], 'utf8')).traceEvents.length)"],
}


def text_of(path):
    opened = gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8")
    with opened as file:
        return file.read()


def spacing(texts):
    """Returns what is added to times and step numbers from copy to copy, the same for all ranks."""
    times = [float(time) for text in texts for time in re.findall(r'"ts": (\d+(?:\.\d+)?)', text)]
    steps = [int(number) for text in texts for number in re.findall(r"ProfilerStep#(\d+)", text)]
    return {"ts": int(max(times) - min(filter(None, times))) + 1_000_000, None: max(steps) - min(steps) + 1 if steps else 0}


def records_of(text):
    """Returns (the text before the records of a trace, the records, one per line, the text after them)."""
    begin, end = text.index(LIST) + len(LIST), text.rindex(LIST_END)
    records = re.split(r"\n  (?=\{)", text[begin:end])
    return text[:begin], ",\n".join(" ".join(record.split()).rstrip(",") for record in records if record.strip()), text[end:]


def repeat(parts, target, copies, moved):
    """Writes a trace with `copies` copies of its records to `target`."""
    head, records, tail = parts
    pieces, last = [], 0
    for match in CHANGED.finditer(records):
        begin_of, end_of = match.span(2 if match[1] else 3)
        pieces.append((records[last:begin_of], int(records[begin_of:end_of]), moved.get(match[1], FRESH)))
        last = end_of
    with target.open("w", encoding="utf-8") as file:
        file.write(head + "\n")
        for copy in range(copies):
            file.write(",\n" if copy > 0 else "")
            file.write("".join(f"{before}{number + copy * by}" for before, number, by in pieces) + records[last:])
        file.write(tail)


def make(sources, targets, wanted_bytes):
    """Writes the large files; returns the number of copies in them."""
    texts = [text_of(source) for source in sources]
    moved = spacing(texts)
    parts = [records_of(text) for text in texts]
    copies = max(1, round(wanted_bytes / sum(len(records.encode()) for _, records, _ in parts)))
    for part, target in zip(parts, targets):
        repeat(part, target, copies, moved)
    return copies


def run(command, expected=0):
    """Returns (standard output, seconds of wall time, seconds of CPU time, peak memory in bytes)."""
    begin = time.monotonic()
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.DEVNULL if expected else None)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.monotonic() - begin
        out.seek(0)
        if os.waitstatus_to_exitcode(status) != expected:
            sys.exit(f"{' '.join(command)} failed")
        return out.read(), wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


class Report:
    def __init__(self, input_bytes):
        self.input_bytes = input_bytes
        self.table = csv.writer(sys.stdout, lineterminator="\n")
        self.table.writerow(["command", "wall time", "CPU time", "memory", "of the file"])

    def add(self, name, command):
        out, wall, busy, memory = run(command)
        self.table.writerow([name, f"{wall:.1f} s", f"{busy:.1f} s", f"{memory / 1e6:,.0f} MB", f"{memory / self.input_bytes:.2f}"])
        sys.stdout.flush()
        return out


def answer_of(stepsim, arguments):
    return json.loads(run([stepsim, *arguments, "--json", "--quiet"])[0])


def check(what, found, expected, share):
    if abs(found - expected) > share * abs(expected):
        sys.exit(f"large_trace.py: {what} is {found}; expected {expected} within {100 * share:.0f} %")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stepsim")
    parser.add_argument("traces", nargs="+", type=pathlib.Path)
    parser.add_argument("--gigabytes", type=float, default=2.7)
    parser.add_argument("--folder", type=pathlib.Path)
    parser.add_argument("--peers", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        measure(options, options.folder or pathlib.Path(scratch))


def measure(options, folder):
    traces = folder / "large"
    traces.mkdir(parents=True, exist_ok=True)
    files = [traces / source.name.removesuffix(".gz") for source in options.traces]
    # In a separate process, because this process's memory would otherwise count as its children's.
    with multiprocessing.Pool(1) as maker:
        count = maker.apply(make, (options.traces, files, options.gigabytes * 1e9))
    total = sum(file.stat().st_size for file in files)
    print(f"large_trace.py: {len(files)} files, {total / 1e9:.2f} GB, {count} copies", file=sys.stderr)
    stepsim, given = options.stepsim, [str(file) for file in files]
    report = Report(total)
    whole = json.loads(report.add("replay", [stepsim, "replay", *given, "--json", "--quiet"]))
    report.add("stats", [stepsim, "stats", *given, "--quiet"])
    report.add("critical-path", [stepsim, "critical-path", *given, "--quiet"])
    page, part = folder / "page.html", folder / "part.trace.json"
    report.add("replay -o page.html", [stepsim, "replay", *given, "-o", str(page), "--quiet"])
    last = max(step["step"] for step in whole["steps"])
    if len(files) == 1:
        report.add("convert --steps of the last step", [stepsim, "convert", *given, "--steps", str(last), "-o", str(part), "--quiet"])

    original = answer_of(stepsim, ["replay", *map(str, options.traces)])
    check("the number of tasks", whole["tasks"], count * original["tasks"], 0.02)
    if len({step["step"] for step in original["steps"]}) > 1:  # with a single step, the distance is set by this script
        check("the iteration time", whole["iteration"]["measured_ns"], original["iteration"]["measured_ns"], 0.05)
    if part.exists():
        of_step = [step["measured_ns"] for step in whole["steps"] if step["step"] == last]
        cut = answer_of(stepsim, ["replay", str(part)])
        check("the last step, cut out,", max(step["measured_ns"] for step in cut["steps"]), max(of_step), 0.05)
    if (ROOT / "page/node_modules").is_dir():
        out, wall, _, _ = run(["node", str(ROOT / "tests/page/measure.mjs"), str(page)])
        print(out.decode().strip().replace(f"{page}: ", "in Chromium: "), file=sys.stderr)
    for name, command in PEERS.items() if options.peers else ():
        try:
            report.add(name, [*command, given[0]])
        except FileNotFoundError:
            print(f"large_trace.py: {name} is not installed", file=sys.stderr)
        except SystemExit:
            print(f"large_trace.py: {name} cannot read it", file=sys.stderr)


if __name__ == "__main__":
    main()

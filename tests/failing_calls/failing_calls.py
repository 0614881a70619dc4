#!/usr/bin/env python3
"""failing_calls.py STEPSIM LIBRARY [--full] [--seed N] [--only REGEX] [--parallel N]

Makes one call fail while a small job runs: the n-th malloc, read, write, open and so on (fail_nth.cpp), or all
calls from the n-th on. Each run must end in one of two ways, and leave no temporary or half-written file:

- exit 0, with the output and the files of a run without failures
- exit 1, with one line "error: ..." on standard error, and with complete files, either the old or the new ones. If
  a sweep leaves stored points, resuming it must give the output of a run without failures.

Only the first is right if a call was interrupted by a signal, or read or wrote less than requested.

In nightly tests (STEPSIM_NIGHTLY=1) it tries the first malloc from each place in the program. Of each other kind of
call it tries the first six, the last six, and six more that the seed chooses. Otherwise it tries two of each, and
forty of the places. --full tries every call. Exit 1 if a run ends otherwise."""
import argparse
import array
import collections
import concurrent.futures
import gzip
import os
import random
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tarfile
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
KINDS = ["malloc", "read", "write", "open", "stat", "fstat", "rename", "fsync", "thread", "folder", "map"]
HOW = {"read": ["once", "every", "short", "again"], "write": ["once", "every", "short", "again"]}
PLACES = 1_000_000  # fail_nth.cpp records this many mallocs
NIGHTLY = os.environ.get("STEPSIM_NIGHTLY") == "1"
FIRST = 6 if NIGHTLY else 2  # how many of the first and of the last calls of each kind are tried
CHOSEN = 6 if NIGHTLY else 2  # how many of the calls between them are tried, without --full
FROM_PLACES = PLACES if NIGHTLY else 40  # mallocs, each the first from its place
CPU_SECONDS = 5  # a run takes about 0.05 s, however busy the machine is
HANGS = 3000  # seconds after which a run that waits forever is killed
LINE = rb"(error|Fatal Internal Error in libarchive): [^\n]*\n"  # libarchive ends the program itself without memory
OLD = b"what was here before\n"

Case = collections.namedtuple("Case", "job kind at how")
# The program's arguments, the files that it writes in its folder, and a file that it leaves there for --resume if it
# does not finish. The inputs are in the folder `in`.
Job = collections.namedtuple("Job", "name arguments outputs journal", defaults=[None])

JOBS = [
    Job("help", ["replay", "--help"], []),
    Job("kineto", ["replay", "in/gpu_step.json", "--json", "-o", "out.trace.json"], ["out.trace.json"]),
    Job("gzip", ["critical-path", "in/gpu_step.json.gz", "-o", "out.csv"], ["out.csv"]),
    Job("byteps", ["replay", "in/byteps", "-o", "out.json"], ["out.json"]),
    Job("archive", ["replay", "in/byteps.tar", "--network", "maxmin", "--threads", "2"], []),
    Job("graph", ["replay", "in/two_hosts.json", "--tasks", "--json", "-o", "out.tasks.json"], ["out.tasks.json"]),
    Job("workbook", ["critical-path", "in/gpu_step.json", "-o", "out.xlsx"], ["out.xlsx"]),
    Job("database", ["replay", "in/gpu_step.json", "-o", "out.sqlite"], ["out.sqlite"]),
    Job("columns", ["replay", "in/gpu_step.json", "-o", "out.parquet"], ["out.parquet"]),
    Job("compressed", ["replay", "in/gpu_step.json", "-o", "out.pftrace.gz"], ["out.pftrace.gz"]),
    Job("calibrate", ["calibrate", "in/byteps", "-o", "cluster.yaml"], ["cluster.yaml"]),
    Job("whatif", ["whatif", "in/byteps", "--set", "network.bandwidth=2x", "--json", "-o", "out.html"], ["out.html"]),
    Job("sweep", ["sweep", "in/byteps", "-s", "in/grid.yaml", "--threads", "2", "-o", "out.csv"], ["out.csv"], "out.csv.points"),
]


def read(path):
    with open(path, "rb") as file:
        return file.read()


def make_inputs(folder):
    data = os.path.join(ROOT, "tests", "golden", "data")
    for name in ("gpu_step.json", "two_hosts.json"):
        shutil.copy(os.path.join(data, name), folder)
    with open(os.path.join(folder, "grid.yaml"), "w") as file:
        file.write("sweep:\n  network.bandwidth: [1x, 2x]\n  comm.partition_bytes: [1MiB, 4MiB]\n")
    with gzip.open(os.path.join(folder, "gpu_step.json.gz"), "wb") as file:
        file.write(read(os.path.join(data, "gpu_step.json")))
    shutil.copytree(os.path.join(ROOT, "scenarios", "samples", "byteps-even"), os.path.join(folder, "byteps"))
    with tarfile.open(os.path.join(folder, "byteps.tar"), "w") as archive:
        archive.add(os.path.join(folder, "byteps"), "byteps")


class Runner:
    def __init__(self, stepsim, library, inputs):
        self.stepsim, self.library, self.inputs = stepsim, library, inputs

    def run(self, job, more=(), before=None, **order):
        """Returns (exit code, standard output, standard error, files left, counts of calls). The code is None if it
        hung."""
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(self.inputs, os.path.join(folder, "in"))
            log = os.path.join(self.inputs, "..", f"log{os.path.basename(folder)}")
            for name, content in (before or dict.fromkeys(job.outputs, OLD)).items():
                with open(os.path.join(folder, name), "wb") as file:
                    file.write(content)
            environment = {**os.environ, "LD_PRELOAD": self.library, "FAIL_LOG": log, **order}
            child = subprocess.Popen([self.stepsim, *job.arguments, *more], cwd=folder, env=environment,
                                     stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            resource.prlimit(child.pid, resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
            try:
                (out, error), code = child.communicate(timeout=HANGS), child.returncode
            except subprocess.TimeoutExpired:
                child.kill()
                child.communicate()
                code, out, error = None, b"", b""
            counts = struct.unpack(f"{len(KINDS) + 1}Q", read(log))
            os.unlink(log)
            files = {name: read(os.path.join(folder, name)) for name in os.listdir(folder) if name != "in"}
        return code, out, error, files, counts


def problem_of(runner, case, clean, found):
    """Returns what is wrong with a run, or None."""
    code, out, error, files, _ = found
    if code is None:
        return f"not done after {HANGS} s"
    if code == -signal.SIGKILL:
        return f"not done after {CPU_SECONDS} s of processor time"
    if code not in ((0,) if case.how in ("short", "again") else (0, 1)):
        return f"exit {code}: {error[-300:]!r}"
    for name, content in files.items():
        if name == case.job.journal and code == 1:
            again = runner.run(case.job, more=["--resume"], before=files)
            if (again[0], again[1], again[3]) != (clean[0], clean[1], clean[3]):
                return f"with --resume then exit {again[0]}, {len(again[1])} bytes of output, {again[2]!r}"
        elif name not in case.job.outputs:
            return f"it leaves {name}"
        elif content != clean[3][name] and (code == 0 or content != OLD):
            return f"exit {code} with {len(content)} bytes in {name}, {len(clean[3][name])} expected"
    if code == 0 and (out, error) != (clean[1], clean[2]):
        return f"exit 0 with {len(out)} bytes of output, {len(clean[1])} expected; {error[:300]!r} on standard error"
    silent = case.kind == "write" and case.how == "every" and error == b""  # it cannot report that
    if code == 1 and not silent and not re.fullmatch(LINE, error):
        return f"not one 'error: ' line on standard error: {error[:300]!r}"
    return None


def first_from_each_place(runner, job, count):
    """Returns the numbers of the mallocs that are the first from their callers."""
    path = os.path.join(runner.inputs, "..", f"places-{job.name}")
    counts = runner.run(job, FAIL_PLACES=path)[4]
    places = array.array("Q", read(path)[:8 * min(counts[0], PLACES)])
    first = {}
    for number, place in enumerate(places, 1):
        first.setdefault(place, number)
    return [number for number in first.values() if number <= count]


def numbers(count, options, chance):
    """Returns which of the `count` calls of a kind must fail."""
    everything = list(range(1, count + 1))
    if options.full or count <= 3 * FIRST:
        return everything
    between = everything[FIRST:-FIRST]
    return everything[:FIRST] + sorted(chance.sample(between, min(len(between), CHOSEN))) + everything[-FIRST:]


def cases_of(runner, job, counts, options, chance):
    for kind, count in zip(KINDS, counts):
        chosen = numbers(count, options, chance)
        for at in chosen:
            for how in HOW.get(kind, ["once", "every"]):
                yield Case(job, kind, at, how)
        if kind == "malloc" and not options.full:
            places = sorted(set(first_from_each_place(runner, job, count)) - set(chosen))
            yield from (Case(job, kind, at, "once") for at in sorted(chance.sample(places, min(len(places), FROM_PLACES))))


def check(runner, case, clean):
    found = runner.run(case.job, FAIL_CALL=case.kind, FAIL_AT=str(case.at), FAIL_HOW=case.how)
    return case, found, problem_of(runner, case, clean, found)


def check_job(runner, job, options, chance):
    """Prints the failures and a line of counts. Returns the number of runs and of failures."""
    began, failed, tally = time.monotonic(), 0, collections.Counter()
    clean = runner.run(job)
    if clean[0] != 0:
        print(f"FAILED {job.name}: exit {clean[0]} although nothing fails: {clean[2]!r}")
        return 1, 1
    with concurrent.futures.ThreadPoolExecutor(options.parallel) as pool:
        cases = [case for case in cases_of(runner, job, clean[4], options, chance) if re.search(options.only, f"{job.name} {case.kind}")]
        for case, found, problem in pool.map(lambda case: check(runner, case, clean), cases):
            tally[found[0]] += 1
            if problem:
                failed += 1
                print(f"FAILED {job.name}: {case.kind} {case.at} {case.how}: {problem}", flush=True)
    print(f"{job.name}: {sum(tally.values())} runs of {sum(clean[4])} calls, {tally[0]} done, {tally[1]} ended by an error, "
          f"{failed} failed; {time.monotonic() - began:.0f} s", flush=True)
    return sum(tally.values()), failed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("stepsim", type=os.path.abspath)
    parser.add_argument("library", type=os.path.abspath)
    parser.add_argument("--full", action="store_true", help="every n")
    parser.add_argument("--seed", type=int, default=time.time_ns() if NIGHTLY else 1)
    parser.add_argument("--only", default="", help="a regular expression that 'JOB KIND' matches")
    parser.add_argument("--parallel", type=int, default=os.cpu_count())
    options = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with tempfile.TemporaryDirectory() as folder:
        inputs = os.path.join(folder, "in")
        os.mkdir(inputs)
        make_inputs(inputs)
        runner, chance = Runner(options.stepsim, options.library, inputs), random.Random(options.seed)
        results = [check_job(runner, job, options, chance) for job in JOBS if re.search(options.only.split(" ")[0], job.name)]
    runs, failed = (sum(column) for column in zip(*results))
    print(f"{runs} runs with --seed {options.seed}, {failed} failed")
    return 1 if failed or not runs else 0


if __name__ == "__main__":
    sys.exit(main())

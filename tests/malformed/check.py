#!/usr/bin/env python3
"""check.py STEPSIM [--only REGEX] [--sanitizer] [--no-big] [--keep FOLDER]: runs the program on every malformed input,
and checks the expected outcome of each input and the rules for all inputs:

- no signal; exit 0, 1, 2 or 5; within the limits of time and memory
- exit 0: nothing on stderr, and with --json one object on stdout; otherwise one line on stderr that begins "error:
  "
- no control characters on either
- a file that was cut gives the same result as a closed file with its complete events

Exit 1 if a case fails. --sanitizer is for builds with sanitizers, which need more time and memory."""
import argparse
import ctypes
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import big_cases
import byteps_cases
import chakra_cases
import cluster_cases
import execution_trace_cases
import framing_cases
import graph_cases
import job_cases
import kineto_cases
import nsys_cases
import scenario_cases
import trial_cases
from case import Run, replay_of

HANGS = 3000  # seconds after which a child that waits forever is killed
CONTROLS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def write(folder, files):
    for path, content in files.items():
        target = os.path.join(folder, path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        if callable(content):
            content(target)
        else:
            with open(target, "wb") as file:
                file.write(content)


def limits(mebibytes, seconds):
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    if mebibytes:
        resource.setrlimit(resource.RLIMIT_AS, (mebibytes << 20, mebibytes << 20))


def run(stepsim, case, folder, options):
    """Returns the finished Run, its seconds of processor time and its peak memory in MiB."""
    write(folder, case.files)
    seconds = case.seconds * (10 if options.sanitizer else 1)
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = subprocess.Popen([stepsim] + case.arguments, cwd=folder, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                 preexec_fn=lambda: limits(0 if options.sanitizer else 4096, seconds))
        usage = wait(child, HANGS)
        out.seek(0), err.seek(0)
        stdout, stderr = out.read(), err.read().decode("utf-8", "replace")
    return Run(child.returncode, stdout, stderr), usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def wait(child, seconds):
    """Waits for the child and returns its resource usage. Kills it after `seconds`."""
    deadline = time.monotonic() + seconds
    while True:
        pid, status, usage = os.wait4(child.pid, os.WNOHANG)
        if pid:
            child.returncode = os.waitstatus_to_exitcode(status)
            return usage
        if time.monotonic() > deadline:
            child.kill()
        time.sleep(0.002)


def common_problem(run, case, mebibytes, options):
    """Returns the violation of a rule that applies to every input, or None."""
    if run.code == -signal.SIGKILL:  # killed by RLIMIT_CPU or wait()
        return f"not done after {case.seconds} s of processor time, or never"
    if run.code not in (0, 1, 2, 5):
        return f"exit {run.code}: {run.stderr[-300:]!r}"
    if run.code == 0 and run.stderr:
        return f"exit 0, but on stderr: {run.stderr[:300]!r}"
    if run.code != 0 and not (run.stderr.startswith("error: ") and run.stderr.count("\n") == 1 and run.stderr.endswith("\n")):
        return f"not one 'error: ' line on stderr: {run.stderr[:300]!r}"
    if run.code != 0 and run.stdout:
        return f"exit {run.code}, but on stdout: {run.stdout[:100]!r}"
    text = run.stdout.decode("utf-8", "strict") + run.stderr
    if CONTROLS.search(text):
        return f"a control character: {CONTROLS.search(text)!r}"
    if not options.sanitizer and mebibytes > case.mebibytes:
        return f"{mebibytes:.0f} MiB, at most {case.mebibytes} are allowed"
    return None


class Checker:
    def __init__(self, options):
        self.options = options
        self.answers = {}  # answers of twins

    def answer_of(self, case, folder):
        """Returns (problem, run, seconds) of one case."""
        result, seconds, mebibytes = run(self.options.stepsim, case, folder, self.options)
        try:
            problem = common_problem(result, case, mebibytes, self.options)
            if not problem and result.code == 0 and "--json" in case.arguments:
                result.answer = json.loads(result.stdout)
        except ValueError as error:
            problem = f"stdout is no JSON in UTF-8: {error}"
        return problem, result, seconds

    def twin_answer(self, twin):
        if twin.name not in self.answers:
            with tempfile.TemporaryDirectory() as folder:
                problem, result, _ = self.answer_of(twin, folder)
            self.answers[twin.name] = None if problem or result.code != 0 else replay_of(result)
        return self.answers[twin.name]

    def twin_problem(self, case, result):
        if not case.twin or result.code != 0:
            return None
        expected, found = self.twin_answer(case.twin), replay_of(result)
        if expected is None:
            return f"its twin {case.twin.name} gives no answer"
        different = [key for key in expected if expected[key] != found[key]]
        return f"{different[0]} is {found[different[0]]}, its twin {case.twin.name} gives {expected[different[0]]}" if different else None

    def check(self, case):
        """Returns (problem or None, seconds)."""
        with tempfile.TemporaryDirectory() as folder:
            problem, result, seconds = self.answer_of(case, folder)
            if any("PWNED" in names for _, _, names in os.walk(folder)):
                problem = "something from the input was executed"
            problem = problem or case.verdict(result) or self.twin_problem(case, result)
            if problem and self.options.keep:
                shutil.copytree(folder, os.path.join(self.options.keep, case.name), dirs_exist_ok=True, symlinks=True)
        return problem, seconds


def chosen_cases(options):
    modules = [kineto_cases, nsys_cases, chakra_cases, execution_trace_cases, byteps_cases, graph_cases, job_cases, cluster_cases, framing_cases, scenario_cases, trial_cases] + ([] if options.no_big else [big_cases])
    cases, names = [], []
    for module in modules:
        for case in module.cases():
            names.append(case.name)
            if re.search(options.only, case.name):
                cases.append(case)
    assert len(set(names)) == len(names), sorted(name for name in names if names.count(name) > 1)
    # A child's peak memory includes the memory of this process at the fork, so the unused cases' memory is released.
    ctypes.CDLL(None).malloc_trim(0)
    return cases


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("stepsim", type=os.path.abspath)
    parser.add_argument("--only", default="")
    parser.add_argument("--sanitizer", action="store_true")
    parser.add_argument("--no-big", action="store_true")
    parser.add_argument("--keep", help="copy the files of failed cases here")
    checker = Checker(parser.parse_args())
    cases, failed, slowest = chosen_cases(checker.options), 0, (0, "")
    for case in cases:
        problem, seconds = checker.check(case)
        slowest = max(slowest, (seconds, case.name))
        if problem:
            failed += 1
            print(f"FAILED {case.name}: {problem}", flush=True)
    print(f"{len(cases)} malformed inputs, {failed} failed; the slowest took {slowest[0]:.1f} s of processor time ({slowest[1]})")
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Runs ctest, and tests that failed beside others once more, alone.

    cmake/run_tests.py BUILD_FOLDER PRESET [CTEST ARGUMENT...]

A test that starts other programs and talks with them can fail because the machine is busy. If every failed test has one
of the labels RETRIED and passes alone, the run is green, and the last lines name these tests so that they are mended. A
test that fails alone as well, or that also passed only alone in one of the last commits (history.py), is red. Nightly
runs repeat nothing. Failed tests are named with the first line of their output that says why. With STEPSIM_STOP_TIME,
ctest stops at that time, and the tests that did not run are named and red.

With STEPSIM_KEPT=1, tests that passed before on this machine, when all that they read was the same, do not run
(kept_passes.py). With STEPSIM_DOCUMENTS_ONLY=1, only tests that read documents run.
"""
import os
import re
import subprocess
import sys
import time
import xml.etree.ElementTree

import ci
import history
import kept_passes

RETRIED = {"cli", "page", "python", "install", "capture"}
MOST_OUTPUT = 10_000_000  # bytes of a test that passed; enough to see all that it skipped
USE_KEPT = os.environ.get("STEPSIM_KEPT") == "1"


def ctest(build, preset, *arguments):
    """Runs ctest; returns its exit code and the result of each test: its status and its output."""
    report = os.path.join(os.path.abspath(build), "ctest.xml")
    code = subprocess.run(["ctest", "--preset", preset, "--output-junit", report, "--test-output-size-passed", str(MOST_OUTPUT), *arguments]).returncode
    results = {case.get("name"): (case.get("status"), case.findtext("system-out", ""))
               for case in xml.etree.ElementTree.parse(report).iter("testcase")}
    return code, results


def without(names):
    """Returns the arguments of ctest that leave tests out."""
    return ["--exclude-regex", f"^({'|'.join(map(re.escape, names))})$"] if names else []


def passes_alone(build, preset, test):
    print(f"\n{test} failed; it is run once more, alone", flush=True)
    code, _ = ctest(build, preset, "--tests-regex", f"^{test}$".replace(".", r"\."))
    return code == 0


def main():
    build, preset, *arguments = sys.argv[1:]
    stop = ["--stop-time", os.environ["STEPSIM_STOP_TIME"]] if "STEPSIM_STOP_TIME" in os.environ else []
    described = kept_passes.Build(build)
    tests = described.tests("--preset", preset, *arguments)
    unneeded = [name for name, test in tests.items() if kept_passes.DOCUMENTS_ONLY and not described.reads_documents(test)]
    keys = {name: described.key(test) for name, test in tests.items() if name not in unneeded}
    kept = [name for name, key in keys.items() if USE_KEPT and kept_passes.has(key)]
    run = [name for name in keys if name not in kept]
    code, results = ctest(build, preset, *stop, *arguments, *without(unneeded + kept)) if run else (0, {})
    not_run = [test for test in run if test not in results]
    if not_run:
        print(f"red: stopped; did not run: {' '.join(not_run)}")
        return 1
    failed = [test for test, (status, _) in results.items() if status == "fail"]
    may_retry = not os.environ.get("STEPSIM_NIGHTLY") and all(kept_passes.labels_of(tests[test]) & RETRIED for test in failed)
    red = [test for test in failed if not may_retry or history.retried_lately(test) or not passes_alone(build, preset, test)]
    for test in red:
        print(f"red: {test}: {ci.first_fault(results[test][1])}")
    for test in failed:
        if test not in red:
            history.record_passed_alone(test)
            print(f"failed once beside others, passed alone: {test}")
    for test, (status, output) in results.items():
        if status == "run":
            kept_passes.keep(keys[test], test, output)
    kept_passes.forget_old(time.time())
    if unneeded:
        print(f"{len(unneeded)} of {len(tests)} tests did not run, because only documents changed and they read none")
    if kept:
        print(f"{len(kept)} of {len(tests)} tests did not run, because they passed before with the same inputs: {' '.join(kept)}")
    return 1 if red or (code != 0 and not failed) else 0


if __name__ == "__main__":
    sys.exit(main())

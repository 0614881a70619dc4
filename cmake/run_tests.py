#!/usr/bin/env python3
"""Runs ctest, and tests that failed beside others once more, alone.

    cmake/run_tests.py BUILD_FOLDER PRESET [CTEST ARGUMENT...]

A test that starts other programs and talks with them can fail because the machine is busy. If every failed test has one
of the labels RETRIED and passes alone, the run is green, and the last lines name these tests so that they are mended. A
test that fails alone as well, or that also passed only alone in one of the last commits (history.py), is red. Nightly
runs repeat nothing. Failed tests are named with the first line of their output that says why. With STEPSIM_STOP_TIME,
ctest stops at that time, and the tests that did not run are named and red.
"""
import json
import os
import subprocess
import sys
import xml.etree.ElementTree

import ci
import history

RETRIED = {"cli", "page", "python", "install", "capture"}


def ctest(build, preset, *arguments):
    """Runs ctest; returns its exit code and the result of each test: its status and its output."""
    report = os.path.join(os.path.abspath(build), "ctest.xml")
    code = subprocess.run(["ctest", "--preset", preset, "--output-junit", report, *arguments]).returncode
    results = {case.get("name"): (case.get("status"), case.findtext("system-out", ""))
               for case in xml.etree.ElementTree.parse(report).iter("testcase")}
    return code, results


def labels_of(preset, arguments):
    """Returns the labels of each test that these arguments select."""
    listed = subprocess.run(["ctest", "--preset", preset, "--show-only=json-v1", *arguments], capture_output=True, check=True)
    properties = lambda test: {entry["name"]: entry["value"] for entry in test.get("properties", [])}
    return {test["name"]: set(properties(test).get("LABELS", [])) for test in json.loads(listed.stdout)["tests"]}


def passes_alone(build, preset, test):
    print(f"\n{test} failed; it is run once more, alone", flush=True)
    code, _ = ctest(build, preset, "--tests-regex", f"^{test}$".replace(".", r"\."))
    return code == 0


def main():
    build, preset, *arguments = sys.argv[1:]
    stop = ["--stop-time", os.environ["STEPSIM_STOP_TIME"]] if "STEPSIM_STOP_TIME" in os.environ else []
    labels = labels_of(preset, arguments)
    code, results = ctest(build, preset, *stop, *arguments)
    not_run = [test for test in labels if test not in results]
    if not_run:
        print(f"red: stopped; did not run: {' '.join(not_run)}")
        return 1
    failed = [test for test, (status, _) in results.items() if status == "fail"]
    may_retry = not os.environ.get("STEPSIM_NIGHTLY") and all(labels[test] & RETRIED for test in failed)
    red = [test for test in failed if not may_retry or history.retried_lately(test) or not passes_alone(build, preset, test)]
    for test in red:
        print(f"red: {test}: {ci.first_fault(results[test][1])}")
    for test in failed:
        if test not in red:
            history.record_passed_alone(test)
            print(f"failed once beside others, passed alone: {test}")
    return 1 if red or (code != 0 and not failed) else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Prints what must be built to run the tests that a ctest command line selects, one target per line.

    cmake/targets_of_tests.py BUILD_FOLDER [CTEST ARGUMENT...]

Understands -R REGEX and -L REGEX. With other arguments it prints nothing, which means that everything must be built.
ctest knows the cases of a test program only after it was built, so their names are read from the sources.
"""
import argparse
import json
import os
import re
import subprocess
import sys

CASE = re.compile(r"^(?:TYPED_)?TEST(?:_[FP])?\(\s*(\w+),\s*(\w+)\)", re.MULTILINE)


def main():
    build = sys.argv[1]
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("-R", "--tests-regex", default="")
    parser.add_argument("-L", "--label-regex", default="")
    wanted, others = parser.parse_known_args(sys.argv[2:])
    if others or not (wanted.tests_regex or wanted.label_regex):
        return

    targets = set()
    for line in open(os.path.join(build, "generated/test_programs.txt")):
        target, label, *sources = line.rstrip("\n").split(";")
        if not re.search(wanted.label_regex, label):
            continue
        cases = (case for source in sources for case in CASE.findall(open(source).read()))
        if any(re.search(wanted.tests_regex, ".".join(case)) for case in cases):
            targets.add(target)

    # If a test runs a program, the program's file is in the test's command.
    listed = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1", *sys.argv[2:]], capture_output=True)
    for test in json.loads(listed.stdout).get("tests", []):
        command = test.get("command", ["cmake"])
        if os.path.basename(command[0]) == "cmake":
            return  # it installs the whole build
        for word in command:
            if word.startswith(os.path.abspath(build) + "/bin/"):
                targets.add(os.path.basename(word))
    print("\n".join(sorted(targets)))


if __name__ == "__main__":
    main()

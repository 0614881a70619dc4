#!/usr/bin/env python3
"""Prints what must be built to run the tests that a ctest command line selects, one target per line.

    cmake/targets_of_tests.py BUILD_FOLDER [CTEST ARGUMENT...]

Understands -R REGEX, -L REGEX and -LE REGEX. With other arguments it prints nothing, which means that everything must be
built. If ctest runs each case separately, it knows the cases of a test program only after it was built, so their names
are read from the sources.
"""
import argparse
import os
import re
import sys

import kept_passes

CASE = re.compile(r"^(?:TYPED_)?TEST(?:_[FP])?\(\s*(\w+),\s*(\w+)\)", re.MULTILINE)


def main():
    build = os.path.abspath(sys.argv[1])
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("-R", "--tests-regex", default="")
    parser.add_argument("-L", "--label-regex", default="")
    parser.add_argument("-LE", "--label-exclude")
    wanted, others = parser.parse_known_args(sys.argv[2:])
    if others or len(sys.argv) == 2:
        return

    targets = set()
    described = kept_passes.Build(build)
    for target, (label, sources) in described.test_programs.items():
        if not re.search(wanted.label_regex, label) or wanted.label_exclude and re.search(wanted.label_exclude, label):
            continue
        cases = (case for source in sources for case in CASE.findall(source.read_text()))
        if not kept_passes.DOCUMENTS_ONLY and any(re.search(wanted.tests_regex, ".".join(case)) for case in cases):
            targets.add(target)

    built = re.compile(re.escape(build) + r"/(bin/[^/]+|.*\.so)")
    for test in described.tests("--test-dir", build, *sys.argv[2:]).values():
        if kept_passes.DOCUMENTS_ONLY and not described.reads_documents(test):
            continue
        if not test["command"][0].startswith(build):
            targets.add("installed")  # a script, which may run or install anything
        targets.update(found[1] for found in map(built.fullmatch, test["command"]) if found)
    print("\n".join(sorted(targets)))


if __name__ == "__main__":
    main()

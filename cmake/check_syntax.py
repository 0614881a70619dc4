#!/usr/bin/env python3
"""Compiles sources and headers of a build, each alone, without producing output. Warnings are errors, as in the build.

    cmake/check_syntax.py BUILD_FOLDER JOBS < list of sources and headers

Prints the compiler's messages. Exits with 1 if one does not compile."""
import concurrent.futures
import os
import subprocess
import sys

from tidy import compile_flags


def main():
    flags = compile_flags(sys.argv[1])
    files = [os.path.abspath(line.strip()) for line in sys.stdin]
    files = [file for file in files if file in flags or file.endswith(".h")]
    if not files:
        sys.exit("check_syntax: none of these files is part of the build")

    def refused(file):
        if file.endswith(".h"):
            command = [*flags_of_header(file, flags), "-include", file, "-x", "c++", "/dev/null"]
        else:
            command = [*flags[file], file]
        return subprocess.run(["clang++", "-fsyntax-only", *command], stdin=subprocess.DEVNULL).returncode != 0

    with concurrent.futures.ThreadPoolExecutor(int(sys.argv[2])) as pool:
        failed = sum(pool.map(refused, files))
    print(f"{len(files)} sources and headers compiled, {failed} refused")
    return 1 if failed else 0


def flags_of_header(header, flags):
    """Returns the flags of the source that is nearest to a header: the one with the longest beginning in common."""
    return flags[max(flags, key=lambda source: len(os.path.commonprefix([source, header])))]


if __name__ == "__main__":
    sys.exit(main())

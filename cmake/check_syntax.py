#!/usr/bin/env python3
"""Compiles sources of a build without producing output. Warnings are errors, as in the build.

    cmake/check_syntax.py BUILD_FOLDER JOBS < list of sources

Prints the compiler's messages. Exits with 1 if a source does not compile."""
import concurrent.futures
import os
import subprocess
import sys

from tidy import compile_flags


def main():
    flags = compile_flags(sys.argv[1])
    sources = [os.path.abspath(line.strip()) for line in sys.stdin]
    sources = [source for source in sources if source in flags]
    if not sources:
        sys.exit("check_syntax: none of these sources is part of the build")

    def refused(source):
        command = ["clang++", "-fsyntax-only", *flags[source], source]
        return subprocess.run(command, stdin=subprocess.DEVNULL).returncode != 0

    with concurrent.futures.ThreadPoolExecutor(int(sys.argv[2])) as pool:
        failed = sum(pool.map(refused, sources))
    print(f"{len(sources)} sources compiled, {failed} refused")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Runs clang-tidy on many sources of a build.

    cmake/tidy.py BUILD_FOLDER JOBS < list of sources

Most of clang-tidy's time is spent in the headers of other libraries, so sources are checked in batches: one file that
includes several of them. This takes a quarter of the time. The disadvantage is that names declared by one source of a
batch are visible to later ones. Sources that do not compile together, which clang checks first, are put into different
batches. Prints each finding once. Exits with 1 if there are any.
"""

import concurrent.futures
import itertools
import json
import os
import re
import shlex
import subprocess
import sys

BATCH = 12
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + "/"
# These findings are about the file that includes the sources, not about the sources.
BATCH_CHECKS = "--checks=-bugprone-suspicious-include"
FINDING = re.compile(r"^(/[^:\n]+):(\d+):(\d+): (?:error|warning): .*$", re.MULTILINE)


def compile_flags(build):
    """Returns the compiler flags of each source of the build by its path, without input and output files."""
    flags = {}
    for entry in json.load(open(os.path.join(build, "compile_commands.json"))):
        words = shlex.split(entry["command"])
        words = words[next(i for i, word in enumerate(words) if word.startswith("-")):]
        kept, skip = [], False
        for word in words:
            if skip:
                skip = False
            elif word in ("-o", "-c", "-MT", "-MF"):
                skip = True
            elif word != "-MD":
                kept.append(word)
        for source in sources_of(entry["file"]):
            flags.setdefault(source, kept)
    return flags


def sources_of(file):
    """Returns the sources included by a file that CMake generated for a unity build, or the file itself."""
    if "/Unity/unity_" not in file:
        return [file]
    return re.findall('^#include "(.*)"$', open(file).read(), re.MULTILINE)


def split(sources):
    """Returns batches of sources from different folders, which have fewer names in common."""
    count = (len(sources) + BATCH - 1) // BATCH
    return [sources[i::count] for i in range(count)]


class Tidy:
    def __init__(self, build, flags):
        self.flags = flags
        self.folder = os.path.join(build, "tidy")
        os.makedirs(self.folder, exist_ok=True)
        self.numbers = itertools.count()

    def run(self, file, flags, *options):
        command = ["clang-tidy", "--quiet", *options, file, "--", *flags]
        result = subprocess.run(command, capture_output=True, text=True)
        if result.returncode and not FINDING.search(result.stdout):
            return result.stdout + result.stderr
        return result.stdout

    def write(self, sources):
        """Writes a file that includes the sources and returns it with its flags. A single source is returned itself."""
        if len(sources) == 1:
            return sources[0], self.flags[sources[0]]
        file = os.path.join(self.folder, f"batch{next(self.numbers)}.cpp")
        with open(file, "w") as batch:
            batch.writelines(f'#include "{source}"\n' for source in sources)
        pairs = dict.fromkeys(pair for source in sources for pair in self.pairs(source))
        return file, [word for pair in pairs for word in pair]

    def compile_together(self, sources):
        """Returns those of the sources that compile together, and the rest."""
        rest = []
        while len(sources) > 1:
            file, flags = self.write(sources)
            result = subprocess.run(["clang++", "-fsyntax-only", "-w", *flags, file], capture_output=True, text=True)
            if result.returncode == 0:
                break
            errors = {m.group(1) for m in FINDING.finditer(result.stderr)}
            apart = [s for s in sources if s in errors] or sources[len(sources) // 2:]
            if len(apart) == len(sources):
                apart = sources[1:]
            rest += apart
            sources = [s for s in sources if s not in apart]
        return sources, rest

    def batches(self, sources, pool):
        """Returns batches. Tests, which use other libraries, and sources with a private definition are separate."""
        alone = [s for s in sources if any(flag.startswith("-DSTEPSIM_") for flag in self.flags[s])]
        tests = [s for s in sources if s not in alone and re.search("/(tests|bench)/", s)]
        others = [s for s in sources if s not in alone and s not in tests]
        result = [[s] for s in alone]
        while others or tests:
            found = list(pool.map(self.compile_together, split(others) + split(tests)))
            result += [together for together, _ in found]
            left = {s for _, rest in found for s in rest}
            others, tests = ([s for s in part if s in left] for part in (others, tests))
        return result

    def check(self, sources):
        """Returns the output of clang-tidy for these sources."""
        file, flags = self.write(sources)
        options = [] if len(sources) == 1 else [BATCH_CHECKS, "--header-filter=/(model|ingest|sim|scenarios|cli|tests|bench)/.+"]
        return self.run(file, flags, *options)

    def pairs(self, source):
        """Yields the flags of a source, each with its argument."""
        words = iter(self.flags[source])
        for word in words:
            yield (word, next(words)) if word == "-isystem" else (word,)


def findings(output):
    """Returns each finding in the output with the lines that belong to it."""
    starts = [m.start() for m in FINDING.finditer(output)]
    if output.strip() and not starts:
        return [output]
    return [output[start:end] for start, end in zip(starts, starts[1:] + [len(output)])]


def main():
    build, jobs = os.path.abspath(sys.argv[1]), int(sys.argv[2])
    flags = compile_flags(build)
    sources = [os.path.abspath(line.strip()) for line in sys.stdin if line.strip()]
    unknown = [s for s in sources if s not in flags]
    for source in unknown:
        print(f"tidy: not part of the build, not checked: {os.path.relpath(source)}", file=sys.stderr)
    tidy, seen = Tidy(build, flags), {}
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        work = tidy.batches([s for s in sources if s in flags], pool)
        for output in pool.map(tidy.check, work):
            for finding in findings(output):
                if finding.startswith("/") and not finding.startswith(ROOT):
                    continue  # a template of another library; the type of ours that it uses is also reported
                seen.setdefault(finding.split("\n", 1)[0], finding)
    for first_line in sorted(seen):
        print(seen[first_line].rstrip())
    print(f"tidy: {len(sources) - len(unknown)} sources, {len(seen)} findings", file=sys.stderr)
    return 1 if seen else 0


if __name__ == "__main__":
    sys.exit(main())

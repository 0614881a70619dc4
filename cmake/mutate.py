#!/usr/bin/env python3
"""Plants faults in the sources of a room, one after another, and prints those that no test of the room notices.

    cmake/mutate.py JOBS ROOM [COUNT] [SEED]

Chooses COUNT mutations (default 30) evenly over the room's .cpp files: a constant halved or doubled, a comparison
turned, a sign or a logical operator exchanged, a statement dropped. Each is compiled in build/mutate, a copy of the
checkout, without optimisation and with library assertions. Then the tests in tests/ROOM are run, and if these pass, all
unit, theory and property tests that include a header of the room, and the golden tests of stepsim. A mutation is killed
if a test fails, crashes, hangs, or needs more than LIMIT times its usual processor time, or MEMORY. A mutation that does
not compile is replaced by another one. The same seed chooses the same mutations while the sources stay as they are.

tests/mutants.txt lists mutations that may survive, each as its file, the line before and after, and the reason.
"""
import os
import pathlib
import random
import re
import resource
import shutil
import subprocess
import sys

CHECKOUT = pathlib.Path(__file__).resolve().parent.parent
COPY = CHECKOUT / "build/mutate"
BUILD = COPY / "build/release"
LIMIT = 4
SPARE_SECONDS = 5
HANGS = 1800  # seconds after which a test is ended that waits and uses no processor
MEMORY = 8 << 30  # bytes of address space; a mutated loop may allocate without end

# Comments, texts, letters, and lines whose mutation only changes an assertion or the speed.
SKIPPED = re.compile(r"""//.*|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])'|^\s*\#.*
                     |^.*\b(?:static_assert|STEPSIM_ASSERT|reserve)\(.*""", re.VERBOSE)
NUMBER = re.compile(r"(?<![\w.'])(\d[\d']*(?:\.\d+)?(?:e-?\d+)?)(?![\w.']*[>\w])|(?<![\w.'])(\d+)(?=U\b)")
EXCHANGED = {
    "comparison": {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "==": "!=", "!=": "=="},
    "operator": {"+": "-", "-": "+", "*": "/", "/": "*", "&&": "||", "||": "&&", "+=": "-=", "-=": "+=", "++": "--",
                 "std::min": "std::max", "std::max": "std::min", "true": "false", "false": "true"},
}
PATTERN = {
    "comparison": re.compile(r"(?<= )(?:[<>]=?|[=!]=)(?= )"),
    "operator": re.compile(r"(?<= )(?:[-+*/]|&&|\|\||[-+]=)(?= )|\+\+|std::(?:min|max)\b(?=\()|\b(?:true|false)\b"),
}
# Matches a statement on one line. Declarations and jumps do not match, except for a jump after a condition.
DECLARATION = r"\w[\w:<>,&* ]* [\w&*]+(?:[;{(=]| =)"
JUMP = r"(?:return|break|continue|case|default|using|throw|else)\b"
STATEMENT = re.compile(r"^\s+(?:if \(.*\) .*|(?!" + JUMP + r"|\}|" + DECLARATION + r")[\w+*(].*);$")
SUITE = re.compile(r"^TEST(?:_[FP])?\(\s*(\w+)", re.MULTILINE)
BEFORE_STATEMENT = re.compile(r"(?:^|[;{}:])\s*$")


def mutations_of(text):
    """Returns the mutations of a source by operator, each as the index of its line and the new line."""
    found = {"constant": [], "comparison": [], "operator": [], "statement": []}
    lines = text.split("\n")
    before = ""
    for index, line in enumerate(lines):
        code = SKIPPED.sub(lambda match: " " * len(match[0]), line)
        replace = lambda match, new: (index, line[:match.start()] + new + line[match.end():])
        for match in NUMBER.finditer(code):
            found["constant"] += [replace(match, new) for new in other_numbers(match[0])]
        for kind, pattern in PATTERN.items():
            found[kind] += [replace(match, EXCHANGED[kind][match[0]]) for match in pattern.finditer(code)]
        if STATEMENT.match(code) and BEFORE_STATEMENT.search(before):
            found["statement"].append((index, re.match(r"\s*", line)[0] + ";"))
        before = code.rstrip() or before
    return {kind: places for kind, places in found.items() if places}


def other_numbers(number):
    """Returns the number halved and doubled; zero becomes one."""
    value = float(number.replace("'", ""))
    if any(character in number for character in ".e"):
        return [repr(value / 2), repr(value * 2)] if value else ["1.0"]
    return [str(new) for new in {int(value) // 2, int(value) * 2} - {int(value)}] or ["1"]


def choose(room, seed):
    """Yields mutations, each as its file, the file's text, the index of a line and the new line."""
    chance = random.Random(seed)
    left = {file: mutations_of(file.read_text()) for file in sorted((CHECKOUT / room).rglob("*.cpp"))}
    while any(left.values()):
        for file in chance.sample(list(left), len(left)):
            if not left[file]:
                continue
            kind = chance.choice(sorted(left[file]))
            places = left[file][kind]
            yield (file.relative_to(CHECKOUT), file.read_text(), *places.pop(chance.randrange(len(places))))
            if not places:
                del left[file][kind]


def copy_checkout():
    """Makes the copy equal to the checkout. Files that did not change keep their times and are not rebuilt."""
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=CHECKOUT,
                            capture_output=True, text=True, check=True).stdout
    files = {file for file in listed.split("\0") if file and (CHECKOUT / file).is_file()}
    for file in files:
        source, copy = CHECKOUT / file, COPY / file
        if not copy.is_file() or source.read_bytes() != copy.read_bytes():
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, copy)
    for copy in [path for path in COPY.rglob("*") if path.is_file() and not path.is_relative_to(COPY / "build")]:
        if str(copy.relative_to(COPY)) not in files:
            copy.unlink()


def run(*command, log=subprocess.DEVNULL, **options):
    return subprocess.run(command, cwd=COPY, stdout=log, stderr=subprocess.STDOUT, **options).returncode


class Room:
    def __init__(self, jobs, room):
        self.room = room
        os.environ.update(CCACHE_BASEDIR=str(COPY), CCACHE_NOHASHDIR="true")
        copy_checkout()
        settings = ["-DSTEPSIM_BUILD_TESTS=ON", f"-DSTEPSIM_MUTATED={room}", "-DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=gold"]
        if run("cmake", "--preset", "release", *settings) != 0:
            sys.exit("mutate: cmake --preset release failed")
        listed = [line.split(";") for line in (BUILD / "generated/test_programs.txt").read_text().splitlines()]
        self.own, self.others, self.filter = [], ["stepsim"], {}
        for name, label, *sources in listed:
            text_of = {source: pathlib.Path(source).read_text() for source in sources}
            texts = [text for source, text in text_of.items() if f"/tests/{room}/" in source]
            programs = self.own if texts else self.others
            if not texts and re.match("unit|theory|property", label):
                texts = [text for text in text_of.values() if f'#include "{room}/' in text]
            suites = {suite for text in texts for suite in SUITE.findall(text)}
            if suites:
                programs.append(name)
                self.filter[name] = ":".join(f"{suite}.*:*/{suite}.*" for suite in sorted(suites))
        if not self.own:
            sys.exit(f"mutate: no test program has tests in tests/{room}")
        self.jobs, self.seconds = jobs, {}
        if not self.compiles(self.own + self.others, log=None):
            sys.exit("mutate: the unmutated sources do not compile")
        for program in self.own + self.others:
            start = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
            if not self.passes(program):
                sys.exit(f"mutate: {program} fails without a mutation; if a run was killed, remove build/mutate")
            self.seconds[program] = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - start
        self.own.sort(key=self.seconds.get)
        self.others.sort(key=self.seconds.get)

    def compiles(self, programs, **options):
        return run("cmake", "--build", str(BUILD), "--parallel", self.jobs, "--target", *programs, **options) == 0

    def passes(self, program):
        def limit():
            if program in self.seconds and program != "stepsim":  # the golden tests have limits of their own
                seconds = int(self.seconds[program] * LIMIT) + SPARE_SECONDS
                resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

        command = [str(BUILD / "bin" / program), "--gtest_fail_fast", "--gtest_filter=" + self.filter.get(program, "")]
        if program == "stepsim":
            command = ["ctest", "--test-dir", str(BUILD), "--tests-regex", "^golden[.]", "--stop-on-failure"]
        try:
            return run(*command, preexec_fn=limit, timeout=HANGS) == 0
        except subprocess.TimeoutExpired:
            return False

    def noticed_by(self, file, lines):
        """Returns the program that notices these lines in the copy of the file, or ""; None if they do not compile."""
        (COPY / file).write_text("\n".join(lines))
        try:
            if not self.compiles(self.own):
                return None
            red = next((program for program in self.own if not self.passes(program)), None)
            if not red and self.compiles(self.others):
                red = next((program for program in self.others if not self.passes(program)), None)
            return red or ""
        finally:
            shutil.copy(CHECKOUT / file, COPY / file)


def read_accepted():
    """Returns the reason of each mutation in tests/mutants.txt by its file, line before and line after."""
    text = re.sub("^#.*\n", "", (CHECKOUT / "tests/mutants.txt").read_text(), flags=re.MULTILINE)
    entries = [entry.split("\n", 3) for entry in text.strip().split("\n\n") if entry]
    return {(file, before[2:], after[2:]): reason for file, before, after, reason in entries}


def main():
    if not 3 <= len(sys.argv) <= 5 or not (CHECKOUT / sys.argv[2]).is_dir():
        sys.exit("mutate: expected a room, such as model/cost, and then the number of mutations and the seed")
    numbers = [int(number) for number in sys.argv[3:]]
    count, seed = (*numbers, *(30, 1)[len(numbers):])
    room, accepted = Room(sys.argv[1], sys.argv[2].rstrip("/")), read_accepted()
    results = {"killed": 0, "survived": 0, "accepted": 0}
    by_others = 0
    for file, text, index, new in choose(room.room, seed):
        lines = text.split("\n")
        old, lines[index] = lines[index], new
        program = room.noticed_by(file, lines)
        if program is None:
            continue
        reason = accepted.get((str(file), old.strip(), new.strip()))
        result = "killed" if program else "survived" if reason is None else "accepted"
        results[result] += 1
        by_others += program in room.others
        done = sum(results.values())
        print(f"{done}/{count} {result} {program}: {file}:{index + 1}", file=sys.stderr, flush=True)
        if not program:
            print(f"{result}: {file}:{index + 1}\n- {old.strip()}\n+ {new.strip()}\n{reason or ''}", flush=True)
        if done == count:
            break
    killed, survived, may_survive = results.values()
    print(f"{by_others} of the killed ones are noticed only by tests of other folders")
    print(f"{killed + survived + may_survive} mutations: {killed} killed, {survived} survived "
          f"({100 * killed // max(1, killed + survived)} %), {may_survive} accepted")


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("mutate: interrupted; the checkout was not changed")

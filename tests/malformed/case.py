"""Malformed inputs and the expected outcomes."""
import json
import re
from dataclasses import dataclass, field


@dataclass
class Case:
    """One input and its expected outcome. `files` are written into a new folder, and stepsim runs there."""
    name: str
    files: dict                       # path -> bytes, or a function that writes the file at a path
    arguments: list                   # after `stepsim`
    verdict: object                   # returns what is wrong with a Run, or None
    twin: "Case" = None               # another case that must give the same replay
    seconds: int = 20                 # processor time, which does not depend on other programs
    mebibytes: int = 4096


@dataclass
class Run:
    code: int
    stdout: bytes
    stderr: str
    answer: dict = None               # the JSON answer if the exit code is 0


def ingest_of(run):
    return run.answer["ingest"]


def counts_of(run):
    return {d["name"]: d["count"] for d in ingest_of(run)["diagnostics"]}


@dataclass
class Used:
    """Exit 0, with exactly `skipped` skipped records, and each of `diagnostics` counted (exactly, if a number is
    given)."""
    diagnostics: dict = field(default_factory=dict)
    skipped: int = None
    events: int = None

    def __call__(self, run):
        if run.code != 0:
            return f"exit {run.code}, expected 0: {run.stderr[:200]!r}"
        found = counts_of(run)
        for name, count in self.diagnostics.items():
            if name not in found:
                return f"diagnostic {name!r} is missing; there are {found}"
            if count is not None and found[name] != count:
                return f"diagnostic {name!r} counts {found[name]}, expected {count}"
        for key, expected in (("skipped", self.skipped), ("events", self.events)):
            if expected is not None and ingest_of(run)[key] != expected:
                return f"{key} is {ingest_of(run)[key]}, expected {expected}; diagnostics {found}"
        return None


@dataclass
class Refused:
    """Exit 1 (or another `code`), with a line that matches `pattern`: by default a line with a byte offset or line
    number."""
    pattern: str = r"(@\d+|:\d+): .*expected"
    code: int = 1

    def __call__(self, run):
        if run.code != self.code:
            return f"exit {run.code}, expected {self.code}: {run.stderr[:200]!r} {list(counts_of(run)) if run.answer else ''}"
        return None if re.search(self.pattern, run.stderr) else f"no match of {self.pattern!r} in {run.stderr!r}"


def printed(run):
    """Exit 0 and a report. For runs without --json."""
    return None if run.code == 0 and run.stdout else f"exit {run.code}, {len(run.stdout)} bytes; expected a report"


def no_file(name, text=None):
    """A refusal without an offset: a missing file, an empty folder."""
    return Refused(pattern=text or r"error: .*expected")


def replay_of(run):
    """Returns the part of an answer that must be equal for two runs on the same events."""
    return {key: run.answer[key] for key in ("tasks", "edges", "ranks", "steps", "iteration", "unexplained_wait_ns")}


def dumps(value):
    return json.dumps(value, separators=(",", ":"))

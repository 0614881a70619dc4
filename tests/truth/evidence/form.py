"""The form of all evidence: a Row is a question that someone could ask stepsim and whose answer was measured. Each data set
has an adapter in this folder, whose cases(at) yields Cases (a row, and how to ask for it) and LeftOuts (rows that are not
asked, with the reason). bench/evidence.py asks and counts."""
import csv
import dataclasses
import io
import itertools
import json
import pathlib
import re
import shlex
import subprocess
import threading
from concurrent.futures import Future
from typing import Callable, NamedTuple, Optional

HERE = pathlib.Path(__file__).resolve().parent
SOURCES = HERE / "sources.csv"
QUESTIONS = ["replay", "network rate", "ranks", "buckets and partitions", "straggler", "device", "precision", "batch", "loader", "data parallel", "tensor parallel",
             "pipeline", "ZeRO", "experts", "recomputation", "algorithm", "other", "memory", "collective"]
# scaled: all work is multiplied so that one measured step of that machine is right. calibrated: stepsim fitted the machine to one measured step.
BASES = ["captured", "modelled", "scaled", "calibrated"]
USE_A_STEP = BASES[2:]
GENERATIONS = {"P100|P4|GTX 10": "Pascal", "V100|TITAN V": "Volta", "T4|RTX 20|Quadro RTX|TITAN RTX": "Turing", "A100|A10|A30|A40|RTX 30|RTX A": "Ampere",
               "L4|L40|RTX 40|Ada": "Ada", "H100|H200|GH200": "Hopper", "B200|RTX 50|RTX PRO": "Blackwell", "MI": "CDNA"}


@dataclasses.dataclass
class Row:
    question: str  # one of QUESTIONS
    source: str  # a name in sources.csv: a publisher and a machine
    benchmark: str  # a model or program; the benchmarks of a source weigh equally
    name: str  # says what is asked; with question, source and base it identifies the row
    base: str  # one of BASES
    mode: str  # training, inference, kernel or collective
    hosts: str  # one or several
    model: str  # kind of model: transformer, convolutions, product, ...
    generation: str  # of the devices: "Ampere", or "Ampere to Hopper"; "CPU" without any
    precision: str  # "bf16", or "bf16 to fp8"
    unit: str  # s, us, GiB, or ratio (after / before)
    measured: float
    noise: Optional[float] = None  # relative, where repeats or controls show it
    peer: Optional[float] = None  # what the predictor says that sources.csv names as the source's peer
    predicted: Optional[float] = None
    low: Optional[float] = None
    high: Optional[float] = None
    sources_low: Optional[float] = None  # the range before it is widened (Range::factor)
    sources_high: Optional[float] = None
    caution: str = ""  # yes if the answer has one
    findings: str = ""  # those of the capture that weaken such answers
    refused: str = ""  # stepsim's reason

    @property
    def key(self):
        return self.question, self.source, self.base, self.name


COLUMNS = [field.name for field in dataclasses.fields(Row)]
NUMBERS = {"measured", "noise", "peer", "predicted", "low", "high", "sources_low", "sources_high"}


class Answer(NamedTuple):
    """What stepsim says; members are those of Row."""
    predicted: float
    low: Optional[float] = None
    high: Optional[float] = None
    sources_low: Optional[float] = None
    sources_high: Optional[float] = None
    caution: str = ""
    findings: str = ""

    def each(self, function):
        """Returns the answer with other numbers."""
        return Answer(*(value if value is None or isinstance(value, str) else function(value) for value in self))

    def times(self, factor):
        return self.each(lambda value: value * factor)

    def over(self, before):
        """The ratio to another answer, whose own error is not counted."""
        return self.times(1 / before.predicted)


class Case(NamedTuple):
    row: Row
    ask: Callable[["Program"], Answer]


class Run(NamedTuple):
    """A measured step of a model, and how to ask for it."""
    name: str
    words: tuple  # of `stepsim model`
    settings: tuple
    seconds: float


class LeftOut(NamedTuple):
    source: str
    question: str
    reason: str
    rows: int = 1


class At(NamedTuple):
    shared: pathlib.Path
    measured: pathlib.Path  # the unpacked tests/truth/data


class Refused(Exception):
    """stepsim refused a question, for the reason in the text."""


class NotDescribed(Exception):
    """stepsim has no family of models like this one."""


class Program:
    """Runs stepsim. Each question is asked once, and each model and machine is written once, even by several threads."""

    def __init__(self, path, folder):
        self.path, self.folder = path, pathlib.Path(folder)
        self.lock, self.done, self.numbers = threading.Lock(), {}, itertools.count()

    def once(self, key, function):
        with self.lock:
            found, mine = self.done.get(key), key not in self.done
            if mine:
                found = self.done[key] = Future()
        if mine:
            try:
                found.set_result(function())
            except BaseException as fault:  # for the threads that wait for it
                found.set_exception(fault)
        return found.result()

    def file(self, name):
        return self.folder / f"{next(self.numbers)}-{name}"

    def run(self, *words):
        done = subprocess.run([self.path, *map(str, words), "--quiet"], stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if done.returncode != 0:
            raise Refused((done.stderr.strip().splitlines() or [f"ends with {done.returncode}"])[0].removeprefix("error: ").replace(str(self.folder), ""))
        return done.stdout

    def json(self, *words):
        """Returns the answer with --json."""
        return self.once(words, lambda: json.loads(self.run(*words, "--json", "--threads", "1")))

    def whatif(self, capture, *settings, options=()):
        return self.json("whatif", capture, *(word for setting in settings for word in ("--set", setting)), *options)

    def model(self, *words):
        """Returns the file of a step of this model (the words of `stepsim model`)."""
        def write():
            file = self.file("model.json")
            try:
                self.run("model", *words, "-o", file)
            except Refused as fault:
                if "no such file" in str(fault):  # the name of a family that stepsim does not know
                    raise NotDescribed(f"no configuration: stepsim model has no family '{words[0]}'") from None
                raise
            return file
        return self.once(("model", *words), write)

    def table(self, runs):
        """Returns a file of these runs, as `stepsim calibrate` reads it."""
        lines = [{"name": run.name, "model": shlex.join(map(str, run.words)), "step_s": run.seconds} | dict(setting.split("=", 1) for setting in run.settings) for run in runs]
        file = self.file("runs.csv")
        file.write_text(as_csv(dict.fromkeys(key for line in lines for key in line), lines), encoding="utf-8")
        return file

    def machine(self, *runs):
        """Returns the file of the machine that stepsim fits to these runs."""
        def fit():
            file = self.file("machine.yaml")
            self.json("calibrate", "--measured", self.table(runs), "-o", file)
            return file
        return self.once(("machine", *runs), fit)

    def ask(self, run, *others):
        """Returns the answer for a run; if there are others, on the machine that is fitted to them."""
        return self.whatif(self.model(*run.words), *run.settings, options=("--machine", self.machine(*others)) if others else ())


def rows_of(path):
    with open(path, newline="", encoding="utf-8-sig") as file:
        return list(csv.DictReader(file))


def step(answer):
    """Returns the step of the answer to a what-if, in seconds."""
    times = (answer["scenario"][key] / 1e9 for key in ("iteration_ns", "low_ns", "high_ns", "sources_low_ns", "sources_high_ns"))
    return Answer(*times, *said_of(answer["capture"]))


def said_of(capture):
    """Returns what Answer has of the capture."""
    return "yes" if capture["caution"] else "", capture["findings"]


def widened(predicted, low, high, factor):
    """Returns a predicted value with its range, and with the range before it was widened by the factor."""
    return predicted, low, high, predicted * (low / predicted) ** (1 / factor), predicted * (high / predicted) ** (1 / factor)


def peak(answer):
    """Returns the peak of memory in the answer to a what-if, in GiB."""
    if not (found := answer.get("memory")):
        raise Refused("the answer has no memory")
    return Answer(*widened(*(found[key] / 2**30 for key in ("peak_bytes", "low_bytes", "high_bytes")), found["range_factor"]), *said_of(answer["capture"]))


def generation(before, after=None):
    """Returns the generations of two devices, named as stepsim does."""
    found = [next((name for pattern, name in GENERATIONS.items() if re.match(pattern, device)), "unknown") for device in (before, after or before)]
    return found[0] if before == (after or before) else " to ".join(found)


def sources():
    """Returns {source: row of sources.csv}."""
    return {row["source"]: row for row in rows_of(SOURCES)}


def written(value):
    return "" if value is None else f"{value:.5g}" if isinstance(value, float) else str(value)


def as_csv(columns, table):
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n", restval="")
    writer.writeheader()
    writer.writerows(table)
    return text.getvalue()


def write_table(path, columns, table):
    path.write_text(as_csv(columns, ({key: written(value) for key, value in row.items()} for row in table)), encoding="utf-8")


def write_rows(path, rows):
    write_table(path, COLUMNS, map(vars, rows))


def read_rows(path):
    return [Row(**{key: (float(value) if value else None) if key in NUMBERS else value for key, value in row.items()}) for row in rows_of(path)]

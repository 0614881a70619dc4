#!/usr/bin/env python3
"""constants.py SHARED [--only NAME...] [--update]: measures how much answers change if a constant of stepsim is 20 %
smaller or larger (a count: by at least one). constants.py --check: checks that docs/results/constants.csv has every constant, with the value in
the source.

Reads docs/results/constants.csv: a row names a constant (kName, or kName.member of a table's line) and its source file;
rows without a file name constants that no answer depends on. In a copy of the sources, the variable
STEPSIM_CONSTANT=kName=FACTOR multiplies the constant. The copy is built once (build/constants), and is asked measured
questions of tests/truth/evidence, and for ingest's constants questions about CAPTURES. For each constant and direction,
prints the mean change of the answers in the group of questions that changes most, with the mean error of that group, or
the answer about a capture that changes most. --update writes both into the last two columns."""
import argparse
import csv
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

import score_evidence
from evidence import form

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLE = ROOT / "docs/results/constants.csv"
COPY = ROOT / "build/constants"

VARY = r"""#pragma once
#include <array>
#include <cmath>
#include <concepts>
#include <cstdlib>
#include <string_view>

#include "model/base/units.h"

namespace stepsim {
inline double varied(std::string_view name) {
  const char* const set = std::getenv("STEPSIM_CONSTANT");
  if (set == nullptr) return 1;
  const std::string_view text = set;
  return text.substr(0, text.find('=')) == name ? std::atof(set + text.find('=') + 1) : 1;
}
inline double vary(std::string_view name, double value) { return value * varied(name); }
inline Duration vary(std::string_view name, Duration value) {
  return Duration{static_cast<std::int64_t>(static_cast<double>(value.count()) * varied(name))};
}
inline Bytes vary(std::string_view name, Bytes value) {
  return Bytes{static_cast<std::int64_t>(static_cast<double>(value.count()) * varied(name))};
}
inline Bandwidth vary(std::string_view name, Bandwidth value) {
  return Bandwidth::from_bytes_per_second(value.bytes_per_second() * varied(name));
}
template <std::integral Count>
Count vary(std::string_view name, Count value) {
  const double factor = varied(name);
  const double least = factor > 1 ? std::ceil(factor - 1) : -std::ceil(1 - factor);
  const double change = std::round(static_cast<double>(value) * (factor - 1));
  return static_cast<Count>(static_cast<double>(value) + (change == 0 ? least : change));
}
template <class T, std::size_t n>
std::array<T, n> vary(std::string_view name, std::array<T, n> values) {
  for (T& value : values) value = vary(name, value);
  return values;
}
}  // namespace stepsim
"""

COUNT = r"int|std::size_t|std::ptrdiff_t|std::u?int\d\d_t"
SCALAR = re.compile(rf"^( *)(?:inline )?constexpr (double|Duration|Bytes|Bandwidth|Latencies|std::array<[^=;{{]*>|std::array|{COUNT}) (k\w+)"
                    r"(?: = ([^;]*)|(\{[^;]*\}));", re.MULTILINE)
FUNCTION = re.compile(r"\bconstexpr (\w+ \w+\([^)]*\)(?: noexcept)? \{[^}]*\})")
# Members of the lines of library.cpp that do not come from a vendor.
LINES = {"Shares": ("matrix", "simple", "bandwidth", "batched"), "Generation": ("floor", "lanes")}


def rows():
    with open(TABLE, newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


def constants():
    """Returns [(name, file)] in the order of the table."""
    return [(name, file) for name, file, *_ in rows()[1:] if file]


INGEST = "ingest/stitch/"  # its constants decide which edges exist; counts are listed, too
ROOMS = ("model/cost/", "model/calibration/", "model/rewrite/", "scenarios/answer/", "scenarios/calibration/", "sim/analysis/", INGEST)
NUMBER = re.compile(r"(?<![\w.])\d[\d.']*")


def value_in_source(name, text):
    """Returns the numbers in the value of a constant or a member."""
    line = re.search(rf"\b{name.split('.')[0]}(?: = ([^;]*)|(\{{[^;]*\}}));", text)
    if line is None:
        return None
    value = line[1] or line[2]
    if name.endswith(".floor"):
        value = re.search(r"Duration\{([^}]*)\}", value)[1]
    elif "." in name:
        value = value.strip("{}").split(", ")[("matrix", "simple", "bandwidth", "is_measured", "batched").index(name.split(".")[1])]
    return NUMBER.findall(value)


def faults():
    """Lists differences between the table and the sources, and constants that are not in it."""
    values = {row[0]: row[2] for row in rows()[1:]}
    found = []
    for name, file in constants():
        value = value_in_source(name, (ROOT / file).read_text(encoding="utf-8"))
        if value != NUMBER.findall(values[name]):
            found.append(f"{name}: {file} has {value}, {TABLE.name} {values[name]}")
    named = {name.split(".")[0] for name in values}
    for path in sorted(path for room in ROOMS for path in (ROOT / room).rglob("*") if path.suffix in (".h", ".cpp")):
        for match in SCALAR.finditer(path.read_text(encoding="utf-8")):
            of_ingest = path.is_relative_to(ROOT / INGEST) and re.fullmatch(COUNT, match[2])
            if (match[2] in ("double", "Duration", "Latencies") or of_ingest) and match[3] not in named:
                found.append(f"{match[3]} of {path.relative_to(ROOT)} is not in {TABLE.name}")
    return found


def varied_scalar(match, wanted):
    indent, kind, name, value, braces = match.groups()
    if name not in wanted:  # its value may depend on a wanted constant
        return match[0].replace("constexpr", "const") if "std::array" not in kind and re.search(r"\bk[A-Z]", value or braces) else match[0]
    kind = "const auto" if kind == "std::array" else f"const {kind}"
    value = value or match[2] + braces
    keyword = "inline" if not indent and match[0].startswith("inline") else "static"
    return f'{indent}{keyword} {kind} {name} = vary("{name}", {value});'


def varied_line(match):
    kind, name, value = match.groups()
    steps = " ".join(f'line.{member} = vary("{name}.{member}", line.{member});' for member in LINES[kind])
    return f"static const {kind} {name} = [] {{ {kind} line{value}; {steps} return line; }}();"


def varied_source(text, file, wanted):
    text = SCALAR.sub(lambda match: varied_scalar(match, wanted), text)
    if file.endswith("device/library.cpp"):
        text = re.sub(r"^constexpr (Shares|Generation) (k\w+)(\{[^;]*\});", varied_line, text, flags=re.MULTILINE)
        text = re.sub(r"^constexpr (Design|auto kForms|auto kDevices)", r"static const \1", text, flags=re.MULTILINE)
        text = re.sub(r"^constexpr (Accelerator device|Form card)\(", r"static \1(", text, flags=re.MULTILINE)
    if not wanted:
        return text
    text = FUNCTION.sub(lambda match: match[0] if wanted.isdisjoint(re.findall(r"\bk\w+", match[1])) else f"inline {match[1]}", text)
    include = '#include "vary.h"\n'
    guard = re.search(r"^#define STEPSIM_\w+\n", text, re.MULTILINE)
    return include + text if guard is None else text[:guard.end()] + include + text[guard.end():]


def build(names):
    sources = COPY / "sources"
    sources.mkdir(parents=True, exist_ok=True)
    tracked = subprocess.run(["git", "-C", ROOT, "ls-files", "-z"], check=True, capture_output=True, text=True).stdout.split("\0")
    for name in filter(None, tracked):
        if name.startswith("tests/") or not (ROOT / name).is_file():
            continue
        text = (ROOT / name).read_bytes()
        is_varied = name.startswith(INGEST) or not name.startswith(("capture/", "cli/", "bench/", "ingest/"))
        if name.endswith((".h", ".cpp")) and is_varied:
            text = varied_source(text.decode(), name, {constant for constant, file in names if file == name}).encode()
        target = sources / name
        if not target.exists() or target.read_bytes() != text:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(text)
    (sources / "vary.h").write_text(VARY)
    cmake = ["cmake", "-S", sources, "-B", COPY / "build", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
             "-DCMAKE_CXX_FLAGS_RELEASE=-O1 -w"]
    subprocess.run(cmake, check=True, stdout=sys.stderr)
    subprocess.run(["cmake", "--build", COPY / "build", "--target", "stepsim"], check=True, stdout=sys.stderr)
    return COPY / "build/cli/stepsim"


def text_of(score):
    """The mean error of a score, and the share of measured times within the predicted ranges."""
    if score.error is None:
        return ""
    return f"{score.error:.1%}" + ("" if score.inside is None else f", {score.inside:.0%}")


def mean_change(new, old):
    return statistics.mean(changes(new, old)) if len(new.predictions) == len(old.predictions) else 1


def changes(new, old):
    """Returns by how much each answer changes. An answer that is refused counts as 0."""
    return [abs(after / before - 1) for after, before in zip(new.predictions, old.predictions) if before]


class MeasuredAnswers:
    """Answers to measured questions; those that are refused are left out of the figures."""

    def __init__(self, rows):
        rows = [row for row in rows if row.predicted]
        self.predictions = [row.predicted for row in rows]
        self.error = statistics.mean(abs(row.predicted / row.measured - 1) for row in rows)
        ranged = [row for row in rows if row.low is not None]
        self.inside = statistics.mean(row.low <= row.measured <= row.high for row in ranged) if ranged else None


def asked(adapter, wanted=lambda row: True, each=1):
    """Returns a function that asks each so-many-th wanted question of an adapter."""
    def score(program, shared):
        with tempfile.TemporaryDirectory() as folder:
            at = form.At(shared, pathlib.Path(folder) / "measured")
            score_evidence.unpack(at.measured)
            cases = [case for case in score_evidence.cases_of([adapter], at)[0] if wanted(case.row)]
            asking = form.Program(program, folder)
            found = score_evidence.side_by_side(lambda case: score_evidence.answer(asking, case), cases[::each])
        return MeasuredAnswers(one for one in found if isinstance(one, form.Row))
    return score


def runs_of(*groups):
    """Asks for our own runs of jobs; the names of groups begin with one of these."""
    return asked("own_runs", lambda row: row.source == "own-namespaces" and row.benchmark.startswith(groups))


PARAMETER_SERVERS = ("even", "vgg", "byteps")
COLLECTIVES = ("ddp", "fsdp", "pipe")
whole_models = asked("models", lambda row: row.question == "device")
kernels = asked("kernels", lambda row: row.source.split("-")[0] != "aiconfigurator")
nccl_tests = asked("collectives", lambda row: row.source.startswith(("aiconfigurator", "h100")), each=4)
loops = asked("collectives", lambda row: row.source.startswith(("vidur", "mleng")))


# Real captures, in which the constants of INGEST matter: launch queues, polling, host collectives, several ranks.
CAPTURES = [f"traces/{name}" for name in (
    "expert-parallel/deepseek-train-1of64-h800.json.gz", "fresh/mi300-ddp", "fresh/pair-ddp-naive-overlap/a-naive.json.gz",
    "kineto/alexnet-syncs.json.gz", "kineto/ascend-ddp-2ranks", "kineto/ddp-a100-rank0of2.json.gz",
    "kineto/deepview-full-launch-queue.json.gz", "kineto/diff-control-a100-rank3of8.json.gz", "kineto/dlrm-8ranks",
    "kineto/event-sync.json.gz", "kineto/gpt2-compile-no-sync.json.gz", "kineto/gpt2-cuda-graphs-no-sync.json.gz",
    "kineto/llama-tp2", "kineto/mi300-resnet18-train.json.gz", "kineto/ns-resolution-5steps.json.gz",
    "kineto/resnet-2080ti.json.gz", "kineto/rocm-mi250.json.gz", "kineto/t4-dataloader-fp32.pt.trace.json.gz",
    "kineto/v100-rank1of2-5steps.json.gz", "nsys/h100-2gpu-1s.sqlite", "pytorch-cpu/transformer-all-options.pt.trace.json.gz")]
CAPTURES += ["findings/ingest/item-waits-without-runtime-calls", "findings/ingest/wait-across-devices", "truth/ddp/ddp-even/base",
             "truth/ddp/ddp-skewed/base", "truth/ddp/pipe-2/base", "truth/fsdp/fsdp-even/base"]
QUESTIONS = ("device.factor: 0.5", "host.scale: 0.5", "network.bandwidth: 2x")


class CaptureAnswers:
    """The step time of each capture and question, 0 if it is refused. Only those of the captured steps were measured."""
    error = inside = None

    def __init__(self):
        self.names, self.predictions = [], []


def captures(program, shared):
    answers = CaptureAnswers()
    with tempfile.TemporaryDirectory() as folder:
        scenario = pathlib.Path(folder) / "questions.yaml"
        scenario.write_text("sweep:\n" + "".join(f"  - {{{question}}}\n" for question in QUESTIONS))
        for capture in CAPTURES:
            sweep = subprocess.run([program, "sweep", shared / capture, "--scenario", scenario, "--json", "--quiet"], capture_output=True, text=True)
            answer = json.loads(sweep.stdout) if sweep.returncode == 0 else {"baseline": {}, "points": [{}] * len(QUESTIONS)}
            answers.names += [f"{capture}, {question}" for question in ("step time", *QUESTIONS)]
            answers.predictions += [point.get("iteration_ns") or 0 for point in (answer["baseline"], *answer["points"])]
    return answers


# By part of the file's path; the first match applies.
SCORES = {f"{INGEST}parameter_server/": {"servers": runs_of(*PARAMETER_SERVERS)},
          INGEST: {"captures": captures, "all-reduces": runs_of(*COLLECTIVES)},
          "device/": {"models": whole_models, "kernels": kernels},
          "collective/": {"collectives": loops, "nccl-tests": nccl_tests},
          "model/": {"runs": runs_of(*PARAMETER_SERVERS, *COLLECTIVES)},
          "": {"models": whole_models, "runs": runs_of(*PARAMETER_SERVERS, *COLLECTIVES)}}


def scores_of(file):
    return next(found for part, found in SCORES.items() if part in file)


LEAST_CHANGE = 0.0005
MUCH_OF_ONE = 0.01  # a change of one answer that is worth a row, even if the others stay


def text_of_change(name, new, old):
    if len(new.predictions) != len(old.predictions):
        return f"{len(old.predictions) - len(new.predictions)} of {len(old.predictions)} refused ({name})"
    if not isinstance(new, CaptureAnswers):
        return f"{mean_change(new, old):.1%} ({name} {text_of(new)})"
    most, which = max(zip(changes(new, old), (name for name, before in zip(old.names, old.predictions) if before)))
    return f"{mean_change(new, old):.1%} (at most {most:.1%}: {which})"


def effects(program, shared, names):
    """Returns {name: (text for -20 %, text for +20 %)}."""
    usual, found = {}, {}
    for constant, file in names:
        texts = []
        for factor in ("0.8", "1.2"):
            best = None
            for name, score in scores_of(file).items():
                os.environ.pop("STEPSIM_CONSTANT", None)
                if name not in usual:
                    usual[name] = score(program, shared)
                os.environ["STEPSIM_CONSTANT"] = f"{constant}={factor}"
                changed = score(program, shared)
                change = mean_change(changed, usual[name])
                if isinstance(changed, CaptureAnswers) and max(changes(changed, usual[name])) > MUCH_OF_ONE:
                    change = max(change, 2 * LEAST_CHANGE)
                moved = (change, changed.inside != usual[name].inside)
                if best is None or moved > best[0]:
                    best = (moved, text_of_change(name, changed, usual[name]))
            texts.append(best[1] if best[0] > (LEAST_CHANGE, False) or best[0][1] else "none")
        found[constant, file] = tuple(texts)
        print(constant, file, *texts, sep="\t", flush=True)
    os.environ.pop("STEPSIM_CONSTANT", None)
    print(*(f"{name} {text_of(score)}" for name, score in usual.items()), sep="; ")
    return found


def update(found):
    updated = [[*row[:4], *found[tuple(row[:2])]] if tuple(row[:2]) in found else row for row in rows()]
    with open(TABLE, "w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows(updated)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shared", type=pathlib.Path, nargs="?")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--only", nargs="+", default=[])
    parser.add_argument("--update", action="store_true")
    options = parser.parse_args()
    if options.check:
        found = faults()
        print(*found, f"{len(found)} faults", sep="\n")
        return 1 if found else 0
    names = constants()
    program = build(names)
    found = effects(program, options.shared, [(name, file) for name, file in names if not options.only or name in options.only])
    if options.update:
        update(found)
    return 0


if __name__ == "__main__":
    sys.exit(main())

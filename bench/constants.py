#!/usr/bin/env python3
"""constants.py SHARED [--only NAME...] [--update]: measures how much answers change if a constant of stepsim is 20 %
smaller or larger. constants.py --check: checks that docs/results/constants.csv has every constant, with the value in
the source.

Reads docs/results/constants.csv: a row names a constant (kName, or kName.member of a table's line) and its source file;
rows without a file name constants that no answer depends on. In a copy of the sources, the variable
STEPSIM_CONSTANT=kName=FACTOR multiplies the constant. The copy is built once (build/constants), and the scores of
SHARED/check are run on it. For each constant and direction, prints the mean change of the answers in the score that
changes most, and that score's mean error with and without the change. --update writes both into the last two
columns."""
import argparse
import csv
import os
import pathlib
import re
import statistics
import subprocess
import sys

import scores

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLE = ROOT / "docs/results/constants.csv"
COPY = ROOT / "build/constants"

VARY = r"""#pragma once
#include <array>
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
template <class T, std::size_t n>
std::array<T, n> vary(std::string_view name, std::array<T, n> values) {
  for (T& value : values) value = vary(name, value);
  return values;
}
}  // namespace stepsim
"""

SCALAR = re.compile(r"^( *)(?:inline )?constexpr (double|Duration|Bytes|Bandwidth|Latencies|std::array<[^=;{]*>|std::array) (k\w+)"
                    r"(?: = ([^;]*)|(\{[^;]*\}));", re.MULTILINE)
# Members of the lines of library.cpp that do not come from a vendor.
LINES = {"Shares": ("matrix", "simple", "bandwidth", "batched"), "Generation": ("floor", "lanes")}


def rows():
    with open(TABLE, newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


def constants():
    """Returns [(name, file)] in the order of the table."""
    return [(name, file) for name, file, *_ in rows()[1:] if file]


ROOMS = ("model/cost/", "model/calibration/", "model/rewrite/", "scenarios/answer/", "sim/analysis/")
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
            if match[2] in ("double", "Duration", "Latencies") and match[3] not in named:
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
        if name.endswith((".h", ".cpp")) and not name.startswith(("capture/", "cli/", "bench/", "ingest/")):
            text = varied_source(text.decode(), name, {constant for constant, file in names if file == name}).encode()
        target = sources / name
        if not target.exists() or target.read_bytes() != text:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(text)
    (sources / "vary.h").write_text(VARY)
    cmake = ["cmake", "-S", sources, "-B", COPY / "build", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DSTEPSIM_BUILD_TESTS=OFF",
             "-DSTEPSIM_BUILD_BENCHMARKS=OFF", "-DCMAKE_CXX_FLAGS_RELEASE=-O1 -w"]
    subprocess.run(cmake, check=True, stdout=sys.stderr)
    subprocess.run(["cmake", "--build", COPY / "build", "--target", "stepsim"], check=True, stdout=sys.stderr)
    return COPY / "build/cli/stepsim"


def text_of(score):
    """The mean error of a score, and the share of measured times within the predicted ranges."""
    return f"{score.error:.1%}" + ("" if score.inside is None else f", {score.inside:.0%}")


def mean_change(new, old):
    return statistics.mean(abs(after / before - 1) for after, before in zip(new.predictions, old.predictions) if before)


def collectives_from_data_sheets(program, shared):
    return scores.collectives(program, shared).of("sheets")


def some_nccl_tests(program, shared):
    return scores.nccl_tests(program, shared, "--thin", 16)


def measured_runs(program, shared):
    groups = [scores.measured_runs(program, shared / "truth" / group, *(["--relative"] if group == "fsdp" else []))
              for group in ("ps", "byteps", "ddp", "fsdp")]
    return scores.Score(answer for score in groups for answer in score.answers)


# By part of the file's path; the first match applies.
SCORES = {"device/": {"models": scores.whole_models, "kernels": scores.single_kernels},
          "collective/": {"collectives": collectives_from_data_sheets, "nccl-tests": some_nccl_tests},
          "model/": {"runs": measured_runs}, "": {"models": scores.whole_models, "runs": measured_runs}}


def scores_of(file):
    return next(found for part, found in SCORES.items() if part in file)


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
                moved = (change, changed.inside != usual[name].inside)
                if best is None or moved > best[0]:
                    best = (moved, f"{change:.1%} ({name} {text_of(changed)})")
            texts.append(best[1] if best[0] > (0.0005, False) or best[0][1] else "none")
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

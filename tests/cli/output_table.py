#!/usr/bin/env python3
"""output_table.py STEPSIM COMMAND-LINE.md SAMPLE: runs every cell of the table of -o in docs/reference/commands.md.

"written" means that the file exists and is valid, and that a .json file equals the output of --json. Any other text
is the reason in the one-line refusal, which comes before anything is read and leaves no file. Nightly tests use SAMPLE
for every command, other tests a smaller capture where that is enough."""
import csv
import json
import os
import re
import shutil
import sys
import tempfile

from checks import NIGHTLY, check, quietly, read, stepsim, verdict, write

PAGE, SAMPLE = (os.path.abspath(argument) for argument in sys.argv[2:])
SMALL = os.path.join(os.path.dirname(SAMPLE), "../../tests/golden/data/gpu_step.json")
TRANSFORMER = os.path.join(os.path.dirname(SAMPLE), "transformer")
PROFILE = os.path.join(os.path.dirname(SAMPLE), "inline/one.prof.json")
# Arguments besides TRACE that a command needs.
MORE = {"collect": ["--iter-time"], "whatif": ["--set", "compute.scale=2"], "compare": [SAMPLE], "sweep": ["-s", "grid.yaml"],
        "plan": ["--devices", "2"]}
GRID = "sweep: {network.bandwidth: [1x, 2x]}\n"
BEGINNINGS = {".xlsx": b"PK\x03\x04", ".sqlite": b"SQLite format 3\0", ".parquet": b"PAR1", ".pftrace": b"\n", ".png": b"\x89PNG\r\n", ".json.gz": b"\x1f\x8b", ".pftrace.gz": b"\x1f\x8b"}


def table():
    """Returns [command, extension, expectation], one for each cell."""
    with open(PAGE, encoding="utf-8") as file:
        lines = file.read().splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("| command | .json"))
    split = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[first:]]
    rows = split[2:next(i for i, line in enumerate(lines[first:]) if not line.startswith("|"))]
    extensions = ["" if word == "no extension" else word for word in split[0][1:]]
    return [(row[0].strip("`"), extension, cell) for row in rows for extension, cell in zip(extensions, row[1:])]


def sample_of(command, extension):
    if command in ("timeline", "scaling"):
        return PROFILE
    if command == "plan":
        return TRANSFORMER
    has_network = command in ("collect", "calibrate", "sweep") or extension.endswith((".yaml", ".yml"))
    return SAMPLE if has_network or NIGHTLY else SMALL


def run(folder, command, trace, *more):
    words = command.split()
    return quietly(words[0], trace, *words[1:], *MORE.get(words[0], []), *more, cwd=folder)


def problem_of_file(folder, command, name, extension):
    """Returns what is wrong with the file, or nothing."""
    path = os.path.join(folder, name)
    if extension in BEGINNINGS:  # exporters.py tests their contents
        return None if read(path).startswith(BEGINNINGS[extension]) else "it does not begin as its form does"
    text = read(path).decode()
    if "stepsim" not in text:
        return "it does not say where it comes from"
    if extension == ".json":
        printed = run(folder, command, sample_of(command, extension), "-o", name, "--json").stdout.decode()
        text = read(os.path.join(folder, name)).decode()
        return None if text == printed and json.loads(text)["schema"].startswith("stepsim.") else "it is not what --json prints"
    if extension == ".trace.json":
        return None if {event["ph"] for event in json.loads(text)["traceEvents"]} == {"M", "X"} else "it is no Chrome trace"
    if extension == ".tasks.json":
        back = run(folder, "replay", name, "--json")
        return None if back.returncode == 0 and json.loads(back.stdout)["tasks"] > 0 else f"it is not read back: {back.stderr}"
    if extension == ".svg":
        return None if text.startswith("<svg ") and text.endswith("</svg>\n") else "it is no picture"
    if extension == ".md":
        return None if text.endswith("</sub>\n") else "it does not end with its origin"
    if extension == ".html":
        return None if text.startswith("<!doctype html>") and text.endswith("</html>\n") else "it is no page"
    if extension == ".csv":
        rows = list(csv.reader(text.splitlines()))
        return None if len(rows) > 1 and len({len(row) for row in rows}) == 1 else "its rows are not as long as its heading"
    if extension in (".dot", ".gv"):
        return None if "\ndigraph " in text and text.endswith("}\n") else "it is no graph"
    if extension == ".gml":
        run(folder, command, sample_of(command, extension), "--fold", "task", "-o", name)  # a folded graph may have cycles
        back = run(folder, "graph", name, "--json")
        return None if back.returncode == 0 and json.loads(back.stdout)["tasks"] > 0 else f"it is not read back: {back.stderr}"
    if command.startswith("whatif") and "cluster" not in extension:
        back = quietly("whatif", sample_of(command, extension), "-s", name, cwd=folder)
        return None if back.returncode == 0 else f"it is not read back: {back.stderr}"
    back = run(folder, "replay", SAMPLE, "--network", "maxmin", "--cluster", name)
    return None if back.returncode == 0 else f"it is not read back: {back.stderr}"


def problem_of_cell(folder, command, extension, expected):
    name = f"out{extension}"
    # A refusal comes before anything is read, so the trace does not have to exist.
    done = run(folder, command, sample_of(command, extension) if expected == "written" else "no-such-trace", "-o", name)
    error = done.stderr.decode()
    if expected == "written":
        return problem_of_file(folder, command, name, extension) if done.returncode == 0 else f"exit {done.returncode}: {error}"
    if done.returncode != 2 or not error.startswith(f"error: -o '{name}'") or error.count("\n") != 1 or done.stdout:
        return f"exit {done.returncode}: {error}"
    if expected not in error or "expected " not in error.split(expected)[1]:
        return f"expected {expected!r} in {error!r}"
    return "a file is left" if os.path.exists(os.path.join(folder, name)) else None


def main():
    cells = table()
    commands = {command.split()[0] for command, _, _ in cells}
    with tempfile.TemporaryDirectory() as folder:
        help_text = stepsim("--help", text=True).stdout
        lines = help_text.split("Commands:\n")[1].split("\n\n")[0].splitlines()
        known = {line.split()[0] for line in lines if not line.startswith("   ")}
        # combine, model and schedule do not write answers, analyze runs another of our commands, and capture runs any
        # program.
        known -= {"combine", "model", "schedule", "analyze", "capture"}
        check("commands", commands == known, f"the table has {sorted(commands)}, stepsim {sorted(known)}")
        write(folder, "grid.yaml", GRID)
        for command in commands:  # an unknown extension is refused with a list of the known ones
            refused = run(folder, command, SAMPLE, "-o", "out.nonsense").stderr.decode()
            lacking = set(re.findall(r"\.[a-z.]*[a-z]", refused.split("expected ")[-1])) - {extension for _, extension, _ in cells}
            check(f"extensions of {command}", ".json" in refused and not lacking, lacking)
        for command, extension, expected in cells:
            inner = os.path.join(folder, "x")
            write(inner, "grid.yaml", GRID)
            problem = problem_of_cell(inner, command, extension, expected)
            check(f"{command} -o out{extension}", problem is None, problem)
            shutil.rmtree(inner)
    check("the table has its cells", len(cells) >= 50, len(cells))
    return verdict()


if __name__ == "__main__":
    sys.exit(main())

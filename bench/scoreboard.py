#!/usr/bin/env python3
"""scoreboard.py STEPSIM SHARED [SCORE...]: runs all scores, or the named ones, and writes docs/results/scoreboard.csv, the
page docs/internals/scoreboard.md and the accuracy paragraph of README.md. scoreboard.py --check: checks that the page and
the paragraph are those of scoreboard.csv.

A score compares answers with measurements: our own runs (tests/truth/data), or those of others in SHARED
(docs/internals/test-data.md). The rows of a score whose data are absent, or that fails, stay as they are: the column
`program` of scoreboard.csv names the commit that each row was measured with. Exits with 1 if a score fails."""
import csv
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import textwrap
import time
from typing import Callable, NamedTuple

import scores
from scores import ROOT

TABLE = ROOT / "docs/results/scoreboard.csv"
PAGE = ROOT / "docs/internals/scoreboard.md"
README = ROOT / "README.md"
COLUMNS = ["score", "group", "data", "predicted", "number", "failed", "mean error", "worst error", "in range", "range width", "published", "program"]


class At(NamedTuple):
    program: str
    shared: pathlib.Path
    measured: pathlib.Path  # the unpacked tests/truth/data


class Line(NamedTuple):
    """A row of the table: one data set and one question. `{peer}` stands for the mean error of the score's peer."""
    data: str
    predicted: str
    published: str = ""
    group: str = ""


class Run(NamedTuple):
    answers: Callable[[At], scores.Score]
    lines: list
    needs: str = ""  # a file of SHARED


def own_runs(folder, *options):
    return lambda at: scores.measured_runs(at.program, at.measured / folder, *options)


def of_shared(reader, *options):
    return lambda at: reader(at.program, at.shared, *options)


def own_captures(at):
    return scores.sanity(at.program, at.shared, sorted(at.measured.glob("*/*/base/traces")))


def production(job):
    step = "ByteDance's own replay {peer}"
    return [Line(job, "captured steps, from their own times", step, "own"), Line(job, "steps, with the communication of other steps", group="cross")]


CHANGES = "step at other rates, partitions, numbers of workers and servers"
NEUSIGHT = "NeuSight (ASPLOS 2025), the same questions: {peer}"
PLAN = "step of a plan, from the model's configuration"
NCCL = "NCCL on one host (A100, H100, B200, L40S) and two clusters (H100)"
RUNS = {
    "ps": Run(own_runs("ps"), [Line("parameter servers, our own program", CHANGES)]),
    "byteps": Run(own_runs("byteps"), [Line("BytePS", CHANGES, "dPRO (MLSys 2022), replays of captured steps: below 5 % in most cases")]),
    "contended": Run(own_runs("byteps", "--file", "measured-contended.csv"), [Line("BytePS, fewer servers than workers", "step")]),
    "ddp": Run(own_runs("ddp"), [Line("DDP and a pipeline over gloo", "step at other rates, bucket sizes and with a slow rank",
                                      "Lumos (MLSys 2025), replays of captured steps: 3.3 %")]),
    "fsdp": Run(own_runs("fsdp", "--relative"), [Line("FSDP over gloo", "change of the step at other rates")]),
    "overlap": Run(lambda at: scores.overlapped_collectives(at.program), [Line("FSDP-like program over gloo", "step with other overlap")]),
    "gpu": Run(own_runs("gpu"), [Line("GPT and ResNet-50 on H100", "step with other batch sizes, and on H200")]),
    "precision": Run(own_runs("gpu", "--file", "measured-precision.csv"), [Line("GPT and ResNet-50 on H100", "step in another precision")]),
    "oracles": Run(lambda at: scores.oracles(at.program, at.measured / "oracles/maxmin"), [Line("small jobs in SimGrid 4.1", "end of each task, to the nanosecond")]),
    "sanity": Run(own_captures, [Line("captures of our own runs", "laws that every answer must obey")], "check/score_sanity.py"),
    "nccl": Run(of_shared(scores.nccl_tests), [
        Line(NCCL, "collectives above 1 MB, from data sheets", "ASTRA-sim 2 (its validation page), ring all-reduces on 8 H100: 9.69 %", "large"),
        Line(NCCL, "collectives up to 1 MB, from data sheets", group="small")], "truth/cluster/nccl"),
    "collectives": Run(of_shared(scores.collectives), [Line("all-reduces in loops of PyTorch, one host", "time, from data sheets", group="sheets")], "truth/gpu/tables"),
    "production": Run(of_shared(scores.production, "AR"), production("Megatron on 64 GPUs, one slowed"), "truth/cluster/production"),
    "production-sequences": Run(of_shared(scores.production, "SE"), production("Megatron on 128 GPUs, unequal sequences"), "truth/cluster/production"),
    "models": Run(of_shared(scores.whole_models), [
        Line("whole models on T4, V100, L4, A100, H100, MI210", "step on another GPU", NEUSIGHT),
        Line("whole models on NVIDIA's devices", "step on another GPU", NEUSIGHT, "nvidia")], "truth/gpu/models"),
    "kernels": Run(of_shared(scores.single_kernels), [
        Line("single products and additions", "time on another GPU", group="device"),
        Line("single products and additions", "time with other numbers of tokens", group="batch")], "truth/gpu/tables"),
    "products": Run(of_shared(scores.products), [
        Line("products on A100, H100, B200, L40S, larger than the caches", "time on another GPU", group="memory"),
        Line("the same, that fit into a cache of one of them", "time on another GPU", group="cache")], "truth/cluster/gemm.csv"),
    "pairs": Run(of_shared(scores.pairs), [
        Line("pairs of captures on real GPUs", "step after one change", group="step"),
        Line("pairs of captures on real GPUs", "busy time of the device after one change", group="busy")], "truth/gpu/pairs.csv"),
    "plans": Run(of_shared(scores.measured_plans, "many-nodes", "one-node", "fsdp", "profile"), [
        Line("GPT 3.6 and 18.4 billion on 64 and 256 A100", PLAN, "vTrain (MICRO 2024), with profiles of that machine, on all of its rows: 14.73 %", "many-nodes"),
        Line("GPT of hidden size 1,024 on 2 to 8 A100", PLAN, "vTrain, with profiles of that machine, on all of its rows: 8.37 %", "one-node"),
        Line("MPT 125M to 70B with FSDP on 8 to 512 A100 or H100", PLAN, group="fsdp"),
        Line("OPT-350M on 4 to 128 GH200", "step of a plan, from the times of its layers", group="profile")], "truth/plans"),
    "parallel": Run(of_shared(scores.parallel), [Line("training on 4 GPUs", "step, from a capture of one GPU", NEUSIGHT)], "truth/gpu/models"),
}


def share(value):
    return "" if value is None else f"{value:.2%}".replace("%", " %")


def row_of(name, line, score, program):
    score = score.of(line.group) if line.group else score
    published = line.published.format(peer=share(score.peer)) if "{peer}" not in line.published or score.peer is not None else ""
    inside = "" if score.inside is None else f"{score.inside:.0%}".replace("%", " %")
    return dict(zip(COLUMNS, [name, line.group, line.data, line.predicted, str(score.number), str(score.failed), share(score.error), share(score.worst), inside,
                              share(score.width), published, program]))


def rows():
    if not TABLE.exists():
        return []
    with open(TABLE, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def keys():
    """Identifies the rows, in the order of the table."""
    return [(name, line.group) for name, run in RUNS.items() for line in run.lines]


def key(row):
    return row["score"], row["group"]


# --- what is made from the table


def page(table):
    text = ["# Scoreboard", "", "How far off predictions are, from measured times, by data set and question. [Fidelity](fidelity.md) explains the figures, and "
            "[Evidence](evidence.md) has errors by question, source and regime, seen and unseen. This page is made by `./dev score` from [scoreboard.csv](../results/scoreboard.csv).", ""]
    text += ["| score | data | predicted | number | failed | mean error | worst | in range | range | best published |", "|---|---|---|---:|---:|---:|---:|---:|---:|---|"]
    columns = [column for column in COLUMNS if column not in ("group", "program")]
    text += ["| " + " | ".join(row[column] for column in columns) + " |" for row in table]
    text += ["", "* **number**: answers that are compared, or checks that are made. **failed**: questions that were refused, or checks that failed.",
             "* **mean error** and **worst**: of |predicted / measured - 1|. They are empty where a score only counts.",
             "* **in range**: the share of measured values in the predicted range, without any tolerance. **range**: the median width of the range, as a "
             "share of the measured value. They are empty where a score has no ranges.",
             "* `fsdp` compares changes of the step, because the profiler slowed the captured one. The other scores of jobs compare times.",
             "* **best published**: another predictor's figure for that kind of question, from its paper or site, or for the same questions where its answers are "
             "published. A replay of a captured step is an easier question than a what-if. Empty: none was found.", "",
             "## Run it yourself", "", "    ./dev score", "    ./dev score models nccl", "",
             "The second line runs two scores. The first eight scores and `oracles` use runs that are in this repository. The others use data in a folder `shared` "
             "next to the checkout ([test data](test-data.md)); without it their rows stay as they are. These commits measured the rows:", ""]
    for program in dict.fromkeys(row["program"] for row in table):
        text.append(f"* {program}: " + ", ".join(dict.fromkeys(row["score"] for row in table if row["program"] == program)))
    return "\n".join(line if line.startswith(("|", "    ")) else textwrap.fill(line, 120, subsequent_indent="  " if line.startswith("* ") else "",
                                                                               break_long_words=False, break_on_hyphens=False) for line in text) + "\n"


def number(text):
    return float(text.removesuffix(" %"))


def accuracy(table):
    """The beginning of README's paragraph on accuracy."""
    row = {key(row): row for row in table}
    jobs = [row[job, ""] for job in ("ps", "byteps", "ddp", "fsdp")]
    runs = sum(int(job["number"]) for job in jobs)
    mean = sum(int(job["number"]) * number(job["mean error"]) for job in jobs) / runs
    worst = max(number(job["worst error"]) for job in jobs)
    models, large, small = row["models", ""], row["nccl", "large"], row["nccl", "small"]
    return (f"Predictions of {runs} measured runs (parameter servers, and DDP, FSDP and a pipeline over gloo) are off by {mean:.1f} % on average and {worst:.1f} % "
            f"at worst, whole models on another GPU by {number(models['mean error']):.1f} % (NeuSight: {number(models['published'].split(': ')[1]):.0f} %), and "
            f"{int(large['number']) + int(small['number'])} collectives of NCCL by {number(large['mean error']):.0f} % above 1 MB and "
            f"{number(small['mean error']):.0f} % below, from data sheets alone ([Scoreboard](docs/internals/scoreboard.md)).")


def readme(table):
    """README.md with the paragraph of this table."""
    before, _, rest = README.read_text(encoding="utf-8").partition("Predictions of ")
    old, end, after = rest.partition("\n\n")
    _, last, own = " ".join(old.split()).partition("(docs/internals/scoreboard.md)).")
    if not (end and last):
        raise scores.Mismatch("README.md has no paragraph that begins with 'Predictions of' and links to docs/internals/scoreboard.md")
    return before + textwrap.fill(accuracy(table) + own, 120, break_long_words=False, break_on_hyphens=False) + end + after


def faults():
    table = rows()
    if [key(row) for row in table] != keys():
        yield f"{TABLE.name} has other rows than bench/scoreboard.py: run ./dev score"
        return
    for file, text in ((PAGE, page(table)), (README, readme(table))):
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            yield f"{file.relative_to(ROOT)} is not what {TABLE.name} says: run ./dev score oracles"


# --- running


def short(score):
    return f"{score.number} compared, {score.failed} failed" + ("" if score.error is None else f", mean error {share(score.error)}, worst {share(score.worst)}")


def measure(names, program, shared, measured):
    """Returns {key: row} of the scores that ran, and whether one failed. Prints what it does."""
    at, new, wrong = At(program, shared, measured), {}, False
    version = subprocess.run([program, "--version"], check=True, capture_output=True, text=True).stdout.strip()
    for place, name in enumerate(names, 1):
        run, began = RUNS[name], time.monotonic()
        print(f"dev: score: {name} ({place} of {len(names)})", end=" ", flush=True)
        if run.needs and not (shared / run.needs).exists():
            print(f"skipped: {shared / run.needs} is absent, so its rows stay as they are")
            continue
        try:
            score = run.answers(at)
        except scores.Mismatch as fault:
            print(f"FAILED: {fault}")
            wrong = True
            continue
        print(f"{time.monotonic() - began:.0f} s: {short(score)}")
        new |= {(name, line.group): row_of(name, line, score, version) for line in run.lines}
    return new, wrong


def unpack(folder):
    for archive in (ROOT / "tests/truth/data").glob("*.tar.xz"):
        with tarfile.open(archive) as content:
            content.extractall(folder)


def update(new):
    table = {key(row): row for row in rows()} | new
    table = [table[one] for one in keys() if one in table]
    with open(TABLE, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(table)
    PAGE.write_text(page(table), encoding="utf-8")
    README.write_text(readme(table), encoding="utf-8")


def command_line(usage, known, faults):
    """Returns the program, SHARED and the given names, or all known names if none is given. With --check, prints the faults and exits."""
    if sys.argv[1:] == ["--check"]:
        found = list(faults())
        print(*found, f"{len(found)} faults", sep="\n")
        sys.exit(1 if found else 0)
    if len(sys.argv) < 3:
        sys.exit(usage)
    program, shared, *names = sys.argv[1:]
    if unknown := [name for name in names if name not in known]:
        sys.exit(f"dev: unknown name '{unknown[0]}'; there are: {' '.join(known)}")
    return os.path.abspath(program), pathlib.Path(shared).resolve(), names or list(known)


def until_interrupted(main):
    """Exits with what main() returns."""
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("\ndev: interrupted; nothing was written")


def main():
    program, shared, names = command_line(__doc__, RUNS, faults)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TMPDIR"] = tempfile.tempdir = folder  # scores that are interrupted leave files
        measured = pathlib.Path(folder) / "measured"
        unpack(measured)
        new, wrong = measure(names, program, shared, measured)
    update(new)
    return 1 if wrong else 0


if __name__ == "__main__":
    until_interrupted(main)

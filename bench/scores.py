"""Runs the scores of tests/truth and SHARED/check, and reads their answers. For scoreboard.py and constants.py."""
import csv
import json
import os
import pathlib
import re
import signal
import statistics
import subprocess
import sys
import tempfile
from typing import NamedTuple, Optional

import captures
import device_products

ROOT = pathlib.Path(__file__).resolve().parent.parent


class Mismatch(Exception):
    """A score's output is not what is read here."""


class Answer(NamedTuple):
    predicted: float
    measured: float
    group: str = ""  # of the questions of one score
    inside: Optional[bool] = None  # whether the measured value is in the predicted range
    width: Optional[float] = None  # of the range, as a share of the measured value
    peer: Optional[float] = None  # the error of another predictor

    @property
    def error(self):
        return self.predicted / self.measured - 1


def ranged(predicted, measured, low, high, group="", peer=None):
    return Answer(predicted, measured, group, low <= measured <= high, (high - low) / measured, peer)


def figure(function, values):
    """Returns function(values), or None if a value is missing."""
    values = list(values)
    return function(values) if values and None not in values else None


class Score:
    """Answers to questions whose true answers were measured, and the number of questions that were refused. A score that
    compares no figures has only the number of its checks, and of those that failed."""

    def __init__(self, answers=(), failed=0, checks=None):
        self.answers, self.failed, self.checks = list(answers), failed, checks

    def of(self, group):
        return Score([answer for answer in self.answers if answer.group == group], self.failed)

    @property
    def predictions(self):
        return [answer.predicted for answer in self.answers]

    @property
    def number(self):
        return len(self.answers) if self.checks is None else self.checks

    @property
    def error(self):
        return figure(statistics.mean, (abs(answer.error) for answer in self.answers))

    @property
    def worst(self):
        return figure(max, (abs(answer.error) for answer in self.answers))

    @property
    def inside(self):
        return figure(statistics.mean, (answer.inside for answer in self.answers))

    @property
    def width(self):
        return figure(statistics.median, (answer.width for answer in self.answers))

    @property
    def peer(self):
        return figure(lambda errors: statistics.mean(map(abs, errors)), (answer.peer for answer in self.answers))


def run(script, *arguments):
    """Returns what the script prints. Its processes end with this one."""
    process = subprocess.Popen([sys.executable, "-B", script, *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, process_group=0)
    try:
        printed, errors = process.communicate()
    except BaseException:
        os.killpg(process.pid, signal.SIGKILL)
        raise
    if process.returncode not in (0, 1):  # 1: a figure exceeds its limit
        raise Mismatch(f"{script.name} ended with {process.returncode}: {errors.strip()[-200:]}")
    return printed or errors


def found(pattern, printed, script):
    """Returns the match of the pattern in what the script printed, and raises Mismatch if there is none."""
    match = re.search(pattern, printed, re.MULTILINE)
    if match is None:
        raise Mismatch(f"{script.name} printed no line like '{pattern}', but ended with: {printed.strip()[-200:]}")
    return match


def as_json(script, *arguments):
    """Returns the script's answers from its --json FILE, and what it printed."""
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        printed = run(script, *arguments, "--json", file.name)
        try:
            return json.load(file), printed
        except ValueError:
            raise Mismatch(f"{script.name} wrote no JSON, and ended with: {printed.strip()[-200:]}") from None


def refusals(printed):
    return sum(map(int, re.findall(r"^refused (\d+): ", printed, re.MULTILINE)))


def rows_of(path):
    with open(path, newline="", encoding="utf-8") as file:
        return {row["name"]: row for row in csv.DictReader(file)}


def score_of_rows(rows, group=""):
    answers = [ranged(row["predicted_s"], row["measured_s"], row["low_s"], row["high_s"], group) for row in rows if row["predicted_s"] is not None]
    return Score(answers, len(rows) - len(answers))


def measured_runs(program, folder, *options):
    return score_of_rows(as_json(ROOT / "tests/truth/score_truth.py", program, folder, *options)[0])


def measured_plans(program, shared, *files):
    """The groups are the files' names in measured_plans.py."""
    scores = [score_of_rows(as_json(ROOT / "tests/truth/plans/measured_plans.py", program, shared, file)[0], file) for file in files]
    return Score([answer for score in scores for answer in score.answers], sum(score.failed for score in scores))


def oracles(program, folder):
    script = ROOT / "tests/truth/score_oracles.py"
    cases, wrong = found(r"^(\d+) cases, (\d+) wrong", run(script, program, folder), script).groups()
    return Score(checks=int(cases), failed=int(wrong))


def whole_models(program, shared):
    """The groups are `nvidia`, of questions between NVIDIA devices, and `amd`. The peer is NeuSight."""
    folder = shared / "truth/gpu/models"
    cases, printed = as_json(shared / "check/score_models.py", program, folder)
    pairs, answers = rows_of(folder / "pairs.csv"), []
    for case in cases:
        devices = [pairs[case["name"]][f"{side}_device"] for side in "ab"]
        group = "amd" if any(device.startswith("MI") for device in devices) else "nvidia"
        measured = case["ours_ms"] / (1 + case["errors"]["ours"])
        answers.append(Answer(case["ours_ms"], measured, group, case["inside"], peer=case["errors"]["neusight"]))
    return Score(answers, refusals(printed))


def single_kernels(program, shared):
    cases, printed = as_json(shared / "check/score_tables.py", program, shared / "truth/gpu")
    batch = re.compile(r", \d+ -> \d+ tokens$")
    return Score([Answer(case["predicted_us"], float(case["b"]["measured_us"]), "batch" if batch.search(case["test"]) else "device") for case in cases],
                 refusals(printed))


def products(program, shared):
    """The groups are `memory`, of products that exceed the caches of both devices, and `cache`."""
    rows, _ = as_json(ROOT / "bench/device_products.py", program, shared, "--each", 3)
    return Score(Answer(row["predicted_us"], row["measured_us"], "memory" if row["operands"] == device_products.GROUPS[0] else "cache") for row in rows)


def collectives(program, shared):
    rows, _ = as_json(shared / "check/score_collectives.py", program, shared / "truth/gpu")
    return Score(Answer(row["predicted_us"], row["measured_us"], "sheets" if row["test"].startswith("vendor") else "fitted") for row in rows)


def nccl_tests(program, shared, *options):
    """The groups are `large`, above 1 MB, and `small`."""
    script = shared / "check/score_nccl.py"
    printed = run(script, program, shared / "truth/cluster", "--no-tables", "--show", *options)
    last = found(r"^mean .* of (\d+) rows, below .* of (\d+); .*; (\d+) refused$", printed, script)
    score = Score((Answer(float(predicted), float(measured), "large" if int(size) > 1 << 20 else "small")
                   for size, measured, predicted in re.findall(r"(\d+) B measured +([\d.]+) us, predicted +([\d.]+)", printed)), int(last[3]))
    if [score.of(group).number for group in ("large", "small")] != [int(last[1]), int(last[2])]:
        raise Mismatch(f"{script.name} counts {last[1]} and {last[2]} rows, but shows {score.number}")
    return score


def pairs(program, shared):
    """The groups are `step` and `busy`: ratios of steps, and of the times in which the device is busy."""
    cases, printed = as_json(shared / "check/score_pairs.py", program, shared / "truth/gpu")
    counts = {name: row["score"] for name, row in rows_of(shared / "truth/gpu/pairs.csv").items()}
    answers = []
    for case in cases:
        if "refusal" in case:
            continue
        if counts[case["name"]] in ("both", "iteration"):
            answers.append(Answer(case["pred_step"], case["step"], "step", case["inside"], (case["high"] - case["low"]) / case["step"]))
        if counts[case["name"]] in ("both", "busy"):
            answers.append(Answer(case["pred_busy"], case["busy"], "busy"))
    return Score(answers, sum("refusal" in case for case in cases))


def parallel(program, shared):
    """The peer is NeuSight."""
    script = shared / "check/score_parallel.py"
    printed = run(script, program, shared / "truth/gpu/models")
    rows = re.findall(r"measured +([\d.]+) ms +ours +([\d.]+) \(.*?\) ([\d.]+) to ([\d.]+) .*NeuSight ([-+\d.]+)%", printed)
    failed = found(r", (\d+) refused$", printed, script)
    return Score((ranged(*map(float, (ours, truth, low, high)), peer=float(peer) / 100) for truth, ours, low, high, peer in rows), int(failed[1]))


def production(program, shared, job):
    """The groups are `own`, a step from its own times, and `cross`, with communication of the other steps. The peer is
    ByteDance's replay, from the step's own times."""
    script = shared / "check/score_production.py"
    printed = run(script, program, shared / "truth/cluster/production", job)
    steps = int(found(r"over (\d+) steps$", printed, script)[1])
    rows = re.findall(r"measured ([\d.]+) s, own ([\d.]+) .*? (?:\(median\)) ([\d.]+) .*ByteDance ([-+\d.]+) %$", printed, re.MULTILINE)
    if len(rows) != steps:
        raise Mismatch(f"{script.name} counts {steps} steps, but shows {len(rows)}")
    answers = [Answer(float(own), float(measured), "own", peer=float(peer) / 100) for measured, own, _, peer in rows]
    return Score(answers + [Answer(float(cross), float(measured), "cross") for measured, _, cross, _ in rows])


def sanity(program, shared, folders):
    script = shared / "check/score_sanity.py"
    last = found(r"^\d+ captures, (\d+) checks, .* failed \((\d+)\)$", run(script, program, *folders), script)
    return Score(checks=int(last[1]), failed=int(last[2]))


def overlapped_collectives(program):
    rows = list(captures.overlapped_collectives(program, None))[1:]
    return Score(ranged(*(float(text.split()[0]) for text in (predicted, measured, *widest.split(" to ")))) for *_, measured, predicted, _, widest in rows)

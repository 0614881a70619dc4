#!/usr/bin/env python3
"""score_machines.py STEPSIM SHARED: fits each machine of which tests/truth/evidence has measured steps to one of them, to three
and to all but one, predicts the steps that are left, and writes docs/results/machines.csv (errors by machine),
machines-backtest.csv (steps predicted from all others) and the page docs/internals/evidence.md, which shows the former."""
import pathlib
import random
import statistics
import tempfile

import score_evidence as board
from evidence import azure, form, hkbu, plans, simumax

BACKTEST = board.RESULTS / "machines-backtest.csv"
EVERY = {"vtrain-a100-host": 24, "vtrain-a100-cluster": 3}  # one of so many of its steps, so that this takes 10 minutes
ALONE = 3  # steps that a machine is fitted to one by one
TRIPLES = 2  # sets of three steps that a machine is fitted to


def machines(at):
    """Returns the measured steps of each machine."""
    found = {source: runs for adapter in (simumax, azure, hkbu, plans) for source, runs in adapter.machines(at).items()}
    return {source: runs[::EVERY.get(source, 1)] for source, runs in found.items()}


def choices(number):
    """Returns sets of steps to fit to, of so many: single ones, and three. The first of each are the first in the table."""
    dice = random.Random(number)
    alone = min(ALONE, number)
    return [(place * number // alone,) for place in range(alone)], [(0, 1, 2), *(tuple(dice.sample(range(number), 3)) for _ in range(TRIPLES))]


def backtest(program, runs):
    """Returns what `stepsim calibrate --backtest` reports. Steps that it refuses are no longer in runs."""
    report = program.json("calibrate", "--backtest", program.table(runs))
    runs[:] = [runs[step["line"] - 2] for step in report["steps"]]
    for refusal in report["refused"]:
        print(f"dev: machines: refused: {refusal}")
    return report


def left(program, runs, chosen):
    """Returns (mean error, share in range) of the steps that are left, on the machine that is fitted to the chosen ones."""
    answers = [(form.step(program.ask(run, *(runs[place] for place in chosen))), run.seconds) for place, run in enumerate(runs) if place not in chosen]
    return statistics.mean(abs(answer.predicted / measured - 1) for answer, measured in answers), statistics.mean(answer.low <= measured <= answer.high for answer, measured in answers)


def mean_error(found):
    return statistics.mean(error for error, _ in found)


def row_of(source, report, alone, triples):
    steps = report["steps"]

    def by_data_sheet(first):
        return statistics.mean(abs(step["by_data_sheet_error"]) for step in steps[first:])
    return {"machine": source, "steps": len(steps), "by data sheet": by_data_sheet(0), "from one": mean_error(alone), "from three": mean_error(triples[1:]),
            "from all others": report["error_from_others"], "worst": max(abs(step["from_others_error"]) for step in steps),
            "by data sheet, the first": by_data_sheet(1), "from the first": alone[0][0],
            "by data sheet, the first three": by_data_sheet(3), "from the first three": triples[0][0], "in range": triples[0][1]}


def step_of(source, step):
    return {"machine": source, "step": step["name"], "measured": step["measured_ns"] / 1e9, "by data sheet": step["by_data_sheet_ns"] / 1e9,
            "from all others": step["from_others_ns"] / 1e9}


def main():
    program, shared, _ = board.command_line(__doc__, ())
    with tempfile.TemporaryDirectory() as folder:
        asking, found = form.Program(program, folder), machines(form.At(shared, pathlib.Path(folder)))
        reports = dict(zip(found, board.side_by_side(lambda runs: backtest(asking, runs), found.values())))
        chosen = [(runs, chosen) for runs in found.values() for kind in choices(len(runs)) for chosen in kind]
        errors = iter(board.side_by_side(lambda one: left(asking, *one), chosen))
    table = [row_of(source, report, *([next(errors) for _ in kind] for kind in choices(len(report["steps"])))) for source, report in reports.items()]
    form.write_table(board.MACHINES, table[0], table)
    steps = [step_of(source, step) for source, report in reports.items() for step in report["steps"]]
    form.write_table(BACKTEST, steps[0], steps)
    board.write_ledger()
    print(*board.of_machines(), sep="\n")


if __name__ == "__main__":
    board.until_interrupted(main)

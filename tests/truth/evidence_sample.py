#!/usr/bin/env python3
"""evidence_sample.py STEPSIM SHARED MEASURED: asks a sample of the questions of docs/results/evidence-rows.csv again. Fails if
an answer differs by more than 1 % from the recorded one, or if a question is refused that was answered: a change that moves
predictions records them again (`./dev score`). Skipped where SHARED is absent. MEASURED is the unpacked
tests/truth/data.

The sample has 200 rows, or fewer if they take longer than a minute of processor time; nightly it has all."""
import os
import pathlib
import resource
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path += [str(HERE.parents[1] / "bench"), str(HERE.parent / "cli")]
from checks import NIGHTLY, STEPSIM, check, dice, verdict  # noqa: E402
import score_evidence as board  # noqa: E402
from evidence import form  # noqa: E402

ROWS = 200
SECONDS = 60
MOST = 0.01


def seconds_used():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def question(row):
    """Returns everything of a row but the answer, as it is written."""
    return [form.written(getattr(row, column)) for column in form.COLUMNS if column not in (*form.Answer._fields, "refused")]


def compare(row, again):
    if isinstance(again, form.LeftOut):
        check(str(row.key), False, again.reason)
    elif row.refused or again.refused:
        check(str(row.key), row.refused or not again.refused, again.refused)
    else:
        check(str(row.key), abs(again.predicted / row.predicted - 1) <= MOST, f"{again.predicted:.6g}; recorded is {row.predicted:.6g}")


def main(shared, measured):
    rows, _ = board.stored()
    cases, _ = board.cases_of(board.ADAPTERS, form.At(shared, measured))
    by_key = {case.row.key: case for case in cases}
    changed = [row.key for row in rows if row.key not in by_key or question(row) != question(by_key[row.key].row)]
    check("every recorded row is still asked, with the same measured value", not changed, changed[:3])
    dice().shuffle(rows)
    asked, began = 0, seconds_used()
    with tempfile.TemporaryDirectory() as folder:
        program = form.Program(STEPSIM, folder)
        for row in rows if NIGHTLY else rows[:ROWS]:
            if row.key in by_key and (NIGHTLY or seconds_used() - began < SECONDS):
                compare(row, board.answer(program, by_key[row.key]))
                asked += 1
    print(f"{asked} of {len(rows)} rows asked again")


if not os.path.isdir(os.path.join(sys.argv[2], "truth")):
    print(f"skipped: {sys.argv[2]} is absent")
    sys.exit(0)
main(pathlib.Path(sys.argv[2]).resolve(), pathlib.Path(sys.argv[3]).resolve())
sys.exit(verdict())

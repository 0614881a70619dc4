#!/usr/bin/env python3
"""low_precision.py STEPSIM SHARED: steps in fp8 relative to bf16 against those that torchao and torchtitan published
(SHARED/truth/precision/low), for Llama 3 8B on eight GPUs, as tests/truth/evidence/low.py asks for them. Skipped where the
table is absent.

Without a recipe, the range of each answer must include the measured ratio. With the recipe of the row, the mean error is
checked, and printed also without the rows of each GPU."""
import os
import pathlib
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "cli"))
from checks import STEPSIM, check, verdict  # noqa: E402
from evidence import form, low  # noqa: E402

MEAN = 0.09


def main(shared, folder):
    program, errors = form.Program(STEPSIM, folder), []
    for row in low.rows(shared):
        if low.question_of(row) != "precision" or low.reason(row):
            continue
        name, measured, recipe = f"{row['gpu']}, {row['new']}, {row['setting'][-28:]}", float(row["time_ratio"]), low.recipe_of(row)
        usual = low.ratio(program, row, None)
        check(f"{name}: {measured:.3f} is in the range", usual.low <= measured <= usual.high, usual)
        predicted = low.ratio(program, row, recipe).predicted
        if recipe is not None:
            errors.append((row["gpu"].split()[0], predicted / measured - 1))
        print(f"{name:100} measured {measured:.3f}, {recipe or 'usual'} {predicted:.3f} ({predicted / measured - 1:+.1%}), usual {usual.predicted:.3f} ({usual.low:.2f} to {usual.high:.2f})")
    mean = sum(abs(error) for _, error in errors) / len(errors)
    check("mean error with the recipe", mean <= MEAN, mean)
    print(f"{len(errors)} rows with a recipe: mean error {mean:.1%}, bias {sum(error for _, error in errors) / len(errors):+.1%}")
    for gpu in sorted({gpu for gpu, _ in errors}):
        others = [abs(error) for one, error in errors if one != gpu]
        print(f"without {gpu}: {sum(others) / len(others):.1%}")


place = pathlib.Path(sys.argv[2])
if not (place / "truth/precision/low/rows.csv").exists():
    print(f"skipped: {place}/truth/precision/low/rows.csv does not exist")
    sys.exit(0)
with tempfile.TemporaryDirectory() as scratch:
    main(place, scratch)
sys.exit(verdict())

#!/usr/bin/env python3
"""low_precision.py STEPSIM: steps in fp8 relative to bf16 against those that torchao and torchtitan published
(SHARED/truth/precision/low), for Llama 3 8B on eight GPUs. Skipped where the table is absent.

Each answer is a what-if of a modelled step. Without a recipe, its range must include the measured ratio. With the recipe
of the row, the mean error is checked, and printed also without the rows of each GPU."""
import csv
import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "cli"))
from checks import SHARED, check, quietly, verdict  # noqa: E402

ROWS = os.path.join(os.path.dirname(SHARED), "truth/precision/low/rows.csv")
LLAMA = "llama --layers 32 --hidden 4096 --heads 32 --key-heads 8 --intermediate 14336 --vocabulary 128256".split()
RECOMPUTE = {"per-op selective": "selective", "no checkpointing": "none", "of all layers": "all"}
RECIPES = {"tensorwise": "tensorwise", "high-precision": None, "rowwise": "rowwise", "mxfp8": "mxfp8", "float8 eager": ""}
# torchtitan's docs/performance.md, December 2024: 6,667 tokens/s a GPU in bf16, 8,532 in fp8 (tensorwise).
TORCHTITAN = {"gpu": "H100", "sequence": "8192", "batch_per_gpu": "2", "setting": "per-op selective", "new": "float8 tensorwise", "time_ratio": 6667 / 8532}
MEAN = 0.09


def rows():
    with open(ROWS, newline="") as file:
        for row in csv.DictReader(file):
            training = row["model"] == "Llama3-8B" and row["gpus"] == "8" and row["base"].startswith("bf16")
            if training and "compile" not in row["new"]:
                yield row
    yield TORCHTITAN


def ratio(folder, row, recipe=None):
    """Returns the predicted ratio of the step in fp8 to that in bf16, and its range."""
    device, batch = row["gpu"].split()[0], int(row["batch_per_gpu"] or 1)
    trace = os.path.join(folder, f"{device}-{row['sequence']}-{batch}.json")
    if not os.path.exists(trace):
        made = quietly("model", *LLAMA, "--device", device, "--sequence", row["sequence"], "--micro-batch", str(batch), "-o", trace)
        check(f"a step is modelled for {device}", made.returncode == 0, made.stderr)
    recompute = next(value for key, value in RECOMPUTE.items() if key in row["setting"])
    settings = [f"parallel.{one}" for one in ("data=8", "zero=3", f"micro_batch={batch}", f"global_batch={8 * batch}", f"recompute={recompute}")]

    def step(*changes):
        arguments = [part for change in (*settings, *changes) for part in ("--set", change)]
        return json.loads(quietly("whatif", trace, *arguments, "--json").stdout)["scenario"]

    before, after = step(), step(f"precision.recipe={recipe}" if recipe else "precision.to=fp8")
    return [after[key] / before["iteration_ns"] for key in ("iteration_ns", "low_ns", "high_ns")]


def main(folder):
    errors = []
    for row in rows():
        if not any(key in row["setting"] for key in RECOMPUTE):
            continue
        name, measured = f"{row['gpu']}, {row['new']}, {row['setting'][-28:]}", float(row["time_ratio"])
        usual, low, high = ratio(folder, row)
        check(f"{name}: {measured:.3f} is in the range", low <= measured <= high, (usual, low, high))
        recipe = next(value for key, value in RECIPES.items() if key in row["new"])
        predicted = ratio(folder, row, recipe)[0] if recipe else usual
        if recipe is not None:
            errors.append((row["gpu"].split()[0], predicted / measured - 1))
        print(f"{name:100} measured {measured:.3f}, {recipe or 'usual'} {predicted:.3f} ({predicted / measured - 1:+.1%}), usual {usual:.3f} ({low:.2f} to {high:.2f})")
    mean = sum(abs(error) for _, error in errors) / len(errors)
    check("mean error with the recipe", mean <= MEAN, mean)
    print(f"{len(errors)} rows with a recipe: mean error {mean:.1%}, bias {sum(error for _, error in errors) / len(errors):+.1%}")
    for gpu in sorted({gpu for gpu, _ in errors}):
        others = [abs(error) for one, error in errors if one != gpu]
        print(f"without {gpu}: {sum(others) / len(others):.1%}")


if not os.path.exists(ROWS):
    print(f"skipped: {ROWS} does not exist")
    sys.exit(0)
with tempfile.TemporaryDirectory() as scratch:
    main(scratch)
sys.exit(verdict())

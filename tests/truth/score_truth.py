#!/usr/bin/env python3
"""Predicts every measured run of each group from the group's captured run, and compares the times.

    score_truth.py STEPSIM FOLDER [--mean E] [--worst E] [--relative] [--file NAME] [--ranges] [--json FILE]

FOLDER contains groups of runs as tests/truth/data/README.md describes them. Each run is one `stepsim whatif` with
the settings in which it differs from the captured run. Prints a line for each run and each group. Exits with 1 if a
run is refused, or if the mean or the worst error exceeds its limit.

--relative compares changes against the captured run instead of times, for captures that their profiler slowed.
Groups with a column mean_step_s have steps that differ: the mean of the captured run, changed by the predicted effect on
it, is compared with the mean of each run.

--file reads other runs than those in measured.csv. --ranges requires that the measured time lies in the predicted
range, with a tolerance of 3 %, and that what the sources give is not wider than a factor of 2.2 (--widest); --outside N allows N
exceptions.
--json also writes the figures of each run to a file."""
import argparse
import csv
import json
import os
import pathlib
import sys
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "cli"))
from checks import stepsim  # noqa: E402
from evidence.form import widened  # noqa: E402

NOT_SETTINGS = {"median_step_s", "mean_step_s", "p10", "p90", "is_base", "mode", "model", "steps", "gpus"}
AS_THEY_ARE = {"partition": "comm.partition_bytes", "control": "comm.control", "barrier": "comm.barrier",
               "schedule": "comm.schedule", "credit": "comm.credit_bytes", "workers": "cluster.workers", "servers": "cluster.servers",
               "precision": "precision.to", "device": "device.to"}
AS_FACTORS = {"rate": "network.bandwidth={}x", "straggler": "compute{{rank=0}}.scale={}", "batch": "batch.scale={}",
              "loader_workers": "loader.workers={}x"}
GRACE = 0.03


def settings_of(run, base):
    """The --set values that turn the captured run into this one."""
    settings = []
    for column, value in run.items():
        if value == base.get(column) or column in NOT_SETTINGS:
            continue
        if column in AS_FACTORS:
            settings.append(AS_FACTORS[column].format(f"{float(value) / float(base[column]):.10g}"))
        elif column == "bucket":  # in MiB
            settings.append(f"comm.bucket_bytes={int(float(value) * (1 << 20))}")
        elif column == "slow":  # a factor for each worker
            for worker, (before, after) in enumerate(zip(base[column].split(), value.split())):
                if before != after and worker < int(run["workers"]):
                    settings.append(f"compute{{worker={worker}}}.scale={float(after) / float(before):.10g}")
        else:
            settings.append(f"{AS_THEY_ARE[column]}={value}")
    return settings


def rows(file):
    with open(file, newline="", encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


def answer(group, settings):
    changes = [word for setting in settings for word in ("--set", setting)]
    done = stepsim("whatif", group / "base/traces", "--job", group / "base/job.yaml", "--json", *changes, text=True)
    return json.loads(done.stdout) if done.returncode == 0 else done.stderr.strip()


def predicted_times(found, base, options):
    """The predicted time of an answer in seconds, its range, and what the sources give before that is widened."""
    if "mean_step_s" in base:
        effect = found["scenario"]["mean_effect"]
        times = (float(base["mean_step_s"]) * (1 + effect[key]) for key in ("change", "low_change", "high_change"))
        return widened(*times, found["scenario"]["range_factor"])
    scale = float(base["median_step_s"]) / found["baseline"]["iteration_ns"] if options.relative else 1e-9
    return [found["scenario"][key] * scale for key in ("iteration_ns", "low_ns", "high_ns", "sources_low_ns", "sources_high_ns")]


def score(group, options):
    """The error of each run of the group (1 for a refused run), the number of runs that fail on their own, and the figures
    of each run."""
    base = next(run for run in rows(group / "measured.csv") if run["is_base"] == "1")
    runs = rows(group / options.file)
    settings = [settings_of(run, base) for run in runs]
    with ThreadPoolExecutor(options.parallel) as pool:
        answers = list(pool.map(lambda one: answer(group, one), settings))
    errors, wrong, figures = [], 0, []
    for run, sets, found in zip(runs, settings, answers):
        measured = float(run["mean_step_s" if "mean_step_s" in run else "median_step_s"])
        figures.append({"group": group.name, "settings": sets, "measured_s": measured, "predicted_s": None})
        line = f"{group.name:20} {' '.join(sets) or '(captured)':60} measured {measured:.4f}"
        if isinstance(found, str):
            errors.append(1)
            wrong += 1
            print(f"{line}  FAILED {found}")
            continue
        predicted, low, high, least, most = predicted_times(found, base, options)
        errors.append(abs(predicted / measured - 1))
        figures[-1] |= {"predicted_s": predicted, "low_s": low, "high_s": high}
        inside = low * (1 - GRACE) <= measured <= high * (1 + GRACE) and most <= options.widest * least
        wrong += options.ranges and not inside
        print(f"{line}  predicted {predicted:.4f}  {predicted / measured - 1:+.1%}  [{low:.4f} {high:.4f}]{'' if inside else ' OUTSIDE'}")
    return errors, wrong, figures


def summary(errors):
    return f"{len(errors)} runs: mean error {sum(errors) / len(errors):.2%}, worst {max(errors):.2%}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stepsim", type=os.path.abspath)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--mean", type=float, default=1, help="at most this mean error, as a share")
    parser.add_argument("--worst", type=float, default=1, help="at most this error of any run")
    parser.add_argument("--relative", action="store_true")
    parser.add_argument("--file", default="measured.csv")
    parser.add_argument("--ranges", action="store_true")
    parser.add_argument("--outside", type=int, default=0)
    parser.add_argument("--widest", type=float, default=2.2)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--parallel", type=int, default=os.cpu_count())
    options = parser.parse_args()
    every, wrong, figures = [], 0, []
    for file in sorted(options.folder.glob(f"*/{options.file}")):
        errors, bad, of_group = score(file.parent, options)
        print(f"{file.parent.name:20} {summary(errors)}")
        every += errors
        figures += of_group
        wrong += bad
    if not every:
        sys.exit(f"{options.folder} has no group with {options.file}")
    if options.json:
        options.json.write_text(json.dumps(figures), encoding="utf-8")
    print(f"{summary(every)}, {wrong} refused{' or outside their range' if options.ranges else ''}")
    return 1 if wrong > options.outside or round(sum(every) / len(every), 4) > options.mean or max(every) > options.worst else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""captures.py STEPSIM SHARED TABLE: asks stepsim about captured jobs and writes a table of docs/results to standard output:

    self-check               how well one step's graph predicts the other steps, for each capture of traces/kineto
    steps-in-the-long-run    unchanged steps repeated until they are steady, against the distance between captured steps
    gradient-buckets         predicted step time with other bucket sizes, against the captured step
    calibration              replays of measured runs on the cluster that is fitted to them, for each group of truth/
    ranges                   how many runs of measured-runs.csv lie in their range (as its column "inside" counts), and how wide
                             the ranges are

SHARED contains traces/ and truth/ (docs/internals/test-data.md). Captures to which a table does not apply are left out;
those that stepsim refuses are named on standard error."""
import csv
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

RESULTS = pathlib.Path(__file__).resolve().parent.parent / "docs/results"
NEUTRAL = ["--set", "host.scale=1"]


def answer(stepsim, *words):
    """Returns the answer with --json, or None if stepsim refuses."""
    run = subprocess.run([stepsim, *map(str, words), "--json", "--quiet"], capture_output=True, text=True, timeout=300)
    if run.returncode != 0:
        print(f"{words[1]}: {run.stderr.strip()}", file=sys.stderr)
        return None
    return json.loads(run.stdout)


def captures(shared):
    return sorted(path for path in (shared / "traces/kineto").iterdir() if path.name != "device-pairs")


def name_of(path):
    return path.name.split(".")[0]


def share(value):
    return f"{value * 100:.1f} %"


def self_check(stepsim, shared):
    yield "capture", "steps", "steps differ by", "mean error", "worst error"
    for path in captures(shared):
        found = (answer(stepsim, "replay", path) or {}).get("trust", {}).get("perturbation")
        if found and found["of"] == "steps":
            yield name_of(path), found["steps"], *(share(found[key]) for key in ("mean_abs_difference", "mean_abs_error", "worst_abs_error"))


def steps_in_the_long_run(stepsim, shared):
    yield "capture", "distance between captured steps", "in the long run"
    for path in captures(shared):
        steps = {(step["rank"], step["step"]) for step in (answer(stepsim, "replay", path) or {"steps": []})["steps"]}
        if len(steps) == len({rank for rank, _ in steps}):
            continue  # one step of each rank does not show how the next one begins
        found = (answer(stepsim, "whatif", path, *NEUTRAL) or {}).get("baseline")
        if found and found["in_the_long_run_ns"] and found["of_captured_steps_ns"]:
            captured, repeated = found["of_captured_steps_ns"], found["in_the_long_run_ns"]
            yield name_of(path), f"{captured / 1e6:,.3f} ms", f"{repeated / captured * 100 - 100:+.2f} %"


def gradient_buckets(stepsim, shared):
    sizes = ["1MB", "10MB", "25MiB", "50MB", "100MB"]
    yield ("capture", *sizes)
    for name in ("ddp-a100-rank0of2", "diff-control-a100-rank3of8", "diff-test-v100-rank1of2"):
        scenarios = [answer(stepsim, "whatif", shared / f"traces/kineto/{name}.json.gz", "--set", f"comm.bucket_bytes={size}")["scenario"] for size in sizes]
        yield (name, *(f"{scenario['change'] * 100:+.1f} %" for scenario in scenarios))


def calibration(stepsim, shared):
    yield "group", "error"
    with tempfile.TemporaryDirectory() as folder:
        cluster = pathlib.Path(folder) / "cluster.yaml"
        for group in sorted(path.parent for path in (shared / "truth").glob("*/*/measured.csv")):
            traces = [group / "base/traces", "--job", group / "base/job.yaml"]
            subprocess.run([stepsim, "calibrate", *traces, "-o", cluster, "--quiet"], check=True, stdout=subprocess.DEVNULL)
            found = answer(stepsim, "replay", *traces, "--cluster", cluster)
            yield f"{group.parent.name}/{group.name}", f"{found['iteration']['error'] * 100:+.1f} %"


def ranges(_stepsim, _shared):
    with open(RESULTS / "measured-runs.csv", newline="", encoding="utf-8") as file:
        runs = [row for row in csv.DictReader(file) if not row["run"].endswith(")")]  # not those marked as noisy
    yield "job", "runs", "in their range", "median width"
    for job in dict.fromkeys(row["group"].split("/")[0] for row in runs):
        of_job = [row for row in runs if row["group"].startswith(job + "/")]
        inside = sum(row["inside"] == "yes" for row in of_job)
        width = statistics.median((float(row["high_s"]) - float(row["low_s"])) / float(row["predicted_s"]) for row in of_job)
        yield job, len(of_job), share(inside / len(of_job)), share(width)


TABLES = {"self-check": self_check, "steps-in-the-long-run": steps_in_the_long_run, "gradient-buckets": gradient_buckets, "calibration": calibration, "ranges": ranges}

if __name__ == "__main__":
    if len(sys.argv) != 4 or sys.argv[3] not in TABLES:
        sys.exit(__doc__)
    csv.writer(sys.stdout, lineterminator="\n").writerows(TABLES[sys.argv[3]](sys.argv[1], pathlib.Path(sys.argv[2])))

#!/usr/bin/env python3
"""captures.py STEPSIM SHARED TABLE: asks stepsim about captured jobs and writes a table of docs/results to standard output:

    self-check                     how well one step's graph predicts the other steps, for each capture of traces/kineto
    steps-in-the-long-run          unchanged steps repeated until they are steady, against the distance between captured steps
    gradient-buckets               predicted step time with other bucket sizes, against the captured step
    calibration                    replays of measured runs on the cluster that is fitted to them, for each group of truth/
    ranges                         how many runs of measured-runs.csv lie in their range (as its column "inside" counts), and
                                   how wide the ranges are
    clocks                         offsets found between clocks of ranks that ran on one machine, each shifted by known times
    kernels-during-communication   by how much kernels take longer during communication, by class
    links-that-miss-their-capture  answers where calibrated links do not explain the captured collectives
    overlapped-collectives         measured runs of tests/truth/overlapped_collectives that differ in what overlaps
    whole-models                   steps on another GPU (truth/gpu/models), with the predictions of others

SHARED contains traces/ and truth/ (docs/internals/test-data.md). Captures to which a table does not apply are left out;
those that stepsim refuses are named on standard error."""
import csv
import gzip
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

from fidelity import rows_of

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = ROOT / "docs/results"
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
    runs = [row for row in rows_of(RESULTS / "measured-runs.csv") if not row["run"].endswith(")")]  # not those marked as noisy
    yield "job", "runs", "in their range", "median width"
    for job in dict.fromkeys(row["group"].split("/")[0] for row in runs):
        of_job = [row for row in runs if row["group"].startswith(job + "/")]
        inside = sum(row["inside"] == "yes" for row in of_job)
        width = statistics.median((float(row["high_s"]) - float(row["low_s"])) / float(row["predicted_s"]) for row in of_job)
        yield job, len(of_job), share(inside / len(of_job)), share(width)


def with_own_clock(trace, target, shift_ms):
    """Writes the trace as one of another host whose clock is ahead."""
    with gzip.open(trace) as file:
        content = json.load(file)
    content["host_name"] = "another"
    for event in content["traceEvents"]:
        if "ts" in event:
            event["ts"] += shift_ms * 1e3
    target.write_text(json.dumps(content), encoding="utf-8")


def clocks(stepsim, shared):
    shifts = [0, 3, -3, 50, -50, 10_000, -10_000]
    yield "job", "worst error for clocks up to 10 s ahead", "may be off by", "ends differ by"
    for job in ("ddp/ddp-even", "ddp/ddp-skewed", "ddp/pipe-2", "fsdp/fsdp-even"):
        first, second = sorted((shared / "truth" / job / "base/traces").iterdir())
        found = []
        with tempfile.TemporaryDirectory() as folder:
            for shift in shifts:
                moved = pathlib.Path(folder) / "rank1.json"
                with_own_clock(second, moved, shift)
                host = answer(stepsim, "replay", first, moved, "--job", shared / "truth" / job / "base/job.yaml")["clock"]["hosts"][1]
                found.append((abs(host["offset_ns"] / 1e6 - shift), host["residual_ns"] / 1e6, host["spread_ns"] / 1e6))
        error, residual, spread = map(max, zip(*found))
        yield job, f"{error:.2f} ms", f"{residual:.1f} ms", f"{spread:.1f} ms"


def kernels_during_communication(stepsim, shared):
    yield "capture", "rank", "class", "kernels compared", "factor", "middle 80 %", "used by what-ifs"
    for path in captures(shared):
        slowed = (answer(stepsim, "replay", path) or {}).get("interference")
        changed = answer(stepsim, "whatif", path, "--set", "network.bandwidth=2x") if slowed else None
        if changed is None:
            continue
        used = {found["class"] for found in changed["interference"]}
        for found in slowed:
            yield (name_of(path), found["rank"], found["class"], found["kernels"], f"{found['factor']:.2f}", f"{found['low']:.2f} to {found['high']:.2f}",
                   "yes" if found["class"] in used else "no")


def links_that_miss_their_capture(stepsim, shared):
    def figure(scenario):
        return f"{scenario['iteration_ns'] / 1e6:.1f} ms ({scenario['low_ns'] / 1e6:.0f} to {scenario['high_ns'] / 1e6:.0f})"

    yield "capture", "measured", "bandwidth", "by the links alone (--network maxmin)", "from recorded times"
    for path in captures(shared):
        for factor, bandwidth in ((1, "as captured"), (2, "twice")):
            question = [path, "--set", f"network.bandwidth={factor}x"]
            recorded = answer(stepsim, "whatif", *question)
            if recorded is None or not any("keep their recorded times, changed" in text for text in recorded["assumptions"]):
                break
            alone = answer(stepsim, "whatif", *question, "--network", "maxmin")
            yield name_of(path), f"{recorded['measured']['iteration_ns'] / 1e6:.1f} ms", bandwidth, figure(alone["scenario"]), figure(recorded["scenario"])


def overlapped_collectives(stepsim, _shared):
    folder = ROOT / "tests/truth/overlapped_collectives"
    yield "gathers ahead", "reductions", "measured", "predicted", "error", "range"
    for run in rows_of(folder / "measured.csv"):
        sets = ["--set", f"overlap.prefetch={run['prefetch']}"] if run["prefetch"] != "0" else []
        if run["asynchronous"] == "1":  # the trace has no operators of an autograd engine: reductions are selected by name
            sets += ["--set", "overlap{name=all_reduce}.collectives=asynchronous"]
        found = answer(stepsim, "whatif", folder / "traces", *(sets or NEUTRAL))["scenario"]
        predicted, low, high = (found[key] / 1e9 for key in ("iteration_ns", "low_ns", "high_ns"))
        measured = float(run["median_step_s"])
        yield (run["prefetch"], "asynchronous" if run["asynchronous"] == "1" else "waited for at once", f"{measured:.3f} s", f"{predicted:.3f} s",
               f"{(predicted / measured - 1) * 100:+.1f} %", f"{low:.3f} to {high:.3f} s")


# Groups of truth/gpu/models/pairs.csv, and the columns with the predictions of others.
MODEL_GROUPS = {
    "all": lambda row: True,
    "bert_large and gpt2_large, inference: the devices' fp32 shares were fitted to these": lambda row: row["mode"] == "inf" and row["model"] != "opt_13",
    "the others, held out: opt_13, and all training": lambda row: row["mode"] != "inf" or row["model"] == "opt_13",
    "steps that agree with their own operators within 10 % on both devices":
        lambda row: all(abs(float(row[f"{device}_operators_over_e2e"] or "inf") - 1) <= 0.1 for device in "ab"),
    "between NVIDIA devices": lambda row: not any(row[f"{device}_device"].startswith("MI") for device in "ab"),
}
OTHER_MODELS = {"NeuSight (ASPLOS 2025)": "neusight_b_ms", "Habitat (ATC 2021) in NeuSight's artefact": "habitat_b_ms", "data-sheet roofline": "roofline_b_ms"}


def whole_models(stepsim, shared):
    """stepsim predicts a step from its capture on the first device, the others from its shapes alone."""
    def line(name, predictor, errors, inside=None):
        return name, predictor, len(errors), share(statistics.mean(map(abs, errors))), share(statistics.median(map(abs, errors))), inside

    folder = shared / "truth/gpu/models"
    rows = rows_of(folder / "pairs.csv")
    for row in rows:
        found = answer(stepsim, "whatif", folder / row["a"], "--set", row["question"])
        first, second = float(row["a_e2e_ms"]), float(row["b_e2e_ms"])
        ratio, low, high = (found["scenario"][key] / found["baseline"]["iteration_ns"] for key in ("iteration_ns", "low_ns", "high_ns"))
        row["error"], row["inside"] = ratio * first / second - 1, low * first <= second <= high * first
    yield "questions", "predictor", "number", "mean error", "median error", "in range"
    for name, belongs in MODEL_GROUPS.items():
        group = [row for row in rows if belongs(row)]
        yield line(name, "stepsim", [row["error"] for row in group], f"{statistics.mean(row['inside'] for row in group) * 100:.0f} %")
    # The others are compared on the last group, for which all of them have predictions.
    for predictor, column in OTHER_MODELS.items():
        yield line(name, predictor, [float(row[column]) / float(row["b_e2e_ms"]) - 1 for row in group])


TABLES = {"self-check": self_check, "steps-in-the-long-run": steps_in_the_long_run, "gradient-buckets": gradient_buckets, "calibration": calibration,
          "ranges": ranges, "clocks": clocks, "kernels-during-communication": kernels_during_communication,
          "links-that-miss-their-capture": links_that_miss_their_capture, "overlapped-collectives": overlapped_collectives, "whole-models": whole_models}

if __name__ == "__main__":
    if len(sys.argv) != 4 or sys.argv[3] not in TABLES:
        sys.exit(__doc__)
    csv.writer(sys.stdout, lineterminator="\n").writerows(TABLES[sys.argv[3]](sys.argv[1], pathlib.Path(sys.argv[2])))

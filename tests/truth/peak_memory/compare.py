#!/usr/bin/env python3
"""compare.py STEPSIM [SHARED]: compares predicted peaks of memory with measured ones.

Predicts the peak at every batch in measured.csv from the trace of every batch (measure.py), and that of every plan in
divided.csv from the trace of the whole model (measure_divided.py), with its allocations and from shapes alone. If SHARED
has them, also predicts the second trace of each pair of batches of truth/gpu/pairs from the first. Prints the error of
each prediction, and the mean and the largest of each group. Fails if a mean is above MOST_MEAN_ERROR, or a measured peak
is outside of the predicted range."""
import csv
import gzip
import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
MOST_MEAN_ERROR = {"CPU": 0.001, "divided, from allocations": 0.01, "divided, from shapes": 0.01, "device": 0.01}


def answer_of(program, trace, factors):
    """Returns the memory at each factor on the samples."""
    run = subprocess.run([program, "sweep", str(trace), "--set", "batch.scale=" + ",".join(factors), "--json", "--quiet"],
                         check=True, capture_output=True, text=True)
    return [point["memory"] for point in json.loads(run.stdout)["points"]]


def cpu_cases(program):
    with open(HERE / "measured.csv", encoding="utf-8", newline="") as file:
        peaks = {(row["model"], int(row["batch"])): int(row["peak_bytes"]) for row in csv.DictReader(file)}
    for model, batch in peaks:
        others = [other for name, other in peaks if name == model and other != batch]
        trace = HERE / "traces" / f"{model}-{batch}.json.gz"
        for other, memory in zip(others, answer_of(program, trace, [str(other / batch) for other in others])):
            yield f"{model}, {batch} to {other}", memory, peaks[model, other]


def without_allocations(trace, folder):
    with gzip.open(trace) as file:
        content = json.load(file)
    content["traceEvents"] = [event for event in content["traceEvents"] if event["name"] != "[memory]"]
    path = pathlib.Path(folder, trace.name.removesuffix(".gz"))
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def settings(plan, layers):
    """The options for a plan, with stages of equally many layers, as they were measured."""
    given = dict(entry.split("=") for entry in plan.split())
    stages = int(given.get("pipeline", 1))
    if stages > 1:
        given["split"] = "+".join([str(layers // stages)] * stages)
    keys = [f"parallel.{key}={value}" for key, value in given.items()] or ["batch.scale=1"]
    return [word for key in keys for word in ("--set", key)]


def divided_cases(program, folder):
    """Without a folder, from the allocations; else from traces without them, which are written to the folder."""
    with open(HERE / "divided.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    traces = {row["model"]: HERE / "traces" / f"{row['model']}.json.gz" for row in rows}
    if folder:
        traces = {model: without_allocations(trace, folder) for model, trace in traces.items()}
    for row in rows:
        options = settings(row["plan"], int(row["layers"]))
        run = subprocess.run([program, "whatif", str(traces[row["model"]]), *options, "--json", "--quiet"], check=True,
                             capture_output=True, text=True)
        yield f"{row['model']}, {row['plan']}", json.loads(run.stdout)["memory"], int(row["peak_bytes"])


def recorded_peak(path):
    with gzip.open(path) as file:
        events = json.load(file)["traceEvents"]
    return max(event["args"]["Total Allocated"] for event in events
               if event.get("name") == "[memory]" and event["args"]["Device Id"] == 0)


def device_cases(program, pairs):
    with open(pairs.parent / "pairs.csv", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["name"].startswith("part-"):
                before, after = (pairs / row["name"] / name for name in ("a.json.gz", "b.json.gz"))
                factor = row["question"].removeprefix("batch.scale=")
                yield row["name"], answer_of(program, before, ["1", factor])[1], recorded_peak(after)


def report(group, cases):
    errors, outside = [], 0
    for name, memory, measured in cases:
        errors.append(memory["peak_bytes"] / measured - 1)
        inside = memory["low_bytes"] <= measured <= memory["high_bytes"]
        outside += not inside
        print(f"{name:40} {errors[-1]:+8.2%}{'' if inside else '  outside of the range'}")
    mean = sum(map(abs, errors)) / len(errors)
    print(f"{group}: {len(errors)} predictions, mean error {mean:.2%}, worst {max(map(abs, errors)):.2%}, {outside} outside")
    return mean <= MOST_MEAN_ERROR[group] and outside == 0


def main():
    program = sys.argv[1]
    good = report("CPU", list(cpu_cases(program)))
    good = report("divided, from allocations", list(divided_cases(program, None))) and good
    with tempfile.TemporaryDirectory() as folder:
        good = report("divided, from shapes", list(divided_cases(program, folder))) and good
    pairs = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else "", "truth", "gpu", "pairs")
    if pairs.is_dir():
        good = report("device", list(device_cases(program, pairs))) and good
    else:
        print("the pairs of truth/gpu are absent; only the traces of the CPU were compared")
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Compares predicted steps of GPT models with steps that others published (docs/results/published-steps.csv).

    published_steps.py STEPSIM [--most N] [--bar E] [--set KEY=VALUE]...

A step of each model is made from its configuration alone (`stepsim model`), and each row is a what-if `parallel` of it.
Prints the published and the predicted step of each row, the error, whether the step is in its range, the peak of memory
and whether it fits, and the mean error. Rows above --most and rows that stepsim refuses are listed with the reason."""
import argparse
import csv
import pathlib
import statistics
import sys
import tempfile

import measured_plans

PUBLISHED = pathlib.Path(__file__).parents[3] / "docs/results/published-steps.csv"
SEQUENCE = 2048  # of all rows
PEAK = 312e12  # of an A100 in 16 bits
ACCEPTED = 30000  # layers x microbatches of a replica; models of 1T have 65,536, which are more tasks than stepsim accepts


def published_step(row):
    """Returns the published step in seconds. Throughput counts operations as its paper does: with the layers' second
    forward pass (Narayanan et al. 2021), or without (Korthikanti et al. 2022)."""
    layers, hidden, vocabulary, batch, gpus = (int(row[key]) for key in ("layers", "hidden", "vocabulary", "global_batch", "gpus"))
    published = float(row["published"])

    def operations(passes):  # of a step; a forward pass counts once, a backward pass twice
        layer = 24 * hidden**2 * (1 + SEQUENCE / (6 * hidden))
        return batch * SEQUENCE * (passes * layers * layer + 3 * 2 * hidden * vocabulary)
    return {"s": lambda: published,
            "TFLOP/s per GPU": lambda: operations(4) / (published * 1e12 * gpus),
            "% of peak, model operations": lambda: operations(3) / (published / 100 * PEAK * gpus)}[row["unit"]]()


def read_rows(path):
    """Returns (row of the table, question)."""
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            tensor, pipeline, interleave, micro, batch, gpus, layers = (int(row[key]) for key in (
                "tensor", "pipeline", "interleave", "micro_batch", "global_batch", "gpus", "layers"))
            model = ("gpt", "--layers", layers, "--hidden", row["hidden"], "--heads", row["heads"], "--sequence", SEQUENCE,
                     "--vocabulary", row["vocabulary"], "--micro-batch", micro, "--device", "A100 80GB", "--attention", "math", "--precision", "fp16", "--wait-for-passes")
            settings = [f"parallel.data={gpus // (tensor * pipeline)}", f"parallel.tensor={tensor}", f"parallel.pipeline={pipeline}",
                        f"parallel.micro_batch={micro}", f"parallel.global_batch={batch}", f"parallel.recompute={row['recompute']}",
                        f"parallel.sequence={row['sequence_parallel']}", f"parallel.tensor_overlap={row['tensor_overlap']}",
                        "cluster.gpus_per_host=8", "cluster.inside=NVLink3", "cluster.nic=1600Gb/s"]
            if row["overlapped_gradients"] == "false":
                settings.append("comm.bucket_bytes=100GB")
            if pipeline > 1:
                parts = pipeline * interleave
                settings += [f"parallel.interleave={interleave}", f"parallel.split={'+'.join([str(layers // parts)] * parts)}"]
            yield row, measured_plans.Row((row["model"], gpus), model, settings, 1e3 * published_step(row))


def size(row):
    """Returns the layers that a step passes in all microbatches of a replica: the time of an answer grows with them."""
    replicas = int(row["gpus"]) // (int(row["tensor"]) * int(row["pipeline"]))
    return int(row["layers"]) * int(row["global_batch"]) // (replicas * int(row["micro_batch"]))


def title(row):
    return f"{row['source']}, {row['figure']}, {row['model']} on {row['gpus']} GPUs, recompute {row['recompute']}"


def report(asked):
    """Prints all rows and returns the mean error of those with an answer."""
    answered = [(row, question) for row, question in asked if question.answer]
    for row, question in asked:
        if not question.answer:
            print(f"{title(row)}: published {question.measured / 1e3:.2f} s, refused (see above)")
    for row, question in answered:
        memory = question.answer["memory"]
        print(f"{title(row)}: published {question.measured / 1e3:.2f} s, predicted {question.step / 1e3:.2f} s, {question.error:+.1%}, {'in' if question.inside else 'OUT'}, "
              f"{memory['peak_bytes'] / 2**30:.0f} GiB fits: {memory['fits']}")
    errors = [abs(question.error) for _, question in answered]
    inside = statistics.mean(question.inside for _, question in answered)
    print(f"{len(answered)} rows: mean error {statistics.mean(errors):.2%}, worst {max(errors):.1%}; {inside:.1%} in their ranges, "
          f"median width {statistics.median(question.width for _, question in answered):.1%}")
    return statistics.mean(errors)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stepsim")
    parser.add_argument("--most", type=int, default=ACCEPTED, help=f"leave out rows with more layers x microbatches of a replica (default: {ACCEPTED:,})")
    parser.add_argument("--bar", type=float, help="fails if the mean error is above it, or a row has no answer")
    parser.add_argument("--set", action="append", default=[])
    options = parser.parse_args()
    options.model = []
    asked = []
    for row, question in read_rows(PUBLISHED):
        if size(row) <= options.most:
            asked.append((row, question))
        else:
            print(f"left out: {title(row)}: {size(row)} layers x microbatches; --most is {options.most}")
    with tempfile.TemporaryDirectory() as place:
        measured_plans.predict(options.stepsim, [question for _, question in asked], place, options)
    error = report(asked)
    if options.bar is not None and (error > options.bar or any(question.answer is None for _, question in asked)):
        print("failed: the mean error is above the bar, or a row has no answer")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

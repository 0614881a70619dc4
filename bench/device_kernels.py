#!/usr/bin/env python3
"""device_kernels.py STEPSIM TABLES: predicts measured kernels from each other and writes
docs/results/device-kernels.csv to standard output: the error of the ratio by class of kernel.

TABLES contains gemm.csv and elementwise.csv (docs/internals/test-data.md). A row is a kernel with its source, device,
operator, shape and measured time. Each row becomes a capture of that one kernel. The script predicts the same kernel on
another device (device.to), or on the same device with more or fewer tokens (batch.scale), if another row has the
measured answer. Rows below 5 us are left out, because they were measured in whole microseconds."""
import argparse
import concurrent.futures
import csv
import itertools
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

LEAST_US = 5
ELEMENT = {"fp16": "c10::Half", "bf16": "c10::BFloat16"}
TOKENS = [8, 64, 256, 1024, 4096]
ROWS = [("up to 64 rows", 1, 64), ("65 to 512 rows", 65, 512), ("more rows", 513, 1 << 40)]


def kind_of(row):
    if "width" in row:
        return "addition" if row["op"] == "add" else "activation"
    return "batched product" if row["op"].startswith("bmm") else "product"


def call_of(row):
    """Returns the operator that launches the kernel, the shapes of its inputs, and a name of the kernel's class."""
    tokens = int(row["tokens"])
    kind = kind_of(row)
    if kind == "addition":
        return "aten::add", [[tokens, int(row["width"])]] * 2, "vectorized_elementwise_kernel<8, CUDAFunctor_add<c10::Half> >"
    if kind == "activation":
        width = int(row["width"]) * (2 if "gated" in row["op"] else 1)
        return "aten::gelu", [[tokens, width]], "vectorized_elementwise_kernel<8, GeluCUDAKernelImpl>"
    k, n = int(row["k"]), int(row["n"])
    name = f"{row['dtype']}_gemm_128x128"
    if kind == "batched product":
        count = int(row["op"][len("bmm"):])
        return "aten::bmm", [[count, tokens, k], [count, k, n]], name
    return "aten::mm", [[tokens, k], [k, n]], name


def capture_of(row):
    operator, shapes, kernel = call_of(row)
    arguments = {"External id": 1, "Input Dims": shapes, "Input type": [ELEMENT[row["dtype"]]] * len(shapes)}

    def event(category, name, start, duration, thread, values):
        return {"ph": "X", "cat": category, "name": name, "pid": 1, "tid": thread, "ts": start, "dur": duration, "args": values}

    around = []
    if operator == "aten::mm":  # a linear layer: the second factor is a weight, which does not depend on the number of
                                # tokens
        weight = shapes[1][::-1]
        around = [event("cpu_op", "aten::linear", 99, 40, 1, {**arguments, "External id": 2, "Input Dims": [shapes[0], weight]})]
    events = [*around, event("cpu_op", operator, 100, 30, 1, arguments),
              event("cuda_runtime", "cudaLaunchKernel", 110, 5, 1, {"External id": 1, "correlation": 7}),
              event("kernel", kernel, 120, float(row["measured_us"]), 7, {"External id": 1, "device": 0, "stream": 7, "correlation": 7})]
    return {"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": row["device"]}], "traceEvents": events}


def predict(stepsim, row, question):
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(capture_of(row), file)
        file.flush()
        run = subprocess.run([stepsim, "whatif", "--quiet", "--json", file.name, "--set", question], capture_output=True, text=True, check=True)
    return sum(kind["after_ns"] for kind in json.loads(run.stdout)["device_work"][-1]["classes"]) / 1e3


def shape_of(row):
    return tuple(row.get(key) for key in ("source", "model", "op", "k", "n", "tp", "width"))


def device_pairs(rows):
    """Returns pairs (row, row of the same kernel on another device), in both orders."""
    same = {}
    for row in rows:
        same.setdefault((shape_of(row), row["tokens"]), []).append(row)
    for group in same.values():
        yield from (pair for pair in itertools.permutations(group, 2) if pair[0]["device"] != pair[1]["device"])


def token_pairs(rows):
    same = {}
    for row in rows:
        same.setdefault((shape_of(row), row["device"]), {})[int(row["tokens"])] = row
    for group in same.values():
        for few, many in zip(TOKENS, TOKENS[1:]):
            if few in group and many in group:
                yield from itertools.permutations((group[few], group[many]))


def size_of(row):
    return next(name for name, least, most in ROWS if least <= int(row["tokens"]) <= most)


def device_question(before, after):
    devices = " and ".join(sorted((before["device"], after["device"])))
    size = f", {size_of(before)}" if kind_of(before) == "product" and before["source"] == "vidur" else ""
    return (f"{kind_of(before)}s{size}", devices, before["source"]), before, after, f"device.to={after['device']}"


def token_question(before, after):
    factor = int(after["tokens"]) / int(before["tokens"])
    return (f"{kind_of(before)}s, other tokens", before["device"], before["source"]), before, after, f"batch.scale={factor:g}"


def questions(rows):
    long_enough = [row for row in rows if float(row["measured_us"]) >= LEAST_US]
    return [device_question(*pair) for pair in device_pairs(long_enough)] + [token_question(*pair) for pair in token_pairs(long_enough)]


def table(stepsim, asked):
    def error(question):
        key, before, after, change = question
        return key, abs(predict(stepsim, before, change) / float(after["measured_us"]) - 1)

    errors = {}
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for key, value in pool.map(error, asked):
            errors.setdefault(key, []).append(value)
    for key, values in sorted(errors.items()):
        yield [*key, len(values), *(f"{100 * middle(values):.1f} %" for middle in (statistics.median, statistics.mean))]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stepsim")
    parser.add_argument("tables", type=pathlib.Path)
    options = parser.parse_args()
    found = []
    for name in ("gemm.csv", "elementwise.csv"):
        with open(options.tables / name) as file:
            found += questions(list(csv.DictReader(file)))
    written = csv.writer(sys.stdout, lineterminator="\n")
    written.writerow(["class", "devices", "source", "questions", "median", "mean"])
    written.writerows(table(options.stepsim, found))

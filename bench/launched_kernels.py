#!/usr/bin/env python3
"""launched_kernels.py STEPSIM CAPTURES: how well does a kernel's launch predict its time on another device?

CAPTURES is a folder of Kineto captures (docs/internals/test-data.md). Kernels with the same name, grid and block in
captures of two devices are assumed to do the same work. Each is predicted from the other without shapes: with its
launch (registers, shared memory, grid and block), without it, and by Habitat's rule for memory-bound kernels (Yu et
al., ATC 2021, equation 1). Matrix products are left out, because their launch does not show their work. Writes
docs/results/launched-kernels.csv to standard output: the error of the ratio by the share of its first device that a
kernel fills. The error is the mean of |ln(predicted / measured)|, which is the same for half and for twice the time.
Kernels that differ by more than 6 times are left out, because they probably do different work."""
import argparse
import collections
import concurrent.futures
import csv
import gzip
import itertools
import json
import math
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

PRODUCT = re.compile("gemm|conv|xmma|cutlass|wgrad|dgrad|winograd|nccl", re.IGNORECASE)
LAUNCH = ("grid", "block", "registers per thread", "shared memory")
BANDWIDTH = {"V100": 900, "A100": 1555, "RTX 3060 Ti": 448, "RTX 3060": 360, "RTX 2080 Ti": 616, "T4": 320, "H100": 3350, "RTX 4090": 1008, "RTX 5090": 1792}
MOST = 6
FILLED = [("up to a quarter", 0.25), ("more, but not all", 1 - 1e-9), ("all", math.inf)]


def kernels_of(path):
    """Returns (device's properties, kernel's event) for each memory-bound kernel with a recorded launch."""
    with gzip.open(path) as file:
        capture = json.load(file)
    devices = capture.get("deviceProperties") if isinstance(capture, dict) else None
    for event in capture["traceEvents"] if devices else []:
        if event.get("cat") == "kernel" and all(key in event["args"] for key in LAUNCH) and not PRODUCT.search(event["name"]):
            yield devices[0], event


def blocks_at_once(device, launch):
    warps = -(-math.prod(launch["block"]) // 32)
    registers = -(-launch["registers per thread"] * 32 // 256) * 256
    held = [device["maxThreadsPerMultiprocessor"] // (32 * warps), device["regsPerMultiprocessor"] // 4 // max(1, registers) * 4 // warps]
    if launch["shared memory"]:
        held.append(device["sharedMemPerMultiprocessor"] // launch["shared memory"])
    return device["numSms"] * max(1, min(held))


def bandwidth(device):
    return next(rate for name, rate in BANDWIDTH.items() if device["name"].endswith(name) or name in device["name"].replace("-", " ").split())


def by_waves(launch, before, after, took):
    blocks = math.prod(launch["grid"])
    held = [blocks_at_once(device, launch) for device in (before, after)]
    per_block = bandwidth(before) / bandwidth(after) * held[1] / held[0]
    return took * per_block * math.ceil(blocks / held[1]) / math.ceil(blocks / held[0])


def predict(stepsim, name, arguments, before, after, took):
    event = {"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": 120, "dur": took, "args": {"device": 0, "stream": 7, "correlation": 7, **arguments}}
    call = {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 110, "dur": 5, "args": {"correlation": 7}}
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": before["name"]}], "traceEvents": [call, event]}, file)
        file.flush()
        run = subprocess.run([stepsim, "whatif", "--quiet", "--json", file.name, "--set", f"device.to={after['name']}"], capture_output=True, text=True, check=True)
    return sum(kind["after_ns"] for kind in json.loads(run.stdout)["device_work"][-1]["classes"]) / 1e3


def questions(folder):
    times = collections.defaultdict(lambda: collections.defaultdict(list))
    devices, launches = {}, {}
    for path in sorted(folder.rglob("*.json.gz")):
        for device, event in kernels_of(path):
            launch = {key: event["args"][key] for key in LAUNCH}
            key = event["name"], tuple(launch["grid"]), tuple(launch["block"])
            devices[device["name"]] = device
            launches.setdefault((key, device["name"]), launch)
            times[key][device["name"]].append(float(event["dur"]))
    for key, by_device in times.items():
        for one, other in itertools.permutations(by_device, 2):
            took, truth = statistics.median(by_device[one]), statistics.median(by_device[other])
            if took > 0 and 1 / MOST < truth / took < MOST and bandwidth(devices[one]) != bandwidth(devices[other]):
                yield key[0], launches[key, one], devices[one], devices[other], took, truth


def errors(stepsim, question):
    name, launch, before, after, took, truth = question
    filled = math.prod(launch["grid"]) / blocks_at_once(before, launch)
    size = next(name for name, most in FILLED if filled <= most)
    answers = [predict(stepsim, name, launch, before, after, took), predict(stepsim, name, {}, before, after, took), by_waves(launch, before, after, took)]
    return size, [abs(math.log(answer / truth)) for answer in answers]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stepsim")
    parser.add_argument("captures", type=pathlib.Path)
    options = parser.parse_args()
    rows = collections.defaultdict(list)
    with concurrent.futures.ThreadPoolExecutor(2) as workers:
        for group, found in workers.map(lambda question: errors(options.stepsim, question), questions(options.captures)):
            rows[group].append(found)
    table = csv.writer(sys.stdout, lineterminator="\n")
    table.writerow(["share of the first device that a kernel fills", "kernels", "with the launch", "without", "Habitat's rule"])
    for name, _ in FILLED:
        table.writerow([name, len(rows[name]), *(f"{100 * statistics.mean(column):.1f} %" for column in zip(*rows[name]))])

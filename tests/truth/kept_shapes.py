#!/usr/bin/env python3
"""kept_shapes.py STEPSIM: answers of small records about clusters, groups of ranks and the long run. The records are in a
folder next to the checkout (findings), without which nothing is checked.

    neutral   the number of workers that a job has changes nothing, and a slow NIC is felt, whatever the cluster file says
    groups    ranks that were not captured run where their group's ranks do, and captured ones where the capture has them
    tables    of two tables of one number of ranks, the order in the file does not matter
    long run  the slowest cycle sets the pace, also where captured steps do not show it yet, and parts sum to it"""
import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "cli"))
from checks import SHARED, check, quietly, verdict, write  # noqa: E402

RECORDS = os.path.join(os.path.dirname(SHARED), "findings")
SAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../scenarios/samples")
MODEL = os.path.join(RECORDS, "model")
NEUTRAL = "compute.scale=1"


def scenario(trace, change, cluster=None):
    on = ["--network", "maxmin", "--cluster", cluster] if cluster else []
    run = quietly("whatif", trace, *on, "--set", change, "--json")
    check(f"{trace}, {change}: is answered", run.returncode == 0, run)
    return json.loads(run.stdout)["scenario"] if run.returncode == 0 else {"iteration_ns": None}


def iteration(trace, change=NEUTRAL, cluster=None):
    return scenario(trace, change, cluster)["iteration_ns"]


def neutral(folder):
    ddp, rank0 = os.path.join(SAMPLES, "pytorch-ddp"), os.path.join(MODEL, "nccl_rank0.json.gz")
    tiers = write(folder, "tiers.yaml", "hosts: 16\nnic: {bandwidth: 25Gb/s, latency: 1us}\ntiers: [{ports: 8, oversubscription: 8}]\n")
    cases = [(ddp, 2, os.path.join(MODEL, name)) for name in ("pcie.yaml", "half.yaml", "ov.yaml")]
    for trace, workers, cluster in cases + [(rank0, 16, os.path.join(MODEL, "h2g8r.yaml")), (rank0, 16, tiers)]:
        before = iteration(trace, cluster=cluster)
        check(f"{cluster}: as many workers change nothing", iteration(trace, f"cluster.workers={workers}", cluster) == before)
        check(f"{cluster}: a slow NIC is felt", iteration(trace, "cluster.nic=1kb/s", cluster) > 100 * before)


def groups(folder):
    pair = os.path.join(MODEL, "c01.json.gz")
    far = os.path.join(MODEL, "c08.json.gz")
    apart = write(folder, "apart.yaml", "hosts: 2\ndevices: {count: 1, model: A100}\nnic: {bandwidth: 25Gb/s, latency: 1us}\n")
    shared = os.path.join(MODEL, "h2g8.yaml")
    expected = iteration(pair, cluster=apart)
    found = iteration(far, cluster=shared)
    check("ranks 0 and 8 of hosts with 8 GPUs meet over the NIC", found == expected, (found, expected))
    check("ranks 0 and 1 meet over NVLink", iteration(pair, cluster=shared) < found)
    ranks = os.path.join(RECORDS, "ingest", "ten-ranks-ten-hosts")
    alone = write(folder, "alone.yaml", "hosts: 10\ndevices: {count: 1, model: NVIDIA H100 80GB HBM3}\nnic: {bandwidth: 400Gb/s, latency: 2us}\n")
    found, expected = iteration(ranks, cluster=ranks + ".yaml"), iteration(ranks, cluster=alone)
    check("ten ranks stay on ten hosts", abs(found / expected - 1) < 0.001, (found, expected))


def tables(folder):
    with open(os.path.join(MODEL, "ab.yaml")) as file:
        lines = file.read().splitlines()
    first = next(i for i, line in enumerate(lines) if line.strip().startswith("- {op"))
    lines[first], lines[first + 1] = lines[first + 1], lines[first]
    swapped = write(folder, "ba.yaml", "\n".join(lines) + "\n")
    trace = os.path.join(MODEL, "nccl_rank0.json.gz")
    both = iteration(trace, cluster=os.path.join(MODEL, "ab.yaml")), iteration(trace, cluster=swapped)
    check("two tables give one answer in either order", both[0] == both[1], both)


def long_run():
    for name, expected in (("two4", 7.0), ("two_streams", 7.0), ("uneven", 10.0)):
        answer = scenario(os.path.join(MODEL, name + ".json.gz"), NEUTRAL)
        check(f"{name}: step time", abs(answer["iteration_ns"] / 1e6 - expected) < 0.01 * expected, answer["iteration_ns"])
        check(f"{name}: in the long run", answer["in_the_long_run_ns"] == answer["iteration_ns"], answer)
        measured = json.loads(quietly("replay", os.path.join(MODEL, name + ".json.gz"), "--json").stdout)["iteration"]["measured_ns"]
        check(f"{name}: the range has the measured steps", answer["low_ns"] <= measured <= answer["high_ns"], (answer["low_ns"], measured, answer["high_ns"]))
        parts = sum(time or 0 for key, time in answer["iteration_parts"].items() if key.endswith("_ns"))
        check(f"{name}: parts sum to the iteration", parts == answer["iteration_ns"], (parts, answer["iteration_ns"]))
        limits = sum(part["time_ns"] for part in answer["limited_by"])
        check(f"{name}: what limits it takes that long", abs(limits - answer["iteration_ns"]) <= 10, answer["limited_by"])
    limit = scenario(os.path.join(MODEL, "two4.json.gz"), NEUTRAL)["limited_by"][0]
    check("two4: the slower stream limits it", limit["of"] == "stream 20", limit)


if not os.path.isdir(MODEL):
    print(f"skipped: {MODEL} does not exist")
    sys.exit(0)
with tempfile.TemporaryDirectory() as scratch:
    neutral(scratch)
    groups(scratch)
    tables(scratch)
long_run()
sys.exit(verdict())

#!/usr/bin/env python3
"""Compares predicted steps of models that no capture shows with measured steps by parallel plan (SHARED/truth/plans).

    measured_plans.py STEPSIM SHARED one-node|many-nodes|fsdp|profile [--rows N] [--show N] [--model OPTIONS] [--set KEY=VALUE]... [--json FILE]

A step of each model is made from its configuration alone (`stepsim model`), and each row is a what-if `parallel` of it.
Prints the mean error, Kendall's tau of the ranking of plans (by model, GPUs and global batch; small groups pooled), the
regret of the plan that is predicted to be the fastest, and how many measured steps are in their ranges. --json also
writes the figures of each row to a file."""
import argparse
import collections
import concurrent.futures
import csv
import dataclasses
import itertools
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

SMALL = 4  # groups with fewer rows are pooled


@dataclasses.dataclass
class Row:
    group: tuple
    capture: tuple  # options of `stepsim model`
    settings: list  # of the what-if
    measured: float  # in milliseconds
    memory: int = None  # largest amount of a device's memory in use, in bytes
    reduction: float = None  # of gradients, in milliseconds
    answer: dict = None

    @property
    def step(self):
        return self.answer["scenario"]["iteration_ns"] / 1e6

    @property
    def error(self):
        return self.step / self.measured - 1

    @property
    def inside(self):
        return self.answer["scenario"]["low_ns"] <= self.measured * 1e6 <= self.answer["scenario"]["high_ns"]

    @property
    def width(self):
        """That of what the sources give, before it is widened by what measured answers needed."""
        return (self.answer["scenario"]["sources_high_ns"] - self.answer["scenario"]["sources_low_ns"]) / self.answer["scenario"]["iteration_ns"]


# Megatron pads the vocabulary. The rows of one node are those of vTrain's own model (its src/model/gpt_modeling.py), which
# gives each tensor rank VOCABULARY // ranks entries: what one rank does after the layers takes four times as long as on
# each of two, because 50,257 is odd.
VOCABULARY, PADDED = 50257, 50304


def gpt_rows(path):
    """Rows of Megatron-DeepSpeed on hosts of eight A100, whose layers are computed again in the backward pass."""
    with open(path, encoding="utf-8-sig", newline="") as file:
        for row in csv.DictReader(file):
            gpus, batch, micro, hidden, heads, layers, sequence, tensor, data, pipeline = (int(row[key]) for key in (
                "# GPUs", "global batch", "micro batch", "hidden size", "attention heads", "# layers", "sequence length",
                "tensor parallelism", "data parallelism", "pipeline parallelism"))
            model = ("gpt", "--layers", layers, "--hidden", hidden, "--heads", heads, "--sequence", sequence, "--vocabulary", PADDED if gpus > 8 else VOCABULARY // tensor * tensor,
                     "--micro-batch", micro, "--device", "A100 80GB", "--attention", "math", "--precision", "fp16", "--wait-for-passes")
            settings = [f"parallel.data={data}", f"parallel.tensor={tensor}", f"parallel.pipeline={pipeline}",
                        f"parallel.micro_batch={micro}", f"parallel.global_batch={batch}", "parallel.recompute=all", "parallel.tensor_overlap=false",
                        "comm.bucket_bytes=100GB"]
            if pipeline > 1:  # Megatron gives each stage as many layers
                settings.append(f"parallel.split={'+'.join([str(layers // pipeline)] * pipeline)}")
            if gpus > 8:
                settings += ["cluster.gpus_per_host=8", "cluster.inside=NVLink3", "cluster.nic=800Gb/s"]
            yield Row((layers, hidden, gpus, batch), model, settings, float(row["iteration time (ms)"]))


# Layers, hidden size and heads of MosaicML's MPT models (llm-foundry, scripts/train/benchmarking).
MPT = {"125m": (12, 768, 12), "350m": (24, 1024, 16), "760m": (24, 1536, 12), "1b": (24, 2048, 16), "3b": (32, 2560, 20), "7b": (32, 4096, 32),
       "13b": (40, 5120, 40), "30b": (48, 7168, 56), "70b": (80, 8192, 64)}
DEVICES = {"a100_40gb": ("A100 40GB", "NVLink3", "1600Gb/s"), "a100_80gb": ("A100 80GB", "NVLink3", "1600Gb/s"), "h100_80gb": ("H100", "NVLink4", "3200Gb/s")}


def fsdp_rows(path):
    """Rows of FSDP, whose 2,048 tokens and more pass through FlashAttention. The table was published in two parts: in May
    2023 those in the mode PURE, with PyTorch 1.13, whose checkpoints compute a layer again as a whole; from October 2023
    on those in the mode DEFAULT, with PyTorch 2.1, whose checkpoints stop early (llm-foundry 300cc5c, b2a43a1)."""
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            layers, hidden, heads = MPT[row["Model"]]
            device, inside, nic = DEVICES[row["GPU"]]
            gpus, micro, batch, sequence = (int(row[key]) for key in ("# GPUs", "MicroBatchSize", "GlobalBatchSize", "SeqLen (T)"))
            model = ("mpt", "--layers", layers, "--hidden", hidden, "--heads", heads, "--sequence", sequence, "--micro-batch", micro, "--device", device)
            settings = [f"parallel.data={gpus}", f"parallel.micro_batch={micro}", f"parallel.global_batch={batch}",
                        f"parallel.zero={row['Sharding Strategy']}", "cluster.gpus_per_host=8", f"cluster.inside={inside}", f"cluster.nic={nic}"]
            if row["Activation Checkpointing"] == "True":
                settings.append(f"parallel.recompute={'all' if row['MP Mode'] == 'PURE' else 'early_stop'}")
            if row["Precision"] == "amp_fp8":
                settings.append("precision.to=fp8")
            yield Row((row["Model"], row["GPU"], sequence, row["Precision"] == "amp_fp8"), model, settings, 1e3 * float(row["step_s"]))


def profile_rows(path):
    """Rows of OPT-350M on hosts of four GH200, whose layers were measured alone (profiles/opt-350-GH-96.json). What comes
    before the layers counts as one of the first stage's layers, and what comes after as one of the last stage's."""
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            stages = [int(count) for count in row["layers_per_stage"].split("/")]
            data, micro, batch, tensor = int(row["dp"].split("/")[0]), int(row["mbs"]), int(row["gbs"]), int(row["tp"])
            split = stages.copy()
            split[0] -= 1
            split[-1] -= 1
            model = ("gpt", "--layers", 24, "--hidden", 1024, "--heads", 16, "--vocabulary", 50272, "--sequence", 2048, "--micro-batch", micro,
                     "--device", "GH200", "--precision", "fp32", "--attention", "math", "--dropout", "off", "--profile", path.parent / "profiles/opt-350-GH-96.json", "--profile-tensor", tensor)
            settings = [f"parallel.data={data}", f"parallel.pipeline={len(stages)}", f"parallel.micro_batch={micro}", f"parallel.global_batch={batch}",
                        "comm.bucket_bytes=100GB"]
            if data * len(stages) > 1:
                settings += ["cluster.gpus_per_host=1", "cluster.nic=200Gb/s"]
            if len(stages) > 1:
                settings.append(f"parallel.split={'+'.join(map(str, split))}")
            yield Row(("OPT-350M", int(row["nodes"]), batch), model, settings, 1e3 * float(row["real_s"]), int(row["max_mem_bytes"]),
                      1e3 * float(row["red_grads_s"]))


FILES = {"profile": "layers-gh200.csv", "fsdp": "mpt-fsdp.csv", "one-node": "gpt-a100-one-node.csv", "many-nodes": "gpt-a100-many-nodes.csv"}


def ask(stepsim, arguments):
    done = subprocess.run([stepsim, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode not in (0, 5):
        raise SystemExit(f"{' '.join(map(str, arguments))}: {done.stderr}")
    return done


def predict(stepsim, rows, folder, options):
    """Sets the answers of rows. Each model is written once."""
    captures = {}
    for row in rows:
        if row.capture not in captures:
            captures[row.capture] = f"{folder}/{len(captures)}.json"
            ask(stepsim, ["model", *row.capture, *options.model, "--quiet", "-o", captures[row.capture]])

    def run(row):
        settings = [part for setting in row.settings + options.set for part in ("--set", setting)]
        done = ask(stepsim, ["whatif", captures[row.capture], *settings, "--json", "--threads", "1"])
        if done.returncode == 0:
            row.answer = json.loads(done.stdout)
        else:
            print(f"refused: {row.settings}: {done.stderr.strip()}")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(run, rows))


def tau(pairs):
    """Kendall's tau-b of pairs (predicted, measured)."""
    agree = ties_predicted = ties_measured = total = 0
    for (p, m), (q, n) in itertools.combinations(pairs, 2):
        total += 1
        ties_predicted += p == q
        ties_measured += m == n
        agree += ((p > q) - (p < q)) * ((m > n) - (m < n))
    return agree / ((total - ties_predicted) * (total - ties_measured)) ** 0.5 if total else 1


def grouped(rows, key):
    """Returns the rows with an answer by key(row)."""
    groups = collections.defaultdict(list)
    for row in rows:
        if row.answer:
            groups[key(row)].append(row)
    return groups


def report(rows, show):
    rows = [row for row in rows if row.answer]
    groups = grouped(rows, lambda row: row.group)
    regrets, taus, pooled = [], [], []
    for members in groups.values():
        chosen = min(members, key=lambda row: row.step)
        regrets.append(chosen.measured / min(row.measured for row in members) - 1)
        if len(members) < SMALL:
            pooled += [(a.step - b.step, a.measured - b.measured) for a, b in itertools.combinations(members, 2)]
        else:
            taus.append(tau([(row.step, row.measured) for row in members]))
    if pooled:
        taus.append(sum((p > 0) == (m > 0) or -1 for p, m in pooled) / len(pooled))
    for row in sorted(rows, key=lambda row: -abs(row.error))[:show]:
        print(f"{row.error:+7.1%} {row.measured:9.1f} ms {row.step:9.1f} ms {'in' if row.inside else 'OUT'} {row.group} {' '.join(row.settings[:5])}")
    for key in ("tensor", "pipeline", "micro_batch", "data"):
        by = collections.defaultdict(list)
        for row in rows:
            by[int(next((s for s in row.settings if s.startswith(f"parallel.{key}=")), "=0").split("=")[1])].append(row.error)
        print(f"{key:12}", "  ".join(f"{value}: {statistics.mean(errors):+.1%} |{statistics.mean(map(abs, errors)):.1%}|" for value, errors in sorted(by.items())))
    scores = {"bar": statistics.mean(abs(row.error) for row in rows), "tau": statistics.mean(taus), "regret": statistics.mean(regrets),
              "inside": statistics.mean(row.inside for row in rows), "width": statistics.median(row.width for row in rows)}
    print(f"{len(rows)} rows: mean error {scores['bar']:.2%}, worst {max(abs(row.error) for row in rows):.1%}; "
          f"tau {scores['tau']:.3f} over {len(taus)} groups; regret mean {scores['regret']:.2%}, worst {max(regrets):.1%}; "
          f"{scores['inside']:.1%} in their ranges, median width by sources {scores['width']:.1%}")
    return scores


def report_calibrated(rows):
    """Multiplies the predictions of a model's rows by the ratio of one of them to its measured step: the first in the
    file, and each one."""
    models = grouped(rows, lambda row: row.group[:2])

    def errors(base, members):
        return [row.step * base.measured / base.step / row.measured - 1 for row in members if row is not base]
    first = [error for members in models.values() for error in errors(members[0], members)]
    by_any = [statistics.mean(map(abs, errors(base, members))) for members in models.values() for base in members if len(members) > 1]
    print(f"calibrated on the first row of each model: mean error {statistics.mean(map(abs, first)):.2%}; on any row: median of the mean errors {statistics.median(by_any):.2%}")


def in_use(rows):
    """Returns (predicted, measured, low, high) of the memory in use on the fullest device, in bytes, of each row but the
    first. What the allocator does not hold (the context, kernels, buffers of NCCL; Sailor's own estimate adds 5.06 GB
    for it) is the difference in the first row, as a user finds it by nvidia-smi."""
    first, *others = [row for row in rows if row.answer and row.memory]
    outside = first.memory - first.answer["memory"]["peak_bytes"]
    needs = [row.answer["memory"] for row in others]
    return [(need["peak_bytes"] + outside, row.memory, need["low_bytes"] + outside, need["high_bytes"] + outside) for row, need in zip(others, needs)]


def report_memory(rows):
    uses = in_use(rows)
    errors = [predicted / measured - 1 for predicted, measured, _, _ in uses]
    print(f"memory in use: {len(uses)} rows: mean error {statistics.mean(map(abs, errors)):.1%}, worst {max(map(abs, errors)):.1%}, "
          f"{statistics.mean(low <= measured <= high for _, measured, low, high in uses):.0%} in their ranges")


def report_reductions(rows):
    """Compares the reductions of plans without stages, whose replicas exchange nothing else. In one row, most of the step
    is its reduction."""
    for row in rows:
        if row.reduction < row.measured / 2 and "parallel.pipeline=1" in row.settings and "parallel.data=1" not in row.settings:
            predicted = row.answer["scenario"]["breakdown"]["communication_ns"] / 1e6
            print(f"reduction of {row.settings[0]}: {predicted:.1f} ms, measured {row.reduction:.1f} ms")


def report_scaling(rows):
    """Predicts larger jobs from the smallest one of the same model, device and length: by the ratio of the predictions."""
    errors = []
    for group, members in sorted(grouped(rows, lambda row: row.group).items()):
        members.sort(key=devices_of)
        base = members[0]
        for row in members[1:]:
            if devices_of(row) == devices_of(base):
                continue
            errors.append(row.step * base.measured / base.step / row.measured - 1)
            print(f"{errors[-1]:+7.1%} {group} {devices_of(base)} -> {devices_of(row)}")
    print(f"weak scaling: {len(errors)} rows: mean error {statistics.mean(map(abs, errors)):.2%}, worst {max(map(abs, errors)):.1%}")


def figures(rows):
    """Returns the figures of each row as score_truth.py writes them."""
    ranges = [(row.answer["scenario"]["low_ns"] / 1e9, row.answer["scenario"]["high_ns"] / 1e9) if row.answer else (None, None) for row in rows]
    return [{"predicted_s": row.step / 1e3 if row.answer else None, "measured_s": row.measured / 1e3, "low_s": low, "high_s": high}
            for row, (low, high) in zip(rows, ranges)]


BARS = {"bar": "the mean error is above it", "tau": "Kendall's tau is below it", "regret": "the mean regret is above it",
        "inside": "a smaller share of the rows is in their ranges", "width": "the median width of the ranges is above it"}


def is_missed(name, score, bar):
    return bar is not None and (score < bar if name in ("tau", "inside") else score > bar)


def devices_of(row):
    return int(row.settings[0].split("=")[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stepsim")
    parser.add_argument("shared", type=pathlib.Path)
    parser.add_argument("file", choices=FILES)
    parser.add_argument("--rows", type=int, help="only every N-th row", default=1)
    parser.add_argument("--show", type=int, default=0)
    parser.add_argument("--json", type=pathlib.Path)
    for name, meaning in BARS.items():
        parser.add_argument(f"--{name}", type=float, help=f"fails if {meaning}")
    parser.add_argument("--model", action="append", default=[], type=str.split, help="further options of stepsim model")
    parser.add_argument("--set", action="append", default=[])
    options = parser.parse_args()
    options.model = [word for words in options.model for word in words]
    folder = options.shared / "truth/plans"
    if not folder.exists():
        print(f"skipped: {folder} is absent")
        return 0
    read = {"fsdp": fsdp_rows, "profile": profile_rows}.get(options.file, gpt_rows)
    rows = list(read(folder / FILES[options.file]))[::options.rows]
    with tempfile.TemporaryDirectory() as place:
        predict(options.stepsim, rows, place, options)
    scores = report(rows, options.show)
    if options.file == "fsdp":
        report_scaling(rows)
    else:
        report_calibrated(rows)
    if options.file == "profile":
        report_memory(rows)
        report_reductions(rows)
    if options.json:
        options.json.write_text(json.dumps(figures(rows)), encoding="utf-8")
    missed = [meaning for name, meaning in BARS.items() if is_missed(name, scores[name], getattr(options, name))]
    for meaning in missed:
        print(f"failed: {meaning}")
    return 1 if missed or any(row.answer is None for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())

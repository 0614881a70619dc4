#!/usr/bin/env python3
"""measure_divided.py FOLDER: records the memory of one rank of divided training jobs, on the CPU.

Trains two models like GPT with Adam, whole and as one rank of a job would: with a part of each layer (Megatron's tensor
parallelism), the layers of a pipeline's stage with the microbatches that it has in flight, or with activations that are
computed again. Writes FOLDER/traces/MODEL.json.gz, a trace of the whole model in which the operators launch kernels as
on a GPU, and FOLDER/divided.csv with the largest number of bytes that PyTorch's allocator had handed out. Needs PyTorch
1.13 (Debian's python3-torch)."""
import csv
import gzip
import itertools
import json
import os
import pathlib
import sys

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.profiler import ProfilerActivity, profile, record_function
from torch.utils.checkpoint import checkpoint

from measure import events_of


class Attention(nn.Module):
    """The part of an attention between its linear layers."""

    def __init__(self, heads):
        super().__init__()
        self.heads = heads

    def forward(self, q, k, v):
        batch, tokens, width = q.shape
        q, k, v = (x.view(batch, tokens, self.heads, -1).transpose(1, 2) for x in (q, k, v))
        scores = F.dropout((q @ k.transpose(-2, -1)).softmax(-1), 0.1)
        return (scores @ v).transpose(1, 2).reshape(batch, tokens, width)


class Layer(nn.Module):
    def __init__(self, width, heads, tensor, again):
        super().__init__()
        self.again = again
        self.norm, self.second_norm = nn.LayerNorm(width), nn.LayerNorm(width)
        self.query, self.key, self.value = (nn.Linear(width, width // tensor) for _ in range(3))
        self.attention = Attention(heads // tensor)
        self.project = nn.Linear(width // tensor, width)
        self.widen, self.narrow = nn.Linear(width, 4 * width // tensor), nn.Linear(4 * width // tensor, width)

    def attend(self, q, k, v):
        return checkpoint(self.attention, q, k, v) if self.again == "selective" else self.attention(q, k, v)

    def compute(self, x):
        y = self.norm(x)
        x = x + F.dropout(self.project(self.attend(self.query(y), self.key(y), self.value(y))), 0.1)
        return x + F.dropout(self.narrow(F.gelu(self.widen(self.second_norm(x)))), 0.1)

    def forward(self, x):
        return checkpoint(self.compute, x) if self.again == "all" else self.compute(x)


class Stage(nn.Module):
    """The layers of a stage, the lookups if it is the first, and the layer to the vocabulary if it is the last."""

    def __init__(self, model, layers, first=True, last=True, tensor=1, again="none"):
        super().__init__()
        width = model["width"]
        self.first, self.last = first, last
        if first:
            self.token = nn.Embedding(model["words"] // tensor, width)
            self.position = nn.Embedding(model["tokens"], width)
        self.layers = nn.ModuleList(Layer(width, model["heads"], tensor, again) for _ in range(layers))
        if last:
            self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, model["words"] // tensor, bias=False)

    def forward(self, x):
        if self.first:
            x = self.token(x) + self.position(torch.arange(x.shape[1]))
        for layer in self.layers:
            x = layer(x)
        return self.head(self.norm(x)).flatten(0, 1) if self.last else x


MODELS = {
    "long": {"width": 128, "heads": 4, "layers": 8, "tokens": 128, "words": 1000, "batch": 8},
    "wide": {"width": 256, "heads": 8, "layers": 4, "tokens": 64, "words": 4000, "batch": 8},
}
PLANS = [
    {},
    {"tensor": 2}, {"tensor": 4},
    {"recompute": "all"}, {"recompute": "selective"}, {"tensor": 2, "recompute": "selective"},
    {"microbatches": 4},
    {"pipeline": 2, "microbatches": 4}, {"pipeline": 4, "microbatches": 8}, {"pipeline": 2, "microbatches": 2},
    {"pipeline": 2, "microbatches": 4, "schedule": "gpipe"},
    {"pipeline": 2, "tensor": 2, "microbatches": 4},
    {"pipeline": 2, "microbatches": 4, "recompute": "all"},
    {"data": 2}, {"data": 2, "tensor": 2},
]


def train(model, plan, stage):
    """Trains one rank of a stage for two steps."""
    torch.manual_seed(1)
    stages, parts = plan.get("pipeline", 1), plan.get("microbatches", 1)
    tensor = plan.get("tensor", 1)
    first, last = stage == 0, stage == stages - 1
    module = Stage(model, model["layers"] // stages, first, last, tensor, plan.get("recompute", "none"))
    if plan.get("data", 1) > 1:
        module = nn.parallel.DistributedDataParallel(module)
    optimizer = torch.optim.Adam(module.parameters())
    samples = model["batch"] // parts
    shape = (samples, model["tokens"])
    ahead = parts if plan.get("schedule") == "gpipe" else min(parts, stages - stage)
    for step in range(2):
        with record_function(f"ProfilerStep#{step}"):
            optimizer.zero_grad(set_to_none=True)
            waiting = []

            def forward():
                x = (torch.randint(model["words"] // tensor, shape) if first else
                     torch.randn(*shape, model["width"], requires_grad=True))
                y = module(x)
                waiting.append((x, F.cross_entropy(y, torch.randint(y.shape[-1], (y.shape[0],))) if last else y))

            def backward():
                _, y = waiting.pop(0)
                y.backward(None if last else torch.ones_like(y))

            for _ in range(ahead):
                forward()
            for _ in range(parts - ahead):
                backward()
                forward()
            for _ in range(ahead):
                backward()
            optimizer.step()


def peak_of(events):
    return max(event["args"].get("Total Allocated", 0) for event in events)


def recorded(model, plan, stage):
    with profile(activities=[ProfilerActivity.CPU], record_shapes=True, profile_memory=True) as profiled:
        train(model, plan, stage)
    return list(events_of(profiled))


# Operators that run a kernel on a GPU, in PyTorch 2 with the same names.
WITH_KERNELS = {"aten::" + name for name in
                ("addmm mm bmm native_layer_norm native_layer_norm_backward _softmax _softmax_backward_data gelu "
                 "gelu_backward mul div div_ add add_ bernoulli_ copy_ index_select embedding_dense_backward sum fill_ "
                 "zero_ _log_softmax _log_softmax_backward_data nll_loss_forward nll_loss_backward addcmul_ addcdiv_ "
                 "sqrt").split()}


# Operators that neither compute nor allocate; without them, the traces are a third as large.
LEFT_OUT = {"aten::" + name for name in
            ("as_strided select resolve_conj transpose t view reshape _reshape_alias detach expand slice unsqueeze "
             "permute").split()} | {"detach"}


def as_on_a_device(events):
    """Gives the operators that compute kernels, and puts the memory on the device."""
    operators = sorted((event for event in events if event["cat"] == "cpu_op"), key=lambda one: one["ts"])
    launched = []
    free = end = 0.0
    for i, event in enumerate(operators):
        if event["name"] not in WITH_KERNELS or event["ts"] < end:  # it is part of another
            continue
        end = event["ts"] + event["dur"]
        # The call is in no operator that this one calls.
        inner = itertools.takewhile(lambda one: one["ts"] < end, operators[i + 1:])
        after = max((one["ts"] + one["dur"] for one in inner), default=event["ts"])
        call = {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": event["tid"],
                "ts": (after + end) / 2, "dur": (end - after) / 4, "args": {"correlation": i + 1}}
        begin = max(free, call["ts"])
        free = begin + event["dur"]
        launched += [call, {"ph": "X", "cat": "kernel", "name": event["name"].replace("aten::", "kernel_of_"), "pid": 0,
                            "tid": 7, "ts": begin, "dur": event["dur"],
                            "args": {"correlation": i + 1, "device": 0, "stream": 7}}]
    for event in events:
        if event["name"] == "[memory]":
            event["args"].update({"Device Id": 0, "Device Type": 1})
    return [event for event in events if event["name"] not in LEFT_OUT] + launched


def main():
    folder = pathlib.Path(sys.argv[1])
    (folder / "traces").mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    os.environ.update({"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "0"})
    torch.distributed.init_process_group("gloo", store=torch.distributed.HashStore(), rank=0, world_size=1)
    with open(folder / "divided.csv", "w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["model", "layers", "plan", "peak_bytes"])
        for name, model in MODELS.items():
            for plan in PLANS:
                all_events = [recorded(model, plan, stage) for stage in range(plan.get("pipeline", 1))]
                text = " ".join(f"{key}={value}" for key, value in plan.items())
                rows.writerow([name, model["layers"], text, max(map(peak_of, all_events))])
                file.flush()
                if plan:
                    continue
                trace = {"schemaVersion": 1, "record_shapes": 1, "profile_memory": 1,
                         "deviceProperties": [{"id": 0, "name": "NVIDIA A100-SXM4-40GB", "totalGlobalMem": 42505273344}],
                         "traceEvents": sorted(as_on_a_device(all_events[0]), key=lambda event: event["ts"])}
                with open(folder / "traces" / f"{name}.json.gz", "wb") as out, \
                        gzip.GzipFile("", "wb", 9, out, mtime=0) as packed:
                    packed.write(json.dumps(trace, separators=(",", ":")).encode())


if __name__ == "__main__":
    main()

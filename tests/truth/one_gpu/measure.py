#!/usr/bin/env python3
"""measure.py FOLDER [JOB,...]: measures training steps of small models on one GPU, first alone, then under torch.profiler.

Writes FOLDER/JOB.pt.trace.json.gz and prints a line of JSON for each job: the median step of three runs in ms and their
spread. The groups of gpu.tar.xz (tests/truth/data) were made from its output on an H100 and an H200."""
import contextlib
import json
import os
import statistics
import sys
import time

import torch
import torch.nn as nn
import torch.nn.functional as F
import torchvision
from torch._C._profiler import _ExperimentalConfig
from torch.profiler import ProfilerActivity, profile, schedule

VOCABULARY = 50304


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm_1, self.norm_2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        batch, tokens, width = x.shape
        parts = self.qkv(self.norm_1(x)).view(batch, tokens, 3, self.heads, width // self.heads)
        attention = F.scaled_dot_product_attention(*parts.permute(2, 0, 3, 1, 4), is_causal=True)
        x = x + self.out(attention.transpose(1, 2).reshape(batch, tokens, width))
        return x + self.down(F.gelu(self.up(self.norm_2(x))))


class Gpt(nn.Module):
    def __init__(self, layers=12, width=768, heads=12, tokens=512):
        super().__init__()
        self.token, self.position = nn.Embedding(VOCABULARY, width), nn.Embedding(tokens, width)
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, VOCABULARY, bias=False)

    def forward(self, x):
        y = self.token(x) + self.position.weight[: x.shape[1]]
        for block in self.blocks:
            y = block(y)
        return self.head(self.norm(y)).flatten(0, 1)


def step_of(model, optimizer, x, y, bf16, graph=False):
    """Returns a function that makes one training step."""
    def body():
        with torch.autocast("cuda", torch.bfloat16) if bf16 else contextlib.nullcontext():
            loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()

    def step():
        optimizer.zero_grad(set_to_none=True)
        body()

    if not graph:
        return step
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(4):
            step()
    torch.cuda.current_stream().wait_stream(side)
    optimizer.zero_grad(set_to_none=True)
    captured = torch.cuda.CUDAGraph()
    with torch.cuda.graph(captured):
        body()
    return captured.replay


def gpt(batch, precision="fp32", graph=False):
    model = Gpt().cuda()
    tokens = [torch.randint(0, VOCABULARY, (batch, 512), device="cuda") for _ in range(2)]
    optimizer = torch.optim.AdamW(model.parameters(), 1e-4, foreach=True, capturable=graph)
    return step_of(model, optimizer, tokens[0], tokens[1].flatten(), precision == "bf16", graph)


def resnet(batch, precision="fp32"):
    model = torchvision.models.resnet50().cuda()
    optimizer = torch.optim.SGD(model.parameters(), 0.01, momentum=0.9)
    images = torch.randn(batch, 3, 224, 224, device="cuda")
    return step_of(model, optimizer, images, torch.randint(0, 1000, (batch,), device="cuda"), precision == "bf16")


JOBS = {f"gpt-b{batch}": (gpt, batch) for batch in (4, 8, 16, 32)}
JOBS |= {f"gpt-b{batch}-bf16": (gpt, batch, "bf16") for batch in (8, 32, 64)}
JOBS |= {"gpt-b8-tf32": (gpt, 8, "tf32"), "gpt-b8-bf16-graph": (gpt, 8, "bf16", True)}
JOBS |= {f"resnet-b{batch}": (resnet, batch) for batch in (32, 64, 128)}
JOBS |= {f"resnet-b64-{precision}": (resnet, 64, precision) for precision in ("tf32", "bf16")}


def measured(step, steps=8, runs=3):
    for _ in range(6):
        step()
    times = []
    for _ in range(runs):
        torch.cuda.synchronize()
        began = time.perf_counter()
        for _ in range(steps):
            step()
        torch.cuda.synchronize()
        times.append((time.perf_counter() - began) / steps)
    return statistics.median(times), (max(times) - min(times)) / statistics.median(times)


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    for name in sys.argv[2].split(",") if len(sys.argv) > 2 else JOBS:
        make, *arguments = JOBS[name]
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = "tf32" in arguments
        step = make(*arguments)
        seconds, spread = measured(step)
        trace = os.path.join(folder, name + ".pt.trace.json.gz")
        with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA], record_shapes=True,
                     schedule=schedule(wait=3, warmup=2, active=5, repeat=1),
                     on_trace_ready=lambda profiler, trace=trace: profiler.export_chrome_trace(trace),
                     experimental_config=_ExperimentalConfig(enable_cuda_sync_events=True)) as profiler:
            for _ in range(10):
                step()
                profiler.step()
        print(json.dumps({"name": name, "device": torch.cuda.get_device_name(), "free_ms": round(1e3 * seconds, 4),
                          "spread": round(spread, 4)}), flush=True)
        del step
        torch.cuda.empty_cache()


if __name__ == "__main__":
    main()

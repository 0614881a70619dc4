#!/usr/bin/env python3
"""loaders.py FOLDER: measures training steps of a small model that waits for a DataLoader, with different numbers of
loader processes, first alone, then some of them under torch.profiler.

Writes FOLDER/JOB-wN.pt.trace.json.gz and prints a line of JSON for each run: the steps' times in ms. The groups of
loader.tar.xz (tests/truth/data) were made from its output on an H200."""
import json
import os
import statistics
import sys
import time

import torch
import torch.nn.functional as F
from torch._C._profiler import _ExperimentalConfig
from torch.profiler import ProfilerActivity, profile, schedule
from torch.utils.data import DataLoader, Dataset

from measure import Gpt, VOCABULARY

BATCH = 8
WARMUP = 6


class Samples(Dataset):
    """Samples that take a processor `seconds` each; of every five batches, one takes `odd` times as long."""

    def __init__(self, seconds, odd):
        self.seconds, self.odd = seconds, odd

    def __len__(self):
        return 1 << 20

    def __getitem__(self, index):
        generator = torch.Generator().manual_seed(index)
        tokens = torch.randint(0, VOCABULARY, (2, 512), generator=generator)
        factor = self.odd if index // BATCH % 5 == 3 else 1
        until = time.perf_counter() + self.seconds * factor
        while time.perf_counter() < until:
            pass
        return tokens[0], tokens[1]


# For each job: time of a sample, factor of odd batches, numbers of loader processes, those that are captured.
JOBS = {"loader-even": (0.012, 1, (0, 1, 2, 3, 4), (0, 1)), "loader-uneven": (0.012, 6, (1, 2, 4, 6, 8), (2,))}


def run(model, optimizer, samples, processes, steps, after_step=None):
    """Returns the times of the steps in seconds, from the end of one to the end of the next."""
    loader = DataLoader(samples, batch_size=BATCH, num_workers=processes, pin_memory=True)
    ends = []
    for number, (x, y) in enumerate(loader):
        x, y = x.cuda(non_blocking=True), y.cuda(non_blocking=True)
        optimizer.zero_grad(set_to_none=True)
        loss = F.cross_entropy(model(x), y.flatten())
        loss.backward()
        optimizer.step()
        loss.item()
        ends.append(time.perf_counter())
        if after_step is not None:
            after_step()
        if number + 1 == steps:
            break
    return [after - before for before, after in zip(ends, ends[1:])]


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    torch.set_num_threads(1)
    torch.backends.cuda.matmul.allow_tf32 = True
    model = Gpt().cuda()
    optimizer = torch.optim.AdamW(model.parameters(), 1e-4, foreach=True)
    for job, (seconds, odd, counts, captured) in JOBS.items():
        samples = Samples(seconds, odd)
        for processes in counts:
            runs = [run(model, optimizer, samples, processes, WARMUP + 45)[WARMUP:] for _ in range(2)]
            times = sorted(runs[0] + runs[1])
            means = [statistics.mean(one) for one in runs]
            print(json.dumps({"job": job, "loader_workers": processes, "device": torch.cuda.get_device_name(),
                              "mean_ms": round(1e3 * statistics.mean(means), 4), "median_ms": round(1e3 * statistics.median(times), 4),
                              "p10_ms": round(1e3 * times[len(times) // 10], 4), "p90_ms": round(1e3 * times[-1 - len(times) // 10], 4),
                              "means_ms": [round(1e3 * mean, 4) for mean in means]}), flush=True)
            if processes not in captured:
                continue
            trace = os.path.join(folder, f"{job}-w{processes}.pt.trace.json.gz")
            with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA], record_shapes=True,
                         schedule=schedule(wait=12, warmup=3, active=10, repeat=1),
                         on_trace_ready=lambda profiler, trace=trace: profiler.export_chrome_trace(trace),
                         experimental_config=_ExperimentalConfig(enable_cuda_sync_events=True)) as profiler:
                run(model, optimizer, samples, processes, 26, profiler.step)


if __name__ == "__main__":
    main()

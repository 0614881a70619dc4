#!/usr/bin/env python3
"""second_profiler.py STEPS: trains on a GPU for STEPS steps of 0.1 s, which it marks, with torch.profiler in the second
half. Exits with 1 if the profiler misses kernels."""
import ctypes
import os
import sys
import time

import torch
from torch.profiler import ProfilerActivity, profile

KERNELS = 10
steps = int(sys.argv[1])
weights = torch.ones(256, 256, device="cuda")
module = os.environ.get("CUDA_INJECTION64_PATH")
mark_step = ctypes.CDLL(module).stepsim_mark_step if module else lambda: None


def train(count):
    for _ in range(count):
        mark_step()
        for _ in range(KERNELS):
            weights.mul_(1.0001)
        torch.cuda.synchronize()
        time.sleep(0.1)


train(steps // 2)
with profile(activities=[ProfilerActivity.CUDA]) as profiler:
    train(steps - steps // 2)
mark_step()
kernels = [event for event in profiler.events() if "elementwise_kernel" in event.name]
sys.exit(len(kernels) != KERNELS * (steps - steps // 2))

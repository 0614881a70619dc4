#!/usr/bin/env python3
"""train.py STEPS [WHAT...]: a small training job, alone or as a rank of a gloo job (RANK, WORLD_SIZE, MASTER_*). Its
compute is a thread that sleeps inside an operator, so that steps take the same time on a busy machine. Prints how
it ended.

WHAT: raise, _exit, kill or fork at step 6; own: use a profiler of its own; loader: start processes that load data;
gan: use a second optimizer; call: steps without an optimizer; spawn: start the ranks as child processes; times
FILE: write its own step times."""
import json
import os
import signal
import sys
import time

import torch
import torch.nn as nn

STEPS, WHAT = int(sys.argv[1]), sys.argv[2:]
LAYERS, WIDTH = 4, 1024


class Sleep(torch.autograd.Function):
    @staticmethod
    def forward(ctx, value):
        time.sleep(0.004)
        return value.view_as(value)

    @staticmethod
    def backward(ctx, gradient):
        time.sleep(0.004)
        return gradient


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(WIDTH, WIDTH))

    def forward(self, value):
        return Sleep.apply(value + self.weight[:1])


class Numbers(torch.utils.data.Dataset):
    def __len__(self):
        return STEPS

    def __getitem__(self, index):
        return torch.zeros(WIDTH)


def train_step(model, optimizer, data):
    if optimizer is not None:
        optimizer.zero_grad()
    model(data).sum().backward()
    if optimizer is not None:
        optimizer.step()


def end_at(step):
    if step != 6:
        return
    if "raise" in WHAT:
        raise ValueError("no more data")
    if "_exit" in WHAT:
        sys.stdout.flush()
        os._exit(3)
    if "kill" in WHAT:
        os.kill(os.getpid(), signal.SIGKILL)
    if "fork" in WHAT:
        child = os.fork()
        if child == 0:
            model = nn.Sequential(Layer())
            train_step(model, torch.optim.SGD(model.parameters(), 0.1), torch.zeros(1, WIDTH))
            sys.exit(5)
        print("the child ended with", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


def main(rank=None):
    torch.set_num_threads(1)
    world = int(os.environ.get("WORLD_SIZE", "1"))
    model = nn.Sequential(*[Layer() for _ in range(LAYERS)])
    if world > 1:
        torch.distributed.init_process_group("gloo", rank=-1 if rank is None else rank,
                                             world_size=-1 if rank is None else world)
        model = nn.parallel.DistributedDataParallel(model, bucket_cap_mb=4)
    optimizer = None if "call" in WHAT else torch.optim.SGD(model.parameters(), 0.1)
    second = torch.optim.Adam(nn.Linear(2, 2).parameters()) if "gan" in WHAT else None
    data = [torch.zeros(1, WIDTH)] * STEPS
    if "loader" in WHAT:
        data = torch.utils.data.DataLoader(Numbers(), num_workers=2)
    own = None
    if "own" in WHAT:
        own = torch.profiler.profile(schedule=torch.profiler.schedule(wait=1, warmup=1, active=2, repeat=1),
                                     on_trace_ready=lambda p: p.export_chrome_trace("own.json"))
        own.start()
    ends = []
    for step, batch in enumerate(data):
        end_at(step)
        train_step(model, optimizer, batch)
        if second is not None:
            second.step()
        if own is not None:
            own.step()
        ends.append(time.perf_counter_ns())
    if own is not None:
        own.stop()
    if "times" in WHAT:
        with open(WHAT[WHAT.index("times") + 1], "w", encoding="utf-8") as file:
            json.dump([later - earlier for earlier, later in zip(ends, ends[1:])], file)
    os.write(1, f"trained {len(ends)} steps\n".encode())  # in one write: two ranks share the pipe
    if "raise" in WHAT:
        sys.exit(7)


if __name__ == "__main__":
    if "spawn" in WHAT:
        torch.multiprocessing.spawn(main, nprocs=int(os.environ["WORLD_SIZE"]))
    else:
        main()

"""One of two ranks that gather parameters, compute by sleeping, and reduce gradients over gloo.

usage: job.py RANK PREFETCH ASYNCHRONOUS [TRACE]

Prints the median time of twelve steps after four. With TRACE it then records three steps. run.sh makes the two hosts
and their link. PyTorch 1.13 as Debian 12 packages it, which has no Kineto: the trace is written from the events of its
older profiler, in Kineto's form.
"""

import json
import statistics
import sys
import time

import torch
import torch.distributed as dist
from torch.profiler import ProfilerActivity, profile, record_function, schedule

RANK, PREFETCH, ASYNCHRONOUS = (int(word) for word in sys.argv[1:4])
TRACE = sys.argv[4] if len(sys.argv) > 4 else None
LAYERS = 6
FLOATS = 524288  # elements of a layer
MARK = "forward 0"  # the wall-clock time of its first start in the recorded steps is kept as well
marked_at = None

torch.set_num_threads(1)
shards = [torch.ones(FLOATS // 2) for _ in range(LAYERS)]
gathered = [[torch.empty(FLOATS // 2) for _ in range(2)] for _ in range(LAYERS)]
gradients = [torch.ones(FLOATS) for _ in range(LAYERS)]


def compute(name, milliseconds):
    global marked_at
    with record_function(name):
        if name == MARK and marked_at == 0:
            marked_at = time.time_ns()
        time.sleep(milliseconds / 1e3)


def gather(layer):
    return dist.all_gather(gathered[layer], shards[layer], async_op=True)


def step():
    order = [*range(LAYERS), *reversed(range(LAYERS))]
    gathers, reductions = {}, []
    for place, layer in enumerate(order):
        if place not in gathers:
            gathers[place] = gather(layer)
        gathers[place].wait()
        for ahead in range(place + 1, min(place + PREFETCH + 1, len(order))):
            if ahead not in gathers:
                gathers[ahead] = gather(order[ahead])
        if place < LAYERS:
            compute(f"forward {layer}", 32)
            continue
        compute(f"backward {layer}", 64)
        reduction = dist.all_reduce(gradients[layer], async_op=True)
        if ASYNCHRONOUS:
            reductions.append(reduction)
        else:
            reduction.wait()
    for reduction in reductions:
        reduction.wait()
    compute("optimizer", 6)


def run(count, profiler=None):
    times = []
    for _ in range(count):
        begin = time.perf_counter()
        step()
        times.append(time.perf_counter() - begin)
        if profiler:
            profiler.step()
    return times


def write(profiler):
    events = sorted(profiler.events(), key=lambda event: event.time_range.start)
    begin = next(event.time_range.start for event in events if event.name == MARK)
    rows, steps = [], 0
    for event in events:
        name = event.name
        if name.startswith("ProfilerStep"):
            name, steps = f"ProfilerStep#{10 + steps}", steps + 1
        shapes = event.input_shapes or []
        rows.append({
            "ph": "X", "cat": "cpu_op" if "::" in name else "user_annotation", "name": name,
            "pid": 1000 + RANK, "tid": 5000 + 10 * RANK + event.thread,
            "ts": marked_at / 1e3 - begin + event.time_range.start,
            "dur": event.time_range.end - event.time_range.start,
            "args": {"Input Dims": shapes, "Input type": ["float"] * len(shapes)} if shapes else {},
        })
    trace = {"schemaVersion": 1, "record_shapes": 1, "host_name": "vm", "displayTimeUnit": "ms",
             "distributedInfo": {"backend": "gloo", "rank": RANK, "world_size": 2},
             "baseTimeNanoseconds": 0, "traceEvents": rows}
    with open(TRACE, "w", encoding="utf-8") as file:
        json.dump(trace, file)


dist.init_process_group("gloo", rank=RANK, world_size=2)
run(4)
dist.barrier()
measured = run(12)
print(f"{RANK},{PREFETCH},{ASYNCHRONOUS},{statistics.median(measured):.6f}", flush=True)
if TRACE:
    with profile(activities=[ProfilerActivity.CPU], record_shapes=True,
                 schedule=schedule(wait=1, warmup=2, active=3), on_trace_ready=write) as recorder:
        run(3, recorder)
        marked_at = 0
        run(3, recorder)
dist.barrier()

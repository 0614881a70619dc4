#!/usr/bin/env python3
"""measure.py FOLDER: records the memory of training steps on the CPU, at batches of 4 to 64 samples.

Trains three small models for two steps with Adam under torch.profiler and writes FOLDER/traces/MODEL-BATCH.json.gz and
FOLDER/measured.csv with the largest number of bytes that PyTorch's allocator had handed out. The models are built under
the profiler too, because PyTorch counts only the memory that was allocated while it recorded. Needs PyTorch 1.13
(Debian's python3-torch)."""
import csv
import gzip
import json
import pathlib
import sys

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch._C._profiler import RecordScope, _EventType
from torch.profiler import ProfilerActivity, profile, record_function

BATCHES = (4, 8, 16, 32, 64)
WORDS = 2000


class Perceptron(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Dropout(0.1),
                                    nn.Linear(512, 10))

    def forward(self, x):
        return self.layers(x)


class Convolutional(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(3, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(), nn.MaxPool2d(2),
                                      nn.Conv2d(32, 64, 3, padding=1), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(2))
        self.head = nn.Linear(64 * 8 * 8, 10)

    def forward(self, x):
        return self.head(self.features(x).flatten(1))


class Transformer(nn.Module):
    def __init__(self, width=128, heads=4, layers=1, tokens=64):
        super().__init__()
        self.token, self.position = nn.Embedding(WORDS, width), nn.Embedding(tokens, width)
        self.layers = nn.ModuleList(nn.TransformerEncoderLayer(width, heads, 4 * width, batch_first=True)
                                    for _ in range(layers))
        self.head = nn.Linear(width, WORDS)

    def forward(self, x):
        y = self.token(x) + self.position.weight
        for layer in self.layers:
            y = layer(y)
        return self.head(y).flatten(0, 1)


MODELS = {
    "perceptron": (Perceptron, lambda batch: (torch.randn(batch, 784), torch.randint(10, (batch,)))),
    "convolutional": (Convolutional, lambda batch: (torch.randn(batch, 3, 32, 32), torch.randint(10, (batch,)))),
    "transformer": (Transformer, lambda batch: (torch.randint(WORDS, (batch, 64)), torch.randint(WORDS, (batch * 64,)))),
}


def train(make, data, batch):
    torch.manual_seed(1)
    model = make()
    optimizer = torch.optim.Adam(model.parameters())
    for step in range(2):
        with record_function(f"ProfilerStep#{step}"):
            x, y = data(batch)
            optimizer.zero_grad(set_to_none=True)
            F.cross_entropy(model(x), y).backward()
            optimizer.step()


def events_of(recorded):
    """Yields the events of a recording as PyTorch writes them with Kineto, which Debian's build lacks. What stepsim does
    not read is left out."""
    waiting = list(recorded.profiler.kineto_results.experimental_event_tree())
    begin = min(event.start_time_ns for event in waiting)
    while waiting:
        event = waiting.pop()
        waiting.extend(event.children)
        found = event.extra_fields
        place = {"pid": 1, "tid": event.start_tid, "ts": (event.start_time_ns - begin) / 1000}
        if event.tag == _EventType.Allocation:
            yield {"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", **place,
                   "args": {"Total Reserved": 0, "Total Allocated": found.total_allocated, "Bytes": found.alloc_size,
                            "Addr": found.ptr, "Device Id": -1, "Device Type": 0}}
        elif event.tag == _EventType.TorchOp:
            category = "user_annotation" if found.scope == RecordScope.USER_SCOPE else "cpu_op"
            yield {"ph": "X", "cat": category, "name": event.name, **place,
                   "dur": event.duration_time_ns / 1000,
                   "args": {"Input Dims": found.inputs.shapes, "Input type": found.inputs.dtypes}}


def main():
    folder = pathlib.Path(sys.argv[1])
    (folder / "traces").mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    with open(folder / "measured.csv", "w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["model", "batch", "peak_bytes"])
        for name, (make, data) in MODELS.items():
            for batch in BATCHES:
                with profile(activities=[ProfilerActivity.CPU], record_shapes=True, profile_memory=True) as recorded:
                    train(make, data, batch)
                events = list(events_of(recorded))
                rows.writerow([name, batch, max(event["args"].get("Total Allocated", 0) for event in events)])
                trace = {"schemaVersion": 1, "record_shapes": 1, "profile_memory": 1,
                         "traceEvents": sorted(events, key=lambda event: event["ts"])}
                with open(folder / "traces" / f"{name}-{batch}.json.gz", "wb") as out, \
                        gzip.GzipFile("", "wb", 9, out, mtime=0) as packed:
                    packed.write(json.dumps(trace, separators=(",", ":")).encode())


if __name__ == "__main__":
    main()

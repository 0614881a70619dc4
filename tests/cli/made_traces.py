"""Traces that several tests make."""
import json


def paused_trace(rank=0, ranks=1):
    """Returns a Kineto trace of a rank with 8 steps of 100 views of 10 us, 90 us apart: 10 ms a step. In step s, s % 3
    of the views take 29 ms instead: 7 pauses of 28.99 ms in 282.93 ms."""
    events, at = [], 0

    def add(category, name, start, length):
        events.append({"ph": "X", "cat": category, "name": name, "pid": 1 + rank, "tid": 1, "ts": start, "dur": length})

    for step in range(8):
        begin = at
        for view in range(100):
            length = 29000 if view in (7, 47)[:step % 3] else 10
            add("cpu_op", "aten::view", at, length)
            at += length + 90
        add("user_annotation", f"ProfilerStep#{step}", begin, at - begin)
    return json.dumps({"baseTimeNanoseconds": 0, "distributedInfo": {"rank": rank, "world_size": ranks}, "traceEvents": events})

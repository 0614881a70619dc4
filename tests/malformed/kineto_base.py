"""A small complete Kineto trace: one rank, three steps, two kernels per step."""
from case import dumps

STEP_US = 1000
STEPS = (4, 5, 6)
META = '"schemaVersion": 1,\n"distributedInfo": {"backend": "nccl", "rank": 0, "world_size": 1},\n"displayTimeUnit": "ms",\n"baseTimeNanoseconds": 1767133872000000000'
TAIL = '"traceName": "/tmp/rank0.json"'


def event(category, name, thread, start, duration, pid=4242, **arguments):
    return {"ph": "X", "cat": category, "name": name, "pid": pid, "tid": thread, "ts": start, "dur": duration, "args": arguments}


def step_events(number, start):
    """A step: two operators, each of which launches a kernel, then a synchronisation."""
    base = number * 10
    yield event("user_annotation", f"ProfilerStep#{number}", 100, start, STEP_US, **{"External id": base})
    for k in range(2):
        at = start + 100 + 300 * k
        yield event("cpu_op", f"aten::op{k}", 100, at, 60, **{"External id": base + k + 1})
        yield event("cuda_runtime", "cudaLaunchKernel", 100, at + 10, 20, cbid=211, correlation=base + k + 1)
        yield event("kernel", f"kernel{k}", 7, at + 40, 200, pid=0, stream=7, device=0, correlation=base + k + 1)
    yield event("cuda_runtime", "cudaDeviceSynchronize", 100, start + 600, 50, cbid=165, correlation=base + 9)


def events():
    out = [{"ph": "M", "name": "process_name", "pid": 4242, "tid": 0, "ts": 0, "args": {"name": "python"}}]
    for i, number in enumerate(STEPS):
        out += step_events(number, 1000 + STEP_US * i)
    return out


def lines():
    return [dumps(e) for e in events()]


def text(event_lines, meta=META, tail=TAIL):
    """Returns the file in Kineto's form, one event per line."""
    head = "{\n" + meta + ("," if meta else "") + '\n"traceEvents": [\n'
    return (head + ",\n".join(event_lines) + "\n]" + ((",\n" + tail) if tail else "") + "\n}\n").encode()


def raw(event_lines, meta=META, tail=TAIL):
    """The same for lines of bytes, which do not have to be JSON."""
    head = ("{\n" + meta + ',\n"traceEvents": [\n').encode()
    return head + b",\n".join(event_lines) + b"\n],\n" + tail.encode() + b"\n}\n"

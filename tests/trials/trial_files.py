"""Writes dPRO trials (G3) in the form that the formats page describes: {path: bytes} with the files of TensorFlow's
operators, of Horovod and NCCL, and of BytePS. All times are in microseconds."""
import gzip
import json
import os


def dumps(value):
    return json.dumps(value).encode()


def tensorflow_trace(runs):
    """trace.json.gz: `runs` are (name, type, start, length, step)."""
    events = [{"ph": "M", "pid": 1, "name": "process_name", "args": {"name": "/device:GPU:0 (pid 1)"}},
              {"ph": "M", "pid": 2, "name": "process_name", "args": {"name": "/host:CPU (pid 2)"}},
              {"ph": "M", "pid": 1, "tid": 7, "name": "thread_name", "args": {"name": "TensorFlow Ops"}},
              {"ph": "M", "pid": 1, "tid": 8, "name": "thread_name", "args": {"name": "Stream #13"}}]
    for name, kind, start, length, step in runs:
        events.append({"ph": "X", "pid": 1, "tid": 7, "ts": start, "dur": length, "name": kind,
                       "args": {"group_id": str(step), "long_name": f"StatefulPartitionedCall/{name}:{kind}"}})
        events.append({"ph": "X", "pid": 1, "tid": 8, "ts": start, "dur": length, "name": kind + "_kernel", "args": {}})
    return gzip.compress(dumps({"displayTimeUnit": "ns", "metadata": {"highres-ticks": True}, "traceEvents": events}), 9,
                         mtime=0)


def gml(edges):
    """dag.gml with edges between labels, in the form that networkx writes."""
    labels = list(dict.fromkeys(label for edge in edges for label in edge))
    nodes = "".join(f"  node [\n    id {i}\n    label \"{label}\"\n  ]\n" for i, label in enumerate(labels))
    lines = "".join(f"  edge [\n    source {labels.index(a)}\n    target {labels.index(b)}\n  ]\n" for a, b in edges)
    return f"graph [\n  directed 1\n{nodes}{lines}]\n".encode()


def horovod_comm(phases):
    """comm.json: `phases` are (tensor, name, start, length). Those with the name Sync are in the Sync process."""
    rows = list(dict.fromkeys("Sync" if name == "Sync" else f"horovod_allreduce.{tensor}"
                              for tensor, name, _, _ in phases))
    events = [{"name": "process_name", "ph": "M", "pid": pid, "args": {"name": row}} for pid, row in enumerate(rows, 1)]
    for tensor, name, start, length in phases:
        sync = name == "Sync"
        pid = 1 + rows.index("Sync" if sync else f"horovod_allreduce.{tensor}")
        events.append({"ph": "B", "name": tensor if sync else name, "ts": start, "pid": pid})
        events.append({"ph": "E", "ts": start + length, "pid": pid})
    return dumps(events)


def comm_detail(chunks, pid):
    """comm_detail.json: `chunks` are (tensor, "SEND" or "RECV", step of the ring, start, length)."""
    return dumps({"traceEvents": [
        {"name": f"horovod_allreduce.{tensor}.{direction}", "ts": start, "dur": length, "ph": "X", "cat": "Comm",
         "pid": pid, "tid": "Comm", "args": {"name": f"horovod_allreduce.{tensor}", "loopId": 0, "channelId": 0,
                                            "chunkId": step, "sliceId": 0}}
        for tensor, direction, step, start, length in chunks]})


def rank_graph(ranks):
    hops = [f"{r}[{r}000] -> {(r + 1) % ranks}[{(r + 1) % ranks}000] [send] via NET/Socket/0" for r in range(ranks)]
    return dumps({"Tree": {"-1": "[0] 1/-1/-1->0->-1|-1->0->1/-1/-1"}, "Ring": {"0": ",".join(hops)}, "RealRing": {}})


METADATA = {
    "m/a": {"op": "MatMul", "input": [], "output": [{"name": "m/a:0", "shape": [8, 8], "dtype": "float32"}]},
    "m/b": {"op": "MatMul", "input": [{"name": "m/a:0"}], "output": []},
    "gradient_tape/m/b": {"op": "MatMul", "input": [{"name": "m/b:0"}], "output": []},
    "gradient_tape/m/a": {"op": "MatMul", "input": [{"name": "gradient_tape/m/b:0"}], "output": []},
    "HorovodAllreduce.1": {"op": "HorovodAllreduce", "input": [{"name": "gradient_tape/m/b:0"}], "output": []},
    "HorovodAllreduce.0": {"op": "HorovodAllreduce", "input": [{"name": "gradient_tape/m/a:0"}], "output": []},
    "SGD/update_b": {"op": "ResourceApplyGradientDescent", "input": [{"name": "HorovodAllreduce.1:0"}], "output": []},
    "SGD/update_a": {"op": "ResourceApplyGradientDescent", "input": [{"name": "HorovodAllreduce.0:0"}], "output": []}}

GRAPH = [("FW.m/a", "FW.m/b"), ("FW.m/b", "BW.gradient_tape/m/b"), ("BW.gradient_tape/m/b", "BW.gradient_tape/m/a"),
         ("BW.gradient_tape/m/b", "Comm.HorovodAllreduce.1"), ("BW.gradient_tape/m/a", "Comm.HorovodAllreduce.0"),
         ("Comm.HorovodAllreduce.1", "UPDATE_.SGD/update_b"), ("Comm.HorovodAllreduce.0", "UPDATE_.SGD/update_a"),
         ("UPDATE_.SGD/update_a", "FW.m/a")]

# Golden A and C of the formats page: (direction, step of the ring) -> start and length, on both ranks.
CHUNKS = [("1", "SEND", 0, 6000, 1500), ("1", "RECV", 0, 7500, 1500), ("0", "SEND", 0, 9000, 1000),
          ("1", "SEND", 1, 10000, 1500), ("0", "RECV", 0, 11500, 1000), ("1", "RECV", 1, 12500, 1500),
          ("0", "SEND", 1, 14000, 1000), ("0", "RECV", 1, 15000, 1000)]


def nccl_trial(steps=3, pitch=16250, clock=(0, 7000), graph=True, slow=0, chunks=CHUNKS, first_step=1):
    """Golden C, section 6.5 of the formats page. Rank 1's backward pass of a takes `slow` longer. Without `graph`,
    only metadata.json has the dependencies."""
    files = {}
    for host in (0, 1):
        runs, phases, pieces = [], [], []
        late = slow if host == 1 else 0
        for k in range(steps):
            at = 1_000_000 + k * pitch + clock[host]
            step = first_step + k
            runs += [("m/a", "MatMul", at, 1000, step), ("m/b", "MatMul", at + 1000, 2000, step),
                     ("gradient_tape/m/b", "MatMul", at + 3000, 3000, step),
                     ("gradient_tape/m/a", "MatMul", at + 6000, 2000 + late, step),
                     ("SGD/update_b", "ResourceApplyGradientDescent", at + 14000, 500, step),
                     ("SGD/update_a", "ResourceApplyGradientDescent", at + 16000, 250, step)]
            for tensor, ready, agreed, end in (("1", 6000, 6000, 14000), ("0", 8000 + late, 8000 + slow, 16000)):
                phases += [(tensor, "Sync", at + ready, agreed - ready), (tensor, "QUEUE", at + agreed, 1),
                           (tensor, "MEMCPY_IN_FUSION_BUFFER", at + agreed + 1, 1),
                           (tensor, "MEMCPY_OUT_FUSION_BUFFER", at + end - 1, 1)]
            pieces += [(tensor, way, piece, at + start, length) for tensor, way, piece, start, length in chunks]
        folder = f"trial/host{host}/0/"
        files[folder + "trace.json.gz"] = tensorflow_trace(runs)
        files[folder + "metadata.json"] = dumps(METADATA)
        files[folder + "gradient_name_list.json"] = dumps(
            {"gradient_name_list": ["HorovodAllreduce.0;shape=(8, 8);dtype=float32",
                                    "HorovodAllreduce.1;shape=(8, 8);dtype=float32"], "model_name": "m"})
        if graph:
            files[folder + "dag.gml"] = gml(GRAPH)
        files[folder + "comm.json"] = horovod_comm(phases)
        files[folder + "comm_detail.json"] = comm_detail(pieces, f"host{host}.rank0")
        files[folder + "nccl_rank_graph.json"] = rank_graph(2)
    return files


def fused_trial(late=500, steps=3, clock=3_000):
    """Two hosts with two GPUs each in a ring of four. Both gradients are reduced together, in six steps of the ring,
    in which each rank sends for 100 us and then receives for 100 us. Rank 2 is ready `late` us after the others.
    Host 1's clock is ahead by `clock`."""
    files = {}
    for rank in range(4):
        runs, phases, pieces = [], [], []
        for k in range(steps):
            at = 2_000_000 + k * (3000 + late + 1200 + 300) + (clock if rank >= 2 else 0)
            backward = 2000 + (late if rank == 2 else 0)
            agreed = at + 3000 + late
            runs += [("f", "MatMul", at, 1000, k), ("gradient_tape/f", "MatMul", at + 1000, backward, k),
                     ("opt", "ResourceApplyAdam", agreed + 1200, 300, k)]
            for tensor in ("0", "1"):
                phases.append((tensor, "Sync", at + 1000 + backward, agreed - at - 1000 - backward))
            pieces += [("0+1", way, piece, agreed + 200 * piece + (100 if way == "RECV" else 0), 100)
                       for piece in range(6) for way in ("SEND", "RECV")]
        folder = f"trial/host{rank // 2}/{rank % 2}/"
        files[folder + "trace.json.gz"] = tensorflow_trace(runs)
        files[folder + "dag.gml"] = gml([("FW.f", "BW.gradient_tape/f"), ("BW.gradient_tape/f", "Comm.0"),
                                         ("BW.gradient_tape/f", "Comm.1"), ("Comm.0", "UPDATE_.opt"), ("Comm.1", "UPDATE_.opt")])
        files[folder + "comm.json"] = horovod_comm(phases)
        files[folder + "comm_detail.json"] = comm_detail(pieces, f"host{rank // 2}.rank{rank % 2}")
        files[folder + "nccl_rank_graph.json"] = rank_graph(4)
    return files


def pairs(spans):
    """B and E events of `spans`: (row, name, tid, start, length), preceded by the rows' names."""
    rows = list(dict.fromkeys(row for row, *_ in spans))
    events = [{"name": "process_name", "ph": "M", "pid": pid, "tid": 0, "args": {"name": row}} for pid, row in enumerate(rows)]
    for row, name, tid, start, length in spans:
        place = {"name": name, "pid": rows.index(row), "tid": tid}
        events += [{**place, "ph": "B", "ts": start}, {**place, "ph": "E", "ts": start + length}]
    return dumps(events)


# Golden B, section 6.4 of the formats page: for each partition of tensor t0, (message, worker) -> start and length.
MESSAGES = {0: {("PUSH_REQ", 0): (3000, 1000), ("PUSH_REQ", 1): (3400, 1000), ("PUSH_RES", 0): (4000, 10),
                ("PUSH_RES", 1): (4400, 10), ("PULL_REQ", 0): (5000, 10), ("PULL_REQ", 1): (5400, 10),
                ("PULL_RES", 0): (5010, 1000), ("PULL_RES", 1): (5410, 1000)},
            1: {("PUSH_REQ", 0): (4000, 1000), ("PUSH_REQ", 1): (4400, 1000), ("PUSH_RES", 0): (5000, 10),
                ("PUSH_RES", 1): (5400, 10), ("PULL_REQ", 0): (5010, 10), ("PULL_REQ", 1): (5410, 10),
                ("PULL_RES", 0): (6010, 1000), ("PULL_RES", 1): (6410, 1000)}}
SERVER_WORK = {0: {"COPY_FIRST": (4000, 200), "SUM": (4400, 300), "COPY_MERGED": (4700, 50)},
               1: {"COPY_FIRST": (5000, 200), "SUM": (5400, 300), "COPY_MERGED": (5700, 50)}}


def byteps_trial(steps=3, pitch=7510, clock=(0, 0), server_clock=0, tensor="t0"):
    """Golden B. `clock` is how far the workers' clocks are ahead, `server_clock` the server's."""
    files, messages, work = {}, [], []
    for worker in (0, 1):
        runs = []
        for k in range(steps):
            at = 1_000_000 + k * pitch
            own = at + clock[worker]
            backward = 2400 if worker == 1 else 2000
            runs += [("x", "MatMul", own, 1000, k), ("gradient_tape/x", "MatMul", own + 1000, backward, k),
                     ("SGD/x", "ResourceApplyGradientDescent", own + (7410 if worker == 1 else 7010), 100, k)]
            for part, spans in MESSAGES.items():
                for (message, of), (start, length) in spans.items():
                    if of != worker:
                        continue
                    push_or_pull, kind = message.split("_")
                    ends = (f"worker_{worker}", "server_0")
                    row = " -> ".join(ends if kind == "REQ" else ends[::-1])
                    messages.append((row, f"{tensor}~PART{part}.{push_or_pull}", 0,
                                     start + (own if kind == "REQ" else at + server_clock), length))
        folder = f"trial/traces_{worker}/0/"
        files[folder + "trace.json.gz"] = tensorflow_trace(runs)
        files[folder + "dag.gml"] = gml([("FW.x", "BW.gradient_tape/x"), ("BW.gradient_tape/x", f"Comm.{tensor}"),
                                         (f"Comm.{tensor}", "UPDATE_.SGD/x")])
    for k in range(steps):
        for part, spans in SERVER_WORK.items():
            work += [("server_0", f"{tensor}~PART{part}.{name}", part, 1_000_000 + k * pitch + server_clock + start, length)
                     for name, (start, length) in spans.items()]
    files["trial/comm_timeline.json"] = pairs(messages)
    files["trial/server_timeline.json"] = pairs(work)
    files["trial/key_dict.txt"] = f"{tensor}: 0 1\n".encode()
    return files


def write(files, folder):
    for path, content in files.items():
        os.makedirs(os.path.dirname(os.path.join(folder, path)), exist_ok=True)
        with open(os.path.join(folder, path), "wb") as out:
            out.write(content)

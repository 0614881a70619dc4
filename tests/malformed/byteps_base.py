"""A small complete BytePS capture of one worker with two tensors and two steps, in the form that BytePS and its merge
script write."""
import json

BASE_US = 1600000000000000
STEP_US = 10000
STAGES = (("COPYD2H", 100, 50), ("PUSH", 150, 300), ("PULL", 450, 400), ("COPYH2D", 850, 50))


def comm_event(tensor, suffix, start, duration, tid):
    full = f"Comm.byteps.gradient_{tensor}"
    return {"ph": "X", "args": {"name": full}, "pid": full, "name": full + suffix, "ts": start, "dur": duration, "tid": tid, "cat": "Comm"}


def comm_events():
    out = []
    for tensor in (0, 1):
        key = str(tensor << 16)
        starts = [BASE_US + step * STEP_US + 5000 - 1000 * tensor for step in (0, 1)]
        out += [comm_event(tensor, "", start, 1000, "total") for start in starts]
        for stage, offset, duration in STAGES:
            out += [comm_event(tensor, "." + stage, start + offset, duration, key) for start in starts]
    return out


def operator(name, step, start, duration, *inputs):
    arguments = {"name": name, "step": step}
    arguments.update({f"input{i}": text for i, text in enumerate(inputs)})
    return {"name": name, "cat": "operator", "ph": "X", "ts": start, "dur": duration, "pid": "rank0", "tid": 1, "args": arguments}


def operators():
    out = []
    for step in (0, 1):
        at = BASE_US + step * STEP_US
        out += [operator("FW.layer0", step, at, 1000), operator("FW.layer1", step, at + 1000, 1000, "FW.layer0"),
                operator("BW.layer1", step, at + 2000, 2000, "FW.layer1"), operator("BW.layer0", step, at + 4000, 1000, "BW.layer1"),
                operator("UPDATE", step, at + 6000, 500, "Comm.layer0", "Comm.layer1")]
    return out


def trace(events):
    body = ",\n".join(json.dumps(e) for e in events)
    return ('{\n    "traceEvents": [\n' + body + '\n\n    ],\n    "displayTimeUnit": "ms"\n}\n').encode()


NODES = ("FW.layer0", "FW.layer1", "BW.layer1", "BW.layer0", "Comm.layer0", "Comm.layer1", "UPDATE")
EDGES = ((0, 1), (1, 2), (2, 3), (2, 5), (3, 4), (4, 6), (5, 6))


def gml(nodes=NODES, edges=EDGES, directed="  directed 1\n"):
    text = "graph [\n" + directed
    for i, label in enumerate(nodes):
        text += f'  node [\n    id {i}\n    label "{label}"\n  ]\n'
    for source, target in edges:
        text += f"  edge [\n    source {source}\n    target {target}\n  ]\n"
    return (text + "]\n").encode()


GRADIENTS = b"layer0;shape=(256, 1000);dtype=float32\nlayer1;shape=(256, 1000);dtype=float32\n"
JOB = b"framework: byteps\nworkers: 1\nservers: 1\npartition_bytes: 1024000\nnetwork: {bandwidth: 1Gb/s}\n"


def capture(**replaced):
    """Returns the files of a capture. Each keyword (comm, operators, gml, gradients, job) replaces a file; None leaves
    it out."""
    files = {"comm": ("capture/0/0/comm.json", trace(comm_events())), "operators": ("capture/0/0/bps_trace_final.json", trace(operators())),
             "gml": ("capture/0/0/dag.gml", gml()), "gradients": ("capture/0/0/gradient_name_list.txt", GRADIENTS), "job": ("job.yaml", JOB)}
    out = {}
    for key, (path, content) in files.items():
        content = replaced.get(key, content)
        if content is not None:
            out[path] = content
    return out

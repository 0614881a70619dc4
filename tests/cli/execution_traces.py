#!/usr/bin/env python3
"""execution_traces.py STEPSIM: what stepsim reads from the execution traces beside the sources equals what this
program, which shares no code with it, decodes from them: nodes, dependencies, collectives, and how long a replay takes."""
import gzip
import heapq
import json
import os
import subprocess
import sys
import tarfile
import tempfile

TRACES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../shared/traces")
COLLECTIVE = 7


def stepsim(*arguments):
    done = subprocess.run([sys.argv[1], *arguments, "--json"], capture_output=True, text=True)
    assert done.returncode == 0, (arguments, done.stderr)
    return json.loads(done.stdout)


def varint(data, at):
    value, shift = 0, 0
    while True:
        byte = data[at]
        value, shift, at = value | (byte & 0x7F) << shift, shift + 7, at + 1
        if byte < 0x80:
            return value, at


def fields(data):
    """(number, value) of each field of a message; a value is a number or bytes."""
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        kind = tag & 7
        if kind == 0:
            value, at = varint(data, at)
        else:
            size, at = varint(data, at) if kind == 2 else ({1: 8, 5: 4}[kind], at)
            value, at = data[at:at + size], at + size
        yield tag >> 3, value


def numbers(data):
    at, out = 0, []
    while at < len(data):
        value, at = varint(data, at)
        out.append(value)
    return out


def protobuf_nodes(data):
    """id -> (type, duration in us, data dependencies, on the host, thread)"""
    at, nodes = 0, {}
    while at < len(data):
        size, at = varint(data, at)
        message, at = list(fields(data[at:at + size])), at + size
        if message[0][0] != 1 or isinstance(message[0][1], bytes):
            continue  # GlobalMetadata
        one = dict(message)
        attributes = {}
        for number, value in message:
            if number == 10:
                attribute = list(fields(value))
                attributes[attribute[0][1].decode()] = attribute[-1][1]
        after = [id for number, value in message if number == 5 for id in (numbers(value) if isinstance(value, bytes) else [value])]
        nodes[one[1]] = (one[3], one.get(7, 0), after, bool(attributes.get("is_cpu_op")), attributes.get("tid"))
    return nodes


def json_nodes(data):
    return {n["Id"]: (n["NodeType"], n.get("runtime", 0), n["data_deps"], n["is_cpu_op"], None) for n in json.loads(data)["workload_graph"]}


def row_of(node):
    kind, _, _, on_host, thread = node
    return "communication" if kind == COLLECTIVE and not on_host else ("host" if on_host else "device", thread)


def expected(nodes):
    """How many dependencies there are with those between neighbours in one row, and when the last node ends, if each
    row does its nodes in the order of ids that dependencies allow."""
    waiting = {id: len(set(node[2])) for id, node in nodes.items()}
    after = {}
    for id, node in nodes.items():
        for before in set(node[2]):
            after.setdefault(before, []).append(id)
    ready = [id for id, count in waiting.items() if not count]
    heapq.heapify(ready)
    last, end, edges = {}, {}, {(before, id) for id, node in nodes.items() for before in node[2]}
    while ready:
        id = heapq.heappop(ready)
        node, row = nodes[id], row_of(nodes[id])
        in_order = row == "communication" or node[4] is not None
        before = node[2] + ([last[row]] if in_order and row in last else [])
        if in_order:
            edges.update((b, id) for b in before)
            last[row] = id
        end[id] = max((end[b] for b in before), default=0) + node[1]
        for next in after.get(id, ()):
            waiting[next] -= 1
            if not waiting[next]:
                heapq.heappush(ready, next)
    assert len(end) == len(nodes)
    return len(edges), max(end.values())


def check(path, nodes, timed=True):
    replay, tasks = stepsim("replay", path), stepsim("tasks", path, "--rows", "all")
    edges, end = expected(nodes)
    assert replay["tasks"] == replay["ingest"]["events"] == len(nodes), (path, replay["tasks"], len(nodes))
    assert replay["edges"] == edges, (path, replay["edges"], edges)
    if timed:
        assert replay["iteration"]["replayed_ns"] == end * 1000, (path, replay["iteration"], end)
    collectives = sum(kind["tasks"] for kind in tasks["kinds"] if kind["kind"] == "collective")
    assert collectives == sum(row_of(node) == "communication" for node in nodes.values()), (path, collectives)
    print(f"{os.path.basename(path)}: {len(nodes)} nodes, {edges} dependencies, {collectives} collectives, {end} us")


def count_of(answer, name):
    return sum(found["count"] for found in answer["ingest"]["diagnostics"] if found["name"] == name)


def check_pytorch(path, ranks):
    """Alone: a task for each node, a collective for each call of a process group that is no wait, and no replay."""
    tasks = stepsim("tasks", path, "--rows", "all")
    nodes = [node for rank in ranks for node in rank["nodes"]]
    assert tasks["tasks"] == len(nodes), (path, tasks["tasks"], len(nodes))
    calls = [node["inputs"]["values"] if isinstance(node["inputs"], dict) else node["inputs"] for node in nodes if node["name"] == "record_param_comms"]
    expected = sum("wait" not in [value for value in call if isinstance(value, str)] for call in calls)
    found = sum(kind["tasks"] for kind in tasks["kinds"] if kind["kind"] == "collective")
    assert found == expected, (path, found, expected)
    refused = subprocess.run([sys.argv[1], "replay", path], capture_output=True, text=True)
    assert refused.returncode == 5 and "how long" in refused.stderr, (path, refused)
    print(f"{os.path.basename(path)}: {len(nodes)} nodes, {expected} collectives, no times")


def check_joined(profile, execution, unjoined, waits_left):
    """Beside the profile of the same run: times as without it, and what joins."""
    alone, both = stepsim("replay", profile), stepsim("replay", profile, execution)
    assert both["tasks"] == alone["tasks"] and both["iteration"]["measured_ns"] == alone["iteration"]["measured_ns"]
    assert abs(both["iteration"]["error"]) < 0.001, both["iteration"]
    assert count_of(both, "operators_not_joined") == unjoined, both["ingest"]
    left = count_of(both, "inferred_stream_wait")
    assert left <= waits_left and left <= count_of(alone, "inferred_stream_wait"), left
    print(f"{os.path.basename(execution)}: all but {unjoined} operators joined, {left} waits between streams inferred")


def main():
    if not os.path.isdir(TRACES):
        return print(f"skipped: {TRACES} is absent")
    feeder = os.path.join(TRACES, "chakra/feeder.0.et.gz")
    check(feeder, protobuf_nodes(gzip.open(feeder).read()))
    with tempfile.TemporaryDirectory() as folder, tarfile.open(os.path.join(TRACES, "chakra/json_trace.tar.gz")) as tar:
        for member in tar:
            if not member.isfile():
                continue
            path = os.path.join(folder, os.path.basename(member.name))
            with open(path, "wb") as file:
                file.write(tar.extractfile(member).read())
            with open(path, "rb") as file:
                # Without threads, a row does whichever node is ready first: the times differ.
                check(path, json_nodes(file.read()), timed=False)
    for name in ("chakra/resnet_et.json.gz", "pytorch-cpu/transformer-execution_trace.json.gz"):
        path = os.path.join(TRACES, name)
        check_pytorch(path, [json.loads(gzip.open(path).read())])
    dlrm = os.path.join(TRACES, "chakra/dlrm-8ranks-pytorch-et.tar.gz")
    with tarfile.open(dlrm) as tar:
        check_pytorch(dlrm, [json.loads(tar.extractfile(member).read()) for member in tar if member.isfile()])
    # The roots and thread marks of the observer are no events: 3 of each rank of DLRM, and both of the CPU's trace but
    # for its step marks, which are annotations of the profile.
    check_joined(os.path.join(TRACES, "kineto/dlrm-8ranks"), dlrm, 8 * 3, 1)
    check_joined(os.path.join(TRACES, "pytorch-cpu/transformer-all-options.pt.trace.json.gz"),
                 os.path.join(TRACES, "pytorch-cpu/transformer-execution_trace.json.gz"), 2, 0)


main()

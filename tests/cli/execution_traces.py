#!/usr/bin/env python3
"""execution_traces.py STEPSIM: compares what stepsim reads from the execution traces next to the sources with what
this program decodes from them with separate code: nodes, dependencies, collectives, and how long a replay takes."""
import gzip
import heapq
import json
import os
import re
import sys
import tarfile
import tempfile

from checks import SHARED, answer, stepsim, verdict, write

COLLECTIVE = 7


def varint(data, at):
    value, shift = 0, 0
    while True:
        byte = data[at]
        value, shift, at = value | (byte & 0x7F) << shift, shift + 7, at + 1
        if byte < 0x80:
            return value, at


def fields(data):
    """Returns (number, value) for each field of a message. A value is a number or bytes."""
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
    """Returns id -> (type, duration in us, data dependencies, on the host, thread)."""
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
    """Returns the number of dependencies, including those between neighbours in a row, and when the last node ends if
    each row runs its nodes in the order of ids that dependencies allow."""
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


def check_replay(path, nodes, timed=True):
    replay, tasks = answer("replay", path), answer("tasks", path, "--rows", "all")
    edges, end = expected(nodes)
    assert replay["tasks"] == replay["ingest"]["events"] == len(nodes), (path, replay["tasks"], len(nodes))
    assert replay["edges"] == edges, (path, replay["edges"], edges)
    if timed:
        assert replay["iteration"]["replayed_ns"] == end * 1000, (path, replay["iteration"], end)
    collectives = sum(kind["tasks"] for kind in tasks["kinds"] if kind["kind"] == "collective")
    assert collectives == sum(row_of(node) == "communication" for node in nodes.values()), (path, collectives)
    print(f"{os.path.basename(path)}: {len(nodes)} nodes, {edges} dependencies, {collectives} collectives, {end} us")


def count_of(replay, name):
    return sum(found["count"] for found in replay["ingest"]["diagnostics"] if found["name"] == name)


def check_pytorch(path, ranks):
    """A trace alone: a task for each node, a collective for each call of a process group that is not a wait, and no
    replay."""
    tasks = answer("tasks", path, "--rows", "all")
    nodes = [node for rank in ranks for node in rank["nodes"]]
    assert tasks["tasks"] == len(nodes), (path, tasks["tasks"], len(nodes))
    calls = [node["inputs"]["values"] if isinstance(node["inputs"], dict) else node["inputs"] for node in nodes if node["name"] == "record_param_comms"]
    expected = sum("wait" not in [value for value in call if isinstance(value, str)] for call in calls)
    found = sum(kind["tasks"] for kind in tasks["kinds"] if kind["kind"] == "collective")
    assert found == expected, (path, found, expected)
    refused = stepsim("replay", path)
    assert refused.returncode == 5 and re.search(rb"recorded (or modelled )?duration; expected", refused.stderr), (path, refused)
    print(f"{os.path.basename(path)}: {len(nodes)} nodes, {expected} collectives, no times")


def check_joined(profile, execution, unjoined, waits_left):
    """Together with the profile of the same run: the same times as without it, and the number of joined nodes."""
    alone, both = answer("replay", profile), answer("replay", profile, execution)
    assert both["tasks"] == alone["tasks"] and both["iteration"]["measured_ns"] == alone["iteration"]["measured_ns"]
    assert abs(both["iteration"]["error"]) < 0.001, both["iteration"]
    assert count_of(both, "operators_not_joined") == unjoined, both["ingest"]
    left = count_of(both, "inferred_stream_wait")
    assert left <= waits_left and left <= count_of(alone, "inferred_stream_wait"), left
    print(f"{os.path.basename(execution)}: all but {unjoined} operators joined, {left} waits between streams inferred")


def main():
    if not os.path.isdir(SHARED):
        return print(f"skipped: {SHARED} is absent")
    feeder = os.path.join(SHARED, "chakra/feeder.0.et.gz")
    check_replay(feeder, protobuf_nodes(gzip.open(feeder).read()))
    with tempfile.TemporaryDirectory() as folder, tarfile.open(os.path.join(SHARED, "chakra/json_trace.tar.gz")) as tar:
        for member in tar:
            if not member.isfile():
                continue
            text = tar.extractfile(member).read()
            path = write(folder, os.path.basename(member.name), text)
            # Without threads, a row runs whichever node is ready first, so the times differ.
            check_replay(path, json_nodes(text), timed=False)
    for name in ("chakra/resnet_et.json.gz", "pytorch-cpu/transformer-execution_trace.json.gz"):
        path = os.path.join(SHARED, name)
        check_pytorch(path, [json.loads(gzip.open(path).read())])
    dlrm = os.path.join(SHARED, "chakra/dlrm-8ranks-pytorch-et.tar.gz")
    with tarfile.open(dlrm) as tar:
        check_pytorch(dlrm, [json.loads(tar.extractfile(member).read()) for member in tar if member.isfile()])
    # The roots and thread marks of the observer are not events: 3 in each rank of DLRM, and 2 in the CPU's trace. Its
    # step marks are events, because the profile has them as annotations.
    check_joined(os.path.join(SHARED, "kineto/dlrm-8ranks"), dlrm, 8 * 3, 1)
    check_joined(os.path.join(SHARED, "pytorch-cpu/transformer-all-options.pt.trace.json.gz"),
                 os.path.join(SHARED, "pytorch-cpu/transformer-execution_trace.json.gz"), 2, 0)


main()
sys.exit(verdict())

"""Chakra execution traces that are damaged, hostile or of another version."""
import gzip
import io
import random
import tarfile

import chakra_base as base
from case import Case, Refused, Used

WHOLE_BYTES = base.trace(*base.NODES)
COUNT = len(base.NODES)
REFUSED = Refused(r"error: w\.0\.(et|json)(@\d+)?: .*expected")


def case(name, content, verdict, path="w.0.et", more=None, arguments=(), **options):
    files = {path: content, **(more or {})}
    return Case("chakra-" + name, files, ["replay", "." if more else path, *arguments, "--json"], verdict, **options)


def takes(microseconds, **used):
    """The input is used, and the replay takes this long."""
    def verdict(run):
        problem = Used(**used)(run)
        found = None if problem else run.answer["iteration"]["replayed_ns"]
        return problem or (None if found == microseconds * 1000 else f"replayed {found} ns, expected {microseconds} us")
    return verdict


def used_or_refused(run):
    """Exit 0 or 1: a damaged file may be used or refused."""
    return None if run.code in (0, 1) else f"exit {run.code}"


WHOLE = case("whole", WHOLE_BYTES, takes(base.MICROSECONDS, skipped=0, events=COUNT))


def framing():
    yield WHOLE
    yield case("gzip", gzip.compress(WHOLE_BYTES, mtime=0), Used(skipped=0), path="w.0.et.gz", twin=WHOLE)
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w:gz") as tar:
        member = tarfile.TarInfo("run/w.0.et")
        member.size = len(WHOLE_BYTES)
        tar.addfile(member, io.BytesIO(WHOLE_BYTES))
    yield case("in-an-archive", archive.getvalue(), Used(skipped=0), path="w.tar.gz", twin=WHOLE)
    yield case("without-metadata", base.delimited(*base.NODES), Used(skipped=0), twin=WHOLE)
    yield case("empty-metadata", base.trace(*base.NODES, metadata=b""), Used(skipped=0), twin=WHOLE)
    yield case("metadata-of-0.0.1", base.trace(*base.NODES, metadata=base.text(1, base.text(1, "schema") + base.text(29, "1.0.1"))), Used(skipped=0), twin=WHOLE)
    yield case("metadata-alone", base.trace(), Refused(r"has no node.*expected"))
    yield case("empty", b"", Refused(r"error: w\.0\.et.*empty"))
    yield case("one-byte", b"\x00", Refused(r"has no node.*expected"))
    yield case("length-without-end", b"\xff" * 10, Refused(r"more than 10 bytes; expected a varint"))
    yield case("length-of-2-GB", WHOLE_BYTES + base.varint(2 << 30) + b"x", Used({"truncated_file": 1}, events=COUNT), mebibytes=200, twin=WHOLE)
    yield case("first-length-of-2-GB", base.varint(2 << 30) + WHOLE_BYTES, Refused(r"a message of \d+ bytes; expected at most"), mebibytes=200)
    yield case("length-beyond-64-bits", WHOLE_BYTES + b"\xff" * 9 + b"\x7f", Used({"truncated_file": 1}), twin=WHOLE)
    yield case("cut-in-a-length", WHOLE_BYTES + b"\x80", Used({"truncated_file": 1}), twin=WHOLE)
    for size in (1, 2, len(base.delimited(base.METADATA)) - 1, len(base.delimited(base.METADATA)) + 1):
        yield case(f"cut-at-{size}", WHOLE_BYTES[:size], Refused())
    for size in range(len(base.trace(base.NODES[0])) + 1, len(WHOLE_BYTES), 37):
        yield case(f"cut-at-{size}", WHOLE_BYTES[:size], Used())
    yield case("cut-gzip", gzip.compress(WHOLE_BYTES, mtime=0)[:-30], used_or_refused, path="w.0.et.gz")
    yield case("garbage-behind", WHOLE_BYTES + b"garbage" * 100, used_or_refused)
    yield case("other-bytes", bytes(random.Random(14).randrange(256) for _ in range(5000)), used_or_refused)


def fields():
    def with_node(name, message, verdict=None):
        return case(name, base.trace(*base.NODES, message), verdict or Used({"bad_node": 1}, skipped=1), twin=WHOLE)
    yield with_node("id-is-a-text", base.text(1, "x"))
    yield with_node("type-is-a-double", base.number(1, 9) + base.double(3, 1))
    yield with_node("name-is-a-number", base.number(1, 9) + base.number(2, 7))
    yield with_node("attribute-is-a-number", base.number(1, 9) + base.number(10, 7))
    yield with_node("duration-is-a-text", base.number(1, 9) + base.text(7, "long"))
    yield with_node("duration-of-ages", base.node(9, micros=1 << 62))
    yield with_node("duration-below-0", base.node(9, micros=-1))
    yield with_node("type-99", base.node(9, type=99))
    yield with_node("size-below-0", base.node(9, base.COLLECTIVE, comm_size=-5))
    yield with_node("size-of-ages", base.node(9, base.COLLECTIVE, comm_size=1 << 62))
    yield with_node("operations-below-0", base.node(9, num_ops=-1))
    yield with_node("name-longer-than-its-message", base.number(1, 9) + base.varint(2 << 3 | 2) + base.varint(1 << 31))
    yield with_node("attribute-longer-than-its-message", base.number(1, 9) + base.text(10, base.varint(1 << 3 | 2) + base.varint(100)))
    yield with_node("dependency-cut", base.number(1, 9) + base.text(5, b"\x80"))
    yield with_node("wire-type-7", base.number(1, 9) + b"\x0f")
    yield with_node("field-0", base.number(1, 9) + b"\x00\x00")
    yield with_node("group-without-end", base.number(1, 9) + b"\x5b")
    yield with_node("varint-of-11-bytes", base.varint(1 << 3) + b"\xff" * 11)
    for name, field in (("unknown-number", base.number(99, 1)), ("unknown-text", base.text(1000, "x" * 1000)), ("unknown-double", base.double(77, 1.5))):
        nodes = base.NODES[:-1] + (base.NODES[-1] + field,)
        yield case(name, base.trace(*nodes), Used(skipped=0), twin=WHOLE)
    unpacked = base.number(1, 4) + base.text(2, "backward") + base.number(3, 4) + base.number(5, 3) + base.number(7, 50)
    yield case("numbers-one-by-one", base.trace(*base.NODES[:-1], unpacked), Used(skipped=0), twin=WHOLE)
    yield case("name-of-other-letters", base.trace(base.node(1, micros=5, name=b"\xff\x1b[31m\x00\n")), takes(5, skipped=0))
    nested = b""
    for _ in range(20000):
        nested = base.text(8, nested)
    yield case("inputs-in-inputs", base.trace(base.node(1, micros=5) + nested), takes(5, skipped=0))
    groups = "[" * 100000 + '{"pg_name": "0", "ranks": ' + "[" * 100000
    yield case("groups-nested", base.trace(base.node(1, type=1) + base.text(8, base.text(1, "[{" + groups + "}]")), base.node(2, micros=5)), takes(5, skipped=0))


def dependencies():
    def chain(*edges):
        return base.trace(*(base.node(id, data=data, micros=10) for id, data in edges))
    yield case("cycle-of-1", chain((1, (1,))), Refused(r"@\d+: node 1 waits for itself .*expected no cycle"))
    yield case("cycle-of-2", chain((1, (2,)), (2, (1,))), Refused(r"node 1 waits for itself"))
    yield case("cycle-of-3", chain((1, (3,)), (2, (1,)), (3, (2,)), (4, ())), Refused(r"node 1 waits for itself"))
    yield case("waits-for-a-cycle", chain((1, (2,)), (2, (3,)), (3, (2,))), Refused(r"node [23] waits for itself"))
    yield case("cycle-by-control", base.trace(base.node(1, control=(2,), micros=10), base.node(2, data=(1,), micros=10)), takes(20, diagnostics={"control_dependencies_not_used": 1}))
    yield case("control-alone", base.trace(base.node(1, micros=10), base.node(2, control=(1,), micros=10)), takes(20, skipped=0))
    yield case("unknown-node", chain((1, (77,)), (2, (1, 78))), takes(20, diagnostics={"unknown_dependency": 2}))
    yield case("same-twice", chain((1, ()), (2, (1, 1, 1))), takes(20, skipped=0))
    yield case("later-first", chain((2, (1,)), (1, ())), takes(20, skipped=0))
    yield case("id-again", chain((1, ()), (1, ()), (2, (1,))), takes(20, diagnostics={"node_id_again": 1}, skipped=1))
    yield case("id-0-is-not-written", base.trace(base.text(2, "n") + base.number(3, 4) + base.number(7, 10), base.node(5, data=(0,), micros=10)), takes(20, skipped=0))
    yield case("ids-of-64-bits", chain(((1 << 64) - 1, ()), (2, ((1 << 64) - 1,))), takes(20, skipped=0))
    count = 50000
    yield case("long-chain", chain(*((i, (i - 1,) if i else ()) for i in range(count))), takes(10 * count, skipped=0))
    yield case("no-time", base.trace(base.node(1), base.node(2, data=(1,))), Refused(r"no task has a recorded or modelled duration.*expected a torch.profiler trace", code=5))
    week = 7 * 24 * 3600 * 1000000
    yield case("more-than-100-years", base.trace(*(base.node(i, micros=week) for i in range(6000))), Refused(r"more than 100 years .*expected shorter"))


def where_it_runs():
    said = base.node(1, micros=10, is_cpu_op=True), base.node(2, data=(1,), micros=20, is_cpu_op=False)
    unsaid = base.node(3, data=(2,), micros=30), base.node(4, base.COLLECTIVE, data=(3,), micros=5, comm_type=0, comm_size=9)
    yield case("host-or-device-said", base.trace(*said), takes(30, events=2))
    yield case("host-or-device-assumed", base.trace(*said, *unsaid, base.node(5, type=1)), takes(65, diagnostics={"host_or_device_assumed": 2}))
    yield case("host-or-device-assumed-in-json", base.json_trace(base.json_node(1, runtime=10), base.json_node(2, data=(1,), runtime=20, is_cpu_op=False), version="1.0.1"),
               takes(30, diagnostics={"host_or_device_assumed": 1}), path="w.0.json")


def jobs():
    def rank(nodes, verdict, *others, name):
        return case(name, base.trace(*nodes), verdict, more={f"w.{i + 1}.et": base.trace(*other) for i, other in enumerate(others)})
    def collective(id, op=0, size=1 << 20, micros=20, **more):
        return base.node(id, base.COLLECTIVE, is_cpu_op=False, micros=micros, comm_type=op, comm_size=size, **more)
    late = base.node(1, micros=100)
    yield rank((collective(2),), takes(120, skipped=0), (late, base.node(2, base.COLLECTIVE, data=(1,), micros=30, comm_type=0, comm_size=1 << 20)), name="waits-for-the-last")
    yield rank((collective(2),), Used({"collectives_differ": 2}), (collective(2, size=5),), name="other-size")
    yield rank((collective(2),), Used({"collectives_differ": 2}), (collective(2, op=5),), name="other-operation")
    yield rank((collective(2), collective(3)), Used({"unmatched_collective": 1}), (collective(2),), name="one-more")
    yield rank((base.node(1, base.SEND, micros=5, comm_dst=1, comm_size=9), base.node(2, base.SEND, micros=5, comm_dst=7)),
               Used({"unmatched_message": 1}), (base.node(1, base.RECEIVE, micros=5, comm_src=0, comm_size=9),), name="send-to-nobody")
    yield rank((base.node(1, base.SEND, micros=5, comm_dst=0),), Used({"unmatched_message": 1}), (late,), name="send-to-itself")
    crossed = [collective(1, pg_name="a"), collective(2, data=(1,), pg_name="b")], [collective(1, pg_name="b"), collective(2, data=(1,), pg_name="a")]
    yield rank(crossed[0], Refused(r"the dependencies form a cycle"), crossed[1], name="waits-for-each-other")
    loose = [collective(1, pg_name="a"), collective(2, pg_name="b")], [collective(1, pg_name="b"), collective(2, pg_name="a")]
    yield rank(loose[0], Used({"communication_order_differs": 1}), loose[1], name="other-order")
    yield case("same-rank-twice", WHOLE_BYTES, Refused(r"both state rank 0"), more={"v.0.et": WHOLE_BYTES})
    yield case("rank-of-ages", WHOLE_BYTES, Used(), path="w.99999999999.et", twin=WHOLE)
    yield case("beside-a-task-graph", WHOLE_BYTES, Refused(r"a task graph is a complete job"), more={
        "g.json": b'{"hosts":1,"links":[],"routes":{},"tasks":[{"id":0,"kind":"compute","host":0,"ns":1}]}'})


def in_json():
    def of(*nodes, name, verdict, **members):
        return case("json-" + name, base.json_trace(*nodes, **members), verdict, path="w.0.json")
    pair = base.json_node(1, runtime=10), base.json_node(2, data=(1,), runtime=20)
    yield of(*pair, name="whole", verdict=takes(30, skipped=0, events=2))
    yield of(*pair, name="number-of-gpus-is-none", verdict=takes(30, skipped=0), ngpus=-3)
    yield of(*pair, {"Name": "x"}, name="no-id", verdict=takes(30, diagnostics={"bad_node": 1}, skipped=1))
    yield of(*pair, 7, name="node-is-a-number", verdict=takes(30, diagnostics={"bad_node": 1}, skipped=1))
    yield of(*pair, base.json_node(3, runtime=-4), name="runtime-below-0", verdict=takes(30, diagnostics={"bad_node": 1}, skipped=1))
    yield of(*pair, base.json_node("3", runtime=[1], data=["x", None, {}]), name="odd-types", verdict=Used({"bad_node": 1}, skipped=1))
    yield of(base.json_node(1, data=(2,)), base.json_node(2, data=(1,)), name="cycle", verdict=Refused(r"node 1 waits for itself"))
    yield of(name="no-node", verdict=Refused(r"has no node.*expected"))
    yield case("json-no-list", b'{"workload_graph": 5}', Refused(r"has no node.*expected"), path="w.0.json")
    text = base.json_trace(*pair)
    yield case("json-cut", text[:-20], Used({"truncated_file": 1}, events=2), path="w.0.json")
    yield case("json-cut-early", text[:30], Refused(), path="w.0.json")
    yield case("json-nested", b'{"x": ' + b"[" * 200000 + b', "workload_graph": []}', Refused(), path="w.0.json")
    yield case("json-garbage", b'{"workload_graph": [}]}', Refused(), path="w.0.json")


def damaged():
    rng = random.Random(14)
    for number in range(25):
        content = bytearray(WHOLE_BYTES)
        for _ in range(1 + number % 4):
            content[rng.randrange(len(content))] = rng.randrange(256)
        yield case(f"flipped-{number}", bytes(content), used_or_refused)


def cases():
    for group in (framing, fields, dependencies, where_it_runs, jobs, in_json, damaged):
        yield from group()

"""Execution traces of PyTorch that are damaged, hostile or of another version, alone and with a trace of
torch.profiler."""
import gzip
import json
import random

from case import Case, Refused, Used

CLUSTER = b"hosts: 1\ndevices: {count: 2, model: V100}\nnic: {bandwidth: 100Gb/s}\nnvlink: {bandwidth: 100GB/s}\n"


def tensor(storage, elements=1 << 20, device="cuda:0"):
    return [100 + storage, storage, 0, elements, 4, device]


def node(id, name="aten::mm", inputs=None, outputs=None, parent=1, **more):
    inputs = [tensor(1), tensor(2)] if inputs is None else inputs
    return {"name": name, "id": id, "rf_id": 0, "parent": parent, "tid": 1, "op_schema": "x", "inputs": inputs, "input_shapes": [[1024, 1024], [1024, 1024]],
            "input_types": ["Tensor(float)", "Tensor(float)"], "outputs": [tensor(3)] if outputs is None else outputs, "output_shapes": [], "output_types": [], **more}


def chakra_node(id, **more):
    plain = node(id)
    return {"id": id, "name": plain["name"], "ctrl_deps": 1, "inputs": {"values": plain["inputs"], "shapes": plain["input_shapes"], "types": plain["input_types"]},
            "outputs": {"values": plain["outputs"], "shapes": [], "types": []}, "attrs": [{"name": "op_schema", "type": "string", "value": "x"}], **more}


def communication(id, inputs, **more):
    return node(id, "record_param_comms", inputs, [], op_schema="", **more)


def trace(*nodes, **members):
    return json.dumps({"schema": "1.0.1-chakra.0.0.4", "pid": 7, "nodes": list(nodes), **members}).encode()


def case(name, content, verdict, path="et_0.json", more=None, **options):
    arguments = ["replay", path, "--cluster", "c.yaml", "--json"]
    return Case("execution-" + name, {path: content, "c.yaml": CLUSTER, **(more or {})}, arguments, verdict, **options)


def used_or_refused(run):
    """Exit 0, 1 or 5: a damaged file may be used or refused."""
    return None if run.code in (0, 1, 5) else f"exit {run.code}"


NODES = (node(2, "## step ##", [], [], op_schema=""), node(3), node(4, inputs=[tensor(3), tensor(2)], outputs=[tensor(4)]),
         communication(5, [[tensor(4)], 47, ["0", "default_pg"], 0, "allreduce", [], []]), communication(6, [47, ["", ""], 0, "wait", [], []]))
WHOLE_TEXT = trace(*NODES)
WHOLE = case("whole", WHOLE_TEXT, Used(skipped=0, events=len(NODES)))


def framing():
    yield WHOLE
    yield case("gzip", gzip.compress(WHOLE_TEXT, mtime=0), Used(skipped=0), path="et_0.json.gz", twin=WHOLE)
    yield case("ends-first", trace(*reversed(NODES)), Used(skipped=0), twin=WHOLE)
    for size in (20, 70):
        yield case(f"cut-at-{size}", WHOLE_TEXT[:size], used_or_refused)
    for size in range(500, len(WHOLE_TEXT), 211):
        yield case(f"cut-at-{size}", WHOLE_TEXT[:size], used_or_refused)
    yield case("cut-behind-the-last", WHOLE_TEXT[:-1], Used({"truncated_file": 1}, skipped=0), twin=WHOLE)
    yield case("no-nodes", trace(), Refused(r"has no node.*expected"))
    yield case("nodes-are-none", b'{"schema": "1.0.1-chakra.0.0.4", "nodes": 3}', Refused(r"has no node.*expected"))
    yield case("garbage", WHOLE_TEXT.replace(b'"nodes": [', b'"nodes": [}'), Refused())
    yield case("nested", b'{"schema": "1.0.1-chakra.0.0.4", "x": ' + b"[" * 300000, Refused())
    yield case("text-behind", WHOLE_TEXT + b"}", Refused())
    yield case("no-device", WHOLE_TEXT, Refused(r"no device has a model; expected --cluster", code=5), more={"c.yaml": b"hosts: 1\nnic: {bandwidth: 1Gb/s}\n"})
    yield case("other-device", WHOLE_TEXT, Refused(r"the device 'X9' is unknown", code=5), more={"c.yaml": CLUSTER.replace(b"V100", b"X9")})
    yield Case("execution-no-cluster", {"et_0.json": WHOLE_TEXT}, ["replay", "et_0.json"], Refused(r"2 tasks have no recorded duration; expected --cluster", code=5))
    yield Case("execution-tasks-without-times", {"et_0.json": WHOLE_TEXT}, ["tasks", "et_0.json"], lambda run: None if run.code == 0 and b"5 tasks" in run.stdout else run.stderr)


def members():
    def with_node(name, extra, skipped=0, **diagnostics):
        return case(name, trace(*NODES, extra), Used(diagnostics, skipped=skipped))
    yield with_node("no-id", {"name": "x"}, 1, bad_node=1)
    yield with_node("node-is-a-number", 5, 1, bad_node=1)
    yield with_node("id-is-a-text", {"id": "7", "name": "x"}, 1, bad_node=1)
    yield with_node("id-beyond-64-bits", {"id": 10 ** 30, "name": "x"}, 1, bad_node=1)
    yield with_node("id-again", node(3), 1, node_id_again=1)
    for name, member in (("inputs-are-a-text", {"inputs": "[[1]]"}), ("inputs-are-a-number", {"inputs": 5}), ("inputs-are-null", {"inputs": None}), ("inputs-hold-objects", {"inputs": [{"a": 1}]}),
                         ("shapes-are-an-object", {"input_shapes": {"a": 1}}), ("shapes-below-0", {"input_shapes": [[-5, 3]]}), ("shapes-of-ages", {"input_shapes": [[1 << 62, 1 << 62], [1 << 62, 9]]}),
                         ("types-are-numbers", {"input_types": [1, 2]}), ("types-without-end", {"input_types": ["Tensor("]}), ("types-with-quotes", {"input_types": ['"\\"', "\\"]}),
                         ("tensor-of-5", {"inputs": [[1, 2, 3, 4, 5]]}), ("tensor-of-7", {"inputs": [[1, 2, 3, 4, 5, "cuda:0", 7]]}), ("tensor-of-texts", {"inputs": [["1", "2", "3", "4", "5", "6"]]}),
                         ("tensor-below-0", {"inputs": [[1, 2, 3, -4, -5, "cuda:0"]]}), ("tensor-of-ages", {"inputs": [[1, 2, 3, 1 << 62, 1 << 62, "cuda:0"]]}), ("lists-in-lists", {"inputs": json.loads("[" * 200 + "]" * 200)}),
                         ("parent-of-itself", {"parent": 9}), ("parent-is-a-text", {"parent": "3"}), ("parent-unknown", {"parent": 12345}), ("name-is-null", {"name": None}), ("name-of-controls", {"name": "\x1b[31m\n"})):
        yield with_node(name, {**node(9), **member})
    yield case("parents-in-a-circle", trace(node(2, parent=3), node(3, parent=2)), Used(skipped=0))
    yield case("attributes-odd", trace(*NODES, chakra_node(9, attrs=[5, {}, {"name": 4}, {"name": "op_schema", "value": 7}, {"value": "x"}])), Used(skipped=0))
    yield case("inputs-odd", trace(*NODES, chakra_node(9, inputs={"values": 5, "shapes": None, "types": {}}, outputs=[])), Used(skipped=0))
    for name, inputs in (("nothing", []), ("no-operation", [[tensor(1)], 47]), ("other-operation", [[tensor(1)], 47, 5, 0, "gossip"]), ("wait-for-nobody", [99, 0, 0, "wait"]), ("number-of-ages", [1 << 63, 0, 0, "wait"])):
        yield with_node("communication-" + name, communication(9, inputs))
    many = trace(*NODES, *(communication(10 + i, [[tensor(1)], 100 + i, 10 ** 9 + i, 0, "allreduce"]) for i in range(3000)))
    yield case("groups-by-the-thousand", many, Used(skipped=0))
    yield case("groups-damaged", trace(*NODES, node(9, "## process_group:init ##", ['[{"pg_name": "0", "ranks": [0, 1, -7, 1e99, "x"]}, {"ranks"']), node(10, "## process_group:init ##", ["[{[{}]}]"])), Used(skipped=0))


def joined():
    events = [{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 7, "tid": 7, "ts": 10 * i, "dur": 5, "args": {"External id": i}} for i in range(2)]
    profiled = json.dumps({"schemaVersion": 1, "traceEvents": events}).encode()
    other = profiled.replace(b'"pid": 7', b'"pid": 8')
    alone = Case("execution-profile-alone", {"k.json": profiled}, ["replay", ".", "--json"], Used())
    yield Case("execution-beside-its-profile", {"k.json": profiled, "et_0.json": WHOLE_TEXT}, ["replay", ".", "--json"], Used({"operators_not_joined": 3}), twin=alone)
    yield Case("execution-beside-another-profile", {"k.json": other, "et_0.json": WHOLE_TEXT}, ["replay", ".", "--json"], Used({"execution_trace_not_joined": 1}), twin=alone)
    yield Case("execution-beside-chakra", {"w.0.json": b'{"workload_graph": [{"Id": 1, "Name": "n", "NodeType": 4, "runtime": 5}]}', "et_0.json": WHOLE_TEXT}, ["replay", ".", "--json"],
               Refused(r"both state rank 0|expected the files of one"))


def damaged():
    rng = random.Random(15)
    for number in range(15):
        content = bytearray(WHOLE_TEXT)
        for _ in range(1 + number % 4):
            content[rng.randrange(len(content))] = rng.randrange(256)
        yield case(f"flipped-{number}", bytes(content), used_or_refused)


def cases():
    for group in (framing, members, joined, damaged):
        yield from group()

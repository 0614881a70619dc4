"""Inputs made to cost much time or memory. Both must stay bounded for any shape. The files are written when they are
run."""
import gzip

import kineto_base as base
from case import Case, Refused, Used
from graph_cases import BASE

LINE = base.lines()[4]
HEAD = b'{"schemaVersion": 1, "traceEvents": [\n'


def big(name, write, verdict, file_name="rank0.json", **options):
    options.setdefault("seconds", 120)
    return Case("big-" + name, {file_name: write}, ["replay", file_name, "--json"], verdict, **options)


def file_of(pieces, opener=open):
    def write(path):
        with opener(path, "wb") as file:
            for piece in pieces():
                file.write(piece)
    return write


def chain():
    yield b'{"hosts": 1, "links": [], "routes": {}, "tasks": ['
    for i in range(200000):
        yield b'%s{"id": %d, "kind": "compute", "host": 0, "ns": 10, "after": [%s]}' % (b"," if i else b"", i, b"%d" % (i - 1) if i else b"")
    yield b"]}"


def fan():
    yield b'{"hosts": 1, "links": [], "routes": {}, "tasks": ['
    yield b'{"id": 0, "kind": "compute", "host": 0, "ns": 10, "after": []}'
    for i in range(1, 200000):
        yield b',{"id": %d, "kind": "compute", "host": 0, "ns": 10, "after": [0]}' % i
    yield b"]}"


def deep_arguments():
    yield HEAD + b'{"ph":"X","cat":"cpu_op","name":"deep","pid":1,"tid":1,"ts":1,"dur":1,"args":{"a":' + b"[" * 100000 + b"]" * 100000 + b"}},\n"
    yield ",\n".join(base.lines()).encode() + b"]}"


def deep_unclosed():
    yield HEAD + ",\n".join(base.lines()).encode() + b',{"ph":"X","args":' + b'{"a":[' * 100000


def deep_top():
    yield b"[" * 100000 + b"]" * 100000


def long_string():
    yield HEAD + ",\n".join(base.lines()).encode() + b',\n{"ph":"X","cat":"kernel","name":"'
    for _ in range(50):
        yield b"x" * 1000000
    yield b'","pid":0,"tid":7,"ts":1900,"dur":5,"args":{}}]}'


def unclosed_string():
    yield HEAD + ",\n".join(base.lines()).encode() + b',\n{"ph":"X","cat":"kernel","name":"'
    for _ in range(50):
        yield b"x" * 1000000


def blanks():
    yield HEAD + ",\n".join(base.lines()).encode()
    for _ in range(1024):
        yield b" " * (1 << 20)
    yield b"]}"


def bad_records():
    yield HEAD
    for i in range(200000):
        yield b'{"ph":"X" "name":"bad %d},\n' % i
    yield ",\n".join(base.lines()).encode() + b"]}"


def quotes():
    yield HEAD + b'{"ph":"X","name":"' + b'"' * 2000001 + b',\n' + ",\n".join(base.lines()).encode() + b"]}"


def braces():
    yield HEAD + b"{" * 2000000


def backslashes():
    yield HEAD + b'{"name":"' + b"\\" * 4000001


def shaped(start, duration, correlation):
    """A complete trace and 200,000 more events of one shape."""
    def pieces():
        yield HEAD + ",\n".join(base.lines()).encode()
        for i in range(200000):
            yield b',\n{"ph":"X","cat":"cpu_op","name":"op","pid":9,"tid":9,"ts":%d,"dur":%d,"args":{"External id":%d,"correlation":%d}}' % (start(i), duration(i), i, correlation(i))
        yield b"]}"
    return pieces


def kernels(start, duration, correlation):
    def pieces():
        yield HEAD + ",\n".join(base.lines()).encode()
        for i in range(100000):
            yield b',\n{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":4242,"tid":100,"ts":%d,"dur":1,"args":{"correlation":%d}}' % (start(i), correlation(i))
            yield b',\n{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":%d,"dur":%d,"args":{"stream":7,"correlation":%d}}' % (start(i) + 1, duration(i), correlation(i))
        yield b"]}"
    return pieces


def tracks():
    yield HEAD + ",\n".join(base.lines()).encode()
    for i in range(200000):
        yield b',\n{"ph":"X","cat":"cpu_op","name":"op%d","pid":"p%d","tid":"t%d","ts":%d,"dur":1,"args":{}}' % (i, i, i, i)
    yield b"]}"


def dense(category, process):
    """A million records with the necessary members only, which need the most memory per byte of the file."""
    def pieces():
        yield b'{"traceEvents":[\n'
        for i in range(1000000):
            yield b'%s{"ph":"X","cat":"%s","name":"a","pid":%d,"tid":1,"ts":%d,"dur":1}' % (b",\n" if i else b"", category, process, 2 * i + 1)
        yield b"]}"
    return pieces


def dense_graph():
    yield b'{"hosts":1,"links":[],"routes":{},"tasks":[\n'
    for i in range(1000000):
        yield b'%s{"id":%d,"kind":"compute","host":0,"ns":1,"after":[%s]}' % (b",\n" if i else b"", i, b"%d" % (i - 1) if i else b"")
    yield b"]}"


def gml_nested():
    yield b"graph [\n  directed 1\n" + b"a [ " * 100000


def cases():
    good = Used()
    shape = dict(seconds=20)
    yield big("chain-of-200000", file_of(chain), good, "graph.json", **shape)
    yield big("fan-of-200000", file_of(fan), good, "graph.json", **shape)
    yield big("brackets-100000-in-arguments", file_of(deep_arguments), good)
    yield big("brackets-100000-unclosed", file_of(deep_unclosed), Used({"truncated_file": 1}))
    yield big("brackets-100000-alone", file_of(deep_top), Refused(r"error: .*expected"))
    yield big("string-of-50-megabytes", file_of(long_string), good)
    yield big("string-of-50-megabytes-unclosed", file_of(unclosed_string), Used({"truncated_file": 1}))
    yield big("blanks-1-gibibyte-in-gzip", file_of(blanks, lambda path, mode: gzip.open(path, mode, 1)), good, "rank0.json.gz", mebibytes=256)
    yield big("bad-records-200000", file_of(bad_records), Used({"bad_record": None}), **shape)
    yield big("quotes-two-million", file_of(quotes), good, **shape)
    yield big("braces-two-million", file_of(braces), Refused(r"error: .*expected"), **shape)
    yield big("backslashes-four-million", file_of(backslashes), Refused(r"error: .*expected"), **shape)
    yield big("nested-200000", file_of(shaped(lambda i: 10000 + i, lambda i: 400000 - 2 * i, lambda i: i)), good, **shape)
    yield big("overlapping-200000", file_of(shaped(lambda i: 10000 + i, lambda i: 200000, lambda i: i)), good, **shape)
    yield big("simultaneous-200000", file_of(shaped(lambda i: 10000, lambda i: 0, lambda i: i)), good, **shape)
    yield big("same-span-200000", file_of(shaped(lambda i: 10000, lambda i: 50, lambda i: 1)), good, **shape)
    yield big("kernels-of-one-correlation", file_of(kernels(lambda i: 10000 + 10 * i, lambda i: 5, lambda i: 777)), good, **shape)
    yield big("kernels-simultaneous", file_of(kernels(lambda i: 10000, lambda i: 5, lambda i: 1000 + i)), good, **shape)
    yield big("kernels-before-their-launch", file_of(kernels(lambda i: 10000 + 10 * i, lambda i: 100000, lambda i: 1000 + i)), good, **shape)
    yield big("threads-200000", file_of(tracks), good, **shape)
    # The limits are the memory for a million records plus a fifth. The files have 74, 74 and 65 MB
    # (docs/internals/performance.md).
    yield big("dense-host-events", file_of(dense(b"cpu_op", 1)), good, mebibytes=44, **shape)
    yield big("dense-kernels", file_of(dense(b"kernel", 0)), good, mebibytes=209, **shape)
    yield big("dense-task-graph", file_of(dense_graph), good, "graph.json", mebibytes=194, **shape)
    yield Case("big-gml-nested-100000", {"capture/dag.gml": file_of(gml_nested), "capture/rank0.json": base.text(base.lines())}, ["replay", "capture", "--json"], Refused(r"error: capture/dag\.gml:\d+: .*expected"))
    yield big("blanks-100-megabytes-alone", file_of(lambda: (b" " * 1000000 for _ in range(100))), Refused(r"error: .*expected"))
    yield big("zeros-100-megabytes", file_of(lambda: (bytes(1000000) for _ in range(100))), Refused(r"error: .*expected"))

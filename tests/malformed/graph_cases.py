"""Task graphs (docs/reference/formats.md)."""
import copy
import json

from case import Case, Refused, Used

REPLAY = ["replay", "graph.json", "--json", "--tasks"]
BASE = {
    "name": "small", "hosts": 2, "links": [{"bandwidth_Bps": 1e9, "latency_s": 1e-5}, {"bandwidth_Bps": 1e9, "latency_s": 1e-5}],
    "routes": {"0-1": [0], "1-0": [1]},
    "tasks": [{"id": 0, "kind": "compute", "host": 0, "ns": 1000, "after": []}, {"id": 1, "kind": "transfer", "src": 0, "dst": 1, "bytes": 1000, "after": [0]},
              {"id": 2, "kind": "compute", "host": 1, "ns": 500, "after": [1]}, {"id": 3, "kind": "compute", "host": 0, "ns": 700, "after": [0]}],
}
WHOLE = Case("graph-whole", {"graph.json": json.dumps(BASE).encode()}, REPLAY, Used(skipped=0))


def case(name, content, verdict, twin=None):
    raw = content if isinstance(content, bytes) else json.dumps(content).encode()
    return Case("graph-" + name, {"graph.json": raw}, REPLAY, verdict, twin=twin)


def changed(**members):
    graph = copy.deepcopy(BASE)
    for key, value in members.items():
        if value is None:
            del graph[key]
        else:
            graph[key] = value
    return graph


def with_task(task, **members):
    graph = copy.deepcopy(BASE)
    for key, value in members.items():
        if value is None:
            del graph["tasks"][task][key]
        else:
            graph["tasks"][task][key] = value
    return graph


def cases():
    yield WHOLE
    refused = Refused(r"error: graph\.json(@\d+|:\d+)?: .*")
    for name, graph in {
        "cycle": with_task(0, after=[2]), "own-predecessor": with_task(2, after=[2]), "unknown-predecessor": with_task(2, after=[99]),
        "negative-predecessor": with_task(2, after=[-1]), "predecessor-a-string": with_task(2, after=["one"]), "predecessor-a-fraction": with_task(2, after=[0.5]),
        "after-a-number": with_task(2, after=1), "id-twice": with_task(2, id=1), "id-missing": with_task(2, id=None),
        "id-a-string": with_task(2, id="two"), "negative-duration": with_task(0, ns=-5), "duration-a-string": with_task(0, ns="5us"), "duration-missing": with_task(0, ns=None),
        "duration-beyond-64-bits": with_task(0, ns=10**25), "kind-unknown": with_task(0, kind="teleport"), "kind-missing": with_task(0, kind=None),
        "host-out-of-range": with_task(0, host=2), "host-negative": with_task(0, host=-1), "host-missing": with_task(0, host=None), "host-huge": with_task(0, host=4294967296),
        "source-out-of-range": with_task(1, src=7), "destination-missing": with_task(1, dst=None), "bytes-negative": with_task(1, bytes=-1), "bytes-huge": with_task(1, bytes=10**30),
        "bytes-missing": with_task(1, bytes=None), "to-itself-without-route": with_task(1, dst=0), "no-route": changed(routes={"1-0": [1]}), "route-to-no-link": changed(routes={"0-1": [7], "1-0": [1]}),
        "route-key-of-words": changed(routes={"a-b": [0]}), "route-key-of-three": changed(routes={"0-1-2": [0]}), "route-a-number": changed(routes={"0-1": 0}),
        "routes-an-array": changed(routes=[[0]]), "bandwidth-zero": changed(links=[{"bandwidth_Bps": 0, "latency_s": 0}] * 2),
        "bandwidth-negative": changed(links=[{"bandwidth_Bps": -1, "latency_s": 0}] * 2), "bandwidth-a-string": changed(links=[{"bandwidth_Bps": "1GB", "latency_s": 0}] * 2),
        "bandwidth-missing": changed(links=[{"latency_s": 0}] * 2), "latency-negative": changed(links=[{"bandwidth_Bps": 1, "latency_s": -1}] * 2),
        "latency-a-string": changed(links=[{"bandwidth_Bps": 1, "latency_s": "1us"}] * 2), "hosts-zero": changed(hosts=0), "hosts-negative": changed(hosts=-2),
        "hosts-a-string": changed(hosts="two"), "hosts-beyond-32-bits": changed(hosts=10**12), "tasks-an-object": changed(tasks={}), "tasks-a-number": changed(tasks=5), "tasks-empty": changed(tasks=[]),
        "a-task-that-is-a-number": changed(tasks=BASE["tasks"] + [5]),
    }.items():
        yield case(name, graph, refused)
    text = json.dumps(BASE).encode()
    for name, content in {"cut-in-tasks": text[:-40], "cut-before-tasks": text[:60], "cut-in-a-number": text[: text.index(b"1000, \"after\"") + 2], "trailing-comma": text.replace(b'"after": [0]}]', b'"after": [0]},]'),
                          "bandwidth-1e999": text.replace(b"1000000000.0", b"1e999"), "nan": text.replace(b"1000000000.0", b"NaN"), "two-documents": text + text, "garbage-behind": text + b" garbage"}.items():
        yield case(name, content, refused)
    good = Used(skipped=0)
    for name, graph in {"hosts-a-billion": changed(hosts=10**9), "ids-far-apart": changed(tasks=[dict(t, id=t["id"] * 10**15, after=[a * 10**15 for a in t["after"]]) for t in BASE["tasks"]]),
                        "after-missing": with_task(0, after=None), "predecessor-twice": with_task(2, after=[1, 1, 1]), "unknown-members": changed(color="red"), "hostile-name": changed(name="\x1b[31m\u202e"),
                        "zero-bytes": with_task(1, bytes=0), "zero-duration": with_task(0, ns=0)}.items():
        yield case(name, graph, good)
    yield case("tasks-before-hosts", {key: BASE[key] for key in ("tasks", "routes", "links", "hosts", "name")}, good, WHOLE)
    yield case("backwards", changed(tasks=BASE["tasks"][::-1]), good)

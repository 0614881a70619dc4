"""comm.json, ByteProfile operator traces, dag.gml and gradient lists."""
import json

import byteps_base as base
from case import Case, Refused, Used

REPLAY = ["replay", "capture", "--json"]
WHOLE = Case("byteps-whole", base.capture(), REPLAY, Used(skipped=0))


def case(name, verdict, twin=None, **replaced):
    return Case("byteps-" + name, base.capture(**replaced), REPLAY, verdict, twin=twin)


def comm_with(extra, at=5):
    """Returns comm.json with one more record, given as text or as a value."""
    records = [json.dumps(e) for e in base.comm_events()]
    records.insert(at, extra if isinstance(extra, str) else json.dumps(extra))
    return ('{ "traceEvents": [\n' + ",\n".join(records) + "\n], \"displayTimeUnit\": \"ms\" }").encode("utf-8", "surrogateescape")


def odd_comm(**members):
    record = base.comm_event(0, ".PUSH", base.BASE_US + 100, 10, "0")
    record.update(members)
    return {key: value for key, value in record.items() if value is not None}


def comm():
    bad = Used({"bad_record": 1}, skipped=1)
    skipped = Used(skipped=1)
    text = json.dumps(odd_comm())
    for name, line in {"raw-newline": text.replace("gradient_0", "gra\ndient"), "raw-backslash": text.replace("gradient_0", "gra\\dient"),
                       "not-utf8": text.replace("gradient_0", "gra\udcffdient")}.items():
        yield case("comm-" + name, Used({"odd_json": 1}, skipped=0), comm=comm_with(line))
    for name, line in {"raw-quote": text.replace("gradient_0", 'gra"dient', 1), "missing-comma": text.replace('10, "tid"', '10 "tid"'), "a-number": "5", "null": "null", "nested-array": "[[1]]"}.items():
        yield case("comm-" + name, bad, WHOLE, comm=comm_with(line))
    for name, record in {"no-start": odd_comm(ts=None), "no-duration": odd_comm(dur=None), "text-start": odd_comm(ts="now"), "negative-duration": odd_comm(dur=-3),
                         "no-name": odd_comm(name=None), "huge-start": odd_comm(ts=10**25),
                         "unknown-stage": odd_comm(name="Comm.byteps.gradient_0.TELEPORT"), "tid-of-words": odd_comm(tid="soon"),
                         "tid-beyond-64-bits": odd_comm(tid="99999999999999999999")}.items():
        yield case("comm-" + name, skipped, WHOLE, comm=comm_with(record))
    yield case("comm-absurd-duration", Used({"partition_outside_steps": 1}), WHOLE, comm=comm_with(odd_comm(dur=8 * 86400 * 10**6)))
    good = Used()
    array = json.dumps(base.comm_events()).encode()
    yield case("comm-bare-array", good, WHOLE, comm=array)
    yield case("comm-without-category", good, WHOLE, comm=base.trace([{k: v for k, v in e.items() if k != "cat"} for e in base.comm_events()]))
    yield case("comm-backwards", good, WHOLE, comm=base.trace(base.comm_events()[::-1]))
    yield case("comm-total-only", good, comm=base.trace([e for e in base.comm_events() if e["tid"] == "total"]))
    yield case("comm-without-total", good, comm=base.trace([e for e in base.comm_events() if e["tid"] != "total"]))
    yield case("comm-without-pull", good, comm=base.trace([e for e in base.comm_events() if not e["name"].endswith("PULL")]))
    yield case("comm-pull-before-push", good, comm=base.trace([dict(e, ts=e["ts"] - 400) if e["name"].endswith("PULL") else e for e in base.comm_events()]))
    yield case("comm-zero-durations", good, comm=base.trace([dict(e, dur=0) for e in base.comm_events()]))
    yield case("comm-one-step-fewer-for-one-tensor", good, comm=base.trace(base.comm_events()[:-1]))
    yield case("comm-negative-keys", good, comm=base.trace([dict(e, tid="-65536") if e["tid"] == "65536" else e for e in base.comm_events()]))
    yield case("comm-hostile-names", good, comm=base.trace(base.comm_events()).replace(b"byteps.gradient_0", b"\\u001b[2J..\\u202e"))
    refused = Refused(r"error: capture/0/0/comm\.json(@\d+)?: .*expected")
    yield case("comm-no-events", refused, comm=base.trace([]))
    alone = dict(operators=None, gml=None, gradients=None, job=None)
    yield case("comm-alone", Used(skipped=0), **alone)
    yield case("comm-alone-empty-file", refused, comm=b"", **alone)
    yield case("comm-alone-no-events", refused, comm=base.trace([]), **alone)
    yield case("comm-alone-binary", refused, comm=bytes(range(256)), **alone)


def comm_cuts():
    """A file that is cut anywhere gives the same result as a closed file with the complete records before the cut."""
    events = base.comm_events()
    whole = base.trace(events)
    alone = dict(operators=None, gml=None, gradients=None, job=None)
    starts = [whole.index(json.dumps(events[0]).encode())]
    for event in events[:-1]:
        starts.append(starts[-1] + len(json.dumps(event)) + 2)
    for event in (7, 12, len(events) - 1):
        twin = case(f"comm-cut-{event}-twin", Used(), comm=base.trace(events[:event]), **alone)
        for into in (1, 30, len(json.dumps(events[event])) - 1):
            yield case(f"comm-cut-{event}-{into}", Used({"truncated_file": 1}), twin, comm=whole[: starts[event] + into], **alone)


def operators():
    def with_event(**members):
        record = base.operator("FW.layer1", 1, base.BASE_US + base.STEP_US + 1000, 1000, "FW.layer0")
        record.update(members)
        return base.trace(base.operators() + [{k: v for k, v in record.items() if v is not None}])

    def with_inputs(**inputs):
        events = base.operators()
        events[1]["args"].update(inputs)
        return base.trace(events)

    skipped = Used(skipped=1)
    for name, members in {"no-start": {"ts": None}, "text-duration": {"dur": "long"},
                          "negative-duration": {"dur": -1}, "huge-start": {"ts": 10**30}}.items():
        yield case("operator-" + name, skipped, WHOLE, operators=with_event(**members))
    good = Used()
    for name, inputs in {"own-input": {"input0": "FW.layer1"}, "unknown-input": {"input0": "FW.nowhere"}, "input-a-number": {"input0": 5},
                         "input-an-array": {"input0": ["FW.layer0"]}, "input-from-the-future": {"input0": "BW.layer0"}, "arg0-form": {"arg0": "FW.layer0"},
                         "a-gap-in-the-numbers": {"input9": "FW.layer0"}, "an-empty-input": {"input0": ""}, "huge-input-number": {"input99999999999999999999": "FW.layer0"}}.items():
        yield case("operator-" + name, good, operators=with_inputs(**inputs))
    for name, members in {"no-name": {"name": None}, "number-as-name": {"name": 5}, "step-negative": {"args": {"name": "x", "step": -3}}, "step-huge": {"args": {"name": "x", "step": 10**18}},
                          "step-text": {"args": {"name": "x", "step": "five"}}, "no-args": {"args": None}, "args-a-string": {"args": "x"},
                          "tid-beyond-64-bits": {"tid": 2**64 + 5}, "no-form": {"name": "layer0"}, "only-dots": {"name": "...."}, "long-name": {"name": "FW." + "x" * 20000}}.items():
        yield case("operator-" + name, good, operators=with_event(**members))
    yield case("operator-file-cut", Used({"truncated_file": 1}), operators=base.trace(base.operators())[:-300])
    yield case("operator-file-empty", Refused(r"error: capture/0/0/bps_trace_final\.json@0: .*expected"), operators=b"")
    yield case("operator-array", good, WHOLE, operators=json.dumps(base.operators()).encode())


def graphs():
    good = Used()
    cycle = base.gml(edges=base.EDGES + ((6, 0),))
    yield case("gml-update-to-forward", good, WHOLE, gml=cycle)
    yield case("gml-carriage-returns", good, WHOLE, gml=base.gml().replace(b"\n", b"\r\n"))
    yield case("gml-creator-and-version", good, WHOLE, gml=b'Creator "networkx"\nVersion 1\n' + base.gml())
    yield case("gml-ids-as-text", good, gml=base.gml().replace(b"id 3\n", b'id "3"\n'))
    yield case("gml-nested-record", good, WHOLE, gml=base.gml().replace(b"    id 2\n", b"    id 2\n    graphics [ x 1.E-07 y NAN z +INF ]\n"))
    yield case("gml-entities", good, gml=base.gml(nodes=("FW.&#34;a&#38;b&#233;",) + base.NODES[1:]))
    yield case("gml-bad-entities", good, gml=base.gml(nodes=("FW.&#999999999;&bogus;&#0;&",) + base.NODES[1:]))
    yield case("gml-hostile-label", good, gml=base.gml(nodes=("FW.\x1b[31m",) + base.NODES[1:]))
    yield case("gml-node-without-label", good, gml=base.gml().replace(b'    label "Comm.layer1"\n', b""))
    yield case("gml-no-edges", good, gml=base.gml(edges=()))
    yield case("gml-nul-bytes", good, gml=base.gml().replace(b"layer1", b"lay\x00er"))
    yield case("gml-label-a-record", good, gml=base.gml().replace(b'label "UPDATE"', b"label [ a 1 ]"))
    yield case("gml-self-edge", good, gml=base.gml(edges=base.EDGES + ((1, 1),)))
    yield case("gml-forward-cycle", good, gml=base.gml(edges=base.EDGES + ((1, 0),)))


def broken_graphs():
    """The readable part is used and the rest is counted. A file that is not GML ends the command."""
    whole = base.gml()
    for name, content, counted, skipped in (
        ("unclosed-string", whole.replace(b'"FW.layer1"', b'"FW.layer1'), {"truncated_file": 1}, 0),
        ("cut-in-node", whole[:90], {"truncated_file": 1}, 0), ("cut-in-edge", whole[:-30], {"truncated_file": 1}, 0),
        ("id-twice", whole.replace(b"    id 1\n", b"    id 0\n"), {"duplicate_node": 1, "edge_to_unknown_node": 2}, 3),
        ("node-without-id", whole.replace(b"    id 1\n", b""), {"node_without_id": 1, "edge_to_unknown_node": 2}, 3),
        ("id-negative-huge", whole.replace(b"    id 1\n", b"    id -99999999999999999999\n"), {"node_without_id": 1, "edge_to_unknown_node": 2}, 3),
        ("id-a-fraction", whole.replace(b"    id 1\n", b"    id 1.5\n"), {"node_without_id": 1, "edge_to_unknown_node": 2}, 3),
        ("edge-to-nowhere", base.gml(edges=base.EDGES + ((0, 99),)), {"edge_to_unknown_node": 1}, 1),
        ("edge-to-a-billion", base.gml(edges=base.EDGES + ((0, 4000000000),)), {"edge_to_unknown_node": 1}, 1),
        ("edge-without-source", whole.replace(b"    source 3\n", b""), {"edge_without_ends": 1}, 1),
    ):
        yield case("gml-" + name, Used(counted, skipped=skipped), gml=content)
    refused = Refused(r"error: capture/0/0/dag\.gml:\d+: .*expected")
    for name, content in {"empty": b"", "not-gml": b"this is no graph", "html": b"<html></html>", "binary": bytes(range(256)), "never-opened": b"node [ id 0 ]",
                          "closed-too-often": whole + b"]\n", "key-begins-with-digit": whole.replace(b"    id 1\n", b"    1id 1\n"),
                          "value-missing": whole.replace(b"    id 1\n", b"    id\n")}.items():
        yield case("gml-" + name, refused, gml=content)


def gradient_lists():
    good = Used()
    yield case("gradients-empty", Refused(r"error: capture/0/0/gradient_name_list\.txt(@0)?: .*expected"), gradients=b"")
    for name, content in {"blank-lines": b"\n\n\n", "no-shape": b"layer0\nlayer1\n", "shape-of-words": b"layer0;shape=(a, b);dtype=float32\nlayer1\n",
                          "shape-negative": b"layer0;shape=(-5,);dtype=float32\nlayer1\n", "shape-beyond-64-bits": b"layer0;shape=(4000000000, 4000000000, 4000000000);dtype=float64\n",
                          "shape-unclosed": b"layer0;shape=(256, 1000;dtype=float32\n", "shape-empty": b"layer0;shape=();dtype=float32\n", "type-unknown": b"layer0;shape=(5,);dtype=float3\n",
                          "binary": bytes(range(256)) * 8, "one-long-line": b"x" * 1000000, "names-twice": b"layer0\nlayer0\n", "semicolons": b";;;;\n;\n", "python": b"__import__('os').system('touch PWNED')\n",
                          "carriage-returns": base.GRADIENTS.replace(b"\n", b"\r\n"), "no-final-newline": base.GRADIENTS[:-1]}.items():
        yield case("gradients-" + name, good, gradients=content)


def cases():
    yield WHOLE
    for group in (comm, comm_cuts, operators, graphs, broken_graphs, gradient_lists):
        yield from group()

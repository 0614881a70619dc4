"""Files of dPRO trials that are damaged, hostile or contradict each other."""
import gzip
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "trials"))
import trial_files as trial  # noqa: E402
from case import Case, Refused, Used

REPLAY = ["replay", "trial", "--json"]
NCCL = trial.nccl_trial()
BYTEPS = trial.byteps_trial()
HOST0 = "trial/host0/0/"
HOST1 = "trial/host1/0/"


def nccl(name, verdict, twin=None, **replaced):
    """`replaced` maps a file of host 0 (its name with __ for the dot) to its new content; None leaves it out."""
    return changed("nccl-" + name, NCCL, verdict, twin, {HOST0 + key.replace("__", "."): value for key, value in replaced.items()})


def byteps(name, verdict, twin=None, **replaced):
    return changed("byteps-" + name, BYTEPS, verdict, twin, {"trial/" + key.replace("__", "."): value for key, value in replaced.items()})


def changed(name, files, verdict, twin, replaced):
    whole = {path: text for path, text in {**files, **replaced}.items() if text is not None}
    return Case("trial-" + name, whole, REPLAY, verdict, twin=twin)


NCCL_WHOLE = nccl("whole", Used(skipped=0))
BYTEPS_WHOLE = byteps("whole", Used(skipped=0))


def records(path, files=NCCL):
    value = json.loads(files[path])
    return value["traceEvents"] if isinstance(value, dict) else value


def horovod():
    comm = records(HOST0 + "comm.json")
    text = trial.dumps(comm)
    yield nccl("comm-open-array", Used(), NCCL_WHOLE, comm__json=text.rstrip(b"]") + b",")
    yield nccl("comm-cut", Used({"truncated_file": None}), comm__json=text[:len(text) * 2 // 3])
    yield nccl("comm-without-last-end", Used({"unmatched_begin": 1}, skipped=1), comm__json=trial.dumps(comm[:-1]))
    yield nccl("comm-end-first", Used({"unmatched_end": 1}, skipped=1), NCCL_WHOLE,
               comm__json=trial.dumps([{"ph": "E", "ts": 5, "pid": 1}] + comm))
    yield nccl("comm-ends-of-others", Used({"unmatched_end": None}),
               comm__json=trial.dumps([{**e, "name": "QUEUE"} if e["ph"] == "E" else e for e in comm]))
    yield nccl("comm-without-names", Refused(), comm__json=trial.dumps([e for e in comm if e["ph"] != "M"] + [
        {"name": "process_name", "ph": "M", "pid": 99, "args": {"name": "horovod_allreduce.1"}}]))
    yield nccl("comm-unnamed-row", Used({"horovod_row_without_name": 1}, skipped=1), NCCL_WHOLE,
               comm__json=trial.dumps(comm + [{"ph": "X", "name": "QUEUE", "ts": 5, "dur": 1, "pid": 77}]))
    yield nccl("comm-huge-times", Used({"bad_time": 2}, skipped=2), NCCL_WHOLE, comm__json=trial.dumps(
        comm + [{"ph": "X", "name": "QUEUE", "ts": 1e30, "dur": 1, "pid": 1}, {"ph": "X", "name": "QUEUE", "ts": 5, "dur": -1, "pid": 1}]))
    yield nccl("comm-backwards", Used({"bad_time": None}), comm__json=trial.dumps(
        [{**e, "ts": -e["ts"] + 2_000_000} if "ts" in e else e for e in comm]))
    yield nccl("comm-missing", Used(), comm__json=None)
    yield nccl("comm-empty", Used({"file_not_used": None}), comm__json=b"")
    yield nccl("comm-epoch-overflows", Refused(), comm__json=trial.dumps(
        [{"name": "process_name", "ph": "M", "pid": 0, "args": {"start_time_since_epoch_in_micros": 2_299_999_999_999_999}}] +
        comm + [{"ph": "X", "name": "QUEUE", "ts": 1_000_000, "dur": 1, "pid": 1}]))
    deep = [{"ph": "B", "name": "QUEUE", "ts": i, "pid": 1} for i in range(50_000)]
    yield nccl("comm-deep", Used({"unmatched_begin": 50_000}), comm__json=trial.dumps(comm + deep))
    hostile = [{"name": "process_name", "ph": "M", "pid": 5, "args": {"name": "horovod_allreduce.../../../etc/passwd\x1b[2J"}},
               {"ph": "X", "name": "../../QUEUE\x00", "ts": 1_006_500, "dur": 1, "pid": 5}]
    yield nccl("comm-hostile-names", Used(), comm__json=trial.dumps(comm + hostile))


def chunks():
    detail = records(HOST0 + "comm_detail.json")
    yield nccl("chunks-none", Used({"chunk_without_peer": None}), comm_detail__json=b"[]")
    yield nccl("chunks-cut", Used({"truncated_file": None}), comm_detail__json=NCCL[HOST0 + "comm_detail.json"][:-700])
    for name, change in {"no-index": {"args": {"loopId": 0}}, "negative": {"args": {"loopId": 0, "channelId": 0, "chunkId": -1, "sliceId": 0}},
                         "index-beyond": {"args": {"loopId": 0, "channelId": 0, "chunkId": 2**40, "sliceId": 0}},
                         "no-tensor": {"name": "SEND"}, "name-of-words": {"name": "horovod_allreduce.x.SEND"}, "direction": {"name": "a.1.SIDEWAYS"}}.items():
        yield nccl("chunks-" + name, Used({"bad_chunk": 1}, skipped=1), NCCL_WHOLE,
                   comm_detail__json=trial.dumps({"traceEvents": detail + [{**detail[0], **change}]}))
    yield nccl("chunks-angles", Used(skipped=0), NCCL_WHOLE, comm_detail__json=trial.dumps(
        {"traceEvents": [{**e, "name": e["name"].replace("reduce.", "reduce<<7>>.")} for e in detail]}))
    yield nccl("chunks-twice", Used({"duplicate_record": None}), comm_detail__json=trial.dumps({"traceEvents": detail + detail[:1]}))
    yield nccl("chunks-before-all", Used({"chunk_outside_rounds": 1}), NCCL_WHOLE,
               comm_detail__json=trial.dumps({"traceEvents": [{**detail[0], "ts": 5}] + detail}))
    yield nccl("chunks-largest-index", Used(), comm_detail__json=trial.dumps({"traceEvents": detail + [
        {**detail[1], "args": {"loopId": 0, "channelId": 0, "chunkId": 2**31 - 1, "sliceId": 0}}]}))
    yield nccl("chunks-lost-sends", Used({"chunk_without_peer": None}),
               comm_detail__json=trial.dumps({"traceEvents": [e for e in detail if "RECV" in e["name"]]}))


def rings():
    def ring(text):
        return trial.dumps({"Ring": {"0": text}, "Tree": {}})
    both = "{}{}".format
    for name, text in {"loop-of-one": "0[0] -> 0[0] [send]", "two-senders": "0[0] -> 1[0] [send],1[0] -> 1[0] [send]",
                       "three-ranks": "0[0] -> 1[0] [send],1[0] -> 2[0] [send],2[0] -> 0[0] [send]", "one-hop-back": "1[0] -> 7[0] [send]"}.items():
        yield nccl("ring-" + name, Used({"broken_ring": 1}), nccl_rank_graph__json=ring(text))
    for name, text in {"no-arrow": "0[0] 1[0]", "negative": "-1[0] -> 0[0]", "words": "a -> b", "beyond": "99999999999[0] -> 0[0]"}.items():
        yield nccl("hop-" + name, Used({"bad_hop": 1}, skipped=1), NCCL_WHOLE, nccl_rank_graph__json=ring(text))
    yield nccl("ring-channel-of-words", Used({"bad_hop": 1}), NCCL_WHOLE, nccl_rank_graph__json=b'{"Ring": {"x": "0[0] -> 1[0]"}}')
    yield nccl("ring-not-json", Refused(), nccl_rank_graph__json=b"{'Ring': {}}")
    yield nccl("ring-cut", Refused(), nccl_rank_graph__json=both('{"Ring": {"0": "0[0] -> 1', "").encode())
    yield nccl("ring-missing", Used(), NCCL_WHOLE, nccl_rank_graph__json=None)
    trees = {HOST0 + "nccl_rank_graph.json": b'{"Tree": {"-1": "[0] 1/-1/-1->0->-1"}}',
             HOST1 + "nccl_rank_graph.json": b'{"Tree": {"-1": "[0] 1/-1/-1->0->-1"}}'}
    yield changed("nccl-trees", NCCL, Used({"tree_not_modelled": 1}), None, trees)


def tensorflow():
    trace = NCCL[HOST0 + "trace.json.gz"]
    text = json.loads(gzip.decompress(trace))
    yield nccl("trace-cut-gzip", Used({"truncated_file": None}), trace__json__gz=trace[:-200])
    yield nccl("trace-no-operators", Refused(), trace__json__gz=gzip.compress(trial.dumps(
        {**text, "traceEvents": [e for e in text["traceEvents"] if e.get("tid") != 7 or e["ph"] == "M"]})))
    yield nccl("trace-no-times", Used({"bad_time": None}), trace__json__gz=gzip.compress(trial.dumps(
        {**text, "traceEvents": text["traceEvents"] + [{"ph": "X", "pid": 1, "tid": 7, "name": "x"}]})))
    yield nccl("trace-no-groups", Used(), trace__json__gz=gzip.compress(trial.dumps({**text, "traceEvents": [
        {**e, "args": {k: v for k, v in e.get("args", {}).items() if k != "group_id"}} for e in text["traceEvents"]]})))
    yield nccl("trace-one-group", Used(), trace__json__gz=gzip.compress(trial.dumps({**text, "traceEvents": [
        {**e, "args": {**e.get("args", {}), "group_id": 2**63 - 1}} if e["ph"] == "X" else e for e in text["traceEvents"]]})))
    yield nccl("trace-unknown-operators", Used({"operator_not_in_graph": None}), trace__json__gz=gzip.compress(trial.dumps(
        {**text, "traceEvents": [{**e, "args": {**e["args"], "long_name": "what/is/this:Op"}} if "long_name" in e.get("args", {}) else e
                                 for e in text["traceEvents"]]})))
    yield nccl("trace-missing", Used(), trace__json__gz=None)
    yield nccl("metadata-cycle", Used(), dag__gml=None, metadata__json=trial.dumps(
        {**trial.METADATA, "m/a": {"op": "MatMul", "input": [{"name": "SGD/update_a:0"}, {"name": "m/a:0"}], "output": []}}))
    yield nccl("metadata-odd", Used(), dag__gml=None, metadata__json=trial.dumps(
        {**trial.METADATA, "odd": {"op": 5, "input": [1, None, {"name": 7}, {"shape": [None, -1, "x"]}, "m/a"], "output": {}}, "text": "op"}))
    yield nccl("metadata-cut", Refused(), metadata__json=NCCL[HOST0 + "metadata.json"][:-20])
    yield nccl("dag-cycle", Used(), dag__gml=trial.gml(trial.GRAPH + [("BW.gradient_tape/m/a", "FW.m/a"), ("UPDATE_.SGD/update_a", "Comm.0")]))
    yield nccl("ids-not-numbers", Refused(), gradient_name2ID__json=b'{"a": "b"}')
    yield nccl("ids-collide", Used({"gradient_without_name": 2}), NCCL_WHOLE, gradient_name2ID__json=b'{"a": 1, "b": 1, "c": 99999999}')
    yield nccl("second-trace", Refused(r"a second file of the same kind"), **{"trace2__json": gzip.decompress(trace)})


def servers():
    messages, work = records("trial/comm_timeline.json", BYTEPS), records("trial/server_timeline.json", BYTEPS)
    at = {"pid": 0, "tid": 0, "ts": 1_003_000}
    odd = {"no-dot": "t0", "no-tensor": ".PUSH", "part-of-words": "t0~PARTx.PUSH", "part-beyond": "t0~PART99999999999.PUSH", "operation": "t0~PART0.SHOVE"}
    for name, text in odd.items():
        yield byteps("message-" + name, Used({"bad_message": 1}, skipped=1), BYTEPS_WHOLE,
                     comm_timeline__json=trial.dumps(messages + [{**at, "ph": "X", "name": text, "dur": 1}]))
        yield byteps("server-" + name, Used({"bad_server_work": 1}, skipped=1), BYTEPS_WHOLE,
                     server_timeline__json=trial.dumps(work + [{**at, "ph": "X", "name": text, "dur": 1}]))
    for row in ("worker_0", "worker_0 -> worker_1", "server_0 -> server_0", "worker_x -> server_0", "worker_-1 -> server_0",
                "worker_99999999999 -> server_0", "../../worker_0 -> server_0"):
        extra = [{"name": "process_name", "ph": "M", "pid": 50, "args": {"name": row}}, {**at, "pid": 50, "ph": "X", "name": "t0~PART0.PUSH", "dur": 1}]
        yield byteps("row-" + row.replace(" ", "").replace("/", ""), Used({"bad_message": 1}, skipped=1), BYTEPS_WHOLE,
                     comm_timeline__json=trial.dumps(messages + extra))
    stranger = [{"name": "process_name", "ph": "M", "pid": 50, "args": {"name": "worker_7 -> server_0"}}, {**at, "pid": 50, "ph": "X", "name": "t0~PART0.PUSH", "dur": 1}]
    yield byteps("worker-without-folder", Used({"worker_without_folder": 1}), BYTEPS_WHOLE, comm_timeline__json=trial.dumps(messages + stranger))
    yield byteps("messages-cut", Used({"truncated_file": None}), comm_timeline__json=BYTEPS["trial/comm_timeline.json"][:-900])
    yield byteps("messages-none", Refused(), comm_timeline__json=b"[]")
    yield byteps("messages-before-all", Used({"message_outside_steps": 1}),
                 comm_timeline__json=trial.dumps([messages[0], {**at, "ts": 5, "ph": "X", "name": "t0~PART7.PUSH", "dur": 1}] + messages[1:]))
    yield byteps("messages-unmatched", Used({"unmatched_begin": 1}, skipped=1), BYTEPS_WHOLE,
                 comm_timeline__json=trial.dumps(messages + [{**at, "ph": "B", "name": "t0~PART0.PUSH"}]))
    yield byteps("messages-without-answers", Used(), comm_timeline__json=trial.dumps(
        [e for e in messages if e["ph"] == "M" or e["pid"] in {m["pid"] for m in messages if m["ph"] == "M" and m["args"]["name"].startswith("worker")}]))
    yield byteps("server-early", Used({"server_work_without_pushes": 1}), BYTEPS_WHOLE,
                 server_timeline__json=trial.dumps(work + [{**at, "ts": 5, "ph": "X", "name": "t0~PART0.SUM", "dur": 1}]))
    yield byteps("server-none", Used(), server_timeline__json=b"[]")
    yield byteps("server-clock-contradicts", Used(), server_timeline__json=trial.dumps([{**e, "ts": 3_000_000 - e["ts"]} if "ts" in e else e for e in work]))
    for name, text in {"no-colon": b"t0 0 1\nt1: 5\n", "no-keys": b"t0:\nt1: 5\n", "words": b"t0: x\nt1: 5\n", "beyond": b"t0: 99999999999999999999\nt1: 5\n",
                       "too-many": b"t0: " + b"1 " * 70_000 + b"\nt1: 5\n", "no-name": b": 4\nt1: 5\n"}.items():
        yield byteps("keys-" + name, Used({"bad_key_line": 1}, skipped=1), BYTEPS_WHOLE, key_dict__txt=text)
    yield byteps("keys-huge-line", Refused(), key_dict__txt=b"t0: " + b"1 " * 600_000)
    yield byteps("keys-none", Refused(), key_dict__txt=b"\n\n")
    yield byteps("keys-missing", Used(), BYTEPS_WHOLE, key_dict__txt=None)


def cases():
    yield NCCL_WHOLE
    yield BYTEPS_WHOLE
    for group in (horovod, chunks, rings, tensorflow, servers):
        yield from group()

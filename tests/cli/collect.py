#!/usr/bin/env python3
"""collect.py STEPSIM SAMPLE: merged traces and graphs are rebuilt from source files, and nothing else changes."""
import hashlib
import json
import os
import shutil
import sys
import tempfile

from checks import answer, check, one_line, quietly, read, verdict, write

SAMPLE = os.path.abspath(sys.argv[2])


def collect(*arguments, **more):
    return quietly("collect", *arguments, "--in-place", **more)


def sums(folder):
    found = {}
    for path, _, names in os.walk(folder):
        for name in names:
            file = os.path.join(path, name)
            found[os.path.relpath(file, folder)] = hashlib.sha256(read(file)).hexdigest()
    return found


def gml(edges):
    names = sorted({name for edge in edges for name in edge})
    nodes = "".join(f'  node [\n    id {i}\n    label "{name}"\n  ]\n' for i, name in enumerate(names))
    lines = "".join(f"  edge [\n    source {names.index(a)}\n    target {names.index(b)}\n  ]\n" for a, b in edges)
    return f"graph [\n  directed 1\n{nodes}{lines}]\n"


EDGES = [("I/O", "FW.fc1"), ("FW.fc1", "FW.fc2"), ("FW.fc2", "BW.fc2"), ("BW.fc2", "BW.fc1"), ("BW.fc1", "Comm.fc1_weight"),
         ("BW.fc2", "Comm.fc2_weight"), ("Comm.fc1_weight", "STEP"), ("Comm.fc2_weight", "STEP"), ("STEP", "FW.fc1")]


def gpu_folder(folder):
    """The files that ByteProfile's recorder writes for three steps of 1000 us: a forward pass from 0 to 300 us, a
    backward pass until 700 us, and an update of two operators from 900 to 960 us."""
    profile, comm, io = [], [], []
    for step in range(3):
        begin = 10_000 + 1000 * step
        for name, start, end in (("fc1_fwd", 0, 100), ("[x],name=fc2_fwd;y", 100, 300), ("fc2_backward", 300, 550),
                                 ("fc1_backward", 550, 700), ("sgd_mom_update", 900, 930), ("sgd_mom_update", 930, 960)):
            for phase, time in (("B", start), ("E", end)):
                profile.append({"ph": phase, "name": name, "pid": 3, "tid": 5, "ts": begin + time, "cat": "operator"})
        for gradient, start in ((1, 560), (0, 710)):
            tensor = f"Comm.byteps.gradient_{gradient}"
            base = {"ph": "X", "pid": tensor, "args": {"name": tensor}}
            comm.append(dict(base, name=tensor, tid="total", ts=begin + start, dur=180))
            for stage, offset, dur in (("PUSH", 0, 80), ("PULL", 80, 100)):
                comm.append(dict(base, name=f"{tensor}.{stage}", tid=str(gradient << 16), ts=begin + start + offset, dur=dur))
        io.append({"ph": "X", "name": "I/O", "cat": "I/O", "pid": "rank0", "tid": 9, "ts": begin - 50, "dur": 40})
    write(folder, "temp.json", json.dumps({"traceEvents": profile}))
    write(folder, "comm.json", json.dumps({"traceEvents": comm}))
    write(folder, "io.json", json.dumps({"traceEvents": io}))
    write(folder, "gradient_name_list.txt", "fc1_weight;shape=(10,);dtype=float32\nfc2_weight\n")
    write(folder, "dag.gml", gml(EDGES))


def check_sources(folder):
    gpu = os.path.join(folder, "trial/worker/0")
    gpu_folder(gpu)
    before = sums(gpu)
    made = answer("collect", os.path.join(folder, "trial"), "--in-place")
    # The iteration lasts from the start of step 0 to that of step 1; fw_bw from the first FW. to the last BW.
    check("iteration time", made["iteration_ns"] == 1_000_000 and made["fw_bw_ns"] == 700_000, made)
    check("sources stay", {name: old for name, old in sums(gpu).items() if name in before} == before)
    events = json.loads(read(os.path.join(gpu, "bps_trace_final.json")))["traceEvents"]
    operators = [(event["name"], event["ts"], event["dur"]) for event in events if event["cat"] == "operator"]
    step = [("FW.fc1", 0, 100), ("FW.fc2", 100, 200), ("BW.fc2", 300, 250), ("BW.fc1", 550, 150), ("STEP", 900, 60)]
    expected = [(name, 10_000 + 1000 * k + ts, dur) for k in range(3) for name, ts, dur in step]
    check("operators of temp.json", operators == expected, operators)
    inputs = {event["name"]: sorted(value for key, value in event.get("args", {}).items() if key.startswith("input")) for event in events}
    check("inputs of dag.gml", inputs["STEP"] == ["Comm.fc1_weight", "Comm.fc2_weight"] and inputs["FW.fc2"] == ["FW.fc1"]
          and inputs["Comm.fc2_weight.PUSH"] == ["BW.fc2"], inputs)
    tensors = {event["name"]: event["pid"] for event in events if event["cat"] == "Comm"}
    check("tensors by their names", tensors == {name: name.rsplit(".", 1)[0] if name.count(".") > 1 else name for name in
                                                (f"Comm.fc{i}_weight{stage}" for i in (1, 2) for stage in ("", ".PUSH", ".PULL"))}, tensors)
    check("I/O", sum(event["cat"] == "I/O" for event in events) == 3)
    first = sums(folder)
    again = collect(os.path.join(folder, "trial"))
    check("again: nothing changes", sums(folder) == first and b"All files were" in again.stdout, again.stdout)
    return gpu


def check_operators(gpu):
    """--operators reads the new times of temp.json and keeps the communication, even if comm.json is absent."""
    path = os.path.join(gpu, "bps_trace_final.json")
    before = json.loads(read(path))["traceEvents"]
    profile = read(os.path.join(gpu, "temp.json"))
    write(gpu, "temp.json", profile.replace(b"10100", b"10120"))  # in step 0, FW.fc1 ends and FW.fc2 begins 20 us later
    os.rename(os.path.join(gpu, "comm.json"), os.path.join(gpu, "kept"))
    renewed = collect(gpu, "--operators")
    check("--operators", renewed.returncode == 0, renewed.stderr)
    after = json.loads(read(path))["traceEvents"]
    others = [[event for event in events if event["cat"] != "operator"] for events in (before, after)]
    check("communication stays", others[0] == others[1])
    check("operators are new", [event["dur"] for event in after if event["cat"] == "operator"][:2] == [120, 180])
    os.rename(os.path.join(gpu, "kept"), os.path.join(gpu, "comm.json"))


def check_sample(folder):
    copy = os.path.join(folder, "job")
    shutil.copytree(SAMPLE, copy)
    before = sums(copy)
    answers = []
    for _ in range(2):
        answers.append(answer("replay", copy, "--tasks"))
        made = collect(copy)
        check("sample", made.returncode == 0 and b"there is no temp.json" in made.stdout, made.stderr)
    check("the same tasks", answers[0]["tasks_detail"] == answers[1]["tasks_detail"])
    changed = {name for name, value in sums(copy).items() if before.get(name) != value}
    check("only the merged files change", {os.path.basename(name) for name in changed} <= {"bps_trace_final.json", "dag.gml", "combined.gml"}, changed)
    try:
        import networkx
    except ImportError:
        print("skipped: networkx is absent")
        return
    graph = networkx.read_gml(os.path.join(copy, "traces/0/0/dag.gml"))
    both = networkx.read_gml(os.path.join(copy, "combined.gml"))
    check("networkx reads the graphs", len(both) == 2 * len(graph) and both.number_of_edges() == 2 * graph.number_of_edges())
    check("networkx writes the same", "\n".join(networkx.generate_gml(graph)) + "\n" == open(os.path.join(copy, "traces/0/0/dag.gml"), encoding="utf-8").read())


def check_copy(folder):
    """With -o FOLDER/, the traces stay as they are, and the copy is what --in-place makes of them."""
    source, copy, there = (os.path.join(folder, name) for name in ("source", "copy", "there"))
    gpu_folder(os.path.join(source, "worker/0"))
    shutil.copytree(source, there)
    before = sums(source)
    for _ in range(2):  # the second run writes over the first copy
        made = answer("collect", source, "-o", copy + "/")
        check("the traces stay", sums(source) == before)
        check("the copy has the rebuilt files", made["written"] and all(path.startswith(copy) for path in made["written"]), made["written"])
    answer("collect", there, "--in-place")
    check("the copy is as one made in place", sums(copy) == sums(there), (sums(copy), sums(there)))
    for more in ([], ["--operators"], ["-o", os.path.join(folder, "report.json")], ["-o", copy, "--in-place"]):
        refused = quietly("collect", source, *more)
        check(f"neither or both of -o FOLDER/ and --in-place: {more}", one_line(refused, 2) and b"expected either -o FOLDER/" in refused.stderr, refused.stderr)
    inside = quietly("collect", source, "-o", os.path.join(source, "worker/"))
    check("no copy in the traces", one_line(inside, 2) and b"is in the folder of the traces" in inside.stderr, inside.stderr)
    check("they are as they were", sums(source) == before)


def check_mistakes(folder, gpu):
    other = os.path.join(folder, "other/0/0")
    gpu_folder(other)
    write(other, "dag.gml", gml(EDGES + [("BW.fc1", "FW.fc2")]))
    cycle = collect(other)
    check("a cycle", one_line(cycle) and b"FW.fc2" in cycle.stderr and b"cycle" in cycle.stderr, cycle.stderr)
    write(other, "dag.gml", json.dumps({"traceEvents": []}))
    wrong = collect(other)
    check("JSON for GML", one_line(wrong) and b"dag.gml" in wrong.stderr, wrong.stderr)
    write(other, "dag.gml", gml(EDGES))
    write(other, "temp.json", json.dumps({"traceEvents": [{"ph": "X", "name": "mm", "ts": 1, "dur": 1, "pid": 0, "tid": 0}]}))
    plain = collect(other)
    check("no operators", one_line(plain) and b"_fwd" in plain.stderr, plain.stderr)
    os.remove(os.path.join(other, "temp.json"))
    write(other, "bps_trace_final.json", '{"traceEvents": [{"name": "FW.fc1", "ph": "X", "ts": 1, "dur": 1, "pid": "rank0", "tid": 0}, {"name": ')
    cut = collect(other)
    check("a cut merged trace", one_line(cut) and b"damaged" in cut.stderr, cut.stderr)
    check("it is not written", open(os.path.join(other, "bps_trace_final.json"), encoding="utf-8").read().endswith('{"name": '))
    for what, code, words, arguments in (
            ("a file", 1, b"this is a file", [os.path.join(gpu, "comm.json")]),
            ("a missing folder", 1, b"no such file", ["absent"]),
            ("a folder without a GPU's", 1, b"no BytePS folder of a GPU", [os.path.join(SAMPLE, "..", "..", "..", "docs")]),
            ("no profile", 1, b"no temp.json", [SAMPLE, "--operators"]),
            ("two wishes", 2, b"--iter-time", [gpu, "--operators", "--iter-time"]),
            ("two folders", 2, b"one folder", [gpu, SAMPLE])):
        refused = collect(*arguments, cwd=folder)
        check(what, one_line(refused, code) and words in refused.stderr, refused.stderr)


def main():
    with tempfile.TemporaryDirectory() as folder:
        gpu = check_sources(folder)
        check_operators(gpu)
        check_sample(folder)
        check_copy(folder)
        check_mistakes(folder, gpu)
        before = sums(SAMPLE)
        times = answer("collect", SAMPLE, "--iter-time")
        check("--iter-time writes no file", sums(SAMPLE) == before and times["written"] == [])
    return verdict()


if __name__ == "__main__":
    sys.exit(main())

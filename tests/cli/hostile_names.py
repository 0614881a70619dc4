#!/usr/bin/env python3
"""hostile_names.py STEPSIM SAMPLE CORPUS: names of files, folders, tasks, ranks, devices and hosts, and texts in
job.yaml, cluster.yaml, scenarios and saved answers, contain characters that move the cursor, end a line or change
the direction of text. No command may print these to a terminal, on standard output or standard error. SAMPLE is a
BytePS capture, CORPUS the folder with the seeds of the fuzz targets."""
import io
import json
import os
import shutil
import sqlite3
import sys
import tarfile
import tempfile
import unicodedata

from checks import check, stepsim, verdict, write

SAMPLE, CORPUS = (os.path.abspath(path) for path in sys.argv[2:4])
TURNS = "\u061c\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
EVIL = "\x1b[2J\x1b]0;t\x07\nINJECTED\r\t\u009b31m\u202e\u2028\x7f"


def raw_of(output):
    """Returns the printed characters and lines that are not harmless text; empty if there are none."""
    text = output.decode(errors="surrogateescape")
    found = {c for c in text if c != "\n" and (unicodedata.category(c) in ("Cc", "Cs") or c in TURNS)}
    return sorted(found) + [line for line in text.split("\n") if line.startswith("INJECTED")]


def harmless(what, run):
    for stream in ("stdout", "stderr"):
        raw = raw_of(getattr(run, stream).replace(b"\r\n", b"\n"))  # .csv has these line ends
        check(f"{what}: {stream}", not raw, (raw, getattr(run, stream)[:2000]))
    check(f"{what}: no bug", run.returncode in (0, 1, 2, 4, 5, 127), run)  # 127: capture's COMMAND does not exist
    return run


# --- inputs

def kineto(rank):
    """Two steps of host work, kernels, a copy and a collective. Every text that the reader does not look up is
    hostile."""
    evil = lambda name: name + EVIL
    events, now = [], 1000
    add = lambda **event: events.append({"ph": "X", "pid": 1, **event})
    for kind in ("process_name", "process_labels", "thread_name"):
        for pid in (0, 1):
            events.append({"ph": "M", "name": kind, "pid": pid, "tid": 1, "args": {"name": evil("p"), "labels": evil("l")}})
    for step in range(2):
        add(name=f"ProfilerStep#{step}", cat="user_annotation", tid=1, ts=now, dur=400)
        add(name=evil("forward"), cat="user_annotation", tid=1, ts=now, dur=200)
        add(name=evil("aten::mm"), cat="cpu_op", tid=1, ts=now + 1, dur=50, args={"External id": 7 + step, "Input Dims": [[8, 8], [8, 8]], "Input type": [evil("float"), evil("float")]})
        add(name=evil("module.py(3): forward"), cat="python_function", tid=1, ts=now + 1, dur=50, args={"Python module id": 3, "Python id": 4})
        for i, name in enumerate((evil("gemm"), evil("ncclDevKernel_AllReduce_Sum_f32_RING_LL("), "Memcpy HtoD (Pinned -> Device)" + EVIL)):
            correlation = 10 * step + i + 1
            add(name="cudaLaunchKernel", cat="cuda_runtime", tid=1, ts=now + 10 + 20 * i, dur=5, args={"correlation": correlation, "External id": 7 + step})
            collective = {"Collective name": "allreduce", "In msg nelems": 1000, "Out msg nelems": 1000, "Group size": 2, "dtype": "Float", "Process Group Name": evil("g"),
                          "Process Group Description": evil("tensor"), "Process Group Ranks": "[0, 1]"} if i == 1 else {}
            add(name=name, cat="gpu_memcpy" if i == 2 else "kernel", pid=0, tid=7, ts=now + 20 + 60 * i, dur=50,
                args={"correlation": correlation, "External id": 7 + step, "device": 0, "stream": 7, "bytes": 4096, "memory bandwidth (GB/s)": 1.5, **collective})
        add(name="cudaDeviceSynchronize", cat="cuda_runtime", tid=1, ts=now + 200, dur=150, args={"correlation": 100 + step})
        now += 500
    return json.dumps({"schemaVersion": 1, "hostName": evil("h"), "deviceProperties": [{"id": 0, "name": evil("NVIDIA H200"), "totalGlobalMem": 1 << 36, "numSms": 132}],
                       "distributedInfo": {"rank": rank, "world_size": 2, "backend": evil("nccl"), "pg_config": [{"pg_name": evil("0"), "pg_desc": evil("d"), "ranks": [0, 1]}]},
                       "traceName": evil("t"), "traceEvents": events})


def pytorch(folder):
    for rank in (0, 1):
        write(folder, f"{EVIL}{rank}.pt.trace.json", kineto(rank))
    return folder


def byteps(folder):
    """The sample with hostile layer names."""
    shutil.copytree(SAMPLE, folder, dirs_exist_ok=True)
    in_json = json.dumps("layer1" + EVIL)[1:-1]
    for root, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(root, name)
            with open(path) as file:
                text = file.read()
            evil = in_json if name.endswith(".json") else "layer1" + EVIL.replace("\n", "").replace("\r", "")
            write(root, name, text.replace("layer1", evil))
    return folder


def archive(folder):
    path = os.path.join(folder, EVIL.replace("/", "") + ".tar")
    with tarfile.open(path, "w") as tar:
        for rank in (0, 1):
            text = kineto(rank).encode()
            member = tarfile.TarInfo(f"{EVIL}/{rank}{EVIL}.json")
            member.size = len(text)
            tar.addfile(member, io.BytesIO(text))
        tar.addfile(tarfile.TarInfo(f"../{EVIL}"))
    return path


def databases(folder):
    """Exports of Nsight Systems with hostile text in every text column."""
    source = os.path.join(CORPUS, "nsys_fuzz")
    for name in sorted(os.listdir(source)):
        path = shutil.copy(os.path.join(source, name), os.path.join(folder, EVIL + name))
        try:
            with sqlite3.connect(path) as database:
                for (table,) in database.execute("select name from sqlite_master where type = 'table'").fetchall():
                    for column in [row[1] for row in database.execute(f'pragma table_info("{table}")') if "CHAR" in row[2].upper() or "TEXT" in row[2].upper()]:
                        database.execute(f'update "{table}" set "{column}" = "{column}" || ? where typeof("{column}") = \'text\'', (EVIL,))
        except sqlite3.DatabaseError:
            continue  # a damaged seed
        yield path


def with_evil_values(value, key=""):
    """Returns a JSON value with hostile texts, except those that readers look up."""
    looked_up = ("ph", "cat", "schema", "unit", "displayTimeUnit", "framework")
    if isinstance(value, dict):
        return {name: with_evil_values(inside, name) for name, inside in value.items()}
    if isinstance(value, list):
        return [with_evil_values(inside, key) for inside in value]
    return value + EVIL if isinstance(value, str) and key not in looked_up else value


def seeds(folder):
    """Every JSON seed of a fuzz target, with a hostile file name, and with hostile texts."""
    for target in sorted(os.listdir(CORPUS)):
        for name in sorted(os.listdir(os.path.join(CORPUS, target))):
            try:
                with open(os.path.join(CORPUS, target, name)) as file:
                    value = json.load(file)
            except ValueError:
                continue
            yield write(folder, f"{target}/{EVIL}{name}", json.dumps(with_evil_values(value), separators=(",", ":")))


# --- commands

def every_command(what, path, folder):
    out = os.path.join(folder, "out" + EVIL)
    commands = [["replay"], ["critical-path"], ["tasks"], ["check"], ["calibrate"], ["advise"], ["graph"], ["whatif", "--set", "compute.scale=2"],
                ["whatif", "--set", "network.bandwidth=2x"], ["sweep", "--set", "compute.scale=1,2"], ["compare", path], ["combine", "-o", out + ".json"],
                ["collect", "--iter-time"], ["timeline"], ["scaling"], ["schedule"], ["convert", "-o", out + ".tasks.json"], ["convert", "--steps", "1", "-o", out + ".trace.json"],
                ["convert", "--scrub", "-o", out + ".pt.trace.json"], ["replay", "-o", out], ["replay", "--job", out], ["replay", "--ranks", "9"], ["replay", "--steps", "99"]]
    commands += [["stats", "--by", key] for key in ("name", "class", "annotation", "module", "operator", "lane", "layer", "tensor")]
    commands += [["replay", "-o", f"-.{extension}"] for extension in ("md", "csv", "yaml", "svg", "trace.json", "tasks.json", "json")]
    commands += [["graph", "-o", f"-.{extension}"] for extension in ("dot", "gml")]
    for command, *more in commands:
        run = harmless(f"{command} {more} of {what}", stepsim(command, path, *more, cwd=folder))
        check(f"{command} {more} of {what} shows a name", command not in ("replay", "tasks") or more or b"\\x1b[2J" in run.stdout, run.stdout)
    for option in ("statistic", "critical", "graph", "combine", "compare", "replay", "collect"):
        harmless(f"analyze {option} of {what}", stepsim("analyze", "--option", option, "--path", f"{path},{path}", cwd=folder))


def additional_inputs(folder, trace):
    """Files given in addition to a trace, and typed arguments."""
    text = lambda **values: json.dumps(values)  # also valid YAML
    files = {"--job": [text(framework=EVIL, backend=EVIL, servers=1), text(**{EVIL: 1}), text(workers=EVIL), text(network={"bandwidth": EVIL}), "a: [" + EVIL, EVIL],
             "--cluster": [text(hosts=[{"name": EVIL, "devices": 1}, {"name": EVIL + "2"}], links=[{"name": EVIL, "from": EVIL, "to": EVIL + "2", "bandwidth": "1Gb/s", "latency": "1us"}]),
                           text(hosts=EVIL), text(**{EVIL: 1}), EVIL],
             "-s": [text(name=EVIL, changes=[{"compute": {"scale": 2}}]), text(name=EVIL, changes=[{EVIL: {"scale": 2}}]), text(changes=[{"compute": {EVIL: 2, "select": {"name": EVIL}}}]),
                    text(changes=[{"compute": {"scale": EVIL}}]), text(changes=[{"compute": {"scale": 2, "select": {"name": EVIL}}}]), text(sweep={EVIL: [1]}), EVIL]}
    for option, texts in files.items():
        for content in texts:
            path = write(folder, "beside" + EVIL, content)
            for command in (["whatif"] if option == "-s" else ["replay", "check"]):
                harmless(f"{command} {option} {content!r}", stepsim(command, trace, option, path))
    ranges = (text(layers={EVIL: {"forward": ["a"]}}), text(layers={"a": {"forward": [EVIL]}}), text(layers={"a": {"forward": ["\x1b[2J"]}}), text(layers={"\u202e\u009b": {"forward": ["a"]}}),
              EVIL, "\x1b[2J\n", "\u009b\n", "\udcff\n".encode(errors="surrogateescape"))
    for content in ranges:
        path = write(folder, "ranges" + EVIL, content)
        for more in ([], ["--events"]):
            harmless(f"schedule of {content!r}", stepsim("schedule", path, *more))
    for typed in ([EVIL], ["replay", EVIL], ["replay", "--" + EVIL], ["help", EVIL], ["replay", trace, "--network", EVIL], ["replay", trace, "--steps", EVIL], ["replay", trace, "--threads", EVIL],
                  ["whatif", trace, "--set", EVIL], ["whatif", trace, "--set", f"{EVIL}.a=1"], ["whatif", trace, "--set", f"compute{{name={EVIL}}}.scale=2"], ["whatif", trace, "--set", f"device.to={EVIL}"],
                  ["sweep", trace, "--set", f"compute.scale=1,{EVIL}"], ["sweep", trace, "--set", "compute.scale=1,2", "--shard", EVIL], ["stats", trace, "--by", EVIL], ["compare", trace, trace, "--fail-above", EVIL],
                  ["compare", trace, EVIL], ["graph", trace, "--fold", EVIL], ["convert", trace, "--select", EVIL, "-o", "x.trace.json"], ["analyze", "--option", EVIL], ["calibrate", "--nccl-tests", EVIL, trace],
                  ["analyze", "--option", "statistic", "--path", EVIL], ["capture", "--ranks", EVIL, "--", "true"], ["capture", "--", EVIL], ["capture", "--dir", EVIL, "--", "true"],
                  ["capture", "--dir", "/dev/null/" + EVIL, "--", "true"], ["capture", "--torch", "--step-call", EVIL, "--", "true"], ["capture", "--torch", "--dir", EVIL, "--", "true"]):
        harmless(f"{typed}", stepsim(*typed, cwd=folder))
    for name in ("NCCL_PROFILER_PLUGIN", "CUDA_INJECTION64_PATH", "BYTEPS_TRACE_START_STEP", "BYTEPS_TRACE_DIR", "STEPSIM_CAPTURE_LIBRARY", "PYTHONPATH", "SLURM_ARRAY_TASK_ID", "COLUMNS"):
        env = {**os.environ, "BYTEPS_TRACE_ON": "1", name: EVIL}
        harmless(f"capture with {name}", stepsim("capture", "--with-nccl", "--", "true", cwd=folder, env=env))
        harmless(f"sweep with {name}", stepsim("sweep", trace, "--set", "compute.scale=1,2", "--shard", "env", "-o", "x.json", cwd=folder, env=env))


def main():
    with tempfile.TemporaryDirectory() as folder:
        evil = os.path.join(folder, EVIL)
        out = os.path.join(evil, "out")
        os.makedirs(out)
        for make, name in ((pytorch, "traces of PyTorch"), (byteps, "a BytePS capture")):
            every_command(name, make(os.path.join(evil, name)), out)
        every_command("an archive", archive(evil), out)
        for path in [*databases(evil), *seeds(evil)]:
            for command in (["replay"], ["check"], ["stats"], ["critical-path"], ["compare", path], ["timeline"]):
                harmless(f"{command} {path}", stepsim(command[0], path, *command[1:]))
        additional_inputs(os.path.join(evil, "beside"), os.path.join(evil, "traces of PyTorch"))
    return verdict()


if __name__ == "__main__":
    sys.exit(main())

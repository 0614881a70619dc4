#!/usr/bin/env python3
"""privacy.py STEPSIM SAMPLE: what says who made a trace. `convert --scrub` takes it out and the trace replays as before, to
the nanosecond; `check` says that it is there without printing it; and no output of any command carries it along. SAMPLE is
a BytePS job; captures of PyTorch are taken from beside the checkout, where they are."""
import glob
import gzip
import json
import os
import re
import sys
import tempfile

from checks import SHARED, answer, check, extensions_in_help, one_line, quietly, read, verdict, write

SAMPLE = os.path.abspath(sys.argv[2])
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
CAPTURES = ["kineto/ddp-a100-rank0of2.json.gz", "kineto/ns-resolution-5steps.json.gz", "kineto/gpt2-compile-no-sync.json.gz",
            "kineto/dlrm-8ranks", "kineto/two-windows-one-process", "pytorch-cpu/transformer-all-options.pt.trace.json.gz"]
MARKERS = {"token": "hf_qXvZ81kLmNoPqRsTuVwXyZ012", "user": "margarethe", "host": "gpu-node-77.cluster.example.net", "folder": "topsecretproject",
           "mail": "m.k@example.net", "variable": "rosebud42"}


def replay_of(path):
    """All of a replay's answer but what names files and hosts."""
    run = quietly("replay", path, "--json", "--tasks")
    if run.returncode:
        return run.stderr
    answer = json.loads(run.stdout)
    for name in ("provenance", "assumptions"):
        answer.pop(name, None)
    for host in answer["clock"]["hosts"]:
        del host["host"]
    for diagnostic in answer["ingest"]["diagnostics"]:
        diagnostic.pop("first", None), diagnostic.pop("detail", None)
    return answer


def events_of(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
        return json.load(file)["traceEvents"]


def scrubbed_captures_replay_the_same():
    inputs = [SAMPLE] + [path for path in (os.path.join(SHARED, name) for name in CAPTURES) if os.path.exists(path)]
    if len(inputs) == 1:
        print("the captures of PyTorch are not beside the checkout: BytePS alone")
    for path in inputs:
        with tempfile.TemporaryDirectory() as folder:
            output = os.path.join(folder, "out" if os.path.isdir(path) else "out.json.gz")
            run = quietly("convert", "--scrub", path, "-o", output)
            check(f"--scrub {path}", run.returncode == 0, run)
            before, after = replay_of(path), replay_of(output)
            check(f"{path} replays the same", before == after and isinstance(before, dict), (str(before)[:200], str(after)[:200]))
            if not os.path.isdir(path):
                times = [[(e.get("ph"), e.get("ts"), e.get("dur"), e.get("pid"), e.get("tid")) for e in events_of(p)] for p in (path, output)]
                check(f"{path}: all times and rows stay", times[0] == times[1])
            again = os.path.join(folder, "again" if os.path.isdir(path) else "again.json.gz")
            found = answer("convert", "--scrub", output, "-o", again)
            check(f"{path}: no secret is left", not [kind for kind in found["replaced"] if kind["secret"]], found["replaced"])


def marked_trace():
    """Two steps of a GPU, with markers in all places that a trace has for them."""
    events = [{"ph": "M", "name": "process_name", "pid": 1, "args": {"name": f"python /home/{MARKERS['user']}/{MARKERS['folder']}/run.py --token={MARKERS['token']}"}}]
    for step in range(3):
        start = 1000 * step
        events += [
            {"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{step}", "pid": 1, "tid": 1, "ts": start, "dur": 900},
            {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": start + 10, "dur": 50,
             "args": {"External id": step + 1, "Call stack": f"/home/{MARKERS['user']}/{MARKERS['folder']}/model.py(3): forward", "mail": MARKERS["mail"]}},
            {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": start + 20, "dur": 10, "args": {"correlation": step + 1}},
            {"ph": "X", "cat": "kernel", "name": "sgemm", "pid": 0, "tid": 7, "ts": start + 100, "dur": 500, "args": {"correlation": step + 1, "device": 0, "stream": 7, "env": MARKERS["variable"]}}]
    return {"schemaVersion": 1, "host_name": MARKERS["host"], "username": MARKERS["user"], "MY_TOKEN": MARKERS["token"],
            "environ": {"SECRET_OF_MINE": MARKERS["variable"], "PWD": f"/home/{MARKERS['user']}/{MARKERS['folder']}"}, "INFO": [MARKERS["mail"]],
            "baseTimeNanoseconds": 1711964646000000000, "traceEvents": events, "traceName": f"/home/{MARKERS['user']}/{MARKERS['folder']}/x.json"}


def unpacked(path):
    """All bytes of an output, those of packed ones unpacked."""
    content = read(path)
    if path.endswith(".xlsx"):
        import zipfile
        with zipfile.ZipFile(path) as archive:
            return b"".join(archive.read(name) for name in archive.namelist())
    return gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content


SEEN = {"html", "svg", "png", "dot", "gml"}  # pages and pictures, in which hosts have numbers


def outputs_of(command, folder, extension):
    """Everything that a command says and writes to a file with this extension; and whether it wrote one."""
    path = os.path.join(folder, f"out.{extension}")
    run = quietly(*command, "-o", path)
    outputs = [run.stdout, run.stderr]
    is_written = run.returncode == 0 and os.path.exists(path)
    if is_written:
        outputs.append(unpacked(path))
        os.remove(path)
    return outputs, is_written


def no_output_carries_the_environment_along():
    """Names of hosts are a part of text, JSON and tables: whose clock is off, which host is slow. Pages and pictures have
    numbers for them, also in the names of files that PyTorch names after the host. With --anonymous, no output has them,
    nor the folders of the files."""
    with tempfile.TemporaryDirectory() as folder:
        private = os.path.join(folder, MARKERS["user"], MARKERS["folder"])
        os.makedirs(private)
        names = [f"{MARKERS['host']}_{pid}.1711964646.pt.trace.json" for pid in (11, 12)]
        for place in (folder, private):
            for name in names:
                write(place, name, json.dumps(marked_trace()))
        for flags, place in (([], folder), (["--anonymous"], private)):
            trace, other = (os.path.join(place, name) for name in names)
            commands = [["replay"], ["critical-path"], ["stats"], ["tasks"], ["check"], ["convert"], ["advise"], ["compare", other], ["graph"],
                        ["whatif", "--set", "compute.scale=2"], ["sweep", "--set", "compute.scale=1,2"]]
            written = 0
            for command, *more in commands:
                for extension in extensions_in_help(command):
                    outputs, is_written = outputs_of([command, trace, *more, *flags], folder, extension)
                    written += is_written
                    kept = set() if flags or extension in SEEN else {"host"}
                    for what, marker in MARKERS.items():
                        leaks = what not in kept and any(marker.encode() in output for output in outputs)
                        check(f"{command} {flags} -o .{extension} keeps the {what} to itself", not leaks,
                              [output[max(0, output.find(marker.encode()) - 60):][:160] for output in outputs])
            check("files were written", written > 40, written)
        trace = os.path.join(folder, names[0])
        page = lambda *flags: b"".join(outputs_of(["replay", trace, *flags], folder, "html")[0])
        check("a host has a number", b"host001" in page(), "")
        check("--host-names keeps the name", MARKERS["host"].encode() in page("--host-names") and b"host001" not in page("--host-names"))
        selected = ["whatif", trace, "--set", f"compute{{host={MARKERS['host']}}}.scale=2", "--anonymous"]
        check("a selector has the recorded name", quietly(*selected).returncode == 0, quietly(*selected))
        check("one of both", one_line(quietly("replay", trace, "--anonymous", "--host-names"), 2))
        for command in (["combine", folder], ["convert", trace, "--steps", "1"], ["collect", folder]):
            run = quietly(*command, "--anonymous", "-o", os.path.join(folder, "x/" if command[0] == "collect" else "x.trace.json"))
            check(f"{command[0]} refuses --anonymous", one_line(run, 2) and b"--scrub" in run.stderr, run)


def check_names_what_it_finds_and_not_the_thing():
    with tempfile.TemporaryDirectory() as folder:
        trace = write(folder, "trace.json", json.dumps(marked_trace()))
        run = quietly("check", trace)
        text = run.stdout.decode()
        check("check says that there is a secret", run.returncode == 0 and "what looks like a secret" in text and "MY_TOKEN" in text, text)
        private = answer("check", trace)["private"]
        kinds = {part["kind"]: part for part in private}
        check("and of what kind", {"user name", "host name", "path", "e-mail address", "environment and metadata"} <= set(kinds), kinds)
        check("with the place", all(part["first"].startswith(trace) and part["count"] > 0 for part in private), kinds)
        output = os.path.join(folder, "out.json")
        run = quietly("convert", "--scrub", trace, "-o", output)
        rest = read(output)
        for what, marker in MARKERS.items():
            check(f"--scrub takes the {what} out", marker.encode() not in rest, rest[:2000])
            check(f"and does not print it ({what})", marker.encode() not in run.stdout + run.stderr)
        check("it is the same trace", [(e["ph"], e.get("ts"), e.get("dur")) for e in events_of(output)] == [(e["ph"], e.get("ts"), e.get("dur")) for e in marked_trace()["traceEvents"]])
        check("and replays the same", replay_of(trace) == replay_of(output))


PRIVATE = ["hunter2x", "swordfish9", "48151623", "zelda", "gpubox7", "corp.internal", "corpbox", "corpserver", "secretproj", "hf_aB3",
           "10.20.30.40", "10-20-30-40", "2001:db8", "00:1b:44"]


def private_words_in(text):
    return [word for word in PRIVATE if word in text.replace("Zelda", "zelda")]


def what_the_table_promises_is_taken_out():
    """The second cells of the table "What is replaced" of docs/guides/share.md: texts, or members, which begin with a quote. Each becomes a part of a trace."""
    section = read(os.path.join(ROOT, "docs/guides/share.md")).decode().split("## What is replaced")[1]
    rows = [line.split(" | ") for line in section.splitlines() if line.startswith("| ")]
    examples = [example for row in rows if len(row) == 3 for example in re.findall(r"`([^`]+)`", row[1])]
    check("the table has its examples", len(examples) > 35, len(examples))
    with tempfile.TemporaryDirectory() as folder:
        for example in examples:
            member = json.loads("{" + example + "}") if example.startswith('"') else {"text": example}
            top = {"schemaVersion": 1, "username": "zelda", "host_name": "gpubox7"}
            event = {"ph": "X", "cat": "cpu_op", "name": "x", "pid": 1, "tid": 1, "ts": 1, "dur": 1, "args": member}
            if example.startswith(('"JOB', '"job_id')):
                top.update(member, distributedInfo={"rank": 0, **member})
                event["args"] = {}
            trace = write(folder, "trace.json", json.dumps({**top, "traceEvents": [event]}))
            output = os.path.join(folder, "out.json")
            run = quietly("convert", "--scrub", trace, "-o", output)
            left = private_words_in(read(output).decode()) if run.returncode == 0 else [run]
            check(f"--scrub takes out {example}", private_words_in(example) and not left, left)


def equal_names_are_refused():
    with tempfile.TemporaryDirectory() as folder:
        inputs = [os.path.dirname(write(folder, f"in/{host}/trace.json", '{"schemaVersion": 1, "traceEvents": []}')) for host in ("a", "b")]
        output = os.path.join(folder, "out")
        run = quietly("convert", "--scrub", *inputs, "-o", output)
        check("two files of one name", one_line(run, 2) and b"two files would both be written as" in run.stderr and not os.path.exists(output), run)
        run = quietly("convert", "--scrub", os.path.join(folder, "in"), "-o", output)
        check("their common folder", run.returncode == 0 and os.path.exists(os.path.join(output, "b/trace.json")), run)


def file_names_are_scrubbed():
    """Names of files and folders are scrubbed as texts are; the extensions that say what a file is stay."""
    names = {"zelda@corp.internal.pt.trace.json": ".pt.trace.json", "hf_aB3dE5gH7jK9mN1pQ3sT5vW7/rank0.json": "rank0.json", "n-10.20.30.40-x/rank1.json": "rank1.json"}
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            write(folder, f"in/{name}", '{"schemaVersion": 1, "traceEvents": []}')
        output = os.path.join(folder, "out")
        run = quietly("convert", "--scrub", os.path.join(folder, "in"), "-o", output)
        written = sorted(os.path.relpath(os.path.join(root, file), output) for root, _, files in os.walk(output) for file in files)
        check("three files", run.returncode == 0 and len(written) == 3, (run, written))
        check("with their extensions", all(any(file.endswith(end) for file in written) for end in names.values()), written)
        check("and nothing private in their names", not private_words_in(" ".join(written)) and "10.20" not in " ".join(written), written)


def mistakes():
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out.json")
        sqlite = write(folder, "x.sqlite", b"SQLite format 3\0" + bytes(200))
        check("no text", one_line(quietly("convert", "--scrub", sqlite, "-o", out)))
        check("--steps beside --scrub", one_line(quietly("convert", "--scrub", SAMPLE, "--steps", "1", "-o", out), 2))
        check("standard input", one_line(quietly("convert", "--scrub", "-", "-o", out)))
        check("a folder to standard output", one_line(quietly("convert", "--scrub", SAMPLE, "-o", "-"), 2))
        job = os.path.join(SAMPLE, "job.yaml")
        run = quietly("convert", "--scrub", job, "-o", "-.yaml", cwd=folder)
        check("-.yaml is standard output", run.returncode == 0 and run.stdout.count(b"\n") == read(job).count(b"\n"), run)
        check("nothing is left of them", glob.glob(os.path.join(folder, "*")) == [sqlite], os.listdir(folder))


scrubbed_captures_replay_the_same()
no_output_carries_the_environment_along()
check_names_what_it_finds_and_not_the_thing()
what_the_table_promises_is_taken_out()
equal_names_are_refused()
file_names_are_scrubbed()
mistakes()
sys.exit(verdict())

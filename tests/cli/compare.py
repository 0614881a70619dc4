#!/usr/bin/env python3
"""compare.py STEPSIM SAMPLE: compare for captures, predictions and saved answers, its gate, and exit codes 4 and 5."""
import csv
import gzip
import json
import os
import sqlite3
import sys
import tempfile

from checks import SHARED, answer, check, one_line, quietly, read, verdict, write

SAMPLE = os.path.abspath(sys.argv[2])


def kineto(kernel_us, steps=6, name="ampere_sgemm_32x32_nn", scale=1, odd=0):
    """Steps with a launch of 10 us and a kernel for which the next step waits. Every other step takes `odd` us more."""
    events, now, correlation = [], 1000, 1
    add = lambda **event: events.append({"ph": "X", "pid": 1, **event})
    for step in range(steps):
        length = kernel_us + (odd if step % 2 else 0)
        add(name=f"ProfilerStep#{step}", cat="user_annotation", tid=1, ts=now, dur=(20 + length) * scale)
        add(name="cudaLaunchKernel", cat="cuda_runtime", tid=1, ts=now, dur=10 * scale, args={"correlation": correlation})
        add(name=name, cat="kernel", tid=7, pid=0, ts=now + 10 * scale, dur=length * scale, args={"correlation": correlation, "device": 0, "stream": 7})
        add(name="cudaDeviceSynchronize", cat="cuda_runtime", tid=1, ts=now + 10 * scale, dur=(10 + length) * scale, args={"correlation": correlation + 1})
        now += (20 + length) * scale
        correlation += 2
    return json.dumps({"schemaVersion": 1, "distributedInfo": {"rank": 0, "world_size": 1}, "traceEvents": events})


def with_itself(folder):
    trace = write(folder, "a.json", kineto(100, odd=7))
    for path in (trace, SAMPLE):
        found = answer("compare", path, path, "--fail-above", "0%", "--allow-noise")
        check("nothing differs", found["iteration"]["difference_ns"] == 0 and found["gate"]["failed"] is False, found["iteration"])
        check("no row differs", found["rows"] and all(row["difference_ns"] == 0 and row["match"] == "exact" for row in found["rows"]))
        check("no part differs", all(part["difference_ns"] == 0 for part in found["parts"]))


def doubled(folder):
    """All times are doubled: everything is 100 % slower, and a gate of 3 % fails after the answer was written."""
    a, b = write(folder, "a.json", kineto(100, odd=7)), write(folder, "b.json", kineto(100, scale=2, odd=7))
    found = answer("compare", a, b)
    check("twice the iteration", abs(found["iteration"]["relative"] - 1) < 1e-9 and found["iteration"]["beyond_noise"], found["iteration"])
    ours = [row for row in found["rows"] if row["name"] != "cudaDeviceSynchronize"]  # its own time is inferred
    check("twice each row", len(ours) > 1 and all(abs(row["b_ns"] - 2 * row["a_ns"]) <= 2 for row in ours), found["rows"])
    parts = found["parts"]
    check("parts sum to the iterations", sum(p["a_ns"] for p in parts) == found["a"]["iteration_ns"] and sum(p["b_ns"] for p in parts) == found["b"]["iteration_ns"], parts)
    out = os.path.join(folder, "out.json")
    run = quietly("compare", a, b, "--fail-above", "3%", "-o", out)
    check("the gate fails with 4", run.returncode == 4 and run.stderr.startswith(b"error: --fail-above failed: B is 100.0 % slower") and run.stderr.count(b"\n") == 1, run.stderr)
    check("after the answer", b"+100.0 %" in run.stdout and json.load(open(out))["gate"]["failed"] is True)
    check("twice as fast passes", quietly("compare", b, a, "--fail-above", "3%").returncode == 0)
    check("101 % passes", quietly("compare", a, b, "--fail-above", "101%").returncode == 0)


def noise(folder):
    """A difference of 6 % is within the noise if steps differ by 40 %, and beyond it if they do not differ."""
    for odd, code in ((40, 5), (0, 4)):
        a, b = write(folder, "a.json", kineto(100, odd=odd)), write(folder, "b.json", kineto(108, odd=odd))
        run = quietly("compare", a, b, "--fail-above", "3%")
        check(f"a gate beside steps that differ by {odd} us", run.returncode == code and run.stderr.count(b"\n") == 1, (run.returncode, run.stdout[:300], run.stderr))
        found = answer("compare", a, b, "--fail-above", "3%", code=code)
        more = found["gate"]["more_steps"]
        check("says how many steps would be enough", (more is None) == (code == 4) and (more is None or f"record {more} more steps per capture to resolve 3.0 %".encode() in run.stderr), run.stderr)
        change = found["iteration"]
        check("the ratio and the smallest visible change", abs(change["ratio"] - 1 - change["relative"]) < 1e-9 and abs(change["smallest_visible_change"] - change["noise_ns"] / found["a"]["iteration_ns"]) < 1e-9, change)
        check("unless noise is allowed", quietly("compare", a, b, "--fail-above", "3%", "--allow-noise").returncode == (0 if code == 5 else 4))
        if more is not None:  # that many more steps, which vary in the same way, are enough to see 6 % beyond 3 %
            a, b = (write(folder, f"{name}{more}.json", kineto(length, odd=odd, steps=6 + more)) for name, length in (("a", 100), ("b", 108)))
            enough = answer("compare", a, b)["iteration"]
            check("as many steps resolve 3 %", enough["smallest_visible_change"] <= 0.031, enough)
    a, b = write(folder, "a.json", kineto(100, steps=1)), write(folder, "b.json", kineto(108, steps=1))
    run = quietly("compare", a, b, "--fail-above", "3%")
    check("one step has no noise, and the difference decides", run.returncode == 4 and b"noise is not known" in run.stderr, run.stderr)


def names(folder):
    a, b = write(folder, "a.json", kineto(100)), write(folder, "b.json", kineto(100, name="ampere_sgemm_128x64_nn"))
    found = answer("compare", a, b)
    check("variants of a kernel match", [(row["name"], row["match"]) for row in found["rows"] if row["match"] != "exact"] == [("ampere_sgemm_#x#_nn", "numbers")], found["rows"])
    b = write(folder, "b.json", kineto(100, name="another_kernel"))
    found = answer("compare", a, b, "--by", "name")
    check("others do not", sorted(row["match"] for row in found["rows"] if row["match"] != "exact") == ["only A", "only B"], found["rows"])
    text = quietly("compare", a, b).stdout
    check("and are listed", b"Only in A" in text and b"Only in B" in text and b"another_kernel" in text, text)
    for key in ("class", "kind"):
        check(f"by {key}", answer("compare", a, b, "--by", key)["by"] == key)
    rows = answer("compare", a, b, "--sort", "name")["rows"]
    check("in the order of names", [row["name"] for row in rows] == sorted(row["name"] for row in rows), rows)
    check("--head is --rows", quietly("compare", a, b, "--head", "1").stdout == quietly("compare", a, b, "--rows", "1").stdout)


def saved(folder):
    """Output of --json can be given instead of a capture, plain or compressed."""
    a, b = write(folder, "a.json", kineto(100, odd=7)), write(folder, "b.json", kineto(120, odd=7))
    direct = answer("compare", a, b)
    for command, more in (("replay", []), ("whatif", ["--set", "compute.scale=2"]), ("critical-path", []), ("tasks", [])):
        files = []
        for trace in (a, b):
            path = f"{trace}.{command}.json.gz"
            with gzip.open(path, "wb") as file:
                file.write(quietly(command, trace, *more, "--json").stdout)
            files.append(path)
        found = answer("compare", *files)
        check(f"two saved answers of {command}", found["schema"] == "stepsim.compare/1" and found["a"]["what"].endswith(command), found["a"])
        if command == "replay":
            check("as the captures themselves", found["iteration"] == direct["iteration"] and found["parts"] == direct["parts"], (found["iteration"], direct["iteration"]))
            mixed = answer("compare", a, files[1])
            check("beside a capture", mixed["iteration"] == direct["iteration"] and mixed["rows"] == [], mixed["iteration"])
    longest = (2**63 - 1) // 16
    group = lambda name, total: {"name": name, "kind": "kernel", "class": "gemm", "tasks": 1, "total_ns": total}
    many = write(folder, "many.json", json.dumps({"schema": "stepsim.tasks/1", "names": [group(f"<b>\x1b{i}</b>x", longest) for i in range(40)], "operators": []}, separators=(",", ":")))
    found = answer("compare", many, many, "--by", "class")
    check("sums of long times stay within what there is", found["rows"][0]["a_ns"] == 2**63 - 1 and found["rows"][0]["difference_ns"] == 0, found["rows"])
    check("names stay harmless", b"\x1b" not in quietly("compare", many, many).stdout)
    run = quietly("compare", write(folder, "long.json", json.dumps({"schema": "stepsim.tasks/1", "names": [group("x", longest + 1)], "operators": []}, separators=(",", ":"))), many)
    check("longer times are refused", one_line(run, 1) and b"expected 0 to" in run.stderr, run.stderr)
    run = quietly("compare", f"{a}.tasks.json.gz", a)
    check("whole captures and iterations are refused", one_line(run, 2), run.stderr)
    forged = answer("replay", a)
    forged["iteration"]["measured_ns"] = 0
    none = write(folder, "none.json", json.dumps(forged, separators=(",", ":")))
    for pair, side in (((none, b), "A"), ((b, none), "B")):
        run = quietly("compare", *pair, "--fail-above", "3%")
        sentence = f"a step of {side} takes no time".encode()
        check(f"no gate where {sentence}", run.returncode == 5 and b"cannot judge: " + sentence in run.stderr and sentence in run.stdout, run)
    headline = next(line for line in quietly("compare", none, b).stdout.splitlines() if line.startswith(b"Step time"))
    check("no share of nothing", b"of A 0 ns, of B" in headline and b"%" not in headline, headline)
    broken = write(folder, "broken.json", '{"schema":"stepsim.replay/1",')
    check("a cut answer is refused", one_line(quietly("compare", broken, a), 1))
    for text in ('{"schema":"stepsim.replay/1"}', '{"schema":"stepsim.calibrate/1"}', '{"schema":"stepsim.tasks/1","names":[{"name":3}],"operators":[]}', '{"schema":"stepsim.whatif/1","scenario":[]}'):
        run = quietly("compare", write(folder, "broken.json", text), a)
        check(f"{text} is refused", one_line(run, 1) and b"broken.json" in run.stderr, run.stderr)


def prediction():
    """Compares a capture with its prediction, task by task."""
    found = answer("compare", SAMPLE, "--set", "network.bandwidth=2x")
    whatif = answer("whatif", SAMPLE, "--set", "network.bandwidth=2x")
    check("as whatif predicts", found["b"]["iteration_ns"] == whatif["scenario"]["iteration_ns"] and found["a"]["iteration_ns"] == whatif["baseline"]["iteration_ns"])
    check("transfers are shorter", any(row["kind"] == "transfer" and row["difference_ns"] < 0 for row in found["rows"]))
    check("two captures and a change are refused", one_line(quietly("compare", SAMPLE, SAMPLE, "--set", "network.bandwidth=2x"), 2))


def files(folder):
    """Every exporter of documents can write the comparison."""
    a, b = write(folder, "a.json", kineto(100)), write(folder, "b.json", kineto(120))
    rows = answer("compare", a, b)["rows"]
    for extension in ("json", "md", "csv", "xlsx", "sqlite", "parquet", "html"):
        out = os.path.join(folder, f"out.{extension}")
        run = quietly("compare", a, b, "-o", out)
        check(f".{extension} is written", run.returncode == 0 and os.path.getsize(out) > 0, run.stderr)
    with open(os.path.join(folder, "out.csv"), newline="") as file:
        check(".csv has the rows", len(list(csv.reader(file))) == len(rows) + 1)
    with sqlite3.connect(os.path.join(folder, "out.sqlite")) as database:
        tables = [name for (name,) in database.execute("select name from sqlite_master where type = 'table'")]
        counts = [database.execute(f'select count(*) from "{name}"').fetchone()[0] for name in tables]
        check(".sqlite has the rows", len(rows) in counts, (tables, counts))


def step_summary(folder):
    """-o "$GITHUB_STEP_SUMMARY" adds Markdown to the file, which has no extension; --brief leaves out the tables."""
    a, b = write(folder, "a.json", kineto(100)), write(folder, "b.json", kineto(120))
    summary = write(folder, "step_summary_1", "earlier\n")
    github = {**os.environ, "GITHUB_STEP_SUMMARY": summary}
    lengths = []
    for more in (["--brief"], []):
        before = read(summary)
        run = quietly("compare", a, b, "--fail-above", "3%", "-o", summary, *more, env=github)
        after = read(summary)
        check("Markdown is added", run.returncode == 4 and after.startswith(before) and b"Step time of A" in after[len(before):] and after.endswith(b"</sub>\n"), (run.stderr, after))
        check("tables unless --brief", (b"| ---" in after[len(before):]) == (not more), after)
        lengths.append(len(after) - len(before))
    check("--brief is shorter", lengths[0] < lengths[1] / 2, lengths)
    for command in (["replay", a], ["convert", SAMPLE], ["graph", SAMPLE]):
        before = len(read(summary))
        run = quietly(*command, "-o", summary, env=github)
        check(f"{command[0]} too", run.returncode == 0 and len(read(summary)) > before, run.stderr)
    check("without the variable, a name needs an extension", one_line(quietly("compare", a, b, "-o", summary), 2))


def cannot_answer(folder):
    """If the capture lacks data for the answer the exit code is 5; for a wrong value, or a selection of nothing, it is
    2."""
    trace = write(folder, "a.json", kineto(100))
    for change, code in (("comm.partition_bytes=1MiB", 5), ("network.bandwidth=2x", 5), ("cluster.servers=2", 5), ("overlap.barriers=off", 5), ("comm.bucket_bytes=1MB", 5),
                         ("compute{name=nothing}.scale=2", 2), ("compute.scale=minus", 2)):
        run = quietly("whatif", trace, "--set", change)
        check(f"{change} ends with {code}", one_line(run, code) and change.split("=")[0].encode() in run.stderr, (run.returncode, run.stderr))
    scenario = write(folder, "s.yaml", "changes:\n  - comm: {partition_bytes: 1MiB}\n")
    run = quietly("whatif", trace, "-s", scenario)
    check("in a scenario too", one_line(run, 5) and b"s.yaml:2: " in run.stderr, run.stderr)
    run = quietly("whatif", SAMPLE, "--network", "recorded", "--set", "comm.partition_bytes=1MiB")
    check("where the links are known, --network recorded is wrong usage", one_line(run, 2), run.stderr)
    run = quietly("whatif", SAMPLE, "--set", "comm.partition_bytes=lots")
    check("a value that is none is wrong usage", one_line(run, 2), run.stderr)
    run = quietly("whatif", trace, "-s", os.path.join(folder, "none.yaml"))
    check("a missing scenario is a missing file", one_line(run, 1) and b"none.yaml: no such file; expected a scenario" in run.stderr, run.stderr)
    for address in ("s3://bucket/trace.json", "https://example.org/trace.json"):
        run = quietly("replay", address)
        check(f"{address} is an address", one_line(run, 1) and b"stepsim does not read URLs" in run.stderr, run.stderr)
    run = quietly("replay", write(folder, "page.json", "<!DOCTYPE html><html></html>"))
    check("a web page is one from its first byte", one_line(run, 1) and b"page.json@0: this is a web page" in run.stderr, run.stderr)


def real_captures():
    """The same model on two machines, if those captures are available."""
    a, b = (os.path.join(SHARED, "kineto", name) for name in ("diff-control-a100-rank3of8.json.gz", "diff-test-v100-rank1of2.json.gz"))
    if not os.path.exists(a) or not os.path.exists(b):
        print("skipped: the captures of two machines are absent")
        return
    found = answer("compare", a, b, "--fail-above", "3%", code=5)
    check("another machine is not judged", found["gate"]["judged"] is False and "A ran on NVIDIA A100" in found["gate"]["sentence"], found["gate"])
    check("B is slower beyond the noise", 0.4 < found["iteration"]["relative"] < 0.6 and found["iteration"]["beyond_noise"], found["iteration"])
    rows = found["rows"]
    check("most names match", sum(row["match"] == "exact" for row in rows) > len(rows) / 2, len(rows))
    check("variants match", any(row["match"] == "arguments" and "sgemm" in row["name"] for row in rows))
    moved = [abs(row["difference_ns"]) for row in rows]
    check("biggest movers first", moved == sorted(moved, reverse=True))
    parts = found["parts"]
    check("parts sum to both iterations", sum(p["a_ns"] for p in parts) == found["a"]["iteration_ns"] and sum(p["b_ns"] for p in parts) == found["b"]["iteration_ns"], parts)
    rest = next(p for p in parts if p["part"] == "remainder")
    check("hardly anything remains", abs(rest["difference_ns"]) < 0.02 * found["a"]["iteration_ns"], rest)


def main():
    for part in (with_itself, doubled, noise, names, saved, files, step_summary, cannot_answer):
        with tempfile.TemporaryDirectory() as folder:
            part(folder)
    prediction()
    real_captures()
    return verdict()


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""exporters.py STEPSIM SAMPLE SECTION...: the files of -o, read by readers that share no code with the writer:
Python's json, csv, sqlite3, zipfile, xml and gzip, read_parquet.py and read_perfetto.py, and openpyxl and protoc if
they are installed. The extensions come from --help, so a new exporter is tested with kills, full disks and hostile
names without a change here. SAMPLE is a capture that replays. SECTIONs are names of functions below (default: all)."""
import csv
import gzip
import io
import json
import os
import re
import resource
import shutil
import sqlite3
import sys
import tempfile
import time
import unicodedata
import xml.etree.ElementTree as xml
import zipfile

import read_parquet
import read_perfetto
from checks import NIGHTLY, answer, check, dice, extensions_in_help, one_line, quietly, read, run, start, verdict, wait_until, write

SAMPLE = os.path.abspath(sys.argv[2])
GRID = "sweep: {comm.partition_bytes: [256KiB, 1MiB], network.bandwidth: [1x, 2x, 4x]}\n"
LINE = "sweep: {network.bandwidth: [1x, 2x, 4x]}\n"
PACKED = ("xlsx", "sqlite", "parquet", "png")


def extensions(command="replay"):
    """The extensions that --help lists, without those of a cluster, which only some options write."""
    return [extension for extension in extensions_in_help(command) if extension not in ("yaml", "yml")]


def written(folder, extension, *command):
    """Returns the path of the file that a command wrote."""
    path = os.path.join(folder, f"out.{extension}")
    run = quietly(*command, "-o", path, cwd=folder)
    check(f"{command[0]} -o {extension}", run.returncode == 0 and os.path.exists(path), run)
    return path


def rows_of(database, table):
    database.row_factory = sqlite3.Row
    return [dict(row) for row in database.execute(f'SELECT * FROM "{table}"')]


# --- workbooks

SHEET = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


def unescaped(text):
    """Reverses Excel's form _x001B_ of a control character."""
    return re.sub(r"_x([0-9A-Fa-f]{4})_", lambda match: chr(int(match[1], 16)), text)


def workbook(path):
    """Returns {sheet: [[cell]]}, texts as str and numbers as float, and the members of the archive."""
    with zipfile.ZipFile(path) as archive:
        check("checksums of the archive", archive.testzip() is None, path)
        members = {name: archive.read(name) for name in archive.namelist()}
    names = [sheet.get("name") for sheet in xml.fromstring(members["xl/workbook.xml"]).iter(SHEET + "sheet")]
    sheets = {}
    for number, name in enumerate(names, 1):
        sheets[name] = []
        for row in xml.fromstring(members[f"xl/worksheets/sheet{number}.xml"]).iter(SHEET + "row"):
            cells = {}
            for cell in row.iter(SHEET + "c"):
                check(f"no formula in {name}", cell.find(SHEET + "f") is None, path)
                text = cell.get("t") == "inlineStr"
                place = re.match("[A-Z]+", cell.get("r"))[0]
                cells[place] = unescaped(cell.find(f"{SHEET}is/{SHEET}t").text) if text else float(cell.find(SHEET + "v").text)
            sheets[name].append(cells)
    return sheets, members


def workbooks():
    with tempfile.TemporaryDirectory() as folder:
        path = written(folder, "xlsx", "replay", SAMPLE)
        sheets, members = workbook(path)
        result = answer("replay", SAMPLE)
        check("sheets", {"contents", "answer", "rows", "steps", "notes", "provenance"} <= set(sheets), list(sheets))
        rows = sheets["rows"]
        check("numbers are numbers", rows[1]["E"] == result["iteration"]["measured_ns"] and rows[1]["F"] == result["iteration"]["replayed_ns"], rows[:2])
        heads = sheets["steps"][0]
        check("units are in the titles", heads["C"] == "measured (ns)" and heads["E"] == "error (ratio)", heads)
        check("steps", [(row["A"], row["B"], row["C"]) for row in sheets["steps"][1:]] == [(s["rank"], s["step"], s["measured_ns"]) for s in result["steps"]], sheets["steps"])
        said = {row["A"]: row["B"] for row in sheets["provenance"][1:] if "B" in row}
        check("provenance", said["version"] == result["provenance"]["version"] and "stepsim replay" in said["command"], said)
        check("no chart of a replay", not [name for name in members if "chart" in name], list(members))
        write(folder, "grid.yaml", GRID)
        write(folder, "line.yaml", LINE)
        for grid, lines, last in (("grid.yaml", 2, "rows!$C$5:$C$7"), ("line.yaml", 1, "rows!$B$2:$B$4")):
            path = written(folder, "xlsx", "sweep", SAMPLE, "-s", grid)
            sheets, members = workbook(path)
            chart = members.get("xl/charts/chart1.xml", b"").decode()
            points = answer("sweep", SAMPLE, "-s", grid, cwd=folder)["points"]
            above = [float(value) for part in re.findall("<c:plus>(.*?)</c:plus>", chart) for value in re.findall("<c:v>(.*?)</c:v>", part)]
            check(f"the chart of {grid}", chart.count("<c:ser>") == lines and last in chart and above == [p["high_ns"] - p["iteration_ns"] for p in points], (chart[:3000], above))
            column = next(place for place, title in sheets["rows"][0].items() if title == "iteration_ns")
            check(f"the points of {grid}", [row[column] for row in sheets["rows"][1:]] == [point["iteration_ns"] for point in points], sheets["rows"])
        write(folder, "case.yaml", "sweep: {'compute{name=.*[aA].*}.scale': [1, 2], 'compute{name=.*[Aa].*}.scale': [1, 3]}\n")
        for extension in ("xlsx", "svg", "sqlite", "parquet"):
            run = quietly("sweep", SAMPLE, "-s", "case.yaml", "-o", f"case.{extension}", cwd=folder)
            check(f"keys that differ in case only, in .{extension}", run.returncode == 0, run)
        try:
            import openpyxl
        except ImportError:
            return print("openpyxl is not here")
        book = openpyxl.load_workbook(path)
        check("openpyxl reads it", book["rows"]["B2"].value == points[0]["iteration_ns"] and len(book["rows"]._charts) == 1, book.sheetnames)


# --- databases and column files

def databases():
    with tempfile.TemporaryDirectory() as folder:
        database = sqlite3.connect(written(folder, "sqlite", "replay", SAMPLE))
        result = answer("replay", SAMPLE, "--tasks")
        check("integrity", database.execute("PRAGMA integrity_check").fetchall() == [("ok",)])
        tasks = rows_of(database, "tasks")
        check("all tasks", [(t["task"], t["start_ns"], t["start_ns"] + t["duration_ns"]) for t in tasks] == [(t["id"], t["start_ns"], t["finish_ns"]) for t in result["tasks_detail"]])
        check("types", {type(t[name]) for t in tasks for name in ("task", "rank", "start_ns", "duration_ns", "measured_start_ns", "bytes", "on_critical_path")} == {int})
        kernels = [{"name": "aten::addmm", "cat": "cpu_op", "ts": 0, "dur": 9, "tid": 1, "args": {"External id": 1, "Input Dims": [[4], [8, 2], [2, 4]], "Input type": ["float"] * 3}},
                   {"name": "cudaLaunchKernel", "cat": "cuda_runtime", "ts": 2, "dur": 2, "tid": 1, "args": {"correlation": 7, "External id": 1}},
                   {"name": "ampere_sgemm_32x32", "cat": "kernel", "ts": 20, "dur": 30, "tid": 7, "args": {"correlation": 7, "stream": 7, "device": 0, "External id": 1}}]
        trace = write(folder, "gemm.json", json.dumps({"traceEvents": [{"ph": "X", "pid": 1, **kernel} for kernel in kernels]}))
        for extension in ("sqlite", "parquet"):
            file = written(folder, extension, "replay", trace)
            columns = read_parquet.read(file)[0] if extension == "parquet" else None
            rows = [dict(zip(columns, row)) for row in zip(*columns.values())] if columns else rows_of(sqlite3.connect(file), "tasks")
            check(f"class, operator and shapes in .{extension}", {(row["kind"], row["class"], row["operator"], row["shapes"]) for row in rows}
                  >= {("kernel", "gemm", "aten::addmm", "[[4], [8, 2], [2, 4]]"), ("runtime", None, None, None)}, rows)
        path = answer("critical-path", SAMPLE)
        names = sorted((t["name"], t["rank"]) for t in tasks if t["on_critical_path"])
        check("the critical path", names == sorted((t["name"], t["rank"]) for t in path["tasks"]), (len(names), len(path["tasks"])))
        check("measured", min(t["measured_start_ns"] for t in tasks) == 0)
        contents = {row["name"]: row["rows"] for row in rows_of(database, "contents")}
        check("contents", all(database.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0] == rows for name, rows in contents.items()) and {"answer", "steps", "notes", "provenance"} <= set(contents), contents)
        inputs = {row["value"]: row["bytes"] for row in rows_of(database, "provenance") if row["what"] == "input"}
        check("provenance", inputs == {i["path"]: i["bytes"] for i in result["provenance"]["inputs"]}, inputs)
        columns, about = read_parquet.read(written(folder, "parquet", "replay", SAMPLE))
        check("Parquet has the same tasks", all(columns[name] == [task[name] for task in tasks] for name in tasks[0]) and list(columns) == list(tasks[0]), list(columns))
        check("and says where it comes from", about["program"] == "stepsim" and "replay" in about["command"] and about["commit"] == result["provenance"]["commit"], about)
        for command in (["whatif", SAMPLE, "--set", "compute.scale=2"], ["calibrate", SAMPLE], ["critical-path", SAMPLE]):
            database = sqlite3.connect(written(folder, "sqlite", *command))
            columns, _ = read_parquet.read(written(folder, "parquet", *command))
            table = rows_of(database, "rows" if command[0] == "calibrate" else "tasks")
            check(f"{command[0]} in both", [dict(zip(columns, row)) for row in zip(*columns.values())] == table, list(columns))
            if command[0] == "whatif":
                check("both replays", [name for name in dict.fromkeys(columns["replay"])] == ["baseline", "scenario"])
        try:
            import pyarrow.parquet
        except ImportError:
            return print("pyarrow is not here")
        check("pyarrow reads it", pyarrow.parquet.read_table(os.path.join(folder, "out.parquet")).num_rows == len(table))


# --- timelines

def perfetto_traces():
    with tempfile.TemporaryDirectory() as folder:
        path = written(folder, "pftrace", "replay", SAMPLE)
        trace = read_perfetto.Trace(read(path))
        chrome = json.loads(read(written(folder, "trace.json", "replay", SAMPLE)))
        process = {}  # process of each track

        def process_of(track):
            while trace.tracks[track].parent:
                track = trace.tracks[track].parent
            return trace.tracks[track].process
        lanes = [s for s in trace.slices if process_of(s.track)]
        named = {e["pid"]: e["args"]["name"] for e in chrome["traceEvents"] if e["name"] == "process_name"}
        threads = {(e["pid"], e["tid"]): e["args"]["name"] for e in chrome["traceEvents"] if e["name"] == "thread_name"}
        nanoseconds = lambda text: round(text * 1000)
        expected = sorted((named[e["pid"]], threads[e["pid"], e["tid"]], e["name"], nanoseconds(e["ts"]), nanoseconds(e["ts"]) + nanoseconds(e["dur"]), e["args"]["task"])
                          for e in chrome["traceEvents"] if e["ph"] == "X")
        found = sorted((process_of(s.track), trace.tracks[s.track].name, s.name, s.start, s.end, s.notes["task"]) for s in lanes)
        check("slices are those of the Chrome trace", found == expected, (len(found), len(expected), found[:2], expected[:2]))
        result = answer("critical-path", SAMPLE)
        on_path = [s for s in trace.slices if not process_of(s.track) and s.name != "waiting"]
        check("the critical path is a track of its own", [(s.name, s.end - s.start, s.notes["rank"]) for s in on_path] == [(t["name"], t["duration_ns"], t["rank"]) for t in result["tasks"]], len(on_path))
        check("and is named", [t.name for t in trace.tracks.values() if t.name.startswith("critical path of ")] != [], list(trace.tracks.values())[:4])
        flows = {}
        for s in lanes:
            for flow in s.flows:
                flows.setdefault(flow, []).append(s)
        check("arrows join two slices or more, of a replay", flows and all(len(ends) > 1 and all("replayed" in process_of(s.track) for s in ends) for ends in flows.values()), len(flows))
        check("counters come back to 0", trace.counts and all(values[-1][1] == 0 and min(v for _, v in values) >= 0 and [t for t, _ in values] == sorted(t for t, _ in values) for values in trace.counts.values()), len(trace.counts))
        said = [notes for _, name, notes in trace.instants if name == "made by stepsim"]
        check("provenance", len(said) == 1 and dict(said[0])["commit"] == result["provenance"]["commit"], said)
        trace = read_perfetto.Trace(read(written(folder, "pftrace", "whatif", SAMPLE, "--set", "compute.scale=2")))
        check("baseline beside scenario", {t.process.split()[-1] for t in trace.tracks.values() if t.process} == {"baseline", "scenario"})
        if shutil.which("protoc"):
            raw = run("protoc", "--decode_raw", input=read(path))
            check("protoc reads it", raw.returncode == 0, raw.stderr[:300])


def pictures():
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (("grid.yaml", GRID), ("line.yaml", LINE)):
            write(folder, name, text)
            picture = xml.fromstring(read(written(folder, "svg", "sweep", SAMPLE, "-s", name)))
            dots = [(float(dot.get("cy")), dot[0].text) for dot in picture.iter("{http://www.w3.org/2000/svg}circle")]
            points = answer("sweep", SAMPLE, "-s", name, cwd=folder)["points"]
            by_time = sorted(zip((p["iteration_ns"] for p in points), (y for y, _ in dots)))
            slopes = [(a[1] - b[1]) / (b[0] - a[0]) for a, b in zip(by_time, by_time[1:]) if b[0] > a[0] * 1.01]
            check(f"the dots of {name} are where the times are", len(dots) == len(points) and max(slopes) - min(slopes) < 0.05 * max(slopes), (dots, by_time))
        picture = xml.fromstring(read(written(folder, "svg", "replay", SAMPLE)))
        shapes = list(picture.iter("{http://www.w3.org/2000/svg}rect"))
        texts = [text.text for text in picture.iter("{http://www.w3.org/2000/svg}text")]
        check("the timeline", len(shapes) > 100 and any("rank 0 measured" in text for text in texts) and any("rank 1 replayed" in text for text in texts), texts)
        check("provenance", "stepsim replay" in picture[0].text, picture[0].text)
        faster = ["--set", "network.bandwidth=2x"]
        compared = ["compare", SAMPLE, *faster]
        for command in (compared, ["stats", SAMPLE], ["check", SAMPLE], ["advise", SAMPLE]):
            picture = xml.fromstring(read(written(folder, "svg", *command)))
            bars = [rect for rect in picture.iter("{http://www.w3.org/2000/svg}rect") if len(rect) > 0]
            check(f"the bars of {command[0]}", len(bars) > 5, len(bars))
            if command is compared:
                rows = sorted(answer(*command)["rows"], key=lambda row: -abs(row["difference_ns"]))[:10]
                times = [row[side] for row in rows for side in ("a_ns", "b_ns")]
                widths = [float(bar.get("width")) for bar in bars]
                scale = max(widths) / max(times)
                check("the ten largest differences", len(widths) == len(times) and all(abs(width - scale * time) < 1.3 for width, time in zip(widths, times)), (widths, times))
        picture = xml.fromstring(read(written(folder, "svg", "whatif", SAMPLE, *faster)))
        words = " ".join(text.text for text in picture.iter("{http://www.w3.org/2000/svg}text"))
        check("the numbers of a what-if", "less than the baseline" in words, words)
        run = quietly("stats", os.path.join(os.path.dirname(SAMPLE), "pytorch-ddp"), "--collectives", "-o", "x.svg", cwd=folder)
        check("nothing to draw", one_line(run, 2) and b"nothing to draw" in run.stderr, run)


# --- rules for all formats

def compressed_and_streamed():
    with tempfile.TemporaryDirectory() as folder:
        for extension in extensions():
            plain = read(written(folder, extension, "replay", SAMPLE))
            run = quietly("replay", SAMPLE, "-o", f"-.{extension}", cwd=folder)
            # The command line is part of a result, so the lengths may differ.
            check(f"-.{extension} is standard output", run.returncode == 0 and abs(len(run.stdout) - len(plain)) <= 4096 and run.stdout[:8] == plain[:8], (run.returncode, len(run.stdout), len(plain), run.stderr))
            path = os.path.join(folder, f"out.{extension}.gz")
            run = quietly("replay", SAMPLE, "-o", path, cwd=folder)
            if extension in PACKED:
                check(f".{extension}.gz is refused", one_line(run, 2) and b"packed" in run.stderr and not os.path.exists(path), run)
            else:
                check(f".{extension}.gz", run.returncode == 0 and abs(len(gzip.decompress(read(path))) - len(plain)) < 1000, run)
        run = quietly("replay", SAMPLE, "-o", "-", cwd=folder)
        check("- alone is the answer", json.loads(run.stdout)["schema"] == "stepsim.replay/1" and not os.path.exists(os.path.join(folder, "-")), run)
        run = quietly("replay", SAMPLE, "-o", "-", "--json", cwd=folder)
        check("two answers on one output", one_line(run, 2), run)
        run = quietly("sweep", SAMPLE, "-s", "grid.yaml", "-o", "-.csv", cwd=folder)
        check("a sweep without its file", one_line(run), run)
        write(folder, "grid.yaml", LINE)
        run = quietly("sweep", SAMPLE, "-s", "grid.yaml", "-o", "-.csv", cwd=folder)
        check("a sweep to standard output", run.returncode == 0 and len(list(csv.reader(io.StringIO(run.stdout.decode())))) == 4, run)
        check("leaves no file of points", not [name for name in os.listdir(folder) if "points" in name], os.listdir(folder))
        run = quietly("sweep", SAMPLE, "-s", "grid.yaml", "--shard", "0/2", "-o", "-.csv", cwd=folder)
        check("a shard wants a file", one_line(run, 2), run)


# --- hostile names

HOSTILE = ["</script><script>alert(1)</script>", "<!--", "]]>", "quote\" and 'single' \\ back", "=1+1", "+cmd|' /C calc'!A0", "@SUM(1)", "-2+3", "  =1", "tab\tname", "\x1b[31mred\x07", "bell\x9b2J",
           "\u202eright to left\u202c", "line\u2028separator", "_x001B_", "_x005F_x", "name'); DROP TABLE tasks;--", "%s%n{}{0}", "\U0001F600", "\uFFFE\uFFFF", "x" * 10_000]


def hostile_capture(folder):
    """Kernels with these names, one after the other, each with its launch."""
    events = []
    for i, name in enumerate(HOSTILE):
        events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 2 * i, "dur": 1, "args": {"correlation": i + 1}})
        events.append({"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": 10 + 100 * i, "dur": 100, "args": {"correlation": i + 1, "stream": 7, "device": 0}})
    return write(folder, "hostile.json", json.dumps({"schemaVersion": 1, "distributedInfo": {"rank": 0}, "traceEvents": events}))


def is_harmless(text):
    """Whether there are no control characters except line ends and tabs of markup, and no characters that change the
    direction of text."""
    return not [c for c in text if (unicodedata.category(c) == "Cc" and c not in "\n\r\t") or c in "\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f"]


def hostile_names():
    with tempfile.TemporaryDirectory() as folder:
        trace = hostile_capture(folder)
        expected = set(HOSTILE)
        files = {extension: written(folder, extension, "critical-path", trace) for extension in extensions("critical-path")}
        chrome = json.loads(read(files["trace.json"]))
        check("Chrome trace", expected <= {e["name"] for e in chrome["traceEvents"]})
        names = [row[0] for row in sqlite3.connect(files["sqlite"]).execute("SELECT name FROM tasks")]
        check("SQLite", expected <= set(names), expected - set(names))
        columns, _ = read_parquet.read(files["parquet"])
        check("Parquet", expected <= set(columns["name"]), expected - set(columns["name"]))
        perfetto = read_perfetto.Trace(read(files["pftrace"]))
        check("Perfetto", expected <= {s.name for s in perfetto.slices}, expected - {s.name for s in perfetto.slices})
        sheets, members = workbook(files["xlsx"])
        inside = {row.get("A") for row in sheets["rows"]}
        # XML cannot contain U+FFFE and U+FFFF.
        check("workbook", {name for name in expected if "\uFFFE" not in name} <= inside and "\uFFFD\uFFFD" in inside, expected - inside)
        check("no formula in the archive", not [name for name, content in members.items() if b"<f>" in content or b"<f " in content])
        for extension, path in files.items():
            if extension in PACKED or extension in ("pftrace", "html"):  # a page has its own scripts and tests
                continue
            text = read(path).decode()
            check(f"{extension} is harmless", is_harmless(text) and (extension == "csv" or "<script" not in text), extension)
        picture = xml.fromstring(read(files["svg"]))
        check("no script in the picture", {element.tag.split("}")[1] for element in picture.iter()} <= {"svg", "metadata", "title", "rect", "path", "circle", "text"})


# --- faults

def without_room():
    """A full device, a file-size limit and an unwritable folder: one error line, the old file, no temporary file."""
    for extension in extensions():
        with tempfile.TemporaryDirectory() as folder:
            with open("/dev/full", "wb") as full:
                run = quietly("replay", SAMPLE, "-o", f"-.{extension}", stdout=full)
            check(f".{extension} to a full device", one_line(run), run)
            path = write(folder, f"out.{extension}", b"old")
            run = quietly("replay", SAMPLE, "-o", path, cwd=folder, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024)))
            check(f".{extension} under a file-size limit", one_line(run) and read(path) == b"old" and os.listdir(folder) == [f"out.{extension}"], (run, os.listdir(folder)))


def killed():
    """kill -9 immediately, when a temporary file exists, and when the file is replaced; in nightly tests also at
    random moments. The file is then the old or the new one, and after the next run there is no temporary file."""
    chance = dice()
    for extension in extensions():
        with tempfile.TemporaryDirectory() as folder:
            path = written(folder, extension, "replay", SAMPLE)
            new, whole = read(path), 0
            moments = [lambda: True, lambda: len(os.listdir(folder)) > 1, lambda: read(path) != b"old"]
            for moment in moments + [None] * (12 if NIGHTLY else 0):
                write(folder, path, b"old")
                child = start("replay", SAMPLE, "--quiet", "-o", path)
                if moment is None:
                    time.sleep(chance.uniform(0.02, 0.3))
                else:
                    wait_until(moment, child)
                child.kill()
                child.communicate()
                content = read(path)
                whole += content == new
                check(f".{extension} after a kill", content in (b"old", new), len(content))
                check(f".{extension} after its end", content == new or moment is not moments[-1], len(content))
            written(folder, extension, "replay", SAMPLE)
            check(f"nothing is left beside .{extension}", os.listdir(folder) == [f"out.{extension}"], os.listdir(folder))
            print(f"while writing .{extension}, {whole} kills came after the rename")


def converted():
    """A table of a conversion has a row for each task, with the task's name and duration of the task graph, which also
    has delays and lags as tasks of their own."""
    with tempfile.TemporaryDirectory() as folder:
        with open(written(folder, "csv", "convert", SAMPLE), encoding="utf-8", newline="") as file:
            rows = [(row["name"], int(row["duration_ns"])) for row in csv.DictReader(file)]
        graph = json.loads(read(written(folder, "tasks.json", "convert", SAMPLE)))
        tasks = [(task["name"], task["ns"]) for task in graph["tasks"] if not task["name"].startswith("stepsim:")]
        check("a row for each task", sorted(rows) == sorted(tasks), (len(rows), len(tasks)))


SECTIONS = [converted, workbooks, databases, perfetto_traces, pictures, compressed_and_streamed, hostile_names, without_room, killed]


def main():
    wanted = sys.argv[3:]
    for section in SECTIONS:
        if not wanted or section.__name__ in wanted:
            section()
    return verdict()


if __name__ == "__main__":
    sys.exit(main())

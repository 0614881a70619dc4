#!/usr/bin/env python3
"""graph_layout.py STEPSIM SAMPLE: whatever the programs `dot` and `rsvg-convert` do, `graph -o x.svg` and `-o x.png` draw
a graph or report in one line why not, leave no files behind, and end dot when they end."""
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time

from checks import check, one_line, start, stepsim, verdict

SAMPLE = os.path.abspath(sys.argv[2])

# What dot prints, and a part of the error line.
ANSWERS = [
    ("exit 0", b"dot placed 0 of "),
    ("exit 3", b"dot ended with exit code 3"),
    ("kill -SEGV $$", b"dot ended with signal 11"),
    ("head -c 100 /dev/urandom", b"dot placed 0 of "),
    ("yes", b"dot wrote more than 100MB; expected --fold name, "),
    ("echo 'graph 1 nan 5'", b"dot printed 'graph 1 nan 5'"),
    ("echo 'graph 1 1e308 1e308'", b"dot printed 'graph 1 1e308 1e308'"),
    ("echo 'graph 1 5 5'; echo 'node n0 1e308 1 1 1'", b"dot printed 'node n0 1e308 1 1 1'"),
    ("echo 'graph 1 5 5'; echo 'node n0 1 1 inf 1'", b"dot printed 'node n0 1 1 inf 1'"),
    ("echo 'graph 1 5 5'; echo 'edge n0 n1 99999999999 1 1'", b"dot p"),
]


# What rsvg-convert prints, and a part of the error line.
CONVERTED = [
    ("exit 0", b"rsvg-convert wrote 0 bytes that are not a PNG picture; expected librsvg's program, or .svg"),
    ("echo usage: rsvg-convert FILE", b"rsvg-convert wrote 25 bytes that are not a PNG picture"),
    ("printf '\\211PNG\\r\\n\\032\\n\\0\\0\\0\\rIHDR'; head -c 1000 /dev/zero", b"rsvg-convert wrote 1016 bytes that are not"),
    ("echo no memory >&2; exit 1", b"rsvg-convert ended with exit code 1: no memory"),
]


def with_program(folder, name, script):
    """Returns an environment in which this program is a shell script."""
    programs = tempfile.mkdtemp(dir=folder)
    path = os.path.join(programs, name)
    with open(path, "w") as file:
        file.write("#!/bin/sh\n" + script + "\n")
    os.chmod(path, 0o755)
    return {**os.environ, "PATH": programs + ":" + os.environ["PATH"]}


def is_running(process):
    try:
        with open(f"/proc/{process}/stat") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def ends(process):
    """Whether the process ends within ten minutes, which is much more than it needs."""
    for _ in range(60000):
        if not is_running(process):
            return True
        time.sleep(0.01)
    return False


def answers(scratch):
    for extension in ("svg", "html"):
        for script, sentence in ANSWERS:
            with tempfile.TemporaryDirectory(dir=scratch) as folder:
                target = os.path.join(folder, "x." + extension)
                run = stepsim("graph", SAMPLE, "-o", target, env=with_program(scratch, "dot", script))
                check(f".{extension}, {script}", one_line(run) and sentence in run.stderr, run)
                check(f".{extension}, {script}: no file", os.listdir(folder) == [], os.listdir(folder))


def converted(scratch):
    """A converter's answer is checked. Its input has a name that no other process uses."""
    for script, sentence in CONVERTED:
        with tempfile.TemporaryDirectory(dir=scratch) as folder:
            run = stepsim("replay", SAMPLE, "-o", os.path.join(folder, "x.png"), env=with_program(scratch, "rsvg-convert", script))
            check(f"rsvg-convert: {script}", one_line(run) and sentence in run.stderr, run)
            check(f"rsvg-convert: {script}: no file", os.listdir(folder) == [], os.listdir(folder))
    with tempfile.TemporaryDirectory(dir=scratch) as temporary:
        env = {**with_program(scratch, "rsvg-convert", "echo $2 >&2; exit 1"), "TMPDIR": temporary}
        names = {stepsim("replay", SAMPLE, "-o", os.path.join(scratch, "x.png"), env=env).stderr.split()[-1].decode() for _ in range(2)}
        own = [re.fullmatch(re.escape(temporary) + r"/stepsim-[A-Za-z0-9]{6}/picture\.svg", name) for name in names]
        check("names of temporary pictures", len(names) == 2 and all(own), names)
        check("no temporary picture is left", os.listdir(temporary) == [], os.listdir(temporary))


def processor_time(scratch):
    """The limit counts what dot computes, not how long it waits. It is the smaller one of this process (ulimit -t)."""
    limit = 5  # much more than stepsim needs for itself
    run = stepsim("graph", SAMPLE, "-o", os.path.join(scratch, "x.svg"), env=with_program(scratch, "dot", "while :; do :; done"),
                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, 10 * limit)))
    sentence = b"dot used more than 5 s of processor time; expected --fold name, "
    check("a dot that computes for too long", one_line(run) and sentence in run.stderr, run)


def ended(scratch, number):
    """dot ends when we end, whatever ends us."""
    with tempfile.TemporaryDirectory(dir=scratch) as folder:
        note = os.path.join(scratch, f"dot-{number}")
        env = with_program(scratch, "dot", f"echo $$ > {note}.new; mv {note}.new {note}; exec sleep 1000")
        child = start("graph", SAMPLE, "-o", os.path.join(folder, "x.svg"), env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        while not os.path.exists(note) and child.poll() is None:
            time.sleep(0.01)
        check("dot was started", os.path.exists(note))
        dot = int(open(note).read())
        child.send_signal(number)
        _, err = child.communicate()
        if number == signal.SIGKILL:
            check("killed", child.returncode == -number, child.returncode)
        else:
            check(f"signal {number}", child.returncode == 130 and err == b"error: interrupted\n", (child.returncode, err))
        check(f"dot ends after signal {number}", ends(dot))
        check(f"no file after signal {number}", os.listdir(folder) == [], os.listdir(folder))


def real_dot(folder):
    """Every edge is drawn: the picture has as many curves as the .dot file has edges, each with 3 n + 1 points. All
    numbers are valid in a picture."""
    if subprocess.run(["sh", "-c", "command -v dot"], stdout=subprocess.DEVNULL).returncode != 0:
        return print("dot is absent: its own layouts are not tested")
    svg, dot = (os.path.join(folder, "x." + extension) for extension in ("svg", "dot"))
    for fold in ("layer", "name", "rank", "auto"):
        for target in (svg, dot):
            run = stepsim("graph", SAMPLE, "--fold", fold, "-o", target)
            check(f"--fold {fold} -o {target}", run.returncode == 0, run)
        picture = open(svg).read()
        curves = re.findall(r'<path d="(M[^"]*C[^"]*)"', picture)
        edges = re.findall(r"^  n[0-9]+ -> n[0-9]+ ", open(dot).read(), re.M)
        check(f"--fold {fold}: {len(curves)} curves, {len(edges)} edges", len(curves) == len(edges) > 0)
        for curve in curves:
            numbers = re.findall(r"-?[0-9.]+", curve)
            check(f"points of {curve}", len(numbers) % 6 == 2 and len(numbers) >= 8)
        check("no nonsense", not re.search(r"[\"( ,-](nan|inf)|e\+", picture))


with tempfile.TemporaryDirectory() as scratch:
    answers(scratch)
    converted(scratch)
    processor_time(scratch)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
        ended(scratch, number)
    real_dot(scratch)
sys.exit(verdict())

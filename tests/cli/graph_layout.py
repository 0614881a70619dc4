#!/usr/bin/env python3
"""graph_layout.py STEPSIM SAMPLE: whatever the program `dot` does, `graph -o x.svg` draws a graph or reports in one
line why not, leaves no files behind, and ends dot when it ends."""
import os
import re
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


def with_dot(folder, script):
    """Returns an environment in which dot is this shell script."""
    programs = tempfile.mkdtemp(dir=folder)
    path = os.path.join(programs, "dot")
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
    """Whether the process ends within a minute, which is much more than it needs."""
    for _ in range(6000):
        if not is_running(process):
            return True
        time.sleep(0.01)
    return False


def answers(scratch):
    for extension in ("svg", "html"):
        for script, sentence in ANSWERS:
            with tempfile.TemporaryDirectory(dir=scratch) as folder:
                target = os.path.join(folder, "x." + extension)
                run = stepsim("graph", SAMPLE, "-o", target, env=with_dot(scratch, script))
                check(f".{extension}, {script}", one_line(run) and sentence in run.stderr, run)
                check(f".{extension}, {script}: no file", os.listdir(folder) == [], os.listdir(folder))


def ended(scratch, number):
    """dot ends when we end, whatever ends us."""
    with tempfile.TemporaryDirectory(dir=scratch) as folder:
        note = os.path.join(scratch, f"dot-{number}")
        env = with_dot(scratch, f"echo $$ > {note}.new; mv {note}.new {note}; exec sleep 1000")
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
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
        ended(scratch, number)
    real_dot(scratch)
sys.exit(verdict())

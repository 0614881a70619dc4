#!/usr/bin/env python3
"""terminal.py STEPSIM SAMPLE: in a terminal no line is wider than the terminal, names are escaped, and colour appears
only if wanted. In a pipe nothing is cut and nothing is coloured."""
import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios
import unicodedata

from checks import check, start, stepsim, verdict, write

SAMPLE = sys.argv[2]
ESCAPE = re.compile(r"\x1b\[[0-9;]*m")


def width_of(line):
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)


def in_terminal(arguments, columns, **environment):
    """Returns stepsim's output in a terminal of `columns` columns, and its exit code."""
    plain = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "TERM", "COLUMNS")}
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    process = start(*arguments, stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs,
                    env={**plain, "TERM": "xterm-256color", **environment})
    os.close(theirs)
    text = b""
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:
            break
        if not piece:
            break
        text += piece
    os.close(ours)
    return text.decode().replace("\r\n", "\n"), process.wait()


def in_pipe(arguments, **environment):
    return stepsim(*arguments, text=True, env={**os.environ, **environment}).stdout


def hostile_trace(folder):
    """A trace with names that would move the cursor, and with wide and long names."""
    names = ["\\u001b[2J\\u001b[31mred", "\\u6f22\\u5b57" * 60, "k" * 400, "\\u202eback"]
    events = "".join(f',{{"ph":"X","cat":"cpu_op","name":"{name}","pid":1,"tid":1,"ts":{1000 * i + 10},"dur":900}}'
                     for i, name in enumerate(names))
    return write(folder, "hostile.json", '{"traceEvents":[{"ph":"X","cat":"user_annotation","name":"ProfilerStep#1","pid":1,"tid":1,"ts":0,'
                 '"dur":5000}' + events + "]}")


def check_widths(folder):
    network = ["--set", "network.bandwidth=0.5x"]
    commands = [["replay", SAMPLE], ["critical-path", SAMPLE], ["whatif", SAMPLE, *network], ["tasks", SAMPLE],
                ["sweep", SAMPLE, "-s", os.path.join(os.path.dirname(SAMPLE), "..", "library", "network-or-partitions.yaml"),
                 "--quiet"],
                ["replay", hostile_trace(folder)], ["tasks", hostile_trace(folder)],
                ["--help"], ["whatif", "--help"], ["sweep", "--help"], ["help"], ["help", "devices"], ["help", "network"]]
    for columns in (60, 80, 120):
        for command in commands:
            text, code = in_terminal(command, columns, NO_COLOR="1")
            name = " ".join(os.path.basename(word) for word in command[:2])
            # Examples in help are not wrapped, so that they can be copied.
            widest = max((line for line in text.splitlines() if not line.startswith("  stepsim ")), key=width_of)
            check(f"{name} at {columns} ends well: {text[-300:] if code else 0}", code == 0)
            check(f"{name} at {columns}: the widest line takes {width_of(widest)}: {widest}", width_of(widest) <= columns)
            check(f"{name} at {columns}: no escape with NO_COLOR", "\x1b" not in text)


def check_colour(folder):
    colored, _ = in_terminal(["replay", SAMPLE], 80)
    check("a terminal gets colour", "\x1b[1m" in colored)
    check("colour changes no letter", ESCAPE.sub("", colored) == in_terminal(["replay", SAMPLE], 80, NO_COLOR="1")[0])
    check("none with TERM=dumb", "\x1b" not in in_terminal(["replay", SAMPLE], 80, TERM="dumb")[0])
    check("none with --color never", "\x1b" not in in_terminal(["replay", SAMPLE, "--color", "never"], 80)[0])
    check("none in a pipe", "\x1b" not in in_pipe(["replay", SAMPLE]))
    check("some in a pipe with --color always", "\x1b[1m" in in_pipe(["replay", SAMPLE, "--color", "always"]))
    check("names bring no escape", "\x1b" not in ESCAPE.sub("", in_terminal(["tasks", hostile_trace(folder)], 80)[0]))
    error, code = in_terminal(["replay", "/nowhere"], 80)
    check(f"an error is marked: {error!r}", code == 1 and error.startswith("\x1b[1;31merror:\x1b[0m "))
    error, _ = in_terminal(["replay", "/nowhere", "--color=never"], 80)
    check(f"not with --color=never: {error!r}", error.startswith("error: "))


def check_pipe(folder):
    check("a pipe gets names whole", "k" * 400 in in_pipe(["tasks", hostile_trace(folder)]))
    check("and all columns", "left out" not in in_pipe(["critical-path", SAMPLE]))
    check("whatever COLUMNS says", in_pipe(["replay", SAMPLE], COLUMNS="60") == in_pipe(["replay", SAMPLE]))
    check("a terminal is told what is left out", "left out: " in in_terminal(["critical-path", SAMPLE], 60)[0])


def check_brief():
    for command in (["replay"], ["critical-path"], ["whatif", "--set", "network.bandwidth=2x"], ["tasks"], ["calibrate"]):
        paragraphs = in_pipe([command[0], SAMPLE, *command[1:]]).split("\n\n")
        first = paragraphs[:2 if command[0] in ("replay", "whatif") else 1]  # also where to look next, and why
        check(f"{command[0]} --brief prints the first lines", in_pipe([command[0], SAMPLE, *command[1:], "--brief"]) == "\n\n".join(first) + "\n")


with tempfile.TemporaryDirectory() as scratch:
    check_widths(scratch)
    check_colour(scratch)
    check_pipe(scratch)
    check_brief()
sys.exit(verdict())

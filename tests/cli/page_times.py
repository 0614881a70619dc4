#!/usr/bin/env python3
"""page_times.py STEPSIM SAMPLES: tests that a page draws the measured and the replayed step of the critical path below
each other. Real captures are in a folder next to the checkout; those that are absent are skipped."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from checks import SHARED, STEPSIM, check, verdict

SAMPLES = pathlib.Path(sys.argv[2])
KINETO = pathlib.Path(SHARED) / "kineto"
FILES = sorted(SAMPLES.iterdir()) + (sorted(KINETO.iterdir()) if KINETO.is_dir() else [])


def graphs_of(capture, folder):
    """Returns the graphs on the page of a replay; none if the capture cannot be replayed."""
    page = os.path.join(folder, "page.html")
    run = subprocess.run([STEPSIM, "replay", capture, "--quiet", "-o", page], capture_output=True, text=True, timeout=600)
    if run.returncode != 0:
        return []
    text = pathlib.Path(page).read_text()
    return json.loads(re.search(r'id="data-timelines">(.*?)</script>', text, re.S)[1])


def aligned(sides, times):
    return [time - side["align_ns"] for side, time in zip(sides, times)]


def step_of_path(graph, path):
    found = re.fullmatch(r"rank (\d+)'s step (-?\d+)", path["of"])
    return found and next(step for step in graph["steps"] if [step["rank"], step["step"]] == [int(n) for n in found.groups()])


seen = 0
with tempfile.TemporaryDirectory() as folder:
    for capture in FILES:
        for graph in graphs_of(capture, folder):
            sides = graph["sides"]
            step = step_of_path(graph, sides[-1]["path"])
            if len(sides) != 2 or step is None:
                continue
            seen += 1
            begins, ends = aligned(sides, step["begin_ns"]), aligned(sides, step["end_ns"])
            shared = min(ends) - max(begins)
            shorter = min(end - begin for begin, end in zip(begins, ends))
            check(f"{capture.name}: the measured and the replayed step are below each other", shared > 0.8 * shorter,
                  f"they share {shared} ns of {shorter} ns")
check("pages have a measured and a replayed step", seen > 0)
verdict()

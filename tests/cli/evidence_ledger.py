#!/usr/bin/env python3
"""evidence_ledger.py STEPSIM ROOT: the ledger of bench/score_evidence.py weighs sources and benchmarks equally, counts
refusals, draws its errors, and finds files that are not those of the rows. Ctrl-C leaves everything as it was."""
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree

from checks import check, verdict

ROOT = pathlib.Path(sys.argv[2]).resolve()
sys.path.insert(0, str(ROOT / "bench"))
import error_bars  # noqa: E402
import score_evidence as board  # noqa: E402
from evidence import form  # noqa: E402


def row(source, benchmark, name, measured, predicted, base="modelled", **more):
    return form.Row("device", source, benchmark, name, base, "training", "one", "transformer", "Hopper", "bf16", "s", measured, predicted=predicted, **more)


def groups_weigh_equally():
    # One source is 10 % too long in each of three rows; the other is right in one benchmark and 30 % too long in another.
    rows = [*(row("one", "a", str(number), 1.0, 1.1) for number in range(3)), row("two", "b", "b", 1.0, 1.0), row("two", "c", "c", 1.0, 1.3)]
    found = board.figures(rows)
    check("mean error", found["mean error"] == f"{(0.1 + (0 + 0.3) / 2) / 2:.4f}", found)
    check("counts", (found["rows"], found["sources"], found["refused"]) == ("5", "2", "0"), found)
    check("no ranges", "in range" not in found, found)


def ranges_and_refusals_count():
    rows = [row("one", "a", "in", 1.0, 1.1, low=0.9, high=1.2), row("one", "a", "out", 1.0, 1.5, low=1.2, high=1.9), row("one", "a", "refused", 1.0, None, refused="why")]
    found = board.figures(rows)
    check("share in range", found["in range"] == "0.5000", found)
    check("refused", (found["rows"], found["refused"]) == ("3", "1"), found)


def quantiles_are_weighted():
    check("median of unequal weights", board.quantile([3.0, 1.0, 2.0], [0.6, 0.2, 0.2], 0.5) == 3.0)
    check("lowest", board.quantile([3.0, 1.0, 2.0], [0.6, 0.2, 0.2], 0.1) == 1.0)


def peers_are_compared_where_they_answer():
    rows = [row("one", "a", "x", 1.0, 1.2, peer=0.7), row("one", "a", "y", 1.0, 1.1), row("one", "a", "z", 2.0, 2.0, peer=2.2)]
    check("error of the peer", board.figures(rows)["peer"] == f"{(0.3 + 0.1) / 2:.4f}", board.figures(rows))


def bars_are_in_proportion():
    drawn = board.charts(board.ledger([row("azure-h100", "a", "x", 1.0, 1.1), row("simumax-b200", "a", "y", 1.0, 2.0)], {("device", "modelled", "azure-h100", "unseen"): "0.2000"}))
    (name, text), = ((file.name, text) for file, text in drawn.items())
    picture = ElementTree.fromstring(text)
    widths = sorted({int(rect.get("width")) for rect in picture.findall("{*}rect") if rect.get("height") == str(error_bars.LINE - 6)})
    check("a tenth has a quarter of the width of 40 %, and no bar is longer", (name, widths) == ("device.svg", [error_bars.BARS // 4, error_bars.BARS]), (name, widths))
    words = [one.text for one in picture.findall("{*}text")]
    check("labels and the error before", {"azure-h100, modelled", "10.0 % (before: 20.0 %)", "100.0 %"} <= set(words), words)


def scaled_answers_count_once():
    rows = [row("one", "a", "x", 1.0, 1.2), row("one", "a", "x", 1.0, 1.01, base="scaled"), row("one", "a", "only scaled", 1.0, 1.02, base="scaled")]
    check("scaled answers of questions that were also asked without", [one.predicted for one in board.once_each(rows)] == [1.2, 1.02])


def rows_are_written_and_read(folder):
    rows = [row("one", "a", "with, comma", 1.25, 1.5, low=1.0, high=2.0), row("one", "a", "refused", 1.0, None, refused="why")]
    form.write_rows(folder / "rows.csv", rows)
    check("rows", form.read_rows(folder / "rows.csv") == rows, form.read_rows(folder / "rows.csv"))


def changed_files_are_found(folder):
    for name in ("LEDGER", "PAGE"):
        file = getattr(board, name)
        other = folder / file.name
        other.write_text(file.read_text(encoding="utf-8").replace("0", "1", 1), encoding="utf-8")
        board.ROOT, before = folder, board.ROOT
        setattr(board, name, other)
        check(f"another {file.name}", [fault.split()[0] for fault in board.faults()][:1] == [file.name], list(board.faults()))
        setattr(board, name, file)
        board.ROOT = before


def interrupt_leaves_the_files(folder):
    """The program is a stand-in that never ends on its own, and that says when it was started."""
    program, begun, before = folder / "stepsim", folder / "begun", board.ROWS.read_bytes()
    program.write_text(f"#!/bin/sh\ntouch '{begun}'\nexec sleep 1\n", encoding="utf-8")
    program.chmod(0o755)
    process = subprocess.Popen([sys.executable, "-B", ROOT / "bench/score_evidence.py", program, folder / "nowhere", "own_runs"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    while not begun.exists() and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    printed, _ = process.communicate()
    check("Ctrl-C", process.returncode == 1 and printed.endswith("dev: interrupted; nothing was written\n") and "Traceback" not in printed, printed)
    check("the rows are as before", board.ROWS.read_bytes() == before)


groups_weigh_equally()
ranges_and_refusals_count()
quantiles_are_weighted()
peers_are_compared_where_they_answer()
bars_are_in_proportion()
scaled_answers_count_once()
with tempfile.TemporaryDirectory() as place:
    rows_are_written_and_read(pathlib.Path(place))
    changed_files_are_found(pathlib.Path(place))
    interrupt_leaves_the_files(pathlib.Path(place))
sys.exit(verdict())

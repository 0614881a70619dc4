#!/usr/bin/env python3
"""scoreboard.py STEPSIM ROOT: bench/scoreboard.py reads what scores print, fails if it cannot, keeps the rows that it did not
measure, and ends cleanly on Ctrl-C. The scores are stand-ins that print known figures."""
import contextlib
import io
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

from checks import STEPSIM, check, verdict

ROOT = pathlib.Path(sys.argv[2]).resolve()
sys.path.insert(0, str(ROOT / "bench"))
import scoreboard as board  # noqa: E402
import scores  # noqa: E402

# 1 MB and less: 10 % and 30 % off; above: 5 % off.
NCCL = r"""print('''a100_sxm all_reduce 2 GPUs
        4096 B measured       10.0 us, predicted       11.0  +10%
     1048576 B measured       20.0 us, predicted       14.0  -30%
     4194304 B measured      100.0 us, predicted       95.0  -5%
mean |error| above 1 MB 5.0% of 1 rows, below 20.0% of 2; worst a100_sxm all_reduce 15%; 0 refused''')"""


def stand_in(shared, text):
    (shared / "truth/cluster/nccl").mkdir(parents=True, exist_ok=True)
    (shared / "check").mkdir(exist_ok=True)
    (shared / "check/score_nccl.py").write_text(text, encoding="utf-8")


def measured(shared, *names):
    """Returns the rows, whether a score failed, and what was printed."""
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        new, wrong = board.measure(names, STEPSIM, shared, shared)
    return new, wrong, printed.getvalue()


def figures_are_those_of_the_rows(shared):
    stand_in(shared, NCCL)
    new, wrong, printed = measured(shared, "nccl")
    small, large = new["nccl", "small"], new["nccl", "large"]
    check("mean and worst", not wrong and (small["number"], small["mean error"], small["worst error"]) == ("2", "20.00 %", "30.00 %"), printed)
    check("groups", (large["number"], large["mean error"], large["in range"]) == ("1", "5.00 %", ""), large)
    answers = [scores.ranged(1.1, 1.0, 0.9, 1.2), scores.ranged(2.0, 4.0, 1.0, 3.0, peer=-0.25)]
    score = scores.Score(answers)
    check("ranges", (score.inside, round(score.width, 9), score.peer) == (0.5, 0.4, None), (score.inside, score.width))  # widths 0.3 and 0.5


def other_output_fails(shared):
    for what, text in (("no last line", "print('all is well')"), ("another number of rows", NCCL.replace("of 2;", "of 3;")), ("an exception", "raise SystemExit(2)")):
        stand_in(shared, text)
        new, wrong, printed = measured(shared, "nccl")
        check(what, wrong and not new and "FAILED: score_nccl.py" in printed, printed)


def absent_data_keep_their_rows(shared):
    new, wrong, printed = measured(shared / "nowhere", "models", "nccl")
    check("absent data are no failure", not wrong and not new and printed.count("is absent, so its rows stay as they are") == 2, printed)


def changed_table_is_found(folder):
    board.TABLE = folder / "scoreboard.csv"
    text = (ROOT / "docs/results/scoreboard.csv").read_text(encoding="utf-8")
    board.TABLE.write_text(text.replace(",55,", ",54,", 1), encoding="utf-8")
    check("another figure", [fault.split()[0] for fault in board.faults()] == ["docs/internals/scoreboard.md", "README.md"], list(board.faults()))
    board.TABLE.write_text("\n".join(text.splitlines()[:-1]) + "\n", encoding="utf-8")
    check("a missing row", ["has other rows" in fault for fault in board.faults()] == [True], list(board.faults()))


def interrupt_ends_everything(shared):
    begun = shared / "pid"
    stand_in(shared, f"import os, time\nopen({str(begun)!r} + '~', 'w').write(str(os.getpid()))\nos.rename({str(begun)!r} + '~', {str(begun)!r})\ntime.sleep(3000)")
    before = (ROOT / "docs/results/scoreboard.csv").read_bytes()
    process = subprocess.Popen([sys.executable, "-B", ROOT / "bench/scoreboard.py", STEPSIM, shared, "nccl"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    while not begun.exists() and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    printed, _ = process.communicate()
    check("Ctrl-C", process.returncode == 1 and printed.endswith("dev: interrupted; nothing was written\n") and "Traceback" not in printed, printed)
    check("its score has ended", not os.path.exists(f"/proc/{begun.read_text()}"))
    check("the table is as before", (ROOT / "docs/results/scoreboard.csv").read_bytes() == before)


with tempfile.TemporaryDirectory() as place:
    figures_are_those_of_the_rows(pathlib.Path(place))
    other_output_fails(pathlib.Path(place))
    absent_data_keep_their_rows(pathlib.Path(place))
    changed_table_is_found(pathlib.Path(place))
    interrupt_ends_everything(pathlib.Path(place))
sys.exit(verdict())

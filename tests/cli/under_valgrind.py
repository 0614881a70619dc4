"""under_valgrind.py STEPSIM SAMPLE: the program starts and answers under valgrind, where long double has the range of
double, and makes no wrong use of memory."""
import shutil
import subprocess
import sys

from checks import STEPSIM, check, quietly, verdict

SAMPLE = sys.argv[2]
WRONG_USE = 99

if shutil.which("valgrind") is None:
    print("skipped: valgrind is not installed")
    sys.exit(0)
for arguments in (["--version"], ["replay", SAMPLE], ["compare", SAMPLE, SAMPLE]):
    done = subprocess.run(["valgrind", "-q", f"--error-exitcode={WRONG_USE}", STEPSIM, *arguments], capture_output=True, check=False)
    alone = quietly(*arguments)
    check(f"{arguments}: exit code", done.returncode == alone.returncode, done)
    check(f"{arguments}: output", done.stdout == alone.stdout, done)
sys.exit(verdict())

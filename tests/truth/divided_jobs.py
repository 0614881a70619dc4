#!/usr/bin/env python3
"""Compares predicted steps of jobs on four GPUs (what-if `parallel`) with measured ones, as check/score_parallel.py does.

    divided_jobs.py STEPSIM SHARED

The measured steps are those of NeuSight's artefact (SHARED/truth/gpu/models/distributed.csv). Each is predicted from a
capture of one GPU."""
import pathlib
import subprocess
import sys

# What issue 32 asks for: 8 % on average, and at most one measured step outside its range.
BAR = "0.08"
OUTSIDE = "1"


def main():
    shared = pathlib.Path(sys.argv[2])
    script = shared / "check/score_parallel.py"
    if not script.exists():
        print(f"skipped: {script} is absent")
        return 0
    return subprocess.run([sys.executable, script, sys.argv[1], shared / "truth/gpu/models", "--half", "all", "--bar", BAR, "--outside", OUTSIDE]).returncode


if __name__ == "__main__":
    sys.exit(main())

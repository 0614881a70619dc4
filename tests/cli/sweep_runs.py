"""Helpers of the sweep tests: a grid of 36 points of a BytePS capture, ways to run it, and the expected results."""
import os
import shutil
import subprocess
import sys
import tempfile

from checks import NIGHTLY, STEPSIM, check, read, start, stepsim, verdict, write

SAMPLE = os.path.abspath(sys.argv[2])
GRID = """name: grid
sweep:
  network.bandwidth: [0.25x, 0.5x, 1x, 2x, 4x, 8x]
  comm.partition_bytes: [1MiB, 1152KiB, 1280KiB, 1408KiB, 1536KiB, 1792KiB]
"""  # all points differ, and small partitions take long
POINTS = 36
THIRD = b"12 of 36 points"
LAUNCHERS = ("SLURM_", "OMPI_", "PMI_", "JOB_COMPLETION")


def environment(**more):
    return {**{k: v for k, v in os.environ.items() if not k.startswith(LAUNCHERS)}, **more}


def sweep(folder, *arguments, **more):
    return stepsim("sweep", SAMPLE, "-s", "grid.yaml", *arguments, **{"cwd": folder, "env": environment(), **more})


def start_sweep(folder, *arguments, **more):
    return start("sweep", SAMPLE, "-s", "grid.yaml", *arguments, **{"cwd": folder, "env": environment(), **more})


def merge(folder, *arguments):
    return stepsim("sweep", "--merge", *arguments, cwd=folder, env=environment())


def text(folder, name):
    return read(os.path.join(folder, name))


def one_error_line(run, code):
    return run.returncode == code and run.stderr.startswith(b"error: ") and run.stderr.count(b"\n") == 1


def fresh(whole):
    folder = tempfile.mkdtemp(dir=whole)
    shutil.copy(os.path.join(whole, "grid.yaml"), folder)
    return folder


def write_whole(folder):
    """Writes the grid, and the files that an undisturbed run makes from it."""
    write(folder, "grid.yaml", GRID)
    for extension in ("json", "csv", "md"):
        run = sweep(folder, "-o", "out." + extension)
        check(f"a sweep to .{extension}", run.returncode == 0 and run.stdout.startswith(b"Best of 36 points: "), run)


def run_all(*tests):
    """Runs each test with the folder of write_whole(), in nightly tests on every SAMPLE. Returns the exit code."""
    for sample in sys.argv[3:] if NIGHTLY else []:
        check(sample, subprocess.run([sys.executable, sys.argv[0], STEPSIM, sample]).returncode == 0)
    with tempfile.TemporaryDirectory() as whole:
        write_whole(whole)
        for test in tests:
            test(whole)
    return verdict()

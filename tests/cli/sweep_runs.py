"""What the tests of sweeps share: a grid of 36 points of a BytePS capture, how it is run, and what is held against it."""
import os
import shutil
import subprocess
import sys
import tempfile

from checks import check, verdict

STEPSIM, SAMPLE = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
GRID = """name: grid
sweep:
  network.bandwidth: [0.25x, 0.5x, 1x, 2x, 4x, 8x]
  comm.partition_bytes: [128KiB, 256KiB, 512KiB, 1MiB, 2MiB, 4MiB]
"""
POINTS = 36
THIRD = b"12 of 36 points"
LAUNCHERS = ("SLURM_", "OMPI_", "PMI_", "JOB_COMPLETION")


def environment(**more):
    return {**{k: v for k, v in os.environ.items() if not k.startswith(LAUNCHERS)}, **more}


def sweep(folder, *arguments, env=None, **more):
    command = [STEPSIM, "sweep", SAMPLE, "-s", "grid.yaml", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, env=env or environment(), **more)


def merge(folder, *arguments):
    return subprocess.run([STEPSIM, "sweep", "--merge", *arguments], cwd=folder, capture_output=True, env=environment())


def text(folder, name):
    with open(os.path.join(folder, name), "rb") as file:
        return file.read()


def one_error_line(run, code):
    return run.returncode == code and run.stderr.startswith(b"error: ") and run.stderr.count(b"\n") == 1


def fresh(whole):
    folder = tempfile.mkdtemp(dir=whole)
    shutil.copy(os.path.join(whole, "grid.yaml"), folder)
    return folder


def write_whole(folder):
    """The grid, and the files that an undisturbed run makes of it."""
    with open(os.path.join(folder, "grid.yaml"), "w") as file:
        file.write(GRID)
    for extension in ("json", "csv", "md"):
        run = sweep(folder, "-o", "out." + extension)
        check(f"a sweep to .{extension}", run.returncode == 0 and run.stdout.startswith(b"Of 36 points the best is "), run)


def run_all(*tests):
    """Each with the folder of write_whole(). The exit code."""
    with tempfile.TemporaryDirectory() as whole:
        write_whole(whole)
        for test in tests:
            test(whole)
    return verdict()

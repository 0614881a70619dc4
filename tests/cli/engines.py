#!/usr/bin/env python3
"""engines.py STEPSIM SAMPLE: a sweep on each engine (processes, MPI, Dask, Slurm) gives the bytes of one process, also
when a worker is killed in the middle, and leaves nothing behind."""
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from checks import STEPSIM, check, verdict
from slurm import Slurm, missing
from sweep_runs import GRID, SAMPLE, environment

PATHS = {"PATH": "/usr/bin:" + os.environ["PATH"], "PYTHONPATH": os.path.abspath(os.environ.get("PYTHONPATH", "."))}

DASK_PORT = 8798
# mpirun refuses root and more processes than cores unless it is told otherwise.
MPI = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1"}
# So many points that a worker can be killed before it is done.
LONG = ["--set", "compute.scale=" + ",".join(str(0.5 + i / 100) for i in range(5))]


def sweep(folder, *arguments, grid=(), **variables):
    return subprocess.run([STEPSIM, "sweep", SAMPLE, "-s", "grid.yaml", *grid, *arguments], cwd=folder, capture_output=True,
                          env=environment(**PATHS, **MPI, **variables))


def one_process(folder, grid=()):
    whole = sweep(folder, "--json", "--threads", "1", grid=grid)
    check("one process", whole.returncode == 0, whole.stderr)
    return whole.stdout


def same(what, folder, engine, expected, **more):
    run = sweep(folder, "--json", "--engine", engine, **more)
    check(f"{what}: the bytes of one process", run.returncode == 0 and run.stdout == expected, run.stderr[-500:])
    check(f"{what}: nothing is left", os.listdir(folder) == ["grid.yaml"], os.listdir(folder))


def processes_with(*words):
    """Returns the ids of the processes whose command line has all these words."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                line = file.read().split(b"\0")
        except OSError:
            continue
        if all(word.encode() in line for word in words):
            found.append(int(pid))
    return found


def kill_one_of(run, *words):
    """Kills one process with these words on its command line while `run` lasts. Returns whether there was one."""
    while run.poll() is None:
        for pid in processes_with(*words):
            try:
                os.kill(pid, signal.SIGKILL)
                return True
            except ProcessLookupError:
                pass
        time.sleep(0.005)
    return False


def killed(what, folder, engine, words, expected, **variables):
    """The result is the same if a worker is killed; a sweep that is done before that is begun again."""
    for _ in range(5):
        run = subprocess.Popen([STEPSIM, "sweep", SAMPLE, "-s", "grid.yaml", *LONG, "--json", "--engine", engine], cwd=folder,
                               env=environment(**PATHS, **MPI, **variables), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        was_killed = kill_one_of(run, *words)
        out, err = run.communicate()
        if was_killed:
            return check(f"{what}: a worker is killed", run.returncode == 0 and out == expected, (run.returncode, err[-500:]))
    check(f"{what}: a worker could be killed", False)


def interrupted(what, folder, engine, words, left, **variables):
    """Ctrl-C ends the sweep and what it has started."""
    run = subprocess.Popen([STEPSIM, "sweep", SAMPLE, "-s", "grid.yaml", *LONG, "--engine", engine], cwd=folder,
                           env=environment(**PATHS, **MPI, **variables), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while run.poll() is None and not processes_with(*words):
        time.sleep(0.005)
    run.send_signal(signal.SIGINT)
    _, err = run.communicate()
    check(f"{what}: interrupted", run.returncode == 130 and b"interrupted" in err, (run.returncode, err))
    deadline = time.monotonic() + 30
    while left() and time.monotonic() < deadline:
        time.sleep(0.1)
    check(f"{what}: nothing runs any more", not left(), left())
    check(f"{what}: no file is left", os.listdir(folder) == ["grid.yaml"], os.listdir(folder))


def wrong_uses(folder):
    for engine, said in (("foo", b"'foo' is not an engine; expected local, mpi"), ("local:1", b"N from 2 to"), ("mpi:x", b"N from 2 to"),
                         ("slurm", b"the number of tasks too"), ("dask:", b"the address of a scheduler")):
        run = sweep(folder, "--engine", engine)
        check(f"--engine {engine}", run.returncode == 2 and said in run.stderr and run.stderr.count(b"\n") == 1, run.stderr)
    for option in (["--shard", "0/2"], ["--resume"]):
        run = sweep(folder, "--engine", "local", *option)
        check(f"--engine with {option[0]}", run.returncode == 2 and b"leave out " + option[0].encode() in run.stderr, run.stderr)
    run = subprocess.run([STEPSIM, "sweep", "-", "--set", "compute.scale=1,2", "--engine", "local"], input=b"", capture_output=True, cwd=folder)
    check("standard input", run.returncode == 2 and b"cannot read this standard input" in run.stderr, run.stderr)
    run = sweep(folder, "--engine", "local", "--set", "device.to=H100")
    check("the error of a worker", run.returncode == 5 and run.stderr.count(b"\n") == 1, (run.returncode, run.stderr))


def local(folder, whole, long):
    for engine in ("local", "local:3"):
        same(engine, folder, engine, whole)
    killed("local", folder, "local:2", ["--shard", "1/2"], long)
    interrupted("local", folder, "local:2", ["--shard", "1/2"], lambda: processes_with("--shard", "1/2"))


def mpi(folder, whole, long):
    if shutil.which("mpirun") is None:
        return print("skipped: mpirun is absent")
    same("mpi", folder, "mpi:3", whole)
    killed("mpi", folder, "mpi:2", ["--resume", "-o"], long)


def dask(folder, whole):
    if subprocess.run(["/usr/bin/python3", "-c", "import distributed, stepsim"], env=environment(**PATHS), capture_output=True).returncode != 0:
        return print("skipped: python3-distributed or the package stepsim is absent")
    address = f"127.0.0.1:{DASK_PORT}"
    run = lambda *command: subprocess.Popen([*command, "--no-dashboard"], env=environment(**PATHS), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    scheduler = run("/usr/bin/dask-scheduler", "--host", "127.0.0.1", "--port", str(DASK_PORT))
    workers = run("/usr/bin/dask-worker", address, "--nworkers", "2", "--nthreads", "1")
    try:
        same("dask", folder, f"dask:{address}", whole)
    finally:
        for process in (workers, scheduler):
            process.terminate()
            process.wait()
    gone = sweep(folder, "--engine", "dask:127.0.0.1:1")
    check("dask without a scheduler", gone.returncode == 1 and b"error: no Dask scheduler with workers answers at 127.0.0.1:1" in gone.stderr, gone.stderr)


def slurm(folder, whole, long):
    if missing():
        return print("skipped: " + missing())
    with Slurm() as cluster:
        same("slurm", folder, "slurm:4", whole, **cluster.environment)
        killed("slurm", folder, "slurm:2", ["--shard", "1/2"], long, **cluster.environment)
        interrupted("slurm", folder, "slurm:2", ["--shard", "1/2"], lambda: cluster.answer("squeue", "--noheader"), **cluster.environment)
        srun = subprocess.run(["srun", "--ntasks=2", "--quiet", STEPSIM, "sweep", SAMPLE, "-s", "grid.yaml", "-o", "out.json", "--quiet"], cwd=folder,
                              env=environment(**cluster.environment), capture_output=True)
        check("srun", srun.returncode == 0, srun.stderr)
        with open(os.path.join(folder, "out.json"), "rb") as file:
            check("srun: the bytes of one process", file.read() == whole)


def main():
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "grid.yaml"), "w") as file:
            file.write(GRID)
        whole, long = one_process(folder), one_process(folder, LONG)
        wrong_uses(folder)
        local(folder, whole, long)
        mpi(folder, whole, long)
        dask(folder, whole)
        slurm(folder, whole, long)
    return verdict()


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""engines.py STEPSIM SAMPLE: a sweep on each engine (processes, MPI, Dask, Slurm) gives the bytes of one process, also
when a worker is killed in the middle, and leaves nothing behind. Several of these tests can run at the same time."""
import contextlib
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid

from checks import MPI, STEPSIM, check, failures, verdict, write
from slurm import Slurm, missing
from sweep_runs import GRID, POINTS, SAMPLE, environment

PATHS = {"PATH": "/usr/bin:" + os.environ["PATH"], "PYTHONPATH": os.path.abspath(os.environ.get("PYTHONPATH", "."))}
# In the environment of everything that this test starts, also by mpirun and Slurm.
MARK = "STEPSIM_ENGINES_TEST=" + uuid.uuid4().hex
SECONDS = 300  # a wait longer than this is a hang
# So many points that a worker can be killed before it is done.
LONG = ["--set", "compute.scale=" + ",".join(str(0.5 + i / 100) for i in range(5))]
SHARD = "--shard 1/2"


def variables(**more):
    return environment(**dict([MARK.split("=")]), **{**PATHS, **MPI, **more})


def sweep(folder, *arguments, grid=(), preexec_fn=None, **more):
    return subprocess.run([STEPSIM, "sweep", SAMPLE, "-s", "grid.yaml", *grid, *arguments], cwd=folder, capture_output=True,
                          env=variables(**more), preexec_fn=preexec_fn)


def start(folder, *arguments, **more):
    return subprocess.Popen([STEPSIM, "sweep", SAMPLE, "-s", "grid.yaml", *LONG, *arguments], cwd=folder, env=variables(**more),
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def one_process(folder, grid=()):
    whole = sweep(folder, "--json", "--threads", "1", grid=grid)
    check("one process", whole.returncode == 0, whole.stderr)
    return whole.stdout


def same(what, folder, engine, expected, **more):
    run = sweep(folder, "--json", "--engine", engine, **more)
    check(f"{what}: the bytes of one process", run.returncode == 0 and run.stdout == expected, run.stderr[-500:])
    check_nothing_left(what, folder)


def check_nothing_left(what, folder):
    check(f"{what}: nothing is left", os.listdir(folder) == ["grid.yaml"], os.listdir(folder))


def parts_of(pid, name):
    with open(f"/proc/{pid}/{name}", "rb") as file:
        return file.read().decode(errors="replace").split("\0")


@contextlib.contextmanager
def own_processes(words="", variable=MARK):
    """Gives descriptors of the processes that this test has started, also indirectly, and that have these words on their
    command line and this variable in their environment. A descriptor belongs to its process also after its end."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            process = os.pidfd_open(int(pid))
        except OSError:
            continue
        try:
            is_own = MARK in (has := parts_of(pid, "environ")) and any(each.startswith(variable) for each in has)
            is_own = is_own and words in " ".join(parts_of(pid, "cmdline"))
        except OSError:  # it has ended, or belongs to another user
            is_own = False
        found.append(process) if is_own else os.close(process)
    try:
        yield found
    finally:
        for process in found:
            os.close(process)


def count_own(words="", variable=MARK):
    with own_processes(words, variable) as found:
        return len(found)


def kill_one_of(run, words, variable):
    """Kills one process with these words on its command line while `run` lasts. Returns whether there was one."""
    while run.poll() is None:
        with own_processes(words, variable) as found:
            for process in found:
                with contextlib.suppress(ProcessLookupError):
                    signal.pidfd_send_signal(process, signal.SIGKILL)
                    return True
        time.sleep(0.005)
    return False


def killed(what, folder, engine, words, expected, variable=MARK, **more):
    """The result is the same if a worker is killed; a sweep that is done before that is begun again."""
    for _ in range(5):
        run = start(folder, "--json", "--engine", engine, **more)
        was_killed = kill_one_of(run, words, variable)
        out, err = run.communicate()
        if was_killed:
            return check(f"{what}: a worker is killed", run.returncode == 0 and out == expected, (run.returncode, err[-500:]))
    check(f"{what}: a worker could be killed", False)


def wait_until(ready):
    """Waits until ready() is true. Returns whether it was in time."""
    deadline = time.monotonic() + SECONDS
    while not ready():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def interrupted(what, folder, engine, words, left, variable=MARK, **more):
    """Ctrl-C ends the sweep and what it has started."""
    run = start(folder, "--engine", engine, **more)
    wait_until(lambda: run.poll() is not None or count_own(words, variable) > 0)
    run.send_signal(signal.SIGINT)
    _, err = run.communicate()
    check(f"{what}: interrupted", run.returncode == 130 and b"interrupted" in err, (run.returncode, err))
    check(f"{what}: nothing runs any more", wait_until(lambda: not left()))
    check_nothing_left(what, folder)


def wrong_uses(folder):
    for engine, said in (("foo", b"'foo' is not an engine; expected local, mpi"), ("local:1", b"N from 2 to"), ("mpi:x", b"N from 2 to"),
                         ("local:1000000", b"N from 2 to 1024"), ("slurm", b"the number of tasks too"), ("dask:", b"the address of a scheduler")):
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
    for engine in ("local", "local:3", "local:1000"):
        same(engine, folder, engine, whole)
    killed("local", folder, "local:2", SHARD, long)
    interrupted("local", folder, "local:2", SHARD, lambda: count_own(SHARD))
    few_processes(folder)
    no_more_processes(folder)
    left_folder(folder, whole, long)


def few_processes(folder):
    """There are not more processes than points."""
    for points in (1, 3):
        write(folder, "few.yaml", f"sweep: {{compute.scale: {[2, 3, 4][:points]}}}")
        command = [STEPSIM, "sweep", SAMPLE, "-s", "few.yaml", "--json"]
        expected = subprocess.run(command, cwd=folder, env=variables(), capture_output=True)
        run = subprocess.Popen([*command, "--engine", "local:1000"], cwd=folder, env=variables(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        most = 0
        while run.poll() is None:
            most = max(most, count_own("--shard "))
        out, err = run.communicate()
        check(f"{points} points on local:1000", run.returncode == 0 and out == expected.stdout, (err, expected.stderr))
        check(f"{points} points: {most} processes", most <= points)
        os.remove(os.path.join(folder, "few.yaml"))


def no_more_processes(folder):
    """A system that allows no more processes or threads is named in one line, wherever the limit is met."""
    if os.geteuid() != 0:
        return print("skipped: only root can become a user without other processes")
    user = 100_000_000 + os.getpid()  # has no processes; the limit counts all of a user
    refused = 0
    with tempfile.TemporaryDirectory() as place:
        shutil.copy(os.path.join(folder, "grid.yaml"), place)
        os.chmod(place, 0o777)
        for limit in (2, 8, 16, 24, 30):
            def become_limited(limit=limit):
                resource.setrlimit(resource.RLIMIT_NPROC, (limit, limit))
                os.setresuid(user, user, user)
            run = sweep(place, "--engine", "local:20", "--json", preexec_fn=become_limited)
            refused += run.returncode
            check(f"{limit} processes", run.returncode in (0, 1) and b"bug" not in run.stderr, run)
            check(f"{limit} processes: one line", run.returncode == 0 or run.stderr.count(b"\n") == 1, run.stderr)
            check_nothing_left(f"{limit} processes", place)
    check("some limit was met", refused > 0)


def left_folder(folder, whole, long):
    """The folder of a killed sweep is removed by the next one; that of a running one is not."""
    folders = lambda: [name for name in os.listdir(folder) if name.startswith(".stepsim-sweep-")]
    lost = start(folder, "--engine", "local:2")
    wait_until(lambda: lost.poll() is not None or count_own(SHARD) > 0)
    name = folders()
    check("the folder has a unique name", len(name) == 1 and re.fullmatch(r"\.stepsim-sweep-.+-[A-Za-z0-9]{6}", name[0]), name)
    lost.kill()
    lost.communicate()
    check("a killed sweep leaves its folder", folders() == name)
    running = start(folder, "--engine", "local:2", "--json")
    wait_until(lambda: running.poll() is not None or (folders() != name and count_own(SHARD) > 0))
    check("the next sweep removes it", len(folders()) == 1 and folders() != name, folders())
    other = sweep(folder, "--engine", "local:2", "--json")
    out, err = running.communicate()
    check("two sweeps in one folder", other.stdout == whole and out == long, (other.stderr, err))
    check_nothing_left("two sweeps in one folder", folder)


def mpi(folder, whole, long):
    if shutil.which("mpirun") is None:
        return print("skipped: mpirun is absent")
    same("mpi", folder, "mpi:3", whole)
    rank = "OMPI_COMM_WORLD_RANK="  # mpirun has the same words on its command line
    killed("mpi", folder, "mpi:2", "--resume", long, variable=rank)


@contextlib.contextmanager
def dask_cluster(place):
    """A scheduler and two workers, whose ports are chosen by the system. Gives the address of the scheduler."""
    file = os.path.join(place, "scheduler.json")
    with open(os.path.join(place, "log"), "wb") as log:
        run = lambda name, *options: subprocess.Popen([f"/usr/bin/dask-{name}", "--no-dashboard", "--dashboard-address", "127.0.0.1:0", "--scheduler-file", file, *options],
                                                      cwd=place, env=variables(), stdout=log, stderr=log)
        processes = [run("scheduler", "--host", "127.0.0.1", "--port", "0"), run("worker", "--nworkers", "2", "--nthreads", "1")]
        try:
            started = wait_until(lambda: os.path.exists(file) or processes[0].poll() is not None)
            check("a Dask scheduler starts", started and os.path.exists(file))
            with open(file) as answer:
                yield json.load(answer)["address"]
        finally:
            for process in reversed(processes):
                process.terminate()
                process.wait()


def dask(folder, whole):
    if subprocess.run(["/usr/bin/python3", "-c", "import distributed, stepsim"], env=variables(), capture_output=True).returncode != 0:
        return print("skipped: python3-distributed or the package stepsim is absent")
    with tempfile.TemporaryDirectory() as place:
        before = len(failures)
        with dask_cluster(place) as address:
            # The workers may need longer to start than a cluster has to answer.
            count = ["/usr/bin/python3", "-c", "import sys, distributed; distributed.Client(sys.argv[1], timeout=200).wait_for_workers(2, timeout=200)", address]
            check("Dask workers start", subprocess.run(count, env=variables(), cwd=place).returncode == 0)
            same("dask", folder, f"dask:{address}", whole)
        if len(failures) > before:
            with open(os.path.join(place, "log")) as log:
                print(log.read()[-5000:])
    gone = sweep(folder, "--engine", "dask:127.0.0.1:1")
    check("dask without a scheduler", gone.returncode == 1 and b"error: no Dask scheduler with workers answers at 127.0.0.1:1" in gone.stderr, gone.stderr)
    foreign_code(folder)


def foreign_code(folder):
    """Python code in the working folder, which may have come with traces, is not run."""
    with tempfile.TemporaryDirectory() as place:
        shutil.copy(os.path.join(folder, "grid.yaml"), place)
        for name in ("stepsim/__init__.py", "distributed.py", "dask.py", "json.py", "sitecustomize.py", "encodings.py"):
            write(place, name, f"open({os.path.join(place, 'ran')!r}, 'a').write({name!r} + ' ')\n")
        for more in ({}, {"PYTHONSAFEPATH": "1"}):
            run = sweep(place, "--engine", "dask:127.0.0.1:1", **more)
            check("foreign code beside the scheduler's error", b"error: no Dask scheduler with workers answers" in run.stderr, run.stderr)
            check("foreign code is not run", not os.path.exists(os.path.join(place, "ran")), os.listdir(place))


# A Slurm of scripts: jobs are processes, whose output goes to the folder WORK. squeue fails at its second call.
FAKES = {
    "sbatch": """n=$(($(ls "$WORK" | grep -c '^job') + 1)); : > "$WORK/job$n"
for word; do case $word in --array=*) tasks=$(echo "${word#--array=}" | tr , ' ') ;; esac; script=$word; done
(for task in $tasks; do SLURM_ARRAY_TASK_ID=$task sh -c "$script"; done > "$WORK/log$n" 2>&1; : > "$WORK/over$n") > /dev/null 2>&1 &
echo $n""",
    "squeue": """echo >> "$WORK/asked"
if [ "$(wc -l < "$WORK/asked")" = 2 ]; then echo 'slurm_load_jobs error: Socket timed out on send/recv operation' >&2; exit 1; fi
for word; do case $word in --jobs=*) n=${word#--jobs=} ;; esac; done
[ -e "$WORK/over$n" ] || echo "$n all wrap R\"""",
    "scancel": ": > \"$WORK/cancelled\"",
}


def busy_slurm(folder, long):
    """A squeue that fails once says nothing about the job, which is not submitted again."""
    with tempfile.TemporaryDirectory() as work, tempfile.TemporaryDirectory() as programs:
        for name, script in FAKES.items():
            os.chmod(write(programs, name, "#!/bin/sh\n" + script + "\n"), 0o755)
        run = sweep(folder, "--json", "--engine", "slurm:2", grid=LONG, PATH=programs + ":" + PATHS["PATH"], WORK=work)
        check("squeue fails once", run.returncode == 0 and run.stdout == long, run.stderr)
        left = sorted(os.listdir(work))
        check("squeue fails once: one job", left == ["asked", "job1", "log1", "over1"], left)


def slurm(folder, whole, long):
    busy_slurm(folder, long)
    if missing():
        return print("skipped: " + missing())
    before = len(failures)
    with Slurm() as cluster:
        same("slurm", folder, "slurm:4", whole, **cluster.environment)
        same("slurm with more tasks than points", folder, f"slurm:{POINTS + 9}", whole, **cluster.environment)
        killed("slurm", folder, "slurm:2", SHARD, long, **cluster.environment)
        interrupted("slurm", folder, "slurm:2", SHARD, cluster.jobs, **cluster.environment)
        srun = subprocess.run(["srun", "--ntasks=2", "--oversubscribe", "--overcommit", "--quiet", STEPSIM, "sweep", SAMPLE, "-s", "grid.yaml", "-o", "out.json", "--quiet"],
                              cwd=folder, env=variables(**cluster.environment), capture_output=True)
        check("srun", srun.returncode == 0, srun.stderr)
        with open(os.path.join(folder, "out.json"), "rb") as file:
            check("srun: the bytes of one process", file.read() == whole)
        if len(failures) > before:
            print(cluster.logs())


def main():
    with tempfile.TemporaryDirectory() as folder:
        write(folder, "grid.yaml", GRID)
        whole, long = one_process(folder), one_process(folder, LONG)
        wrong_uses(folder)
        local(folder, whole, long)
        mpi(folder, whole, long)
        dask(folder, whole)
        slurm(folder, whole, long)
    return verdict()


if __name__ == "__main__":
    sys.exit(main())

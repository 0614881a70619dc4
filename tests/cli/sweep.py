#!/usr/bin/env python3
"""sweep.py STEPSIM SAMPLE: a sweep is one result however it was run: by any number of threads, killed and
resumed, in shards by plain processes and by mpirun; on a full disk the old file stays."""
import csv
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

STEPSIM, SAMPLE = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
GRID = """name: grid
sweep:
  network.bandwidth: [0.5x, 1x, 2x, 4x]
  comm.partition_bytes: [256KiB, 1MiB, 4MiB]
  compute.scale: [0.5, 1]
"""
POINTS = 24
LAUNCHERS = ("SLURM_", "OMPI_", "PMI_", "JOB_COMPLETION")
failures = []


def check(what, condition, detail=""):
    if not condition:
        failures.append(what)
        print(f"FAILED {what} {detail}")


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


def formats(whole):
    """The three files say the same, and leave nothing beside them."""
    table = {tuple(sorted(point["set"].items())): point for point in json.loads(text(whole, "out.json"))["points"]}
    with open(os.path.join(whole, "out.csv"), newline="") as file:
        rows = list(csv.DictReader(file))
    check("points in the files", len(rows) == len(table) == POINTS)
    for row in rows:
        key = tuple(sorted((k, v) for k, v in row.items() if "." in k))
        check(f"the row of {key}", int(row["iteration_ns"]) == table[key]["iteration_ns"])
    best = min(point["iteration_ns"] for point in table.values())
    check("the best point", json.loads(text(whole, "out.json"))["best"]["iteration_ns"] == best)
    check("the Markdown", text(whole, "out.md").startswith(b"Of 24 points the best is "))
    check("files left over", sorted(os.listdir(whole)) == ["grid.yaml", "out.csv", "out.json", "out.md"], os.listdir(whole))


def any_threads(whole):
    for threads in ("1", "3", "16"):
        folder = fresh(whole)
        run = sweep(folder, "-o", "out.json", "--threads", threads, "--json")
        check(f"{threads} threads", run.returncode == 0 and run.stdout == text(whole, "out.json") == text(folder, "out.json"), run.stderr)


def killed_and_resumed(whole):
    """SIGKILL at random moments, again and again, then to the end."""
    dice = random.Random(7)
    for extension in ("json", "csv", "md"):
        folder, name = fresh(whole), "out." + extension
        for _ in range(6):
            child = subprocess.Popen([STEPSIM, "sweep", SAMPLE, "-s", "grid.yaml", "-o", name, "--resume"], cwd=folder, stdout=subprocess.DEVNULL,
                                     stderr=subprocess.DEVNULL, env=environment())
            time.sleep(dice.uniform(0.02, 0.3))
            child.kill()
            child.wait()
            check("a killed sweep's file", not os.path.exists(os.path.join(folder, name)) or text(folder, name) == text(whole, name))
        run = sweep(folder, "-o", name, "--resume")
        check(f"killed and resumed: {name}", run.returncode == 0 and text(folder, name) == text(whole, name), run.stderr)
        check("the journal is gone", sorted(os.listdir(folder)) == sorted(["grid.yaml", name]), os.listdir(folder))


def resumed_after_every_point(whole):
    folder = fresh(whole)
    sweep(folder, "--resume", "journal")
    lines = text(folder, "journal").splitlines(keepends=True)
    head = len(lines) - POINTS
    for kept in range(0, POINTS + 1, 5):
        with open(os.path.join(folder, "journal"), "wb") as file:
            file.write(b"".join(lines[:head + kept]) + b"point\t9\t12")
        run = sweep(folder, "--resume", "journal", "-o", "out.json")
        check(f"resumed after {kept} points", run.returncode == 0 and text(folder, "out.json") == text(whole, "out.json"), run.stderr)
        check(f"{kept} points were not predicted again", kept == 0 or b"%d of %d points were predicted before; 1 was cut" % (kept, POINTS) in run.stderr, run.stderr)


def resume_of_another(whole):
    folder = fresh(whole)
    sweep(folder, "--resume", "journal")
    before = text(folder, "journal")
    run = sweep(folder, "--set", "network.latency=1us", "--resume", "journal")
    check("a journal of another sweep", one_error_line(run, 1) and b"another sweep" in run.stderr and text(folder, "journal") == before, run.stderr)


def interrupted(whole):
    """Many points, so that there is time: Ctrl-C says how to go on."""
    folder = fresh(whole)
    with open(os.path.join(folder, "grid.yaml"), "w") as file:
        file.write("sweep:\n  compute.scale: [" + ", ".join(f"{1 + i / 1000:.3f}" for i in range(1000)) + "]\n  network.bandwidth: [1x, 2x, 3x, 4x]\n")
    child = subprocess.Popen([STEPSIM, "sweep", SAMPLE, "-s", "grid.yaml", "-o", "out.csv"], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())
    for _ in range(600):
        if os.path.exists(os.path.join(folder, "out.csv.points")) or child.poll() is not None:
            break
        time.sleep(0.05)
    time.sleep(0.2)
    child.send_signal(signal.SIGINT)
    out, err = child.communicate()
    check("Ctrl-C", child.returncode == 130 and not out and err.startswith(b"error: interrupted; ") and b"--resume" in err and err.count(b"\n") == 1, (child.returncode, err))
    check("no result of it", not os.path.exists(os.path.join(folder, "out.csv")))


def full_disk(whole):
    for limit in (512, 4096, 6000):
        folder = fresh(whole)
        with open(os.path.join(folder, "out.json"), "w") as old:
            old.write("old")
        run = sweep(folder, "-o", "out.json", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
        whole_or_old = text(folder, "out.json") in (b"old", text(whole, "out.json"))
        check(f"a file-size limit of {limit}", (run.returncode == 0 or one_error_line(run, 1)) and whole_or_old, run.stderr)
        check("something was refused", run.returncode == 1 or limit > len(text(whole, "out.json")))
        check("no temporary of it", not [name for name in os.listdir(folder) if "tmp" in name], os.listdir(folder))
        run = sweep(folder, "-o", "out.json", "--resume")
        check("and resumed", run.returncode == 0 and text(folder, "out.json") == text(whole, "out.json"), run.stderr)
    with open("/dev/full", "wb") as full:
        run = subprocess.run([STEPSIM, "sweep", SAMPLE, "-s", "grid.yaml", "--json"], cwd=whole, stdout=full, stderr=subprocess.PIPE, env=environment())
    check("a full standard output", one_error_line(run, 1), run.stderr)


def shards(whole):
    folder = fresh(whole)
    for i in (2, 0, 1):
        run = sweep(folder, "--shard", f"{i}/3", "-o", f"part.{i}")
        check(f"shard {i}", run.returncode == 0 and b"8 of 24 points" in run.stdout, run)
    for extension in ("json", "csv", "md"):
        run = merge(folder, "part.1", "part.0", "part.2", "-o", "out." + extension)
        check(f"merged {extension}", run.returncode == 0 and text(folder, "out." + extension) == text(whole, "out." + extension), run.stderr)
    run = merge(folder, "part.0", "part.2", "-o", "lost.json")
    check("a lost shard", one_error_line(run, 1) and b"all of shard 1/3" in run.stderr and not os.path.exists(os.path.join(folder, "lost.json")), run.stderr)
    with open(os.path.join(folder, "part.1"), "r+b") as file:
        file.truncate(len(text(folder, "part.1")) - 60)
    run = merge(folder, "part.0", "part.1", "part.2")
    check("a killed shard", one_error_line(run, 1) and b"of shard 1/3" in run.stderr, run.stderr)
    run = sweep(folder, "--shard", "1/3", "-o", "part.1", "--resume")
    check("a killed shard goes on", run.returncode == 0 and merge(folder, "part.0", "part.1", "part.2", "-o", "again.csv").returncode == 0, run.stderr)
    check("to the same", text(folder, "again.csv") == text(whole, "out.csv"))
    sweep(folder, "--set", "network.latency=1us", "--shard", "1/3", "-o", "other")
    run = merge(folder, "part.0", "other", "part.2")
    check("a part of another sweep", one_error_line(run, 1) and b"another sweep" in run.stderr, run.stderr)


def launched(whole, name, variables):
    """As a launcher starts them, all with one command; the last writes the whole."""
    folder = fresh(whole)
    children = [subprocess.Popen([STEPSIM, "sweep", SAMPLE, "-s", "grid.yaml", "-o", "out.json"], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                 env=environment(**{key: str(value) for key, value in variables(i).items()})) for i in range(3)]
    said = [child.communicate() for child in children]
    check(name, all(child.returncode == 0 for child in children) and text(folder, "out.json") == text(whole, "out.json"), said)
    check(f"{name}: what was chosen is told", all(b"shard %d/3, as " % i in said[i][1] for i in range(3)), said)


def by_mpirun(whole):
    mpirun = shutil.which("mpirun")
    if mpirun is None:
        print("skipped: mpirun is not installed; shards were tried with plain processes and its variables")
        return
    folder = fresh(whole)
    run = subprocess.run([mpirun, "--allow-run-as-root", "--oversubscribe", "-np", "4", STEPSIM, "sweep", SAMPLE, "-s", "grid.yaml", "-o", "out.csv"],
                         cwd=folder, capture_output=True, env=environment())
    check("mpirun", run.returncode == 0 and text(folder, "out.csv") == text(whole, "out.csv"), run)


def main():
    with tempfile.TemporaryDirectory() as whole:
        with open(os.path.join(whole, "grid.yaml"), "w") as file:
            file.write(GRID)
        for extension in ("json", "csv", "md"):
            run = sweep(whole, "-o", "out." + extension)
            check(f"a sweep to .{extension}", run.returncode == 0 and run.stdout.startswith(b"Of 24 points the best is "), run)
        formats(whole)
        for test in (any_threads, killed_and_resumed, resumed_after_every_point, resume_of_another, interrupted, full_disk, shards, by_mpirun):
            test(whole)
        launched(whole, "srun", lambda i: {"SLURM_PROCID": i, "SLURM_NTASKS": 3})
        launched(whole, "sbatch --array=5-7", lambda i: {"SLURM_ARRAY_TASK_ID": 5 + i, "SLURM_ARRAY_TASK_COUNT": 3, "SLURM_ARRAY_TASK_MIN": 5, "SLURM_ARRAY_TASK_MAX": 7})
        launched(whole, "Kubernetes", lambda i: {"JOB_COMPLETION_INDEX": i, "JOB_COMPLETIONS": 3})
        run = sweep(whole, "-o", "x.csv", env=environment(PMI_RANK="9", PMI_SIZE="3"))
        check("variables that make no sense", one_error_line(run, 2), run.stderr)
    print(f"{len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

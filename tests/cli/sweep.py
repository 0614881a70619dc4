#!/usr/bin/env python3
"""sweep.py STEPSIM SAMPLE...: a sweep gives the same result with any number of threads, resumed, and in shards run by
plain processes or by mpirun. Only nightly tests use more than the first SAMPLE."""
import csv
import json
import os
import shutil
import signal
import subprocess
import sys

from checks import NIGHTLY, STEPSIM, check, run, wait_until, write
from sweep_runs import POINTS, SAMPLE, THIRD, environment, fresh, merge, one_error_line, run_all, start_sweep, sweep, text


def formats(whole):
    """The three files agree, and no other files are left."""
    table = {tuple(sorted(point["set"].items())): point for point in json.loads(text(whole, "out.json"))["points"]}
    with open(os.path.join(whole, "out.csv"), newline="") as file:
        rows = list(csv.DictReader(file))
    check("points in the files", len(rows) == len(table) == POINTS)
    for row in rows:
        key = tuple(sorted((k, v) for k, v in row.items() if "." in k))
        check(f"the row of {key}", int(row["iteration_ns"]) == table[key]["iteration_ns"])
    best = min(point["iteration_ns"] for point in table.values())
    check("the best point", json.loads(text(whole, "out.json"))["best"]["iteration_ns"] == best)
    check("the Markdown", text(whole, "out.md").startswith(b"Best of 36 points: "))
    check("files left over", sorted(os.listdir(whole)) == ["grid.yaml", "out.csv", "out.json", "out.md"], os.listdir(whole))


def values_without_order(whole):
    """A factor and a rate have no order, so where the axis stops mattering is unknown; the answer says so."""
    said = run(STEPSIM, "sweep", SAMPLE, "--set", "network.bandwidth=1x,25Gb/s", "--quiet").stdout
    check("values of several units", b"where network.bandwidth stops mattering is unknown, because its values are not all of one unit" in said, said[:400])
    said = run(STEPSIM, "sweep", SAMPLE, "--set", "comm.partition_bytes=500KiB,1000KiB", "--quiet").stdout
    check("an axis without effect names what was tried", b"comm.partition_bytes hardly matters from 500KiB to 1000KiB" in said, said[:400])


def any_threads(whole):
    for threads in ("1", "3", "16"):
        folder = fresh(whole)
        run = sweep(folder, "-o", "out.json", "--threads", threads, "--json")
        check(f"{threads} threads", run.returncode == 0 and run.stdout == text(whole, "out.json") == text(folder, "out.json"), run.stderr)


def resumed_after_any_point(whole):
    folder = fresh(whole)
    sweep(folder, "--resume", "journal")
    lines = text(folder, "journal").splitlines(keepends=True)
    head = len(lines) - POINTS
    for kept in range(0, POINTS + 1, 5 if NIGHTLY else 12):
        write(folder, "journal", b"".join(lines[:head + kept]) + b'["point","9","12')
        run = sweep(folder, "--resume", "journal", "-o", "out.json")
        check(f"resumed after {kept} points", run.returncode == 0 and text(folder, "out.json") == text(whole, "out.json"), run.stderr)
        check(f"{kept} points were not predicted again", kept == 0 or b"%d of %d points were predicted before; 1 was incomplete" % (kept, POINTS) in run.stderr, run.stderr)


def refused_everywhere(whole):
    """A sweep in which no point has a prediction ends like a what-if of its points, however it was run."""
    capture, question = "{comm.bucket_bytes: 1MB}", "{'compute{rank=999}.scale': 2}"
    for points, code, named in (([capture, capture.replace("1", "2")], 5, b"comm.bucket_bytes=1MB: "),
                                ([capture, question], 2, b"compute{rank=999}.scale=2: ")):
        folder = fresh(whole)
        write(folder, "grid.yaml", "sweep:\n" + "".join(f"  - {point}\n" for point in points))
        runs = [sweep(folder, "--quiet", "--resume", "journal") for _ in range(2)]
        for shard in range(2):
            sweep(folder, "--shard", f"{shard}/2", "-o", f"part.{shard}")
        for how, run in zip(("at once", "resumed", "in shards"), runs + [merge(folder, "part.1", "part.0")]):
            check(f"nothing but refusals, {how}: exit {code}", one_error_line(run, code) and named in run.stderr, run)


def resume_of_another(whole):
    folder = fresh(whole)
    sweep(folder, "--resume", "journal")
    before = text(folder, "journal")
    run = sweep(folder, "--set", "network.latency=1us", "--resume", "journal")
    check("a journal of another sweep", one_error_line(run, 1) and b"another sweep" in run.stderr and text(folder, "journal") == before, run.stderr)


def shards(whole):
    folder = fresh(whole)
    for i in (2, 0, 1):
        run = sweep(folder, "--shard", f"{i}/3", "-o", f"part.{i}")
        check(f"shard {i}", run.returncode == 0 and THIRD in run.stdout, run)
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


def shards_of_a_named_result(whole):
    """-o names the result, so no shard writes a part with that name, and the last shard writes the result."""
    for extension in ("json", "csv"):
        folder = fresh(whole)
        out = "out." + extension
        for i in (1, 0):
            check(f"no {out} before the last shard", not os.path.exists(os.path.join(folder, out)))
            run = sweep(folder, "--shard", f"{i}/2", "-o", out)
            part = f"{out}.part-{i}-of-2"
            check(f"a part is called {part}", run.returncode == 0 and part.encode() in run.stdout and os.path.exists(os.path.join(folder, part)), run)
        check(f"{out} is the result", text(folder, out) == text(whole, out))


def launched(whole, name, variables):
    """Starts the processes with one command, like a launcher. The last one writes the whole result."""
    folder = fresh(whole)
    children = [start_sweep(folder, "-o", "out.json", env=environment(**{key: str(value) for key, value in variables(i).items()}))
                for i in range(3)]
    said = [child.communicate() for child in children]
    check(name, all(child.returncode == 0 for child in children) and text(folder, "out.json") == text(whole, "out.json"), said)
    check(f"{name}: what was chosen is told", all(b"shard %d/3, from " % i in said[i][1] for i in range(3)), said)


def launched_by_all(whole):
    launched(whole, "srun", lambda i: {"SLURM_PROCID": i, "SLURM_NTASKS": 3})
    launched(whole, "sbatch --array=5-7", lambda i: {"SLURM_ARRAY_TASK_ID": 5 + i, "SLURM_ARRAY_TASK_COUNT": 3, "SLURM_ARRAY_TASK_MIN": 5, "SLURM_ARRAY_TASK_MAX": 7})
    launched(whole, "PMI", lambda i: {"PMI_RANK": i, "PMI_SIZE": 3})
    launched(whole, "Kubernetes", lambda i: {"JOB_COMPLETION_INDEX": i, "JOB_COMPLETIONS": 3})
    run = sweep(whole, "-o", "x.csv", env=environment(PMI_RANK="9", PMI_SIZE="3"))
    check("variables that make no sense", one_error_line(run, 2), run.stderr)


def lost_process(whole):
    """Two of three processes leave their parts and no result. --merge names the third, which then writes the whole
    result."""
    folder = fresh(whole)
    for i in (0, 2):
        run = sweep(folder, "-o", "out.csv", env=environment(JOB_COMPLETION_INDEX=str(i), JOB_COMPLETIONS="3"))
        check(f"process {i} of 3", run.returncode == 0 and not os.path.exists(os.path.join(folder, "out.csv")), run)
    run = merge(folder, "out.csv.part-0-of-3", "out.csv.part-2-of-3")
    check("the lost process is named", one_error_line(run, 1) and b"points are missing in all parts together: all of shard 1/3;" in run.stderr, run.stderr)
    run = sweep(folder, "-o", "out.csv", env=environment(JOB_COMPLETION_INDEX="1", JOB_COMPLETIONS="3"))
    check("the last one writes the whole", run.returncode == 0 and text(folder, "out.csv") == text(whole, "out.csv"), run.stderr)


def by_mpirun(whole):
    mpirun = shutil.which("mpirun")
    if mpirun is None:
        print("skipped: mpirun is not installed (Debian: openmpi-bin); shards were tried with plain processes and its variables")
        return
    folder = fresh(whole)
    command = [mpirun, "--allow-run-as-root", "--oversubscribe", "-np", "4", STEPSIM, "sweep", SAMPLE, "-s", "grid.yaml", "-o", "out.csv"]
    ended = run(*command, cwd=folder, env=environment())
    check("mpirun", ended.returncode == 0 and text(folder, "out.csv") == text(whole, "out.csv"), ended)
    folder = fresh(whole)
    child = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment())
    wait_until(lambda: os.path.exists(os.path.join(folder, "out.csv.part-2-of-4")), child)
    for rank in run("pgrep", "-n", "-P", str(child.pid)).stdout.split():
        os.kill(int(rank), signal.SIGKILL)
    child.wait()  # mpirun ends the others
    ended = run(*command, "--resume", cwd=folder, env=environment())
    check("mpirun after the loss of a process", ended.returncode == 0 and text(folder, "out.csv") == text(whole, "out.csv"), ended)


if __name__ == "__main__":
    sys.exit(run_all(formats, values_without_order, any_threads, resumed_after_any_point, refused_everywhere, resume_of_another, shards, shards_of_a_named_result, launched_by_all, lost_process, by_mpirun))

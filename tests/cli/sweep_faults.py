#!/usr/bin/env python3
"""sweep_faults.py STEPSIM SAMPLE...: a sweep that is killed, interrupted or finds a full disk leaves the old file or
the new one, and can be resumed. Only nightly tests use more than the first SAMPLE."""
import os
import resource
import shlex
import signal
import sys
import time

from checks import NIGHTLY, STEPSIM, check, dice, run, wait_until, within, write
from sweep_runs import SAMPLE, environment, fresh, merge, one_error_line, run_all, start_sweep, sweep, text

DICE = dice()
OLD = b"old"


def put_old(folder, name):
    write(folder, name, OLD)


def killed(folder, *arguments):
    """SIGKILL at a random moment of a sweep, or just after its end."""
    child = start_sweep(folder, *arguments)
    time.sleep(DICE.uniform(0, 0.2))
    child.kill()
    child.communicate()


def killed_and_resumed(whole):
    for extension in ("json", "csv", "md"):
        folder, name = fresh(whole), "out." + extension
        put_old(folder, name)
        for i in range(16 if NIGHTLY else 4):
            killed(folder, "-o", name, *["--resume"] * (i % 2))
            check("a killed sweep's file", text(folder, name) in (OLD, text(whole, name)))
        run = sweep(folder, "-o", name, "--resume")
        check(f"killed and resumed: {name}", run.returncode == 0 and text(folder, name) == text(whole, name), run.stderr)
        check("nothing else is left", sorted(os.listdir(folder)) == sorted(["grid.yaml", name]), os.listdir(folder))


def killed_shards(whole):
    folder = fresh(whole)
    for i in range(3):
        for _ in range(4 if NIGHTLY else 1):
            killed(folder, "--shard", f"{i}/3", "-o", f"part.{i}", "--resume")
        run = sweep(folder, "--shard", f"{i}/3", "-o", f"part.{i}", "--resume")
        check(f"shard {i} goes on", run.returncode == 0, run.stderr)
    run = merge(folder, "part.0", "part.1", "part.2", "-o", "out.csv")
    check("killed shards are one result", run.returncode == 0 and text(folder, "out.csv") == text(whole, "out.csv"), run.stderr)


def interrupted(whole):
    """An interrupted sweep reports how to continue. It is stopped when it has stored the first of many points, so that
    it gets the signal before the last one on any machine."""
    for number in (signal.SIGINT, signal.SIGTERM):
        folder = fresh(whole)
        write(folder, "grid.yaml", "sweep:\n  compute.scale: [" + ", ".join(f"{1 + i / 1000:.3f}" for i in range(1000)) + "]\n  network.bandwidth: [1x, 2x, 3x, 4x]\n")
        child = start_sweep(folder, "-o", "out.csv")
        wait_until(lambda: os.path.exists(os.path.join(folder, "out.csv.points")), child)
        child.send_signal(signal.SIGSTOP)
        check("a sweep that is stopped in its middle", child.poll() is None and not os.path.exists(os.path.join(folder, "out.csv")))
        child.send_signal(number)
        child.send_signal(signal.SIGCONT)
        out, err = child.communicate()
        check(f"signal {number}", child.returncode == 130 and not out and err.startswith(b"error: interrupted; ") and b"--resume" in err and err.count(b"\n") == 1, (child.returncode, err))
        check("no result of it", not os.path.exists(os.path.join(folder, "out.csv")))


def never_overwritten_silently(whole):
    """The stored points of a killed sweep, a finished part and a file of another kind are never overwritten silently.
    """
    folder = fresh(whole)
    for name, arguments in (("out.csv.points", ["-o", "out.csv"]), ("part", ["--shard", "0/2", "-o", "part"])):
        sweep(folder, *(arguments if name == "part" else ["--resume", name]))
        kept = b"".join(text(folder, name).splitlines(keepends=True)[:-10])
        write(folder, name, kept)
        run = sweep(folder, *arguments)
        check(f"{name} of a killed sweep", one_error_line(run, 1) and name.encode() in run.stderr and b"--resume" in run.stderr and text(folder, name) == kept, run.stderr)
        run = sweep(folder, *arguments, "--resume")
        check(f"{name} goes on", run.returncode == 0 and b"points were predicted before" in run.stderr, run.stderr)
    write(folder, "diary", "dear diary\n")
    for arguments in (["--shard", "0/2", "-o", "diary"], ["--resume", "diary"]):
        run = sweep(folder, *arguments)
        check(f"{arguments} over a diary", one_error_line(run, 1) and text(folder, "diary") == b"dear diary\n", run.stderr)


def points_cannot_be_stored(whole):
    """If the stored points cannot be written, this is reported before anything is computed, not after each point."""
    folder = fresh(whole)
    os.mkdir(os.path.join(folder, "folder.csv"))
    os.mkdir(os.path.join(folder, "out.csv.points"))
    os.mkfifo(os.path.join(folder, "pipe"))
    os.symlink("diary", os.path.join(folder, "link"))
    for arguments in (["-o", "folder.csv"], ["-o", "out.csv"], ["-o", "nowhere/out.csv"], ["--shard", "0/2", "-o", "folder.csv"], ["--resume", "folder.csv"],
                      ["--resume", "/dev/zero"], ["--resume", "/dev/full"], ["--resume", "pipe"], ["--resume", "link"], ["--shard", "0/2", "-o", "/dev/null"]):
        run = sweep(folder, *arguments, preexec_fn=within(60))
        check(f"{arguments}", one_error_line(run, 1) and not run.stdout, run)
    check("nothing was begun", sorted(os.listdir(folder)) == ["folder.csv", "grid.yaml", "link", "out.csv.points", "pipe"], os.listdir(folder))


def full_disk(whole):
    for limit in (512, 4096, 6000):
        folder = fresh(whole)
        write(folder, "out.json", "old")
        run = sweep(folder, "-o", "out.json", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
        whole_or_old = text(folder, "out.json") in (b"old", text(whole, "out.json"))
        check(f"a file-size limit of {limit}", (run.returncode == 0 or one_error_line(run, 1)) and whole_or_old, run.stderr)
        check("something was refused", run.returncode == 1 or limit > len(text(whole, "out.json")))
        check("no temporary of it", not [name for name in os.listdir(folder) if "tmp" in name], os.listdir(folder))
        run = sweep(folder, "-o", "out.json", "--resume")
        check("and resumed", run.returncode == 0 and text(folder, "out.json") == text(whole, "out.json"), run.stderr)
    with open("/dev/full", "wb") as full:
        run = sweep(whole, "--json", stdout=full)
    check("a full standard output", one_error_line(run, 1), run.stderr)


def full_tmpfs(whole):
    """A disk of a few KiB that really is full; then there is room again."""
    if run("unshare", "-Urm", "true").returncode != 0:
        return print("skipped: a disk of its own (unshare -Urm) is not allowed here; a file-size limit stood in for it")
    for kibibytes in (8, 12):  # room for some of the points, and for all points but not the result
        folder = fresh(whole)
        os.mkdir(os.path.join(folder, "disk"))
        command = shlex.join([STEPSIM, "sweep", SAMPLE, "-s", "grid.yaml", "-o", "disk/out.json"])
        script = f"""mount -t tmpfs -o size={kibibytes}k none disk && printf old > disk/out.json
{command} > /dev/null 2> first; code=$?; cp disk/out.json after; ls -A disk > left
mount -o remount,size=1m disk && {command} --resume > /dev/null 2> second && cp disk/out.json whole; echo $code"""
        ended = run("unshare", "-Urm", "sh", "-c", script, cwd=folder, env=environment())
        said = text(folder, "first")
        check(f"a disk of {kibibytes} KiB", ended.stdout == b"1\n" and said.startswith(b"error: disk/out.json") and said.count(b"\n") == 1, (ended, said))
        check("its old file is there", text(folder, "after") == OLD)
        check("and no temporary", b"tmp" not in text(folder, "left"), text(folder, "left"))
        check("with room it goes on", text(folder, "whole") == text(whole, "out.json"), text(folder, "second"))


if __name__ == "__main__":
    sys.exit(run_all(killed_and_resumed, killed_shards, interrupted, never_overwritten_silently, points_cannot_be_stored, full_disk, full_tmpfs))

#!/usr/bin/env python3
"""attach.py STEPSIM SAMPLE_PROGRAM FAKE_CUDA SAMPLE_RANKS: `stepsim capture --idle` and `--attach` on our fake CUDA: a
program that runs already is recorded when it is asked for, as often as it is asked for, and ends as without capture."""
import os
import re
import shutil
import signal
import subprocess
import sys

from captures import ENVIRONMENT, HANGS, IdleProgram, answer, attach, diagnostics, folder, is_row, run_with, work
from checks import STEPSIM, check, verdict, wait_until

SAMPLE, FAKE_CUDA, RANKS = (os.path.abspath(path) for path in sys.argv[2:5])


class Program(IdleProgram):
    """A program on our fake CUDA."""

    def __init__(self, *options, command=None, marks="mark", end="until", **more):
        super().__init__(options, lambda until: command or (SAMPLE, "5", marks, end, until), **{"STEPSIM_CUPTI_LIBRARY": FAKE_CUDA, **more})


def parent_of(process):
    return int(open(f"/proc/{process}/stat").read().rsplit(")", 1)[1].split()[1])


def steps(directory):
    return [step["step"] for step in answer("replay", directory).get("steps", [])]


def check_failed(what, result, code, *words):
    check(what, result.returncode == code and result.stderr.count("\n") == 1 and all(word in result.stderr for word in words), result)


# By the number of the process that was started, and of the one that uses CUDA. Each recording has a folder of its own.
with Program() as program:
    first = attach(program.pid, "--active", "3")
    second = attach(program.process(), "--wait", "2", "--warmup", "1", "--active", "2")
    third = attach(program.folder, "--duration", "1")
program.ends_as_without_capture("attach")
check("nobody says anything where nothing was recorded", program.said == "", program.said)
for number, (result, count) in enumerate(((first, 3), (second, 2)), 1):
    where = os.path.join(program.folder, f"attach-{number}")
    check(f"attach {number}: it says what it captured", result.returncode == 0 and f"captured {count} steps of rank 0" in result.stderr
          and f"next: stepsim replay {where}" in result.stderr and "warning" not in result.stderr, result)
    found = answer("replay", where)
    check(f"attach {number}: the steps", is_row(steps(where), count), found)
    check(f"attach {number}: nothing to complain of", not set(diagnostics(found)) - {"not used:"} and found["unexplained_wait_ns"] == 0, found)
    check(f"attach {number}: one file", len(os.listdir(where)) == 1, os.listdir(where))
    process = answer("check", where)["files"][0]["processes"][0]
    check(f"attach {number}: the device is known", "Fake GPU 80GB" in str(process), process)
check("later steps in later recordings", steps(os.path.join(program.folder, "attach-1"))[-1] < steps(os.path.join(program.folder, "attach-2"))[0])
taken = steps(os.path.join(program.folder, "attach-3"))
check("--duration records whole steps", taken and is_row(taken, len(taken)), (taken, third))

# A program without marks, whose recordings are a second long; and a program that ends or dies while it is recorded.
with Program(marks="none") as program:
    result = attach(program.pid, "--duration", "1", "--dir", os.path.join(program.folder, "attach-here"))
program.ends_as_without_capture("no marks")
kernels = re.search(r"captured a program without marked steps of rank 0: (\d+) kernels", result.stderr)
check("a program without marks", kernels and int(kernels.group(1)) > 0 and "warning" not in result.stderr, result)
check("in the folder of --dir", len(os.listdir(os.path.join(program.folder, "attach-here"))) == 1, result)
for how in ("ends", "dies"):
    with Program() as program:
        attached = subprocess.Popen([STEPSIM, "capture", "--attach", program.folder, "--active", "1000000"], env=ENVIRONMENT, text=True, stderr=subprocess.PIPE)
        wait_until(lambda: not program.idle() and steps(os.path.join(program.folder, "attach-1")), attached)
        if how == "dies":
            name = os.listdir(os.path.join(program.folder, "attach-1"))[0]
            os.kill(int(name.removesuffix(".capture").rsplit("_", 1)[1]), signal.SIGKILL)
    _, said = attached.communicate(timeout=HANGS)
    check(f"the program {how} while it is recorded", attached.returncode == 0 and re.search("captured [0-9]+ step", said)
          and ("ended abnormally" in said) == (how == "dies"), said)

# Ctrl-C ends the recording, not the program.
with Program() as program:
    attached = subprocess.Popen([STEPSIM, "capture", "--attach", str(program.pid), "--active", "1000000"], env=ENVIRONMENT, text=True, stderr=subprocess.PIPE)
    wait_until(lambda: not program.idle(), attached)
    attached.send_signal(signal.SIGINT)
    _, said = attached.communicate(timeout=HANGS)
    again = attach(program.pid, "--active", "1")
program.ends_as_without_capture("Ctrl-C")
check("Ctrl-C ends the recording", attached.returncode == 0 and re.search("captured [0-9]+ step", said) and "warning" not in said, (attached.returncode, said))
check("and there may be another", "captured 1 step of rank 0" in again.stderr, again)

# Steps of some microseconds: the count begins when the recording does, so none is missed.
with Program(end="spin") as program:
    results = [attach(program.pid, "--active", "1") for _ in range(2)]
program.ends_as_without_capture("short steps")
check("short steps: one is recorded", all("captured 1 step of rank 0" in result.stderr for result in results), results)

# Both ranks of a job with NCCL, twice: the second file knows the communicators, too.
with Program("--with-nccl", command=(RANKS, "5", "until", os.path.join(work.name, "ranks.end")), ranks=(0, 1)) as program:
    program.until = os.path.join(work.name, "ranks.end")
    results = [attach(program.folder, "--active", "3") for _ in range(2)]
program.ends_as_without_capture("two ranks")
for number, result in enumerate(results, 1):
    where = os.path.join(program.folder, f"attach-{number}")
    check(f"two ranks, {number}: both are captured", all(f"captured 3 steps of rank {rank}: " in result.stderr for rank in (0, 1)), result)
    rows = {(row["rank"], row["group"], row["operation"]): row for row in answer("stats", where)["inputs"][0].get("transfers", [])}
    for rank in (0, 1):
        row = rows.get((rank, f"reversed, rank {1 - rank} of 2", "AllGather"), {})
        check(f"two ranks, {number}: operations and sizes of rank {rank}", row.get("count", 0) >= 3 and row["bytes"] == row["count"] * 4096 * 2, rows)

# A signal starts and ends recordings with the settings of the start. Programs that do not use CUDA ignore it.
with Program("--signal", "USR2", "--active", "2", command=("sh", "-c", f"'{SAMPLE}' 5 mark until \"$0\" & wait; wait; exit 7", os.path.join(work.name, "signal.end"))) as program:
    program.until = os.path.join(work.name, "signal.end")
    for count in (1, 2):
        inner = program.process()
        for process in (program.pid, parent_of(inner), inner):
            os.kill(process, signal.SIGUSR2)
        where = os.path.join(program.folder, f"signal-{count}")
        wait_until(lambda: os.path.isdir(where) and os.listdir(where) and program.idle(), program.children[0])
program.ends_as_without_capture("a signal")
check("a signal: two recordings of two steps", program.said.count("captured 2 steps of rank 0") == 2, program.said)
for count in (1, 2):
    where = os.path.join(program.folder, f"signal-{count}")
    check(f"a signal: recording {count} has a folder of its own", is_row(steps(where), 2) and f"next: stepsim replay {where}" in program.said, program.said)
with Program("--signal", "USR1", marks="none") as program:
    inner = program.process()
    os.kill(inner, signal.SIGUSR1)
    wait_until(lambda: not program.idle(), program.children[0])
    os.kill(inner, signal.SIGUSR1)
    wait_until(program.idle, program.children[0])
program.ends_as_without_capture("a second signal")
check("a second signal ends a recording", "captured a program without marked steps of rank 0" in program.said and "warning: no step" not in program.said, program.said)
with Program("--signal", "USR2", end="handler") as program:
    inner = program.process()
    os.kill(inner, signal.SIGUSR2)
program.ends_as_without_capture("a handler of its own")
check("a handler of its own stays, and that is said", "signal 12 does not start a recording, because the program handles it itself" in program.said, program.said)

# Where CUPTI does not work, or belongs to another, each recording says so.
for what, variables, words in (("refuses", {"FAKE_CUPTI_FAIL": "cuptiActivityEnable=35"}, "the driver allows profiling only for administrators"),
                               ("belongs to another", {"FAKE_CUPTI_OTHER_CLIENT": "1"}, "another profiler (CUPTI for Kineto) is using CUPTI")):
    with Program(**variables) as program:
        results = [attach(program.pid, "--active", "3") for _ in range(2)]
    program.ends_as_without_capture(f"CUPTI {what}")
    check(f"CUPTI {what}: it says so", all(result.stderr.count(words) == 1 for result in results), results)
with Program(FAKE_CUPTI_REFUSE="2") as program:
    results = [attach(program.pid, "--active", "3") for _ in range(2)]
check("a kind that is refused is named in each file", all(result.stderr.count("does not record memsets: error 27") == 1 for result in results), results)

# A request is obeyed once, only by those that it means, and not by programs that started later.
with Program() as program:
    request = os.path.join(program.folder, "stepsim.request")
    with open(request, "w") as file:
        file.write("RUN=x\0PROCESS=elsewhere_1\0STEPSIM_CAPTURE_DIR=" + program.folder + "\0")
    result = attach(program.pid, "--active", "1")
    check("a request to another process", "captured 1 step" in result.stderr and len(os.listdir(os.path.join(program.folder, "attach-1"))) == 1, result)
    with open(request + ".tmp", "wb") as file:
        file.write(os.urandom(5000))
    os.rename(request + ".tmp", request)
    result = attach(program.pid, "--active", "1")
    check("a request that is none", "captured 1 step" in result.stderr, result)
program.ends_as_without_capture("requests")

# Errors.
with Program() as program:
    check_failed("--attach with COMMAND", run_with({}, STEPSIM, "capture", "--attach", "1", "--", "true"), 2, "expected no COMMAND")
    check_failed("a folder that cannot be", attach(program.pid, "--dir", "/dev/null/x"), 1, "/dev/null/x: this is not a folder that can be written to")
    check_failed("options of the start", attach(program.pid, "--with-nccl"), 2, "--with-nccl is an option of the program's start")
    if os.geteuid() == 0:
        nobody = Program(directory=folder(), command=("setpriv", "--reuid", "65534", "--clear-groups", SAMPLE, "5", "mark", "until", os.path.join(work.name, "nobody.end")))
        nobody.until = os.path.join(work.name, "nobody.end")
        os.chmod(work.name, 0o755)
        wait_until(lambda: os.path.isdir(nobody.folder), nobody.children[0])
        os.chmod(nobody.folder, 0o777)
        nobody.until = os.path.join(work.name, "nobody.end")
        with nobody:
            kept = folder()
            os.mkdir(kept, 0o755)
            check_failed("the process cannot write there", attach(nobody.folder, "--dir", kept), 1, f"cannot create a file in {kept}: Permission denied")
dead = subprocess.Popen(["true"])
dead.wait()
check_failed("no such process", attach(dead.pid), 1, f"process {dead.pid}: there is no process with this number")
check_failed("a process that is not idle", attach(os.getpid()), 1, "it does not wait to be recorded; start it with 'stepsim capture --idle -- COMMAND'")
empty = folder()
os.mkdir(empty)
check_failed("a folder without processes", attach(empty), 1, "no process waits here to be recorded")
check_failed("no such folder", attach("/no/such/folder"), 1, "/no/such/folder: No such file or directory")
for options, words in ((["--signal", "USR2"], "expected it with --idle"), (["--idle", "--signal", "TERM"], "--signal: 'TERM'; expected USR1 or USR2"),
                       (["--idle", "--torch"], "--torch cannot be combined with --idle"), (["--idle", "--profiler-api"], "--profiler-api cannot be combined with --idle"),
                       (["--idle", "--whole-graphs"], "--whole-graphs cannot be combined with --idle")):
    check_failed(f"{options}", run_with({}, STEPSIM, "capture", *options, "--", "true"), 2, words)
result = run_with({}, STEPSIM, "capture", "--idle", "--dir", folder(), "--", "sh", "-c", "echo ok; exit 7")
check("a program without CUDA", (result.returncode, result.stdout, result.stderr) == (7, "ok\n", ""), result)

sys.exit(verdict())

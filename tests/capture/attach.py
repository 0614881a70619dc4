#!/usr/bin/env python3
"""attach.py STEPSIM SAMPLE_PROGRAM FAKE_CUDA SAMPLE_RANKS: `stepsim capture --idle` and `--attach` on our fake CUDA: a
program that runs already is recorded when it is asked for, as often as it is asked for, and ends as without capture."""
import os
import re
import shutil
import signal
import socket
import stat
import subprocess
import sys

from captures import ENVIRONMENT, HANGS, IdleProgram, answer, attach, diagnostics, folder, is_row, run_with, work
from checks import STEPSIM, check, read, verdict, wait_until

SAMPLE, FAKE_CUDA, RANKS = (os.path.abspath(path) for path in sys.argv[2:5])


class Program(IdleProgram):
    """A program on our fake CUDA."""

    def __init__(self, *options, command=None, marks="mark", end="until", **more):
        super().__init__(options, lambda until: command or (SAMPLE, "5", marks, end, until), **{"STEPSIM_CUPTI_LIBRARY": FAKE_CUDA, **more})


def parent_of(process):
    return int(open(f"/proc/{process}/stat").read().rsplit(")", 1)[1].split()[1])


def steps(directory):
    return [step["step"] for step in answer("replay", directory).get("steps", [])]


def wait_for_steps(program, attached):
    """Waits until some steps are in the file of the program's first recording. One may be what has no marks yet."""
    wait_until(lambda: not program.idle() and len(steps(os.path.join(program.folder, "attach-1"))) > 1, attached)


def link(target, *path):
    os.symlink(target, os.path.join(*path))


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
        wait_for_steps(program, attached)
        if how == "dies":
            name = os.listdir(os.path.join(program.folder, "attach-1"))[0]
            os.kill(int(name.removesuffix(".capture").rsplit("_", 1)[1]), signal.SIGKILL)
    _, said = attached.communicate(timeout=HANGS)
    check(f"the program {how} while it is recorded", attached.returncode == 0 and re.search("captured [0-9]+ step", said)
          and ("ended abnormally" in said) == (how == "dies"), said)

# Ctrl-C ends the recording, not the program.
with Program() as program:
    attached = subprocess.Popen([STEPSIM, "capture", "--attach", str(program.pid), "--active", "1000000"], env=ENVIRONMENT, text=True, stderr=subprocess.PIPE)
    wait_for_steps(program, attached)
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
dead = subprocess.Popen(["true"])
dead.wait()
check_failed("no such process", attach(dead.pid), 1, f"process {dead.pid}: there is no process with this number")
check_failed("a process that is not idle", attach(os.getpid()), 1, "it does not wait to be recorded; start it with 'stepsim capture --idle -- COMMAND'")
empty = folder()
os.mkdir(empty)
check_failed("a folder without processes", attach(empty), 1, "no process waits here to be recorded")
check_failed("no such folder", attach("/no/such/folder"), 1, "/no/such/folder: No such file or directory")

# Files that no process has made, in a folder that others may write to.
HOST = re.sub("[^A-Za-z0-9.-]", "-", socket.gethostname())


def plant(directory):
    """Returns what is said about each of the planted files."""
    link("/dev/zero", directory, f"{HOST}_1.idle")
    os.mkfifo(os.path.join(directory, "elsewhere_2.idle"))
    with open(os.path.join(directory, "elsewhere_3.idle"), "w") as file:
        file.write("\n" * (64 * 1024 + 1))
    with open(os.path.join(directory, "note"), "w"):
        os.link(os.path.join(directory, "note"), os.path.join(directory, "elsewhere_4.idle"))
    return {f"{HOST}_1": "is not a regular file", "elsewhere_2": "is not a regular file",
            "elsewhere_3": "has more than 65536 bytes", "elsewhere_4": "has more than one name (a hard link)"}


with Program() as program:
    refused = plant(program.folder)
    result = attach(program.folder, "--active", "1")
    check("files that are none: the others are recorded", result.returncode == 0 and "captured 1 step of rank 0" in result.stderr, result)
    check("files that are none: each is told", all(f"warning: {program.folder}/{name}.idle: {why}" in result.stderr for name, why in refused.items()), result)
    for name in [*refused, "note"]:
        os.remove(os.path.join(program.folder, name if name == "note" else name + ".idle"))
    # The process looks for requests every 0.1 s, and would wait for the other end of a pipe.
    os.mkfifo(os.path.join(program.folder, "stepsim.request"))
    result = attach(program.pid, "--active", "1")
    check("a pipe as the request", "captured 1 step of rank 0" in result.stderr, result)
program.ends_as_without_capture("files that are none")
for name, why in plant(empty).items():
    alone = folder()
    os.mkdir(alone)
    os.rename(os.path.join(empty, name + ".idle"), os.path.join(alone, name + ".idle"))
    check_failed(f"{name}.idle alone", attach(alone, "--active", "1"), 1, f"error: {alone}/{name}.idle: {why}")

# A program writes through no link that others have put into its folder: the names that it is about to use lead elsewhere.
kept, elsewhere = folder(), folder()
os.mkdir(elsewhere)
with open(kept, "w") as file:
    file.write("not ours")
planted = f"for name in {HOST}_$$.idle.tmp {HOST}_$$.capture {HOST}_$$.idle; do ln -s {kept} \"$STEPSIM_CAPTURE_DIR/$name\"; done; ln -s {elsewhere} \"$STEPSIM_CAPTURE_DIR/signal-1\""
with Program("--signal", "USR2", "--active", "2", command=("sh", "-c", planted + f"; exec '{SAMPLE}' 5 mark until \"$0\"", os.path.join(work.name, "planted.end"))) as program:
    program.until = os.path.join(work.name, "planted.end")
    wait_until(lambda: any(not os.path.islink(os.path.join(program.folder, name)) for name in program.idle()), program.children[0])
    inner = program.process()
    os.kill(inner, signal.SIGUSR2)
    wait_until(lambda: any(b"signal-1: Not a directory" in read(os.path.join(program.folder, name)) for name in program.idle()), program.children[0])
    os.kill(inner, signal.SIGUSR2)
    wait_until(lambda: steps(os.path.join(program.folder, "signal-2")) and program.idle(), program.children[0])
check("planted links lead nowhere", read(kept) == b"not ours" and os.listdir(elsewhere) == [], (read(kept), os.listdir(elsewhere)))
check("a folder that is a link is left out", is_row(steps(os.path.join(program.folder, "signal-2")), 2), program.said)
# A link that the user names is followed.
linked = folder()
link(elsewhere, linked)
with Program(directory=linked) as program:
    result = attach(linked + "/", "--active", "1")
check("a folder that is named by a link", "captured 1 step of rank 0" in result.stderr and os.path.isdir(os.path.join(elsewhere, "attach-1")), result)

# Root attaches as the user of the process, who has chosen the folder and may have put links there.
USER, GROUP = 65534, 4242


def as_user(*command, group=USER):
    return ("setpriv", "--reuid", str(USER), "--regid", str(USER), "--groups", str(group), *command)


def users_program(directory, group=USER):
    end = directory + ".end"
    program = Program(directory=directory, command=as_user(SAMPLE, "5", "mark", "until", end, group=group))
    program.until = end
    return program


def users_folder(owner=USER, group=USER, mode=0o755):
    directory = folder()
    os.mkdir(directory)
    os.chown(directory, owner, group)
    os.chmod(directory, mode)
    return directory


if os.geteuid() != 0 or shutil.which("setpriv") is None:
    print("not tested: root attaches to the process of another user (needs root and setpriv)")
else:
    os.chmod(work.name, 0o755)
    secret, roots = folder(), folder()
    with open(secret, "w") as file:
        file.write("root's")
    os.chmod(secret, 0o600)
    os.mkdir(roots, 0o700)
    with users_program(users_folder()) as program:
        link(roots, program.folder, "attach-1")
        link(secret, program.folder, "stepsim.request")
        for process in range(program.pid, program.pid + 3000):
            link(secret, program.folder, f"stepsim.request.{process}.tmp")
        for number, target in ((2, program.pid), (3, program.folder), (4, program.folder + "/.")):
            result = attach(target, "--active", "3")
            where = os.path.join(program.folder, f"attach-{number}")
            check(f"root attaches to {target}", result.returncode == 0 and "captured 3 steps of rank 0" in result.stderr and "warning" not in result.stderr, result)
            made = [os.stat(path) for path in (where, *(os.path.join(where, name) for name in os.listdir(where)))]
            check(f"root attaches to {target}: all is the user's", len(made) == 2 and all((one.st_uid, one.st_gid) == (USER, USER) for one in made), made)
        found = os.stat(secret)
        check("root attaches: its file stays", (read(secret), stat.S_IMODE(found.st_mode), found.st_uid) == (b"root's", 0o600, 0), found)
        check("root attaches: its folder stays", os.listdir(roots) == [], os.listdir(roots))
        check_failed("a folder of root alone", attach(program.pid, "--dir", os.path.join(roots, "here")), 1,
                     f"{roots}/here: this is not a folder that can be written to by user {USER}")
        result = subprocess.run(as_user(STEPSIM, "capture", "--attach", str(program.pid), "--active", "1"), env=ENVIRONMENT, text=True, stderr=subprocess.PIPE, timeout=HANGS)
        check("its user attaches", "captured 1 step of rank 0" not in result.stderr and f"process {program.pid}: it belongs to another user" in result.stderr, result)
        result = subprocess.run(as_user(STEPSIM, "capture", "--attach", program.folder, "--active", "1"), env=ENVIRONMENT, text=True, stderr=subprocess.PIPE, timeout=HANGS)
        check("its user attaches to the folder", "captured 1 step of rank 0" in result.stderr, result)
        # Files of others make nobody their user.
        for number, owner in ((7, USER + 1), (8, USER + 1)):
            with open(os.path.join(program.folder, f"elsewhere_{number}.idle"), "w") as file:
                os.chown(file.name, owner, owner)
        check_failed("processes of several users", attach(program.folder, "--active", "1"), 1, f"processes of several users wait to be recorded ({USER}, {USER + 1})")
        result = attach(program.pid, "--active", "1")
        check("processes of several users: one by its number", "captured 1 step of rank 0" in result.stderr, result)
    others = users_folder(USER, GROUP, 0o770)
    with users_program(others, GROUP) as program:
        result = attach(program.pid, "--active", "1")
        check("a folder of a group of the process", "captured 1 step of rank 0" in result.stderr, result)
    for path in (program.folder + "/stepsim.request", secret):
        check(f"root attaches: {path} is not left or not changed", (path == secret) == os.path.exists(path))
    # The user cannot write to the folder of the start.
    program = users_program(users_folder(0, 0))
    wait_until(lambda: "cannot write to this folder" in attach(program.pid).stderr, program.children[0])
    check_failed("a folder that the user cannot write to", attach(program.pid), 1, f"{program.folder}: user {USER}, who runs process ")
    program.__exit__()
    # A process of another host, whose user is not known here, and one of root, to which others cannot attach.
    unknown = folder()
    os.mkdir(unknown)
    with open(os.path.join(unknown, "elsewhere_1.idle"), "w") as file:
        os.chown(file.name, 54321, 54321)
    check_failed("a user without an account", attach(unknown), 1, "elsewhere_1: its user 54321 has no account on this host; attach as that user")
    with Program() as program:
        result = subprocess.run(as_user(STEPSIM, "capture", "--attach", program.folder, "--active", "1"), env=ENVIRONMENT, text=True, stderr=subprocess.PIPE, timeout=HANGS)
        check_failed("a process of root", result, 1, f"_{program.process()}.idle: belongs to user 0; attach as that user")

for options, words in ((["--signal", "USR2"], "expected it with --idle"), (["--idle", "--signal", "TERM"], "--signal: 'TERM'; expected USR1 or USR2"),
                       (["--idle", "--torch"], "--torch cannot be combined with --idle"), (["--idle", "--profiler-api"], "--profiler-api cannot be combined with --idle"),
                       (["--idle", "--whole-graphs"], "--whole-graphs cannot be combined with --idle")):
    check_failed(f"{options}", run_with({}, STEPSIM, "capture", *options, "--", "true"), 2, words)
result = run_with({}, STEPSIM, "capture", "--idle", "--dir", folder(), "--", "sh", "-c", "echo ok; exit 7")
check("a program without CUDA", (result.returncode, result.stdout, result.stderr) == (7, "ok\n", ""), result)

sys.exit(verdict())

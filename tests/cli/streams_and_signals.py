#!/usr/bin/env python3
"""streams_and_signals.py STEPSIM SAMPLE: a standard output that is closed or full, a reader that
has gone, a file-size limit, Ctrl-C. SAMPLE is a capture that replays."""
import gzip
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time

from checks import check, verdict

STEPSIM, SAMPLE = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])


def one_error_line(text):
    return text.startswith(b"error: ") and text.count(b"\n") == 1 and text.endswith(b"\n")


def full_stdout(*arguments):
    with open("/dev/full", "wb") as full:
        run = subprocess.run([STEPSIM, *arguments], stdout=full, stderr=subprocess.PIPE)
    check(f"{arguments[:1]} to a full disk", run.returncode == 1 and one_error_line(run.stderr) and b"No space left" in run.stderr, run)


def closed_stdout(*arguments):
    run = subprocess.run(["sh", "-c", '"$0" "$@" >&-', STEPSIM, *arguments], stderr=subprocess.PIPE)
    check(f"{arguments[:1]} to a closed stdout", run.returncode == 1 and one_error_line(run.stderr), run)


def everything_closed():
    run = subprocess.run(["sh", "-c", '"$0" "$@" <&- >&- 2>&-', STEPSIM, "replay", SAMPLE])
    check("all streams closed", run.returncode == 1, run)


def reader_gone():
    """SIGPIPE ends the program quietly."""
    run = subprocess.run(["bash", "-c", '"$0" replay "$1" --json --tasks | true; exit ${PIPESTATUS[0]}', STEPSIM, SAMPLE], stderr=subprocess.PIPE)
    check("a reader that has gone", run.returncode in (0, 128 + signal.SIGPIPE) and run.stderr == b"", run)


def file_size_limit():
    with tempfile.TemporaryDirectory() as folder:
        target = os.path.join(folder, "out.trace.json")
        with open(target, "w") as old:
            old.write("old")
        run = subprocess.run([STEPSIM, "replay", SAMPLE, "-o", target], capture_output=True,
                             preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192)))
        check("a file-size limit", run.returncode == 1 and one_error_line(run.stderr) and b"out.trace.json" in run.stderr and not run.stdout, run)
        check("the old file after it", open(target).read() == "old" and os.listdir(folder) == ["out.trace.json"], os.listdir(folder))


def not_its_own_input():
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, "graph.json")
        with open(copy, "w") as file:
            file.write('{"hosts":1,"links":[],"routes":{},"tasks":[{"id":0,"kind":"compute","host":0,"ns":1,"after":[]}]}')
        run = subprocess.run([STEPSIM, "convert", copy, "-o", copy], capture_output=True)
        check("an output that is an input", run.returncode == 2 and one_error_line(run.stderr) and b"hosts" in open(copy, "rb").read(), run)


def signals(child, which):
    """A set of signals of a process: SigCgt, those that it handles; SigIgn, those that it ignores."""
    with open(f"/proc/{child.pid}/status") as status:
        mask = next(int(line.split()[1], 16) for line in status if line.startswith(which))
    return {number for number in range(1, 65) if mask >> (number - 1) & 1}


def replaying(slow, number, **more):
    """A replay of 32 gibibytes of blanks in gzip, which takes many seconds, that has a handler for the signal: before it
    has one, a signal ends any program."""
    blanks = gzip.compress(b" " * (64 << 20), 1)
    with open(slow, "wb") as file:
        file.write(gzip.compress(b'{"traceEvents": [') + blanks * 512 + gzip.compress(b"]}"))
    child = subprocess.Popen([STEPSIM, "replay", slow], stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)
    while child.poll() is None and number not in signals(child, "SigCgt"):
        time.sleep(0.01)
    return child


def ends_interrupted(child, number):
    """How soon is printed and not held against it: on a busy machine that is the machine's answer."""
    began = time.monotonic()
    child.send_signal(number)
    out, err = child.communicate()
    check(f"signal {number}", child.returncode == 130 and err == b"error: interrupted\n" and not out, (child.returncode, err))
    print(f"signal {number} answered in {time.monotonic() - began:.2f} s")


def interrupted(number):
    with tempfile.TemporaryDirectory() as folder:
        ends_interrupted(replaying(os.path.join(folder, "slow.json.gz"), number), number)


def ignored(number):
    """What the caller ignores (nohup, a shell's background job) does not end the program: it still ignores it when it
    has its handlers. The other signal ends it."""
    other = signal.SIGTERM if number == signal.SIGINT else signal.SIGINT
    with tempfile.TemporaryDirectory() as folder:
        child = replaying(os.path.join(folder, "slow.json.gz"), other, preexec_fn=lambda: signal.signal(number, signal.SIG_IGN))
        check(f"signal {number} that the caller ignores", number in signals(child, "SigIgn"), signals(child, "SigIgn"))
        child.send_signal(number)
        ends_interrupted(child, other)


def at_any_moment():
    """A signal at a random moment of a command that writes: the old file or the new one, and at most one line."""
    dice = random.Random(7)
    with tempfile.TemporaryDirectory() as folder:
        target = os.path.join(folder, "out.json")
        command = [STEPSIM, "replay", SAMPLE, "-o", target, "--quiet"]
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        new, whole = open(target, "rb").read(), 0
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT) * 8:
            with open(target, "wb") as old:
                old.write(b"old")
            child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0)))
            time.sleep(dice.uniform(0, 0.15))
            child.send_signal(number)
            err = child.communicate()[1]
            content = open(target, "rb").read()
            whole += content == new
            check(f"signal {number} at any moment", child.returncode in (0, 130, -number) and content in (b"old", new) and (not err or one_error_line(err)), (child.returncode, err, len(content)))
            check("a command that is done has written", child.returncode != 0 or content == new)
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        check("nothing is left of them", os.listdir(folder) == ["out.json"], os.listdir(folder))
        print(f"of 32 commands that got a signal, {whole} had written their file")


def main():
    for arguments in (["--help"], ["--version"], ["replay", "--help"], ["replay", SAMPLE], ["replay", SAMPLE, "--json", "--tasks"], ["critical-path", SAMPLE]):
        full_stdout(*arguments)
        closed_stdout(*arguments)
    everything_closed()
    reader_gone()
    file_size_limit()
    not_its_own_input()
    interrupted(signal.SIGINT)
    interrupted(signal.SIGTERM)
    ignored(signal.SIGINT)
    ignored(signal.SIGTERM)
    at_any_moment()
    return verdict()


if __name__ == "__main__":
    sys.exit(main())

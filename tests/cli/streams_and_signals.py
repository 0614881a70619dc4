#!/usr/bin/env python3
"""streams_and_signals.py STEPSIM SAMPLE: a standard output that is closed or full, a reader that has exited, a
file-size limit, Ctrl-C. SAMPLE is a capture that replays."""
import gzip
import os
import resource
import signal
import sys
import tempfile
import time

from checks import STEPSIM, check, dice, one_line, read, run, start, stepsim, verdict, wait_until, write

SAMPLE = os.path.abspath(sys.argv[2])


def full_stdout(*arguments):
    with open("/dev/full", "wb") as full:
        run = stepsim(*arguments, stdout=full)
    check(f"{arguments[:1]} to a full disk", one_line(run) and b"No space left" in run.stderr, run)


def closed_stdout(*arguments):
    ended = run("sh", "-c", '"$0" "$@" >&-', STEPSIM, *arguments)
    check(f"{arguments[:1]} to a closed stdout", one_line(ended), ended)


def everything_closed():
    ended = run("sh", "-c", '"$0" "$@" <&- >&- 2>&-', STEPSIM, "replay", SAMPLE)
    check("all streams closed", ended.returncode == 1, ended)


def reader_exited():
    """SIGPIPE ends the program quietly."""
    ended = run("bash", "-c", '"$0" replay "$1" --json --tasks | true; exit ${PIPESTATUS[0]}', STEPSIM, SAMPLE)
    check("a reader that has gone", ended.returncode in (0, 128 + signal.SIGPIPE) and ended.stderr == b"", ended)


def file_size_limit():
    with tempfile.TemporaryDirectory() as folder:
        target = write(folder, "out.trace.json", "old")
        run = stepsim("replay", SAMPLE, "-o", target, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192)))
        check("a file-size limit", one_line(run) and b"out.trace.json" in run.stderr, run)
        check("the old file after it", open(target).read() == "old" and os.listdir(folder) == ["out.trace.json"], os.listdir(folder))


def not_its_own_input():
    with tempfile.TemporaryDirectory() as folder:
        copy = write(folder, "graph.json", '{"hosts":1,"links":[],"routes":{},"tasks":[{"id":0,"kind":"compute","host":0,"ns":1,"after":[]}]}')
        run = stepsim("convert", copy, "-o", copy)
        check("an output that is an input", one_line(run, 2) and b"hosts" in read(copy), run)


def signals(child, which):
    """Returns a set of signals of a process: SigCgt, those that it handles, or SigIgn, those that it ignores."""
    with open(f"/proc/{child.pid}/status") as status:
        mask = next(int(line.split()[1], 16) for line in status if line.startswith(which))
    return {number for number in range(1, 65) if mask >> (number - 1) & 1}


def replaying(slow, number, **more):
    """Starts a replay of 32 GiB of blanks in gzip, which takes many seconds, and waits until it has a handler for the
    signal. Before that, the signal would end any program."""
    blanks = gzip.compress(b" " * (64 << 20), 1)
    write("", slow, gzip.compress(b'{"traceEvents": [') + blanks * 512 + gzip.compress(b"]}"))
    child = start("replay", slow, **more)
    # Until then it is a copy of this Python, which has a handler for SIGINT.
    wait_until(lambda: os.path.samefile(f"/proc/{child.pid}/exe", STEPSIM), child)
    wait_until(lambda: number in signals(child, "SigCgt"), child)
    return child


def ends_interrupted(child, number):
    """Prints the response time but does not check it, because it depends on how busy the machine is."""
    began = time.monotonic()
    child.send_signal(number)
    out, err = child.communicate()
    check(f"signal {number}", child.returncode == 130 and err == b"error: interrupted\n" and not out, (child.returncode, err))
    print(f"signal {number} answered in {time.monotonic() - began:.2f} s")


def interrupted(number):
    with tempfile.TemporaryDirectory() as folder:
        ends_interrupted(replaying(os.path.join(folder, "slow.json.gz"), number), number)


def ignored(number):
    """A signal that the caller ignores (nohup, a shell's background job) does not end the program: it stays ignored
    after the program has installed its handlers. The other signal ends it."""
    other = signal.SIGTERM if number == signal.SIGINT else signal.SIGINT
    with tempfile.TemporaryDirectory() as folder:
        child = replaying(os.path.join(folder, "slow.json.gz"), other, preexec_fn=lambda: signal.signal(number, signal.SIG_IGN))
        check(f"signal {number} that the caller ignores", number in signals(child, "SigIgn"), signals(child, "SigIgn"))
        child.send_signal(number)
        ends_interrupted(child, other)


def at_any_moment():
    """A signal at a random moment of a command that writes leaves the old file or the new one, and prints at most one
    line."""
    chance = dice()
    with tempfile.TemporaryDirectory() as folder:
        target = os.path.join(folder, "out.json")
        command = ["replay", SAMPLE, "-o", target, "--quiet"]
        stepsim(*command).check_returncode()
        new, whole = read(target), 0
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT) * 8:
            write(folder, "out.json", b"old")
            child = start(*command, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0)))
            time.sleep(chance.uniform(0, 0.15))
            child.send_signal(number)
            err = child.communicate()[1]
            content = read(target)
            whole += content == new
            check(f"signal {number} at any moment", child.returncode in (0, 130, -number) and content in (b"old", new) and (not err or (err.startswith(b"error: ") and err.count(b"\n") == 1 and err.endswith(b"\n"))), (child.returncode, err, len(content)))
            check("a command that is done has written", child.returncode != 0 or content == new)
        stepsim(*command).check_returncode()
        check("nothing is left of them", os.listdir(folder) == ["out.json"], os.listdir(folder))
        print(f"of 32 commands that got a signal, {whole} had written their file")


def main():
    for arguments in (["--help"], ["--version"], ["replay", "--help"], ["replay", SAMPLE], ["replay", SAMPLE, "--json", "--tasks"], ["critical-path", SAMPLE]):
        full_stdout(*arguments)
        closed_stdout(*arguments)
    everything_closed()
    reader_exited()
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

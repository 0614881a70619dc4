#!/usr/bin/env python3
"""file_races.py STEPSIM SAMPLE: traces that others replace, cut, remove and add while they are read. An answer and its
checksum must belong to the content that was read; if it cannot be used, the run ends with one line. SAMPLE is a
capture that sweeps. A replay is stopped while its file changes, so the change comes in the middle of reading on any
machine."""
import gzip
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading

from checks import HANGS, check, dice, has_open, one_line, quietly, read, start, stepsim, verdict, wait_until, write

SAMPLE = os.path.abspath(sys.argv[2])
DICE = dice()


def kineto(events, rank=0, blanks=b""):
    """A trace whose iteration takes 10 us per event. Blanks make it slow to read."""
    lines = [json.dumps({"ph": "X", "cat": "cpu_op", "name": f"op{i}", "pid": 1, "tid": 1, "ts": 10 * i, "dur": 10}) for i in range(events)]
    head = json.dumps({"schemaVersion": 1, "distributedInfo": {"rank": rank}})[:-1] + ', "traceEvents": ['
    return head.encode() + ",\n".join(lines[:-1]).encode() + b",\n" + blanks + lines[-1].encode() + b"]}"


def put(path, content):
    os.rename(write("", path + ".new", content), path)


def replay(*traces):
    return quietly("replay", *traces, "--json")


def seen(run):
    """Returns the measured iteration, and the checksum of the input."""
    answer = json.loads(run.stdout)
    return answer["iteration"]["measured_ns"], answer["provenance"]["inputs"][0]["crc64"]


def stopped_in(path, *options):
    """Returns a replay that is stopped while it has the file open."""
    for _ in range(100):
        child = start("replay", path, *options, "--quiet")
        if wait_until(lambda: has_open(child, path), child) and child.poll() is None:
            child.send_signal(signal.SIGSTOP)
            if os.WIFSTOPPED(os.waitpid(child.pid, os.WUNTRACED)[1]) and has_open(child, path):
                return child
        child.kill()  # it closed the file before it stopped
        child.communicate()
    sys.exit(f"{path} is never seen open")


def goes_on(child):
    child.send_signal(signal.SIGCONT)
    out, err = child.communicate(timeout=HANGS)
    return subprocess.CompletedProcess(child.args, child.returncode, out, err)


def while_it_is_read(path, change):
    child = stopped_in(path, "--json")
    change()
    return goes_on(child)


def measured(run):
    return json.loads(run.stdout)["iteration"]["measured_ns"] if run.returncode == 0 else None


def changed_while_read(folder):
    path = os.path.join(folder, "slow.json.gz")
    whole = kineto(50)
    cut = whole.rindex(b",\n")
    slow = gzip.compress(whole[:cut + 1]) + gzip.compress(b" " * (32 << 20), 1) * 6 + gzip.compress(whole[cut + 1:])
    put(path, slow)
    undisturbed = seen(replay(path))
    for what, change in (("replaced", lambda: put(path, gzip.compress(kineto(7)))), ("removed", lambda: os.remove(path)), ("renamed", lambda: os.rename(path, path + ".away"))):
        put(path, slow)
        run = while_it_is_read(path, change)
        check(f"a file that is {what} while it is read", run.returncode == 0 and seen(run) == undisturbed, run)
    plain = os.path.join(folder, "slow.json")
    # The last event comes after the blanks: if the file is cut before they are read, the other 39 events are left. These
    # lie in the file's first 4 KiB, because the kernel may end a read at any page when the file is cut.
    for what, change, answers in (("cut", lambda: os.truncate(plain, 3000), (390_000, 400_000)), ("emptied", lambda: os.truncate(plain, 0), (390_000, 400_000)),
                                  ("lengthened", lambda: open(plain, "ab").write(b"[]" * 1000), (400_000,))):
        content = kineto(40, blanks=b" " * (128 << 20))
        check("the events before the blanks fit into a page", content.index(b" " * 100) <= 4096)
        put(plain, content)
        run = while_it_is_read(plain, change)
        # A replay that was stopped before its first read gives the answer of one that begins after the change.
        from_now_on = replay(plain)
        as_changed = run.returncode == from_now_on.returncode and measured(run) == measured(from_now_on)
        check(f"a file that is {what} while it is read", measured(run) in answers or as_changed, run)
    os.remove(plain)


def replaced_all_the_time(folder):
    """Two traces alternate under one name. Each answer must come from one of them only."""
    path = os.path.join(folder, "turn.json")
    contents = [kineto(11), kineto(23)]
    whole = set()
    for content in contents:
        put(path, content)
        whole.add(seen(replay(path)))
    done = threading.Event()

    def turn():
        while not done.is_set():
            put(path, contents[DICE.randrange(2)])
    turner = threading.Thread(target=turn)
    turner.start()
    try:
        for _ in range(40):
            run = replay(path)
            check("an answer of one file", run.returncode == 0 and seen(run) in whole, run)
    finally:
        done.set()
        turner.join()


def ranks_that_come_and_go(folder):
    """Other ranks of a folder appear and vanish. An answer has the ranks of its inputs, and a file that vanished is
    reported."""
    capture = os.path.join(folder, "capture")
    os.mkdir(capture)
    put(os.path.join(capture, "rank0.json"), kineto(10))
    done = threading.Event()

    def come_and_go():
        while not done.is_set():
            rank = DICE.randrange(1, 9)
            path = os.path.join(capture, f"{rank}")
            if os.path.exists(path):
                shutil.rmtree(path)
            else:
                os.rename(write(path, ".part", kineto(10, rank)), os.path.join(path, f"rank{rank}.json"))
    thread = threading.Thread(target=come_and_go)
    thread.start()
    ends = {0: 0, 1: 0}
    try:
        for _ in range(40):
            run = replay(capture)
            ends[run.returncode] = ends.get(run.returncode, 0) + 1
            if run.returncode == 0:
                answer = json.loads(run.stdout)
                named = sorted(int(entry["path"].rsplit("rank", 1)[1].split(".")[0]) for entry in answer["provenance"]["inputs"])
                check("the ranks are those of the inputs", answer["ranks"] == named, (answer["ranks"], named))
            else:
                check("a rank that vanished is told", one_line(run) and capture.encode() in run.stderr, run)
    finally:
        done.set()
        thread.join()
    print(f"of 40 replays while ranks came and went, {ends[0]} answered and {ends[1]} said what was gone")


def resumed_on_another_file(folder):
    """A sweep does not resume from points of a trace that was replaced."""
    sample = os.path.join(folder, "sample")
    shutil.copytree(SAMPLE, sample)
    write(folder, "grid.yaml", "sweep: {network.bandwidth: [1x, 2x]}\n")
    command = ["sweep", "sample", "-s", "grid.yaml", "--resume", "journal"]
    first = stepsim(*command, cwd=folder)
    check("a sweep", first.returncode == 0, first)
    journal = read(os.path.join(folder, "journal"))
    trace = next(os.path.join(root, name) for root, _, names in os.walk(sample) for name in names if name == "comm.json")
    content = read(trace)
    for what, other in (("another content of the same size", content[:-1] + b" "), ("more at its end", content + b"\n")):
        put(trace, other)
        run = stepsim(*command, cwd=folder)
        check(what, one_line(run) and b"comm.json" in run.stderr and read(os.path.join(folder, "journal")) == journal, run)
    put(trace, content)
    check("the same content again", stepsim(*command, cwd=folder).stdout == first.stdout)


def output_that_loses_its_folder(folder):
    path = os.path.join(folder, "slow.json.gz")
    whole = kineto(50)
    put(path, gzip.compress(whole[:-40]) + gzip.compress(b" " * (32 << 20), 1) * 8)
    out = os.path.join(folder, "out")
    os.mkdir(out)
    child = stopped_in(path, "-o", os.path.join(out, "x.json"))
    os.rmdir(out)
    run = goes_on(child)
    check("a folder of the output that is removed", one_line(run) and b"x.json: cannot be written" in run.stderr, run)


def main():
    for test in (changed_while_read, replaced_all_the_time, ranks_that_come_and_go, resumed_on_another_file, output_that_loses_its_folder):
        with tempfile.TemporaryDirectory() as folder:
            test(folder)
    return verdict()


if __name__ == "__main__":
    sys.exit(main())

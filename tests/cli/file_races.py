#!/usr/bin/env python3
"""file_races.py STEPSIM SAMPLE: traces that are replaced, cut, removed and joined by others while they are read. An
answer is of what was read, and so is the checksum beside it; what cannot be used ends with one line. SAMPLE is a capture
that sweeps. Prints its seed and takes it as a third argument."""
import gzip
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time

from checks import check, one_line, verdict

STEPSIM, SAMPLE = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
SEED = int(sys.argv[3]) if len(sys.argv) > 3 else random.SystemRandom().randrange(1 << 32)
DICE = random.Random(SEED)
in_time = []  # whether a change came before the end of what it was to disturb: no check, as a machine may be busy


def kineto(events, rank=0, blanks=b""):
    """A trace whose iteration takes 10 us an event; blanks make it slow to read."""
    lines = [json.dumps({"ph": "X", "cat": "cpu_op", "name": f"op{i}", "pid": 1, "tid": 1, "ts": 10 * i, "dur": 10}) for i in range(events)]
    head = json.dumps({"schemaVersion": 1, "distributedInfo": {"rank": rank}})[:-1] + ', "traceEvents": ['
    return head.encode() + ",\n".join(lines[:-1]).encode() + b",\n" + blanks + lines[-1].encode() + b"]}"


def put(path, content):
    with open(path + ".new", "wb") as file:
        file.write(content)
    os.rename(path + ".new", path)


def replay(*traces):
    return subprocess.run([STEPSIM, "replay", *traces, "--json", "--quiet"], capture_output=True, timeout=100)


def seen(run):
    """What was measured, and the identity of what it was measured in."""
    answer = json.loads(run.stdout)
    return answer["iteration"]["measured_ns"], answer["provenance"]["inputs"][0]["crc64"]


def begun(path, *options):
    """A replay that has opened the file."""
    child = subprocess.Popen([STEPSIM, "replay", path, *options, "--quiet"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    fds = f"/proc/{child.pid}/fd"
    for _ in range(20000):
        try:
            if any(os.readlink(os.path.join(fds, fd)) == path for fd in os.listdir(fds)):
                break
        except OSError:
            pass
        time.sleep(0.0005)
    return child


def while_it_is_read(path, change):
    """The run of a replay during which `change` happens, once the file is open."""
    child = begun(path, "--json")
    change()
    alive = child.poll() is None
    out, err = child.communicate(timeout=100)
    in_time.append(alive)
    return subprocess.CompletedProcess(child.args, child.returncode, out, err)


def changed_while_read(folder):
    path = os.path.join(folder, "slow.json.gz")
    whole = kineto(50)
    cut = whole.rindex(b",\n")
    slow = gzip.compress(whole[:cut + 1]) + gzip.compress(b" " * (32 << 20), 1) * 12 + gzip.compress(whole[cut + 1:])
    put(path, slow)
    undisturbed = seen(replay(path))
    for what, change in (("replaced", lambda: put(path, gzip.compress(kineto(7)))), ("removed", lambda: os.remove(path)), ("renamed", lambda: os.rename(path, path + ".away"))):
        put(path, slow)
        run = while_it_is_read(path, change)
        check(f"a file that is {what} while it is read", run.returncode == 0 and seen(run) == undisturbed, run)
    plain = os.path.join(folder, "slow.json")
    for what, change in (("cut", lambda: os.truncate(plain, 3000)), ("emptied", lambda: os.truncate(plain, 0)), ("lengthened", lambda: open(plain, "ab").write(b"[]" * 1000))):
        put(plain, kineto(50, blanks=b" " * (256 << 20)))
        run = while_it_is_read(plain, change)
        check(f"a file that is {what} while it is read", run.returncode == 0 or one_line(run), run)
    os.remove(plain)


def replaced_all_the_time(folder):
    """Two traces in turn under one name: each answer is wholly of one of them."""
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
    """Other ranks of a folder appear and vanish: an answer has the ranks of its inputs, and a file that vanished is told."""
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
                os.mkdir(path)
                with open(os.path.join(path, ".part"), "wb") as file:
                    file.write(kineto(10, rank))
                os.rename(os.path.join(path, ".part"), os.path.join(path, f"rank{rank}.json"))
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
    """Points of a trace that was replaced meanwhile are not gone on with."""
    sample = os.path.join(folder, "sample")
    shutil.copytree(SAMPLE, sample)
    grid = os.path.join(folder, "grid.yaml")
    with open(grid, "w") as file:
        file.write("sweep: {network.bandwidth: [1x, 2x]}\n")
    command = [STEPSIM, "sweep", "sample", "-s", "grid.yaml", "--resume", "journal"]
    first = subprocess.run(command, cwd=folder, capture_output=True, timeout=100)
    check("a sweep", first.returncode == 0, first)
    journal = open(os.path.join(folder, "journal"), "rb").read()
    trace = next(os.path.join(root, name) for root, _, names in os.walk(sample) for name in names if name == "comm.json")
    content = open(trace, "rb").read()
    for what, other in (("another content of the same size", content[:-1] + b" "), ("more at its end", content + b"\n")):
        put(trace, other)
        run = subprocess.run(command, cwd=folder, capture_output=True, timeout=100)
        check(what, one_line(run) and b"comm.json" in run.stderr and open(os.path.join(folder, "journal"), "rb").read() == journal, run)
    put(trace, content)
    check("the same content again", subprocess.run(command, cwd=folder, capture_output=True, timeout=100).stdout == first.stdout)


def output_that_loses_its_folder(folder):
    path = os.path.join(folder, "slow.json.gz")
    whole = kineto(50)
    put(path, gzip.compress(whole[:-40]) + gzip.compress(b" " * (32 << 20), 1) * 16)
    out = os.path.join(folder, "out")
    os.mkdir(out)
    child = begun(path, "-o", os.path.join(out, "x.json"))
    try:
        os.rmdir(out)
        in_time.append(True)
    except OSError:  # the output is there already
        in_time.append(False)
    stdout, err = child.communicate(timeout=100)
    check("a folder of the output that is removed", not in_time[-1] or child.returncode == 1 and not stdout and err.count(b"\n") == 1 and b"x.json: cannot be written" in err, (child.returncode, err))


def main():
    print(f"seed {SEED}")
    for test in (changed_while_read, replaced_all_the_time, ranks_that_come_and_go, resumed_on_another_file, output_that_loses_its_folder):
        with tempfile.TemporaryDirectory() as folder:
            test(folder)
    print(f"{sum(in_time)} of {len(in_time)} files were changed while they were read")
    return verdict()


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""special_files.py STEPSIM SAMPLE: unreadable and special files, and files that stepsim wrote, are given as a trace,
put next to the traces, and given as other input and output files. No file that could be a rank may be skipped
silently, and nothing may wait forever. SAMPLE is a capture that replays."""
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading

from checks import HANGS, STEPSIM, check, has_open, one_line, run, start, stepsim, verdict, wait_until, within, write

SAMPLE = os.path.abspath(sys.argv[2])
NOBODY = 65534
UNKNOWN = ("md", "yaml", "parquet")  # these do not begin like one of our files, and no format reads them


def kineto(rank):
    return json.dumps({"schemaVersion": 1, "distributedInfo": {"rank": rank}, "traceEvents": [
        {"ph": "X", "cat": "cpu_op", "name": f"op{i}", "pid": 1, "tid": 1, "ts": 10 * i, "dur": 5} for i in range(20)]})


def in_time(folder, *arguments, **more):
    try:
        return stepsim(*arguments, cwd=folder, preexec_fn=within(60), **more)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(arguments, -1000, b"", b"it waits forever")


def answer(run):
    whole = json.loads(run.stdout or b"{}")
    return {key: whole.get(key) for key in ("ranks", "tasks", "steps", "iteration")}, {d["name"]: d["count"] for d in whole.get("ingest", {}).get("diagnostics", [])}


def two_ranks(folder):
    write(folder, "capture/0/rank0.json", kineto(0))
    write(folder, "capture/1/rank1.json", kineto(1))
    os.chmod(folder, 0o755)


def without_rights():
    """Root can read everything, so the program runs as nobody."""
    if os.geteuid() != 0:
        return print("skipped: rights are taken away from nobody but by root")
    for path, mode in (("capture/1", 0o744), ("capture/1", 0o711), ("capture/1", 0o700), ("capture/1/rank1.json", 0o600), ("capture", 0o744), ("capture", 0o700)):
        with tempfile.TemporaryDirectory() as folder:
            two_ranks(folder)
            before = in_time(folder, "replay", "capture", "--json", user=NOBODY)
            check("both ranks are read", answer(before)[0]["ranks"] == [0, 1], before)
            os.chmod(os.path.join(folder, path), mode)
            run = in_time(folder, "replay", "capture", "--json", user=NOBODY)
            check(f"{path} of mode {mode:o}", one_line(run) and path.encode() in run.stderr and b"Permission denied" in run.stderr, run)
    with tempfile.TemporaryDirectory() as folder:
        two_ranks(folder)
        os.chmod(write(folder, "capture/job.yaml", "workers: 2\n"), 0o600)
        run = in_time(folder, "replay", "capture", user=NOBODY)
        check("a job.yaml that cannot be read", one_line(run) and b"job.yaml" in run.stderr, run)


def next_to_the_traces():
    def sock(path):
        with socket.socket(socket.AF_UNIX) as end:
            end.bind(path)
    kinds = {"link": lambda path: os.symlink("1/rank1.json", path), "dangling": lambda path: os.symlink("nowhere", path), "loop": lambda path: os.symlink(os.path.basename(path), path),
             "pipe": os.mkfifo, "socket": sock, "parent": lambda path: os.symlink("..", path)}
    with tempfile.TemporaryDirectory() as folder:
        two_ranks(folder)
        alone = answer(in_time(folder, "replay", "capture", "--json"))[0]
        for name, make in kinds.items():
            make(os.path.join(folder, "capture", name))
        os.link(os.path.join(folder, "capture/1/rank1.json"), os.path.join(folder, "capture/2.json"))
        run = in_time(folder, "replay", "capture", "--json")
        found, counts = answer(run)
        check("special files beside the traces", found == alone and counts.get("special_file_not_used") == len(kinds) and counts.get("same_file_again") == 1, (run, counts))
        run = in_time(folder, "replay", "capture")
        check("the first of them is named", b"capture/dangling is a link" in run.stdout and b"capture/2.json is the same file" in run.stdout, run.stdout)
    for kind in ("dangling", "loop", "folder", "pipe"):
        with tempfile.TemporaryDirectory() as folder:
            two_ranks(folder)
            {**kinds, "folder": os.mkdir}[kind](os.path.join(folder, "capture", "job.yaml"))
            run = in_time(folder, "replay", "capture")
            check(f"a job.yaml that is a {kind}", one_line(run) and b"job.yaml" in run.stderr, run)


def in_place_of_a_file():
    """Each option that names a file, with something that is not a file."""
    with tempfile.TemporaryDirectory() as folder:
        os.symlink("nowhere", os.path.join(folder, "dangling"))
        os.symlink("loop", os.path.join(folder, "loop"))
        os.mkdir(os.path.join(folder, "folder"))
        with socket.socket(socket.AF_UNIX) as end:
            end.bind(os.path.join(folder, "socket"))
        write(folder, "grid.yaml", "sweep: {network.bandwidth: [1x, 2x]}\n")
        sweep = ["sweep", SAMPLE, "-s", "grid.yaml"]
        for name in ("dangling", "loop", "folder", "socket", "/dev/zero", "/dev/full", "nowhere/x"):
            for arguments in (["replay", SAMPLE, "--job", name], ["replay", SAMPLE, "--network", "maxmin", "--cluster", name], ["whatif", SAMPLE, "-s", name], ["sweep", "--merge", name]) + ((["replay", name],) if name != "folder" else ()):
                run = in_time(folder, *arguments)
                check(" ".join(arguments), one_line(run) and name.encode() in run.stderr, run)


def pipes():
    """A FIFO is read once, even if its writer starts late, or writes and closes it immediately."""
    with tempfile.TemporaryDirectory() as folder:
        for late in (False, True):
            pipe = os.path.join(folder, f"pipe{late}")
            os.mkfifo(pipe)
            writer = threading.Thread(target=lambda: open(pipe, "w").write(kineto(0)))  # waits for a reader
            if not late:
                writer.start()
            child = start("replay", pipe, "--json")
            if late:
                wait_until(lambda: has_open(child, pipe), child)
                writer.start()
            out, err = child.communicate(timeout=HANGS)
            writer.join()
            inputs = json.loads(out or b"{}").get("provenance", {}).get("inputs", [{}])
            check("a FIFO is read and has its checksum", child.returncode == 0 and inputs[0].get("bytes") == len(kineto(0)), (child.returncode, err))
        pipe = os.path.join(folder, "checked")
        os.mkfifo(pipe)
        writer = threading.Thread(target=lambda: open(pipe, "w").write(kineto(0)))
        writer.start()
        run = in_time(folder, "check", pipe, "--json")
        writer.join()
        check("check reads a FIFO once", run.returncode == 0 and json.loads(run.stdout)["files"][0]["events"] == 20, run)
        pipe = os.path.join(folder, "silent")
        os.mkfifo(pipe)
        child = start("replay", pipe)
        wait_until(lambda: has_open(child, pipe), child)
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=HANGS)
        check("Ctrl-C while nobody writes", child.returncode == 130 and err == b"error: interrupted\n", (child.returncode, err))


def exports_are_not_ranks():
    """A file that a command wrote into the folder of its traces is not read as a rank."""
    with tempfile.TemporaryDirectory() as folder:
        two_ranks(folder)
        shutil.copytree(SAMPLE, os.path.join(folder, "sample"))
        write(folder, "grid.yaml", "sweep: {network.bandwidth: [1x, 2x]}\n")
        for root, more in (("capture", []), ("sample", [["whatif", "sample", "--set", "network.bandwidth=2x"], ["sweep", "sample", "-s", "grid.yaml"], ["calibrate", "sample"]])):
            alone = answer(in_time(folder, "replay", root, "--json"))[0]
            unknown = answer(in_time(folder, "replay", root, "--json"))[1].get("file_not_used", 0)
            written = [0, 0]
            for command in [["replay", root], ["critical-path", root]] + more:
                for extension in ("json", "json.gz", "trace.json", "pftrace", "tasks.json", "svg", "csv", "xlsx", "sqlite") + UNKNOWN:
                    run = in_time(folder, *command, "-o", f"{root}/{command[0]}-out.{extension}")
                    if run.returncode == 0:
                        written[extension in UNKNOWN] += 1
                again = in_time(folder, "replay", root, "--json")
                found, counts = answer(again)
                check(f"what {command[0]} wrote is no rank", again.returncode == 0 and found == alone and counts.get("own_export_not_used") == written[0] and counts.get("file_not_used") == written[1] + unknown, (again.stderr, counts, written))
            check("something was written", written[0] >= 18, written)
        run = in_time(folder, "replay", "capture")
        check("and is named", b"capture/critical-path-out.csv is an answer" in run.stdout, run.stdout)
        pretty = json.dumps(json.load(open(os.path.join(folder, "capture/replay-out.json"))), indent=2)
        shutil.rmtree(os.path.join(folder, "capture"))
        two_ranks(folder)
        write(folder, "capture/pretty.json", pretty)
        check("also after a formatter", answer(in_time(folder, "replay", "capture", "--json"))[1].get("own_export_not_used") == 1)
        run = in_time(folder, "replay", "sample/replay-out.tasks.json")
        check("a task graph of ours that is named is read", run.returncode == 0, run)
        run = in_time(folder, "replay", "sample/replay-out.trace.json")
        check("a timeline of ours that is named is refused", one_line(run) and b"a timeline that stepsim wrote" in run.stderr, run)
        os.mkdir(os.path.join(folder, "only"))
        shutil.copy(os.path.join(folder, "sample/replay-out.tasks.json"), os.path.join(folder, "only"))
        check("a folder of nothing else", one_line(in_time(folder, "replay", "only")) and b"files that stepsim wrote" in in_time(folder, "replay", "only").stderr)


def removed_working_folder():
    for arguments in (["replay", "trace.json"], ["replay", "."], ["whatif", SAMPLE, "-s", "x.yaml"], ["replay", SAMPLE, "-o", "x.json"], ["sweep", "--merge", "x"], ["replay", SAMPLE, "--job", "x"]):
        run = in_removed_folder(arguments)
        check(f"{arguments} in a folder that was removed", one_line(run), run)
    check("a capture named from the root", in_removed_folder(["replay", SAMPLE]).returncode == 0)
    check("standard input", in_removed_folder(["replay", "-", "--json"], kineto(0).encode()).returncode == 0)


def in_removed_folder(arguments, data=b""):
    folder = tempfile.mkdtemp()
    return run("sh", "-c", 'cd "$1" && rmdir "$1" && shift && exec "$@"', "sh", folder, STEPSIM, *arguments, input=data, preexec_fn=within(60))


def main():
    for test in (without_rights, next_to_the_traces, in_place_of_a_file, pipes, exports_are_not_ranks, removed_working_folder):
        test()
    return verdict()


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""archives.py STEPSIM SAMPLE: a job from standard input, a FIFO or an archive gives the same answer as from a folder.
Damaged or hostile archives are refused with a message, or used as far as they can be read."""
import gzip
import io
import json
import os
import shutil
import sys
import tarfile
import tempfile
import threading
import zipfile
import zlib

from checks import answer, check, quietly, read, run, stepsim, verdict, write

SAMPLE = os.path.abspath(sys.argv[2])
KINETO = json.dumps({"schemaVersion": 1, "traceEvents": [
    {"ph": "X", "cat": "cpu_op", "name": f"op{i}", "pid": 1, "tid": 1, "ts": 10 * i, "dur": 5} for i in range(20)]}).encode()


def replay(folder, *traces, **more):
    return quietly("replay", *traces, "--json", cwd=folder, **more)


def answer_of(run, root):
    """The run's answer, with names as if its files were in "sample"."""
    check(f"{root} is read", run.returncode == 0, run.stderr)
    whole = json.loads(run.stdout.decode().replace(root + "/", "") or "{}")
    return {key: value for key, value in whole.items() if key != "provenance"}, whole.get("provenance", {})


def refused(what, run, sentence):
    text = run.stderr.decode()
    check(what, run.returncode == 1 and sentence in text and text.count("\n") == 1, (run.returncode, text))


def member(archive, name, content=b"", kind=tarfile.REGTYPE, link=""):
    info = tarfile.TarInfo(name)
    info.size, info.type, info.linkname = len(content), kind, link
    archive.addfile(info, io.BytesIO(content))


def tar_of(path, members, mode="w"):
    with tarfile.open(path, mode) as archive:
        for each in members:
            member(archive, *each)


def counts(run):
    return {d["name"]: d["count"] for d in json.loads(run.stdout)["ingest"]["diagnostics"]}


def same_as_a_folder(folder):
    expected, _ = answer_of(replay(folder, "sample"), "sample")
    with tarfile.open(os.path.join(folder, "sample.tar.gz"), "w:gz") as archive:
        archive.add(SAMPLE, "sample")
    with tarfile.open(os.path.join(folder, "dotted.tar"), "w") as archive:
        archive.add(SAMPLE, "./sample")
    with zipfile.ZipFile(os.path.join(folder, "sample.zip"), "w", zipfile.ZIP_DEFLATED) as archive:
        for place, _, names in os.walk(SAMPLE):
            for name in names:
                path = os.path.join(place, name)
                archive.write(path, os.path.join("sample", os.path.relpath(path, SAMPLE)))
    for name in ("sample.tar.gz", "dotted.tar", "sample.zip"):
        found, provenance = answer_of(replay(folder, name), name)
        check(f"{name} answers as the folder", found == expected, "the answers differ")
        inputs = provenance.get("inputs", [])
        check(f"{name} is the one input", [i["path"] for i in inputs] == [name], inputs)
        check(f"{name} has its size", inputs and inputs[0]["bytes"] == os.path.getsize(os.path.join(folder, name)), inputs)
    with open(os.path.join(folder, "sample.tar.gz"), "rb") as stream:
        found, provenance = answer_of(replay(folder, "-", stdin=stream), "standard input")
    check("an archive on standard input answers as the folder", found == expected, "the answers differ")
    checksum = answer_of(replay(folder, "sample.tar.gz"), "sample.tar.gz")[1]["inputs"][0]["crc64"]
    check("its checksum is the file's", provenance["inputs"][0]["crc64"] == checksum, provenance)


def part_of_an_archive(folder):
    """A path that continues after an archive's name selects what is in it."""
    rank = lambda number: KINETO.replace(b'"schemaVersion": 1', b'"schemaVersion": 1, "distributedInfo": {"rank": %d}' % number)
    tar_of(os.path.join(folder, "two.tar"), [("one/trace.json", rank(0)), ("other/trace.json", rank(0)),
                                             ("other/rank1.json", rank(1)), ("notes.txt", b"none")])
    refused("two captures of a rank", replay(folder, "two.tar"),
            "two.tar/other/trace.json: this trace and two.tar/one/trace.json (of the same process, at the same time) both state rank 0")
    for named, ranks in (("two.tar/one", [0]), ("two.tar/one/trace.json", [0]), ("two.tar/other/", [0, 1]),
                         ("./two.tar/other/rank1.json", [1])):
        run = replay(folder, named)
        check(f"{named} is read", run.returncode == 0 and json.loads(run.stdout)["ranks"] == ranks, run.stderr)
    run = replay(folder, "two.tar/one", "two.tar/other/rank1.json")
    check("two parts of one archive are a job", run.returncode == 0 and json.loads(run.stdout)["ranks"] == [0, 1], run.stderr)
    refused("a part that is not there", replay(folder, "two.tar/on"),
            "two.tar/on: the archive has no such trace, which holds one/trace.json, other/trace.json, other/rank1.json "
            "and 1 more; expected a file or a folder in it")
    refused("a part that is no trace", replay(folder, "two.tar/notes.txt"), "two.tar/notes.txt: no trace found")
    write(folder, "plain.json", KINETO)
    refused("a part of a file that is no archive", replay(folder, "plain.json/one"),
            "plain.json/one: no such file or folder: plain.json is a file and not an archive; expected a trace")


def streams(folder):
    write(folder, "one.json", KINETO)
    expected, known = answer_of(replay(folder, "one.json"), "one.json")
    for data in (KINETO, gzip.compress(KINETO)):
        found, provenance = answer_of(replay(folder, "-", input=data), "standard input")
        check("standard input answers as the file", found["steps"] == expected["steps"] and found["tasks"] == expected["tasks"])
        check("standard input is named", provenance["inputs"][0]["path"] == "standard input", provenance)
    os.mkfifo(os.path.join(folder, "fifo"))
    writer = threading.Thread(target=write, args=(folder, "fifo", KINETO))
    writer.start()
    found, provenance = answer_of(replay(folder, "fifo"), "fifo")
    writer.join()
    check("a FIFO answers as the file", found["tasks"] == expected["tasks"])
    check("a FIFO has the file's checksum", provenance["inputs"][0]["crc64"] == known["inputs"][0]["crc64"], provenance)
    refused("nothing on standard input", replay(folder, "-", input=b""), "standard input@0: this is empty, ")


def profiles(folder):
    """Inline profiles from archives, compressed files and standard input are read like those from files."""
    source = os.path.join(os.path.dirname(SAMPLE), "inline")
    two = os.path.join(source, "two.prof.json")
    text = read(two)
    os.mkdir(os.path.join(folder, "run"))
    for name in ("one.prof.json", "two.prof.json"):
        shutil.copyfile(os.path.join(source, name), os.path.join(folder, "run", name))
    with tarfile.open(os.path.join(folder, "run.tar.gz"), "w:gz") as archive:
        archive.add(os.path.join(folder, "run"), "run")
    with zipfile.ZipFile(os.path.join(folder, "run.zip"), "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("one.prof.json", "two.prof.json"):
            archive.write(os.path.join(folder, "run", name), f"run/{name}")
    write(folder, "two.prof.json.gz", gzip.compress(text))
    compressed = {"two.prof.json.gz": two}
    if shutil.which("zstd"):
        run("zstd", "-q", two, "-o", os.path.join(folder, "two.prof.json.zst")).check_returncode()
        compressed["two.prof.json.zst"] = two
    else:
        print("skipped: zstd is not installed")

    def said(*arguments, **more):
        whole = answer(*arguments, cwd=folder, **more)
        whole.pop("provenance", None)
        for part in [whole, *whole.get("inputs", []), *whole.get("runs", []), *whole.get("processes", [])]:
            for name in ("name", "run", "file"):
                part.pop(name, None)
        return whole

    for command in ("stats", "timeline", "scaling"):
        expected = said(command, "run")
        for name in ("run.tar.gz", "run.zip"):
            check(f"{command} of {name} is that of the folder", said(command, name) == expected)
        archive = read(os.path.join(folder, "run.tar.gz"))
        check(f"{command} of an archive on standard input", said(command, "-", input=archive) == expected)
        expected = said(command, two)
        for name in compressed:
            check(f"{command} of {name}", said(command, name) == expected)
        check(f"{command} of standard input", said(command, "-", input=text) == expected)
        check(f"{command} of standard input, compressed", said(command, "-", input=gzip.compress(text)) == expected)
        check(f"{command} of a member", said(command, "run.zip/run/two.prof.json") == expected)
    refusal = stepsim("stats", "run.tar.gz", "--steps", "1", cwd=folder)
    check("--steps of an archive of profiles", refusal.returncode == 2 and b"--steps cannot be used with an inline profile" in refusal.stderr, refusal.stderr)
    refusal = stepsim("scaling", "-", "-", cwd=folder)
    check("standard input twice", refusal.returncode == 2 and b"standard input can be read only once" in refusal.stderr, refusal.stderr)


def hostile(folder):
    path = lambda name: os.path.join(folder, name)
    tar_of(path("odd.tar"), [("rank0.json", KINETO), ("/etc/abs.json", KINETO), ("../up.json", KINETO), ("a/../../b.json", KINETO),
                             ("link.json", b"", tarfile.SYMTYPE, "/etc/passwd"), ("hard.json", b"", tarfile.LNKTYPE, "rank0.json"),
                             ("fifo", b"", tarfile.FIFOTYPE), ("notes.txt", b"hello"), (".hidden.json", KINETO)])
    run = replay(folder, "odd.tar")
    check("odd members are counted", run.returncode == 0 and counts(run).get("member_not_used") == 6 and counts(run).get("file_not_used") == 1,
          (run.stderr, run.stdout[-600:]))
    tar_of(path("none.tar"), [("notes.txt", b"hello")])
    refused("an archive without traces", replay(folder, "none.tar"), "none.tar: no trace found in this archive, which holds notes.txt; expected a PyTorch profiler .json")
    tar_of(path("two.tar"), [("rank0.json", KINETO), ("rank1.json", KINETO.replace(b"op", b"o"))])
    whole = read(path("two.tar"))
    end = whole.rindex(b"rank1.json") + 512 + 100
    write(folder, "cut.tar", whole[:end])
    run = replay(folder, "cut.tar")
    check("a cut archive is used up to the cut", run.returncode == 1 or counts(run).get("damaged_archive") == 1, (run.stderr, run.stdout[-300:]))
    write(folder, "stub.tar", whole[:512])
    refused("an archive cut in its first member", replay(folder, "stub.tar"), "stub.tar")
    with zipfile.ZipFile(path("bomb.zip"), "w", zipfile.ZIP_DEFLATED) as archive:
        with archive.open("rank0.json", "w", force_zip64=True) as file:
            file._compressor = zlib.compressobj(wbits=-15, strategy=zlib.Z_RLE)  # takes a third of the time
            file.write(KINETO[:-2])
            blank = b" " * (1 << 20)
            for _ in range(1100):
                file.write(blank)
            file.write(b"]}")
    refused("a bomb", replay(folder, "bomb.zip"), "more than 250 times as large as the archive")
    os.mkdir(path("search"))
    tar_of(path("search/traces.tar.gz"), [("rank0.json", KINETO)], "w:gz")
    refused("a folder of archives", replay(folder, "search"), "search/traces.tar.gz: the folder has no trace, only archives")
    write(folder, "search/rank0.json", KINETO)
    run = replay(folder, "search")
    check("an archive beside traces is counted", counts(run).get("archive_not_opened") == 1, run.stdout[-300:])
    check("nothing was unpacked", not os.path.exists(path("b.json")) and not os.path.exists(path("up.json")))


with tempfile.TemporaryDirectory() as temporary:
    os.symlink(SAMPLE, os.path.join(temporary, "sample"))
    same_as_a_folder(temporary)
    part_of_an_archive(temporary)
    streams(temporary)
    profiles(temporary)
    hostile(temporary)
sys.exit(verdict())

#!/usr/bin/env python3
"""Parts of a job (convert -o OUT.stepsim): every command answers from them as from the traces they were made from, and
refuses damaged ones.

    parts.py STEPSIM SAMPLES
"""
import gzip
import json
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile

from checks import MPI, SHARED, STEPSIM, check, one_line, quietly, run, verdict
from slurm import Slurm, missing

SAMPLES = pathlib.Path(sys.argv[2])
SAMPLE = SAMPLES / "pytorch-ddp"
TRACES = sorted((SAMPLE / "traces").iterdir())
COMMANDS = [["replay"], ["replay", "--network", "maxmin"], ["critical-path"], ["stats"], ["tasks"], ["advise"],
            ["whatif", "--set", "network.bandwidth=2x"], ["whatif", "--set", "cluster.workers=64"]]
# Captures of PyTorch's profiler, of Nsight Systems and of `stepsim capture`; those that others made may be absent.
CAPTURES = [*(pathlib.Path(SHARED) / name for name in ("kineto/dlrm-8ranks", "kineto/llama-tp2", "nsys/h100-2gpu-1s.sqlite")),
            SAMPLES.parents[1] / "tests/fuzz/corpus/capture_fuzz/nccl.capture"]


def answer(command, inputs):
    """The answer as JSON, without what names the command and its inputs."""
    done = quietly(command[0], *map(str, inputs), *command[1:], "--json")
    if done.returncode:
        return done.returncode, done.stderr.decode()
    value = json.loads(done.stdout)
    value.pop("provenance", None)
    for one in value.get("inputs", []):  # of stats
        one.pop("name")
    return value


def make_part(traces, part):
    done = quietly("convert", *map(str, traces), "-o", str(part), "--json")
    check(f"{part.name} is written", done.returncode == 0, done.stderr)
    return json.loads(done.stdout) if done.returncode == 0 else {}


def same(what, command, traces, parts):
    expected, found = answer(command, traces), answer(command, parts)
    check(f"{what}: {' '.join(command)} is the same", expected == found, f"{str(expected)[:300]} {str(found)[:300]}")


def sample(folder):
    parts = [folder / f"rank{i}.stepsim" for i in range(len(TRACES))]
    for trace, part in zip(TRACES, parts):
        written = make_part([trace], part)
        text = len(gzip.decompress(trace.read_bytes()))
        check("a part is an eighth of the JSON at most", 8 * written.get("bytes", text) <= text, f"{written} of {text}")
        check("the answer names the size of the file", written.get("bytes") == part.stat().st_size, written)
    for command in COMMANDS:
        same("parts", command, TRACES, parts)
    same("a folder of parts", ["replay"], TRACES, [folder])
    same("a part and a trace", ["replay"], TRACES, [parts[0], TRACES[1]])
    whole = folder / "whole" / "job.stepsim"
    whole.parent.mkdir()
    make_part([SAMPLE], whole)
    same("one part of all ranks", ["replay"], [SAMPLE], [whole])
    again = folder / "whole" / "again.stepsim"
    make_part(parts, again)
    same("a part of parts", ["replay"], TRACES, [again])

    pages = [folder / "whole" / name for name in ("traces.html", "parts.html")]
    for page, inputs in zip(pages, (TRACES, parts)):
        done = quietly("replay", *map(str, inputs), "-o", str(page))
        check("a page is written", done.returncode == 0, done.stderr)
    check("pages are the same but for what they name as their input", abs(pages[0].stat().st_size - pages[1].stat().st_size) < 2000,
          [page.stat().st_size for page in pages])

    twice = quietly("replay", str(parts[0]), str(TRACES[0]))
    check("a rank that is given twice is refused", one_line(twice) and b"both state rank 0" in twice.stderr, twice.stderr)


def copies(folder, count):
    """Writes traces of `count` ranks, which do what those of the sample do, two on each host with a clock of its own."""
    folder.mkdir()
    texts = [gzip.decompress(trace.read_bytes()).decode() for trace in TRACES]
    for rank in range(count):
        text, host = texts[rank % 2], rank // 2
        process = re.search(r'"pid": (\d+)', text)[1]
        base = re.search(r'"baseTimeNanoseconds": (\d+)', text)[1]
        for old, new in [(f'"rank": {rank % 2}, "world_size": 2', f'"rank": {rank}, "world_size": {count}'),
                         ('"host_name": "vm"', f'"host_name": "node{host}"'), (process, str(100000 + rank)),
                         (base, str(int(base) + host * 7_000_000_001))]:
            check(f"the sample has {old}", old in text)
            text = text.replace(old, new)
        (folder / f"rank{rank}.json").write_text(text)


def peak_megabytes(*arguments):
    """The answer, and the most memory that the command used."""
    process = subprocess.Popen([STEPSIM, *map(str, arguments)], stdout=subprocess.PIPE)
    out = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    check(f"{arguments[0]} ends well", status == 0)
    return json.loads(out), usage.ru_maxrss / 1024


def like_ranks(folder):
    """Many ranks that do the same: their traces, or parts, take the memory of one of each class."""
    folder.mkdir()
    copies(folder / "72", 72)
    copies(folder / "216", 216)
    (folder / "parts").mkdir()
    for trace in (folder / "72").iterdir():
        make_part([trace], folder / "parts" / f"{trace.stem}.stepsim")
    for command in COMMANDS[:5] + [["whatif", "--set", "straggler{rank=41}.factor=2"], ["whatif", "--set", "cluster.workers=144"]]:
        same("like ranks", command, [folder / "72"], [folder / "parts"])
    found, few = peak_megabytes("replay", folder / "72", "--json", "--threads", "1")
    check("the answer names all ranks and their classes",
          found["ranks"] == list(range(72)) and [one["ranks"] for one in found["rank_classes"]] == [36, 36], found["ranks"])
    check("the steps are those of two ranks", found["iteration"] == answer(["replay"], TRACES)["iteration"], found["iteration"])
    stats = quietly("stats", str(folder / "72")).stdout
    check("sums say of how many ranks they are", b"The 72 ranks are 2 classes; counts and sums are those of one rank of each." in stats, stats[:400])
    _, many = peak_megabytes("replay", folder / "216", "--json", "--threads", "1")
    check("three times as many like ranks need no more memory", many < 1.25 * few, f"{few} MB, {many} MB")


def faults(folder):
    part = folder / "rank0.stepsim"
    whole = part.read_bytes()
    damaged = folder / "damaged.stepsim"
    for what, content, says in [("cut off", whole[:-100], b"damaged or cut off"), ("changed", whole[:500] + b"x" + whole[501:], b"damaged or cut off"),
                                ("of another version", b"stepsim part 9" + whole[len("stepsim part N"):], b"version '9'"),
                                ("the beginning alone", b"stepsim part ", b"version ''")]:
        damaged.write_bytes(content)
        done = quietly("replay", str(damaged))
        check(f"a part that is {what} is refused", one_line(done) and says in done.stderr and b"damaged.stepsim" in done.stderr, done.stderr)
    for name, files in (("alone", [damaged]), ("beside", [damaged, part, folder / "rank1.stepsim"])):
        (folder / name).mkdir()
        for file in files:
            shutil.copy(file, folder / name)
    done = quietly("replay", str(folder / "beside"), "--json")
    found = json.loads(done.stdout) if done.returncode == 0 else {"ranks": [], "ingest": {"diagnostics": []}}
    left_out = [one for one in found["ingest"]["diagnostics"] if one["name"] == "damaged_part"]
    check("in a folder it is left out and named", found["ranks"] == [0, 1] and [(one["count"], "damaged.stepsim" in str(one)) for one in left_out] == [(1, True)], left_out)
    done = quietly("replay", str(folder / "alone"))
    check("alone in a folder it is refused", one_line(done) and b"damaged.stepsim" in done.stderr, done.stderr)
    for name in ("alone", "beside"):
        shutil.rmtree(folder / name)
    damaged.unlink()
    for options in (["--steps", "1"], ["--ranks", "0"], ["--network", "maxmin"], ["--scrub", "--steps", "1"], ["--select", "name=x"]):
        done = quietly("convert", str(TRACES[0]), "-o", str(damaged), *options)
        check(f"{options[0]} is refused", one_line(done, 2), done.stderr)
    done = quietly("convert", str(SAMPLES / "byteps-even"), "-o", str(damaged))
    check("BytePS has no parts", one_line(done, 2) and b"of which no part can be stored" in done.stderr, done.stderr)
    check("nothing is left of what was refused", not damaged.exists())
    done = quietly("convert", str(part), "-o", str(part))
    pattern = quietly("convert", str(part.parent / "rank0.*"), "-o", str(part))
    check("a part is not written over what a pattern matches", pattern.returncode == 2 and part.read_bytes() == whole, pattern.stderr)
    check("a part is not written over itself", done.returncode == 2 and part.read_bytes() == whole, done.stderr)


def recipes():
    """The commands of docs/guides/cluster.md that convert each rank's trace where the rank ran, by what starts them."""
    text = (SAMPLES.parents[1] / "docs/guides/cluster.md").read_text()
    return dict(re.findall(r"^\| ([^|]+) \| `([^`]*stepsim convert[^`]*)` \|$", text, re.MULTILINE))


def by_launcher(folder):
    """Each recipe, with two ranks in place of 16, makes parts that answer as the traces do."""
    (folder / "traces").mkdir()
    for rank, trace in enumerate(TRACES):
        shutil.copy(trace, folder / "traces" / f"rank{rank}.json.gz")
    environment = {**os.environ, **MPI, "PATH": f"{os.path.dirname(STEPSIM)}:/usr/bin:{os.environ['PATH']}"}

    def launch(name, command, **more):
        out = folder / name.split()[0]
        out.mkdir()
        command = command.replace("/shared/run7", str(out)).replace("traces/", f"{folder}/traces/")  # answers name the files
        done = run("sh", "-c", command, cwd=folder, env={**environment, **more})
        check(f"{name}: parts are made", done.returncode == 0, done.stderr)
        same(name, ["replay"], [folder / "traces"], [out])

    of = recipes()
    check("there are four recipes", sorted(of) == ["Kubernetes indexed job", "Slurm array", "mpirun", "srun, one task per rank"], of)
    shell = re.fullmatch(r"\[sh, -c, '(.*)'\]", of["Kubernetes indexed job"])[1]
    launch("Kubernetes", " && ".join(f"JOB_COMPLETION_INDEX={rank}; {shell}" for rank in range(len(TRACES))))
    if shutil.which("mpirun", path=environment["PATH"]):
        launch("mpirun", of["mpirun"].replace("-np 16", "-np 2"))
    else:
        print("skipped: mpirun is absent")
    if missing():
        return print(f"skipped: {missing()}")
    with Slurm() as cluster:
        launch("srun", of["srun, one task per rank"].replace("-n 16", "-n 2 --overcommit --oversubscribe"), **cluster.environment)
        launch("sbatch", of["Slurm array"].replace("--array=0-15", "--array=0-1 --wait"), **cluster.environment)


def ended_while_writing(folder):
    """A part that cannot be written to its end is not left behind, nor is the one before it damaged."""
    part = folder / "rank0.stepsim"
    before = part.read_bytes()
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
    for target in (part, folder / "new.stepsim"):
        done = quietly("convert", str(TRACES[1]), "-o", str(target), preexec_fn=limit)
        check("a file that is too large ends convert", done.returncode != 0, done)
    check("no half part is left", not (folder / "new.stepsim").exists() and part.read_bytes() == before)


def measured(folder):
    for capture in CAPTURES:
        if not capture.exists():
            print(f"skipped: {capture} is absent")
            continue
        part = folder / f"{capture.name}.stepsim"
        make_part([capture], part)
        for command in (["replay"], ["stats"], ["whatif", "--set", "compute.scale=0.5"]):
            same(capture.name, command, [capture], [part])
        part.unlink(missing_ok=True)


def main():
    folder = pathlib.Path(tempfile.mkdtemp())
    try:
        (folder / "parts").mkdir()
        sample(folder / "parts")
        faults(folder / "parts")
        like_ranks(folder / "like")
        ended_while_writing(folder / "parts")
        by_launcher(folder)
        measured(folder)
    finally:
        shutil.rmtree(folder)
    return verdict()


sys.exit(main())

#!/usr/bin/env python3
"""inline_programs.py STEPSIM ROOT: capture/inline.h in the hands of its users. It compiles alone, with every installed
compiler, with and without STEPSIM_PROFILING. A program with labels obeys a schedule of 'stepsim schedule', and
'stepsim timeline' reads its output."""
import glob
import os
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../cli"))
from checks import answer, check, run, stepsim, verdict, write  # noqa: E402

ROOT = os.path.abspath(sys.argv[2])
PROGRAM = os.path.join(ROOT, "tests/capture/inline/inline_program.cpp")
CUDA = "/usr/local/cuda"
STRICT = ["-std=c++17", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Wold-style-cast", "-Werror"]
RANGES = "warmup: 2\nrepeat: 3\nlayers:\n  top: {forward: [outer]}\n  bottom: {forward: [inner]}\n"


def compiles():
    """Compiles without CUDA's headers, and with them if installed. Does not link, because that needs CUDA's runtime."""
    folders = [None] + [path for path in [os.path.join(CUDA, "include")] if os.path.exists(os.path.join(path, "cuda_runtime_api.h"))]
    for compiler in ("g++", "clang++"):
        if not shutil.which(compiler):
            print(f"skipped: {compiler} is not installed")
            continue
        for folder in folders:
            for definitions in ([], ["-DSTEPSIM_PROFILING"]):
                include = ["-isystem", folder] if folder else []
                done = run(compiler, *STRICT, *include, *definitions, "-I", ROOT, "-fsyntax-only", PROGRAM)
                check(f"{compiler} {definitions} with the headers of {folder}", done.returncode == 0, done.stderr)
    nvcc = shutil.which("nvcc") or os.path.join(CUDA, "bin/nvcc")
    if not os.path.exists(nvcc):
        print("skipped: nvcc is not installed")
        return
    with tempfile.TemporaryDirectory() as folder:
        done = run(nvcc, "-std=c++17", "-DSTEPSIM_PROFILING", "-I", ROOT, "-x", "cu", "-c", PROGRAM, "-o", os.path.join(folder, "program.o"))
        check("nvcc", done.returncode == 0, done.stderr)


def built(folder, *definitions):
    program = os.path.join(folder, "program" + "".join(definitions))
    compiler = next(name for name in ("g++", "clang++", "c++") if shutil.which(name))
    done = run(compiler, "-std=c++17", *definitions, "-DSTEPSIM_PROFILING_HOST_CLOCK", "-I", ROOT, PROGRAM, "-o", program, "-pthread")
    check(f"a program {definitions} is built", done.returncode == 0, done.stderr)
    return program


class Job:
    """A run of the program in a separate folder with a schedule of eight iterations."""

    def __init__(self, program, *arguments, schedule=RANGES, environment=None):
        self.folder = tempfile.TemporaryDirectory()
        if schedule is not None:
            ranges = write(self.folder.name, "ranges.yaml", schedule)
            made = stepsim("schedule", ranges, "-o", os.path.join(self.folder.name, "prof.schedule"))
            check("the schedule is made", made.returncode == 0, made.stderr)
        clean = {name: value for name, value in os.environ.items() if name not in ("RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID", "STEPSIM_PROFILING_DIR")}
        self.run = run(program, *arguments, env={**clean, "PROFILING_DIR": self.folder.name, **(environment or {})})

    def results(self):
        return sorted(glob.glob(os.path.join(self.folder.name, "*.prof.json")))


def measures(program):
    job = Job(program, "10")
    check("the program ends as without a profiler", job.run.returncode == 0, job.run)
    check("one line on standard error", job.run.stderr.count(b"\n") == 1 and b"has 2 ranges" in job.run.stderr, job.run.stderr)
    check("one result", len(job.results()) == 1, os.listdir(job.folder.name))
    if not job.results():
        return
    measured = answer("timeline", job.results()[0], "--mean", "median")
    ranges = {each["label"]: each for each in measured["ranges"]}
    check("two ranges by their layers", set(ranges) == {"top.outer", "bottom.inner"}, ranges)
    check("three measurements of each", all(each["lengths_ns"]["count"] == 3 for each in ranges.values()), ranges)
    check("inner lies in outer", ranges["bottom.inner"]["depth"] == 1 and ranges["top.outer"]["depth"] == 0, ranges)
    # A sleep takes at least as long as requested: 300 us inside, 200 us before that.
    check("inner takes its 300 us or more", ranges["bottom.inner"]["length_ns"] >= 300_000, ranges)
    check("inner begins behind 200 us or more", ranges["bottom.inner"]["begin_ns"] >= 200_000, ranges)
    check("outer takes both", ranges["top.outer"]["length_ns"] >= 500_000, ranges)
    check("six whole iterations", measured["processes"][0]["iterations_ns"]["count"] == 6, measured["processes"])


def ends_early(program):
    job = Job(program, "5")
    check("a program that ends before its schedule does ends well", job.run.returncode == 0, job.run)
    check("what it measured is written, and it says so", b"the program ends after 3 of 6" in job.run.stderr and len(job.results()) == 1, job.run.stderr)
    job = Job(program, "1")
    check("of warm-up alone nothing is written", job.run.returncode == 0 and not job.results(), job.run)


def forks(program):
    job = Job(program, "4", "fork")
    check("a child that exits writes nothing, its parent does", job.run.stderr.count(b"the program ends") == 1 and len(job.results()) == 1, job.run.stderr)


def ranks_and_no_schedule(program):
    job = Job(program, "10", environment={"RANK": "3"})
    check("a rank has a file of its own", [path.endswith(".rank3.prof.json") for path in job.results()] == [True], job.results())
    job = Job(program, "10", schedule=None)
    check("without a schedule the program runs on", job.run.returncode == 0 and b"there is no" in job.run.stderr, job.run)
    job = Job(program, "10", environment={"STEPSIM_PROFILING_DIR": "/nowhere/at/all"})
    check("a folder that is not there is one line", job.run.returncode == 0 and job.run.stderr.count(b"\n") == 1, job.run)


def main():
    compiles()
    with tempfile.TemporaryDirectory() as folder:
        off = built(folder)
        job = Job(off, "10")
        check("without STEPSIM_PROFILING labels are not evaluated and nothing is said or written", job.run.returncode == 0 and not job.run.stderr and not job.results(), job.run)
        on = built(folder, "-DSTEPSIM_PROFILING")
        for work in (measures, ends_early, forks, ranks_and_no_schedule):
            work(on)
    return verdict()


sys.exit(main())

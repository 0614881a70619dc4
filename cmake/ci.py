#!/usr/bin/env python3
"""Runs stages of `./dev ci` and says why one is red.

    cmake/ci.py NAME [--all] STAGE...

Each stage is `./dev ci-stage STAGE`; its output is also kept in build/ci/STAGE.log. After a stage fails, no other begins,
unless --all is given. No stage begins after STEPSIM_CI_MINUTES, and tests that run then are stopped (run_tests.py); what
did not run is named. The last lines are a table of the stages, the reason of each failure, and the summaries of ctest.

If all stages are asked for and an earlier commit passed them on this machine, a change of documents runs only
DOCUMENT_STAGES, and stage `threads` runs only if a folder with threads changed. Nightly runs all.
"""
import concurrent.futures
import functools
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading
import time

import history
import kept_passes

ROOT = pathlib.Path(__file__).resolve().parents[1]
LOGS = ROOT / "build" / "ci"
# How long a stage may still run after the time limit before it is killed: longer than a test needs to be stopped.
GRACE_SECONDS = 120
SUMMARY = re.compile(r"^(\d+% tests passed, .*|Total Test time .*|failed once beside others, passed alone: .*|\d+ of \d+ tests did not run, [^:\n]*).*$",
                     re.MULTILINE)
# Stages that a change of documents concerns. Of their tests, only those that read documents run.
DOCUMENT_STAGES = {"prepare", "format", "layering", "demo", "tests", "commands"}
# This stage waits for single long tests, and runs beside the stages that follow it.
BESIDE_OTHERS = "commands"
THREADS = r"std::(j?thread|mutex|atomic|async|condition_variable|call_once)|oneapi/tbb|tbb::|pthread_|thread_local"
# What tools print first when they find a fault. run_tests.py names failed tests itself, with "red: ".
FAULT = re.compile(r"red: .+|.*(?:: (?:fatal )?error: |CMake Error|runtime error: |ERROR: \w+Sanitizer|WARNING: ThreadSanitizer|"
                   r"ERROR: libFuzzer|\[  FAILED  \]|^FAILED |^not ok |^E: |^Traceback|^error: |^dev: ).*", re.MULTILINE)
HARMLESS = re.compile(r"dev: (?:ci|nightly|installing|clang-|layering|the report page|\d+ sources changed)")


def first_fault(text):
    """Returns the first line that says what went wrong, or the last line if none does; "no output" if it is empty."""
    explicit = re.search("^red: .*", text, re.MULTILINE)
    found = explicit or next((m for m in FAULT.finditer(text) if not HARMLESS.match(m.group())), None)
    lines = [line for line in text.splitlines() if line.strip()]
    return found.group().strip() if found else lines[-1] if lines else "no output"


class Stage:
    """A stage that has run."""

    running = set()  # processes of stages

    def __init__(self, name, deadline, prefix=b""):
        self.name = name
        self.log = LOGS / f"{name}.log"
        environment = {**os.environ, "STEPSIM_STOP_TIME": time.strftime("%H:%M:%S", time.localtime(deadline))}
        began = time.monotonic()
        # A process group of its own, so that all of it can be ended.
        process = subprocess.Popen([ROOT / "dev", "ci-stage", name], cwd=ROOT, env=environment, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, process_group=0)
        Stage.running.add(process)
        end = threading.Timer(max(deadline + GRACE_SECONDS - time.time(), 0), os.killpg, [process.pid, signal.SIGKILL])
        end.daemon = True
        end.start()
        with open(self.log, "wb") as log:
            for line in process.stdout:
                sys.stdout.buffer.write(prefix + line)
                sys.stdout.flush()
                log.write(line)
        _, status, usage = os.wait4(process.pid, 0)
        Stage.running.remove(process)
        end.cancel()
        self.seconds = time.monotonic() - began
        self.processor_seconds = usage.ru_utime + usage.ru_stime
        self.passed = status == 0
        self.text = self.log.read_text(errors="replace")
        self.reason = "" if self.passed else first_fault(self.text)
        if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL:
            self.reason = "stopped: it was not done in time"

    def row(self):
        return f"  {self.name:<12} {self.seconds:6.0f} s  {self.processor_seconds:6.0f} s of CPU  {'passed' if self.passed else 'FAILED'}"


def only_documents(changed):
    """Whether it is known which files changed since all stages passed, and each is a document."""
    return changed is not None and all(map(kept_passes.is_document, changed))


def unneeded(stages, changed):
    """Returns why stages need not run, by stage, if only these files have changed since all stages passed. Without a list,
    all must run."""
    if changed is None:
        return {}
    if only_documents(changed):
        return {stage: "only documents changed" for stage in stages if stage not in DOCUMENT_STAGES}
    return {} if any(map(concerns_threads, changed)) else {"threads": "no folder with threads changed"}


@functools.cache
def folders_with(pattern, *files):
    """Returns the folders of those files of the repository that contain the pattern."""
    return {os.path.dirname(file) for file in history.git("grep", "-lE", pattern, "--", *files).split()}


def concerns_threads(path):
    """Whether a file is part of the build system, beside a source that uses threads, or beside or below a test that does."""
    folders = [os.path.dirname(path), *map(str, pathlib.PurePath(path).parents)]
    return folders[0] in folders_with(THREADS, "*.cpp", "*.h") or kept_passes.is_build_file(path) or \
        any(folder in folders_with("PARALLEL", "tests/*CMakeLists.txt") for folder in folders)


def run_stages(name, stages, deadline, every):
    """Runs stages, BESIDE_OTHERS beside those after it, and returns those that ran. Unless `every`, none begins after one
    that failed."""
    done = []
    stopped = threading.Event()

    def run(lane, names_lines):
        for stage in lane:
            if stopped.is_set() or time.time() > deadline or not every and any(not earlier.passed for earlier in done):
                return
            print(f"\ndev: {name}: stage {stage}", flush=True)
            done.append(Stage(stage, deadline, f"{stage}: ".encode() if names_lines else b""))

    split = stages.index(BESIDE_OTHERS) if BESIDE_OTHERS in stages else len(stages)
    with concurrent.futures.ThreadPoolExecutor() as pool:
        try:
            run(stages[:split], False)
            for lane in [pool.submit(run, lane, True) for lane in (stages[split:split + 1], stages[split + 1:])]:
                lane.result()
        except BaseException:
            stopped.set()
            for process in Stage.running:
                os.killpg(process.pid, signal.SIGKILL)
            raise
    return sorted(done, key=lambda stage: stages.index(stage.name))


def main():
    name, *stages = sys.argv[1:]
    began = time.monotonic()
    every = "--all" in stages
    stages = [stage for stage in stages if stage != "--all"]
    LOGS.mkdir(parents=True, exist_ok=True)
    commit = history.clean_commit()
    deadline = time.time() + 60 * float(os.environ.get("STEPSIM_CI_MINUTES", 86))
    all_stages = stages == os.environ.get("STEPSIM_ALL_STAGES", "").split()
    changed = history.changed_files() if all_stages and name == "ci" else None
    left_out = unneeded(stages, changed)
    if only_documents(changed):
        os.environ["STEPSIM_DOCUMENTS_ONLY"] = "1"
    stages = [stage for stage in stages if stage not in left_out]
    done = run_stages(name, stages, deadline, every)
    failed = [stage for stage in done if not stage.passed]
    not_run = [stage for stage in stages if stage not in {ran.name for ran in done}]

    print(f"\ndev: {name}:", *(stage.row() for stage in done), sep="\n")
    print(f"  {'all':<12} {time.monotonic() - began:6.0f} s  {sum(s.processor_seconds for s in done):6.0f} s of CPU")
    for stage, reason in left_out.items():
        print(f"  {stage:<12} not needed: {reason}")
    if not_run:
        print(f"  did not run: {' '.join(not_run)}")
    without = LOGS / "not-tested"
    if without.exists():
        for line in without.read_text().splitlines():
            print(f"  not tested: {line}")
    for stage in done:
        summary = SUMMARY.findall(stage.text)
        if summary:
            print(f"\ndev: {name}: tests of stage {stage.name}:", *summary, sep="\n")
    for stage in failed:
        print(f"\ndev: {name}: stage {stage.name} failed: {stage.reason}\n  its log: {stage.log.relative_to(ROOT)}")
    if all_stages and not failed and not not_run:
        history.record_passed(commit)
    return 1 if failed or not_run else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("dev: interrupted")

"""Helpers for the scripts that capture programs: an environment without other captures, a folder for each, and
answers."""
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "cli"))
from checks import HANGS, STEPSIM, check, run, wait_until  # noqa: E402

ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith(
    ("FAKE_", "STEPSIM_", "RANK", "WORLD_SIZE", "NCCL_", "CUDA_INJ", "NVTX_INJ", "PYTHONPATH"))}
work = tempfile.TemporaryDirectory()
folders = 0


def folder():
    """Returns the path of a folder that does not exist yet."""
    global folders
    folders += 1
    return os.path.join(work.name, str(folders))


def run_with(variables, *command, **more):
    """Runs a command with these variables. Its output is text."""
    return run(*command, env={**ENVIRONMENT, **variables}, text=True, **more)


def run_until(is_recorded, variables, *command):
    """Runs a command like run_with(). Its last argument is a file for which it waits, and which is made when
    is_recorded()."""
    child = subprocess.Popen(command, env={**ENVIRONMENT, **variables}, text=True, stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    wait_until(is_recorded, child)
    open(command[-1], "w").close()
    out, err = child.communicate(timeout=HANGS)
    return subprocess.CompletedProcess(command, child.returncode, out, err)


class IdleProgram:
    """A program that waits to be recorded, with `stepsim capture --idle` and these options. It goes on until the block
    ends: `command(until)` is a program that ends when the file `until` exists."""

    def __init__(self, options, command, ranks=(0,), directory=None, **variables):
        self.folder = directory or folder()
        self.until = self.folder + ".end"
        self.children = [subprocess.Popen(
            [STEPSIM, "capture", "--idle", "--dir", self.folder, *options, "--", *command(self.until)],
            env={**ENVIRONMENT, "RANK": str(rank), "WORLD_SIZE": str(len(ranks)), **variables}, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for rank in ranks]
        self.pid = self.children[0].pid

    def idle(self):
        return [name for name in os.listdir(self.folder) if name.endswith(".idle")] if os.path.isdir(self.folder) else []

    def process(self):
        """Returns the number of the process that uses the GPU. It must be idle."""
        return int(self.idle()[0].rsplit("_", 1)[1].removesuffix(".idle"))

    def wait_until_idle(self):
        for child in self.children:
            wait_until(lambda: len(self.idle()) == len(self.children), child)
        return self

    def __enter__(self):
        return self.wait_until_idle()

    def __exit__(self, *_):
        open(self.until, "w").close()
        self.results = [(child.communicate(timeout=HANGS), child.returncode) for child in self.children]
        self.said = "".join(err for (_, err), _ in self.results)

    def ends_as_without_capture(self, what):
        check(f"{what}: the program ends as without capture",
              all((out, code) == ("trained 5 steps\n", 7) for (out, _), code in self.results), self.results)
        check(f"{what}: nothing is left in the folder", not [name for name in os.listdir(self.folder) if not name.startswith(("attach-", "signal-")) and not name.endswith(".capture")],
              os.listdir(self.folder))


def attach(target, *options):
    return run_with({}, STEPSIM, "capture", "--attach", str(target), *options)


def is_row(numbers, count):
    return len(numbers) == count and numbers == list(range(numbers[0], numbers[0] + count))


def answer(*arguments):
    """Returns stepsim's answer with --json, or its error as "failed"."""
    result = run_with({}, STEPSIM, *arguments, "--json")
    return json.loads(result.stdout) if result.returncode == 0 else {"failed": result.stderr}


def diagnostics(answer):
    return {entry["name"]: entry["count"] for entry in answer.get("ingest", {}).get("diagnostics", [])}

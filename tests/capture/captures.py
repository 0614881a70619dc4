"""Helpers for the scripts that capture programs: an environment without other captures, a folder for each, and
answers."""
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "cli"))
from checks import HANGS, STEPSIM, run, wait_until  # noqa: E402

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


def answer(*arguments):
    """Returns stepsim's answer with --json, or its error as "failed"."""
    result = run_with({}, STEPSIM, *arguments, "--json")
    return json.loads(result.stdout) if result.returncode == 0 else {"failed": result.stderr}


def diagnostics(answer):
    return {entry["name"]: entry["count"] for entry in answer.get("ingest", {}).get("diagnostics", [])}

"""`python3 -m stepsim` is the program: the same output, exit codes and signals."""

import os
import signal
import subprocess
import sys

import pytest
from conftest import SAMPLE

MODULE = [sys.executable, "-m", "stepsim"]
PROGRAM = [os.environ.get("STEPSIM", "stepsim")]


def ended(program, *arguments, **options):
    done = subprocess.run([*program, *map(str, arguments)], capture_output=True, **options)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("arguments", [
    [], ["--help"], ["--version"], ["help", "idle"], ["sweep", "--help"], ["--json-schema"],
    ["replay", SAMPLE], ["replay", SAMPLE, "--json"], ["replay", "--", "-absent"], ["replay", SAMPLE, "--rows", "x"],
    ["compare", SAMPLE, SAMPLE, "--fail-above", "3%"], ["whatif", SAMPLE, "--set", "device.to=H100"], ["nothing"]],
    ids=lambda words: " ".join(map(str, words)).replace(str(SAMPLE), "TRACE"))
def test_it_prints_and_ends_as_the_program_does(arguments):
    assert ended(MODULE, *arguments) == ended(PROGRAM, *arguments)


def test_an_engine_starts_it_again(tmp_path):
    """The program is not in PATH."""
    sweep = ["sweep", SAMPLE, "--set", "compute.scale=1,2,3", "--json", "--quiet"]
    done = ended(MODULE, *sweep, "--engine", "local:2", cwd=tmp_path, env={**os.environ, "PATH": os.fspath(tmp_path)})
    assert done == ended(PROGRAM, *sweep)


@pytest.mark.parametrize("program", [MODULE, PROGRAM], ids=["module", "program"])
def test_a_reader_that_has_ended_ends_it(program):
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as closed:
        done = subprocess.run([*program, "--help"], stdout=closed, stderr=subprocess.PIPE)
    assert (done.returncode, done.stderr) == (-signal.SIGPIPE, b"")


@pytest.mark.parametrize("program", [MODULE, PROGRAM], ids=["module", "program"])
def test_ctrl_c_ends_it(program, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen([*program, "replay", pipe], stderr=subprocess.PIPE) as process:
        with open(pipe, "wb"):  # waits until the other end is open
            process.send_signal(signal.SIGINT)
            assert process.stderr.read() == b"error: interrupted\n"
    assert process.returncode == 130

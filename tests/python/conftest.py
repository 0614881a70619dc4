"""Fixtures of the tests of the Python package. STEPSIM is the program that the same build has made."""

import os
import subprocess
from pathlib import Path

import pytest

import stepsim

SOURCE = Path(__file__).resolve().parent.parent.parent
SAMPLE = SOURCE / "scenarios" / "samples" / "pytorch-ddp"


@pytest.fixture
def sample():
    return SAMPLE


@pytest.fixture(scope="session")
def capture():
    return stepsim.load(SAMPLE)


@pytest.fixture
def program():
    """Returns what the program prints for a command, and fails if the command does."""

    def run(*arguments):
        return subprocess.run([os.environ["STEPSIM"], *map(str, arguments), "--quiet"], check=True, text=True,
                              capture_output=True).stdout

    return run

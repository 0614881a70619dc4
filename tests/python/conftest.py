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


@pytest.fixture(scope="session")
def dask(tmp_path_factory):
    """A client of a Dask cluster of this process, whose ports the system chooses."""
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=1, threads_per_worker=2, processes=False, dashboard_address=":0",
                                  local_directory=tmp_path_factory.mktemp("dask")) as cluster:
        with distributed.Client(cluster) as client:
            yield client


@pytest.fixture
def program():
    """Returns what the program prints for a command, and fails if the command does."""

    def run(*arguments):
        return subprocess.run([os.environ["STEPSIM"], *map(str, arguments), "--quiet"], check=True, text=True,
                              capture_output=True).stdout

    return run

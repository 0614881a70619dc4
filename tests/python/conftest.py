"""Fixtures of the tests of the Python package. STEPSIM is the program that the same build has made."""

import json
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
def gpu_capture(tmp_path_factory):
    """Three steps of 100 us on one GPU of two. In each, a gemm of 30 us on stream 7 begins after 20 us, an all-reduce of 20 us
    on stream 9 after 40 us, and a copy of 800 bytes in 5 us on stream 7 after 60 us."""
    events = []

    def add(name, category, start, duration, thread, **arguments):
        events.append({"ph": "X", "pid": 1, "tid": thread, "name": name, "cat": category, "ts": start, "dur": duration,
                       "args": arguments})

    for step in (1, 2, 3):
        begin = 100 * step
        add(f"ProfilerStep#{step}", "user_annotation", begin, 100, 1)
        add("aten::addmm", "cpu_op", begin, 9, 1, **{"External id": step, "Input Dims": [[4], [8, 2], [2, 4]],
                                                     "Input type": ["float"] * 3})
        add("cudaLaunchKernel", "cuda_runtime", begin + 2, 2, 1, correlation=step, **{"External id": step})
        add("ampere_sgemm_32x32", "kernel", begin + 20, 30, 7, correlation=step, stream=7, device=0, **{"External id": step})
        add("cudaLaunchKernel", "cuda_runtime", begin + 10, 2, 1, correlation=10 + step)
        add("ncclDevKernel_AllReduce_Sum_f32_RING_LL", "kernel", begin + 40, 20, 9, correlation=10 + step, stream=9, device=0)
        add("cudaMemcpyAsync", "cuda_runtime", begin + 13, 2, 1, correlation=20 + step)
        add("Memcpy HtoD (Pinned -> Device)", "gpu_memcpy", begin + 60, 5, 7, correlation=20 + step, stream=7, device=0,
            bytes=800)
        add("cudaDeviceSynchronize", "cuda_runtime", begin + 20, 70, 1)
    file = tmp_path_factory.mktemp("gpu") / "gpu.json"
    file.write_text(json.dumps({"traceEvents": events, "distributedInfo": {"rank": 0, "world_size": 2}}))
    return stepsim.load(file)


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

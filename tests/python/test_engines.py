"""Sweeps on executors give the bytes of a sweep in one process."""

import concurrent.futures
import multiprocessing
import os
import shutil
import signal
import subprocess
import sys

import pytest
from conftest import SAMPLE

import stepsim
from stepsim import engines
from stepsim.capture import _sets

GRID = {"network.bandwidth": ["0.5x", "1x", "2x", "4x"], "compute.scale": [0.5, 1, 2]}


def test_threads_of_this_process(capture):
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        assert capture.sweep(GRID, executor=pool).to_json() == capture.sweep(GRID).to_json()


def test_processes_and_any_number_of_shards(capture):
    expected = capture.sweep(GRID).to_json()
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        for shards in (None, 1, 5, 30):  # 30 is more than the points
            assert capture.sweep(GRID, executor=pool, shards=shards).to_json() == expected


def test_dask(capture, dask):
    assert capture.sweep(GRID, executor=dask.get_executor()).to_json() == capture.sweep(GRID).to_json()


def test_dask_predicts_the_points_of_a_lost_worker_again(capture, tmp_path):
    distributed = pytest.importorskip("distributed")
    pids = []

    def lose_a_worker(phase, done, total):
        """Kills a worker as soon as the first shard is done."""
        if not pids:
            pids.append(list(cluster.workers.values())[0].pid)
            os.kill(pids[0], signal.SIGKILL)

    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0",
                                  local_directory=tmp_path) as cluster:
        with distributed.Client(cluster) as client:
            arguments = ["sweep", str(SAMPLE), *_sets(GRID, {}), "--json"]
            answer = engines.sweep(client.get_executor(), arguments, 12, lose_a_worker)
    assert pids and answer.json() == capture.sweep(GRID).to_json()


def test_a_dask_cluster_without_workers_is_an_error(capture, monkeypatch, tmp_path):
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr(engines, "_PATIENCE_WITHOUT_WORKERS", 0.01)
    with distributed.LocalCluster(n_workers=0, processes=False, dashboard_address=":0",
                                  local_directory=tmp_path) as cluster:
        with distributed.Client(cluster) as client:
            with pytest.raises(stepsim.OutputError, match="^the Dask cluster at inproc://.* has had no worker for 0.01 s; "
                               "start workers and run the sweep again$"):
                capture.sweep(GRID, executor=client.get_executor())


def test_the_program_reports_a_dask_cluster_whose_workers_are_lost(dask, monkeypatch, tmp_path):
    """stepsim sweep --engine dask:ADDRESS runs engines.main() and prints this error."""
    arguments = ["sweep", str(SAMPLE), *_sets(GRID, {}), "--json"]
    address = dask.scheduler.address
    assert engines.main(address, os.fspath(tmp_path), *arguments) is None
    assert sorted(os.listdir(tmp_path)) == ["dask.part-0", "dask.part-1"]

    def without_workers(executor):
        raise stepsim.OutputError("the Dask cluster has had no worker")

    monkeypatch.setattr(engines, "_check_of_workers", without_workers)
    assert engines.main(address, os.fspath(tmp_path), *arguments) == "error: the Dask cluster has had no worker"


def test_a_worker_imports_nothing_from_the_folder_of_the_traces(tmp_path):
    """A shard runs in the folder of the sweep, whose path "" of a worker must not become. The worker is a process of its
    own, because threads of Dask change the folder of this one."""
    worker = f"""
import os, sys
from stepsim import engines
engines.predict_shard({["sweep", str(SAMPLE), *_sets(GRID, {})]!r}, 0, 2, "/")
print(sys.path[0], os.getcwd())
"""
    done = subprocess.run([sys.executable, "-c", worker], cwd=tmp_path, text=True, capture_output=True)
    assert done.stdout == f"{tmp_path} /\n", done.stderr


def test_mpi(tmp_path):
    pytest.importorskip("mpi4py")
    if shutil.which("mpirun") is None:
        pytest.skip("mpirun is absent")
    script = tmp_path / "sweep.py"
    script.write_text(f"""
import stepsim
from mpi4py.futures import MPIPoolExecutor
if __name__ == "__main__":
    capture = stepsim.load({str(SAMPLE)!r})
    with MPIPoolExecutor() as pool:
        print(capture.sweep({GRID!r}, executor=pool).to_json() == capture.sweep({GRID!r}).to_json())
""")
    done = subprocess.run(["mpirun", "--allow-run-as-root", "--oversubscribe", "-np", "3", sys.executable, "-m",
                           "mpi4py.futures", script], text=True, capture_output=True, timeout=1200)
    assert done.stdout == "True\n", done.stderr


def test_an_error_of_a_worker_is_that_of_the_process(capture):
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        with pytest.raises(stepsim.UsageError, match="unknown key 'bandwith'; did you mean 'bandwidth'"):
            capture.sweep({"network.bandwith": ["1x", "2x"]}, executor=pool)


def test_a_shard_of_the_environment_is_not_taken(capture, monkeypatch):
    """A script that Slurm started with `srun` predicts all points."""
    monkeypatch.setenv("SLURM_PROCID", "1")
    monkeypatch.setenv("SLURM_NTASKS", "4")
    assert len(capture.sweep(GRID).points) == 12

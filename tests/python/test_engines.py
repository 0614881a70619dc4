"""Sweeps on executors give the bytes of a sweep in one process."""

import concurrent.futures
import json
import multiprocessing
import os
import pickle
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


def test_joblib(capture):
    """joblib's processes take a sweep as an executor, and return the answers of single questions."""
    joblib = pytest.importorskip("joblib")
    from joblib.externals.loky import get_reusable_executor

    with get_reusable_executor(max_workers=2) as pool:
        assert capture.sweep(GRID, executor=pool).to_json() == capture.sweep(GRID).to_json()
    factors = ["0.5x", "1x", "2x"]
    asked = (joblib.delayed(capture.what_if)({"network.bandwidth": factor}) for factor in factors)
    expected = [capture.what_if({"network.bandwidth": factor}).to_json() for factor in factors]
    assert [answer.to_json() for answer in joblib.Parallel(n_jobs=2)(asked)] == expected


def test_joblib_tells_of_a_killed_worker(capture):
    pytest.importorskip("joblib")
    from joblib.externals.loky import get_reusable_executor

    with get_reusable_executor(max_workers=1, reuse=False) as pool:
        pool.submit(os.kill, pool.submit(os.getpid).result(), signal.SIGKILL)
        with pytest.raises(concurrent.futures.process.BrokenProcessPool):
            capture.sweep(GRID, executor=pool)


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
            answer = engines.sweep(client.get_executor(), engines.Question(arguments), 12, lose_a_worker)
    assert pids and answer.json() == capture.sweep(GRID).to_json()


class _Losing(concurrent.futures.ThreadPoolExecutor):
    """Loses the first answers, as Dask's executor does with a worker."""
    _client = None

    def __init__(self, losses):
        super().__init__(2)
        self.losses = losses

    def submit(self, *arguments):
        if self.losses == 0:
            return super().submit(*arguments)
        self.losses -= 1
        lost = concurrent.futures.Future()
        lost.set_exception(ValueError("too many values to unpack (expected 3)"))
        return lost


def test_an_answer_that_dask_lost_is_predicted_again(capture):
    with _Losing(2) as executor:
        assert capture.sweep(GRID, executor=executor).to_json() == capture.sweep(GRID).to_json()
    with _Losing(1000) as executor, pytest.raises(ValueError):
        capture.sweep(GRID, executor=executor)


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


def job_of(path, ns):
    """Writes a job of nine tasks, one after another, each of which computes for `ns`. The size and the time of the
    file never change."""
    tasks = [{"id": i, "kind": "compute", "host": 0, "ns": ns, "after": [i - 1] if i else []} for i in range(9)]
    path.write_text(json.dumps({"hosts": 1, "links": [], "routes": {}, "tasks": tasks}))
    os.utime(path, (0, 0))
    return stepsim.load(path)


def times(answer):
    return [point.iteration_ns for point in answer.points]


def test_a_capture_that_was_recorded_again_is_read_again(tmp_path):
    path = tmp_path / "job.json"
    grid = {"compute.scale": [1, 2]}
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        before = job_of(path, 1000)
        assert times(before.sweep(grid, executor=pool)) == [9000, 18000]
        after = job_of(path, 7000)
        assert times(after.sweep(grid, executor=pool)) == [63000, 126000]
        with pytest.raises(stepsim.InputError, match=f"^{path}: has changed since it was loaded, .*; load it again, "):
            before.sweep(grid, executor=pool)
        assert times(before.sweep(grid)) == [9000, 18000]
        again = job_of(path, 1000)
        assert times(again.sweep(grid, executor=pool)) == times(before.sweep(grid, executor=pool)) == [9000, 18000]


def test_a_job_file_that_changed_is_read_again(tmp_path):
    for file in SAMPLE.rglob("*.gz"):
        shutil.copy(file, tmp_path)
    job = (SAMPLE / "job.yaml").read_text()
    grid = {"batch.scale": [1, 2]}
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        (tmp_path / "job.yaml").write_text(job)
        first = stepsim.load(tmp_path)
        assert first.sweep(grid, executor=pool).to_json() == first.sweep(grid).to_json()
        (tmp_path / "job.yaml").write_text(f"{job}# a comment\n")
        second = stepsim.load(tmp_path)
        assert second.sweep(grid, executor=pool).to_json() == second.sweep(grid).to_json()
        with pytest.raises(stepsim.InputError, match="job.yaml: has changed since it was loaded, "):
            first.sweep(grid, executor=pool)


WORKER = """
import os, pickle, sys
from stepsim import engines
question = engines.Question({arguments!r})
question.folder = {folder!r}
before = [*sys.path], os.getcwd()
parts = [engines.predict_shard(question, index, 2) for index in range(2)]
assert ([*sys.path], os.getcwd()) == before
sys.stdout.buffer.write(pickle.dumps(parts))
"""


def test_a_worker_stays_in_its_folder_and_imports_nothing_from_that_of_the_traces(tmp_path, monkeypatch):
    """Paths are relative to the folder of the client, where modules of the same name as those of Python may lie."""
    traces, worker = tmp_path / "traces", tmp_path / "worker"
    shutil.copytree(SAMPLE, traces / "job")
    worker.mkdir()
    for module in ("json", "pickle", "threading", "stepsim", "numpy"):
        (traces / f"{module}.py").write_text("raise SystemExit('imported from the folder of the traces')")
    arguments = ["sweep", "job", *_sets(GRID, {}), "--threads", "1"]
    script = WORKER.format(arguments=arguments, folder=os.fspath(traces))
    done = subprocess.run([sys.executable, "-c", script], cwd=worker, check=True, stdout=subprocess.PIPE)
    parts = [tmp_path / "0", tmp_path / "1"]
    for path, part in zip(parts, pickle.loads(done.stdout)):
        path.write_bytes(part)
    merged = stepsim._core.Captures().run(["sweep", *parts, "--merge"])
    monkeypatch.chdir(traces)
    answer = stepsim.load("job", threads=1).sweep(GRID)
    assert answer.provenance.command.startswith("stepsim sweep job ")
    assert merged.json() == answer.to_json()


def test_an_error_in_another_folder_is_that_of_the_process(tmp_path):
    """Also the next shard is answered, by a new process if the last one has ended."""
    question = engines.Question(["sweep", "nowhere", "--set", "compute.scale=1,2"])
    question.folder = os.fspath(tmp_path)
    for _ in range(2):
        with pytest.raises(stepsim.InputError, match="^nowhere: no such file or folder; expected a trace$"):
            engines.predict_shard(question, 0, 2)
    helper = engines._helper_in(question.folder)
    helper._process.kill()
    helper._process.wait()
    with pytest.raises(stepsim.InputError, match="^nowhere: "):
        engines.predict_shard(question, 0, 2)
    engines._helper_in(question.folder).close()


def test_a_worker_without_the_folder_of_the_client_reads_absolute_paths(tmp_path):
    question = engines.Question(["sweep", os.fspath(SAMPLE), *_sets(GRID, {})])
    here = engines.predict_shard(question, 0, 2)
    question.folder = os.fspath(tmp_path / "absent")
    there = engines.predict_shard(question, 0, 2)
    assert sorted(there.splitlines()) == sorted(here.splitlines())  # points are in the order in which they were done


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

#!/usr/bin/env python3
"""sweep_engines.py STEPSIM CAPTURE: how much faster two workers are than one, on every engine that a sweep can use.

CAPTURE is truth/byteps/byteps-vgg/base of the test data (docs/internals/test-data.md). The sweep has 36 and 180 points,
and up to 720 for Slurm, whose jobs take seconds to start. Executors of Python (processes, joblib, Dask, MPI) have run one sweep
before the clock starts, so that their workers have read the traces; the best of three sweeps counts. `--engine slurm` is
timed from the command to its answer, on a node with one or two cores. All answers are compared with that of one process,
byte for byte. `stepsim` must be importable (PYTHONPATH=build/NAME/python). Writes docs/results/sweep-engines.csv to
standard output."""
import concurrent.futures
import contextlib
import csv
import json
import multiprocessing
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import stepsim

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests" / "cli"))
PROGRAM, CAPTURE = (os.path.abspath(path) for path in sys.argv[1:3])
GRID = {"network.bandwidth": ["0.25x", "0.5x", "1x", "2x", "4x", "8x"],
        "comm.partition_bytes": ["128KiB", "256KiB", "512KiB", "1MiB", "2MiB", "4MiB"]}
LONG = {**GRID, "compute.scale": [0.5, 0.75, 1, 1.25, 1.5]}
LONGER = {**GRID, "compute.scale": [percent / 100 for percent in range(55, 155, 5)]}
RUNS = 3


def best_of(grid, executor):
    """The shortest time of a sweep on an executor, and its answer."""
    capture = stepsim.load(CAPTURE)
    answer, times = capture.sweep(grid, executor=executor).to_json(), []
    for _ in range(RUNS):
        begin = time.perf_counter()
        assert capture.sweep(grid, executor=executor).to_json() == answer
        times.append(time.perf_counter() - begin)
    return min(times), answer


@contextlib.contextmanager
def processes(workers):
    with concurrent.futures.ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield pool


@contextlib.contextmanager
def joblib(workers):
    from joblib.externals.loky import get_reusable_executor
    with get_reusable_executor(max_workers=workers, reuse=False) as pool:
        yield pool


@contextlib.contextmanager
def dask(workers):
    import distributed
    with distributed.LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None) as cluster, \
            distributed.Client(cluster) as client:
        yield client.get_executor(pure=False)  # else it answers the same shard from memory


def on_executor(make, workers, grid):
    with make(workers) as executor:
        return best_of(grid, executor)


def on_mpi(_, workers, grid):
    """The same in a process of its own, which mpirun starts with its workers."""
    done = subprocess.run(["mpirun", "--allow-run-as-root", "--oversubscribe", "-np", str(workers + 1), sys.executable, "-m",
                           "mpi4py.futures", __file__, PROGRAM, CAPTURE, "--mpi", str(workers), json.dumps(grid)],
                          check=True, capture_output=True, text=True)
    seconds, answer = json.loads(done.stdout)
    return seconds, answer


def on_slurm(_, workers, grid):
    from slurm import Slurm
    sets = [word for key, values in grid.items() for word in ("--set", f"{key}={','.join(map(str, values))}")]
    with Slurm(cpus=workers) as slurm, tempfile.TemporaryDirectory() as folder:
        begin = time.perf_counter()
        done = subprocess.run([PROGRAM, "sweep", CAPTURE, *sets, "--engine", f"slurm:{max(2, workers)}", "--json", "--quiet"], cwd=folder,
                              check=True, capture_output=True, text=True, env={**os.environ, **slurm.environment})
        return time.perf_counter() - begin, done.stdout


ON_EXECUTORS = [("processes", on_executor, processes), ("joblib", on_executor, joblib), ("dask", on_executor, dask), ("mpi", on_mpi, None)]
ENGINES = [*((*engine, grid) for grid in (GRID, LONG) for engine in ON_EXECUTORS),
           *(("slurm", on_slurm, None, grid) for grid in (GRID, LONG, LONGER))]


def main():
    if sys.argv[3:4] == ["--mpi"]:
        from mpi4py.futures import MPIPoolExecutor
        with MPIPoolExecutor(int(sys.argv[4])) as pool:
            return print(json.dumps(best_of(json.loads(sys.argv[5]), pool)))
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(["engine", "points", "one worker (s)", "two workers (s)", "speed-up"])
    capture = stepsim.load(CAPTURE)
    for name, run, make, grid in ENGINES:
        expected = json.loads(capture.sweep(grid).to_json())
        times = []
        for workers in (1, 2):
            seconds, answer = run(make, workers, grid)
            # A shell's answer names another command; nothing else may differ.
            found = json.loads(answer)
            assert {**found, "provenance": 0} == {**expected, "provenance": 0}, f"{name}: another answer"
            times.append(seconds)
        writer.writerow([name, len(expected["points"]), f"{times[0]:.2f}", f"{times[1]:.2f}", f"{times[0] / times[1]:.2f}"])
        sys.stdout.flush()


if __name__ == "__main__":
    main()

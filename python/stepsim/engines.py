"""Sweeps on any concurrent.futures.Executor: a process pool, Dask (Client.get_executor()), MPI (MPIPoolExecutor).

A sweep is divided into shards. Each shard is sent to a worker as the command line that predicts it; the worker reads
the traces at the same paths, once, and returns the file that `stepsim sweep --shard` writes. There is one shard for
each worker, because shards take about equally long and each builds its graphs by itself. The merged result is the one
of a single process, byte for byte. Which worker predicts what, and what happens when one is lost, is the engine's
matter.
"""

import concurrent.futures
import os
import sys
import tempfile
import time

from stepsim import _core

_PATIENCE = 10  # seconds in which a Dask cluster must answer
_PATIENCE_WITHOUT_WORKERS = 60  # seconds in which a Dask cluster must get another worker after it lost the last one

_captures = None  # in a worker: what earlier shards have read


def predict_shard(arguments, index, count, start):
    """Predicts one shard of a sweep in a worker and returns its part file as bytes. Paths in `arguments` are relative
    to the folder `start`."""
    global _captures
    _captures = _captures or _core.Captures()
    if os.getcwd() != start:
        sys.path[:] = map(os.path.abspath, sys.path)  # "" must not become the folder of the traces
        os.chdir(start)  # the paths are part of the answer, so they stay as they are
    with tempfile.TemporaryDirectory() as folder:
        part = os.path.join(folder, "part")
        command, *rest = arguments
        _captures.run([command, "--shard", f"{index}/{count}", "-o", part, "--quiet", *rest])
        with open(part, "rb") as file:
            return file.read()


def sweep(executor, arguments, shards, progress):
    """Predicts a sweep on the workers of `executor` and returns the merged answer."""
    count = max(2, shards or _workers_of(executor))  # a single shard would be no part
    with tempfile.TemporaryDirectory() as folder:
        parts = [os.path.join(folder, str(index)) for index in range(count)]
        for done, (index, part) in enumerate(_parts(executor, arguments, count), 1):
            with open(parts[index], "wb") as file:
                file.write(part)
            if progress is not None:
                progress("sweeping", done, count)
        return _core.Captures().run(["sweep", *parts, "--merge"])


def main(address, folder, *arguments):
    """Predicts a sweep on the Dask cluster at `address` and writes its parts to `folder`: `stepsim sweep --engine
    dask:ADDRESS` calls this. Returns an error line, or nothing."""
    try:
        from distributed import Client
    except ImportError:
        return "error: --engine dask needs Dask in the Python of PATH; install python3-distributed"
    try:
        with Client(address, timeout=_PATIENCE) as client:
            client.wait_for_workers(1, timeout=_PATIENCE)
            count = max(2, sum(client.nthreads().values()))
            for index, part in _parts(client.get_executor(pure=False), arguments, count):
                with open(os.path.join(folder, f"dask.part-{index}"), "wb") as file:
                    file.write(part)
    except (OSError, TimeoutError, concurrent.futures.CancelledError) as error:
        return f"error: no Dask scheduler with workers answers at {address} ({error}); expected one such as node1:8786"
    except _core.Error as error:
        return f"error: {error}"
    return None


def _parts(executor, arguments, count):
    """Yields the number and the part of each shard, in the order in which they are done."""
    futures = {executor.submit(predict_shard, [*arguments], index, count, os.getcwd()): index for index in range(count)}
    check = _check_of_workers(executor)
    waiting = set(futures)
    try:
        while waiting:
            done, waiting = concurrent.futures.wait(waiting, timeout=1, return_when=concurrent.futures.FIRST_COMPLETED)
            for future in done:
                yield futures[future], future.result()
            if not done:
                check()
    finally:
        for future in futures:
            future.cancel()


def _check_of_workers(executor):
    """Returns a function that raises OutputError if an executor of Dask has had no worker for a while, because Dask
    itself waits for one without a word. For other executors it does nothing."""
    client = getattr(executor, "_client", None)
    if not hasattr(client, "nthreads"):
        return lambda: None
    seen = time.monotonic()

    def check():
        nonlocal seen
        if client.nthreads():
            seen = time.monotonic()
        elif time.monotonic() - seen >= _PATIENCE_WITHOUT_WORKERS:
            raise _core.OutputError(f"the Dask cluster at {client.scheduler.address} has had no worker for "
                                    f"{_PATIENCE_WITHOUT_WORKERS} s; start workers and run the sweep again")

    return check


def _workers_of(executor):
    workers = getattr(executor, "_max_workers", None)  # of the standard library's executors and of mpi4py's
    return workers if isinstance(workers, int) and workers > 0 else os.cpu_count() or 1

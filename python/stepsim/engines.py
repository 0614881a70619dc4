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

from stepsim import _core

_PATIENCE = 10  # seconds in which a Dask cluster must answer

_captures = None  # in a worker: what earlier shards have read


def predict_shard(arguments, index, count, start):
    """Predicts one shard of a sweep in a worker and returns its part file as bytes. Paths in `arguments` are relative
    to the folder `start`."""
    global _captures
    _captures = _captures or _core.Captures()
    if os.getcwd() != start:
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
    futures = {executor.submit(predict_shard, arguments, index, count, os.getcwd()): index for index in range(count)}
    try:
        with tempfile.TemporaryDirectory() as folder:
            parts = [os.path.join(folder, str(index)) for index in range(count)]
            for done, future in enumerate(concurrent.futures.as_completed(futures), 1):
                with open(parts[futures[future]], "wb") as file:
                    file.write(future.result())
                if progress is not None:
                    progress("sweeping", done, count)
            return _core.Captures().run(["sweep", *parts, "--merge"])
    except BaseException:
        for future in futures:
            future.cancel()
        raise


def main(address, folder, *arguments):
    """Predicts a sweep on the Dask cluster at `address` and writes its parts to `folder`: `stepsim sweep --engine
    dask:ADDRESS` calls this."""
    try:
        from distributed import Client
    except ImportError:
        return "error: --engine dask needs Dask in the Python of PATH; install python3-distributed"
    from stepsim.engines import predict_shard  # not that of __main__, which workers do not have

    try:
        with Client(address, timeout=_PATIENCE) as client:
            client.wait_for_workers(1, timeout=_PATIENCE)
            count = max(2, sum(client.nthreads().values()))
            futures = [client.submit(predict_shard, [*arguments], index, count, os.getcwd(), pure=False)
                       for index in range(count)]
            for index, future in enumerate(futures):
                with open(os.path.join(folder, f"dask.part-{index}"), "wb") as file:
                    file.write(future.result())
    except (OSError, TimeoutError) as error:
        return f"error: no Dask scheduler with workers answers at {address} ({error}); expected one such as node1:8786"
    except _core.Error as error:
        return f"error: {error}"
    return None


def _workers_of(executor):
    workers = getattr(executor, "_max_workers", None)  # of the standard library's executors and of mpi4py's
    return workers if isinstance(workers, int) and workers > 0 else os.cpu_count() or 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

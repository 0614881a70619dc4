"""Sweeps on any concurrent.futures.Executor: a process pool, Dask (Client.get_executor()), MPI (MPIPoolExecutor).

A sweep is divided into shards. Each shard is sent to a worker as the command line that predicts it; the worker reads
the traces at the same paths, once for each Capture, and returns the file that `stepsim sweep --shard` writes. There is
one shard for each worker, because shards take about equally long and each builds its graphs by itself. The merged
result is the one of a single process, byte for byte. Which worker predicts what, and what happens when one is lost, is
the engine's matter.
"""

import concurrent.futures
import contextlib
import itertools
import json
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import time

from stepsim import _core

_PATIENCE = 10  # seconds in which a Dask cluster must answer
_PATIENCE_WITHOUT_WORKERS = 60  # seconds in which a Dask cluster must get another worker after it lost the last one

# A worker keeps the captures that its last shard has read, and the helper that predicts in another folder.
_lock = threading.Lock()
_captures = (None, None)  # the question's `name` and a _core.Captures
_helper = (None, None)  # a folder and its _Helper


class Question:
    """A sweep that workers predict. `arguments` are its command line, and paths in them are relative to `folder`.
    Questions about one Capture have one `name`, so that workers read its traces once. `inputs` are the files that it
    was made from; None if they are not known."""

    def __init__(self, arguments, name=None, inputs=None):
        self.arguments = [*arguments]
        self.folder = os.getcwd()
        self.name = name or new_name()
        self.inputs = inputs


def new_name():
    """Returns a name that is unique on all machines."""
    return os.urandom(16).hex()


def predict_shard(question, index, count):
    """Predicts one shard of a sweep in a worker and returns its part file as bytes. The paths are part of the answer,
    so they stay as they are: if the worker is in another folder, a process in that of the question predicts the shard.
    If the worker's machine does not have that folder, only absolute paths can be read."""
    if os.getcwd() != question.folder and os.path.isdir(question.folder):
        return _helper_in(question.folder).predict(question, index, count)
    captures = _captures_of(question)
    with tempfile.TemporaryDirectory() as folder:
        part = os.path.join(folder, "part")
        command, *rest = question.arguments
        captures.run([command, "--shard", f"{index}/{count}", "-o", part, "--quiet", *rest])
        with open(part, "rb") as file:
            content = file.read()
    if question.inputs is not None:
        try:
            compare_inputs(_inputs_of(content, len(question.inputs)), question.inputs)
        except _core.InputError:
            _forget(captures)
            raise
    return content


def _captures_of(question):
    global _captures
    with _lock:
        if _captures[0] != question.name:
            _captures = (question.name, _core.Captures())
        return _captures[1]


def _helper_in(folder):
    global _helper
    with _lock:
        if _helper[0] != folder or not _helper[1].is_usable():
            if _helper[1] is not None:
                with contextlib.suppress(OSError):  # it has ended
                    _helper[1].close()
            _helper = (folder, _Helper(folder))
        return _helper[1]


def _forget(captures):
    global _captures
    with _lock:
        if _captures[1] is captures:
            _captures = (None, None)


def _inputs_of(part, count):
    """Returns the first `count` files in the head of a part, which begins with those of the capture."""
    fields = (json.loads(line)["values"] for line in part.splitlines() if line.startswith(b'{"line":"input",'))
    return [(name, int(size), checksum) for name, size, checksum in itertools.islice(fields, count)]


def compare_inputs(read, loaded):
    """Raises InputError if the files that a worker has read, (name, size, checksum), are not those that were loaded.
    Their names may differ, because they may be anonymous."""
    for here, there in itertools.zip_longest(read, loaded):
        if here is None or there is None or here[1:] != there[1:]:
            raise _core.InputError(f"{(there or here)[0]}: has changed since it was loaded, or is another file for a "
                                   f"worker ({_bytes_of(here)}; loaded were {_bytes_of(there)}); load it again, and "
                                   "give all machines the same files")


def _bytes_of(file):
    return f"{file[1]} bytes, crc64 {file[2]}" if file else "no file"


class _Helper:
    """A process that predicts shards in a folder, because the folder of this process is the user's. It has this
    process's sys.path, and ends with this process."""

    def __init__(self, folder):
        self._folder = folder
        self._owner = os.getpid()
        self._lock = threading.Lock()
        self._waiting = {}
        self._numbers = itertools.count()
        path = [os.path.abspath(each) for each in sys.path]  # "" must not become the folder of the traces
        script = f"import sys; sys.path[:] = {path!r}; from stepsim.engines import serve; serve({self._owner})"
        self._process = subprocess.Popen([sys.executable, "-c", script], cwd=folder, stdin=subprocess.PIPE,
                                         stdout=subprocess.PIPE)
        threading.Thread(target=self._receive, daemon=True).start()

    def is_usable(self):
        return self._process.poll() is None and self._owner == os.getpid()  # not in a fork

    def predict(self, *request):
        answer = concurrent.futures.Future()
        try:
            with self._lock:
                number = next(self._numbers)
                self._waiting[number] = answer
                pickle.dump((number, request), self._process.stdin)
                self._process.stdin.flush()
        except (OSError, ValueError):  # it has ended, or was closed
            self._lose(answer)
        return answer.result()

    def close(self):
        """Ends the process when it has predicted what it was asked."""
        with self._lock:
            self._process.stdin.close()

    def _receive(self):
        try:
            while True:
                number, part, error = pickle.load(self._process.stdout)
                answer = self._waiting.pop(number)
                answer.set_result(part) if error is None else answer.set_exception(error)
        except (EOFError, pickle.UnpicklingError):
            self._process.wait()
            with self._lock:
                for answer in self._waiting.values():
                    self._lose(answer)

    def _lose(self, answer):
        if not answer.done():
            answer.set_exception(_core.OutputError(f"{self._folder}: the process that predicts in this folder has "
                                                   "ended; run the sweep again"))


def serve(parent):
    """Predicts what the _Helper of the process `parent` asks on standard input, and answers on standard output."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what else this process prints
    lock = threading.Lock()

    def predict(number, request):
        try:
            answer = (number, predict_shard(*request), None)
        except Exception as error:
            answer = (number, None, error)
        with lock:
            pickle.dump(answer, answers)
            answers.flush()

    try:
        while True:
            threading.Thread(target=predict, args=pickle.load(sys.stdin.buffer)).start()
    except EOFError:
        if os.getppid() != parent:
            os._exit(1)


def sweep(executor, question, shards, progress):
    """Predicts a sweep on the workers of `executor` and returns the merged answer."""
    count = max(2, shards or _workers_of(executor))  # a single shard would be no part
    with tempfile.TemporaryDirectory() as folder:
        parts = [os.path.join(folder, str(index)) for index in range(count)]
        for done, (index, part) in enumerate(_parts(executor, question, count), 1):
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
            for index, part in _parts(client.get_executor(pure=False), Question(arguments), count):
                with open(os.path.join(folder, f"dask.part-{index}"), "wb") as file:
                    file.write(part)
    except (OSError, TimeoutError, concurrent.futures.CancelledError) as error:
        return f"error: no Dask scheduler with workers answers at {address} ({error}); expected one such as node1:8786"
    except _core.Error as error:
        return f"error: {error}"
    return None


def _parts(executor, question, count):
    """Yields the number and the part of each shard, in the order in which they are done."""
    futures = {executor.submit(predict_shard, question, index, count): index for index in range(count)}
    check, is_lost = _check_of_workers(executor), _loss_in(executor, count)
    waiting = set(futures)
    try:
        while waiting:
            done, waiting = concurrent.futures.wait(waiting, timeout=1, return_when=concurrent.futures.FIRST_COMPLETED)
            for future in done:
                if is_lost(future):
                    again = executor.submit(predict_shard, question, futures[future], count)
                    futures[again] = futures[future]
                    waiting.add(again)
                else:
                    yield futures[future], future.result()
            if not done:
                check()
    finally:
        for future in futures:
            future.cancel()


def _loss_in(executor, most):
    """Returns a function that tells whether an executor of Dask lost the answer of a future with its worker. Dask
    predicts it again, but its executor may look between the loss and that, and then fails to unpack the result. At most
    `most` answers count as lost."""
    is_dask = hasattr(executor, "_client")
    left = most

    def is_lost(future):
        nonlocal left
        if not is_dask or left == 0 or future.cancelled() or type(future.exception()) is not ValueError:
            return False
        left -= 1
        return True

    return is_lost


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

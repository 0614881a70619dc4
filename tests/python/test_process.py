"""stepsim leaves the rest of the user's process alone: its exceptions, its other threads, Ctrl-C."""

import os
import signal
import subprocess
import sys
import threading
import time

import pytest
from conftest import SAMPLE

import stepsim
from stepsim import _core


def test_exceptions_of_other_extensions_stay_theirs():
    other_extension = pytest.importorskip("other_extension")
    with pytest.raises(RuntimeError, match="^an error of another package$") as raised:
        other_extension.fail()
    assert raised.type is RuntimeError


def test_columns_without_a_capture_are_an_error():
    for method in ("tasks", "edges", "task_kinds", "edge_kinds", "operators", "names", "lanes", "steps"):
        with pytest.raises(stepsim.UsageError, match=r"^no capture is loaded; call load\(\) first$"):
            getattr(_core.Captures(), method)()


def test_ctrl_c_stops_a_read_that_blocks(tmp_path):
    """Neither the exception nor the exit of the process waits for the read."""
    script = f"""
import stepsim
try:
    stepsim.load({os.fspath(tmp_path / "pipe")!r})
except KeyboardInterrupt:
    print("stopped")
"""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as process:
        with open(pipe, "wb"):  # waits until the other end is open
            process.send_signal(signal.SIGINT)
            assert process.stdout.read() == "stopped\n"


def test_an_interrupt_is_raised_although_the_answer_is_there(tmp_path):
    """The interrupt comes after the thread that computes the answer has ended, but before stepsim knows it."""
    trace = tmp_path / "trace.json"
    os.mkfifo(trace)
    script = f"""
import json, os
from stepsim import _core

def threads():
    return set(os.listdir("/proc/self/task"))

def interrupt(phase, done, total):
    working = threads() - others
    with open({os.fspath(trace)!r}, "w") as pipe:
        event = {{"ph": "X", "pid": 1, "tid": 1, "name": "a", "cat": "cpu_op", "ts": 1, "dur": 2}}
        json.dump({{"traceEvents": [event]}}, pipe)
    while working & threads():
        os.sched_yield()
    raise KeyboardInterrupt

others = threads()
try:
    _core.Captures().run(["check", {os.fspath(trace)!r}, "--threads", "1", "--json"], interrupt)
except KeyboardInterrupt:
    print("interrupted")
"""
    printed = subprocess.run([sys.executable, "-c", script], check=True, text=True, stdout=subprocess.PIPE).stdout
    assert printed == "interrupted\n"


def test_other_threads_run_while_an_answer_is_saved(capture, tmp_path):
    """A full pipe is written only as fast as it is read."""
    pipe, file = tmp_path / "answer.trace.json", tmp_path / "file.trace.json"
    answer = capture.replay()
    answer.save(file)
    assert file.stat().st_size > 65536  # what a pipe of Linux holds
    os.mkfifo(pipe)
    texts = []
    reader = threading.Thread(target=lambda: texts.append(pipe.read_text()))
    reader.start()
    answer.save(pipe)
    reader.join()
    assert texts == [file.read_text()]


@pytest.mark.parametrize("form", ["to_json", "__str__"])
def test_other_threads_run_while_an_answer_is_formatted(capture, form):
    """The interpreter itself would switch to another thread after 1000 s, so it runs only if the GIL is released."""
    answer = capture.replay()
    go, ran = threading.Lock(), threading.Event()
    go.acquire()
    other = threading.Thread(target=lambda: go.acquire() and ran.set())
    other.start()
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1000)
    try:
        go.release()
        end = time.process_time() + 5
        while not ran.is_set() and time.process_time() < end:
            getattr(answer, form)()
        assert ran.is_set()
    finally:
        sys.setswitchinterval(interval)
        other.join()


def test_the_threads_of_a_call_limit_no_later_call():
    """The limit of oneTBB, which holds for all libraries in the process, stays what it was."""
    script = f"""
import ctypes, re
import stepsim
library = re.search(r"/\\S*/libtbb\\.so\\S*", open("/proc/self/maps").read())
if library is None:
    print("no oneTBB")
else:
    allowed = ctypes.CDLL(library[0])._ZN3tbb6detail2r127global_control_active_valueEi
    allowed.restype = ctypes.c_size_t
    before = allowed(0)  # global_control::max_allowed_parallelism
    stepsim.load({os.fspath(SAMPLE)!r}, threads=1).replay()
    print(before, allowed(0))
"""
    printed = subprocess.run([sys.executable, "-c", script], check=True, text=True, capture_output=True).stdout
    if printed == "no oneTBB\n":
        pytest.skip("oneTBB is not a shared library")
    before, after = printed.split()
    assert before == after

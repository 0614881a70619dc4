"""Errors are exceptions with the sentence of the program; Ctrl-C stops long work."""

import errno
import os
import pickle
import re
import signal
import subprocess
import sys
import threading

import pytest
from conftest import SAMPLE

import stepsim


def test_errors_carry_the_sentence_of_the_program(capture, tmp_path):
    with pytest.raises(stepsim.InputError, match="^/nowhere: no such file or folder; expected a trace$"):
        stepsim.load("/nowhere")
    with pytest.raises(stepsim.UsageError, match="^steps: 'x' is not a range of steps; "):
        stepsim.load("/nowhere", steps="x")
    with pytest.raises(stepsim.UsageError, match="^'compute.scale=x': "):
        capture.what_if({"compute.scale": "x"})
    with pytest.raises(stepsim.CannotAnswer):
        capture.what_if({"device.to": "H100"})
    with pytest.raises(stepsim.UsageError, match="unknown extension '.foo'"):
        capture.replay().save(tmp_path / "x.foo")
    with pytest.raises(stepsim.OutputError, match="/nowhere/x.json"):
        capture.replay().save("/nowhere/x.json")
    assert issubclass(stepsim.CannotAnswer, stepsim.InputError) and issubclass(stepsim.InputError, stepsim.Error)


WRONG_CALLS = {
    "there is no path; expected a file": lambda _: stepsim.load(),
    "a path is empty; expected a file": lambda _: stepsim.load(""),
    "job is empty; expected a path": lambda _: stepsim.load(SAMPLE, job=""),
    "ranks: 'x' is not a list": lambda _: stepsim.load(SAMPLE, ranks="x"),
    "threads: '0' is not a number": lambda _: stepsim.load(SAMPLE, threads=0),
    "unknown network model 'x'": lambda capture: capture.replay(network="x"),
    "cluster has no effect with network recorded; leave network out": lambda capture: capture.replay(
        network="recorded", cluster="x"),
    "rows: '-1' is not a number": lambda capture: capture.advise(rows=-1),
    "unknown key of by 'x'": lambda capture: capture.stats(by="x"),
    "select 'x': unknown key 'x'": lambda capture: capture.stats(select="x"),
    "collectives has rows of its own; leave out by, sort, select and kernels": lambda capture: capture.stats(
        collectives=True, by="class"),
    "fail_above: 'x' is not a percentage": lambda capture: capture.compare(capture, fail_above="x"),
    "allow_noise has no effect without fail_above": lambda capture: capture.compare(capture, allow_noise=True),
    'nothing to sweep; expected several values as in {"network.bandwidth": ["1x", "2x", "4x"]}, or a scenario with':
        lambda capture: capture.sweep(),
    "'compute.scale=1,2': the scenario is a sweep; expected one value per parameter, or sweep()":
        lambda capture: capture.what_if({"compute.scale": [1, 2]}),
    "'device.to=H100': the capture has no GPU kernels": lambda capture: capture.what_if({"device.to": "H100"}),
    "a=b: no such file; expected a scenario in YAML, or 'changes' for": lambda capture: capture.what_if(
        scenario="a=b"),
    "'x.foo': unknown extension '.foo'": lambda capture: capture.replay().save("x.foo"),
}


@pytest.mark.parametrize("begins", WRONG_CALLS)
def test_errors_speak_of_arguments_and_methods(capture, begins):
    with pytest.raises(stepsim.Error) as raised:
        WRONG_CALLS[begins](capture)
    assert str(raised.value).startswith(begins)
    assert not re.search(r"(^|\s)--?[a-z]|TRACE|FILE|'stepsim ", str(raised.value))


def test_input_errors_are_value_errors(capture, tmp_path):
    trace = tmp_path / "trace.json"
    trace.write_text("{")
    with pytest.raises(ValueError, match=f"^{trace}") as raised:
        stepsim.load(trace)
    assert raised.type is stepsim.InputError and not isinstance(raised.value, OSError)


def test_a_missing_file_is_a_file_not_found_error(capture, tmp_path):
    absent = os.fspath(tmp_path / "absent")
    for read in (lambda: stepsim.load(absent), lambda: stepsim.load(f"{absent}*"), lambda: stepsim.load(SAMPLE, job=absent),
                 lambda: capture.what_if(scenario=absent), lambda: capture.what_if(network_bandwidth="2x", cluster=absent),
                 lambda: stepsim.compare(absent, SAMPLE)):
        with pytest.raises(FileNotFoundError, match=f"^{absent}") as raised:
            read()
        assert isinstance(raised.value, stepsim.InputError) and raised.value.errno == errno.ENOENT
        assert raised.value.filename.startswith(absent)
        again = pickle.loads(pickle.dumps(raised.value))
        assert type(again) is stepsim.MissingFile and str(again) == str(raised.value)


def test_nothing_is_printed(capture, capfd):
    capture.sweep({"network.bandwidth": ["1x", "2x"]})
    capture.check()
    assert capfd.readouterr() == ("", "")


# A sweep that is long enough to be stopped.
LONG = "{'compute.scale': [1 + i / 100000 for i in range(100000)]}"


def test_ctrl_c_stops_a_sweep():
    """The signal comes after the first progress report, which is inside the `try`, and long before the end."""
    script = f"""
import stepsim
from stepsim import capture as module

class Progress:
    began = False
    def __enter__(self):
        return self
    def __exit__(self, *error):
        pass
    def __call__(self, phase, done, total):
        if not self.began and phase == "sweeping":
            self.began = True
            print("begin", flush=True)

capture = stepsim.load({str(SAMPLE)!r})
try:
    module.Progress = Progress
    capture.sweep({LONG})
except KeyboardInterrupt:
    print("stopped", flush=True)
"""
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "begin\n"
        os.kill(process.pid, signal.SIGINT)
        assert process.stdout.readline() == "stopped\n"


def test_other_threads_run_while_one_computes(capture, monkeypatch):
    """If they could not, the sweep would end before another thread can stop it."""
    began, stop = threading.Event(), threading.Event()

    class Stopped(Exception):
        pass

    class Progress:
        def __enter__(self):
            return self

        def __exit__(self, *error):
            pass

        def __call__(self, phase, done, total):
            began.set()
            if stop.is_set():
                raise Stopped

    def compute():
        try:
            capture.sweep(eval(LONG))
        except Stopped:
            ends.append("stopped")

    ends = []
    monkeypatch.setattr(sys.modules["stepsim.capture"], "Progress", Progress)
    thread = threading.Thread(target=compute)
    thread.start()
    began.wait()
    stop.set()
    thread.join()
    assert ends == ["stopped"]

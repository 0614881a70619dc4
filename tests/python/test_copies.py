"""Results, their fields and the columns of a capture are copied and pickled like other Python objects."""

import concurrent.futures
import copy
import multiprocessing
import pickle
import re
import shutil
import subprocess
import sys

import pytest
from conftest import SAMPLE

import stepsim


def pickled(value):
    return pickle.loads(pickle.dumps(value))


WAYS = [copy.copy, copy.deepcopy, pickled]


@pytest.mark.parametrize("copied", WAYS, ids=lambda way: way.__name__)
def test_fields_are_copied(capture, copied):
    fields = capture.what_if({"network.bandwidth": "2x"}).scenario
    again = copied(fields)
    assert type(again) is stepsim.Fields and again == fields and again.iteration_ns == fields.iteration_ns


@pytest.mark.parametrize("copied", WAYS, ids=lambda way: way.__name__)
@pytest.mark.parametrize("method, options", [("replay", {}), ("sweep", {"grid": {"compute.scale": [1, 2]}}),
                                             ("check", {}), ("stats", {})])
def test_results_are_copied(capture, copied, method, options):
    pytest.importorskip("pandas")
    result = getattr(capture, method)(**options)
    again = copied(result)
    assert type(again) is type(result) and again == result
    assert (again.to_json(), str(again), repr(again)) == (result.to_json(), str(result), repr(result))
    assert re.sub("<img [^>]*>\n", "", again._repr_html_()) == re.sub("<img [^>]*>\n", "", result._repr_html_())
    assert again.to_pandas().equals(result.to_pandas())


def test_a_deep_copy_has_members_of_its_own(capture):
    result = capture.replay()
    again = copy.deepcopy(result)
    again.to_dict()["iteration"]["measured_ns"] = 0
    assert result.iteration.measured_ns == 280_582_714


def test_what_is_unpickled_says_that_it_cannot_be_saved(capture, tmp_path):
    result = pickled(pickled(capture.replay()))
    with pytest.raises(stepsim.UsageError, match="this result was pickled, which keeps its fields and table only; "):
        result.save(tmp_path / "x.svg")
    with pytest.raises(IndexError, match="^this result has no replay$"):
        result.timeline()


@pytest.mark.parametrize("copied", WAYS, ids=lambda way: way.__name__)
def test_columns_are_copied(capture, copied):
    pytest.importorskip("pandas")
    for columns in (capture.tasks, capture.edges):
        again = copied(columns)
        assert type(again) is type(columns) and again.to_pandas().equals(columns.to_pandas())


def replayed(path):
    return stepsim.load(path).replay()


def test_a_worker_process_returns_a_result(capture):
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        result = pool.submit(replayed, SAMPLE).result()
    assert result == capture.replay()


def test_a_dask_worker_returns_a_result(capture, tmp_path):
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=":0",
                                  local_directory=tmp_path) as cluster:
        with distributed.Client(cluster) as client:
            assert client.submit(lambda: stepsim.load(SAMPLE).replay()).result() == capture.replay()


def test_a_worker_process_asks_a_capture(capture):
    """The capture is pickled with the method, and read again by the worker."""
    scales = [1, 2, 3]
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        answers = list(pool.map(capture.what_if, [{"compute.scale": scale} for scale in scales]))
    assert answers == [capture.what_if({"compute.scale": scale}) for scale in scales]


def test_a_pickled_capture_is_read_once_and_only_if_its_files_are_the_same(tmp_path):
    shutil.copytree(SAMPLE, tmp_path / "job")
    before = pickle.dumps(stepsim.load(tmp_path / "job"))
    assert pickle.loads(before) is pickle.loads(before)
    with open(tmp_path / "job" / "job.yaml", "a") as job:
        job.write("# a comment\n")
    after = pickle.dumps(stepsim.load(tmp_path / "job"))
    assert pickle.loads(after).check().verdict == "good"
    with pytest.raises(stepsim.InputError, match="job.yaml: has changed since it was loaded, "):
        pickle.loads(before)


def test_a_capture_is_its_own_copy(capture):
    assert copy.copy(capture) is copy.deepcopy(capture) is capture


def test_standard_input_cannot_be_pickled():
    script = f"""
import pickle, stepsim
capture = stepsim.load("-")
for use in (lambda: pickle.dumps(capture), lambda: capture.sweep({{"compute.scale": [1, 2]}}, executor=object())):
    try:
        use()
    except stepsim.UsageError as error:
        print(error)
"""
    with open(next(SAMPLE.rglob("*.gz")), "rb") as trace:
        done = subprocess.run([sys.executable, "-c", script], stdin=trace, check=True, text=True, capture_output=True)
    sentence = "other processes cannot read this standard input; expected a file\n"
    assert done.stdout == f"pickle: {sentence}executor: {sentence}"

"""Paths with any name that the system allows."""

import os
import pathlib
import shutil

import pytest
from conftest import SAMPLE

import stepsim

NAMES = ["-dash", os.fsdecode(b"caf\xe9"), "[a,b]", "two words", "\N{SNOWMAN}"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("form", [str, os.fsencode, pathlib.Path], ids=["str", "bytes", "Path"])
@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_a_capture_of_any_name_is_read(folder, name, form):
    shutil.copytree(SAMPLE, name)
    capture = stepsim.load(form(name))
    assert repr(capture).isprintable()
    assert capture.replay().iteration.measured_ns == 280_582_714
    assert capture.check().verdict == stepsim.check(form(name)).verdict == "good"
    assert stepsim.compare(form(name), form(name)).iteration.difference_ns == 0


@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_files_of_any_name_are_read_and_written(folder, capture, name):
    job, cluster, scenario, page = (f"{name}.{extension}" for extension in ("job.yaml", "cluster.yaml", "yaml", "csv"))
    shutil.copy(SAMPLE / "job.yaml", job)
    with open(scenario, "w") as file:
        file.write("name: x\nchanges: [compute: {scale: 1}]\n")
    capture.calibrate().save(pathlib.Path(folder, cluster))
    again = stepsim.load(SAMPLE, job=job)
    assert again.replay(cluster=cluster).iteration.measured_ns == 280_582_714
    assert again.what_if(scenario=scenario).scenario.name == "x"
    again.replay().save(page)
    assert set(os.listdir()) == {job, cluster, scenario, page}


def test_a_name_with_a_null_byte_is_refused(folder, capture):
    """The system would end the name at the null byte, and save() wrote over the file `a`."""
    pathlib.Path("a").write_text("kept")
    for name in ("a\0.csv", b"a\0.csv"):
        with pytest.raises(ValueError, match="null byte"):
            capture.replay().save(name)
        with pytest.raises(ValueError, match="null byte"):
            stepsim.load(name)
    assert os.listdir() == ["a"] and pathlib.Path("a").read_text() == "kept"


def test_a_value_that_begins_with_a_dash_is_a_value(capture):
    with pytest.raises(stepsim.UsageError, match="'-1' is not a number of rows"):
        capture.advise(rows=-1)

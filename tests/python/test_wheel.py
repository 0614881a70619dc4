"""The wheel that `pip install .` makes from the extension of this build."""

import email
import importlib.util
import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from conftest import SAMPLE, SOURCE

import stepsim

# Not by sys.path: the folder python/ has a package without its extension.
_SPEC = importlib.util.spec_from_file_location("build_wheel", SOURCE / "python" / "build_wheel.py")
build_wheel = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(build_wheel)

BUILD = Path(stepsim.__file__).parent.parent.parent


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    return folder / build_wheel.build_wheel(folder, {"build": BUILD})


def test_the_same_sources_give_the_same_bytes(wheel, tmp_path):
    assert wheel.read_bytes() == (tmp_path / build_wheel.build_wheel(tmp_path, {"build": BUILD})).read_bytes()
    with zipfile.ZipFile(wheel) as packed:
        assert {(entry.date_time, entry.external_attr >> 16) for entry in packed.infolist()} == {
            ((1980, 1, 1, 0, 0, 0), 0o644)}


def test_the_files_of_a_wheel_have_the_time_of_the_environment(tmp_path, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1000000000")  # 2001-09-09 01:46:40 UTC
    with zipfile.ZipFile(tmp_path / build_wheel.build_wheel(tmp_path, {"build": BUILD})) as packed:
        assert {entry.date_time for entry in packed.infolist()} == {(2001, 9, 9, 1, 46, 40)}


def test_metadata_is_that_of_the_project_and_compiles_nothing(wheel, tmp_path, monkeypatch):
    monkeypatch.setattr(subprocess, "run", None)
    assert build_wheel.prepare_metadata_for_build_wheel(tmp_path) == f"stepsim-{stepsim.__version__}.dist-info"
    prepared = {path.name: path.read_bytes() for path in tmp_path.glob("*.dist-info/*")}
    with zipfile.ZipFile(wheel) as packed:
        names = [name for name in packed.namelist() if name.startswith("stepsim-") and not name.endswith("RECORD")]
        assert {Path(name).name: packed.read(name) for name in names} == prepared
        assert {"stepsim/py.typed", "stepsim/_core.pyi", "stepsim/fields.pyi"} < {*packed.namelist()}
    told = email.message_from_bytes(prepared["METADATA"])
    assert (told["Name"], told["Version"], told["Requires-Python"]) == ("stepsim", stepsim.__version__, ">=3.9")
    assert "matplotlib; extra == 'plots'" in told.get_all("Requires-Dist")
    assert told.get_payload().startswith("# ")
    assert prepared["entry_points.txt"] == b"[console_scripts]\nstepsim = stepsim.__main__:main\n"


def test_an_editable_install_imports_the_sources(tmp_path):
    name = build_wheel.build_editable(tmp_path, {"build": BUILD})
    with zipfile.ZipFile(tmp_path / name) as packed:
        packed.extractall(tmp_path / "site")
    script = (f"import site; site.addsitedir({str(tmp_path / 'site')!r}); import os, stepsim.capture; "
              "print(os.path.realpath(stepsim.capture.__file__))")
    printed = subprocess.run([sys.executable, "-B", "-c", script], check=True, text=True, capture_output=True,
                             cwd=tmp_path, env={**os.environ, "PYTHONPATH": ""}).stdout
    assert printed == f"{SOURCE / 'python' / 'stepsim' / 'capture.py'}\n"


def test_a_source_archive_has_the_commit_and_its_metadata(tmp_path):
    if not (SOURCE / ".git").exists():
        pytest.skip("not a git checkout")
    (tmp_path / "again").mkdir()
    archive = tmp_path / build_wheel.build_sdist(tmp_path)
    assert archive.read_bytes() == (tmp_path / "again" / build_wheel.build_sdist(tmp_path / "again")).read_bytes()
    folder = f"stepsim-{stepsim.__version__}"
    with tarfile.open(archive) as packed:
        assert packed.extractfile(f"{folder}/PKG-INFO").read() == build_wheel.metadata()
        tracked = subprocess.run(["git", "-C", SOURCE, "ls-tree", "-r", "--name-only", "HEAD"], check=True, text=True,
                                 capture_output=True).stdout.splitlines()
        assert {f"{folder}/{name}" for name in tracked} < set(packed.getnames())


def test_compilers_print_to_standard_error_and_obey_the_job_limit(tmp_path):
    """With a cmake that prints what it is asked for, and builds nothing."""
    cmake = tmp_path / "cmake"
    cmake.write_text('#!/bin/sh\necho "cmake $* with $CMAKE_BUILD_PARALLEL_LEVEL jobs"\n')
    cmake.chmod(0o755)
    script = f"import sys; sys.path.insert(0, {str(SOURCE / 'python')!r}); import build_wheel; "
    script += f"build_wheel.SOURCE = build_wheel.Path({str(tmp_path)!r}); build_wheel.build_wheel('.')"
    done = subprocess.run([sys.executable, "-B", "-c", script], text=True, capture_output=True, env={
        **os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "CMAKE_BUILD_PARALLEL_LEVEL": "3", "PYTHONPATH": ""})
    assert done.stdout == "" and done.returncode == 1
    build = tmp_path / "build" / "wheel"
    lines = done.stderr.splitlines()
    assert lines[0] == f"stepsim: compiling in {build}, which takes minutes"
    assert lines[2] == f"cmake --build {build} --target stepsim_python with 3 jobs"
    assert lines[3].startswith(f"error: {build / 'python' / 'stepsim'} has no _core.")


def test_pip_installs_it_without_an_index(tmp_path):
    pytest.importorskip("pip")
    target = tmp_path / "site"
    subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--target", target,
                    "--config-settings", f"build={BUILD}", SOURCE], check=True, env={**os.environ, "PYTHONPATH": ""})
    script = f"import stepsim; print(stepsim.__file__, stepsim.load({str(SAMPLE)!r}).replay().tasks)"
    printed = subprocess.run([sys.executable, "-B", "-c", script], check=True, text=True, capture_output=True,
                             cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(target)}).stdout
    assert printed == f"{target / 'stepsim' / '__init__.py'} 750\n"
    version = subprocess.run([target / "bin" / "stepsim", "--version"], check=True, text=True, capture_output=True,
                             cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(target)}).stdout
    assert version == f"stepsim {stepsim.__version__} (commit {stepsim._core.commit})\n"
    assert {"_core.pyi", "fields.pyi", "py.typed"} < {path.name for path in (target / "stepsim").iterdir()}

"""The wheel that `pip install .` makes from the extension of this build."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import SAMPLE, SOURCE

import stepsim

# Not by sys.path: the folder python/ has a package without its extension.
_SPEC = importlib.util.spec_from_file_location("build_wheel", SOURCE / "python" / "build_wheel.py")
build_wheel = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(build_wheel)

BUILD = Path(stepsim.__file__).parent.parent.parent


def test_the_same_sources_give_the_same_bytes(tmp_path):
    wheels = []
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        wheels.append(tmp_path / name / build_wheel.build_wheel(tmp_path / name, {"build": BUILD}))
    assert wheels[0].name.startswith("stepsim-") and wheels[0].read_bytes() == wheels[1].read_bytes()


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
    assert (target / "stepsim" / "_core.pyi").exists() and (target / "stepsim" / "py.typed").exists()

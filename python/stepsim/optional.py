"""Modules that the package can do without."""

import importlib
from typing import Any


def numpy() -> Any:
    return _module("numpy", "columns")


def pandas() -> Any:
    return _module("pandas", "tables")


def pyplot() -> Any:
    return _module("matplotlib.pyplot", "plots")


def _module(name, extra):
    """Returns a module. `extra` is the one in pyproject.toml that has it."""
    try:
        return importlib.import_module(name)
    except ImportError:
        package = name.split(".")[0]
        raise ImportError(f"this needs {package}, which is not installed; install python3-{package}, or pip install "
                          f"'stepsim[{extra}]'") from None

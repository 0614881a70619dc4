"""Loaded by every Python process that `stepsim capture --torch` starts, because this folder is first in PYTHONPATH.
Starts recording when the program loads torch, and loads the sitecustomize module that this one hides."""
import os
import sys

_OURS = os.path.dirname(os.path.abspath(__file__))


def _load_theirs():
    """Loads the next sitecustomize in the search path under that name, so that `import sitecustomize` returns it."""
    import importlib.machinery
    import importlib.util

    def is_ours(path):
        return os.path.abspath(path or os.curdir) == _OURS

    others = [path for path in sys.path if not is_ours(path)]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", others)
    if spec is None or spec.loader is None:
        return
    module = importlib.util.module_from_spec(spec)
    sys.modules["sitecustomize"] = module
    spec.loader.exec_module(module)


def _record():
    if os.environ.get("STEPSIM_CAPTURE_TORCH") != "1":
        return
    writes_bytecode = sys.dont_write_bytecode
    sys.dont_write_bytecode = True  # the folder may be shared or read-only
    try:
        import stepsim_capture
        stepsim_capture.start(os.environ)
    except Exception as problem:  # must not stop the program
        sys.stderr.write("stepsim: warning: nothing is captured in this process: %r\n" % (problem,))
    finally:
        sys.dont_write_bytecode = writes_bytecode


_record()
_load_theirs()  # last, so that Python reports its exceptions as it would without stepsim

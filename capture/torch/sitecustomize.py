"""Loaded by every Python that `stepsim capture --torch` starts, because PYTHONPATH names this folder first. Hands over to
the sitecustomize that would have been loaded without us, then has the program recorded once it loads torch."""
import os
import sys

_OURS = os.path.dirname(os.path.abspath(__file__))


def _load_theirs():
    """The sitecustomize behind ours, under its name, so that it is what `import sitecustomize` gives."""
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
    sys.dont_write_bytecode = True  # the folder may be shared, or not ours to write to
    try:
        import stepsim_capture
        stepsim_capture.start(os.environ)
    except Exception as problem:  # the program comes first
        sys.stderr.write("stepsim: warning: nothing is captured in this process: %r\n" % (problem,))
    finally:
        sys.dont_write_bytecode = writes_bytecode


_record()
_load_theirs()  # last: what it raises is its own, and Python says so as without us

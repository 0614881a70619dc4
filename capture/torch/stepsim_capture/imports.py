"""Calls us once a module is loaded, whoever loads it."""
import importlib.util
import sys

from .guard import harmless


class _Finder:
    """Finds the module as without us, and puts a call behind its loading."""

    def __init__(self, name, call):
        self._name = name
        self._call = call
        self._asking = False

    def find_spec(self, name, path=None, target=None):
        if name != self._name or self._asking:
            return None
        self._asking = True
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self._asking = False
        if spec is not None and hasattr(spec.loader, "exec_module"):
            self._follow(spec.loader)
        return spec

    def _follow(self, loader):
        execute = loader.exec_module

        def execute_and_call(module):
            execute(module)
            del loader.exec_module  # as it was
            if self in sys.meta_path:
                sys.meta_path.remove(self)
                self._call(module)

        loader.exec_module = execute_and_call


def when_loaded(name, call):
    """`call(module)` once the module `name` is loaded, or now if it is."""
    call = harmless(call)
    if name in sys.modules:
        call(sys.modules[name])
    else:
        sys.meta_path.insert(0, _Finder(name, call))

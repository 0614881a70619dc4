"""Calls a function when a module is loaded by any code."""
import importlib.util
import sys

from .guard import harmless


class _Finder:
    """Finds the module with the other finders, and adds a call after its execution."""

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
            del loader.exec_module  # restores the method of the class
            if self in sys.meta_path:
                sys.meta_path.remove(self)
                self._call(module)

        loader.exec_module = execute_and_call


def when_loaded(name, call):
    """Calls `call(module)` when the module `name` is loaded, or now if it is already."""
    call = harmless(call)
    if name in sys.modules:
        call(sys.modules[name])
    else:
        sys.meta_path.insert(0, _Finder(name, call))

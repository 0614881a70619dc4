"""Classes of the objects in answers, for annotations: `def show(step: stepsim.fields.ReplayStep)`. Type checkers and
editors read their members in fields.pyi. At run time the classes are empty, and every object is a Fields."""

import functools


@functools.lru_cache(maxsize=None)
def __getattr__(name):
    if name.startswith("_"):
        raise AttributeError(name)
    return type(name, (), {"__module__": __name__})

"""Turns errors of the recorder into warnings, so that the program continues."""
import functools
import sys


def warn(text):
    try:
        sys.stderr.write("stepsim: warning: %s\n" % text)
        sys.stderr.flush()
    except Exception:  # the program's standard error is closed
        pass


def harmless(function):
    """Decorates a function of the recorder that the program calls: its exceptions become warnings."""

    @functools.wraps(function)
    def guarded(*arguments, **named):
        try:
            return function(*arguments, **named)
        except Exception as problem:
            warn("capture: %s: %s" % (type(problem).__name__, problem))
            return None

    return guarded

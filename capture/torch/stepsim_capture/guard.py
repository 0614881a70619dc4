"""Our failures are warnings: the program goes on as without us."""
import functools
import sys


def warn(text):
    try:
        sys.stderr.write("stepsim: warning: %s\n" % text)
        sys.stderr.flush()
    except Exception:  # its standard error is closed
        pass


def harmless(function):
    """`function` of ours, called by the program: an exception of it is a warning."""

    @functools.wraps(function)
    def guarded(*arguments, **named):
        try:
            return function(*arguments, **named)
        except Exception as problem:
            warn("capture: %s: %s" % (type(problem).__name__, problem))
            return None

    return guarded

"""Rewords errors for Python: the program's sentences name options and commands, Python has arguments and methods."""

import contextlib
import re

from stepsim import _core

_ARGUMENTS = ("allow-noise", "anonymous", "by", "cluster", "collectives", "comm-json", "fail-above", "fold", "job",
              "kernels", "merge-ranks", "min-duration", "network", "ranks", "rows", "scenario", "select", "slow-ranks",
              "sort", "steps", "threads")
_METHODS = ("advise", "calibrate", "check", "compare", "convert", "critical-path", "graph", "plan", "replay", "stats", "sweep",
            "whatif")

_REWORDED = [(re.compile(pattern), text) for pattern, text in [
    (r"TRACE is required; see '.*", "there is no path; expected a file, a folder or an archive"),
    (r"TRACE is empty", "a path is empty"),
    (r"(?<!\S)-o (?=['A-Zc])", ""),
    (r"--scrub\b", "scrub()"),
    (r"'stepsim tasks'", "task_list()"),
    (r"--set network\.bandwidth=1x,2x,4x", '{"network.bandwidth": ["1x", "2x", "4x"]}'),
    (r", or -s FILE with", ", or a scenario with"),
    (r"--set for a change on the command line", "'changes' for a change"),
    (r"--set (?=')", ""),
    (r", --kernels and --sequences", " and --kernels"),
    (r"--fail-above PERCENT", "--fail-above"),
    (r"expected FILE$", "expected a path"),
    (rf"(?<![\w/-])--({'|'.join(_ARGUMENTS)})(?![\w-])", lambda found: found[1].replace("-", "_")),
    (rf"'stepsim ({'|'.join(_METHODS)})'",
     lambda found: found[1].replace("whatif", "what_if").replace("-", "_") + "()"),
]]


def in_python(sentence):
    """Returns a sentence of the program about options as one about arguments: "--rows: 'x' is ..." as "rows: ..."."""
    for pattern, text in _REWORDED:
        sentence = pattern.sub(text, sentence)
    return sentence


@contextlib.contextmanager
def of_python():
    """Rewords the errors that are raised in its block."""
    try:
        yield
    except _core.Error as error:
        error.args = (in_python(str(error)),)
        raise

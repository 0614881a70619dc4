"""Detects the ends of steps: after optimizer.step(), or after a call of the function that --step-call names."""
import functools
import sys
import threading
import weakref

from .guard import harmless, warn

_MARK = "_stepsim_counts"


class StepCounter:
    """Calls `step_ended()` at the end of every step.

    If there are several optimizers, only the one whose step() ends first counts, as long as it lives. The optimizers of
    a GAN, or nested ones, thus make one step. With `step_call`, "MODULE.FUNCTION" or "MODULE.CLASS.METHOD", the calls
    of that function count instead.
    """

    def __init__(self, step_ended, step_call=""):
        self._step_ended = harmless(step_ended)
        self._step_call = step_call
        self._leader = lambda: None
        self._around = threading.local()  # depth of nested counted calls on each thread

    def attach(self, torch):
        """Starts to follow the optimizers of `torch`."""
        optimizer = torch.optim.Optimizer
        for name in ("__init__", "__setstate__"):
            self._follow_new(optimizer, name)

    def _follow_new(self, optimizer, name):
        create = getattr(optimizer, name)

        @functools.wraps(create)
        def create_and_follow(one, *arguments, **named):
            create(one, *arguments, **named)
            self._created(type(one))

        setattr(optimizer, name, create_and_follow)

    @harmless
    def _created(self, kind):
        if self._step_call:
            self.find_call()  # the program's own functions exist by now
        elif not getattr(kind.step, _MARK, False):
            kind.step = self._counted(kind.step, self._optimizer_done)

    def _optimizer_done(self, arguments):
        one = arguments[0] if arguments else None
        if self._leader() is None:
            self._leader = weakref.ref(one)
        if self._leader() is one:
            self._step_ended()

    def _counted(self, function, done):
        """Wraps `function`: calls `done(arguments)` after each successful call that is not nested in a counted one."""
        done = harmless(done)
        around = self._around

        @functools.wraps(function)
        def counted(*arguments, **named):
            depth = getattr(around, "depth", 0)
            around.depth = depth + 1
            try:
                result = function(*arguments, **named)
            finally:
                around.depth = depth
            if depth == 0:
                done(arguments)
            return result

        setattr(counted, _MARK, True)
        return counted

    def module_of_call(self):
        """Returns the module part of --step-call: the words before the first one with a capital initial, or before the
        last one. Empty without --step-call."""
        words = self._step_call.split(".")[:-1]
        while words and words[-1][:1].isupper():
            words.pop()
        return ".".join(words)

    @harmless
    def find_call(self):
        """Starts counting the calls of --step-call's function, if it is loaded."""
        module = self.module_of_call()
        owner = sys.modules.get(module)
        if owner is None:
            return
        path = self._step_call[len(module) + 1:].split(".")
        for word in path[:-1]:
            owner = getattr(owner, word, None)
        held = vars(owner).get(path[-1]) if owner is not None else None
        if held is None and owner is not None:
            held = getattr(owner, path[-1], None)  # inherited
        if held is None:
            if module != "__main__":
                warn("--step-call %s: %s has no such function; expected MODULE.FUNCTION" % (self._step_call, module))
            return
        kind = type(held) if isinstance(held, (staticmethod, classmethod)) else lambda function: function
        function = getattr(held, "__func__", held) if isinstance(held, (staticmethod, classmethod)) else held
        if not getattr(function, _MARK, False):
            setattr(owner, path[-1], kind(self._counted(function, lambda _: self._step_ended())))

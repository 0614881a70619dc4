"""Carries out the schedule in one process."""
import atexit
import functools
import os

from . import job_file, profiler, schedule, settings
from .free_steps import FreeSteps
from .guard import harmless, warn

# Other profilers: only one may run at a time, and the program's own has precedence.
_PROFILERS = (("autograd", "profiler", "profile"), ("autograd", "profiler", "emit_nvtx"),
              ("autograd", "profiler", "emit_itt"), ("autograd", "profiler_legacy", "profile"))


def _tell_before(kind, name, call):
    """Replaces a method so that `call(object)` runs before each call of it."""
    method = getattr(kind, name)

    @functools.wraps(method)
    def told(one, *arguments, **named):
        call(one)
        return method(one, *arguments, **named)

    setattr(kind, name, told)


class Recorder:
    def __init__(self, asked):
        self._asked = asked
        self._torch = None
        self._free = FreeSteps(asked.schedule.free_steps(), self._synchronise)
        self._bucket_bytes = []
        self._steps = 0  # number of steps that have ended
        self._profiler = None
        self._written = 0
        self._over = False  # recording has ended for good
        self._in_ours = False
        self._theirs = set()  # ids of the program's own running profilers

    def attach(self, torch, counter):
        """Starts to follow the program; called when torch is loaded."""
        self._torch = torch
        counter.attach(torch)
        for names in _PROFILERS:
            self._watch_profiler(names)
        self._watch_buckets(torch.nn.parallel.DistributedDataParallel)
        atexit.register(harmless(self._at_exit))
        os.register_at_fork(after_in_child=self._forked)

    def step_ended(self):
        """Handles the end of a step: starts, continues or ends the recording."""
        if self._over:
            return
        self._steps += 1
        self._free.ended(self._steps)
        if self._steps < self._asked.schedule.free_steps():
            return
        try:
            self._go_on()
        except Exception:
            self._over = True
            raise

    def _go_on(self):
        """Starts, steps or ends the profiler before step number `_steps`."""
        phase = self._asked.schedule.phase(self._steps)
        if self._profiler is not None:
            self._ours(self._profiler.step)
        elif phase in (schedule.WARM_UP, schedule.ACTIVE, schedule.LAST_ACTIVE):
            self._start()
        if phase == schedule.DONE:
            self._stop()

    def _start(self):
        rank = self._rank()
        if rank == 0:
            self._write_job()
        if not settings.names_rank(self._asked.ranks, rank):
            self._over = True
        elif self._theirs or self._torch.autograd._profiler_enabled():
            self._leave_to_theirs()
        else:
            self._profiler = self._ours(profiler.Profiler, self._torch, self._asked, self._steps, rank)

    def _stop(self, keep=True):
        self._over = True
        if self._profiler is not None:
            ending, self._profiler = self._profiler, None
            try:
                self._ours(ending.stop, keep=keep)
            finally:
                self._written += ending.files

    def _ours(self, call, *arguments, **named):
        """Calls our profiler, and marks the call so that it is not mistaken for one of the program's own."""
        self._in_ours = True
        try:
            return call(*arguments, **named)
        finally:
            self._in_ours = False

    def _rank(self):
        group = profiler.group_of(self._torch)
        return group.get_rank() if group is not None else settings.launched_as(os.environ)[0] or 0

    def _write_job(self):
        group = profiler.group_of(self._torch)
        world = group.get_world_size() if group is not None else settings.launched_as(os.environ)[1]
        text = job_file.job_text(world, group.get_backend() if group is not None else None, self._bucket_bytes,
                                 self._free.step_ns(), self._free.count())
        harmless(job_file.write_job)(self._asked.directory, text)

    def _synchronise(self):
        """Waits for the devices. Returns False if there are none, or if waiting is not allowed now."""
        cuda = self._torch.cuda
        if not cuda.is_initialized() or cuda.is_current_stream_capturing():
            return False
        cuda.synchronize()
        return True

    def _watch_profiler(self, names):
        owner = self._torch
        for name in names[:-1]:
            owner = getattr(owner, name, None)
        kind = getattr(owner, names[-1], None)
        if kind is None:
            return
        # torch.profiler calls _prepare_trace, not __enter__.
        _tell_before(kind, "_prepare_trace" if hasattr(kind, "_prepare_trace") else "__enter__", self._theirs_begins)
        _tell_before(kind, "__exit__", lambda one: self._theirs.discard(id(one)))

    @harmless
    def _theirs_begins(self, one):
        if self._in_ours or not getattr(one, "enabled", True):
            return
        self._theirs.add(id(one))
        if self._profiler is not None:
            self._leave_to_theirs()

    def _leave_to_theirs(self):
        self._stop(keep=False)
        if self._written == 0:
            warn("nothing is captured in this process: the program has a profiler of its own; "
                 "expected one of the two: replay its traces, or switch it off")

    def _watch_buckets(self, parallel):
        create = parallel.__init__
        noted = self._bucket_bytes

        @functools.wraps(create)
        def create_and_note(one, *arguments, **named):
            create(one, *arguments, **named)
            bound = getattr(one, "bucket_bytes_cap", None)
            if isinstance(bound, int):
                noted.append(bound)

        parallel.__init__ = create_and_note

    def _forked(self):
        """Ends recording in a child that is forked after the first step: it is a helper, such as a data loader.
        A child that is forked earlier may train, and is recorded."""
        if self._steps > 0:
            self._over = True
            self._profiler = None
            self._steps = 0

    def _at_exit(self):
        done = self._steps
        rank = self._rank()
        if not self._over:
            whole = done > 0 and self._asked.schedule.phase(done - 1) in (schedule.ACTIVE, schedule.LAST_ACTIVE)
            self._stop(keep=whole)
        missing = self._written == 0 and done > 0 and settings.names_rank(self._asked.ranks, rank)
        first = self._asked.schedule.free_steps() + self._asked.schedule.warm_up
        if missing and done <= first:
            warn("rank %d made %d steps, and those to be captured begin behind step %d; expected more steps, or a "
                 "smaller --skip-first, --wait or --warmup" % (rank, done, first))

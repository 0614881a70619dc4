"""Runs torch.profiler."""
import inspect

from . import schedule as phases
from . import shared_folder, trace_file, without_kineto


def action_of(phase, actions):
    """Converts a phase of the schedule to an action of torch.profiler."""
    return {phases.WAIT: actions.NONE, phases.DONE: actions.NONE, phases.WARM_UP: actions.WARMUP,
            phases.ACTIVE: actions.RECORD, phases.LAST_ACTIVE: actions.RECORD_AND_SAVE}[phase]


class Profiler:
    """Records according to `settings`, starting with step `first`, and writes a file at the end of each cycle."""

    def __init__(self, torch, settings, first, rank):
        self._torch = torch
        self._settings = settings
        self._name = trace_file.base_name(rank)
        self._keep = True
        self._unfinished = None
        self._observer = self._observed = None
        self.files = 0
        actions = torch.profiler.ProfilerAction
        options = {option: True for option in settings.options}
        known = inspect.signature(torch.profiler.profile.__init__).parameters
        if "experimental_config" in known:
            options["experimental_config"] = self._with_sync_events()
        if settings.execution_trace and "execution_trace_observer" in known:
            options["execution_trace_observer"] = self._execution_trace()
        self._profile = torch.profiler.profile(
            schedule=lambda step: action_of(settings.schedule.phase(step), actions),
            on_trace_ready=self._write, record_shapes=True, **options)
        # torch.profiler counts from 0 when it starts, and its step marks are off by one in some versions. Our schedule
        # and marks count from the program's first step.
        self._profile.record_steps = False
        self._profile.step_num = self._step = first
        self._profile.current_action = self._profile.schedule(first)
        self._profile.start()
        self._mark = self._begin_mark()

    def _begin_mark(self):
        mark = self._torch.autograd.profiler.record_function("ProfilerStep#%d" % self._step)
        mark.__enter__()
        return mark

    def step(self):
        self._mark.__exit__(None, None, None)
        self._profile.step()
        self._step += 1
        self._mark = self._begin_mark()

    def stop(self, keep=True):
        """Ends recording during a step or after the last one. Without `keep`, unwritten data is dropped."""
        self._keep = keep
        self._unfinished = self._step
        self._mark.__exit__(None, None, None)
        self._profile.stop()
        if self._observer is not None:
            self._observer.unregister_callback()  # this completes the file
            with self._observed:
                if self.files > 0:
                    trace_file.put_in_place(self._observed, self._path(self._name, ".et.json.gz"))

    def _path(self, name, ending):
        return trace_file.free_path(self._settings.directory, name, ending, self._settings.run)

    def _with_sync_events(self):
        """Returns a configuration that records waits for CUDA events and streams, if torch supports this."""
        try:
            return self._torch.profiler._ExperimentalConfig(enable_cuda_sync_events=True)
        except (TypeError, AttributeError):
            return None

    def _execution_trace(self):
        """Starts an observer that writes which operators exchanged data (docs/reference/formats.md)."""
        self._observed = shared_folder.Draft(self._settings.directory)
        self._observer = self._torch.profiler.ExecutionTraceObserver()
        self._observer.register_callback(self._observed.path)
        return self._observer

    def _write(self, profile):
        if not self._keep:
            return
        cycle = self.files + 1
        path = self._path(self._name if cycle == 1 else "%s.%d" % (self._name, cycle), trace_file.ENDING)
        with shared_folder.Draft(self._settings.directory) as draft:
            if self._torch.autograd.kineto_available():
                profile.export_chrome_trace(draft.path)
            else:
                without_kineto.write_trace(draft.path, profile.profiler.kineto_results, self._settings.options,
                                           distributed_info(self._torch), self._torch.__version__)
            trace_file.put_in_place(draft, path, self._unfinished)
        self.files = cycle


def group_of(torch):
    """Returns torch.distributed if the job has a process group, else None."""
    distributed = torch.distributed
    return distributed if distributed.is_available() and distributed.is_initialized() else None


def distributed_info(torch):
    group = group_of(torch)
    if group is None:
        return None
    return {"backend": group.get_backend(), "rank": group.get_rank(), "world_size": group.get_world_size()}

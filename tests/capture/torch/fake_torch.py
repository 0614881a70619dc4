"""A fake torch with the parts that the recorder uses: optimizers, a profiler that logs the calls it gets, and process
groups. Its profiler goes through the phases of torch.profiler, in each version that it imitates."""
import enum
import types


class ProfilerAction(enum.Enum):
    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3


def make(rank=None, world=1, kineto=True, cuda=False, modern=True):
    """Returns a torch that is rank `rank` of `world`, or not part of a job. If `modern`, its profiler accepts the
    execution trace and sync events. Events are recorded in its `log`."""
    torch = types.ModuleType("torch")
    torch.__version__ = "2.9" if modern else "1.13"
    torch.log = log = []
    torch.now = 0  # nanoseconds

    class Optimizer:
        def __init__(self):
            pass

        def __setstate__(self, state):
            pass

        def step(self, closure=None):
            return closure() if closure else "stepped"

    class DistributedDataParallel:
        def __init__(self, bucket_bytes_cap):
            self.bucket_bytes_cap = bucket_bytes_cap

    class AutogradProfile:
        running = 0

        def __init__(self, enabled=True):
            self.enabled = enabled

        def __enter__(self):
            if self.enabled:
                self._prepare_trace()
            return self

        def _prepare_trace(self):
            pass

        def __exit__(self, *_):
            pass

    class RecordFunction:
        def __init__(self, name):
            self.name = name

        def __enter__(self):
            log.append("begin " + self.name)

        def __exit__(self, *_):
            log.append("end " + self.name)

    class Observer:
        def register_callback(self, path):
            with open(path, "w", encoding="utf-8") as file:
                file.write("nodes")

        def unregister_callback(self):
            log.append("execution trace done")

    class Config:
        def __init__(self, **named):
            if not modern:
                raise TypeError("no such argument")
            self.named = named

    class Base:
        def _start(self, schedule, on_trace_ready, asked):
            self.schedule, self._ready, self.record_steps = schedule, on_trace_ready, True
            self.step_num, self.current_action = 0, schedule(0)
            log.append(("asked", asked))

        def start(self):
            self._transit(ProfilerAction.NONE, self.current_action)

        def step(self):
            before, self.step_num = self.current_action, self.step_num + 1
            self.current_action = self.schedule(self.step_num)
            self._transit(before, self.current_action)

        def stop(self):
            self._transit(self.current_action, ProfilerAction.NONE)
            log.append("stopped")

        def _transit(self, before, now):
            recording = (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE)
            if before == ProfilerAction.RECORD_AND_SAVE or (before == ProfilerAction.RECORD and now not in recording):
                log.append("saved")
                self._ready(self)
            if now in recording and before not in (ProfilerAction.RECORD,):
                torch.autograd.profiler.profile()._prepare_trace()  # like torch.profiler; not the program's profiler
            if now != before:
                log.append(now.name)

        def export_chrome_trace(self, path):
            with open(path, "w", encoding="utf-8") as file:
                file.write('[\n{"name": "ProfilerStep#%d"}\n]\n' % self.step_num)

    class Modern(Base):
        def __init__(self, schedule, on_trace_ready, record_shapes=False, with_flops=False, profile_memory=False,
                     with_stack=False, with_modules=False, experimental_config=None, execution_trace_observer=None):
            self._start(schedule, on_trace_ready, dict(locals()))

    class Older(Base):
        def __init__(self, schedule, on_trace_ready, record_shapes=False, with_flops=False, profile_memory=False,
                     with_stack=False, with_modules=False, experimental_config=None):
            self._start(schedule, on_trace_ready, dict(locals()))

    space = types.SimpleNamespace
    torch.optim = space(Optimizer=Optimizer)
    torch.nn = space(parallel=space(DistributedDataParallel=DistributedDataParallel))
    torch.autograd = space(profiler=space(profile=AutogradProfile, record_function=RecordFunction),
                           kineto_available=lambda: kineto, _profiler_enabled=lambda: AutogradProfile.running > 0)
    torch.profiler = space(profile=Modern if modern else Older, ProfilerAction=ProfilerAction, _ExperimentalConfig=Config,
                           ExecutionTraceObserver=Observer)
    torch.cuda = space(is_initialized=lambda: cuda, is_current_stream_capturing=lambda: False,
                       synchronize=lambda: log.append("synchronised"))
    torch.distributed = space(is_available=lambda: True, is_initialized=lambda: rank is not None, get_rank=lambda: rank,
                              get_world_size=lambda: world, get_backend=lambda: "gloo")
    return torch

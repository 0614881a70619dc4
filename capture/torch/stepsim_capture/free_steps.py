"""What a step takes before the profiler starts."""
import time


class FreeSteps:
    """Times the later half of the steps that nobody records: the earlier ones still warm up.

    `steps` are done before the profiler starts. `synchronise()` waits for the devices and returns whether there are any:
    a host runs ahead of them, so only the time between two such waits is theirs.
    """

    def __init__(self, steps, synchronise, clock=time.perf_counter_ns):
        self._first = (steps + 1) // 2
        self._last = steps
        self._synchronise = synchronise
        self._clock = clock
        self._ends = []
        self._on_devices = False

    def ended(self, done):
        """To be called at the end of each step; `done` steps have ended by now."""
        if not self._first <= done <= self._last:
            return
        if done in (self._first, self._last):
            self._on_devices = self._synchronise()
        self._ends.append(self._clock())

    def count(self):
        return max(0, len(self._ends) - 1)

    def step_ns(self):
        """The median step in nanoseconds, or with devices the mean; None where no whole step was free."""
        if self.count() == 0:
            return None
        if self._on_devices:
            return (self._ends[-1] - self._ends[0]) // self.count()
        lengths = sorted(later - earlier for earlier, later in zip(self._ends, self._ends[1:]))
        middle = len(lengths) // 2
        return lengths[middle] if len(lengths) % 2 else (lengths[middle - 1] + lengths[middle]) // 2

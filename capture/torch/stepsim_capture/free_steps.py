"""Measures the duration of steps before the profiler starts."""
import time


class FreeSteps:
    """Times the second half of the steps before the profiler starts; the first half is warm-up.

    `steps` is the number of steps before the profiler starts. `synchronise()` waits for the devices and returns whether
    there are any. The host runs ahead of the devices, so only the time between two such waits is valid.
    """

    def __init__(self, steps, synchronise, clock=time.perf_counter_ns):
        self._first = (steps + 1) // 2
        self._last = steps
        self._synchronise = synchronise
        self._clock = clock
        self._ends = []
        self._on_devices = False

    def ended(self, done):
        """Call this at the end of each step; `done` is the number of steps that have ended."""
        if not self._first <= done <= self._last:
            return
        if done in (self._first, self._last):
            self._on_devices = self._synchronise()
        self._ends.append(self._clock())

    def count(self):
        return max(0, len(self._ends) - 1)

    def step_ns(self):
        """Returns the median step in nanoseconds, or with devices the mean; None if no whole step was timed."""
        if self.count() == 0:
            return None
        if self._on_devices:
            return (self._ends[-1] - self._ends[0]) // self.count()
        lengths = sorted(later - earlier for earlier, later in zip(self._ends, self._ends[1:]))
        middle = len(lengths) // 2
        return lengths[middle] if len(lengths) % 2 else (lengths[middle - 1] + lengths[middle]) // 2

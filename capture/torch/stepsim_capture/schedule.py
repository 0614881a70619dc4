"""Selects the steps to record, with the terms of torch.profiler.schedule(). Steps are counted from 0; step 0 ends
with the first optimizer.step()."""
import collections

WAIT, WARM_UP, ACTIVE, LAST_ACTIVE, DONE = "wait", "warm-up", "active", "last active", "done"


class Schedule(collections.namedtuple("Schedule", "skip_first wait warm_up active repeat")):
    """After `skip_first` steps, `repeat` cycles follow (0 = until the program ends). Each cycle has `wait` steps that
    are not recorded, `warm_up` steps that are recorded and dropped, and `active` steps that are kept."""

    __slots__ = ()

    def phase(self, step):
        if step < self.skip_first:
            return WAIT
        cycle, at = divmod(step - self.skip_first, self.wait + self.warm_up + self.active)
        if self.repeat > 0 and cycle >= self.repeat:
            return DONE
        if at < self.wait:
            return WAIT
        if at < self.wait + self.warm_up:
            return WARM_UP
        return LAST_ACTIVE if at + 1 == self.wait + self.warm_up + self.active else ACTIVE

    def free_steps(self):
        """Returns the number of steps before the profiler first starts."""
        return self.skip_first + self.wait

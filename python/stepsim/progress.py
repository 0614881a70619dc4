"""Progress of long work through tqdm, if that is installed."""

import sys
import time

_SILENCE = 1.0  # work of less than this many seconds shows nothing


def _tqdm():
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return None
    return tqdm


class Progress:
    """Shows phases of work as tqdm bars on a terminal or in a notebook. stepsim calls it every 0.1 s."""

    def __init__(self):
        self._began = time.monotonic()
        self._bar = None
        self._phase = None
        self._tqdm = _tqdm() if sys.stderr.isatty() or "ipykernel" in sys.modules else None

    def __enter__(self):
        return self if self._tqdm is not None else None

    def __exit__(self, *error):
        self._close()

    def __call__(self, phase, done, total):
        if time.monotonic() - self._began < _SILENCE or total == 0:
            return
        if phase != self._phase:
            self._close()
            self._phase = phase
            self._bar = self._tqdm(desc=phase, unit_scale=True, leave=False)
        self._bar.total = total
        self._bar.n = min(done, total)
        self._bar.refresh()

    def _close(self):
        if self._bar is not None:
            self._bar.close()
        self._bar = None

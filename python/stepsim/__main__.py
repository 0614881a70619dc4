"""`python3 -m stepsim` runs the program, with the same commands and options."""

import signal
import sys

from stepsim import _core


def main():
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # as for the program: a reader that ends needs no message
    sys.exit(_core.run_program(sys.argv[1:], [sys.executable, "-m", "stepsim"]))


if __name__ == "__main__":
    main()

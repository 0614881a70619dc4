#!/usr/bin/env python3
"""resource_limits.py STEPSIM SAMPLE KINETO: under any limit of the shell (stack, descriptors, address space, file
size, processes) a command gives its answer, or ends with one line and exit code 1. SAMPLE and KINETO are captures
that replay."""
import os
import resource
import sys
import tempfile

from checks import check, one_line, stepsim, verdict, write

SAMPLE, KINETO = (os.path.abspath(path) for path in sys.argv[2:4])


def limited(folder, limits, *arguments):
    def set_limits():
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        for kind, most in limits:
            resource.setrlimit(kind, (most, most))
    return stepsim(*arguments, cwd=folder, preexec_fn=set_limits)


COMMANDS = (["replay", SAMPLE, "--json"], ["replay", KINETO, "--json"], ["whatif", SAMPLE, "--set", "network.bandwidth=2x", "--json"], ["calibrate", SAMPLE, "--json"],
            ["critical-path", SAMPLE, "--json"], ["sweep", SAMPLE, "-s", "grid.yaml", "--json"], ["replay", SAMPLE, "--network", "maxmin", "--json"])


def answers_or_reports_error(folder, answers, kind, name, most):
    """Runs all commands under a limit. Returns how many gave their answer."""
    given = 0
    for command in COMMANDS:
        run = limited(folder, [(kind, most)], *command)
        given += run.returncode == 0
        check(f"{command} with {name} {most}", run.stdout == answers[tuple(command)] if run.returncode == 0 else one_line(run), (run.returncode, run.stderr[-300:]))
    return given


def main():
    with tempfile.TemporaryDirectory() as folder:
        write(folder, "grid.yaml", "sweep: {network.bandwidth: [1x, 2x]}\n")
        answers = {}
        for command in COMMANDS:
            run = limited(folder, [], *command)
            check(f"{command} without a limit", run.returncode == 0, run.stderr)
            answers[tuple(command)] = run.stdout
        stack = [answers_or_reports_error(folder, answers, resource.RLIMIT_STACK, "a stack of", kibibytes << 10) for kibibytes in (64, 96, 256)]
        check("a stack of 64 KiB is enough", stack == [len(COMMANDS)] * 3, stack)
        files = [answers_or_reports_error(folder, answers, resource.RLIMIT_NOFILE, "descriptors", most) for most in (4, 5, 8, 64)]
        check("64 descriptors are enough", files[-1] == len(COMMANDS), files)
        memory = [answers_or_reports_error(folder, answers, resource.RLIMIT_AS, "an address space of", mebibytes << 20) for mebibytes in (96, 160, 1024)]
        check("an address space of 1 GiB is enough", memory[-1] == len(COMMANDS), memory)
        answers_or_reports_error(folder, answers, resource.RLIMIT_FSIZE, "a file size of", 0)
    return verdict()


if __name__ == "__main__":
    sys.exit(main())

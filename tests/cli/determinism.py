#!/usr/bin/env python3
"""determinism.py STEPSIM INPUT...: every answer, and every error, is the same text for any --threads."""
import os
import sys
import tempfile

from checks import stepsim, write

THREADS = ("1", "2", "3", "7", "16")
COMMANDS = (["replay", "--tasks", "--json"], ["replay"], ["critical-path", "--json"])


def result(command, inputs, threads):
    run = stepsim(command[0], *inputs, *command[1:], "--threads", threads)
    return run.returncode, run.stdout, run.stderr


def differs(command, inputs):
    answers = {result(command, inputs, threads) for threads in THREADS}
    if len(answers) > 1:
        print(f"FAILED stepsim {' '.join(command)} {inputs}: {len(answers)} different answers")
        for status, output, errors in answers:
            print(f"  exit {status}, {len(output)} bytes; {errors[:2000].decode(errors='replace')}")
    return len(answers) > 1


def broken_folder(folder):
    """Several broken files and one cut file: which error or diagnostic comes first must not depend on timing."""
    for i in range(12):
        write(folder, f"rank{i}.json", '{"traceEvents": [{"ph":"X" "ts":1},{"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":%d,"dur":5}' % (i + 1))
    write(folder, "rank99.json", '{"traceEvents": 5}')
    write(folder, "rank98.json", '{"traceEvents": 6}')
    return folder


def main():
    inputs = [[path] for path in sys.argv[2:]]
    with tempfile.TemporaryDirectory() as folder:
        inputs.append([broken_folder(folder)])
        inputs.append([os.path.join(folder, f"rank{i}.json") for i in range(12)])
        failed = sum(differs(command, given) for given in inputs for command in COMMANDS)
    print(f"{len(inputs)} inputs, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

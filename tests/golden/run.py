#!/usr/bin/env python3
"""run.py STEPSIM [--update] FILE...: runs the commands in FILE and compares their complete output.

A .cmd file has the question that it answers on the first line, then "$ stepsim ..." and its output, any number of
times. A Markdown file has the same in blocks that begin with ```console. Commands run in the repository's root.
Standard error follows standard output, and an exit code other than 0 is shown as "[exit N]". SCRATCH is a folder for
files that the commands of a FILE write. --update writes the current output."""
import os
import re
import shlex
import sys
import difflib
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests/cli"))
import checks  # noqa: E402


def stable(text):
    """Replaces the commit, which may change. Nothing else may."""
    text = re.sub(r'("commit":\s*)"[^"]*"', r'\1"COMMIT"', text)
    return re.sub(r"(stepsim [\d.]+ \()[0-9a-f]+(-dirty)?\)", r"\1COMMIT)", text)


def output_of(stepsim, command, scratch):
    words = shlex.split(command.replace("SCRATCH", scratch))
    run = checks.run(stepsim, *words[1:], cwd=ROOT)
    text = stable(run.stdout.decode() + run.stderr.decode()).replace(scratch, "SCRATCH")
    return text + (f"[exit {run.returncode}]\n" if run.returncode else "")


def is_ours(line):
    return line.startswith("$ ") and os.path.basename(line[2:].split()[0]) == "stepsim"


def answered(stepsim, lines):
    """Returns `lines` with the output of every command replaced by the program's."""
    out, skipping = [], False
    with tempfile.TemporaryDirectory(prefix="stepsim-golden-") as scratch:
        for line in lines:
            if line.startswith("$ ") or line.startswith("```"):
                skipping = False
            if not skipping:
                out.append(line)
            if is_ours(line):
                out.append(output_of(stepsim, line[2:].rstrip("\n"), scratch))
                skipping = True
    return "".join(out)


def rewritten(stepsim, path, text):
    if not path.endswith(".md"):
        return answered(stepsim, text.splitlines(keepends=True))
    block = re.compile(r"^```console\n.*?^```$", re.MULTILINE | re.DOTALL)
    return block.sub(lambda found: answered(stepsim, found.group(0).splitlines(keepends=True)), text)


def main():
    stepsim, files = os.path.abspath(sys.argv[1]), sys.argv[2:]
    update = "--update" in files
    wrong = 0
    for path in [os.path.abspath(f) for f in files if f != "--update"]:
        with open(path, encoding="utf-8", newline="") as file:  # csv has other ends of lines
            expected = file.read()
        found = rewritten(stepsim, path, expected)
        if found == expected:
            continue
        wrong += 1
        if update:
            with open(path, "w", encoding="utf-8", newline="") as file:
                file.write(found)
        else:
            sys.stdout.writelines(difflib.unified_diff(expected.splitlines(keepends=True), found.splitlines(keepends=True), path + " (expected)", path + " (found)"))
    return 1 if wrong and not update else 0


if __name__ == "__main__":
    sys.exit(main())

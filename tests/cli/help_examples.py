#!/usr/bin/env python3
"""help_examples.py STEPSIM ROOT: every command's help has two examples, which work on the repository's sample, and no
line of any help is longer than 100 columns; every word that help lists is explained."""
import shlex
import subprocess
import sys

STEPSIM, ROOT = sys.argv[1], sys.argv[2]
failures = []


def check(holds, what):
    print(f"{'ok' if holds else 'FAILED'} {what}")
    if not holds:
        failures.append(what)


def run(*arguments):
    return subprocess.run([STEPSIM, *arguments], cwd=ROOT, capture_output=True, text=True)


def words_of(text, title):
    """The first words of a list below `title`."""
    lines = text.split(title + "\n")[1].split("\n\n")[0].splitlines()
    return [line[2:].split("  ")[0].strip() for line in lines if line.startswith("  ") and line[2] != " "]


def check_help(*arguments):
    help_text = run(*arguments)
    name = "stepsim " + " ".join(arguments)
    check(help_text.returncode == 0 and help_text.stdout, name)
    widest = max(map(len, help_text.stdout.splitlines()), default=0)
    check(widest <= 100, f"{name}: the longest line has {widest} columns")
    return help_text.stdout


overview = check_help("--help")
check(run("help").stdout == overview, "help is --help")
for command in words_of(overview, "Commands:"):
    text = check_help(command, "--help")
    examples = [line.strip() for line in text.partition("\nExamples:\n")[2].splitlines()]
    check(len(examples) == 2, f"{command} has two examples")
    for example in examples:
        words = shlex.split(example)
        answer = run(*words[1:])
        check(words[0] == "stepsim" and words[1] == command and answer.returncode == 0 and answer.stdout,
              f"{example}: {answer.stderr}")
for kind in words_of(overview, "Kinds of words:"):
    listed = check_help("help", kind)
    for word in words_of(listed, listed.splitlines()[0] + "\n"):
        explained = check_help("help", word)
        check(word in explained, f"{word} is explained")
check("compute{}" in run("whatif", "--help").stdout, "help says which what-ifs take a selection")
wrong = run("help", "bandwith")
check(wrong.returncode == 2 and "bandwidth" in wrong.stderr, f"a near word is offered: {wrong.stderr}")
check("network.bandwidth" in run("help", "BANDWIDTH").stdout, "whatever the case, and by its short name")
sys.exit(1 if failures else 0)

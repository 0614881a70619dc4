#!/usr/bin/env python3
"""help_examples.py STEPSIM ROOT: every command's help has two examples, which work on the repository's sample, and no
help line is longer than 100 columns. Every word that help lists is explained."""
import shlex
import sys

from checks import check, stepsim, verdict

ROOT = sys.argv[2]


def run(*arguments):
    return stepsim(*arguments, cwd=ROOT, text=True)


def words_of(text, title):
    """Returns the first words of the list below `title`."""
    lines = text.split(title + "\n")[1].split("\n\n")[0].splitlines()
    return [line[2:].split("  ")[0].strip() for line in lines if line.startswith("  ") and line[2] != " "]


def check_help(*arguments):
    help_text = run(*arguments)
    name = "stepsim " + " ".join(arguments)
    check(name, help_text.returncode == 0 and help_text.stdout)
    widest = max(map(len, help_text.stdout.splitlines()), default=0)
    check(f"{name}: the longest line has {widest} columns", widest <= 100)
    return help_text.stdout


overview = check_help("--help")
check("help is --help", run("help").stdout == overview)
for command in words_of(overview, "Commands:"):
    text = check_help(command, "--help")
    examples = [line.strip() for line in text.partition("\nExamples:\n")[2].split("\n\n")[0].splitlines()]
    check(f"{command} has two examples", len(examples) == 2)
    for example in examples:
        words = shlex.split(example)
        answer = run(*words[1:])
        check(f"{example}: {answer.stderr}", words[0] == "stepsim" and words[1] == command and answer.returncode == 0 and answer.stdout)
for kind in words_of(overview, "Help topics:"):
    listed = check_help("help", kind)
    for word in words_of(listed, listed.splitlines()[0] + "\n"):
        explained = check_help("help", word if word != "--json" else "json")  # `help --json` gives all topics as JSON
        check(f"{word} is explained", word in explained)
check("help says which what-ifs take a selection", "compute{}" in run("whatif", "--help").stdout)
wrong = run("help", "bandwith")
check(f"a near word is offered: {wrong.stderr}", wrong.returncode == 2 and "bandwidth" in wrong.stderr)
check("whatever the case, and by its short name", "network.bandwidth" in run("help", "BANDWIDTH").stdout)
sys.exit(verdict())

#!/usr/bin/env python3
"""What earlier runs of `./dev ci` on this machine have found, in the user's cache folder: commits that passed all
stages, and tests that passed only when they were run alone.

    cmake/history.py base   prints the commit that changes are measured against
"""
import os
import pathlib
import subprocess
import sys

FOLDER = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "stepsim-ci"
MOST_COMMITS = 20  # changes are measured against this many commits ago if no earlier one is known to have passed
RETRIED_WITHIN = 10  # commits


def git(*words):
    """Returns what git prints, or None if it fails."""
    done = subprocess.run(["git", *words], capture_output=True, text=True, cwd=pathlib.Path(__file__).parents[1])
    return done.stdout.strip() if done.returncode == 0 else None


def clean_commit():
    """Returns the commit that is checked out, or None if files differ from it."""
    return git("rev-parse", "HEAD") if git("status", "--porcelain") == "" else None


def lines(name):
    file = FOLDER / name
    return [line.split() for line in file.read_text().splitlines()] if file.exists() else []


def append(name, *words):
    FOLDER.mkdir(parents=True, exist_ok=True)
    with open(FOLDER / name, "a") as file:
        file.write(" ".join(words) + "\n")


def commits_since(commit):
    """Returns how many commits lead from `commit` to the current one, or None if none do."""
    if git("merge-base", "--is-ancestor", commit, "HEAD") is None:
        return None
    return int(git("rev-list", "--count", f"{commit}..HEAD"))


def record_passed(commit):
    if commit:
        append("passed", commit)


def last_passed():
    """Returns the last commit that passed, among this one and its ancestors, or None if none is known."""
    passed = {commit: commits_since(commit) for commit, in lines("passed")}
    known = [commit for commit, distance in passed.items() if distance is not None]
    return min(known, key=passed.get) if known else None


def base():
    """Returns last_passed(), or else the commit of MOST_COMMITS ago, or the first."""
    return last_passed() or git("rev-parse", "--verify", "--quiet", f"HEAD~{MOST_COMMITS}") or git("rev-list", "--max-parents=0", "HEAD").split()[-1]


def changed_files():
    """Returns the files that differ from last_passed(), committed or not, or None if no commit is known to have passed."""
    passed = last_passed()
    if passed is None:
        return None
    return git("diff", "--name-only", passed).split() + git("ls-files", "--others", "--exclude-standard").split()


def changed(*patterns):
    """Whether a file that matches a pattern of git differs from base(), committed or not."""
    return git("diff", "--quiet", base(), "--", *(f":(top){pattern}" for pattern in patterns)) is None


def retried_lately(test):
    """Whether the test has already passed only alone in the last RETRIED_WITHIN commits."""
    return any(name == test and (distance := commits_since(commit)) is not None and distance < RETRIED_WITHIN
               for commit, name in lines("passed-alone"))


def record_passed_alone(test):
    append("passed-alone", git("rev-parse", "HEAD") or "unknown", test)


if __name__ == "__main__":
    if sys.argv[1:] != ["base"]:
        sys.exit(__doc__)
    print(base())

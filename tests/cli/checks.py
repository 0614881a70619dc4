"""What the scripts of this folder check with. A check that fails is printed and counted, and the script goes on."""

failures = []


def check(what, condition, detail=""):
    if not condition:
        failures.append(what)
        print(f"FAILED {what}: {detail}")


def one_line(run, code=1):
    """Whether a run ended with this code and one line of error, and printed nothing else."""
    return run.returncode == code and run.stderr.startswith(b"error: ") and run.stderr.count(b"\n") == 1 and not run.stdout


def verdict():
    """The exit status of the script."""
    print(f"{len(failures)} failed")
    return 1 if failures else 0

"""Helpers of the Python tests: they run stepsim, which is the test's first argument, and check the results. A check
that fails is printed and counted, and the script continues."""
import json
import os
import subprocess
import sys

STEPSIM = os.path.abspath(sys.argv[1])
SHARED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../shared/traces")  # docs/internals/test-data.md
NIGHTLY = os.environ.get("STEPSIM_NIGHTLY") == "1"  # `./dev nightly`: tests take all of their samples

failures = []


def check(what, condition, detail=""):
    if not condition:
        failures.append(what)
        print(f"FAILED {what}: {detail}")


def one_line(run, code=1):
    """Whether a run ended with this code and a single error line, and printed nothing else."""
    whole = run.stderr.startswith(b"error: ") and run.stderr.endswith(b"\n") and run.stderr.count(b"\n") == 1
    return run.returncode == code and whole and not run.stdout


def verdict():
    """Prints the number of failed checks and returns the exit status of the script."""
    print(f"{len(failures)} failed")
    return 1 if failures else 0


def run(*command, **more):
    """Runs a command to its end, for at most 200 s, without input. Output is bytes. `more` is passed to subprocess."""
    stdin = {} if "input" in more else {"stdin": subprocess.DEVNULL}
    return subprocess.run(command, **{**stdin, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "timeout": 200, **more})


def stepsim(*arguments, **more):
    return run(STEPSIM, *arguments, **more)


def quietly(*arguments, **more):
    return stepsim(*arguments, "--quiet", **more)


def extensions_in_help(command):
    """Returns the extensions of -o that `command --help` lists: ["json", "trace.json", ...]."""
    text = stepsim(command, "--help").stdout.decode()
    listed = text.split("in the form of its extension: ")[1].split("\n\n")[0]
    return [word.strip()[1:] for word in " ".join(listed.split()).split(",")]


def start(*arguments, **more):
    """Starts stepsim with pipes to its output, and does not wait for it."""
    return subprocess.Popen([STEPSIM, *arguments], **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **more})


def answer(*arguments, code=0, **more):
    """Returns stepsim's answer with --json. If it prints nothing, fails a check and returns {}."""
    done = quietly(*arguments, "--json", **more)
    check(" ".join(arguments), done.returncode == code, (done.returncode, done.stderr))
    return json.loads(done.stdout or "{}")


def read(path):
    with open(path, "rb") as file:
        return file.read()


def write(folder, name, content):
    """Writes text or bytes to a file, and creates its folders. Returns the path."""
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(content if isinstance(content, bytes) else content.encode())
    return path

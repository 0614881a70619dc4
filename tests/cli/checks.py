"""Helpers of the Python tests: they run stepsim, which is the test's first argument, and check the results. A check
that fails is printed and counted, and the script continues."""
import json
import os
import random
import resource
import signal
import subprocess
import sys
import time

STEPSIM = os.path.abspath(sys.argv[1])
SHARED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../shared/traces")  # docs/internals/test-data.md
NIGHTLY = os.environ.get("STEPSIM_NIGHTLY") == "1"  # `./dev nightly`: tests take all of their samples
CPU_SECONDS = 100  # of processor time, which does not depend on how busy the machine is; then a process gets SIGXCPU
# mpirun refuses root and more processes than cores unless it is told otherwise.
MPI = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1"}
HANGS = 3000  # seconds after which a command that waits forever is killed

failures = []


def within(seconds):
    """Returns a preexec_fn that limits a process and its children to `seconds` of processor time each."""
    return lambda: resource.setrlimit(resource.RLIMIT_CPU, (seconds, resource.getrlimit(resource.RLIMIT_CPU)[1]))


# Children inherit the limit, but not the handler, with which the script itself may take longer.
within(CPU_SECONDS)()
signal.signal(signal.SIGXCPU, lambda *_: None)
# A shell's background job ignores these, and its children would as well.
for number in (signal.SIGINT, signal.SIGQUIT):
    if signal.getsignal(number) == signal.SIG_IGN:
        signal.signal(number, signal.SIG_DFL)


def dice():
    """Returns a random.Random, and prints its seed: STEPSIM_TEST_SEED, or in nightly tests the time, or else the
    commit, so that a commit always gets the same answer."""
    seed = os.environ.get("STEPSIM_TEST_SEED")
    if seed is None and NIGHTLY:
        seed = str(time.time_ns())
    if seed is None:
        commit = run("sh", "-c", "git rev-parse HEAD", cwd=os.path.dirname(os.path.abspath(__file__)))
        seed = commit.stdout.decode().strip() or "unknown"
    print(f"STEPSIM_TEST_SEED={seed}", flush=True)
    return random.Random(seed)


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
    """Runs a command to its end, without input. Output is bytes. `more` is passed to subprocess."""
    stdin = {} if "input" in more else {"stdin": subprocess.DEVNULL}
    return subprocess.run(command, **{**stdin, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "timeout": HANGS, **more})


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


def wait_until(condition, child):
    """Waits until the condition holds. Returns False if the child ended before that."""
    while not condition():
        if child.poll() is not None:
            return condition()
        time.sleep(0.001)
    return True


def has_open(child, path):
    """Whether the child has the file open."""
    fds = f"/proc/{child.pid}/fd"
    try:
        return any(os.readlink(os.path.join(fds, fd)) == path for fd in os.listdir(fds))
    except OSError:
        return False


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

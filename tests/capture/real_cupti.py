#!/usr/bin/env python3
"""real_cupti.py STEPSIM: `stepsim capture` of many kinds of programs with NVIDIA's own driver library and CUPTI, which
need no GPU: cuInit() loads the capture module even where it finds no device. Each program must end as it does without
capture, with the same output and files, and the capture must say in one sentence what happened.

The libraries are looked for in the folders of STEPSIM_NVIDIA_LIBRARIES (separated by ":") and in the usual ones. Debian
has them as libcuda1, libcupti11.8 (component non-free)."""
import glob
import os
import re
import shutil
import subprocess
import sys

from captures import answer, folder, run_with, work
from checks import STEPSIM, check, verdict

USUAL = ["/usr/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu/nvidia/current", "/usr/local/cuda*/lib64", "/usr/local/cuda*/lib",
         "/usr/local/cuda*/extras/CUPTI/lib64"]


def libraries(name):
    """Returns the files of this name, a library that is a link to another only once."""
    places = os.environ.get("STEPSIM_NVIDIA_LIBRARIES", "").split(":") + USUAL
    found = [path for place in places if place for path in sorted(glob.glob(os.path.join(place, name)))]
    return list({os.path.realpath(path): path for path in found}.values())


drivers, cuptis = libraries("libcuda.so.1"), libraries("libcupti.so.1[0-9]*")
for what, found in (("libcuda.so.1", drivers), ("libcupti.so", cuptis)):
    if not found:
        sys.exit(print(f"skipped: {what} is absent"))

INIT = "import ctypes, os, sys; driver = ctypes.CDLL('libcuda.so.1'); print('cuInit', driver.cuInit(0), flush=True); "
SAY = "open('result.txt', 'a').write('done\\n'); print('trained'); "
PYTHON = "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else sys.executable


def python(text):
    return [PYTHON, "-c", INIT + text]


PROGRAMS = {
    "returns a code": python(SAY + "sys.exit(7)"),
    "_exit": python(SAY + "sys.stdout.flush(); os._exit(7)"),
    "is killed": python(SAY + "sys.stdout.flush(); os.kill(os.getpid(), 9)"),
    "segfaults": python(SAY + "sys.stdout.flush(); ctypes.string_at(0)"),
    "aborts": python(SAY + "sys.stdout.flush(); os.abort()"),
    "raises": python("raise SystemExit('it failed')"),
    "handles a signal": python("import signal; signal.signal(signal.SIGUSR1, lambda *_: print('signal')); os.kill(os.getpid(), signal.SIGUSR1); " + SAY),
    "forks": python("pid = os.fork(); print(pid == 0, flush=True) if pid == 0 else os.waitpid(pid, 0); " + SAY),
    "forks before CUDA": [PYTHON, "-c", "import os\nif os.fork() == 0:\n  os._exit(0)\nos.wait()\n" + INIT + SAY],
    "spawns a process": python("import subprocess; subprocess.run(['sh', '-c', 'echo child']); " + SAY),
    "starts processes of Python": [PYTHON, "-c", "import multiprocessing as m\n" + INIT + "\np = m.get_context('spawn').Process(target=print, args=('spawned',)); p.start(); p.join()"],
    "becomes another program": python("os.execvp('echo', ['echo', 'another'])"),
    "is a shell pipeline": ["sh", "-c", f"{PYTHON} -c \"{INIT}\" | tr a-z A-Z; exit 3"],
    "has a closed standard output": ["sh", "-c", f"exec >&-; {PYTHON} -c \"import ctypes; ctypes.CDLL('libcuda.so.1').cuInit(0); open('result.txt', 'w').write('x')\""],
    "closes all descriptors": python("os.closerange(3, 4096); f = open('own.txt', 'w'); f.write('mine\\n'); f.close()"),
    "is a daemon": python("sys.stdout.flush()\nif os.fork():\n  os.wait()\n  os._exit(0)\nos.setsid(); os.closerange(0, 4096); os.open('own.txt', os.O_CREAT | os.O_WRONLY); os.write(0, b'mine'); os._exit(0)"),
    "runs out of memory": ["sh", "-c", f"ulimit -v 4000000; exec {PYTHON} -c \"{INIT}x = bytearray(10**11)\""],
    "has many threads": python("import threading; t = [threading.Thread(target=driver.cuInit, args=(0,)) for _ in range(64)]; [x.start() for x in t]; [x.join() for x in t]; " + SAY),
    "closes the driver": python("import _ctypes; _ctypes.dlclose(driver._handle); " + SAY),
    "changes its folder": python("os.mkdir('inner'); os.chdir('inner'); " + SAY),
    "uses PyTorch on the CPU": [PYTHON, "-c", "import torch, ctypes; " + INIT + "print(float((torch.ones(8, 8) @ torch.ones(8, 8)).sum()))"],
}
if os.geteuid() == 0:
    PROGRAMS["drops its privileges"] = python("os.setgid(65534); os.setuid(65534); print(os.getuid())")
if shutil.which("mpirun"):
    PROGRAMS["is a job of MPI"] = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "2", PYTHON, "-c", INIT.replace("print", "'%s' % ") + "print('rank')"]
if subprocess.run([PYTHON, "-c", "import torch"], capture_output=True).returncode != 0:
    del PROGRAMS["uses PyTorch on the CPU"]


def files(place):
    return {name: open(os.path.join(place, name), "rb").read() for name in os.listdir(place) if os.path.isfile(os.path.join(place, name))}


def run_in_new_folder(variables, *command):
    place = folder()
    os.mkdir(place)
    os.chmod(place, 0o777)
    result = run_with(variables, *command, cwd=place)
    return result, files(place)


def without_addresses(text):
    return re.sub(r"0x[0-9a-f]+|\d{3,}", "N", text)


os.chmod(work.name, 0o755)
sentences = 0
for cupti in cuptis:
    for loaded_first in (False, True):
        driver_first = os.path.dirname(drivers[0])
        variables = {"LD_LIBRARY_PATH": f"{driver_first}:{os.path.dirname(cupti)}"}
        if loaded_first:
            variables["LD_PRELOAD"] = cupti
        here = f"{os.path.basename(cupti)}{', loaded first' if loaded_first else ''}"
        for name, program in PROGRAMS.items() if not loaded_first else list(PROGRAMS.items())[:3]:
            alone, own_files = run_in_new_folder(variables, *program)
            traces = folder()
            result, captured_files = run_in_new_folder(variables, STEPSIM, "capture", "--dir", traces, "--", *program)
            check(f"{here}: a program that {name} ends the same", (result.returncode, result.stdout) == (alone.returncode, alone.stdout), (alone, result))
            check(f"{here}: and leaves the same files: {name}", captured_files == own_files, (own_files, captured_files))
            theirs = without_addresses(alone.stderr)
            kept = "".join(line for line in without_addresses(result.stderr).splitlines(True) if not line.startswith("stepsim: "))
            check(f"{here}: and writes the same errors: {name}", kept == theirs or "mpirun" in program[0], (theirs, kept))
            # The sentence: without a GPU why nothing is recorded; it names the library that was tried.
            warnings = {line for line in result.stderr.splitlines() if line.startswith("stepsim: warning: ")}
            if not glob.glob("/dev/nvidia[0-9]*") and os.path.isdir(traces) and os.listdir(traces) and name != "is killed":
                one = len({re.sub(r"\(.*", "", line) for line in warnings}) == 1
                check(f"{here}: one clear sentence: {name}", one and "no NVIDIA GPU is visible to this process (" in next(iter(warnings), "")
                      and re.search(re.escape(os.path.basename(cupti).split(".so")[0]) + r"\.so[.0-9]* \(interface version \d+\): CUPTI_ERROR_", next(iter(warnings), "")), result.stderr)
                sentences += 1
                refused = answer("replay", traces).get("failed", "")
                check(f"{here}: the same in the file: {name}", "nothing was recorded: CUPTI does not work" in refused, refused)
print(f"{len(PROGRAMS)} kinds of programs, {len(cuptis)} libraries of CUPTI, {sentences} sentences compared")
sys.exit(verdict())

"""verbose.py STEPSIM SAMPLE: -v prints the time of each stage on standard error, and changes nothing else."""
import re
import sys
import tempfile

from checks import check, quietly, verdict

SAMPLE = sys.argv[2]
UNITS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}
LINE = re.compile(r"(\S.*?) +([\d,.]+) (ns|us|ms|s) +processor +([\d,.]+) (ns|us|ms|s)")

LOADED = ["starting", "reading", "stitching", "building the graph"]
COMMANDS = {
    ("replay",): [*LOADED, "preparing", "replaying", "testing", "analysing", "writing"],
    ("critical-path",): [*LOADED, "preparing", "replaying", "analysing", "writing"],
    ("stats",): [*LOADED, "analysing", "writing"],
    ("check",): [*LOADED, "writing"],
    ("calibrate",): [*LOADED, "writing"],
    ("whatif", "--set", "network.bandwidth=2x"): [*LOADED, "preparing", "calibrating", "predicting", "analysing", "writing"],
    ("sweep", "--set", "network.bandwidth=1x,2x"): [*LOADED, "preparing", "calibrating", "sweeping", "writing"],
    ("compare", SAMPLE): [*LOADED, "replaying", "writing"],
}

for (command, *options), expected in COMMANDS.items():
    with tempfile.TemporaryDirectory() as folder:
        for form in (["--json"], [], ["-o", f"{folder}/out.csv"]):
            plain = quietly(command, SAMPLE, *options, *form)
            files = open(f"{folder}/out.csv", "rb").read() if "-o" in form else b""
            for flag in ("-v", "--verbose"):
                run = quietly(command, flag, SAMPLE, *options, *form)
                what = f"{command} {form} {flag}"
                check(f"{what}: the same answer", (run.stdout, run.returncode) == (plain.stdout, 0) and not plain.stderr, (run.stderr, plain.stderr))
                check(f"{what}: the same file", "-o" not in form or open(f"{folder}/out.csv", "rb").read() == files)
                found = [LINE.fullmatch(line) for line in run.stderr.decode().splitlines()]
                check(f"{what}: a line per stage", found and all(found), run.stderr)
                if found and all(found):
                    names = [line[1] for line in found]
                    check(f"{what}: each stage once", len(set(names)) == len(names) and set(expected) <= set(names), names)
                    check(f"{what}: in order", [name for name in names if name in expected] == expected and names[-1] == "total", names)
                    for value, unit in ((2, 3), (4, 5)):
                        times = [float(line[value].replace(",", "")) * UNITS[line[unit]] for line in found]
                        # Each is printed with four digits.
                        check(f"{what}: they sum to the total", abs(sum(times[:-1]) - times[-1]) <= 2e-3 * times[-1] + 10, times)

sys.exit(verdict())

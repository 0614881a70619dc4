#!/usr/bin/env python3
"""plan.py STEPSIM SAMPLE: the best plans are those of a sweep over the same points; a search that is killed or
interrupted goes on; what is wrong is named."""
import json
import math
import os
import signal
import sys
import tempfile

from checks import answer, check, one_line, quietly, read, start, verdict, wait_until, write

SAMPLE = os.path.abspath(sys.argv[2])
QUESTION = ["plan", SAMPLE, "--devices", "16", "--global-batch", "16", "--set", "cluster.nic=25Gb/s", "--set", "parallel.zero=0", "--set", "parallel.recompute=none",
            "--set", "parallel.sequence=false"]
FIXED = {"cluster.gpus_per_host": "8", "cluster.nic": "25Gb/s"}


def stored(folder, name):
    """Returns the complete lines of a file of simulated plans."""
    return [json.loads(line) for line in read(os.path.join(folder, name)).split(b"\n")[:-1]]


def same_as_a_sweep(folder):
    """The list of all plans is in the file of --resume; a sweep predicts them all."""
    best = answer(*QUESTION, "--front", "--resume", "plans", cwd=folder)
    lines = stored(folder, "plans")
    points = [dict(zip(line["values"][::2], line["values"][1::2])) for line in lines if line["line"] == "listed"]
    write(folder, "all.yaml", "sweep:\n" + "".join(f"  - {json.dumps({**point, **FIXED})}\n" for point in points))
    swept = answer("sweep", SAMPLE, "-s", "all.yaml", cwd=folder)["points"]
    first = {}  # of the plans that differ only in the size of their buckets
    for step, number in sorted((point["iteration_ns"], number) for number, point in enumerate(swept)):
        first.setdefault(str({key: value for key, value in points[number].items() if key != "comm.bucket_bytes"}), (step, number))
    order = sorted(first.values())[:10]
    found = [(plan["iteration_ns"], points.index(plan["set"])) for plan in best["plans"]]
    check("the best plans of the sweep", found == order, (found, order))
    ranges = [[swept[number][key] for key in ("low_ns", "high_ns")] for _, number in order]
    check("and their ranges", ranges == [[plan["low_ns"], plan["high_ns"]] for plan in best["plans"]], ranges)
    steps = [int(math.log(point["memory"]["peak_bytes"]) / math.log(1.25)) for point in swept]
    unbeaten = [number for number, point in enumerate(swept)
                if not any(n != number and steps[n] <= steps[number] and other["iteration_ns"] <= point["iteration_ns"] and
                           ((steps[n], other["iteration_ns"]) != (steps[number], point["iteration_ns"]) or n < number) for n, other in enumerate(swept))]
    check("the front of the sweep", sorted(points.index(plan["set"]) for plan in best["front"]) == unbeaten and len(unbeaten) > 2, unbeaten)
    tried = best["tried"]
    check("all plans are counted", tried["plans"] == len(points) == sum(tried.values()) - tried["plans"], tried)
    check("some are not simulated", 0 < tried["simulated"] < len(points) and len(points) > 150, tried)
    simulated = [line for line in lines if line["line"] == "point"]
    check("the simulated ones are stored", len(simulated) == tried["simulated"], len(simulated))


def killed_and_resumed(folder):
    """A search is stopped when it has stored its first plans, so that it is killed before its end on any machine."""
    quietly(*QUESTION, "-o", "whole.json", cwd=folder)
    for number in (signal.SIGKILL, signal.SIGINT):
        child = start(*QUESTION, "--threads", "1", "--quiet", "-o", "out.json", cwd=folder)
        wait_until(lambda: os.path.exists(os.path.join(folder, "out.json.points")) and b'"line":"point"' in read(os.path.join(folder, "out.json.points")), child)
        child.send_signal(signal.SIGSTOP)
        check("a search that is stopped in its middle", child.poll() is None and not os.path.exists(os.path.join(folder, "out.json")))
        child.send_signal(number)
        child.send_signal(signal.SIGCONT)
        _, err = child.communicate()
        if number == signal.SIGINT:
            check("an interrupted search says how to go on", child.returncode == 130 and err.startswith(b"error: interrupted; ") and b"--resume" in err, (child.returncode, err))
        before = len([line for line in stored(folder, "out.json.points") if line["line"] == "point"])
        run = quietly(*QUESTION, "-o", "out.json", cwd=folder)
        check("plans are not overwritten silently", one_line(run) and b"--resume" in run.stderr, run.stderr)
        run = quietly(*QUESTION, "-o", "out.json", "--resume", cwd=folder)
        check(f"it goes on after {before} plans", run.returncode == 0 and before > 0, run.stderr)
        check("with the same result", read(os.path.join(folder, "out.json")) == read(os.path.join(folder, "whole.json")))
        check("and leaves nothing else", not os.path.exists(os.path.join(folder, "out.json.points")))
        os.remove(os.path.join(folder, "out.json"))


def wrong_questions(folder):
    for arguments, words in ((["--devices", "64"], "cluster.nic=400Gb/s"), ([], "--devices 64"), (["--devices", "0"], "from 1 to"),
                             (["--devices", "8", "--set", "batch.scale=2"], "--global-batch"), (["--devices", "8", "--global-batch", "-3"], "number of samples"),
                             (["--devices", "8", "--device", "H1000"], "did you mean"), (["--devices", "8", "--resume"], "-o FILE")):
        run = quietly("plan", SAMPLE, *arguments, cwd=folder)
        check(f"{arguments}", one_line(run, 2) and words in run.stderr.decode(), run.stderr)
    run = quietly("plan", os.path.join(os.path.dirname(SAMPLE), "pytorch-ddp"), "--devices", "8", cwd=folder)
    check("a job of several ranks", one_line(run, 5), run)


def forms(folder):
    best = answer(*QUESTION, cwd=folder)
    text = quietly(*QUESTION, cwd=folder).stdout.decode()
    first = ", ".join(f"{key}={value}" for key, value in best["best"]["set"].items())
    check("the first sentence has the best plan", text.startswith(f"Best plan for 16 devices: {first}: step time "), text[:200])
    rows = quietly(*QUESTION, "-o", "-.csv", cwd=folder).stdout.decode().splitlines()
    check("a row for each of the best", len(rows) == 1 + len(best["plans"]) and f",{best['best']['iteration_ns']}," in rows[1], rows[:2])
    several = answer("plan", SAMPLE, "--devices", "4,8", "--set", "parallel.tensor=1,2", cwd=folder)
    check("the best of each number of devices", [plan["devices"] for plan in several["by_devices"]] == [4, 8])
    check("only the wanted values", {plan["set"]["parallel.tensor"] for plan in several["plans"]} <= {"1", "2"})
    for plan in best["plans"]:
        check("the parts of a step sum to it", sum(plan["parts"].values()) == plan["iteration_ns"], plan)


with tempfile.TemporaryDirectory() as place:
    same_as_a_sweep(place)
    killed_and_resumed(place)
    wrong_questions(place)
    forms(place)
sys.exit(verdict())

#!/usr/bin/env python3
"""answers_of_captures.py STEPSIM: what every answer about a real capture owes its reader, whatever the capture. Captures are taken
from beside the checkout, where they are.

anchored  the baseline of a prediction is the measured iteration: within 5 %, or the range of a neutral question holds the measured one
one       whatif, sweep and advise give the same baseline, the same measured iteration and the same error
trusted   where the captured steps contradict the repetition of one, check finds it and the what-if says so
shapes    where batch.scale is refused for lack of shapes, check finds it
tested    check says that the graph is not tested where the replay tested nothing, and only there
classes   as many tasks of a class, of the same time, in a what-if of the device as 'tasks' counts and a selection takes
damaged   a capture that is cut says so in the first lines; what it still answers is right, and the rest is refused
unlike    a gate does not judge what does not compare"""
import glob
import gzip
import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "cli"))
from checks import SHARED, check, quietly, verdict, write  # noqa: E402

NEUTRAL = "compute.scale=1"
MOST_FOR_ADVISE = 2_000_000  # bytes: it predicts some twenty changes


def answer(*arguments):
    """The JSON of an answer; None where the question is refused with a sentence."""
    run = quietly(*arguments, "--json")
    check(f"{arguments}: exit code", run.returncode in (0, 1, 2, 5), run)
    return json.loads(run.stdout) if run.stdout else None


def judge(name, path):
    whole = answer("whatif", path, "--set", NEUTRAL)
    if whole is None:
        return
    measured, predicted = whole["measured"].get("iteration_ns"), whole["baseline"]["iteration_ns"]
    if measured:
        low, high = whole["scenario"]["low_ns"], whole["scenario"]["high_ns"]
        check(f"{name} is anchored", abs(predicted / measured - 1) <= 0.05 or low <= measured <= high, (measured, predicted, low, high))
    first = {"iteration_ns": predicted, "measured_ns": measured, "error": whole["baseline"].get("error")}
    size = sum(os.path.getsize(file) for file in ([path] if os.path.isfile(path) else glob.glob(path + "/*")))
    for question in [("sweep", path, "--set", NEUTRAL)] + ([("advise", path)] if size < MOST_FOR_ADVISE else []):
        other = answer(*question)
        if other is not None:
            found = {key: other["baseline"].get(key) for key in first}
            check(f"{name}: {question[0]} has the baseline of whatif", found == first, (found, first))
    contradicted = any("until it is steady" in sentence for sentence in whole["assumptions"])
    judged = answer("check", path)
    findings = {finding["name"] for finding in judged["findings"]}
    found = "repetition_contradicted" in findings
    check(f"{name}: check and whatif agree on whether the steps repeat", found == contradicted, (found, contradicted))
    refused = b"does not show the shapes of operators" in quietly("whatif", path, "--set", "batch.scale=2").stderr
    check(f"{name}: check lacks shapes where batch.scale does", not refused or "no_shapes" in findings, findings)
    untested = [finding["name"] for finding in judged["findings"] if "not tested" in finding["effect"]]
    check(f"{name}: check says untested where nothing was", not untested or judged["replay"].get("test_error") is None, (untested, judged["replay"]))
    shares = (answer("whatif", path, "--set", "device.to=H100") or {}).get("device_work", [])
    if shares:
        classes = {row["name"]: (row["tasks"], row["total_ns"]) for row in answer("tasks", path)["classes"]}
        found = {one["name"]: (one["pieces"], one["before_ns"]) for one in shares[0]["classes"]}
        check(f"{name}: classes of device work are those of tasks", all(classes.get(key) == value for key, value in found.items()), (found, classes))
    check(f"{name}: it is whole", "lost_kernels" not in findings, findings)


def cut(path, share, folder):
    """The first part of a capture's text, as a profiler leaves it that was killed."""
    with gzip.open(path) as file:
        text = file.read()
    return write(folder, f"cut-{share}-{os.path.basename(path)[:-3]}", text[: int(share * len(text))])


def iterations(path, change):
    """The iteration and that under a change, as the first answers would give them; None where they are refused."""
    found = answer("whatif", path, "--set", change)
    return found and (found["baseline"]["iteration_ns"], found["scenario"]["iteration_ns"])


def damaged():
    """A cut capture says so in the first lines of every command; what it still answers is what the whole one answers."""
    for name in ["ddp-a100-rank0of2", "ns-resolution-5steps", "v100-rank1of2-5steps"]:
        whole = os.path.join(SHARED, f"kineto/{name}.json.gz")
        if not os.path.exists(whole):
            continue
        expected = iterations(whole, "compute.scale=0.5")
        with tempfile.TemporaryDirectory() as folder:
            for share in [0.3, 0.7, 0.95]:
                path = cut(whole, share, folder)
                what = f"{share:.0%} of {name}"
                for command in ["replay", "critical-path", "tasks", "stats", "graph"]:
                    lines = quietly(command, path, *([] if command in ("tasks", "stats", "graph") else ["--brief"])).stdout.decode().splitlines()[:3]
                    check(f"{what}: {command} says that it is cut", any("truncated_file" in line for line in lines), lines)
                found = iterations(path, "compute.scale=0.5")
                lost = quietly("compare", whole, path, "--fail-above", "3%")
                if found is None:
                    check(f"{what}: what has no whole step is not judged", lost.returncode == 5, (lost.returncode, lost.stderr))
                else:
                    check(f"{what}: its whole steps answer as the whole capture", all(abs(a / b - 1) < 0.02 for a, b in zip(found, expected)), (found, expected))
                    check(f"{what}: so the gate passes, with a warning", lost.returncode == 0 and b"The capture is damaged" in lost.stdout[:200], (lost.returncode, lost.stdout[:300]))
                    text = quietly("whatif", path, "--set", "compute.scale=0.5", "--brief").stdout
                    check(f"{what}: whatif says so before its answer", text.startswith(b"The capture is damaged: it lost at least"), text)


def unlike():
    """A gate refuses to judge jobs of different kinds, and windows of different work."""
    pairs = [("kineto/diff-control-a100-rank3of8.json.gz", "kineto/diff-test-v100-rank1of2.json.gz", "A ran on"),
             ("fresh/nsys-dlprof/without.sqlite", "fresh/nsys-dlprof/with-relu.sqlite", "neither marks steps"),
             ("kineto/launches-no-kernels-a100.json.gz", "kineto/launches-no-kernels-a100.json.gz", "lacks its device work")]
    for a, b, why in pairs:
        a, b = os.path.join(SHARED, a), os.path.join(SHARED, b)
        if not os.path.exists(a):
            continue
        run = quietly("compare", a, b, "--fail-above", "3%")
        first = run.stdout.decode().splitlines()[0]
        check(f"{a} beside {b}", run.returncode == 5 and why in run.stderr.decode() and "The iterations do not compare" in first, (run.returncode, run.stderr, first))


def captures():
    """Files and folders of one job each, by name."""
    for folder in ["fresh/*", "kineto", "nsys", "other", "pytorch-cpu"]:
        for path in sorted(glob.glob(os.path.join(SHARED, folder, "*"))):
            if not path.endswith((".md", ".yaml", ".csv", ".txt")):
                yield os.path.relpath(path, SHARED), path


def main():
    count = 0
    for name, path in captures():
        judge(name, path)
        count += 1
    damaged()
    unlike()
    print(f"{count} captures are beside the checkout" if count else "no captures are beside the checkout: nothing was judged")
    return verdict()


if __name__ == "__main__":
    sys.exit(main())

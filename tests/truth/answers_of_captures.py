#!/usr/bin/env python3
"""answers_of_captures.py STEPSIM: properties that every answer about a real capture must have. The captures are in a
folder next to the checkout; those that are absent are skipped.

    anchored  the captured step, with the profiler's cost, is predicted within 5 %, or the range of a change with no
              effect contains it
    one       whatif, sweep and advise give the same baseline, the same measured iteration and the same error
    trusted   where one step repeated does not match the captured steps, check finds it and whatif reports it
    shapes    where batch.scale is refused because shapes are missing, check finds it
    tested    check reports an untested graph if, and only if, the replay tested nothing
    classes   a what-if of the device has as many tasks of a class, with the same time, as 'tasks' and a selection
    doubted   an answer names what check calls unreliable, and says it before its figures where that moves it
    neutral   a change without effect has no width
    farther   a larger change has no smaller error of the models
    judged    every answer has the verdict of check
    damaged   a truncated capture is reported in the first lines; it gives correct answers or refuses
    unlike    a gate refuses to compare jobs that are not comparable
    linear    with f times the bandwidth, communication takes at least 1 / f of its time; with 1 / f, at most f times"""
import glob
import gzip
import json
import math
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "cli"))
from checks import SHARED, check, quietly, verdict, write  # noqa: E402

NEUTRAL = "compute.scale=1"
# Findings whose effect a source of a range shows.
IN_RANGE = {"missing_ranks": "missing ranks", "no_shapes": "device", "unexplained_wait": "unexplained waits", "repetition_contradicted": "repetition", "replay_off": "model"}
MOST_FOR_ADVISE = 2_000_000  # bytes: advise makes some twenty predictions


def answer(*arguments):
    """The JSON of an answer; None if the question is refused with an error message."""
    run = quietly(*arguments, "--json")
    check(f"{arguments}: exit code", run.returncode in (0, 1, 2, 5), run)
    return json.loads(run.stdout) if run.stdout else None


def judge(name, path):
    whole = answer("whatif", path, "--set", NEUTRAL)
    if whole is None:
        return
    neutral(name, path)
    farther(name, path)
    judged = answer("check", path)
    verdicts = {"whatif": whole["capture"]["verdict"]}
    measured, predicted = whole["measured"].get("iteration_ns"), whole["baseline"]["iteration_ns"]
    if measured:
        recorded = whole["baseline"]["as_captured_ns"]
        low, high = (whole["scenario"][end] * recorded / predicted for end in ("low_ns", "high_ns"))
        check(f"{name} is anchored", abs(recorded / measured - 1) <= 0.05 or low <= measured <= high, (measured, recorded, low, high))
    first = {"iteration_ns": predicted, "as_captured_ns": whole["baseline"]["as_captured_ns"], "measured_ns": measured, "error": whole["baseline"].get("error")}
    size = sum(os.path.getsize(file) for file in ([path] if os.path.isfile(path) else glob.glob(path + "/*")))
    for question in [("sweep", path, "--set", NEUTRAL)] + ([("advise", path)] if size < MOST_FOR_ADVISE else []):
        other = answer(*question)
        if other is not None:
            verdicts[question[0]] = other["capture"]["verdict"]
            found = {key: other["baseline"].get(key) for key in first}
            check(f"{name}: {question[0]} has the baseline of whatif", found == first, (found, first))
    contradicted = any("until they are steady" in sentence for sentence in whole["assumptions"])
    verdicts.update((command, answer(command, path)["capture"]["verdict"]) for command in ("replay", "critical-path"))
    check(f"{name}: every answer has the verdict of check", set(verdicts.values()) == {judged["verdict"]}, (judged["verdict"], verdicts))
    findings = {finding["name"] for finding in judged["findings"]}
    found = "repetition_contradicted" in findings
    check(f"{name}: check and whatif agree on whether the steps repeat", found == contradicted, (found, contradicted))
    refused = b"without operator shapes" in quietly("whatif", path, "--set", "batch.scale=2").stderr
    check(f"{name}: check lacks shapes where batch.scale does", not refused or "no_shapes" in findings, findings)
    untested = [finding["name"] for finding in judged["findings"] if "not tested" in finding["effect"]]
    check(f"{name}: check says untested where nothing was", not untested or judged["replay"].get("test_error") is None, (untested, judged["replay"]))
    shares = doubted(name, path, judged).get("device_work", [])
    if shares:
        classes = {row["name"]: (row["tasks"], row["total_ns"]) for row in answer("tasks", path)["classes"]}
        found = {one["name"]: (one["pieces"], one["before_ns"]) for one in shares[0]["classes"]}
        check(f"{name}: classes of device work are those of tasks", all(classes.get(key) == value for key, value in found.items()), (found, classes))
    check(f"{name}: it is whole", "lost_kernels" not in findings, findings)


def width(of):
    """The width of a range, in logarithms."""
    return math.log(of["high_ns"] / of["low_ns"]) if of["low_ns"] > 0 else math.inf


def neutral(name, path):
    for change in (NEUTRAL, "host.scale=1", "network.bandwidth=1x", "batch.scale=1"):
        found = answer("whatif", path, "--set", change)
        if found is not None:
            ends = [found["scenario"][key] for key in ("change", "low_change", "high_change")]
            check(f"{name}: {change} has no width", ends == [0, 0, 0], ends)


def farther(name, path):
    before = None
    for factor in (1.1, 1.21, 1.4641):
        found = answer("whatif", path, "--set", f"compute.scale={factor}")
        if found is None:
            return
        change = abs(math.log1p(found["scenario"]["change"]))
        errors = {source["source"]: width(source) for source in found["scenario"]["interval"] if source["source"] in ("usual error", "extrapolation")}
        if before and change > before[0]:
            narrower = {key: (value, errors.get(key)) for key, value in before[1].items() if errors.get(key, 0) < value * (1 - 1e-3)}
            check(f"{name}: compute.scale={factor} has no smaller error of the models", not narrower, narrower)
        before = change, errors


def doubted(name, path, judged):
    """Returns the answer about another device; empty if it is refused."""
    about_device = {}
    for question, change in (("device", "device.to=H100"), ("network", "network.bandwidth=2x"), ("ranks", "straggler.factor=1.1"), ("host", "host.scale=0.9")):
        found = answer("whatif", path, "--set", change)
        if found is None:
            continue
        about_device = found if question == "device" else about_device
        expected = {finding["name"]: finding["cost"] for finding in judged["findings"]
                    if {question, "replay"} & set(finding["questions"]) and finding["cost"] in ("prevents", "weakens")}
        caution, named = found["capture"]["caution"], set(found["capture"]["findings"].split(", "))
        check(f"{name}: {change} names what check finds", expected.keys() <= named, (expected, named))
        moving = {source["source"] for source in found["scenario"]["interval"] if 2 * width(source) > width(found["scenario"])}
        moved = {one for one, cost in expected.items() if cost == "prevents" or IN_RANGE.get(one) in moving}
        told = {one for one in IN_RANGE if f"({one})" in caution}
        check(f"{name}: {change} warns of what moves it", all(one in caution for one in moved) and told <= moved, (moved, caution))
        if question == "ranks" and caution:
            lines = quietly("whatif", path, "--set", change, "--brief").stdout.decode().splitlines()
            check(f"{name}: the caution is in the first lines", caution in lines[1:3], lines[:4])
    return about_device


def cut(path, share, folder):
    """The first part of a capture's text, as a killed profiler leaves it."""
    with gzip.open(path) as file:
        text = file.read()
    return write(folder, f"cut-{share}-{os.path.basename(path)[:-3]}", text[: int(share * len(text))])


def iterations(path, change):
    """The iteration without and with a change, as whatif reports them; None if the question is refused."""
    found = answer("whatif", path, "--set", change)
    return found and (found["baseline"]["iteration_ns"], found["scenario"]["iteration_ns"])


def damaged():
    """Every command reports a truncated capture in its first lines. What it still answers equals the whole capture's
    answer."""
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
                lost = quietly("compare", whole, path, "--fail-above", "3%", "--allow-noise")
                if found is None:
                    check(f"{what}: what has no whole step is not judged", lost.returncode == 5, (lost.returncode, lost.stderr))
                else:
                    check(f"{what}: its whole steps answer as the whole capture", all(abs(a / b - 1) < 0.02 for a, b in zip(found, expected)), (found, expected))
                    check(f"{what}: so the gate passes, with a warning", lost.returncode == 0 and b"The capture is damaged" in lost.stdout[:200], (lost.returncode, lost.stdout[:300]))
                    text = quietly("whatif", path, "--set", "compute.scale=0.5", "--brief").stdout
                    check(f"{what}: whatif says so before its answer", text.startswith(b"The capture is damaged: it lost at least"), text)


def unlike():
    """A gate refuses to compare jobs of different kinds, and windows that contain different work."""
    pairs = [("kineto/diff-control-a100-rank3of8.json.gz", "kineto/diff-test-v100-rank1of2.json.gz", "A ran on"),
             ("fresh/nsys-dlprof/without.sqlite", "fresh/nsys-dlprof/with-relu.sqlite", "neither marks steps"),
             ("kineto/launches-no-kernels-a100.json.gz", "kineto/launches-no-kernels-a100.json.gz", "lacks its device work")]
    for a, b, why in pairs:
        a, b = os.path.join(SHARED, a), os.path.join(SHARED, b)
        if not os.path.exists(a):
            continue
        run = quietly("compare", a, b, "--fail-above", "3%")
        first = run.stdout.decode().splitlines()[0]
        check(f"{a} beside {b}", run.returncode == 5 and why in run.stderr.decode() and "The step times do not compare" in first, (run.returncode, run.stderr, first))


def linear():
    """Links of another bandwidth change communication by at most as much. Parameter servers are left out: there, pushes
    and pulls of a faster network overlap differently, also in measured steps (docs/internals/models.md)."""
    small = [os.path.join(SHARED, "..", folder) for folder in ("findings/ingest/*", "findings/captures/*", "truth/ddp/*/base", "truth/fsdp/*/base")]
    for name, path in [*captures(), *((path, path) for folder in small for path in sorted(glob.glob(folder)))]:
        for factor in (0.25, 10):
            found = answer("whatif", path, "--set", f"network.bandwidth={factor}x")
            if found is None:
                break
            before, after = (found[side]["breakdown"]["communication_ns"] for side in ("baseline", "scenario"))
            holds = after * factor >= 0.98 * before if factor > 1 else after * factor <= 1.02 * before
            check(f"{name}: {factor} times the bandwidth changes communication by at most this factor", holds or before < 1000, (before, after))


def captures():
    """Files and folders that contain one job each, by name."""
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
    linear()
    print(f"{count} captures are beside the checkout" if count else "no captures are beside the checkout: nothing was judged")
    return verdict()


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""production.py STEPSIM: two production jobs (64 and 128 GPUs) from their tables of operations. Compares the steps, the
step without stragglers, and the slowest data-parallel rank and stage of each step with the results that the jobs'
owners published (../shared/truth/cluster/production)."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "cli"))
from checks import SHARED, check, quietly, verdict  # noqa: E402

JOBS = os.path.join(os.path.dirname(SHARED), "truth/cluster/production")


NEARLY_EQUAL = 0.005  # slowdowns that differ by less cannot be told apart: ours are up to 0.6 % from the published ones


def compare(name):
    table = os.path.join(JOBS, f"trace-{name}.csv.gz")
    run = quietly("replay", table, "--slow-ranks", "--json")
    check(f"{name} is answered", run.returncode == 0, run)
    if run.returncode != 0:
        return
    answer = json.loads(run.stdout)
    with open(os.path.join(JOBS, f"result-{name}.json"), encoding="utf-8") as file:
        published = json.load(file)
    measured = {int(step): 1e9 * seconds for step, seconds in published["step_t_base"].items()}
    replayed = {}
    for step in answer["steps"]:
        replayed[step["step"]] = max(replayed.get(step["step"], 0), step["replayed_ns"])
    errors = [abs(replayed[step] / measured[step] - 1) for step in measured]
    check(f"{name}: every step is replayed as measured", max(errors) < 0.001, max(errors))
    steps = {step["step"]: step for step in answer["slow_ranks"]["steps"]}
    check(f"{name}: all steps", sorted(steps) == sorted(measured), sorted(steps))
    for part, by in (("data_rank", "dp_rank"), ("stage", "stage")):
        worst = published[f"blocking_decompose_by_{by}_per_step"]
        behind = {step: 1 - worst[str(step)][str(steps[step][part])] / max(worst[str(step)].values()) for step in steps}
        same = [step for step in steps if behind[step] == 0]
        ratios = [steps[step][f"{part}_slowdown"] / max(worst[str(step)].values()) - 1 for step in steps]
        mean = sum(map(abs, ratios)) / len(ratios)
        print(f"{name}: the slowest {by} is the published one in {len(same)} of {len(steps)} steps, "
              f"its slowdown {100 * mean:.2f} % off on average, {100 * max(map(abs, ratios)):.2f} % at most")
        check(f"{name}: the slowest {by} of every step", max(behind.values()) < NEARLY_EQUAL, behind)
    ideal = [steps[step]["ideal_ns"] / (1e9 * published["step_t_noblk"][str(step)]) - 1 for step in steps]
    print(f"{name}: a step without stragglers is {100 * min(ideal):+.2f} to {100 * max(ideal):+.2f} % off; "
          f"replayed steps at most {100 * max(errors):.3f} % off")
    check(f"{name}: a step without stragglers within 2 %", max(map(abs, ideal)) < 0.02, ideal)
    plain = [steps[step]["replayed_ns"] / (1e9 * published["step_t_nodelay"][str(step)]) - 1 for step in steps]
    print(f"{name}: a step without unexplained waits is {100 * min(plain):+.2f} to {100 * max(plain):+.2f} % off")
    worst = answer["slow_ranks"]["ranks"][0]
    print(f"{name}: the slowest rank is data-parallel rank {worst['data_rank']} of stage {worst['stage']}")
    if name == "AR":
        check("AR: the worker that was slowed", (worst["data_rank"], worst["stage"]) == (0, 0), worst)


if not os.path.isdir(JOBS):
    sys.exit(print(f"skipped: {JOBS} is absent"))
for job in ("AR", "SE"):
    compare(job)
sys.exit(verdict())

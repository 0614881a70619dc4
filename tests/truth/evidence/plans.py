"""Measured steps by parallel plan (SHARED/truth/plans), as tests/truth/plans/measured_plans.py asks for them."""
import collections

import measured_plans
from .form import Answer, Case, Row, Run, generation, peak, step

# File: its reader, source by device, benchmark of a row.
FILES = {"one-node": (measured_plans.gpt_rows, lambda device: "vtrain-a100-host"), "many-nodes": (measured_plans.gpt_rows, lambda device: "vtrain-a100-cluster"),
         "fsdp": (measured_plans.fsdp_rows, lambda device: f"mosaicml-{device.lower().replace(' ', '-')}"), "profile": (measured_plans.profile_rows, lambda device: "sailor-gh200")}
# The first of these that a plan has is its question.
QUESTIONS = [("expert", "experts"), ("pipeline", "pipeline"), ("tensor", "tensor parallel"), ("zero", "ZeRO"), ("data", "data parallel")]


def options(words):
    return dict(zip(words[1::2], words[2::2]))


def values(settings):
    return {key.removeprefix("parallel."): value for key, value in (setting.split("=", 1) for setting in settings)}


def question(plan):
    return next((name for key, name in QUESTIONS if plan.get(key, "1") not in ("0", "1")), "tensor parallel")  # of a profile of several ranks


def name_of(plan):
    short = {"data": "d", "tensor": "t", "pipeline": "p", "micro_batch": "m", "global_batch": "b", "zero": "z", "recompute": "r", "split": "s"}
    return " ".join(f"{short[key]}{value}" for key, value in plan.items() if key in short and (key != "split" or len(set(value.split("+"))) > 1))


def rows_of_file(at, file):
    """Yields (run, memory in use in bytes or None, row) of the rows of measured_plans.py."""
    read, source = FILES[file]
    names = collections.Counter()
    for asked in read(at.shared / "truth/plans" / measured_plans.FILES[file]):
        given, plan = options(asked.capture), values(asked.settings)
        device, precision = given["--device"], given.get("--precision", "bf16")
        after = "fp8" if plan.get("precision.to") == "fp8" else precision
        gpus = int(plan["data"]) * int(plan.get("tensor", 1)) * int(plan.get("pipeline", 1)) * int(given.get("--profile-tensor", 1))
        per_host = 4 if file == "profile" else 8
        benchmark = f"{asked.capture[0]} {given['--layers']}x{given['--hidden']}" + (f", {given['--sequence']} tokens" if file == "fsdp" else "")
        name = f"{benchmark}, {name_of(plan)}{' fp8' if after == 'fp8' else ''}" + (f" t{given['--profile-tensor']}" if "--profile-tensor" in given else "")
        row = Row(question(plan), source(device), benchmark, name, "modelled", "training", "one" if gpus <= per_host else "several", "transformer", generation(device), after, "s",
                  asked.measured / 1e3)
        names[row.key] += 1
        if names[row.key] > 1:  # measured twice
            row.name += f" ({names[row.key]})"
        yield Run(row.name, asked.capture, tuple(asked.settings), row.measured), asked.memory, row


def machines(at):
    """Returns the measured steps of each machine."""
    found = collections.defaultdict(list)
    for file in FILES:
        for run, _, row in rows_of_file(at, file):
            found[row.source].append(run)
    return found


def cases(at):
    for file in FILES:
        firsts = {}
        for run, memory, row in rows_of_file(at, file):
            yield Case(row, lambda program, run=run: step(program.ask(run)))
            if (first := firsts.setdefault(row.benchmark, run)) is not run and file != "one-node":
                yield Case(Row(**{**vars(row), "base": "calibrated"}), lambda program, run=run, first=first: step(program.ask(run, first)))
            if memory and (first := firsts.setdefault("memory", (run, memory)))[0] is not run:
                yield Case(Row(**{**vars(row), "question": "memory", "base": "scaled", "unit": "GiB", "measured": memory / 2**30}),
                           lambda program, run=run, first=first: in_use(program, run, *first))


def in_use(program, run, first, memory):
    """The memory in use on the device, as nvidia-smi has it. What the allocator does not hold (context, kernels, buffers of
    NCCL) is the difference in the first row."""
    outside = memory / 2**30 - peak(program.ask(first)).predicted
    return peak(program.ask(run)).each(lambda value: value + outside)

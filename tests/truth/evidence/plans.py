"""Measured steps by parallel plan (SHARED/truth/plans), as tests/truth/plans/measured_plans.py asks for them."""
import measured_plans
from .form import Answer, Case, Row, generation, peak, scale, step

# File: its reader, source by device, benchmark of a row.
FILES = {"one-node": (measured_plans.gpt_rows, lambda device: "vtrain-a100-host"), "many-nodes": (measured_plans.gpt_rows, lambda device: "vtrain-a100-cluster"),
         "fsdp": (measured_plans.fsdp_rows, lambda device: f"mosaicml-{device.lower().replace(' ', '-')}"), "profile": (measured_plans.profile_rows, lambda device: "sailor-gh200")}
# The first of these that a plan has is its question.
QUESTIONS = [("expert", "other"), ("pipeline", "pipeline"), ("tensor", "tensor parallel"), ("zero", "ZeRO"), ("data", "data parallel")]


def options(words):
    return dict(zip(words[1::2], words[2::2]))


def values(settings):
    return {key.removeprefix("parallel."): value for key, value in (setting.split("=", 1) for setting in settings)}


def question(plan):
    return next((name for key, name in QUESTIONS if plan.get(key, "1") not in ("0", "1")), "tensor parallel")  # of a profile of several ranks


def name_of(plan):
    short = {"data": "d", "tensor": "t", "pipeline": "p", "micro_batch": "m", "global_batch": "b", "zero": "z", "recompute": "r", "split": "s"}
    return " ".join(f"{short[key]}{value}" for key, value in plan.items() if key in short and (key != "split" or len(set(value.split("+"))) > 1))


def rows_of_file(file, path):
    """Yields the rows as measured_plans.py has them, with a form.Row for each."""
    read, source = FILES[file]
    for asked in read(path):
        given, plan = options(asked.capture), values(asked.settings)
        device, precision = given["--device"], given.get("--precision", "bf16")
        after = "fp8" if plan.get("precision.to") == "fp8" else precision
        gpus = int(plan["data"]) * int(plan.get("tensor", 1)) * int(plan.get("pipeline", 1)) * int(given.get("--profile-tensor", 1))
        per_host = 4 if file == "profile" else 8
        benchmark = f"{asked.capture[0]} {given['--layers']}x{given['--hidden']}" + (f", {given['--sequence']} tokens" if file == "fsdp" else "")
        name = f"{benchmark}, {name_of(plan)}{' fp8' if after == 'fp8' else ''}" + (f" t{given['--profile-tensor']}" if "--profile-tensor" in given else "")
        yield asked, Row(question(plan), source(device), benchmark, name, "modelled", "training", "one" if gpus <= per_host else "several", "transformer", generation(device),
                         after, "s", asked.measured / 1e3)


def cases(at):
    for file in FILES:
        firsts, names = {}, {}
        for asked, row in rows_of_file(file, at.shared / "truth/plans" / measured_plans.FILES[file]):
            names[row.key] = names.get(row.key, 0) + 1
            if names[row.key] > 1:  # measured twice
                row.name += f" ({names[row.key]})"

            def ask(program, asked=asked, more=()):
                return program.whatif(program.model(*asked.capture), *asked.settings, *more)

            def ask_scaled(program, ask=ask, base=firsts.get(row.benchmark)):
                return step(ask(program, more=scale(program, program.model(*base.capture), base.settings, base.measured / 1e3)))

            yield Case(row, lambda program, ask=ask: step(ask(program)))
            if row.benchmark in firsts and file != "one-node":
                scaled = Row(**{**vars(row), "base": "scaled"})
                yield Case(scaled, ask_scaled)
            if asked.memory:
                first = firsts.get("memory")
                if first:
                    yield Case(Row(**{**vars(row), "question": "memory", "base": "scaled", "unit": "GiB", "measured": asked.memory / 2**30}),
                               lambda program, ask=ask, first=first: in_use(program, ask, first))
                firsts.setdefault("memory", asked)
            firsts.setdefault(row.benchmark, asked)


def in_use(program, ask, first):
    """The memory in use on the device, as nvidia-smi has it. What the allocator does not hold (context, kernels, buffers of
    NCCL) is the difference in the first row."""
    outside = first.memory / 2**30 - peak(program.whatif(program.model(*first.capture), *first.settings)).predicted
    return Answer(*(value + outside for value in peak(ask(program))))

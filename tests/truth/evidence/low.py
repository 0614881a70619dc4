"""bf16 against fp8 and mxfp8, recomputation, and memory, as torchao and torchtitan published them
(SHARED/truth/precision/low)."""
from .form import Case, LeftOut, Row, generation, peak, rows_of, step

LLAMA = "llama --layers 32 --hidden 4096 --heads 32 --key-heads 8 --intermediate 14336 --vocabulary 128256".split()
RECOMPUTE = {"per-op selective": "selective", "no checkpointing": "none", "of all layers": "all"}
# None: no recipe of stepsim. "": the usual one, with a range that includes the others.
RECIPES = {"tensorwise": "tensorwise", "high-precision": None, "rowwise": "rowwise", "mxfp8": "mxfp8", "float8 eager": "", "float8 + torch.compile": None}
# torchtitan's docs/performance.md, December 2024: 6,667 tokens/s a GPU in bf16, 8,532 in fp8 (tensorwise).
TORCHTITAN = {"source": "pytorch/torchtitan", "model": "Llama3-8B", "gpu": "H100", "gpus": "8", "sequence": "8192", "batch_per_gpu": "2", "setting": "per-op selective",
              "base": "bf16", "new": "float8 tensorwise", "time_ratio": 6667 / 8532, "memory_gb_base": "", "memory_gb_new": ""}


def source(row):
    return f"{row['source'].removeprefix('pytorch/')}-{row['gpu'].split()[0].lower()}"


def recompute(setting):
    return next((value for key, value in RECOMPUTE.items() if key in setting), None)


def reason(row):
    """Returns why a row is not asked, or None."""
    if row["model"] != "Llama3-8B":
        return f"no configuration of {row['model'].split(',')[0]}" + (" (inference)" if row["setting"] == "inference" else "")
    if "compile" in row["new"] or "compile" in row["base"]:
        return "torch.compile of one side only"
    if "every second layer" in row["setting"] + row["new"]:
        return "checkpoints of every second layer"
    return None


def ask(program, row, plan, *changes):
    batch = row["batch_per_gpu"] or "1"
    capture = program.model(*LLAMA, "--device", row["gpu"].split()[0], "--sequence", row["sequence"], "--micro-batch", batch)
    return program.whatif(capture, "parallel.data=8", "parallel.zero=3", f"parallel.micro_batch={batch}", f"parallel.global_batch={8 * int(batch)}",
                          f"parallel.recompute={plan}", *changes)


def in_fp8(recipe):
    return f"precision.recipe={recipe}" if recipe else "precision.to=fp8"


def recipe_of(row):
    return next(value for key, value in RECIPES.items() if key in row["new"])


def ratio(program, row, recipe):
    """Returns the step in fp8 over that in bf16."""
    plan = recompute(row["setting"])
    return step(ask(program, row, plan, in_fp8(recipe))).over(step(ask(program, row, plan)))


def of(row, question, precision, unit, measured, name):
    return Row(question, source(row), row["model"], name, "modelled", "training", "one", "transformer", generation(row["gpu"]), precision, unit, float(measured))


def precision_cases(row):
    plan, base = recompute(row["setting"]), f"{row['gpu']}, {row['sequence']} tokens, {row['setting'].split(', ')[-1]}"
    name = f"{base}, {row['new']}"
    recipe = recipe_of(row)
    yield Case(of(row, "precision", "bf16 to fp8", "ratio", row["time_ratio"], name), lambda program: ratio(program, row, recipe))
    if row["memory_gb_base"] and plan == "selective":  # every second product is computed again, not attention alone
        yield LeftOut(source(row), "memory", "checkpoints of every second product", 2)
    elif row["memory_gb_base"]:
        yield Case(of(row, "memory", "bf16", "GiB", row["memory_gb_base"], base), lambda program: peak(ask(program, row, plan)))
        yield Case(of(row, "memory", "fp8", "GiB", row["memory_gb_new"], name), lambda program: peak(ask(program, row, plan, in_fp8(recipe))))


def recompute_case(row):
    before, after = recompute(row["base"]), recompute(row["new"])
    changes = () if row["setting"].startswith("bf16") else ("precision.to=fp8",)
    return Case(of(row, "recomputation", "fp8" if changes else "bf16", "ratio", row["time_ratio"], row["setting"]),
                lambda program: step(ask(program, row, after, *changes)).over(step(ask(program, row, before, *changes))))


def rows(shared):
    return [*rows_of(shared / "truth/precision/low/rows.csv"), TORCHTITAN]


def question_of(row):
    return "recomputation" if "checkpointing" in row["new"] else "precision"


def cases(at):
    seen = set()
    for row in rows(at.shared):
        question = question_of(row)
        why = reason(row)
        found = [] if why else [recompute_case(row)] if question == "recomputation" else precision_cases(row)
        if why:
            yield LeftOut(source(row), question, why)
        for case in found:
            key = case.row.key if isinstance(case, Case) else None
            if key not in seen:  # rows share the peak of their base
                yield case
            if key:
                seen.add(key)

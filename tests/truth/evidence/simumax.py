"""Megatron-LM steps and peaks of memory on 8 B200 (SHARED/truth/plans/simumax-b200)."""
from .form import Case, LeftOut, Row, peak, rows_of, scale, step

SOURCE = "simumax-b200"
MODELS = {"llama3_70b": "--layers 12 --hidden 8192 --heads 64 --key-heads 8 --intermediate 28672 --vocabulary 128256",
          "llama3_405b": "--layers 4 --hidden 16384 --heads 128 --key-heads 8 --intermediate 53248 --vocabulary 128256"}


def words(row):
    return ("llama", *MODELS[row["model"]].split(), "--sequence", row["sequence"], "--micro-batch", 1, "--device", "B200")


def settings(row):
    found = [f"parallel.tensor={row['tp']}", f"parallel.pipeline={row['pp']}", f"parallel.data={row['dp']}", "parallel.micro_batch=1",
             f"parallel.global_batch={int(row['dp']) * int(row['microbatches'])}", "parallel.tensor_overlap=false"]
    if row["dp"] != "1":  # Megatron's distributed optimizer
        found.append("parallel.zero=1")
    if row["tp"] != "1":
        found.append("parallel.sequence=true")
    return found


def cases(at):
    first = None
    for row in rows_of(at.shared / "truth/plans/simumax-b200/b200.csv"):
        plan = "pipeline" if row["pp"] != "1" else "tensor parallel" if row["tp"] != "1" else "data parallel"
        if row["model"] not in MODELS or row["cp"] != "1":
            reason = "no context parallelism in stepsim" if row["cp"] != "1" else f"no configuration of {row['model']}"
            yield from (LeftOut(SOURCE, question, reason) for question in (plan, "memory"))
            continue

        def of(question, base, unit, measured, row=row):
            return Row(question, SOURCE, row["model"], row["case"].removesuffix("_cef"), base, "training", "one", "transformer", "Blackwell", "bf16", unit, measured)

        def ask(program, row=row):
            return program.whatif(program.model(*words(row)), *settings(row))

        def ask_scaled(program, row=row, base=first):
            by_one = scale(program, program.model(*words(base)), settings(base), float(base["real_ms"]) / 1e3)
            return step(program.whatif(program.model(*words(row)), *settings(row), *by_one))

        yield Case(of(plan, "modelled", "s", float(row["real_ms"]) / 1e3), lambda program, ask=ask: step(ask(program)))
        yield Case(of("memory", "modelled", "GiB", float(row["real_alloc_gib"])), lambda program, ask=ask: peak(ask(program)))
        if first:
            yield Case(of(plan, "scaled", "s", float(row["real_ms"]) / 1e3), ask_scaled)
        first = first or row

"""Megatron-LM steps and peaks of memory on 8 B200 (SHARED/truth/plans/simumax-b200)."""
from .form import Case, LeftOut, Row, Run, peak, rows_of, step

SOURCE = "simumax-b200"
FILE = "truth/plans/simumax-b200/b200.csv"
MODELS = {"llama3_70b": "--layers 12 --hidden 8192 --heads 64 --key-heads 8 --intermediate 28672 --vocabulary 128256",
          "llama3_405b": "--layers 4 --hidden 16384 --heads 128 --key-heads 8 --intermediate 53248 --vocabulary 128256"}


def reason(row):
    """Returns why a row is not asked, or None."""
    if row["cp"] != "1":
        return "no context parallelism in stepsim"
    return None if row["model"] in MODELS else f"no configuration of {row['model']}"


def run(row):
    words = ("llama", *MODELS[row["model"]].split(), "--sequence", row["sequence"], "--micro-batch", 1, "--device", "B200")
    settings = [f"parallel.tensor={row['tp']}", f"parallel.pipeline={row['pp']}", f"parallel.data={row['dp']}", "parallel.micro_batch=1",
                f"parallel.global_batch={int(row['dp']) * int(row['microbatches'])}", "parallel.tensor_overlap=false"]
    if row["dp"] != "1":  # Megatron's distributed optimizer
        settings.append("parallel.zero=1")
    if row["tp"] != "1":
        settings.append("parallel.sequence=true")
    if row["pp"] != "1":  # Megatron gives each stage as many layers
        settings.append(f"parallel.split={'+'.join([str(int(row['layers']) // int(row['pp']))] * int(row['pp']))}")
    return Run(row["case"].removesuffix("_cef"), words, tuple(settings), float(row["real_ms"]) / 1e3)


def machines(at):
    """Returns the measured steps of each machine."""
    return {SOURCE: [run(row) for row in rows_of(at.shared / FILE) if not reason(row)]}


def cases(at):
    first = None
    for row in rows_of(at.shared / FILE):
        plan = "pipeline" if row["pp"] != "1" else "tensor parallel" if row["tp"] != "1" else "data parallel"
        if why := reason(row):
            yield from (LeftOut(SOURCE, question, why) for question in (plan, "memory"))
            continue
        asked = run(row)

        def of(question, base, unit, measured, row=row, name=asked.name):
            return Row(question, SOURCE, row["model"], name, base, "training", "one", "transformer", "Blackwell", "bf16", unit, measured)

        yield Case(of(plan, "modelled", "s", asked.seconds), lambda program, asked=asked: step(program.ask(asked)))
        yield Case(of("memory", "modelled", "GiB", float(row["real_alloc_gib"])), lambda program, asked=asked: peak(program.ask(asked)))
        if first:
            yield Case(of(plan, "calibrated", "s", asked.seconds), lambda program, asked=asked, first=first: step(program.ask(asked, first)))
        first = first or asked

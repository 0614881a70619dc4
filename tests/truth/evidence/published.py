"""Steps of GPT models that NVIDIA published (docs/results/published-steps.csv)."""
import published_steps
from .form import Case, LeftOut, Row, step
from .plans import name_of, question, values

SOURCE = "selene-a100"
MOST = 7000  # layers x microbatches of a replica


def cases(_at):
    for row, asked in published_steps.read_rows(published_steps.PUBLISHED):
        if published_steps.size(row) > MOST:
            why = "more tasks than stepsim accepts" if published_steps.size(row) > published_steps.ACCEPTED else "takes long: many microbatches of many layers"
            yield LeftOut(SOURCE, question(values(asked.settings)), why)
            continue
        plan = values(asked.settings)
        name = f"{row['model']} on {row['gpus']}, {name_of(plan)}, {row['figure']}"
        yield Case(Row(question(plan), SOURCE, row["model"], name, "modelled", "training", "one" if int(row["gpus"]) <= 8 else "several", "transformer", "Ampere", "fp16", "s",
                       asked.measured / 1e3), lambda program, asked=asked: step(program.whatif(program.model(*asked.capture), *asked.settings)))

"""NVIDIA's examples on V100: precision, and 1 to 16 GPUs of a host (SHARED/truth/precision/dle)."""
from .described import Described
from .form import Case, LeftOut, Row, rows_of

SOURCE = "dle-v100"
DEVICE = "V100 SXM2"
MODELS = {"PyTorch/LanguageModeling/BERT": "bert large", "TensorFlow/LanguageModeling/BERT": "bert large", "TensorFlow2/LanguageModeling/BERT": "bert large",
          "MxNet/Classification/RN50v1.5": "resnet50", "PyTorch/Classification/ConvNets/resnet50v1.5": "resnet50", "TensorFlow/Classification/ConvNets/resnet50v1.5": "resnet50"}
SQUAD = "384"
ATTENTION = "math"  # BertSelfAttention of these examples multiplies, normalises and drops out in separate calls


def example(row):
    return row["file"].removesuffix("/README.md")


def reason(row):
    """Returns why a row is not asked, or None."""
    if example(row) not in MODELS:
        return f"no configuration of {example(row)}"
    if row.get("mode") == "inference":
        return "no inference: stepsim has a training step of this model"
    if row.get("suspect"):
        return "in doubt (README.md)"
    if not all(row[key].isdigit() for key in ("batch_base", "batch_new", "batch_per_gpu") if key in row):
        return "no batch stated"
    if any(row[key] for key in row if key.startswith("accumulation")):
        return "gradients accumulated over many microbatches"
    if row.get("total_gpus", "1") != "1":
        return "precision on several GPUs"
    if row.get("nodes_new", "") not in ("", "1"):
        return "more than one host, of an unknown network"
    return None


def of(row, model, question, base, line, precision, measured):
    compiler = f", {row['xla']}" if row["xla"] else ""
    return Row(question, SOURCE, f"{row['framework']} {model.model}", f"{example(row)}:{row[line]}, {precision}{compiler}", base, "training", "one", model.kind, model.generation(),
               precision, "ratio", measured)


def cases(at):
    folder = at.shared / "truth/precision/dle"
    for row in rows_of(folder / "precision.csv"):
        if why := reason(row):
            yield LeftOut(SOURCE, "precision", why)
            continue
        model = Described(at, MODELS[example(row)], DEVICE, row["batch_base"], row["sequence"] or SQUAD, ATTENTION)

        def ask(program, row=row, model=model):
            before, after = model.step(program, row["base"]), model.step(program, "fp16", batch=row["batch_new"])
            return after.over(before).times(int(row["batch_base"]) / int(row["batch_new"]))

        yield Case(of(row, model, "precision", model.base_kind, "line", f"{row['base']} to fp16", float(row["time_ratio_per_sample"])), ask)
    for row in rows_of(folder / "scale.csv"):
        if why := reason(row):
            yield LeftOut(SOURCE, "ranks", why)
            continue
        model = Described(at, MODELS[example(row)], DEVICE, row["batch_per_gpu"], row["sequence"] or SQUAD, ATTENTION)

        def ask_scale(program, row=row, model=model):
            one = int(row["batch_per_gpu"]) * int(row["gpus_base"]) / float(row["throughput_base"])
            return model.scaled(program, row["precision"], one, f"parallel.data={row['gpus_new']}", f"cluster.gpus_per_host={row['gpus_new']}", "cluster.inside=NVLink2")

        if row["gpus_base"] != "1":
            yield LeftOut(SOURCE, "ranks", "no step of one GPU")
        else:
            yield Case(of(row, model, "ranks", "scaled", "line_new", row["precision"], 1 / float(row["efficiency"])), ask_scale)

"""NVIDIA's examples on V100: precision, and 1 to 1,024 GPUs (SHARED/truth/precision/dle)."""
from .bert import batch_scale, capture, per_sample, precision, ratio
from .form import Case, LeftOut, Row, generation, rows_of, scale, step

SOURCE = "dle-v100"
DEVICE = "V100 SXM2"
SQUAD = "384"


def is_bert(model):
    return model == "BERT"


def reason(row):
    """Returns why a row is not asked, or None."""
    if not is_bert(row["model"]):
        return f"no configuration of {row['model'] or row['file'].rsplit('/', 2)[1]}"
    if row.get("mode") == "inference":
        return "stepsim model writes training steps only"
    if row.get("suspect"):
        return "in doubt (README.md)"
    if any(row[key] for key in row if key.startswith("accumulation")):
        return "gradients accumulated over many microbatches"
    return None


def of(row, question, base, name, hosts, precision_, measured):
    return Row(question, SOURCE, f"{row['framework']} {row['model']}", name, base, "training", hosts, "transformer", generation(DEVICE), precision_, "ratio", measured)


def cases(at):
    folder = at.shared / "truth/precision/dle"
    for row in rows_of(folder / "precision.csv"):
        why = reason(row) or ("several GPUs" if row["total_gpus"] != "1" else None)
        if why:
            yield LeftOut(SOURCE, "precision", why)
            continue

        def ask(program, row=row):
            file = capture(program, "large", DEVICE, row["sequence"] or SQUAD, row["batch_base"])
            after = precision("fp16") + batch_scale(row["batch_base"], row["batch_new"])
            return per_sample(ratio(program, file, precision(row["base"]), after), row["batch_base"], row["batch_new"])

        yield Case(of(row, "precision", "modelled", f"{row['file']}:{row['line']}", "one", f"{row['base']} to fp16", float(row["time_ratio_per_sample"])), ask)
    for row in rows_of(folder / "scale.csv"):
        why = reason(row) or ("more than one host" if row["nodes_new"] not in ("", "1") else None)
        if why:
            yield LeftOut(SOURCE, "ranks", why)
            continue

        def ask_scale(program, row=row):
            file, used = capture(program, "large", DEVICE, row["sequence"] or SQUAD, row["batch_per_gpu"]), precision("fp16" if row["precision"] == "mixed" else row["precision"])
            used += tuple(scale(program, file, used, int(row["batch_per_gpu"]) / float(row["throughput_base"])))
            new = step(program.whatif(file, *used, f"parallel.data={row['gpus_new']}", f"cluster.gpus_per_host={row['gpus_new']}", "cluster.inside=NVLink2"))
            return new.over(step(program.whatif(file, *used)))

        yield Case(of(row, "ranks", "scaled", f"{row['file']}:{row['line_new']}, {row['precision']}", "one", row["precision"], 1 / float(row["efficiency"])), ask_scale)

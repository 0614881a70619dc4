"""The same programs in fp32, tf32 and fp16, with other batches, on H100 and L40S (SHARED/truth/precision/milabench)."""
from .described import Described
from .form import Case, LeftOut, Row, rows_of

SEQUENCE = 512
# Benchmark: model and precision. milabench runs torchvision's models with tf32 and fp16 autocast; resnet50 waits for its loader.
BENCHMARKS = {"bert-fp32": ("bert base", "fp32"), "bert-tf32": ("bert base", "tf32"), "bert-fp16": ("bert base", "fp16"), "bert-tf32-fp16": ("bert base", "fp16"),
              "resnet50-noio": ("resnet50", "fp16")}


def source(device):
    return f"mila-{device.lower()}"


def left_out(row, device, question):
    name = row.get("model") or row["benchmark"]
    return LeftOut(source(device), question, "waits for its loader" if name == "resnet50" else f"no configuration of {name}")


def of(question, device, model, name, devices, precision, measured, noise=None):
    return Row(question, source(device), model.model, name, model.base_kind, "training", "one", model.kind, devices, precision, "ratio", measured, noise)


def precisions(at, folder):
    for row in rows_of(folder / "precision.csv"):
        if row["model"] != "bert":
            yield left_out(row, row["device"], "precision")
            continue
        model = Described(at, "bert base", row["device"], row["batch"], SEQUENCE)
        yield Case(of("precision", row["device"], model, f"{row['device']}, batch {row['batch']}, {row['base']} to {row['new']}", model.generation(),
                      f"{row['base']} to {'tf32' if row['new'] == 'tf32' else 'fp16'}", float(row["time_ratio"])),
                   lambda program, row=row, model=model: model.step(program, row["new"]).over(model.step(program, row["base"])))


def batches(at, folder):
    for row in rows_of(folder / "batch.csv"):
        if row["benchmark"] not in BENCHMARKS:
            yield left_out(row, row["device"], "batch")
            continue
        name, precision = BENCHMARKS[row["benchmark"]]
        model = Described(at, name, row["device"], row["batch_base"], SEQUENCE)
        yield Case(of("batch", row["device"], model, f"{row['benchmark']}, batch {row['batch_base']} to {row['batch_new']}", model.generation(), precision, float(row["step_ratio"])),
                   lambda program, row=row, model=model, precision=precision: model.step(program, precision, batch=row["batch_new"]).over(model.step(program, precision)))


def devices(at, folder):
    for row in rows_of(folder / "device.csv"):
        if row["benchmark"] not in BENCHMARKS:
            yield left_out(row, row["new"], "device")
            continue
        name, precision = BENCHMARKS[row["benchmark"]]
        model = Described(at, name, row["base"], row["batch"], SEQUENCE)
        yield Case(of("device", row["new"], model, f"{row['benchmark']}, batch {row['batch']}, {row['base']} to {row['new']}", model.generation(row["new"]), precision,
                      float(row["time_ratio"])),
                   lambda program, row=row, model=model, precision=precision: model.step(program, precision, device=row["new"]).over(model.step(program, precision)))


def cases(at):
    folder = at.shared / "truth/precision/milabench"
    yield from precisions(at, folder)
    yield from batches(at, folder)
    yield from devices(at, folder)

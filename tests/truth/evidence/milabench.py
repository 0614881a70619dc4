"""The same programs in fp32, tf32 and fp16, with other batches, on H100 and L40S (SHARED/truth/precision/milabench)."""
from .bert import batch_scale, capture, precision, ratio
from .form import Case, LeftOut, Row, generation, rows_of

SEQUENCE = 512


def source(device):
    return f"mila-{device.lower()}"


def of(question, device, name, generation_, precision_, measured):
    return Row(question, source(device), "bert", name, "modelled", "training", "one", "transformer", generation_, precision_, "ratio", measured)


def precisions(folder):
    for row in rows_of(folder / "precision.csv"):
        if row["model"] != "bert":
            yield LeftOut(source(row["device"]), "precision", f"no configuration of {row['model']}")
            continue

        def ask(program, row=row):
            file = capture(program, "base", row["device"], SEQUENCE, row["batch"])
            return ratio(program, file, precision(row["base"]), precision(row["new"]))

        yield Case(of("precision", row["device"], f"{row['device']}, batch {row['batch']}, {row['base']} to {row['new']}", generation(row["device"]),
                      f"{row['base']} to {'tf32' if row['new'] == 'tf32' else 'fp16'}", float(row["time_ratio"])), ask)


def batches(folder):
    for row in rows_of(folder / "batch.csv"):
        name, _, used = row["benchmark"].partition("-")
        if name != "bert":
            yield LeftOut(source(row["device"]), "batch", f"no configuration of {name}")
            continue

        def ask(program, row=row, used=used):
            file = capture(program, "base", row["device"], SEQUENCE, row["batch_base"])
            before = precision(used)
            return ratio(program, file, before, before + batch_scale(row["batch_base"], row["batch_new"]))

        name = f"{row['benchmark']}, batch {row['batch_base']} to {row['batch_new']}"
        yield Case(of("batch", row["device"], name, generation(row["device"]), used, float(row["step_ratio"])), ask)


def devices(folder):
    for row in rows_of(folder / "device.csv"):
        name, _, used = row["benchmark"].partition("-")
        if name != "bert":
            yield LeftOut(source(row["new"]), "device", f"no configuration of {name}")
            continue

        def ask(program, row=row, used=used):
            file = capture(program, "base", row["base"], SEQUENCE, row["batch"])
            before = precision(used)
            return ratio(program, file, before, (*before, f"device.to={row['new']}"))

        name = f"{row['benchmark']}, batch {row['batch']}, from {row['base']}"
        yield Case(of("device", row["new"], name, generation(row["base"], row["new"]), used, float(row["time_ratio"])), ask)


def cases(at):
    folder = at.shared / "truth/precision/milabench"
    yield from precisions(folder)
    yield from batches(folder)
    yield from devices(folder)

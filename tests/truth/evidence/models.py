"""Whole models on another GPU, and on four, from NeuSight's artefact (SHARED/truth/gpu/models)."""
import re

from .form import Case, LeftOut, Row, generation, rows_of, step

KINDS = {"dp": ("data", "data parallel"), "tp": ("tensor", "tensor parallel"), "pp": ("pipeline", "pipeline")}
# For each device of a measured step: devices whose captures can be asked, nearest first; the value of device.to; the links
# inside the host.
NEAR = {"NVIDIA H100 80GB HBM3": (["H100 SXM"], None, "NVLink4"), "NVIDIA A100-SXM4-40GB": (["A100 PCIe 80GB", "A100 PCIe 40GB"], "A100-SXM4-40GB", "NVLink3")}
MODES = {"inf": "inference", "train": "training"}


def source(device):
    return f"neusight-{device.lower().replace(' ', '-')}"


def devices(folder):
    for row in rows_of(folder / "pairs.csv"):
        before, after = float(row["a_e2e_ms"]), float(row["b_e2e_ms"])
        yield Case(Row("device", source(row["b_device"]), f"{row['model']} {row['mode']}", row["name"], "captured", MODES[row["mode"]], "one", "transformer",
                       generation(row["a_device"], row["b_device"]), "fp32", "ratio", after / before, peer=float(row["neusight_b_ms"]) / before),
                   lambda program, row=row: ratio(program.whatif(folder / row["a"], row["question"])))


def ratio(answer):
    return step(answer).times(1e9 / answer["baseline"]["iteration_ns"])


def capture_for(captures, row, wanted):
    """Returns the capture of one GPU that is nearest to a measured step."""
    near = NEAR[row["device"]][0]
    fits = [one for one in captures if one["device"] in near and (one["model"], one["mode"], one["seq"]) == (row["model"], row["mode"], row["seq"])]
    return min(fits, key=lambda one: (abs(int(one["batch"]) - wanted), near.index(one["device"])), default=None)


def four_gpus(folder):
    captures = rows_of(folder / "captures.csv")
    for row in rows_of(folder / "distributed.csv"):
        kind, number, micro = re.match(r"(dp|tp|pp)(\d+)(?:_(\d+))?", row["how"]).groups()
        key, question = KINDS[kind]
        wanted = int(row["global_batch"]) // (int(number) if kind == "dp" else 1)
        capture = capture_for(captures, row, wanted)
        _, to, inside = NEAR[row["device"]]
        if capture is None:
            yield LeftOut(source(to or "H100 SXM"), question, "no capture of the model")
            continue
        settings = [f"parallel.{key}={number}", f"cluster.gpus_per_host={number}", f"cluster.inside={inside}"]
        settings += [f"batch.scale={wanted / int(capture['batch']):g}"] * (int(capture["batch"]) != wanted) + [f"device.to={to}"] * bool(to)
        settings += [f"parallel.microbatches={micro}"] * (kind == "pp")

        def ask(program, capture=capture, settings=settings):
            return ratio(program.whatif(folder / capture["capture"], *settings)).times(float(capture["e2e_ms"]) / 1e3)

        name = f"{row['model']} {row['how']}, {row['device']}, batch {row['global_batch']}"
        yield Case(Row(question, source(to or "H100 SXM"), row["model"], name, "captured", "training", "one", "transformer",
                       generation(capture["device"], to), "fp32", "s", float(row["e2e_ms"]) / 1e3, peer=float(row["neusight_ms"]) / 1e3), ask)


def cases(at):
    folder = at.shared / "truth/gpu/models"
    yield from devices(folder)
    yield from four_gpus(folder)

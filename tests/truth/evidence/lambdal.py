"""Training programs on many hosts: precision, 1 to 8 GPUs, links inside a host (SHARED/truth/precision/lambda)."""
import re

from .described import Described
from .form import Case, LeftOut, Row, generation, rows_of

TASKS = {"bert_base_squad": "bert base", "bert_large_squad": "bert large", "resnet50": "resnet50"}
SEQUENCE = 384
ATTENTION = "math"  # as in NVIDIA's examples, which these hosts ran
NAMES = {"A100-40-PCIe": "A100 PCIe 40GB", "A100-40-SXM": "A100 SXM 40GB", "A100-80-PCIe": "A100 PCIe 80GB", "A100-80-SXM": "A100 SXM 80GB", "GH200-80": "GH200",
         "GH200-96": "GH200", "GTX-1080Ti": "GTX 1080 Ti", "RTX-2080Ti": "RTX 2080 Ti", "RTX-5000": "Quadro RTX 5000", "RTX-6000": "Quadro RTX 6000", "RTX-8000": "Quadro RTX 8000",
         "Titan-RTX": "TITAN RTX", "V100": "V100 SXM2", "V100-16": "V100 SXM2", "V100-32": "V100 SXM2"}
NO_PEER_ACCESS = 0.38  # of PCIe's rate, which stepsim assumes for GeForce cards (Accelerator::inside_link())
LINKS = {"Volta": "NVLink2", "Ampere": "NVLink3", "Hopper": "NVLink4", "Blackwell": "NVLink5"}
BETWEEN_HOSTS = 0.06  # the same program and GPU on other hosts, median (README.md)


def device(row):
    return NAMES.get(row["gpu"], row["gpu"].replace("-", " "))


def source(row):
    return f"lambda-{row['gpu'].lower()}"


def inside(row):
    """Returns the rate of the links between the GPUs of a host by data sheet, or None for bridges between pairs."""
    of_gpu = generation(device(row))
    if row["link"] == "PCIe":
        rate = 16 if of_gpu in ("Pascal", "Volta", "Turing") else 32
        is_geforce = re.fullmatch(r"RTX \d\d[1-9]\d.*", device(row))
        return f"{rate * (NO_PEER_ACCESS if is_geforce else 1):g}GB/s"
    return LINKS.get(of_gpu) if row["link"] == "NVLink" else None


def no_configuration(row, question):
    return LeftOut(source(row), question, f"no configuration of {row['task']}")


def of(row, model, question, base, name, precision, measured):
    return Row(question, source(row), row["task"], name, base, "training", "one", model.kind, model.generation(), precision, "ratio", measured, BETWEEN_HOSTS)


def precisions(at, folder):
    for row in rows_of(folder / "precision.csv"):
        if row["task"] not in TASKS:
            yield no_configuration(row, "precision")
            continue
        if row["gpus"] != "1":
            yield LeftOut(source(row), "precision", "precision on several GPUs")
            continue
        model = Described(at, TASKS[row["task"]], device(row), row["batch_base"], SEQUENCE, ATTENTION)

        def ask(program, row=row, model=model):
            after = model.step(program, "fp16", batch=row["batch_new"])
            return after.over(model.step(program, row["base"])).times(int(row["batch_base"]) / int(row["batch_new"]))

        name = f"{row['task']}, {row['year']}, {row['systems'].split(' ')[0]}, batch {row['batch_base']} to {row['batch_new']}"
        yield Case(of(row, model, "precision", model.base_kind, name, f"{row['base']} to fp16", float(row["ratio_per_sample"])), ask)


def scales(at, folder):
    for row in rows_of(folder / "scale.csv"):
        if row["task"] not in TASKS:
            yield no_configuration(row, "ranks")
            continue
        if (links := inside(row)) is None:
            yield LeftOut(source(row), "ranks", "bridges between pairs of GPUs")
            continue
        model = Described(at, TASKS[row["task"]], device(row), row["batch_per_gpu"], SEQUENCE, ATTENTION)

        def ask(program, row=row, model=model, links=links):
            settings = f"parallel.data={row['gpus']}", f"cluster.gpus_per_host={row['gpus']}", f"cluster.inside={links}"
            return model.scaled(program, row["precision"], int(row["batch_per_gpu"]) / float(row["throughput_1"]), *settings)

        name = f"{row['task']}, {row['year']}, {row['systems'].split(' ')[0]}, {row['precision']}, batch {row['batch_per_gpu']}, {row['gpus']} GPUs"
        yield Case(of(row, model, "ranks", "scaled", name, row["precision"], 1 / float(row["efficiency"])), ask)


def cases(at):
    folder = at.shared / "truth/precision/lambda"
    yield from precisions(at, folder)
    yield from scales(at, folder)
    for row in rows_of(folder / "interconnect.csv"):
        yield LeftOut(source(row), "network rate", "the rates of bridges and of PCIe through host memory are not stated") if row["task"] in TASKS else no_configuration(row, "network rate")

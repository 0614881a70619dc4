"""Training programs on many hosts: precision, 1 to 8 GPUs, links inside a host (SHARED/truth/precision/lambda)."""
from .bert import batch_scale, capture, per_sample, precision, ratio
from .form import Case, LeftOut, Row, generation, rows_of, scale, step

TASKS = {"bert_base_squad": "base", "bert_large_squad": "large"}
SEQUENCE = 384
NAMES = {"A100-40-PCIe": "A100 PCIe 40GB", "A100-40-SXM": "A100 SXM 40GB", "A100-80-PCIe": "A100 PCIe 80GB", "A100-80-SXM": "A100 SXM 80GB", "GH200-80": "GH200",
         "GH200-96": "GH200", "GTX-1080Ti": "GTX 1080 Ti", "RTX-2080Ti": "RTX 2080 Ti", "RTX-5000": "Quadro RTX 5000", "RTX-6000": "Quadro RTX 6000", "RTX-8000": "Quadro RTX 8000",
         "Titan-RTX": "TITAN RTX", "V100": "V100 SXM2", "V100-16": "V100 SXM2", "V100-32": "V100 SXM2"}
LINKS = {"Volta": "NVLink2", "Ampere": "NVLink3", "Hopper": "NVLink4", "Blackwell": "NVLink5"}
BETWEEN_HOSTS = 0.06  # the same program and GPU on other hosts, median (README.md)


def device(row):
    return NAMES.get(row["gpu"], row["gpu"].replace("-", " "))


def source(row):
    return f"lambda-{row['gpu'].lower()}"


def inside(row):
    """Returns the rate of the links between the GPUs of a host; those of PCIe are the data sheet's."""
    older = generation(device(row)) in ("Pascal", "Volta", "Turing")
    return LINKS.get(generation(device(row)), "16GB/s") if row["link"] == "NVLink" else "16GB/s" if older else "32GB/s"


def of(row, question, base, name, precision_, measured):
    return Row(question, source(row), row["task"], name, base, "training", "one", "transformer", generation(device(row)), precision_, "ratio", measured, BETWEEN_HOSTS)


def precisions(folder):
    for row in rows_of(folder / "precision.csv"):
        if row["task"] not in TASKS or row["gpus"] != "1":
            yield LeftOut(source(row), "precision", f"no configuration of {row['task']}" if row["task"] not in TASKS else "several GPUs")
            continue

        def ask(program, row=row):
            file = capture(program, TASKS[row["task"]], device(row), SEQUENCE, row["batch_base"])
            after = precision("fp16") + batch_scale(row["batch_base"], row["batch_new"])
            return per_sample(ratio(program, file, precision(row["base"]), after), row["batch_base"], row["batch_new"])

        name = f"{row['task']}, {row['year']}, {row['systems'].split(' ')[0]}, batch {row['batch_base']} to {row['batch_new']}"
        yield Case(of(row, "precision", "modelled", name, f"{row['base']} to fp16", float(row["ratio_per_sample"])), ask)


def scales(folder):
    for row in rows_of(folder / "scale.csv"):
        if row["task"] not in TASKS:
            yield LeftOut(source(row), "ranks", f"no configuration of {row['task']}")
            continue

        def ask(program, row=row):
            file = capture(program, TASKS[row["task"]], device(row), SEQUENCE, row["batch_per_gpu"])
            used = precision("fp16" if row["precision"] == "mixed" else row["precision"])
            used += tuple(scale(program, file, used, int(row["batch_per_gpu"]) / float(row["throughput_1"])))
            new = step(program.whatif(file, *used, f"parallel.data={row['gpus']}", f"cluster.gpus_per_host={row['gpus']}", f"cluster.inside={inside(row)}"))
            return new.over(step(program.whatif(file, *used)))

        name = f"{row['task']}, {row['year']}, {row['systems'].split(' ')[0]}, {row['precision']}, batch {row['batch_per_gpu']}, {row['gpus']} GPUs"
        yield Case(of(row, "ranks", "scaled", name, row["precision"], 1 / float(row["efficiency"])), ask)


def cases(at):
    folder = at.shared / "truth/precision/lambda"
    yield from precisions(folder)
    yield from scales(folder)
    for row in rows_of(folder / "interconnect.csv"):
        why = "the rates of bridges and of PCIe through host memory are not stated" if row["task"] in TASKS else f"no configuration of {row['task']}"
        yield LeftOut(source(row), "network rate", why)

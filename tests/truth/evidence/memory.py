"""Peaks of memory of PyTorch on the CPU (tests/truth/peak_memory), and of captured pairs of batches on an A100
(SHARED/truth/gpu/pairs)."""
import importlib.util
import pathlib

from .form import Case, Row, peak, rows_of

FOLDER = pathlib.Path(__file__).resolve().parents[1] / "peak_memory"


def compare():
    spec = importlib.util.spec_from_file_location("peak_memory_compare", FOLDER / "compare.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def of(source, benchmark, name, mode, generation, precision, bytes_):
    kind = "convolutions" if "conv" in benchmark else "transformer" if benchmark in ("long", "wide", "ParT") or "transformer" in benchmark else "layers"
    return Row("memory", source, benchmark, name, "captured", mode, "one", kind, generation, precision, "GiB", bytes_ / 2**30)


def batches():
    peaks = {(row["model"], int(row["batch"])): int(row["peak_bytes"]) for row in rows_of(FOLDER / "measured.csv")}
    for (model, batch), _ in peaks.items():
        for (other_model, other), measured in peaks.items():
            if other_model == model and other != batch:
                capture = FOLDER / "traces" / f"{model}-{batch}.json.gz"
                yield Case(of("own-cpu", model, f"{model}, batch {batch} to {other}", "training", "CPU", "fp32", measured),
                           lambda program, capture=capture, factor=other / batch: peak(program.whatif(capture, f"batch.scale={factor}")))


def divided(module):
    for row in rows_of(FOLDER / "divided.csv"):
        settings = module.settings(row["plan"], int(row["layers"]))[1::2]
        capture = FOLDER / "traces" / f"{row['model']}.json.gz"
        yield Case(of("own-cpu", row["model"], f"{row['model']}, {row['plan'] or 'as captured'}", "training", "CPU", "fp32", int(row["peak_bytes"])),
                   lambda program, capture=capture, settings=settings: peak(program.whatif(capture, *settings)))


def pairs(module, folder):
    for row in rows_of(folder / "pairs.csv"):
        if row["name"].startswith("part-"):
            yield Case(of("part-a100", "ParT", row["name"], "inference", "Ampere", "fp16", module.recorded_peak(folder / row["b"])),
                       lambda program, row=row: peak(program.whatif(folder / row["a"], row["question"])))


def cases(at):
    module = compare()
    yield from batches()
    yield from divided(module)
    yield from pairs(module, at.shared / "truth/gpu")

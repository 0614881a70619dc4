"""Pairs of captures on real GPUs that differ by one thing (SHARED/truth/gpu/pairs)."""
import pathlib

from .form import Answer, Case, Row, rows_of
from .models import ratio

AS_CAPTURED = ("--job", pathlib.Path(__file__).with_name("as_captured.yaml"))
# Source, mode, kind of model, generation, precision by the beginning of a pair's name.
PAIRS = {"part": ("part-a100", "inference", "transformer", "Ampere", "fp16"), "scale-part": ("part-a100", "inference", "transformer", "Ampere", "fp16"),
         "adam": ("hpml-a100", "training", "optimizer", "Blackwell to Ampere", "fp32"), "resnet-v100": ("hta-a100", "training", "convolutions", "Volta to Ampere", "fp32 to tf32"),
         "luatil": ("luatil-rtx3060", "training", "transformer", "Ampere", "bf16"), "resnet50-loader": ("kineto-v100", "training", "convolutions", "Volta", "fp32"),
         "t4": ("incredere-t4", "training", "convolutions", "Turing", "fp32 to fp16")}
QUESTIONS = {"batch": "batch", "compute": "other", "precision": "precision", "loading": "loader", "launch": "other", "device": "device"}


def busy(answer):
    """Returns the ratio of the times in which the device works, without collectives."""
    work = answer.get("device_work") or []
    if work:
        def total(change, key):
            return sum(kind[key] for kind in change["classes"] if kind["name"] != "collective")
        return Answer(total(work[-1], "after_ns") / total(work[0], "before_ns"))
    before, after = (answer[side]["breakdown"] for side in ("baseline", "scenario"))
    return Answer((after["compute_ns"] + after["communication_ns"]) / (before["compute_ns"] + before["communication_ns"]))


def cases(at):
    folder = at.shared / "truth/gpu"
    for row in rows_of(folder / "pairs.csv"):
        source, mode, model, generation, precision = next(value for key, value in PAIRS.items() if row["name"].startswith(key))
        for what, function in (("iteration", ratio), ("busy", busy)):
            if row["score"] not in ("both", what):
                continue
            measured = float(row[f"b_{what}_ms"]) / float(row[f"a_{what}_ms"])
            yield Case(Row(QUESTIONS[row["kind"]], source, f"{row['name'].split('-')[0]} {what}", f"{row['name']}, {what}", "captured", mode, "one", model,
                           generation, precision, "ratio", measured, float(row[f"{what}_spread"] or 0) or None),
                       lambda program, row=row, function=function: function(program.whatif(folder / row["a"], *row["question"].split(" ;; "), options=AS_CAPTURED)))

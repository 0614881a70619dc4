"""Our own measured runs (tests/truth/data), each asked as a change of the captured run of its group."""
import pathlib
import types

import score_truth
from .form import Answer, Case, Row, generation, said_of, step

# Folder: source, kind of model, file of runs, relative to the captured step, noise (docs/internals/test-data.md).
FOLDERS = [("ps", "own-namespaces", "layers that sleep", "measured.csv", False, 0.005), ("byteps", "own-namespaces", "layers that sleep", "measured.csv", False, 0.005),
           ("byteps", "own-namespaces", "layers that sleep", "measured-contended.csv", False, None), ("ddp", "own-namespaces", "layers that sleep", "measured.csv", False, 0.01),
           ("fsdp", "own-namespaces", "layers that sleep", "measured.csv", True, None), ("gpu", "own-h100", "", "measured.csv", False, None),
           ("gpu", "own-h100", "", "measured-precision.csv", False, None), ("loader", "own-h200", "transformer", "measured.csv", False, None),
           ("loader", "own-h200", "transformer", "measured-cpu.csv", False, None)]
# The first that a setting begins with is the question of the run.
QUESTIONS = {"cluster.": "ranks", "device.": "device", "precision.": "precision", "batch.": "batch", "loader.": "loader", "comm.partition_bytes": "buckets and partitions",
             "comm.bucket_bytes": "buckets and partitions", "compute": "straggler", "network.": "network rate", "comm.": "other"}


def question(settings):
    return next((name for key, name in QUESTIONS.items() if any(setting.startswith(key) for setting in settings)), "replay")


def changed(before, after):
    return before if before == after else f"{before} to {after}"


def overlapped_collectives():
    """Yields runs of an FSDP-like program: gathers ahead of the layers, and reductions that are not waited for."""
    folder = pathlib.Path(score_truth.__file__).parent / "overlapped_collectives"
    for run in score_truth.rows(folder / "measured.csv"):
        # The trace has no operators of an autograd engine: reductions are selected by name.
        settings = [f"overlap.prefetch={run['prefetch']}"] * (run["prefetch"] != "0") + ["overlap{name=all_reduce}.collectives=asynchronous"] * int(run["asynchronous"])
        yield Case(Row("other" if settings else "replay", "own-namespaces", "overlapped_collectives", f"overlapped_collectives: {' '.join(settings) or 'as captured'}", "captured",
                       "training", "several", "layers that sleep", "CPU", "none", "s", float(run["median_step_s"]), float(run["most"]) / float(run["least"]) - 1),
                   lambda program, settings=settings: step(program.whatif(folder / "traces", *(settings or ["host.scale=1"]))))


def cases(at):
    yield from overlapped_collectives()
    for folder, source, model, name, relative, noise in FOLDERS:
        for file in sorted((at.measured / folder).glob(f"*/{name}")):
            group = file.parent
            base = next(run for run in score_truth.rows(group / "measured.csv") if run["is_base"] == "1")
            gpu = source != "own-namespaces"
            for run in score_truth.rows(file):
                settings = score_truth.settings_of(run, base)

                def ask(program, group=group, base=base, settings=settings, relative=relative):
                    found = program.whatif(group / "base/traces", *settings, options=("--job", group / "base/job.yaml"))
                    return Answer(*score_truth.predicted_times(found, base, types.SimpleNamespace(relative=relative)), *said_of(found["capture"]))

                measured = float(run["mean_step_s" if "mean_step_s" in run else "median_step_s"])
                kind = model or ("convolutions" if "resnet" in group.name else "transformer")
                precision = changed(base["precision"], run["precision"]) if "precision" in run else "tf32" if gpu else "none"
                devices = generation(base.get("device", "H200"), run.get("device")) if gpu else "CPU"
                yield Case(Row(question(settings), source, group.name, f"{group.name}: {' '.join(settings) or 'as captured'}", "captured", "training",
                               "one" if gpu else "several", kind, devices, precision, "s", measured, noise), ask)

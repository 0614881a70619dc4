"""Steps of two production jobs (64 and 128 GPUs), replayed from tables of their operations (SHARED/truth/cluster/production)."""
import json

from .form import Answer, Case, Row

JOBS = {"AR": "bytedance-64", "SE": "bytedance-128"}


def replayed(answer, step):
    """Returns the longest time of a rank's step, in seconds."""
    return max(one["replayed_ns"] for one in answer["steps"] if one["step"] == step) / 1e9


def cases(at):
    folder = at.shared / "truth/cluster/production"
    for job, source in JOBS.items():
        published = json.loads((folder / f"result-{job}.json").read_text(encoding="utf-8"))
        for step, seconds in published["step_t_base"].items():
            yield Case(Row("replay", source, job, f"{job}, step {step}", "captured", "training", "several", "transformer", "unknown", "bf16", "s", float(seconds)),
                       lambda program, job=job, step=int(step): Answer(replayed(program.json("replay", folder / f"trace-{job}.csv.gz"), step)))

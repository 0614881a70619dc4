"""Writes job.yaml: the properties of the job that traces do not contain (docs/reference/job.md)."""
import os

from . import shared_folder
from .guard import warn

_HEAD = "# Written by stepsim capture --torch. A job.yaml without this line is never replaced.\n"


def job_text(world_size, backend, bucket_bytes, step_ns, free_steps):
    """Returns the text of job.yaml, without the values that are None. `bucket_bytes` has the bucket size of each
    DistributedDataParallel module; it is written if all are the same."""
    lines = [_HEAD]
    if bucket_bytes:
        lines.append("framework: pytorch-ddp\n")
    if backend and backend.isidentifier() and backend != "undefined":
        lines.append("backend: %s\n" % backend)
    if world_size is not None:
        lines.append("workers: %d\n" % world_size)
    if bucket_bytes and len(set(bucket_bytes)) == 1 and bucket_bytes[0] > 0:
        lines.append("bucket_bytes: %d\n" % bucket_bytes[0])
    if step_ns:
        lines.append("measured_step: %dns  # of %d steps before the profiler started\n" % (step_ns, free_steps))
    else:
        lines.append("# measured_step is not known: no whole step ran before the profiler; expected --wait 2 or more\n")
    return "".join(lines)


def write_job(directory, text):
    """Writes job.yaml, unless the folder has one that stepsim did not write."""
    with shared_folder.opened(directory) as folder:
        try:
            there = shared_folder.read_beginning(folder, "job.yaml", len(_HEAD))
        except OSError:  # a link or a pipe
            there = b""
        if there is None or there == _HEAD.encode():
            shared_folder.replace_file(folder, "job.yaml", text.encode())
        else:
            warn("capture: %s is not ours and stays; what was seen of this job: %s"
                 % (os.path.join(directory, "job.yaml"), " ".join(text[len(_HEAD):].split("\n")).strip()))

"""Names trace files, and writes them atomically."""
import gzip
import os
import re
import socket

ENDING = ".pt.trace.json.gz"


def base_name(rank, host=None):
    """Returns the beginning of a rank's file names, such as "node7_rank3"."""
    host = (socket.gethostname() if host is None else host).split(".")[0]
    return "%s_rank%d" % (re.sub(r"[^A-Za-z0-9_-]", "_", host) or "host", rank)


def began_ns(run):
    """Returns the start time of `stepsim capture` from the name of the run, PROCESS-NANOSECONDS."""
    text = run.rpartition("-")[2]
    return int(text) if text.isdigit() else 0


def free_path(directory, name, ending, run):
    """Returns DIRECTORY/NAME ENDING. Adds the process id to the name if another process of this run wrote that file."""
    path = os.path.join(directory, name + ending)
    try:
        taken = os.stat(path).st_mtime_ns >= began_ns(run) > 0
    except OSError:
        taken = False
    return os.path.join(directory, "%s_%d%s" % (name, os.getpid(), ending)) if taken else path


def put_in_place(draft, path, unfinished=None):
    """Compresses a shared_folder.Draft to `path` in its directory, atomically. If the program did not complete the step
    `unfinished`, renames its mark, so that it is not replayed."""
    mark = None if unfinished is None else b'"ProfilerStep#%d"' % unfinished

    def compress(source, target):
        with gzip.open(target, "wb", compresslevel=3) as packed:
            for line in source:
                packed.write(line.replace(mark, b'"unfinished step#%d"' % unfinished) if mark else line)

    draft.put_in_place(compress, os.path.basename(path))

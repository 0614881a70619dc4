"""Names trace files, and writes them atomically."""
import gzip
import os
import re
import socket
import tempfile

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


def temporary_file(directory):
    """Creates an empty file in the folder and returns its path. PyTorch takes the format from the ending .json. If the
    file is left over, it is not mistaken for a trace, because its name begins with a dot."""
    handle, path = tempfile.mkstemp(prefix=".stepsim-", suffix=".json", dir=directory)
    os.close(handle)
    return path


def put_in_place(plain, path, unfinished=None):
    """Compresses the file `plain` to `path` atomically, and removes it. If the program did not complete the step
    `unfinished`, renames its mark, so that it is not replayed."""
    directory = os.path.dirname(path)
    packed = temporary_file(directory)
    mark = None if unfinished is None else b'"ProfilerStep#%d"' % unfinished
    try:
        with open(plain, "rb") as source, gzip.open(packed, "wb", compresslevel=3) as target:
            for line in source:
                target.write(line.replace(mark, b'"unfinished step#%d"' % unfinished) if mark else line)
        os.chmod(packed, 0o666 & ~_umask())
        os.replace(packed, path)
    finally:
        for left_over in (plain, packed):
            if os.path.exists(left_over):
                os.remove(left_over)


def _umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask

"""Trace files: their names, and how they come into the folder whole."""
import gzip
import os
import re
import socket
import tempfile

ENDING = ".pt.trace.json.gz"


def base_name(rank, host=None):
    """"node7_rank3": what the files of a rank begin with."""
    host = (socket.gethostname() if host is None else host).split(".")[0]
    return "%s_rank%d" % (re.sub(r"[^A-Za-z0-9_-]", "_", host) or "host", rank)


def began_ns(run):
    """When `stepsim capture` began, by the name that it gave the run: PROCESS-NANOSECONDS."""
    text = run.rpartition("-")[2]
    return int(text) if text.isdigit() else 0


def free_path(directory, name, ending, run):
    """DIRECTORY/NAME ENDING, with our process in the name if another process of this run has written that one."""
    path = os.path.join(directory, name + ending)
    try:
        taken = os.stat(path).st_mtime_ns >= began_ns(run) > 0
    except OSError:
        taken = False
    return os.path.join(directory, "%s_%d%s" % (name, os.getpid(), ending)) if taken else path


def temporary_file(directory):
    """The path of a new, empty file in the folder. It does not look like a trace, should it be left over."""
    handle, path = tempfile.mkstemp(prefix=".stepsim-", suffix=".part", dir=directory)
    os.close(handle)
    return path


def put_in_place(plain, path, unfinished=None):
    """Compresses the file `plain` to `path`, whole or not at all, and removes it. The mark of the step `unfinished`, which
    the program did not complete, gets another name: it is no step to be replayed."""
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

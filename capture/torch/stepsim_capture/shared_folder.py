"""Files in folders that other users may write to. At any time they may put a link or a pipe there, under the name that
we are about to use. So names are random, nothing that exists is written to, and no link is followed; the folder itself
may not be a link either."""
import contextlib
import os
import stat

_FOLDER = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW


@contextlib.contextmanager
def opened(path):
    """Opens a folder for the functions below."""
    folder = os.open(path, _FOLDER)
    try:
        yield folder
    finally:
        os.close(folder)


def new_file(folder, name):
    """Creates a file and opens it for writing bytes. Raises FileExistsError if the name is in use."""
    return open(name, "xb", opener=lambda _, flags: os.open(name, flags | os.O_NOFOLLOW, 0o666, dir_fd=folder))


def random_name():
    """Returns the name of a temporary file. If it is left over, it is not mistaken for a trace, because its name begins
    with a dot."""
    return ".stepsim-" + os.urandom(8).hex()


def replace_file(folder, name, content):
    """Creates a file or replaces it as a whole."""
    temporary = random_name()
    try:
        with new_file(folder, temporary) as file:
            file.write(content)
        os.replace(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        with contextlib.suppress(OSError):
            os.remove(temporary, dir_fd=folder)
        raise


def read_beginning(folder, name, most):
    """Returns the first `most` bytes of a regular file; None if it does not exist. Raises OSError for anything else."""
    try:
        file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    except FileNotFoundError:
        return None
    with open(file, "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError("%s is not a regular file" % name)
        return file.read(most)


class Draft:
    """A file that others write by its path, until the end of the block or discard(). It is in a folder of its own, which
    belongs to our user and stays the same, whatever happens to the folder around it."""

    def __init__(self, directory):
        self._directory = directory
        self._name = random_name()
        with opened(directory) as around:
            os.mkdir(self._name, 0o700, dir_fd=around)
            self._folder = os.open(self._name, _FOLDER, dir_fd=around)
        # PyTorch takes the format from the ending .json.
        self.path = "/proc/self/fd/%d/trace.json" % self._folder
        with new_file(self._folder, "trace.json") as file:
            ours = os.fstat(file.fileno()).st_uid == os.fstat(self._folder).st_uid
        if not ours:
            self.discard()
            raise OSError("%s: another user has replaced our folder %s" % (directory, self._name))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.discard()

    def put_in_place(self, write, name):
        """Calls `write(source, target)` with files of bytes: the draft, and one that becomes `name` in the directory."""
        with open(self.path, "rb") as source, new_file(self._folder, "packed") as target:
            write(source, target)
        with opened(self._directory) as around:
            os.replace("packed", name, src_dir_fd=self._folder, dst_dir_fd=around)

    def discard(self):
        """Removes the draft. Call it once."""
        for name in os.listdir(os.path.dirname(self.path)):
            os.remove(name, dir_fd=self._folder)
        os.close(self._folder)
        with opened(self._directory) as around, contextlib.suppress(OSError):
            os.rmdir(self._name, dir_fd=around)

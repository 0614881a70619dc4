"""What the scripts that capture programs share: a folder for each capture, and what its replay counted."""
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "cli"))
from checks import check, verdict  # noqa: E402, F401

work = tempfile.TemporaryDirectory()
folders = 0


def expect(condition, what, detail=""):
    check(what, condition, detail)


def folder():
    """The path of a folder that is not there yet."""
    global folders
    folders += 1
    return os.path.join(work.name, str(folders))


def diagnostics(answer):
    return {entry["name"]: entry["count"] for entry in answer.get("ingest", {}).get("diagnostics", [])}

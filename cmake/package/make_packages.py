#!/usr/bin/env python3
"""make_packages.py BUILD FOLDER: makes all packages of a build in FOLDER: the .deb files (CPack), the relocatable
archive, the bill of materials and SHA256SUMS. The same sources and tools give the same bytes, because every date is that
of the commit, or SOURCE_DATE_EPOCH."""
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys

import archive
import sbom

SOURCE = pathlib.Path(__file__).resolve().parents[2]


def commit_time():
    if "SOURCE_DATE_EPOCH" in os.environ:
        return int(os.environ["SOURCE_DATE_EPOCH"])
    found = subprocess.run(["git", "-C", SOURCE, "log", "-1", "--format=%ct"], check=False, capture_output=True, text=True)
    return int(found.stdout) if found.returncode == 0 and found.stdout else 0


def main(build, folder):
    time = commit_time()
    os.environ["SOURCE_DATE_EPOCH"] = str(time)
    os.umask(0o022)
    printed = subprocess.run([build / "bin" / "stepsim", "--version"], check=True, capture_output=True, text=True).stdout
    version, commit = re.search(r"stepsim (\S+) \(commit ([^)]*)\)", printed).groups()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    subprocess.run(["cpack", "--config", build / "CPackConfig.cmake", "-B", folder / "cpack"], check=True,
                   stdout=subprocess.DEVNULL)
    for file in sorted((folder / "cpack").glob("*.deb")):
        file.rename(folder / file.name)
    shutil.rmtree(folder / "cpack")
    archive.make(build, folder, version, time)
    files = sorted(file for file in folder.iterdir() if file.is_file())
    (folder / f"stepsim-{version}.spdx.json").write_text(sbom.make(build, files, version, commit, time))
    files = sorted(file for file in folder.iterdir() if file.is_file())
    (folder / "SHA256SUMS").write_text(
        "".join(f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in files))
    for file in files:
        print(f"{file.stat().st_size:>12,} {file}")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve())

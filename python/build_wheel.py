"""Build backend of pyproject.toml (PEP 517 and 660): builds the extension with CMake and packs wheels (PEP 427) and
source archives.

It is our own because pip may not be able to fetch another one: scikit-build-core is not in Debian 12, and pip hides
Debian's setuptools from the build.

    pip install .                                         builds in build/wheel
    pip install -e .                                      the same, and changes of python/stepsim/ need no other install
    pip install . --config-settings build=build/release   takes the extension that this build has made

CMAKE_BUILD_PARALLEL_LEVEL limits the number of compilers that run at once. `pip -v` shows their progress. The files in
a wheel have the time of SOURCE_DATE_EPOCH, by default the begin of 1980.
"""

import base64
import gzip
import hashlib
import io
import os
import re
import subprocess
import sys
import sysconfig
import tarfile
import time
import zipfile
from pathlib import Path

try:
    import tomllib
except ImportError:  # before Python 3.11
    import tomli as tomllib

SOURCE = Path(__file__).resolve().parent.parent
EARLIEST = 315532800  # 1980, the first year of zip archives
PROJECT = tomllib.loads((SOURCE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
VERSION = re.search(r"project\(stepsim VERSION ([0-9.]+)", (SOURCE / "CMakeLists.txt").read_text(encoding="utf-8"))[1]
INFO = f"stepsim-{VERSION}.dist-info"


def metadata():
    """Returns the core metadata (PEP 566) of [project]."""
    lines = ["Metadata-Version: 2.1", f"Name: {PROJECT['name']}", f"Version: {VERSION}",
             f"Summary: {PROJECT['description']}", f"License: {PROJECT['license']['text']}",
             *(f"Classifier: {classifier}" for classifier in PROJECT["classifiers"]),
             f"Requires-Python: {PROJECT['requires-python']}"]
    for extra, packages in PROJECT["optional-dependencies"].items():
        lines.append(f"Provides-Extra: {extra}")
        lines += [f"Requires-Dist: {package}; extra == '{extra}'" for package in packages]
    readme = (SOURCE / PROJECT["readme"]).read_text(encoding="utf-8")
    return "\n".join([*lines, "Description-Content-Type: text/markdown", "", readme]).encode()


def info_files():
    """Returns the files of the .dist-info folder but for RECORD, by their path in the wheel."""
    scripts = "".join(f"{name} = {function}\n" for name, function in PROJECT["scripts"].items())
    return {f"{INFO}/METADATA": metadata(),
            f"{INFO}/WHEEL": f"Wheel-Version: 1.0\nGenerator: stepsim\nRoot-Is-Purelib: false\nTag: {tag()}\n".encode(),
            f"{INFO}/entry_points.txt": f"[console_scripts]\n{scripts}".encode(),
            f"{INFO}/LICENSE": (SOURCE / "LICENSE").read_bytes()}


def tag():
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    return f"{python}-{python}-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"


def built_package(config_settings):
    """Builds the extension, unless the settings name a build that has it. Returns the package's folder in the build."""
    if built := (config_settings or {}).get("build"):
        build = Path(built).resolve()
    else:
        build = SOURCE / "build" / "wheel"
        print(f"stepsim: compiling in {build}, which takes minutes", file=sys.stderr, flush=True)
        run("cmake", "-S", SOURCE, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
            "-DSTEPSIM_BUILD_PYTHON=ON",
            f"-DPython_EXECUTABLE={sys.executable}")
        run("cmake", "--build", build, "--target", "stepsim_python")
    package = build / "python" / "stepsim"
    if not (package / extension()).exists():
        raise SystemExit(f"error: {package} has no {extension()}; expected a build with -DSTEPSIM_BUILD_PYTHON=ON for "
                         "this Python")
    return package


def extension():
    return f"_core{sysconfig.get_config_var('EXT_SUFFIX')}"


def run(*command):
    """Runs a command that prints its progress to standard error."""
    subprocess.run(command, check=True, stdout=sys.stderr)


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    """Writes the metadata, for which nothing need be compiled."""
    for path, content in info_files().items():
        file = Path(metadata_directory) / path
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(content)
    return INFO


prepare_metadata_for_build_editable = prepare_metadata_for_build_wheel


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    built = built_package(config_settings) / extension()
    sources = [path for path in (SOURCE / "python" / "stepsim").iterdir() if path.is_file()]
    files = {f"stepsim/{path.name}": path.read_bytes() for path in [*sources, built]}
    return pack(wheel_directory, dict(sorted(files.items())))


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """Packs a wheel that imports the package from the build, where its sources are links to python/stepsim/."""
    package = built_package(config_settings)
    return pack(wheel_directory, {"stepsim.pth": f"{package.parent}\n".encode()})


def pack(wheel_directory, files):
    """Writes a wheel with these files, by their path in it. The same files give the same bytes."""
    files = {**files, **info_files()}
    lines = [f"{path},sha256={digest(content)},{len(content)}\n" for path, content in files.items()]
    files[f"{INFO}/RECORD"] = "".join([*lines, f"{INFO}/RECORD,,\n"]).encode()
    name = f"stepsim-{VERSION}-{tag()}.whl"
    written = time.gmtime(max(EARLIEST, int(os.environ.get("SOURCE_DATE_EPOCH", EARLIEST))))[:6]
    with zipfile.ZipFile(Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, content in files.items():
            entry = zipfile.ZipInfo(path, written)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            wheel.writestr(entry, content)
    return name


def digest(content):
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


def build_sdist(sdist_directory, config_settings=None):
    """Packs the files of the current commit, and PKG-INFO."""
    if not (SOURCE / ".git").exists():
        raise SystemExit(f"error: {SOURCE} is not a git checkout; expected one to pack its files")
    folder = f"stepsim-{VERSION}"
    archive = io.BytesIO(git("archive", "--format=tar", f"--prefix={folder}/", "HEAD"))
    committed = int(git("log", "-1", "--format=%ct"))
    with tarfile.open(fileobj=archive, mode="a") as tar:
        entry = tarfile.TarInfo(f"{folder}/PKG-INFO")
        content = metadata()
        entry.size, entry.mtime, entry.mode = len(content), committed, 0o644
        tar.addfile(entry, io.BytesIO(content))
    target = Path(sdist_directory) / f"{folder}.tar.gz"
    target.write_bytes(gzip.compress(archive.getvalue(), mtime=committed))
    return target.name


def git(*arguments):
    return subprocess.run(["git", "-C", SOURCE, *arguments], check=True, stdout=subprocess.PIPE).stdout

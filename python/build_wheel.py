"""Build backend of pyproject.toml (PEP 517): builds the extension with CMake and packs the wheel (PEP 427).

It is our own because pip may not be able to fetch another one: scikit-build-core is not in Debian 12, and pip hides
Debian's setuptools from the build.

    pip install .                                         builds in build/wheel
    pip install . --config-settings build=build/release   takes the extension that this build has made
"""

import base64
import hashlib
import os
import re
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent
TIME = (1980, 1, 1, 0, 0, 0)  # of every file, so that the same sources give the same bytes


def version():
    return re.search(r"project\(stepsim VERSION ([0-9.]+)", (SOURCE / "CMakeLists.txt").read_text()).group(1)


def metadata():
    readme = (SOURCE / "README.md").read_text()
    return ("Metadata-Version: 2.1\nName: stepsim\n" f"Version: {version()}\n"
            "Summary: Replays captured training steps of distributed jobs and predicts what changes would do\n"
            "Requires-Python: >=3.9\nProvides-Extra: columns\nProvides-Extra: tables\nProvides-Extra: progress\n"
            "Requires-Dist: numpy; extra == 'columns'\nRequires-Dist: numpy; extra == 'tables'\n"
            "Requires-Dist: pandas; extra == 'tables'\nRequires-Dist: tqdm; extra == 'progress'\n"
            f"Description-Content-Type: text/markdown\n\n{readme}")


def build_extension():
    """Builds with CMake, on all cores unless STEPSIM_JOBS says otherwise. Returns the build folder."""
    build = SOURCE / "build" / "wheel"
    jobs = os.environ.get("STEPSIM_JOBS", str(os.cpu_count()))
    subprocess.run(["cmake", "-S", SOURCE, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                    "-DSTEPSIM_BUILD_PYTHON=ON", "-DSTEPSIM_BUILD_TESTS=OFF", "-DSTEPSIM_BUILD_BENCHMARKS=OFF",
                    f"-DPython_EXECUTABLE={sys.executable}"], check=True)
    subprocess.run(["cmake", "--build", build, "--parallel", jobs, "--target", "stepsim_python"], check=True)
    return build


def tag():
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    return f"{python}-{python}-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    built = (config_settings or {}).get("build")
    package = (Path(built).resolve() if built else build_extension()) / "python" / "stepsim"
    info = f"stepsim-{version()}.dist-info"
    extension = f"_core{sysconfig.get_config_var('EXT_SUFFIX')}"
    files = {f"stepsim/{path.name}": path.read_bytes() for path in sorted(package.iterdir())
             if path.suffix in (".py", ".pyi", ".typed") or path.name in (extension, "py.typed")}
    files[f"{info}/METADATA"] = metadata().encode()
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: stepsim\nRoot-Is-Purelib: false\nTag: {tag()}\n".encode()
    files[f"{info}/entry_points.txt"] = b"[console_scripts]\nstepsim = stepsim.__main__:main\n"
    files[f"{info}/LICENSE"] = (SOURCE / "LICENSE").read_bytes()
    record = f"{info}/RECORD"
    name = f"stepsim-{version()}-{tag()}.whl"
    with zipfile.ZipFile(Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        lines = [f"{path},sha256={digest(content)},{len(content)}\n" for path, content in files.items()]
        files[record] = ("".join(lines) + f"{record},,\n").encode()
        for path, content in files.items():
            entry = zipfile.ZipInfo(path, TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            wheel.writestr(entry, content)
    return name


def digest(content):
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


def build_sdist(sdist_directory, config_settings=None):
    """Packs the files of the current commit."""
    name = f"stepsim-{version()}"
    target = Path(sdist_directory) / f"{name}.tar.gz"
    subprocess.run(["git", "-C", SOURCE, "archive", "--format=tar.gz", f"--prefix={name}/", "-o", target.resolve(),
                    "HEAD"], check=True)
    return target.name

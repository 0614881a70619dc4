"""Makes stepsim-VERSION-linux-MACHINE.tar.gz: the program and the capture module, to be unpacked anywhere.

The program comes with every shared library that it needs, the C library and its loader included, because no static
oneTBB is packaged and older systems have an older C library. bin/stepsim is a script that starts this loader. The
capture module is loaded into other programs, so it uses their C library."""
import gzip
import pathlib
import platform
import re
import shutil
import subprocess
import tarfile

HERE = pathlib.Path(__file__).resolve().parent


def shared_libraries(program):
    """The libraries that `program` loads, by the names under which it looks for them; the loader is one of them."""
    printed = subprocess.run(["ldd", program], check=True, capture_output=True, text=True).stdout
    found = dict(re.findall(r"^\s*(\S+) => (/\S+) \(", printed, re.MULTILINE))
    for loader in re.findall(r"^\s*(/\S+) \(", printed, re.MULTILINE):
        found[pathlib.Path(loader).name] = loader
    if "not found" in printed:
        raise SystemExit(f"{program} needs a library that is not installed:\n{printed}")
    return {name: pathlib.Path(path) for name, path in found.items()}


def packages_of(paths):
    """Which Debian package installed each of these files: {path: "libc6:amd64"}. A file that none installed is left out.
    Since /lib became a link to /usr/lib, dpkg may know a file by either name."""
    names = {}
    for path in paths:
        real = str(path.resolve())
        names.update({real: path, real.removeprefix("/usr"): path, str(path): path})
    printed = subprocess.run(["dpkg-query", "--search", *names], check=False, capture_output=True, text=True).stdout
    found = (line.split(": ", 1) for line in printed.splitlines())
    return {names[name]: package.split(", ")[0] for package, name in found if name in names}


def add_libraries(root):
    """Moves the program away from bin/ and puts its libraries, their licences and the launcher into `root`."""
    program = root / "libexec" / "stepsim"
    program.parent.mkdir()
    (root / "bin" / "stepsim").rename(program)
    private = root / "lib" / "private"
    private.mkdir(parents=True)
    licences = root / "share" / "doc" / "stepsim" / "licences"
    licences.mkdir(parents=True)
    libraries = shared_libraries(program)
    packages = packages_of(libraries.values())
    for name, path in libraries.items():
        if path not in packages:
            raise SystemExit(f"{path} belongs to no Debian package, so its licence is unknown; expected a packaged library")
        shutil.copyfile(path, private / name)
        (private / name).chmod(0o755)
        package = packages[path].split(":")[0]
        shutil.copyfile(f"/usr/share/doc/{package}/copyright", licences / f"{package}.txt")
    loader = next(path.name for path in private.iterdir() if path.name.startswith("ld-"))
    launcher = root / "bin" / "stepsim"
    launcher.write_text((HERE / "launcher.sh").read_text().replace("LOADER", loader))
    launcher.chmod(0o755)


def pack(root, file, time):
    """Writes `root` as a tar.gz whose bytes depend on nothing but names, contents and `time`."""
    def same(entry):
        entry.uid = entry.gid = 0
        entry.uname = entry.gname = "root"
        entry.mtime = time
        entry.mode = 0o755 if entry.isdir() or entry.mode & 0o100 else 0o644
        return entry

    with open(file, "wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=time) as packed, \
            tarfile.open(fileobj=packed, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for path in [root, *sorted(root.rglob("*"))]:
            archive.add(path, str(path.relative_to(root.parent)), recursive=False, filter=same)


def make(build, folder, version, time):
    """Makes the archive of a build in `folder`, and returns its path."""
    name = f"stepsim-{version}-linux-{platform.machine()}"
    work = folder / "work"
    shutil.rmtree(work, ignore_errors=True)
    for component in ("runtime", "capture"):
        subprocess.run(["cmake", "--install", build, "--prefix", work / name, "--component", component, "--strip"],
                       check=True, stdout=subprocess.DEVNULL)
    add_libraries(work / name)
    file = folder / f"{name}.tar.gz"
    pack(work / name, file, time)
    shutil.rmtree(work)
    return file

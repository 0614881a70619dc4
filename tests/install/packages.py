#!/usr/bin/env python3
"""packages.py BUILD: makes the packages of a build twice, and installs them into a bare Debian 12 and, for the archive,
also into an older system.

packages.py --make-roots: makes these systems with debootstrap, which needs root and a mirror of Debian, and keeps them
for a week in the user's cache folder, so that the tests need no network. Without them, what runs inside of a root is
skipped."""
import contextlib
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import unittest

BUILD = pathlib.Path(sys.argv[1]).resolve()
SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "cmake"))
import history  # noqa: E402

ROOTS = history.FOLDER / "roots"
ROOTS_LAST_SECONDS = 7 * 24 * 3600  # after that, packages of the mirror may have newer versions than the roots' lists
# The archive must also run with an older C library: Debian 11 has glibc 2.31, older than that of Ubuntu 22.04 (2.35)
# and RHEL 9 (2.34). Its packages are only unpacked.
BARE, OLDER = "bookworm", "bullseye"
OPTIONS = {BARE: [], OLDER: ["--foreign"]}
# What the test in the bare system uses besides our packages. What our packages depend on comes with the libraries' headers.
USED_IN_ROOT = ["python3-pandas", "man-db", "g++", "pkg-config"]
PACKAGING = ["cmake", "*CMakeLists.txt", "tests/install", "cli/help", "python", "dev"]
MAKER = SOURCE / "cmake" / "package" / "make_packages.py"
SAMPLE = "scenarios/samples/pytorch-ddp"
# Commands of the README, and how their answers begin.
COMMANDS = {
    ("check", SAMPLE, "--brief"): "Good: 2 ranks",
    ("replay", SAMPLE, "--brief"): "Step time 280.6 ms",
    ("whatif", SAMPLE, "--set", "network.bandwidth=2x", "--brief"): "Step time 175.8 ms",
}
OLDEST_GLIBC_OF_CAPTURE = (2, 34)  # docs/start/first-answer.md says so


def run(*command, **more):
    done = subprocess.run(command, **{"capture_output": True, "text": True, "check": False, **more})
    if done.returncode != 0:
        raise AssertionError(f"{command} ended with {done.returncode}:\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return done.stdout


class Root:
    """A system in a folder of its own. Nothing of this machine is mounted into it."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True)

    @classmethod
    def unpacked(cls, folder, suite):
        archive = ROOTS / f"{suite}.tar"
        if not archive.exists() or os.geteuid() != 0:
            raise unittest.SkipTest(f"there is no root with {suite}, or this is not root")
        root = cls(folder)
        run("tar", "-C", root.folder, "-xf", archive)
        return root

    def run(self, *command, user=None, folder="/"):
        """Runs a command in the root, as root or as an ordinary user."""
        as_user = [f"--userspec={user}:{user}"] if user else []
        return run("chroot", *as_user, self.folder, "/bin/sh", "-c", 'cd "$0" && exec "$@"', folder, *command,
                   env={"PATH": "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/tmp", "LC_ALL": "C.UTF-8",
                        "DEBIAN_FRONTEND": "noninteractive"})

    def put(self, source, target):
        target = self.folder / target.lstrip("/")
        (shutil.copytree if source.is_dir() else shutil.copyfile)(source, target)

    def remove(self):
        mounts = pathlib.Path("/proc/mounts").read_text()
        if f" {self.folder.resolve()}/" in mounts:
            raise AssertionError(f"{self.folder} still has mounts; it was not removed")
        shutil.rmtree(self.folder, ignore_errors=True)


def make_root(suite):
    """Makes the archive of a root; of the bare one, with the packages that the test will install."""
    retries = ["-o", "Acquire::Retries=5"]
    folder = pathlib.Path(tempfile.mkdtemp(prefix="stepsim-root-"))
    root = Root(folder / suite)
    try:
        run("debootstrap", "--variant=minbase", *OPTIONS[suite], suite, root.folder)
        if suite == BARE:
            settings = (SOURCE / "cmake" / "StepsimPackage.cmake").read_text()
            needed = re.search(r'CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "(.*?)"', settings).group(1).split(", ")
            root.run("apt-get", "update", "-q", *retries)
            root.run("apt-get", "install", "-q", "-y", "--download-only", "--no-install-recommends", *retries, *USED_IN_ROOT, *needed)
        ROOTS.mkdir(parents=True, exist_ok=True)
        part = ROOTS / f"{folder.name}.part"
        run("tar", "-C", root.folder, "-cf", part, ".")
        part.rename(ROOTS / f"{suite}.tar")
    finally:
        root.remove()
        folder.rmdir()


def make_roots():
    """Makes the roots that are missing or old. Returns the exit code: 1 if they cannot be made here."""
    if shutil.which("debootstrap") is None or os.geteuid() != 0:
        print("debootstrap is absent, or this is not root")
        return 1
    for suite in OPTIONS:
        archive = ROOTS / f"{suite}.tar"
        if archive.exists() and time.time() - archive.stat().st_mtime < ROOTS_LAST_SECONDS:
            continue
        for left in (2, 1, 0):
            try:
                make_root(suite)
                break
            except AssertionError as error:
                print(error)
                if left == 0:
                    return 1
    return 0


class Packages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.stack = contextlib.ExitStack()
        cls.work = pathlib.Path(cls.stack.enter_context(tempfile.TemporaryDirectory()))
        cls.folder = cls.work / "packages"
        run(sys.executable, "-B", MAKER, BUILD, cls.folder)
        cls.archive = next(cls.folder.glob("*.tar.gz"))

    @classmethod
    def tearDownClass(cls):
        cls.stack.close()

    def root(self, suite):
        root = Root.unpacked(self.work / suite, suite)
        self.addCleanup(root.remove)
        return root

    def check_commands(self, root, program, folder, user):
        """The installed program prints what the program of the build prints."""
        for command, beginning in COMMANDS.items():
            with self.subTest(command):
                printed = root.run(program, *command, user=user, folder=folder)
                self.assertTrue(printed.startswith(beginning), printed)
                self.assertEqual(printed, run(BUILD / "bin" / "stepsim", *command, cwd=SOURCE))

    def check_archive(self, root):
        with tarfile.open(self.archive) as archive:
            archive.extractall(root.folder / "opt")
        name = self.archive.name.removesuffix(".tar.gz")
        (root.folder / "usr" / "local" / "bin").mkdir(parents=True, exist_ok=True)
        (root.folder / "usr" / "local" / "bin" / "stepsim").symlink_to(f"/opt/{name}/bin/stepsim")
        self.check_commands(root, "stepsim", f"/opt/{name}/share/stepsim", user=65534)
        # It finds the module next to it, and it finds itself when it starts processes of its own.
        root.run("stepsim", "capture", "--dir", "/tmp/traces", "--", "true", user=65534)
        points = root.run("stepsim", "sweep", f"/opt/{name}/share/stepsim/{SAMPLE}", "--set", "network.bandwidth=1x,2x",
                          "--engine", "local", "--json", user=65534, folder="/tmp")
        self.assertEqual(len(json.loads(points)["points"]), 2)

    def test_the_same_bytes_twice(self):
        again = self.work / "again"
        run(sys.executable, "-B", MAKER, BUILD, again, cwd="/", umask=0o077)
        for file in sorted(self.folder.iterdir()):
            with self.subTest(file.name):
                self.assertEqual(file.read_bytes(), (again / file.name).read_bytes())

    def test_no_path_of_this_machine_is_inside(self):
        with tarfile.open(self.archive) as archive:
            for member in archive:
                if member.isfile() and "/lib/private/" not in member.name:
                    with self.subTest(member.name):
                        self.assertNotIn(str(SOURCE).encode() + b"/", archive.extractfile(member).read())

    def test_lintian_is_content(self):
        if shutil.which("lintian") is None:
            self.skipTest("lintian is absent")
        found = subprocess.run(["lintian", "--allow-root", "--tag-display-limit", "0", *sorted(self.folder.glob("*.deb"))],
                               capture_output=True, text=True, check=False)
        self.assertEqual(found.stdout, "")

    def test_the_capture_module_runs_with_older_c_libraries(self):
        with tempfile.TemporaryDirectory() as folder, tarfile.open(self.archive) as archive:
            member = next(name for name in archive.getnames() if name.endswith("libstepsim_capture.so"))
            archive.extract(member, folder)
            needed = run("objdump", "-p", pathlib.Path(folder, member))
        versions = {tuple(map(int, version.split("."))) for version in re.findall(r"GLIBC_([\d.]+)$", needed, re.MULTILINE)}
        self.assertTrue(versions)
        self.assertLessEqual(max(versions), OLDEST_GLIBC_OF_CAPTURE)
        self.assertNotIn("libstdc++", needed)

    def test_the_bill_of_materials_is_of_these_files(self):
        bill = json.loads(next(self.folder.glob("*.spdx.json")).read_text())
        described = {package["SPDXID"]: package for package in bill["packages"]}
        self.assertEqual(len(described), len(bill["packages"]))
        for relation in bill["relationships"]:
            for end in (relation["spdxElementId"], relation["relatedSpdxElement"]):
                self.assertTrue(end == "SPDXRef-DOCUMENT" or end in described, end)
        digests = {package["packageFileName"]: package["checksums"][0]["checksumValue"]
                   for package in described.values() if "packageFileName" in package}
        files = [file for file in self.folder.iterdir() if file.suffix in (".deb", ".gz")]
        self.assertEqual(digests, {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files})
        archive = next(identifier for identifier, package in described.items() if package.get("packageFileName") == self.archive.name)
        inside = {described[relation["relatedSpdxElement"]]["name"] for relation in bill["relationships"]
                  if relation["spdxElementId"] == archive and relation["relationshipType"] == "CONTAINS"}
        with tarfile.open(self.archive) as packed:
            licences = {pathlib.Path(name).stem for name in packed.getnames() if "/licences/" in name}
        self.assertEqual(inside - {"uplot"}, licences)
        self.assertLessEqual({"libc6", "libtbb12", "libstdc++6"}, inside)
        self.assertLessEqual({"libeigen3-dev", "libcli11-dev"}, {package["name"] for package in described.values()})

    def test_the_archive_runs_on_an_older_system(self):
        root = self.root(OLDER)
        self.assertIn("2.31", str(next((root.folder / "lib" / "x86_64-linux-gnu").glob("libc-*.so"))))
        self.check_archive(root)

    def test_debian_installs_the_packages(self):
        if not os.environ.get("STEPSIM_NIGHTLY") and not history.changed(*PACKAGING):
            self.skipTest("nothing about packages has changed since the last commit that passed CI")
        root = self.root(BARE)
        self.check_archive(root)
        (root.folder / "usr" / "local" / "bin" / "stepsim").unlink()
        root.put(self.folder, "/packages")
        debs = [f"/packages/{file.name}" for file in sorted(self.folder.glob("*.deb"))]
        root.run("apt-get", "install", "-q", "-y", "--no-install-recommends", *debs, *USED_IN_ROOT)
        self.check_commands(root, "stepsim", "/usr/share/stepsim", user=65534)
        root.run("stepsim", "capture", "--dir", "/tmp/traces-of-package", "--", "true", user=65534)

        # The example of the README.
        code = re.search(r"^```python\n(.*?)^```", (SOURCE / "README.md").read_text(), re.DOTALL | re.MULTILINE).group(1)
        code = code.replace("capture.what_if(", "print(capture.what_if(").replace("iteration_ns", "iteration_ns)").replace(
            "capture.tasks.to_pandas()", "print(len(capture.tasks.to_pandas()))")
        printed = root.run("python3", "-c", code, user=65534, folder="/usr/share/stepsim").split()
        expected = json.loads(run(BUILD / "bin" / "stepsim", "whatif", SAMPLE, "--set", "network.bandwidth=2x", "--json", cwd=SOURCE))
        self.assertEqual(printed, [str(expected["scenario"]["iteration_ns"]), "750"])

        completed = root.run("bash", "--norc", "-c", "source /usr/share/bash-completion/completions/stepsim; complete -p stepsim; "
                             "COMP_WORDS=(stepsim crit) COMP_CWORD=1 COMP_LINE='stepsim crit' COMP_POINT=12; _stepsim; echo ${COMPREPLY[@]}")
        self.assertEqual(completed.splitlines()[1:], ["critical-path"])
        for page in ("stepsim", "stepsim-whatif"):
            self.assertIn("SYNOPSIS", root.run("man", "--warnings", page, user=65534))

        consumer = SOURCE / "tests" / "install" / "consumer"
        root.put(consumer, "/consumer")
        root.run("sh", "-c", "g++ -std=c++20 -o consumer main.cpp $(pkg-config --cflags --libs stepsim)", folder="/consumer")
        root.run("./consumer", "step.json", folder="/consumer")

        root.run("apt-get", "purge", "-q", "-y", *(file.name.split("_")[0] for file in self.folder.glob("*.deb")))
        left = [name for name in root.run("find", "/usr", "-name", "*stepsim*").splitlines() if "/local/" not in name]
        self.assertEqual(left, [])


if __name__ == "__main__":
    if sys.argv[1:] == ["--make-roots"]:
        sys.exit(make_roots())
    unittest.main(argv=sys.argv[:1], verbosity=2)

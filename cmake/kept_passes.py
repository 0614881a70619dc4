"""Which tests of `./dev ci` need not run again on this machine: the pass of a test is kept under a hash of everything that
the test reads. Without a match, a test runs.

    A C++ program reads its objects and the data files of the repository.
    Any other test is a script, and reads all files of the repository except sources of C++ tests.
    Documents count only for tests whose sources mention one, or that are given the whole repository.
    All read ../shared, and depend on the installed packages, the user, the number of cores, the locale and settings.

Two objects differ in each checkout: the one that contains the commit and the one that contains the folder. They are left
out. Not kept are tests of threads and engines, whose result could differ from run to run, and tests that skip something.
"""
import functools
import hashlib
import json
import os
import pathlib
import platform
import re
import subprocess
import sys

import history

ROOT = pathlib.Path(__file__).resolve().parents[1]
FOLDER = history.FOLDER / "kept-passes"
KEPT_DAYS = 30
DOCUMENTS_ONLY = os.environ.get("STEPSIM_DOCUMENTS_ONLY") == "1"  # ci.py sets it: only tests that read documents run
ADD_TEST = re.compile(r'^add_test\((?:\[=\[)?([^\]\s]+)(?:\]=\])? "([^"]+)"', re.MULTILINE)
SKIPPED = re.compile(r"\[  SKIPPED \]|skipped", re.IGNORECASE)
NEVER_KEPT = re.compile("parallel|engine|determinism|file_races|signals")
# A path in the text of a test; a comment that refers to a page has no quote before it.
MENTIONS_DOCUMENT = re.compile(r"""(["']|\}/)(docs\b|README\.md|CHANGELOG\.md|CONTRIBUTING\.md)""")
# A C++ test that looks into folders other than those of data, documents and captures.
READS_SOURCES = re.compile(r'source_folder\(\)(?! / "(scenarios|docs|tests|\.\.)/?)')
PER_CHECKOUT = re.compile(r"/(generated/commit|source_folder)\.cpp\.o$")
MODULES = [ROOT / "tests/cli", ROOT / "tests/capture", ROOT / "bench", ROOT / "cmake"]  # folders from which tests import
SETTINGS_OF_RUN = {"STEPSIM_STOP_TIME", "STEPSIM_ONLY_TESTS", "STEPSIM_ALL_STAGES", "STEPSIM_JOBS", "STEPSIM_CI_MINUTES", "STEPSIM_KEPT",
                   "STEPSIM_DOCUMENTS_ONLY"}


def is_document(path):
    return path.startswith("docs/") or path.endswith(".md")


def is_source(path):
    return path.endswith((".cpp", ".h"))


def is_build_file(path):
    return path.endswith(("CMakeLists.txt", ".cmake", "CMakePresets.json")) or path == "dev"


def is_script(path):
    return path.endswith((".py", ".mjs", ".cmake", "CMakeLists.txt"))


@functools.cache
def digest(path):
    """Returns the hash of a file's content, or of nothing if it cannot be read."""
    hashed = hashlib.blake2b(digest_size=20)
    try:
        hashed.update(pathlib.Path(path).read_bytes())
    except OSError:
        pass
    return hashed.hexdigest()


def digest_of_all(names, folder):
    """Returns the hash of the names of files in `folder` and of their contents."""
    hashed = hashlib.blake2b(digest_size=20)
    for name in sorted(names):
        hashed.update(f"{name}\0{digest(folder / name)}\n".encode())
    return hashed.hexdigest()


@functools.cache
def repository(kind):
    """Returns the hash of those files of the repository that a kind of test reads."""
    chosen = {"data": lambda path: not is_document(path) and not is_source(path) and not is_script(path),
              "script": lambda path: not is_document(path) and not path.endswith(("_test.cpp", "_fuzz.cpp")),
              "documents": is_document,
              "all but documents": lambda path: not is_document(path)}[kind]
    listed = history.git("ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0")
    return digest_of_all({name for name in listed if name and chosen(name)}, ROOT)


@functools.cache
def surroundings():
    """Returns the hash of all else that a result depends on."""
    shared = ROOT.parent / "shared"
    packages = subprocess.run(["dpkg-query", "--show"], capture_output=True, text=True).stdout if pathlib.Path("/usr/bin/dpkg-query").exists() else ""
    node = subprocess.run("node --version", shell=True, capture_output=True, text=True).stdout
    roots = sorted((path.name, path.stat().st_size) for path in (history.FOLDER / "roots").glob("*"))
    settings = {name: value for name, value in os.environ.items()
                if name.startswith(("LC_", "LANG", "TZ", "STEPSIM_")) and name not in SETTINGS_OF_RUN}
    files = digest_of_all({str(path.relative_to(shared)) for path in shared.rglob("*") if path.is_file()}, shared)
    return json.dumps([packages, node, roots, settings, files, os.getuid(), os.cpu_count(), platform.machine(), sys.version], sort_keys=True)


def labels_of(test):
    return {label for entry in test.get("properties", []) if entry["name"] == "LABELS" for label in entry["value"]}


class Build:
    """The tests of a configured build."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder).resolve()
        self.test_programs = {}  # label and sources by name
        for line in (self.folder / "generated/test_programs.txt").read_text().splitlines():
            name, label, *sources = line.split(";")
            self.test_programs[name] = label, [pathlib.Path(source) for source in sources]

    def tests(self, *arguments):
        """Returns the tests that these arguments of ctest select, by name, as ctest describes them. It leaves out the command
        of a program that was not built; here each test has one."""
        commands = dict(found for file in self.folder.rglob("CTestTestfile.cmake") for found in ADD_TEST.findall(file.read_text()))
        listed = subprocess.run(["ctest", "--show-only=json-v1", *arguments], capture_output=True, cwd=ROOT)
        tests = {test["name"]: test for test in json.loads(listed.stdout).get("tests", [])}
        for name, test in tests.items():
            test["command"] = test.get("command") or [commands.get(name, "")]
        return tests

    def program(self, test):
        """Returns the target, relative to the build folder, if the test starts one; otherwise None."""
        path = pathlib.Path(test["command"][0])
        return path.relative_to(self.folder) if path.is_relative_to(self.folder) else None

    def objects(self, program):
        """Returns the object files that a program is linked from."""
        listed = subprocess.run(["ninja", "-C", self.folder, "-t", "inputs", program], capture_output=True, text=True, check=True)
        return [name for name in listed.stdout.splitlines() if name.endswith(".o") and not PER_CHECKOUT.search(name)]

    def texts(self, test):
        """Yields the text of each source of a test: of a script, also those of modules that it imports."""
        if (program := self.program(test)) is not None:
            for source in self.test_programs[program.name][1]:
                yield source.read_text()
            return
        for path in map(pathlib.Path, test["command"]):
            if path.is_relative_to(ROOT / "tests") or path.is_relative_to(ROOT / "bench"):
                for script in path.glob("**/*") if path.is_dir() else [path]:
                    if is_script(script.name):
                        text = script.read_text()
                        yield text
                        for module in re.findall(r"^\s*(?:from|import) (\w+)", text, re.MULTILINE):
                            imported = (folder / f"{module}.py" for folder in (script.parent, *MODULES))
                            if (file := next(filter(pathlib.Path.exists, imported), None)) is not None:
                                yield file.read_text()

    def reads_documents(self, test):
        program = self.program(test)
        if program is not None and program.name not in self.test_programs:
            return "fuzz" not in labels_of(test)
        paths = [pathlib.Path(word) for word in test["command"][1:]]
        given = program is None and "python" in test["command"][0] and any(
            path == ROOT or path.is_relative_to(ROOT) and is_document(str(path.relative_to(ROOT))) for path in paths)
        return given or "install" in labels_of(test) or any(map(MENTIONS_DOCUMENT.search, self.texts(test)))

    def key(self, test):
        """Returns the hash of everything that the test reads, or None if its pass is never kept."""
        properties = {entry["name"]: entry["value"] for entry in test.get("properties", [])}
        if NEVER_KEPT.search(" ".join([test["name"], *labels_of(test)])):
            return None
        parts = [surroundings(), digest(ROOT / "CMakePresets.json")]
        if (program := self.program(test)) is not None:
            reads_all = program.name not in self.test_programs or any(map(READS_SOURCES.search, self.texts(test)))
            parts += [digest_of_all(self.objects(program), self.folder), repository("all but documents" if reads_all else "data")]
        else:
            parts.append(repository("script"))
        if self.reads_documents(test):
            parts.append(repository("documents"))
        # Paths of this checkout become relative, so that others have the same key.
        parts.append(json.dumps([test["command"], properties], sort_keys=True).replace(str(ROOT), "."))
        return hashlib.blake2b("\n".join(parts).encode(), digest_size=20).hexdigest()


def has(key):
    return key is not None and (FOLDER / key).exists()


def keep(key, test, output):
    """Keeps the pass of a test, unless it skipped something."""
    if key is not None and not SKIPPED.search(output):
        FOLDER.mkdir(parents=True, exist_ok=True)
        (FOLDER / key).write_text(f"{test} {history.git('rev-parse', 'HEAD')}\n")


def forget_old(now):
    """Removes passes that are older than KEPT_DAYS; `now` is in seconds since 1970."""
    for path in FOLDER.glob("*"):
        if now - path.stat().st_mtime > KEPT_DAYS * 24 * 3600:
            path.unlink(missing_ok=True)

#!/usr/bin/env python3
"""planted_faults.py [STAGE...]: plants one fault for each stage of `./dev ci`, runs the stage, and checks that it is red
and that its first line says why. Not part of the tests, because each fault builds something again.

Needs a checkout without changes; each fault is taken back. The stages' builds should exist, which makes this faster."""
import contextlib
import os
import pathlib
import subprocess
import sys
from dataclasses import dataclass

ROOT = pathlib.Path(__file__).resolve().parents[2]


@dataclass
class Fault:
    stage: str
    what: str
    file: str
    text: str  # is appended to the file, which is made if it does not exist
    reason: str  # is part of the line that says why the stage is red
    tests: str = ""  # only tests whose name matches are run
    first: str = ""  # is put before the file


def case(name, body):
    return f"#include <gtest/gtest.h>\n#include <thread>\nnamespace {{\nTEST(Planted, {name}) {{\n{body}\n}}\n}}  // namespace\n"


FAILS = case("Fails", "EXPECT_EQ(1, 2);")
RACE = "int shared = 0;\nstd::thread other([&] { for (int i = 0; i < 100000; ++i) ++shared; });\nfor (int i = 0; i < 100000; ++i) ++shared;\nother.join();"
CHECK = '\ncheck("planted", False)\n'

FAULTS = [
    Fault("format", "a misformatted file", "model/base/text.cpp", "int  planted ( ) ;\n", "error: code should be clang-formatted"),
    Fault("lint", "a finding of clang-tidy", "model/base/text.cpp",
          "namespace {\n[[maybe_unused]] std::size_t planted(const std::string& text) { return std::string(text.c_str()).size(); }\n}  // namespace\n",
          "readability-redundant-string-cstr"),
    Fault("layering", "a wrong include", "model/base/text.cpp", '#include "sim/output/table.h"\n', "layering"),
    Fault("demo", "a syntax error", "cli/main.cpp", "planted\n", "cli/main.cpp"),
    Fault("tests", "a failing property test", "tests/property/planted_test.cpp", FAILS, "property_test: [  FAILED  ] Planted.Fails", "^property_test$"),
    Fault("tests", "a failing theory test", "tests/theory/planted_test.cpp", FAILS, "theory_test: [  FAILED  ] Planted.Fails", "^theory_test$"),
    Fault("tests", "a failing golden test", "tests/golden/help.cmd", "planted\n", "golden.tests/golden/help.cmd", "help.cmd"),
    Fault("commands", "a failing test of the command line", "tests/cli/checks.py", CHECK, "verbose: FAILED planted", "^verbose$"),
    Fault("commands", "a failing malformed input", "tests/malformed/job_cases.py", "\ndel cases\n", "malformed_job", "^malformed_job$"),
    Fault("commands", "a failing truth test", "tests/truth/planted_test.cpp", FAILS, "truth_test: [  FAILED  ] Planted.Fails", "^truth_test$"),
    Fault("commands", "a failing Python test", "tests/python/test_planted.py", "def test_planted():\n    assert False\n", "test_planted", "^python_package$"),
    Fault("commands", "a failing capture test", "tests/capture/captures.py", "\nraise SystemExit('planted')\n", "capture", "^capture$"),
    Fault("commands", "a failing test of the installation", "tests/install/help_files.py", "", "help_files: planted", "^help_files$",
          first="raise SystemExit('planted')\n"),
    Fault("commands", "a failing test of the page", "tests/page/unit_test.mjs", "\ntest('planted', () => assert.ok(false));\n", "planted", "^page_script$"),
    Fault("clang", "code that only gcc takes", "model/base/text.cpp",
          "namespace {\n[[maybe_unused]] int planted() {\n  auto [a, b] = std::pair(1, 2);\n  return [a] { return a; }() + b;\n}\n}  // namespace\n",
          "error: "),
    Fault("sanitizers", "a failing unit test", "tests/model/base/planted_test.cpp", FAILS, "model_base_test: [  FAILED  ] Planted.Fails", "^model_base_test$"),
    Fault("sanitizers", "a signed overflow", "tests/model/base/planted_test.cpp",
          case("Overflows", "int most = 2147483647;\nEXPECT_NE(most + static_cast<int>(::testing::UnitTest::GetInstance()->test_to_run_count()), 0);"),
          "runtime error: signed integer overflow", "^model_base_test$"),
    Fault("sanitizers", "a leak", "tests/model/base/planted_test.cpp", case("Leaks", "volatile auto* lost = new int(1);\nlost = nullptr;\nEXPECT_EQ(lost, nullptr);"),
          "LeakSanitizer: detected memory leaks", "^model_base_test$"),
    Fault("threads", "a data race", "tests/capture/writer/writer_test.cpp", case("Races", RACE), "ThreadSanitizer: data race", "^capture_parallel_test$"),
    Fault("fuzz", "a crash on an input", "tests/fuzz/set_fuzz.cpp",
          '#undef LLVMFuzzerTestOneInput\nextern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {\n'
          "  if (size > 2) __builtin_trap();\n  return planted(data, size);\n}\n",
          "set_fuzz: ", first="#define LLVMFuzzerTestOneInput planted\n#include <cstddef>\n#include <cstdint>\n"),
]


def git(*words):
    return subprocess.run(["git", *words], cwd=ROOT, check=True, capture_output=True, text=True).stdout


@contextlib.contextmanager
def planted(fault):
    file = ROOT / fault.file
    before = file.read_bytes() if file.exists() else None
    try:
        file.write_bytes(fault.first.encode() + (before or b"") + fault.text.encode())
        yield
    finally:
        if before is None:
            file.unlink()
        else:
            file.write_bytes(before)


def main():
    if git("status", "--porcelain"):
        sys.exit("the checkout has changes; commit or stash them")
    wanted = [fault for fault in FAULTS if not sys.argv[1:] or fault.stage in sys.argv[1:]]
    missed = 0
    for fault in wanted:
        with planted(fault):
            run = subprocess.run(["./dev", "ci", fault.stage], cwd=ROOT, capture_output=True, text=True, errors="replace",
                                 env={**os.environ, "STEPSIM_ONLY_TESTS": fault.tests})
        said = next((line for line in run.stdout.splitlines() if f"stage {fault.stage} failed: " in line), "it is green")
        found = run.returncode != 0 and fault.reason in said
        missed += not found
        print(f"{'found ' if found else 'MISSED'}  {fault.stage:<12} {fault.what}: {said}", flush=True)
    print(f"{len(wanted)} planted faults, {missed} missed")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())

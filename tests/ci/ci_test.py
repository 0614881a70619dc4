#!/usr/bin/env python3
"""ci_test.py BUILD_FOLDER: which tests and stages of ./dev ci run after which change, and which passes are not kept."""
import pathlib
import sys
import tempfile
import time
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "cmake"))
import ci  # noqa: E402
import kept_passes  # noqa: E402

BUILD = kept_passes.Build(sys.argv.pop(1))


def test_of(name, label, *command):
    return {"name": name, "command": list(map(str, command)), "properties": [{"name": "LABELS", "value": [label]}]}


def program(name, label="unit"):
    return test_of(name, label, BUILD.folder / "bin" / name)


def script(path, *arguments):
    return test_of(pathlib.Path(path).stem, "cli", "/usr/bin/python3", ROOT / path, *arguments)


def key_after_change_of(test, part):
    """Returns the key of a test when the content of each file whose path contains `part` is different."""
    unchanged = kept_passes.digest
    kept_passes.repository.cache_clear()
    with mock.patch.object(kept_passes, "digest", lambda path: "changed" if part and part in str(path) else unchanged(path)):
        key = BUILD.key(test)
    kept_passes.repository.cache_clear()
    return key


class Keys(unittest.TestCase):
    def runs_again(self, test, part):
        return key_after_change_of(test, "") != key_after_change_of(test, part)

    def test_each_test_has_a_command_before_its_program_is_built(self):
        tests = BUILD.tests("--test-dir", BUILD.folder)
        self.assertIn("model_base_test", tests)
        self.assertTrue(all(test["command"][0] for test in tests.values()))

    def test_a_program_depends_on_its_objects_and_on_data(self):
        test = program("sim_stats_test")
        self.assertTrue(self.runs_again(test, "stepsim_sim_stats.dir"))
        self.assertTrue(self.runs_again(test, "scenarios/samples"))
        self.assertFalse(self.runs_again(test, "stepsim_scenarios_answer.dir"))
        self.assertFalse(self.runs_again(test, "generated/commit.cpp"))
        self.assertFalse(self.runs_again(test, "docs/"))
        self.assertFalse(self.runs_again(test, "tests/cli/plan.py"))

    def test_a_script_depends_on_sources_and_scripts(self):
        test = script("tests/cli/plan.py", "stepsim")
        self.assertTrue(self.runs_again(test, "sim/report/"))
        self.assertTrue(self.runs_again(test, "tests/cli/checks.py"))
        self.assertFalse(self.runs_again(test, "planner_test.cpp"))
        self.assertFalse(self.runs_again(test, "docs/"))

    def test_a_test_that_mentions_a_document_depends_on_all(self):
        for test in (program("scenarios_test"), script("tests/cli/doc_links.py", "stepsim", ROOT), script("tests/cli/privacy.py", "stepsim")):
            self.assertTrue(self.runs_again(test, "docs/guides/"), test["name"])

    def test_a_test_that_looks_into_folders_of_sources_depends_on_them(self):
        self.assertTrue(self.runs_again(program("model_base_test"), "/ingest/load/"))

    def test_tests_of_threads_and_engines_are_not_kept(self):
        for test in (program("sim_engine_test"), program("property_parallel_test", "property-parallel"), script("tests/cli/determinism.py")):
            self.assertIsNone(BUILD.key(test), test["name"])


class Passes(unittest.TestCase):
    def test_a_pass_is_kept_unless_something_was_skipped(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(kept_passes, "FOLDER", pathlib.Path(folder)):
            kept_passes.keep("a", "passed", "100% passed")
            kept_passes.keep("b", "skipped", "[  SKIPPED ] Some.Case\n")
            kept_passes.keep(None, "has no key", "")
            self.assertTrue(kept_passes.has("a"))
            self.assertFalse(kept_passes.has("b") or kept_passes.has(None))
            self.assertEqual(["a"], [path.name for path in pathlib.Path(folder).iterdir()])


class Stages(unittest.TestCase):
    ALL = ["prepare", "format", "lint", "demo", "tests", "commands", "sanitizers", "threads", "fuzz"]

    def left_out(self, *changed):
        return set(ci.unneeded(self.ALL, changed))

    def test_documents_need_no_sanitizer(self):
        self.assertEqual({"lint", "sanitizers", "threads", "fuzz"}, self.left_out("docs/guides/ask.md", "README.md"))

    def test_threads_need_a_change_beside_threads(self):
        self.assertEqual({"threads"}, self.left_out("sim/report/answer.cpp", "docs/guides/ask.md"))
        for file in ("sim/engine/engine.cpp", "tests/property/replay_property_test.cpp", "CMakeLists.txt", "sim/report/CMakeLists.txt"):
            self.assertEqual(set(), self.left_out(file), file)

    def test_stages_run_in_order_and_commands_beside_those_after_it(self):
        self.assertEqual((self.ALL, [], {"commands": b"commands: ", "sanitizers": b"sanitizers: "}), self.run_with(failing=None))

    def test_no_stage_begins_after_one_that_failed(self):
        ran, failed, _ = self.run_with(failing="demo")
        self.assertEqual((["prepare", "format", "lint", "demo"], ["demo"]), (ran, failed))
        self.assertEqual((self.ALL, ["demo"]), self.run_with(failing="demo", every=True)[:2])

    def run_with(self, failing, every=False):
        """Returns which stages ran, which of them failed, and the beginning of the lines of two."""
        prefixes = {}

        class Stage:
            running = set()

            def __init__(self, name, deadline, prefix):
                self.name, self.passed = name, name != failing
                prefixes[name] = prefix

        with mock.patch.object(ci, "Stage", Stage), mock.patch("builtins.print"):
            done = ci.run_stages("ci", self.ALL, time.time() + 1000, every)
        return [stage.name for stage in done], [stage.name for stage in done if not stage.passed], \
            {name: prefix for name, prefix in prefixes.items() if name in ("commands", "sanitizers")}


if __name__ == "__main__":
    unittest.main()

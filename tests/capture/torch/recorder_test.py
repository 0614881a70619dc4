"""The recorder, driven by a program with a fake torch."""
import contextlib
import gzip
import io
import os
import sys
import tempfile
import unittest
from unittest import mock

sys.path[:0] = [os.environ["STEPSIM_TORCH_SOURCES"], os.path.dirname(os.path.abspath(__file__))]
import fake_torch  # noqa: E402
from stepsim_capture import recorder, settings, steps  # noqa: E402


class RecorderTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        for name in ("atexit.register", "os.register_at_fork"):
            patched = mock.patch(name)
            patched.start()
            self.addCleanup(patched.stop)

    def program(self, torch, **variables):
        """Returns (recorder, optimizer) of a program that has just created its optimizer."""
        variables = {"STEPSIM_CAPTURE_" + name: value for name, value in variables.items()}
        asked = settings.from_variables(dict(variables, STEPSIM_CAPTURE_DIR=self.folder.name))
        recording = recorder.Recorder(asked)
        recording.attach(torch, steps.StepCounter(recording.step_ended, asked.step_call))
        return recording, torch.optim.Optimizer()

    def files(self):
        return sorted(name.partition("_")[2] for name in os.listdir(self.folder.name) if name != "job.yaml")

    def job(self):
        with open(os.path.join(self.folder.name, "job.yaml"), encoding="utf-8") as file:
            return file.read()

    def errors_of(self, call):
        errors = io.StringIO()
        with contextlib.redirect_stderr(errors):
            call()
        return errors.getvalue()

    def test_the_schedule_is_that_of_the_programs_steps(self):
        torch = fake_torch.make(rank=0, world=2)
        _, optimizer = self.program(torch, WAIT="3", WARMUP="1", ACTIVE="2", TORCH_OPTIONS="with_execution_trace")
        for _ in range(3):
            self.assertEqual(optimizer.step(), "stepped")
        self.assertEqual(torch.log[1:], ["WARMUP", "begin ProfilerStep#3"])
        for _ in range(3):
            optimizer.step()
        self.assertEqual(torch.log[3:], [
            "end ProfilerStep#3", "RECORD", "begin ProfilerStep#4", "end ProfilerStep#4", "RECORD_AND_SAVE",
            "begin ProfilerStep#5", "end ProfilerStep#5", "saved", "NONE", "begin ProfilerStep#6", "end ProfilerStep#6",
            "stopped", "execution trace done"])
        self.assertEqual(self.files(), ["rank0.et.json.gz", "rank0.pt.trace.json.gz"])
        optimizer.step()
        self.assertEqual(torch.log[-1], "execution trace done")

    def test_what_a_replay_needs_is_on_and_the_rest_as_asked(self):
        for modern in (True, False):
            torch = fake_torch.make(modern=modern)
            _, optimizer = self.program(torch, WAIT="1", TORCH_OPTIONS="with_flops,with_stack,with_execution_trace")
            optimizer.step()
            asked = torch.log[0][1]
            on = {name for name in ("record_shapes", "with_flops", "profile_memory", "with_stack", "with_modules") if asked[name]}
            self.assertEqual(on, {"record_shapes", "with_flops", "with_stack"})
            if modern:
                self.assertEqual(asked["experimental_config"].named, {"enable_cuda_sync_events": True})
                self.assertIsNotNone(asked["execution_trace_observer"])
            else:
                self.assertIsNone(asked["experimental_config"])

    def test_an_execution_trace_is_written_only_if_asked(self):
        torch = fake_torch.make(modern=True)
        _, optimizer = self.program(torch, WAIT="1")
        optimizer.step()
        self.assertIsNone(torch.log[0][1]["execution_trace_observer"])

    def test_job_file_is_written_by_rank_0_whoever_is_recorded(self):
        torch = fake_torch.make(rank=0, world=4)
        _, optimizer = self.program(torch, WAIT="4", RANKS="2-3")
        torch.nn.parallel.DistributedDataParallel(1 << 20)
        torch.nn.parallel.DistributedDataParallel(1 << 20)
        for _ in range(8):
            optimizer.step()
        self.assertEqual(torch.log, [])
        self.assertEqual(self.files(), [])
        for line in ("framework: pytorch-ddp\n", "backend: gloo\n", "workers: 4\n", "bucket_bytes: 1048576\n",
                     "# of 2 steps before the profiler started\n"):
            self.assertIn(line, self.job())

    def test_another_rank_writes_none(self):
        _, optimizer = self.program(fake_torch.make(rank=1, world=2), WAIT="2", WARMUP="0", ACTIVE="1")
        for _ in range(4):
            optimizer.step()
        self.assertEqual(os.listdir(self.folder.name).count("job.yaml"), 0)
        self.assertIn("rank1.pt.trace.json.gz", self.files())

    def test_devices_are_waited_for_at_both_ends_of_the_free_steps(self):
        torch = fake_torch.make(cuda=True)
        _, optimizer = self.program(torch, WAIT="6")
        for done in range(1, 6):
            optimizer.step()
            self.assertEqual(torch.log, ["synchronised"] * (done >= 3))
        optimizer.step()
        self.assertEqual(torch.log[:2], ["synchronised"] * 2)

    def test_a_program_that_ends_in_a_step_leaves_it_unmarked(self):
        torch = fake_torch.make(modern=False)
        recording, optimizer = self.program(torch, WAIT="1", WARMUP="0", ACTIVE="9")
        for _ in range(3):
            optimizer.step()
        recording._at_exit()
        name, = (name for name in os.listdir(self.folder.name) if name.endswith(".gz"))
        with gzip.open(os.path.join(self.folder.name, name), "rt") as file:
            self.assertIn('"unfinished step#3"', file.read())

    def test_too_few_steps_are_told(self):
        recording, optimizer = self.program(fake_torch.make(), WAIT="5", WARMUP="1")
        for _ in range(6):
            optimizer.step()
        said = self.errors_of(recording._at_exit)
        self.assertIn("rank 0 made 6 steps, and those to be captured begin behind step 6", said)
        self.assertEqual(self.files(), [])

    def test_a_profiler_of_the_programs_own_comes_first(self):
        torch = fake_torch.make()
        _, optimizer = self.program(torch, WAIT="1")
        optimizer.step()
        optimizer.step()
        with torch.autograd.profiler.profile(enabled=False):
            self.assertNotIn("stopped", torch.log)
        said = self.errors_of(torch.autograd.profiler.profile().__enter__)
        self.assertIn("has a profiler of its own", said)
        self.assertIn("stopped", torch.log)
        optimizer.step()
        self.assertEqual(self.files(), [])

    def test_one_that_runs_already_is_left_alone(self):
        for prepared in (True, False):
            torch = fake_torch.make()
            _, optimizer = self.program(torch, WAIT="1")
            if prepared:  # prepared but not yet enabled
                torch.autograd.profiler.profile().__enter__()
            else:
                torch.autograd.profiler.profile.running = 1
            self.assertIn("has a profiler of its own", self.errors_of(optimizer.step))
            self.assertEqual(torch.log, [])

    def test_one_that_is_over_is_no_matter(self):
        torch = fake_torch.make(modern=False)
        _, optimizer = self.program(torch, WAIT="1", WARMUP="0", ACTIVE="1")
        with torch.autograd.profiler.profile():
            pass
        self.assertEqual(self.errors_of(lambda: [optimizer.step() for _ in range(3)]), "")
        self.assertEqual(self.files(), ["rank0.pt.trace.json.gz"])

    def test_a_child_of_a_training_process_records_nothing(self):
        torch = fake_torch.make()
        recording, optimizer = self.program(torch, WAIT="1", WARMUP="0", ACTIVE="1")
        optimizer.step()
        recording._forked()
        for _ in range(4):
            optimizer.step()
        self.assertEqual(self.errors_of(recording._at_exit), "")
        self.assertNotIn("saved", torch.log)

    def test_a_child_that_trains_by_itself_is_recorded(self):
        recording, optimizer = self.program(fake_torch.make(), WAIT="1", WARMUP="0", ACTIVE="1")
        recording._forked()
        for _ in range(4):
            optimizer.step()
        self.assertIn("rank0.pt.trace.json.gz", self.files())

    def test_a_failure_of_ours_is_one_warning(self):
        torch = fake_torch.make()
        _, optimizer = self.program(torch, WAIT="1")
        torch.profiler.profile = mock.Mock(side_effect=RuntimeError("no profiler today"))
        said = self.errors_of(lambda: [optimizer.step() for _ in range(3)])
        self.assertEqual(said.count("\n"), 1)
        self.assertIn("stepsim: warning: ", said)

    def test_an_error_of_the_program_passes(self):
        _, optimizer = self.program(fake_torch.make(), WAIT="1")
        with self.assertRaises(ZeroDivisionError):
            optimizer.step(lambda: 1 // 0)


if __name__ == "__main__":
    unittest.main()

"""Unit tests of schedule, settings, steps, free steps, names, job.yaml, imports and traces without Kineto."""
import contextlib
import gzip
import io
import json
import os
import sys
import tempfile
import types
import unittest

sys.path[:0] = [os.environ["STEPSIM_TORCH_SOURCES"], os.path.dirname(os.path.abspath(__file__))]
import fake_torch  # noqa: E402
from stepsim_capture import free_steps, imports, job_file, settings, shared_folder, steps, trace_file, without_kineto  # noqa: E402
from stepsim_capture.schedule import Schedule  # noqa: E402


class ScheduleTest(unittest.TestCase):
    def phases(self, count, **asked):
        schedule = Schedule(**{"skip_first": 0, "wait": 0, "warm_up": 0, "active": 1, "repeat": 0, **asked})
        return "".join({"wait": "-", "warm-up": "w", "active": "a", "last active": "A", "done": "."}[schedule.phase(step)]
                       for step in range(count))

    def test_means_what_torch_profiler_means(self):
        self.assertEqual(self.phases(12, skip_first=2, wait=1, warm_up=1, active=2, repeat=2), "---waA-waA..")
        self.assertEqual(self.phases(6, wait=1, active=1), "-A-A-A")
        self.assertEqual(self.phases(4, active=3, repeat=1), "aaA.")


class SettingsTest(unittest.TestCase):
    def test_defaults(self):
        asked = settings.from_variables({"STEPSIM_CAPTURE_DIR": "/d"})
        self.assertEqual(asked.schedule, Schedule(skip_first=0, wait=10, warm_up=1, active=3, repeat=1))
        self.assertEqual((asked.directory, asked.ranks, asked.options), ("/d", "", ()))

    def test_ranks(self):
        self.assertEqual([rank for rank in range(10) if settings.names_rank("0,4-6,8", rank)], [0, 4, 5, 6, 8])
        self.assertTrue(settings.names_rank("", 7))

    def test_launchers(self):
        self.assertEqual(settings.launched_as({"RANK": "3", "WORLD_SIZE": "8", "SLURM_PROCID": "1"}), (3, 8))
        self.assertEqual(settings.launched_as({"OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_SIZE": "2"}), (1, 2))
        self.assertEqual(settings.launched_as({"RANK": "1"}), (1, None))
        self.assertEqual(settings.launched_as({}), (None, None))


class StepCounterTest(unittest.TestCase):
    def setUp(self):
        self.count = 0
        self.torch = fake_torch.make()

    def counter(self, step_call=""):
        def ended():
            self.count += 1
        counter = steps.StepCounter(ended, step_call)
        counter.attach(self.torch)
        return counter

    def steps_of(self, *optimizers):
        before = self.count
        for optimizer in optimizers:
            optimizer.step()
        return self.count - before

    def test_an_optimizer_counts_from_its_making_on(self):
        self.counter()
        one = self.torch.optim.Optimizer()
        self.assertEqual(self.steps_of(one, one, one), 3)

    def test_of_several_the_first_counts_while_it_lives(self):
        self.counter()
        one, other = self.torch.optim.Optimizer(), self.torch.optim.Optimizer()
        self.assertEqual(self.steps_of(one, other, one, other), 2)
        del one
        self.assertEqual(self.steps_of(other), 1)

    def test_kinds_that_inherit_or_override_step_count_once(self):
        class Inherits(self.torch.optim.Optimizer):
            pass

        class Overrides(Inherits):
            def step(self):
                return super().step()

        self.counter()
        self.torch.optim.Optimizer()  # so that its class is already instrumented
        for kind in (Inherits, Overrides):
            self.assertEqual(self.steps_of(kind()), 1)

    def test_an_optimizer_around_another_is_one_step(self):
        base = self.torch.optim.Optimizer

        class Around(base):
            def __init__(self, inner):
                super().__init__()
                self.inner = inner

            def step(self):
                self.inner.step()
                self.inner.step()

        self.counter()
        around = Around(base())
        self.assertEqual(self.steps_of(around, around), 2)

    def test_a_step_that_fails_is_none(self):
        self.counter()
        one = self.torch.optim.Optimizer()
        with self.assertRaises(KeyError):
            one.step(lambda: {}[0])
        self.assertEqual(self.count, 0)
        self.assertEqual(self.steps_of(one), 1)

    def test_words_of_a_step_call(self):
        for call, module in (("a.b.train_step", "a.b"), ("a.Trainer.step", "a"), ("__main__.f", "__main__"), ("", "")):
            self.assertEqual(self.counter(call).module_of_call(), module)

    def test_a_step_call_counts_instead_of_optimizers(self):
        module = types.ModuleType("of_a_user")

        class Trainer:
            @staticmethod
            def once(value):
                return value

            @classmethod
            def kind(cls):
                return cls

            def whole(self):
                return self

        module.Trainer, module.plain = Trainer, lambda: "plain"
        sys.modules["of_a_user"] = module
        self.addCleanup(sys.modules.pop, "of_a_user")
        for call, run, value in (("plain", lambda: module.plain(), "plain"), ("Trainer.once", lambda: Trainer.once(4), 4),
                                 ("Trainer.kind", Trainer.kind, Trainer)):
            self.counter("of_a_user." + call).find_call()
            run = Trainer.kind if call == "Trainer.kind" else run
            before = self.count
            self.assertEqual(run(), value)
            self.assertEqual(self.count, before + 1)
        self.counter("of_a_user.Trainer.whole").find_call()
        trainer = Trainer()
        before = self.count
        self.assertIs(trainer.whole(), trainer)
        self.assertEqual(self.count, before + 1)
        self.assertEqual(self.steps_of(self.torch.optim.Optimizer()), 0)


class FreeStepsTest(unittest.TestCase):
    def free(self, count, lengths, on_devices=False):
        now = [0]
        free = free_steps.FreeSteps(count, lambda: on_devices, clock=lambda: now[0])
        for done, length in enumerate(lengths, start=1):
            now[0] += length
            free.ended(done)
        return free

    def test_the_later_half_counts_by_its_median(self):
        free = self.free(7, [500, 90, 70, 60, 10, 12, 11, 999, 999])
        self.assertEqual((free.count(), free.step_ns()), (3, 11))

    def test_with_devices_by_its_mean(self):
        self.assertEqual(self.free(6, [500, 90, 70, 1, 2, 30], on_devices=True).step_ns(), 11)

    def test_the_first_step_is_never_free_of_the_start(self):
        self.assertIsNone(self.free(1, [5, 5]).step_ns())
        self.assertIsNone(self.free(0, [5, 5]).step_ns())
        self.assertEqual(self.free(2, [500, 7]).step_ns(), 7)


class TraceFileTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def test_names(self):
        self.assertEqual(trace_file.base_name(3, "node-7.cluster.example"), "node-7_rank3")
        self.assertEqual(trace_file.base_name(0, "a b/c"), "a_b_c_rank0")
        self.assertEqual(trace_file.base_name(0, ""), "host_rank0")

    def test_two_processes_of_a_run_do_not_share_a_file(self):
        path = trace_file.free_path(self.folder.name, "a_rank0", ".gz", "12-1")
        open(path, "w").close()
        other = trace_file.free_path(self.folder.name, "a_rank0", ".gz", "12-1")
        self.assertEqual(os.path.basename(other), "a_rank0_%d.gz" % os.getpid())
        later_run = "12-%d" % (os.stat(path).st_mtime_ns + 1)
        self.assertEqual(trace_file.free_path(self.folder.name, "a_rank0", ".gz", later_run), path)

    def test_a_file_comes_whole_and_alone(self):
        path = os.path.join(self.folder.name, "a.gz")
        with shared_folder.Draft(self.folder.name) as draft:
            with open(draft.path, "w", encoding="utf-8") as file:
                file.write('{"name": "ProfilerStep#3"},\n{"name": "ProfilerStep#31"}\n')
            trace_file.put_in_place(draft, path, unfinished=3)
        with gzip.open(path, "rt") as file:
            self.assertEqual(file.read(), '{"name": "unfinished step#3"},\n{"name": "ProfilerStep#31"}\n')
        self.assertEqual(os.listdir(self.folder.name), ["a.gz"])

    def test_a_draft_that_is_renamed_into_place(self):  # as Kineto does
        path = os.path.join(self.folder.name, "a.gz")
        victim = os.path.join(self.folder.name, "victim")
        with open(victim, "w", encoding="utf-8") as file:
            file.write("not ours")
        os.symlink(victim, path)
        with shared_folder.Draft(self.folder.name) as draft:
            self.assertTrue(draft.path.endswith(".json"))
            with open(draft.path + ".tmp", "w", encoding="utf-8") as file:
                file.write("ours")
            os.rename(draft.path + ".tmp", draft.path)
            self.assertEqual(os.stat(os.path.dirname(draft.path)).st_mode & 0o777, 0o700)
            trace_file.put_in_place(draft, path)
        with gzip.open(path, "rt") as file:
            self.assertEqual(file.read(), "ours")
        with open(victim, encoding="utf-8") as file:
            self.assertEqual(file.read(), "not ours")
        self.assertEqual(os.stat(path).st_mode, os.stat(victim).st_mode)  # as the umask says
        self.assertEqual(sorted(os.listdir(self.folder.name)), ["a.gz", "victim"])

    def test_a_draft_stays_ours_when_its_folder_is_replaced(self):
        moved, elsewhere = os.path.join(self.folder.name, "moved"), os.path.join(self.folder.name, "elsewhere")
        os.mkdir(elsewhere)
        draft = shared_folder.Draft(self.folder.name)
        name = next(name for name in os.listdir(self.folder.name) if name.startswith(".stepsim-"))
        os.rename(os.path.join(self.folder.name, name), moved)
        os.symlink(elsewhere, os.path.join(self.folder.name, name))
        with open(draft.path, "w", encoding="utf-8") as file:
            file.write("ours")
        self.assertEqual((os.listdir(moved), os.listdir(elsewhere)), (["trace.json"], []))
        draft.discard()
        self.assertEqual((os.listdir(moved), os.listdir(elsewhere)), ([], []))

    def test_a_folder_that_is_a_link_is_refused(self):
        link = os.path.join(self.folder.name, "link")
        os.symlink(self.folder.name, link)
        with self.assertRaises(OSError):
            shared_folder.Draft(link)


class JobFileTest(unittest.TestCase):
    def test_has_what_is_known(self):
        text = job_file.job_text(2, "nccl", [25 << 20], 101_000_000, 5)
        self.assertEqual(text.splitlines()[1:], ["framework: pytorch-ddp", "backend: nccl", "workers: 2",
                                                 "bucket_bytes: 26214400",
                                                 "measured_step: 101000000ns  # of 5 steps before the profiler started"])

    def test_leaves_out_what_is_not(self):
        text = job_file.job_text(None, None, [], None, 0)
        self.assertTrue(all(line.startswith("#") for line in text.splitlines()))
        self.assertNotIn("bucket_bytes", job_file.job_text(1, "cpu:gloo,cuda:nccl", [1, 2], 5, 1))
        self.assertNotIn("backend", job_file.job_text(1, "cpu:gloo,cuda:nccl", [1, 2], 5, 1))

    def test_replaces_its_own_only(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "job.yaml")
            for world in (2, 4):
                job_file.write_job(folder, job_file.job_text(world, None, [], None, 0))
            with open(path, encoding="utf-8") as file:
                self.assertIn("workers: 4", file.read())
            with open(path, "w", encoding="utf-8") as file:
                file.write("workers: 3\n")
            with contextlib.redirect_stderr(io.StringIO()) as errors:
                job_file.write_job(folder, job_file.job_text(8, None, [], None, 0))
            self.assertIn("workers: 8", errors.getvalue())
            with open(path, encoding="utf-8") as file:
                self.assertEqual(file.read(), "workers: 3\n")
            self.assertEqual(os.listdir(folder), ["job.yaml"])

    def test_neither_follows_links_nor_waits_for_pipes(self):
        with tempfile.TemporaryDirectory() as folder:
            path, victim = os.path.join(folder, "job.yaml"), os.path.join(folder, "victim")
            text = job_file.job_text(8, None, [], None, 0)
            with open(victim, "w", encoding="utf-8") as file:
                file.write(text.replace("8", "2"))
            os.symlink(victim, "%s.%d" % (path, os.getpid()))
            for make in (lambda: os.symlink(victim, path), lambda: os.mkfifo(path), lambda: os.mkdir(path)):
                make()
                with contextlib.redirect_stderr(io.StringIO()) as errors:
                    job_file.write_job(folder, text)
                self.assertIn("job.yaml is not ours and stays; what was seen of this job: workers: 8", errors.getvalue())
                (os.rmdir if os.path.isdir(path) else os.remove)(path)
            job_file.write_job(folder, text)
            with open(path, encoding="utf-8") as file:
                self.assertEqual(file.read(), text)
            with open(victim, encoding="utf-8") as file:
                self.assertEqual(file.read(), text.replace("8", "2"))


class ImportsTest(unittest.TestCase):
    def test_calls_once_the_module_is_loaded(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "module_to_load.py"), "w", encoding="utf-8") as file:
                file.write("value = 4\n")
            sys.path.insert(0, folder)
            self.addCleanup(sys.path.remove, folder)
            finders, seen = list(sys.meta_path), []
            imports.when_loaded("module_to_load", lambda module: seen.append(module.value))
            import module_to_load
            self.assertEqual(seen, [4])
            self.assertEqual(sys.meta_path, finders)
            self.assertNotIn("exec_module", vars(module_to_load.__spec__.loader))
            imports.when_loaded("module_to_load", lambda module: seen.append(-module.value))
            self.assertEqual(seen, [4, -4])
            del sys.modules["module_to_load"]

    def test_what_is_not_there_is_an_error_as_ever(self):
        finders = list(sys.meta_path)
        imports.when_loaded("no_such_module_anywhere", lambda _: self.fail())
        with self.assertRaises(ModuleNotFoundError):
            import no_such_module_anywhere  # noqa: F401
        sys.meta_path[:] = finders


class WithoutKinetoTest(unittest.TestCase):
    def test_writes_what_kineto_would(self):
        def event(**said):
            has = {"device_type": 0, "device_index": 0, "nbytes": 0, "start_thread_id": 1, "duration_us": 5, "shapes": [],
                   "dtypes": [], "sequence_nr": -1, "fwd_thread_id": 0, "flops": 0, "stack": [], "scope": 0,
                   "correlation_id": 9, **said}
            return types.SimpleNamespace(**{name: (lambda value: lambda: value)(value) for name, value in has.items()})

        operator = event(name="aten::mm", start_us=3_000_007, shapes=[[2, 3]], dtypes=["float"], sequence_nr=4, flops=12)
        step = event(name="ProfilerStep#4", start_us=3_000_001, scope=7)
        memory = event(name="[memory]", start_us=3_000_008, nbytes=-512)
        results = types.SimpleNamespace(trace_start_us=lambda: 3_000_000, events=lambda: [step, operator, memory])
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "trace")
            without_kineto.write_trace(path, results, ("with_flops",), {"rank": 1, "world_size": 2, "backend": "gloo"}, "1.13")
            with open(path, encoding="utf-8") as file:
                trace = json.load(file)
        self.assertEqual((trace["baseTimeNanoseconds"], trace["distributedInfo"]["rank"], trace["with_flops"]),
                         (3_000_000_000, 1, 1))
        mark, compute, allocation = trace["traceEvents"][1:]
        self.assertEqual((mark["cat"], mark["ts"], mark["dur"], mark["pid"]), ("user_annotation", 1, 5, os.getpid()))
        self.assertEqual((compute["cat"], compute["ts"], compute["args"]),
                         ("cpu_op", 7, {"External id": 9, "Input Dims": [[2, 3]], "Input type": ["float"],
                                        "Sequence number": 4, "Fwd thread id": 0, "flops": 12}))
        self.assertEqual((allocation["ph"], allocation["args"]["Bytes"]), ("i", -512))


if __name__ == "__main__":
    unittest.main()

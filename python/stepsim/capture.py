"""Captures, and the questions that can be asked of them."""

from __future__ import annotations

import concurrent.futures
import functools
import os
import threading
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, TypeVar, Union, overload

from stepsim import _core, engines, messages
from stepsim.answers import (Advice, Calibration, Check, Collectives, Comparison, Conversion, CriticalPath, Graph,
                             Machine, Plan, Replay, Scrubbing, Stats, Sweep, TaskList, WhatIf)
from stepsim.columns import Edges, Tasks
from stepsim.progress import Progress

AnyPath = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]
Ranks = Union[int, Iterable[int], str]  # 0, [0, 2] or "0,4-7"
Steps = Union[int, Sequence[int], str]  # 5, (5, 8) or "5-8"
Rows = Union[int, str]  # a number or "all"
_Saved = TypeVar("_Saved", Calibration, Machine)


def load(*paths: AnyPath, job: AnyPath | None = None, ranks: Ranks | None = None, steps: Steps | None = None,
         threads: int | None = None, anonymous: bool = False) -> Capture:
    """Reads the traces of one job and returns them as a Capture.

    paths    files, folders or archives, as on the command line
    job      path of a job.yaml that describes the job
    ranks    use only these ranks: [0, 2] or "0,4-7"
    steps    use only these steps: 5, (5, 8) or "5-8"
    threads  how many threads to use; all cores if None. It does not change any answer.
    anonymous  name hosts host001, host002, ... and files without their folders in all answers and files. Otherwise,
               answers and saved pages have the recorded names.

    Raises InputError, which names the place in the file, what was found and what was expected.
    """
    return Capture(paths, {"--job": job, "--ranks": _list_of(ranks), "--steps": _range_of(steps), "--threads": threads,
                           "--anonymous": anonymous or None})


def check(*paths: AnyPath, job: AnyPath | None = None, ranks: Ranks | None = None,
          steps: Steps | None = None) -> Check:
    """Says whether traces are good enough, and what to record next time. The field `verdict` is "good", "doubtful" or
    "unusable"; files that load() refuses are unusable, and no error is raised."""
    options = {"--job": job, "--ranks": _list_of(ranks), "--steps": _range_of(steps)}
    return Check(_run(_core.Captures(), ["check", *map(_path, paths)], options))


def compare(a: AnyPath | Capture, b: AnyPath | Capture, *, by: str | None = None, sort: str | None = None,
            rows: Rows | None = None, fail_above: str | Iterable[str] | None = None,
            allow_noise: bool = False) -> Comparison:
    """Compares two captures or saved answers: paths, or Captures that were loaded from one path. See Capture.compare().
    """
    options = {"--by": by, "--sort": sort, "--rows": rows}
    limits = [fail_above] if isinstance(fail_above, str) else fail_above or []
    flags = [*(["--allow-noise"] if allow_noise else []),
             *(word for limit in limits for word in _option("--fail-above", limit))]
    return Comparison(_run(_core.Captures(), ["compare", _path_of(a), _path_of(b), *flags], options))


def scrub(*paths: AnyPath, to: AnyPath) -> Scrubbing:
    """Writes traces to the file `to`, or those of a folder to the folder `to`, without secrets, names of users and
    hosts, paths and environment. Returns what was replaced. The traces need not be good enough for load()."""
    return Scrubbing(_run(_core.Captures(), ["convert", "--scrub", *map(_path, paths)], {"-o": _output(to)}))


def calibrate(*paths: AnyPath, to: AnyPath | None = None) -> Calibration:
    """Derives the rates of links from the output of nccl-tests (all_reduce_perf, ...), and writes them to the file `to`
    ("cluster.yaml") if given. Capture.calibrate() derives them from traces."""
    return _saved(Calibration(_run(_core.Captures(), ["calibrate", "--nccl-tests", *map(_path, paths)], {})), to)


def fit_machine(runs: AnyPath, *, to: AnyPath | None = None) -> Machine:
    """Fits a machine to the measured steps of a csv file (docs/reference/machine.md), and predicts each of them from the
    others. Writes machine.yaml to the file `to` if given, for `machine` of what_if(), sweep() and plan()."""
    return _saved(Machine(_run(_core.Captures(), ["calibrate", "--measured", _path(runs)], {})), to)


class Capture:
    """The traces of one job, read once. Each method is the command of the same name; `stepsim COMMAND --help` and
    docs/reference/commands.md explain its options. `network` is a model that times communication ("maxmin", ...), and
    `cluster` the path of a cluster.yaml with other links; without them, times are as recorded or calibrated.
    """

    def __init__(self, paths: Iterable[AnyPath], selection: dict[str, Any], name: str | None = None) -> None:
        self._paths = [_path(path) for path in paths]
        self._selection = selection
        self._name = name or engines.new_name()
        self._captures = _core.Captures()
        with Progress() as progress, messages.of_python():
            self._captures.load(["load", *self._paths, *_arguments(selection)], progress)

    def __copy__(self) -> Capture:
        return self  # it cannot be changed

    def __deepcopy__(self, memo: Any) -> Capture:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """A worker reads the same paths again, once for several tasks; see _unpickled()."""
        self._refuse_standard_input("pickle")
        return _unpickled, (self._paths, self._selection, self._name, self._captures.inputs())

    def __repr__(self) -> str:
        return f"<stepsim.Capture: {', '.join(map(_shown, self._paths))}; {len(self.tasks)} tasks>"

    @functools.cached_property
    def tasks(self) -> Tasks:
        """The tasks of the graph as numpy columns."""
        return Tasks(self._captures, lambda: self.critical_path()._answer.critical_path())

    @functools.cached_property
    def edges(self) -> Edges:
        """The dependencies between tasks as numpy columns."""
        return Edges(self._captures)

    def replay(self, *, slow_ranks: bool = False, network: str | None = None, cluster: AnyPath | None = None) -> Replay:
        """Replays the capture: the step time, its error, where the time goes, the critical path.

        slow_ranks  also find what each slow rank and pipeline stage costs, in .slow_ranks
        """
        options = {"--network": network, "--cluster": cluster}
        return Replay(self._ask("replay", options, ["--slow-ranks"] if slow_ranks else []))

    def critical_path(self, *, rows: Rows | None = None, network: str | None = None,
                      cluster: AnyPath | None = None) -> CriticalPath:
        """Lists the tasks on the critical path of a step; `rows` of them in the text form."""
        return CriticalPath(self._ask("critical-path", {"--rows": rows, "--network": network, "--cluster": cluster}))

    def what_if(self, changes: Mapping[str, Any] | None = None, *, scenario: AnyPath | None = None,
                interference: bool = True, network: str | None = None, cluster: AnyPath | None = None,
                machine: AnyPath | None = None, **more: Any) -> WhatIf:
        """Predicts the step time after changes.

        changes   {"network.bandwidth": "2x", "compute{class=gemm}.scale": 0.5}
        scenario  path of a scenario in YAML; `changes` are added to it
        machine   path of a machine.yaml that fit_machine() wrote; it corrects modelled times
        more      changes as keywords: network_bandwidth="2x" is network.bandwidth=2x
        """
        options = {"--scenario": scenario, "--network": network, "--cluster": cluster, "--machine": machine}
        return WhatIf(self._ask("whatif", options, _sets(changes, more) + _without(interference)))

    def sweep(self, grid: Mapping[str, Any] | None = None, *, scenario: AnyPath | None = None,
              interference: bool = True, network: str | None = None, cluster: AnyPath | None = None,
              machine: AnyPath | None = None, executor: concurrent.futures.Executor | None = None, shards: int | None = None,
              **more: Any) -> Sweep:
        """Predicts the step time at every point of a grid, and names the best one.

        grid      {"network.bandwidth": ["1x", "2x", "4x"], "comm.partition_bytes": ["1MiB", "4MiB"]}
        scenario  path of a scenario in YAML, which may have the grid
        machine   as for what_if()
        executor  any concurrent.futures.Executor whose workers can import stepsim and read the same paths: a process
                  pool ("spawn"), dask.distributed.Client().get_executor(), mpi4py.futures.MPIPoolExecutor(). Each
                  worker uses one thread, unless load() was told otherwise. The result is the same, byte for byte.
                  Raises InputError if a worker reads other files than this capture was made from.
        shards    into how many pieces the executor's work is divided; one for each worker if None. More of them let fast
                  workers do more than slow ones, but each builds its graphs again
        more      axes as keywords, as in what_if()
        """
        options = {"--scenario": scenario, "--network": network, "--cluster": cluster, "--machine": machine}
        sets = _sets(grid, more) + _without(interference)
        if executor is None:
            return Sweep(self._ask("sweep", {**options, "--shard": "0/1"}, sets))
        self._refuse_standard_input("executor")
        selection = {**self._selection, "--threads": self._selection["--threads"] or 1}
        arguments = ["sweep", *self._paths, *_arguments({**selection, **options}), *sets]
        with Progress() as progress, messages.of_python():
            question = engines.Question(arguments, self._name, self._captures.inputs())
            return Sweep(engines.sweep(executor, question, shards, progress))

    def advise(self, *, rows: Rows | None = None, network: str | None = None, cluster: AnyPath | None = None) -> Advice:
        """Tries the usual improvements and ranks them by the time they save."""
        return Advice(self._ask("advise", {"--rows": rows, "--network": network, "--cluster": cluster}))

    @overload
    def stats(self, *, by: str | None = None, sort: str | None = None, rows: Rows | None = None,
              select: str | None = None, kernels: bool = False, collectives: Literal[False] = False) -> Stats: ...

    @overload
    def stats(self, *, collectives: Literal[True], rows: Rows | None = None,
              cluster: AnyPath | None = None) -> Collectives: ...

    @overload
    def stats(self, *, collectives: bool, rows: Rows | None = None) -> Stats | Collectives: ...

    def plan(self, devices: int | Sequence[int], *, device: str | None = None, changes: Mapping[str, Any] | None = None,
             scenario: AnyPath | None = None, global_batch: int | str | None = None, front: bool = False,
             network: str | None = None, cluster: AnyPath | None = None, machine: AnyPath | None = None,
             **more: Any) -> Plan:
        """Finds the fastest way to divide the job of one captured device among many.

        devices       how many: 64 or [8, 16, 32, 64]
        device        device to run on ("H100"); the captured one if None
        changes       {"cluster.nic": "400Gb/s"}; several values are those to try: {"parallel.tensor": [4, 8]}
        scenario      path of a scenario in YAML, whose sweep has values to try; `changes` are added to it
        global_batch  samples of all replicas per step, or a multiple of those of the captured step such as "64x"
        machine       as for what_if()
        front         if true, also find the Pareto front: the fastest plans for less memory and fewer devices
        more          changes as keywords: cluster_nic="400Gb/s" is cluster.nic=400Gb/s
        """
        options = {"--devices": _text(devices), "--device": device, "--global-batch": global_batch,
                   "--scenario": scenario, "--network": network, "--cluster": cluster, "--machine": machine}
        return Plan(self._ask("plan", options, [*_sets(changes, more), *(["--front"] if front else [])]))

    def stats(self, *, by: str | None = None, sort: str | None = None, rows: Rows | None = None,
              select: str | None = None, kernels: bool = False, collectives: bool = False,
              cluster: AnyPath | None = None) -> Stats | Collectives:
        """Lists the times of kernels, calls, streams and copies, as measured; with select="class=gemm" only of selected
        tasks, with kernels=True only of kernels. With collectives=True: bandwidth and arrival of collectives, what to
        expect of the hardware (cluster="cluster.yaml"), and slow links. Reads the traces again."""
        options = {"--by": by, "--sort": sort, "--rows": rows, "--select": select, "--cluster": cluster}
        flags = {"--kernels": kernels, "--collectives": collectives}
        answer = self._ask("stats", options, ["--join", *(flag for flag, given in flags.items() if given)])
        return Collectives(answer) if collectives else Stats(answer, self)

    def task_list(self, *, select: str | None = None, rows: Rows | None = None) -> TaskList:
        """Lists the tasks that a what-if can select, by kind, class and name, as the command `tasks` does; with
        select="class=gemm,rank=0" only selected ones. The columns of all tasks are in `tasks`."""
        return TaskList(self._ask("tasks", {"--select": select, "--rows": rows}))

    def graph(self, *, fold: str | None = None, merge_ranks: bool = False, rows: Rows | None = None,
              network: str | None = None, cluster: AnyPath | None = None) -> Graph:
        """Returns the dependency graph of a step; save() draws it (.svg, .png, .html) or writes it for other programs
        (.dot, .gml).

        fold         draw one node per "task", "name", "layer", "class", "lane" or "rank"; "auto": at most 500 nodes
        merge_ranks  with fold="name", "layer" or "class": merge the tasks of all ranks into one node
        """
        options = {"--fold": fold, "--merge-ranks": merge_ranks or None, "--rows": rows, "--network": network,
                   "--cluster": cluster}
        return Graph(self._ask("graph", options), lambda path: self._ask("graph", {**options, "-o": _output(path)}))

    def convert(self, path: AnyPath, *, select: str | None = None, min_duration: str | None = None,
                comm_json: bool = False, network: str | None = None, cluster: AnyPath | None = None) -> Conversion:
        """Writes the job to a file in the format of its extension (.trace.json, .tasks.json, .pftrace, .stepsim, ...),
        and returns what was written. Reads the traces again.

        select        for a .trace.json: keep only events with, for example, "category=kernel,stream=7"
        min_duration  for a .trace.json: keep only events of at least this duration: "10us"
        comm_json     write the communication of each rank as BytePS's comm.json; of several ranks, into a folder
        """
        options = {"--select": select, "--min-duration": min_duration, "--comm-json": comm_json or None,
                   "--network": network, "--cluster": cluster}
        return Conversion(self._ask("convert", {**options, "-o": _output(path)}))

    def scrub(self, path: AnyPath) -> Scrubbing:
        """Writes the traces to a file, or those of a folder to a folder, without secrets, names of users and hosts,
        paths and environment. Returns what was replaced. Reads the traces again. See also stepsim.scrub()."""
        return Scrubbing(self._ask("convert", {"--scrub": True, "-o": _output(path)}))

    def check(self) -> Check:
        """Says whether the capture is good enough, and what to record next time. Reads the traces again."""
        return Check(self._ask("check", {}))

    def calibrate(self, path: AnyPath | None = None) -> Calibration:
        """Derives link, copy and launch rates from the capture, and writes them to the file `path` ("cluster.yaml") if
        given. See also stepsim.calibrate()."""
        return _saved(Calibration(self._ask("calibrate", {})), path)

    def compare(self, other: AnyPath | Capture, *, by: str | None = None, sort: str | None = None,
                rows: Rows | None = None, fail_above: str | Iterable[str] | None = None,
                allow_noise: bool = False) -> Comparison:
        """Compares with another capture, which is B: a path, or a Capture that was loaded from one path. With
        fail_above="3%", the field `gate` says whether B is significantly slower than that; nothing is raised. With
        ["3%", "exposed=2%"], `gates` has one for each limit."""
        return compare(self, other, by=by, sort=sort, rows=rows, fail_above=fail_above, allow_noise=allow_noise)

    def _refuse_standard_input(self, what):
        if "-" in self._paths:
            raise _core.UsageError(f"{what}: other processes cannot read this standard input; expected a file")

    def _ask(self, command, options, more=()):
        return _run(self._captures, [command, *self._paths], {**self._selection, **options}, more)


_lock = threading.Lock()
_last = None  # the Capture that was unpickled last


def _unpickled(paths, selection, name, inputs):
    """Returns a Capture that was pickled elsewhere. Reads its paths unless the last one was the same. Raises InputError
    if its files are not those that were loaded."""
    global _last
    with _lock:
        if _last is None or _last._name != name:
            capture = Capture(paths, selection, name)
            engines.compare_inputs(capture._captures.inputs(), inputs)
            _last = capture
        return _last


def _run(captures, arguments, options, more=()):
    with Progress() as progress, messages.of_python():
        return captures.run([*arguments, *_arguments(options), *more, "--json"], progress)


def _arguments(options):
    """Returns options as on the command line: {"--rows": 3, "--job": None, "--full": True} is ["--rows", "3",
    "--full"]."""
    words = []
    for name, value in options.items():
        if value is True:
            words.append(name)
        elif value is not None:
            words += _option(name, os.fsdecode(value) if isinstance(value, (bytes, os.PathLike)) else str(value))
    return words


def _option(name, value):
    """Returns an option with a value as words. A value that begins with "-" must not become another option."""
    return [f"{name}={value}"] if value.startswith("-") else [name, value]


def _path(path):
    """Returns a path as a word that is not an option. "-" is standard input."""
    name = os.fsdecode(path)
    return f"./{name}" if name.startswith("-") and name != "-" else name


def _output(path):
    """Returns the path of a file to write as a word that is not an option."""
    name = _path(path)
    if name == "-":
        raise _core.UsageError("'-' is standard output; expected the name of a file")
    return name


def _saved(result: _Saved, path: AnyPath | None) -> _Saved:
    if path is not None:
        result.save(path)
    return result


def _shown(path):
    return os.fsencode(path).decode(errors="backslashreplace")


def _sets(changes, more):
    """Returns changes as options: {"network.bandwidth": ["1x", "2x"]} is ["--set", "network.bandwidth=1x,2x"]."""
    named = {name.replace("_", ".", 1): value for name, value in more.items()}
    return [word for name, value in {**(changes or {}), **named}.items()
            for word in _option("--set", f"{name}={_text(value)}")]


def _text(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    return ",".join(map(_text, value)) if isinstance(value, (list, tuple, range)) else str(value)


def _without(interference):
    return [] if interference else ["--no-interference"]


def _list_of(ranks):
    return ranks if ranks is None or isinstance(ranks, str) else _text([ranks] if isinstance(ranks, int) else [*ranks])


def _range_of(steps):
    return "-".join(map(str, steps)) if isinstance(steps, (list, tuple)) else steps


def _path_of(side):
    if not isinstance(side, Capture):
        return _path(side)
    if len(side._paths) != 1 or any(side._selection.get(name) for name in ("--job", "--ranks", "--steps")):
        raise _core.UsageError("compare works on whole captures of one path; expected a folder or an archive")
    return side._paths[0]

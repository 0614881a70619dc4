"""Compares the critical paths of HTA and stepsim, edge by edge, and explains each difference.

    hta_critical_path.py STEPSIM TRACE

TRACE is a file that HTA's overlay_critical_path_analysis wrote (docs/internals/test-data.md): a Kineto trace in which HTA
marked the events of its path, and added arrows for the edges that leave an operator. HTA looks for the heaviest
chain of edges; time between operators and the ends of blocking calls have weight 0. Our path is the sequence of
tasks that leads to the end of the replay, measured by the clock. Every edge of HTA's path and every instant of ours
must have one of these reasons, or the script exits with 1:

    operator    both are inside the same event of a host thread
    blocking    the same, but the event is a blocking call, to which HTA gives weight 0
    between     an arrow between operators: HTA gives it weight 0, the thread's time is on our path
    launch      an arrow from a launch to device work that a call then waits for: call, delay and work are the same
    wait        an arrow from that device work to the end of the call: weight 0 in HTA; in ours the time that the call
                took after the work
    detour      arrows to the device and back, where the waiting call began after the device had ended, so it waited
                for nothing. Our path stays on the host; HTA's chain is the heavier one only because of its weights
    outside     before the first event of HTA's path or after the last: our path covers the whole capture

For each path, the reasons must add up to its length, to the microsecond of the trace. Prints the sums."""

import bisect
import collections
import gzip
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "cli"))
from checks import answer, check, verdict  # noqa: E402

# Calls whose last edge has weight 0 in HTA (docs of HTA, critical path analysis).
BLOCKING = {"cudaDeviceSynchronize", "cudaStreamSynchronize", "cudaEventQuery", "cudaEventSynchronize", "cudaMemcpy",
            "cudaMemcpyAsync"}
HOST = {"cpu_op", "cuda_runtime"}
DEVICE = {"kernel", "gpu_memcpy", "gpu_memset"}

class Edge:
    def __init__(self, start, finish):
        self.kind = start["args"]["type"].removeprefix("critical_path_")
        self.weight = start["args"]["weight"]
        self.begin, self.end = start["ts"], finish["ts"]
        self.source, self.target = start["tid"], finish["tid"]
        # Viewers attach an arrow to the event in which it begins, so HTA draws the end of device work a microsecond
        # early.
        if self.kind == "sync_dependency":
            self.begin += 1

    def __str__(self):
        return f"{self.kind} from {self.source}@{self.begin} to {self.target}@{self.end}"


def edges_of(events):
    """HTA's arrows, ordered by time."""
    of_phase = {phase: {e["id"]: e for e in events if e.get("cat") == "critical_path" and e["ph"] == phase} for phase in "sf"}
    edges = [Edge(start, of_phase["f"][number]) for number, start in of_phase["s"].items()]
    return sorted(edges, key=lambda edge: (edge.begin, edge.end))


class OurPath:
    """Tasks of our path as (begin, end) by lane (a thread or stream), in microseconds of the trace."""

    def __init__(self, answer, start):
        self.tasks = [dict(task, begin=start + task["start_ns"] // 1000,
                           end=start + (task["start_ns"] + task["duration_ns"]) // 1000) for task in answer["tasks"]]
        self.begins = [task["begin"] for task in self.tasks]
        self.begin, self.end = start, start + answer["length_ns"] // 1000
        check("times of our path are whole microseconds, as those of the trace",
              all(task["start_ns"] % 1000 == 0 and task["duration_ns"] % 1000 == 0 for task in answer["tasks"]))

    def at(self, begin):
        """The task that begins at this time and has a duration; None if there is none."""
        place = bisect.bisect_left(self.begins, begin)
        found = [task for task in self.tasks[place:place + 50] if task["begin"] == begin and task["end"] > begin]
        return found[0] if found else None

    def before(self, task):
        return self.tasks[self.tasks.index(task) - 1]

    def host_time(self, begin, end):
        """How much of [begin, end) is spent in tasks of host threads."""
        return sum(max(0, min(end, task["end"]) - max(begin, task["begin"]))
                   for task in self.tasks if task["lane"].startswith("thread"))


def union(intervals):
    total, reached = 0, None
    for begin, end in sorted(intervals):
        begin = begin if reached is None else max(begin, reached)
        if end > begin:
            total += end - begin
            reached = end
    return total


class Trace:
    def __init__(self, events):
        self.events = [e for e in events if e.get("ph") == "X" and e.get("cat") in HOST | DEVICE]
        self.host = [e for e in self.events if e["cat"] in HOST]

    def blocking_between(self, begin, end):
        return sum(e["dur"] for e in self.host if e["name"] in BLOCKING and begin <= e["ts"] and e["ts"] + e["dur"] <= end)

    def call_that_ends(self, end):
        return next((e for e in self.host if e["cat"] == "cuda_runtime" and e["ts"] + e["dur"] == end), None)

    def work_in_operators(self, begin, end):
        """HTA's weight of an interval on the host: time in operators and calls, without that in blocking calls."""
        inside = [(max(begin, e["ts"]), min(end, e["ts"] + e["dur"])) for e in self.host]
        return union(inside) - self.blocking_between(begin, end)


def explain(edges, trace, path):
    """Returns {reason: [time on our path, weight in HTA's]}, in microseconds."""
    sums = collections.defaultdict(lambda: [0, 0])

    def add(reason, ours, theirs):
        sums[reason][0] += ours
        sums[reason][1] += theirs

    def stretch(begin, end):
        """HTA's path stays on the host thread inside a top-level operator."""
        check(f"the thread is on our path from {begin} to {end}", path.host_time(begin, end) == end - begin)
        blocked = trace.blocking_between(begin, end)
        add("operator", end - begin - blocked, end - begin - blocked)
        add("blocking", blocked, 0)

    def between(edge):
        check(f"the thread is on our path beside {edge}",
              path.host_time(edge.begin, edge.end) == edge.end - edge.begin and edge.weight == 0)
        add("between", edge.end - edge.begin, 0)

    def waited(launch, sync):
        """The device work between the two arrows is also on our path, with the same launch and the same wait."""
        work = path.at(launch.end)
        check(f"our path has the device work of {launch}",
              work is not None and work["lane"] == f"stream {launch.target}" and work["end"] == sync.begin)
        if work is None:
            return
        call = path.before(work)
        check(f"our path has the call and the delay of {launch}",
              work["released_by"] == f"{call['name']} (launch)" and call["begin"] == launch.begin
              and launch.weight == (call["duration_ns"] + work["wait_ns"]) // 1000)
        rest = path.at(sync.begin)
        check(f"our path has the call of {sync}", rest is not None and rest["end"] == sync.end and sync.weight == 0
              and rest["released_by"] == f"{work['name']} (sync)")
        add("launch", sync.begin - launch.begin, launch.weight + work["duration_ns"] // 1000)
        add("wait", sync.end - sync.begin, 0)

    def detour(launch, sync):
        """Nothing waited for the device, because the host was late."""
        on_host = trace.work_in_operators(launch.begin, sync.end)
        on_device = launch.weight + sync.begin - launch.end
        check(f"our path stays on the thread beside {launch}",
              path.host_time(launch.begin, sync.end) == sync.end - launch.begin)
        check(f"what HTA weighs of the thread beside {launch}, {on_host} us, is less than the device's {on_device} us",
              on_host < on_device < sync.end - launch.begin)
        add("detour", sync.end - launch.begin, on_device)

    add("outside", edges[0].begin - path.begin, 0)
    rest = iter(edges)
    place = None
    for edge in rest:
        check(f"{edge} goes on where the path was", place is None or (place[0] == edge.source and place[1] <= edge.begin))
        if place is not None:
            stretch(place[1], edge.begin)
        if edge.kind == "dependency":
            between(edge)
        else:
            back = next(rest)
            check(f"{edge} goes to the device, and the next comes back",
                  edge.kind == "kernel_launch_delay" and back.kind == "sync_dependency" and back.target == edge.source)
            call = trace.call_that_ends(back.end)
            check(f"{back} ends with a call", call is not None)
            (detour if call is not None and call["ts"] >= back.begin else waited)(edge, back)
            edge = back
        place = (edge.target, edge.end)
    critical_end = max(e["ts"] + e["dur"] for e in trace.host if e["args"].get("critical"))
    stretch(place[1], critical_end)
    add("outside", path.end - critical_end, 0)
    return sums


def check_events(edges, trace, path):
    """Checks which events within its path HTA marked as critical, and which it did not."""
    detours = [(launch.begin, back.end) for launch, back in zip(edges, edges[1:])
               if launch.kind == "kernel_launch_delay" and trace.call_that_ends(back.end)["ts"] >= back.begin]
    within = lambda e: any(begin <= e["ts"] < end for begin, end in detours)
    starts_on_stream = {task["begin"] for task in path.tasks if task["lane"].startswith("stream")}
    last = max(e["ts"] + e["dur"] for e in trace.host if e["args"].get("critical"))
    for event in trace.events:
        is_critical = "critical" in event["args"]
        label = f"{event['name'][:40]}@{event['ts']}"
        if event["cat"] in DEVICE:
            check(f"{label} is on both paths or none, or in a detour",
                  is_critical == (event["ts"] in starts_on_stream) or (is_critical and within(event)))
        elif not is_critical:
            check(f"{label} is not on HTA's path for a reason", event["dur"] == 0 or within(event) or event["ts"] > last)
    return len(detours)


def main():
    capture = sys.argv[2]
    if not os.path.exists(capture):
        print(f"skipped: {capture} is absent")
        return 0
    with gzip.open(capture) as file:
        events = json.load(file)["traceEvents"]
    ours = answer("critical-path", capture)
    timed = [e["ts"] for e in events if e.get("cat") in HOST | DEVICE | {"user_annotation"}]
    path = OurPath(ours, min(timed))
    trace = Trace(events)
    edges = edges_of(events)
    sums = explain(edges, trace, path)
    detours = check_events(edges, trace, path)
    print(f"{len(edges)} arrows, {len(path.tasks)} tasks of ours, {detours} detours; in microseconds:")
    for reason, (here, theirs) in sums.items():
        print(f"{reason:10} ours {here:>9} HTA's {theirs:>9}")
    check("every instant of our path has one reason", sum(here for here, _ in sums.values()) == path.end - path.begin)
    check("the classes of our path sum to its length", sum(ours["classes"].values()) == ours["length_ns"])
    return verdict()


if __name__ == "__main__":
    sys.exit(main())

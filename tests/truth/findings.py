#!/usr/bin/env python3
"""findings.py STEPSIM FOLDER [--csv FILE]: asks stepsim about the records of FOLDER (shared/findings), which 5d0bbedd
answered wrongly, and compares the answers with the right values of FOLDER/README.md.

--csv writes a table of the right values, the answers of 5d0bbedd and those of STEPSIM (docs/results/findings.csv)."""
import argparse
import csv
import glob
import json
import os
import resource
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "cli"))
from checks import STEPSIM, quietly  # noqa: E402
from made_traces import paused_trace  # noqa: E402

try:
    import yaml
except ImportError as missing:
    print(f"skipped: {missing}; install python3-yaml")
    sys.exit(0)

FOLDER = sys.argv[2] if len(sys.argv) > 2 else ""


def ask(command, record, *options):
    """The JSON answer to a question about a record: a file, or all traces under a folder of them."""
    path = os.path.join(FOLDER, record)
    files = sorted(f for kind in ("json*", "sqlite") for f in glob.glob(f"{path}/**/*.{kind}", recursive=True)) if os.path.isdir(path) else [path]
    run = quietly(command, *files, *options, "--json", text=True)
    return json.loads(run.stdout) if run.stdout else {"failed": run.stderr.strip()}


def ms(nanoseconds):
    return f"{nanoseconds / 1e6:.3g} ms"


def close(value, right, tolerance):
    return abs(value - right) <= tolerance


def pauses():
    """A record of our own: every step is 10 ms, but for 7 views of 29 ms."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "paused.json")
        with open(path, "w", encoding="utf-8") as file:
            file.write(paused_trace())
        count = sum(finding["count"] for finding in ask("check", path)["findings"] if finding["name"] == "pauses")
        step = ask("whatif", path, "--set", "host.pauses=0")["scenario"]["iteration_ns"]
    return f"{count} pauses; without them, steps of {ms(step)}", count == 7 and close(step / 1e6, 10, 0.1)


# Each check returns (what stepsim answers, whether it is right).

def change(record, setting, right, tolerance):
    found = ask("whatif", record, "--set", setting)["scenario"]["change"]
    return f"{setting} {found:+.1%}", close(found, right, tolerance)


def saves(record, setting, least):
    found = ask("whatif", record, "--set", setting)["scenario"]["change"]
    return f"{setting} {found:+.1%}", found <= -least


def parts(record, **right):
    """The parts of a step of rank 0, in ms."""
    answer = ask("replay", record)
    found = {"step": answer["iteration"]["replayed_ns"], **{name: answer["breakdown"][0][name + "_ns"] for name in right if name != "step"}}
    return (", ".join(f"{name.replace('_', ' ')} {ms(found[name])}" for name in right),
            all(close(found[name] / 1e6, value, 0.01 * max(value, 1)) for name, value in right.items()))


def steps(record, ranks, count, length):
    answer = ask("replay", record)
    found = [(step["rank"], step["measured_ns"] / 1e6) for step in answer["steps"]]
    lengths = sorted({f"{round(duration, 1):g}" for _, duration in found})
    return (f"{len({rank for rank, _ in found})} rank(s), {len(found)} steps of {' and '.join(lengths)} ms",
            len({rank for rank, _ in found}) == ranks and len(found) == ranks * count
            and all(length is None or close(duration, length, 0.02 * length) for _, duration in found))


def network_question(record):
    found = ask("check", record)["questions"]["network"]
    return "network questions " + ("answered" if found in ("note", "blurs") else found), found in ("note", "blurs")


def clock_offset(record, right):
    hosts = ask("replay", record)["clock"]["hosts"]
    found = [host["offset_ns"] for host in hosts[1:]]
    return "ahead by " + ", ".join(map(ms, found)), any(close(ns / 1e6, right, 0.01) for ns in found)


def regular_iterations(record):
    answer, check = ask("replay", record), ask("check", record)
    error = answer["trust"]["perturbation"]["mean_abs_error"]
    found = sorted({step["measured_ns"] / 1e6 for step in answer["steps"]})
    doubt = any(finding["name"] == "graph_test_off" for finding in check["findings"])
    return f"{len(answer['steps'])} steps of {found[0]:g} ms, self-check off by {error:.1%}", found == [20] and error < 0.001 and not doubt


def set_aside(record):
    answer = ask("replay", record)
    counted = {entry["name"]: entry["count"] for entry in answer["ingest"]["diagnostics"]}
    step = answer["iteration"]["replayed_ns"]
    return f"{ms(step)}; {counted.get('mistimed_device_work', 0)} kernels flagged", close(step / 1e6, 10, 0.1) and "mistimed_device_work" in counted


def unexplained(record):
    found = ask("replay", record)["unexplained_wait_ns"]
    return f"unexplained {ms(found)}", found < 100_000


def baseline(record, right, *options):
    found = ask("whatif", record, *options)["baseline"]["iteration_ns"] / 1e6
    return f"{found:.3g} ms", close(found, right, 0.005 * right)


def lost_launches(record):
    found = [finding for finding in ask("check", record)["findings"] if finding["name"] in ("launches_without_work", "lost_kernels")]
    return f"{sum(finding['count'] for finding in found)} launches without work", not found


def transfers(record, least):
    """Whether all collectives have a size, and replay and whatif agree that a network matters: of 3 ms, twice the bandwidth saves half at most."""
    replayed = ask("replay", record)
    reasons = [text for text in replayed["assumptions"] if "keep their recorded durations" in text]
    exposed = max(row["exposed_communication_ns"] for row in replayed["breakdown"]) / 1e6
    answer = ask("whatif", record, "--set", "network.bandwidth=2x")
    saved = (answer["baseline"]["iteration_ns"] - answer["scenario"]["iteration_ns"]) / 1e6
    return (f"{len(reasons)} reasons to keep times, {exposed:.3g} ms exposed, twice the network saves {saved:.3g} ms",
            not reasons and close(exposed, 3, 0.05) and least <= saved <= 1.55)


def two_nodes(script, *together):
    """Why collectives of the nsys exports that a script writes keep their recorded times, if any does."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, os.path.join(FOLDER, script), folder, *together], check=True)
        reasons = [text for text in ask("replay", folder)["assumptions"] if "keep their recorded durations" in text]
        return ", ".join(reasons) or "all sized", not reasons


def table(record, right_ranks, right_hosts, right_rates):
    """The shape of a table of nccl-tests and its bus bandwidths in GB/s, as cluster.yaml has them."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "cluster.yaml")
        run = quietly("calibrate", "--nccl-tests", os.path.join(FOLDER, record), "-o", out, text=True)
        if run.returncode != 0:
            return run.stderr.strip(), False
        with open(out, encoding="utf-8") as file:
            (entry,) = yaml.safe_load(file)["collectives"]
    ranks, hosts = entry["ranks"], entry.get("hosts", 1)
    microseconds = [float(time[:-2]) / (1e3 if time.endswith("ns") else 1) for time in entry["times"]]
    rates = [2 * (ranks - 1) / ranks * size / time / 1e3 for size, time in zip(entry["bytes"], microseconds)]
    return (f"{entry['op']} of {ranks} ranks on {hosts} host(s), {', '.join(f'{rate:.0f}' for rate in rates)} GB/s",
            (entry["op"], ranks, hosts) == ("all_reduce", right_ranks, right_hosts)
            and all(close(rate, right, 0.005 * right) for rate, right in zip(rates, right_rates, strict=True)))


def overlap(record, *right):
    """What the file's own "Overlap Analysis" rows say of each rank: computing, communication, not overlapped, in ms."""
    texts, good = [], True
    for name, (computing, communication, alone) in right:
        row = ask("replay", os.path.join(record, name))["breakdown"][0]
        found = [row["compute_ns"] / 1e6, row["communication_ns"] / 1e6, row["exposed_communication_ns"] / 1e6]
        texts.append("/".join(f"{value:.3f}" for value in found))
        good = good and all(close(a, b, 0.02 * b) for a, b in zip(found, (computing, communication, alone)))
    return "; ".join(texts) + " ms", good


def equal_ids(record):
    answer = ask("replay", record)
    counted = {entry["name"]: entry["count"] for entry in answer["ingest"]["diagnostics"]}
    step, compute = answer["iteration"]["replayed_ns"] / 1e6, answer["breakdown"][0]["compute_ns"] / 1e6
    lost = counted.get("lost_kernels", 0)
    without, good = lost_launches(record)
    return (f"{step:.3g} ms, {compute:.3g} ms busy, {lost} kernels lost, {without}",
            close(step, 10, 0.1) and close(compute, 5, 0.05) and lost == 0 and good)


def processor_seconds(*command):
    """Processor time of a command that must succeed."""
    def spent():
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime
    before = spent()
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    return spent() - before


def script(name, *arguments):
    """Runs a script of FOLDER/cases."""
    subprocess.run([sys.executable, "-B", os.path.join(FOLDER, "cases", name), *map(str, arguments)],
                   stdout=subprocess.DEVNULL, check=True)


def many_collectives(_):
    with tempfile.TemporaryDirectory() as folder:
        job = os.path.join(folder, "job")
        script("many_collectives.py", job, 8000)
        seconds = processor_seconds(STEPSIM, "replay", job, "--quiet")
    return f"8,000: {seconds:.1f} s", seconds < 1.5


def claimed_groups(_):
    trace = os.path.join(TRACES, "ddp-a100-rank0of2.json.gz")
    with tempfile.TemporaryDirectory() as folder:
        seconds = []
        for size in (2, 2048, 8192, 16384, 90000):
            job = os.path.join(folder, f"{size}.json")
            script("hostile_group.py", trace, job, size)
            seconds.append(processor_seconds(STEPSIM, "calibrate", job, "-o", os.path.join(folder, "cluster.yaml"), "--quiet"))
    more = [one - seconds[0] for one in seconds[1:]]
    return ", ".join(f"{max(0, one):.1f}" for one in more) + " s more", max(more) < 0.5


def one_step_time(record):
    replayed = ask("replay", record)["iteration"]["replayed_ns"] / 1e6
    baseline = ask("whatif", record, "--set", "compute.scale=0.99")["baseline"]["iteration_ns"] / 1e6
    return f"replay {replayed:.2f} ms, what-if {baseline:.2f} ms", all(close(one, 42.05, 0.02 * 42.05) for one in (replayed, baseline))


TRACES = os.path.join(os.path.dirname(os.path.abspath(FOLDER)), "traces/kineto")
ASCEND = "captures/ascend-level"
RANKS = ("rank0.trace_view.json.gz", "rank1.trace_view.json.gz")
# (number in the issue "What the trace says", record, right, 5d0bbedd, check)
CHECKS = [
    (0, "sync-ends-500ns-before-its-kernel", "device.factor=0.5 saves 44 %", "0 %, path 100 % CPU, Good",
     lambda r: change(r, "device.factor=0.5", -0.44, 0.005)),
    (1, "work-launched-before-the-first-step", "compute 6, communication 4, exposed 4 of 10 ms", "10, 7, 7 of 10 ms",
     lambda r: parts(r, step=10, compute=6, communication=4, exposed_communication=4)),
    (2, "correlation-ids-reused", "10 ms", "37 ms, Good", lambda r: parts(r, step=10)),
    (3, "two-ranks-merged-in-one-file", "two ranks with 3 steps of 10 ms", "lost at least 30 kernels", lambda r: steps(r, 2, 3, 10)),
    (4, "kernel-duration-overflow", "steps of 10 ms (clipped, counted)", "steps of 205.1 and 0.000 ms", lambda r: steps(r, 2, 3, 10)),
    (4, "kernels-before-their-launch-2s", "those kernels flagged, the rest answered: 10 ms", "dependencies form a cycle", set_aside),
    (5, "wait-across-devices", "an edge: nothing unexplained", "2.9 ms unexplained", unexplained),
    (7, "item-waits-without-runtime-calls", "a faster network helps (13 of 20 ms are all-reduce)", "100 % CPU, none of 14 changes helps",
     lambda r: saves(r, "network.bandwidth=1000x", 0.5)),
    (7, "xpu-urQueueFinish", "a wait for the device: device.factor=0.5 saves 32 % (6.46 of 10 ms are kernels)", "CPU work",
     lambda r: change(r, "device.factor=0.5", -0.323, 0.01)),
    (7, ASCEND + "0", "8.827/85.517/81.516; 8.813/68.606/64.616 ms", "critical path 98.4 % CPU",
     lambda r: overlap(r, (RANKS[0], (8.827, 85.517, 81.516)), (RANKS[1], (8.813, 68.606, 64.616)))),
    (7, ASCEND + "2", "8.868/99.973/95.962; 8.902/97.455/93.412 ms", "critical path 65.5 % communication",
     lambda r: overlap(r, (RANKS[0], (8.868, 99.973, 95.962)), (RANKS[1], (8.902, 97.455, 93.412)))),
    (2, ASCEND + "2", "no launch lost: of two nested calls, one has the flow to the work", "390 launches without work",
     lost_launches),
    (8, "seq-two-groups-of-equal-ranks", "12 of 12 matched", "0 of 12, network questions refused", network_question),
    (8, "seq-pipeline-of-3", "18 of 18 matched", "0 of 18, network questions refused", network_question),
    (8, "seq-coalesced", "12 of 12 matched", "0 of 12, network questions refused", network_question),
    (9, "first-step-waits-for-other-ranks", "exposed 0.09 ms", "a faster network can save at most 100 %", lambda r: parts(r, exposed_communication=0.09)),
    (10, "ranks-of-two-hosts-3ms-apart", "offset of 3 ms, one job", "no collective in common", lambda r: clock_offset(r, 3)),
    (11, "windows-on-two-hosts-7s-apart", "two steps on both ranks", "rank 1 has none, nothing said", lambda r: steps(r, 2, 2, None)),
    (12, "kernel-name-k-rccl", "communication 1.5 ms a step", "compute", lambda r: parts(r, step=10, communication=1.5)),
    (13, "nccl-tests/a-16ranks.txt", "16 ranks, 2 hosts", "16 ranks, 2 hosts", lambda r: table(r, 16, 2, (9.36, 32.10, 213.27, 298.26))),
    (13, "nccl-tests/b-16ranks-first-hash-lost.txt", "16 ranks, 2 hosts", "15 ranks", lambda r: table(r, 16, 2, (9.36, 32.10, 213.27, 298.26))),
    (13, "nccl-tests/e-rows-broken-by-NCCL_DEBUG.txt", "all-reduce of 4 ranks, 338 to 356 GB/s", "268435456 us and a 100 MB/s link",
     lambda r: table(r, 4, 1, (338.31, 353.13, 355.67))),
    (13, "horovod-regular-6-iterations.json", "20 ms each; the last ends where the next would start", "last whole step 5.7 ms; graph_test_off major",
     regular_iterations),
    (None, "collective-arguments-only-on-the-cpu", "100 MB all-reduces of 3 ms, all sized", "6 of 6 collectives have no size",
     lambda r: transfers(r, 1.4)),
    (None, "all-gather-by-copy-engine", "a collective; twice the network saves at most 1.5 ms", "nothing crosses a link", lambda r: transfers(r, 0.5)),
    (None, "one-process-two-devices", "compute.scale=0.5 gives 6 ms", "8 ms, 48.5 % unexplained", lambda r: change(r, "compute.scale=0.5", -0.4, 0.01)),
    (None, "one-process-two-devices", "nothing unexplained", "48.5 % unexplained", unexplained),
    (None, "cases/nsys_two_nodes.py", "all sized", "8 of 12 have no size or absent ranks", two_nodes),
    (None, "cases/nsys_two_nodes.py", "all sized in one file", "all sized", lambda r: two_nodes(r, "together")),
    (None, "../../truth/cluster/nanogpt-8xh100-run-ahead", "42.05 ms by the GPUs", "46.38 ms on average, typically 50.78", one_step_time),
    (None, "no-step-marks-but-train_step", "steps of 10 ms", "one step of 59.98 ms", lambda r: steps(r, 1, 6, 10)),
    (None, "ranks-late-in-turn", "half of rank 0's compute: 15.75 ms in 8 steps of 20", "14.33 ms (1104bcc2)",
     lambda r: change(r, "compute{rank=0}.scale=0.5", -0.2125, 0.001)),
    (None, "ranks-late-in-turn", "half of rank 1's compute: 15.75 ms in 8 steps of 20", "17.17 ms (1104bcc2)",
     lambda r: change(r, "compute{rank=1}.scale=0.5", -0.2125, 0.001)),
    (None, "ten-ranks-ten-hosts", "19.9 ms on the ten hosts that the capture names", "10.0 ms, nothing said",
     lambda r: baseline(r, 19.9, "--network", "maxmin", "--cluster", os.path.join(FOLDER, "ingest/ten-ranks-ten-hosts.yaml"),
                        "--set", "host.scale=0.999")),
    (None, "rocm-two-kernels-one-correlation", "10 ms, 5 ms busy, nothing lost", "Not usable ... lost at least 5 kernels", equal_ids),
    (None, "cases/many_collectives.py", "8,000 in a second", "5.1 s", many_collectives),
    (None, "cases/hostile_group.py", "at most 0.5 s more for 2,048, 8,192, 16,384 and 90,000 ranks", "0.4, 5.1, 19.9, over 60 s more", claimed_groups),
    (None, "paused (tests/cli/made_traces.py)", "7 pauses; without them, steps of 10 ms", "nothing said", lambda r: pauses()),
]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stepsim")
    parser.add_argument("folder")
    parser.add_argument("--csv")
    options = parser.parse_args()
    if not os.path.isdir(options.folder):
        print(f"skipped: no folder {options.folder}")
        return 0
    wrong, rows = 0, []
    for number, record, right, before, check in CHECKS:
        path = record if record.startswith(("captures/", "cases/", "../check/")) else "ingest/" + record
        answer, good = check(path)
        rows.append(["" if number is None else number, record, right, before, answer])
        print(f"{'ok   ' if good else 'WRONG'} {record}: {answer} (right: {right})")
        wrong += not good
    if options.csv:
        with open(options.csv, "w", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerows([["point", "record", "right", "5d0bbedd", "now"], *rows])
    print(f"{len(rows)} records, {wrong} answered wrongly")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

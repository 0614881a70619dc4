#!/usr/bin/env python3
"""findings.py STEPSIM FOLDER [--csv FILE]: asks stepsim about the records of FOLDER (shared/findings), which 5d0bbedd
answered wrongly, and compares the answers with the right values of FOLDER/README.md.

--csv writes a table of the right values, the answers of 5d0bbedd and those of STEPSIM (docs/results/findings.csv)."""
import argparse
import csv
import glob
import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "cli"))
from checks import quietly  # noqa: E402
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
    files = sorted(f for f in glob.glob(path + "/**/*.json*", recursive=True)) if os.path.isdir(path) else [path]
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
    (None, "ten-ranks-ten-hosts", "19.9 ms on the ten hosts that the capture names", "10.0 ms, nothing said",
     lambda r: baseline(r, 19.9, "--network", "maxmin", "--cluster", os.path.join(FOLDER, "ingest/ten-ranks-ten-hosts.yaml"),
                        "--set", "host.scale=0.999")),
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
        path = record if record.startswith("captures/") else "ingest/" + record
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

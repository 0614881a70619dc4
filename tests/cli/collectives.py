#!/usr/bin/env python3
"""collectives.py STEPSIM: `stats --collectives` on a job whose times are given here, with and without a slow link,
and on captures of real jobs, which have no slow link."""
import json
import os
import random
import sys
import tempfile

from checks import SHARED, answer, check, one_line, quietly, verdict, write

HOSTS, PER_HOST, STEPS = 4, 4, 5
RANKS = HOSTS * PER_HOST
TENSOR_PARALLEL = [list(range(host * PER_HOST, (host + 1) * PER_HOST)) for host in range(HOSTS)]
DATA_PARALLEL = [list(range(device, RANKS, PER_HOST)) for device in range(PER_HOST)]
TP_US, DP_US, TP_ELEMENTS, DP_ELEMENTS = 250, 1000, 4_000_000, 10_000_000


def collective(rank, ranks, elements, begin, end, number):
    """The call and the kernel of an all-reduce, as Kineto records them."""
    correlation = 10 * number + 1
    args = {"correlation": correlation, "stream": 7 if ranks in TENSOR_PARALLEL else 20, "device": rank % PER_HOST,
            "Collective name": "allreduce", "In msg nelems": elements, "Out msg nelems": elements, "dtype": "Float",
            "Process Group Name": f"group {ranks[0]}-{ranks[-1]}", "Process Group Ranks": str(ranks), "Group size": len(ranks)}
    cpu = dict(ph="X", pid=100 + rank, tid=7)
    return [dict(cpu, cat="cuda_runtime", name="cudaLaunchKernel", ts=begin - 10, dur=4, args={"correlation": correlation}),
            dict(ph="X", cat="kernel", name="ncclDevKernel_AllReduce_Sum_f32_RING_LL", pid=rank % PER_HOST, tid=args["stream"],
                 ts=begin, dur=end - begin, args=args)]


def job(folder, jitter=0.0, slow=(), factor=1.0, dice=random.Random(1)):
    """Writes a capture of a job with tensor and data parallelism. Rank k of a group arrives 10 k us after the first, and
    all end together; the collectives of the groups in `slow` take `factor` times as long."""
    events = {rank: [] for rank in range(RANKS)}
    number = 0
    for step in range(STEPS):
        begin = 10_000 * step + 1_000
        for rank in events:
            events[rank].append(dict(ph="X", pid=100 + rank, tid=7, ts=begin - 500, dur=9_000, cat="user_annotation",
                                     name=f"ProfilerStep#{step}"))
        for groups, start, usual, elements in ((TENSOR_PARALLEL, 0, TP_US, TP_ELEMENTS), (DATA_PARALLEL, 2_000, DP_US, DP_ELEMENTS)):
            for ranks in groups:
                number += 1
                length = usual * (factor if ranks in slow else 1) * (1 + jitter * dice.random())
                arrivals = [begin + start + 10 * place for place in range(len(ranks))]
                for rank, arrival in zip(ranks, arrivals):
                    events[rank] += collective(rank, ranks, elements, arrival, arrivals[-1] + length, number)
    for rank in events:
        write(folder, f"rank{rank}.json", json.dumps({
            "schemaVersion": 1, "host_name": f"host-{rank // PER_HOST}", "baseTimeNanoseconds": 10**18,
            "distributedInfo": {"rank": rank, "world_size": RANKS, "backend": "nccl"},
            "deviceProperties": [{"id": device, "name": "NVIDIA H100 80GB HBM3"} for device in range(PER_HOST)],
            "traceEvents": events[rank]}))
    return folder


def statistics(*arguments):
    return answer("stats", *arguments, "--collectives", "--join")["inputs"][0]


def check_columns(folder):
    trace = job(os.path.join(folder, "even"))
    made = statistics(trace)
    rows = {row["group"]: row for row in made["rows"]}
    check("groups", set(rows) == {"0-3", "4-7", "8-11", "12-15", "0,4,8,12", "1,5,9,13", "2,6,10,14", "3,7,11,15"}, rows.keys())
    for name, us, elements, hosts in (("4-7", TP_US, TP_ELEMENTS, 1), ("1,5,9,13", DP_US, DP_ELEMENTS, HOSTS)):
        row = rows[name]
        bytes_ = 4 * elements
        known = {"operation": "all_reduce", "ranks": 4, "hosts": hosts, "bytes": bytes_, "count": STEPS, "time_ns": 1000 * us,
                 "skew_ns": 30_000, "max_skew_ns": 30_000, "last_rank": int(name.split(",")[-1].split("-")[-1]), "last_in": STEPS}
        check(name, {key: row[key] for key in known} == known, row)
        algbw = bytes_ / (us * 1e-6)
        check(name + ": algbw", abs(row["algbw_bytes_per_second"] / algbw - 1) < 1e-9, row)
        check(name + ": busbw", abs(row["busbw_bytes_per_second"] / (algbw * 2 * 3 / 4) - 1) < 1e-9, row)
    # Of the data sheet, only the links inside a host are known.
    check("data sheet", "H100 SXM: NVLink, 450GB/s" in made["expected_from"], made["expected_from"])
    check("inside a host", rows["0-3"]["of_expected"] == rows["0-3"]["expected_ns"] / rows["0-3"]["time_ns"], rows["0-3"])
    check("between hosts", rows["0,4,8,12"]["expected_ns"] is None and "NICs" in rows["0,4,8,12"]["not_expected"])
    check("no slow group", made["slow"] == [] and made["compared_groups"] == 8, made["slow"])

    cluster = write(folder, "cluster.yaml", f"""hosts: {HOSTS}
devices: {{count: {PER_HOST}, model: H100}}
nics: {PER_HOST}
nic: {{bandwidth: 400Gb/s, latency: 500ns}}
nvlink: {{bandwidth: 450GB/s, latency: 300ns}}
""")
    of_cluster = {row["group"]: row for row in statistics(trace, "--cluster", cluster)["rows"]}
    check("between hosts of a cluster", of_cluster["0,4,8,12"]["expected_ns"] > 0, of_cluster["0,4,8,12"])
    check("the same model", of_cluster["0-3"]["expected_ns"] == rows["0-3"]["expected_ns"], (of_cluster["0-3"], rows["0-3"]))
    # The collectives of this job never overlap, so a replay on the same cluster gives each of them that time.
    output = os.path.join(folder, "replayed.trace.json")
    quietly("replay", trace, "--cluster", cluster, "-o", output)
    with open(output) as file:
        events = json.load(file)["traceEvents"]
    last = {event["pid"] for event in events if event["name"] == "process_name" and event["args"]["name"] == "rank 15 replayed"}
    # In nanoseconds, without a wait for others: rank 15 arrives last in both of its groups.
    times = {round(1000 * event["dur"]) for event in events if event["pid"] in last and event["name"].startswith("nccl")}
    check("as in a replay", times == {of_cluster["0-3"]["expected_ns"], of_cluster["0,4,8,12"]["expected_ns"]}, times)


def check_slow_links(folder):
    for seed in range(3):
        dice = random.Random(seed)
        even = statistics(job(os.path.join(folder, f"jitter{seed}"), 0.2, dice=dice))
        check(f"jitter {seed}", even["slow"] == [], even["slow"])
        rail = statistics(job(os.path.join(folder, f"rail{seed}"), 0.2, [DATA_PARALLEL[2]], 1.6, dice))["slow"]
        check(f"slow rail {seed}", [[group["group"] for group in one["groups"]] for one in rail] == [["2,6,10,14"]], rail)
        check(f"its factor {seed}", rail and abs(rail[0]["groups"][0]["factor"] / 1.6 - 1) < 0.2, rail)
    trace = job(os.path.join(folder, "host"), 0.2, [TENSOR_PARALLEL[3]], 1.6)
    host = statistics(trace)["slow"]
    check("slow host", [one["host"] for one in host] == ["host-3"], host)
    text = quietly("stats", trace, "--collectives", "--join").stdout.decode()
    check("its sentence", "Slow: host host-3. Group 12-15 takes " in text, text)


def check_refusals(folder):
    trace = os.path.join(folder, "even")
    check("--by", one_line(quietly("stats", trace, "--collectives", "--by", "rank"), 2))
    check("no collectives", one_line(quietly("stats", os.path.join(folder, "even", "rank0.json"), "--collectives", "--kernels"), 2))


def check_real(path, rows):
    """Checks that a capture of eight GPUs, which ran as they should, has so many rows, and that nothing is slow."""
    if not os.path.exists(path):
        print(f"left out: {path} is absent")
        return
    made = statistics(path)
    name = os.path.basename(path)
    check(name, len(made["rows"]) == rows, len(made["rows"]))
    check(f"{name}: nothing is slow", made["slow"] == [], made["slow"])
    check(f"{name}: expected", 0.8 < made["of_expected"] < 1.25, made["of_expected"])


def main():
    with tempfile.TemporaryDirectory() as folder:
        check_columns(folder)
        check_slow_links(folder)
        check_refusals(folder)
    check_real(os.path.join(SHARED, "../truth/cluster/nanogpt-8xh100/8-ranks"), 15)
    check_real(os.path.join(SHARED, "kineto/dlrm-8ranks"), 7)
    return verdict()


sys.exit(main())

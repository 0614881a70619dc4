#!/usr/bin/env python3
"""many_ranks.py STEPSIM: a job of 64 ranks on 8 hosts, of which rank 37 is slow. Its tables of ranks are short and name
the slow rank; a gate names its reason; faster NVLink makes no step slower."""
import json
import os
import sys
import tempfile

from checks import answer, check, quietly, verdict, write

RANKS, HOSTS, SLOW = 64, 8, 37
NCCL = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)"


def rank_file(rank, compute, end):
    """Steps of 2 ms and `end` us: a kernel of `compute` us, then an all-reduce of 4 MB that ends `end` us after the step began."""
    device, events = rank % (RANKS // HOSTS), []

    def event(category, name, thread, begin, length, **arguments):
        events.append({"ph": "X", "cat": category, "name": name, "pid": 1, "tid": thread, "ts": begin, "dur": length, "args": arguments})

    for step in range(4):
        begin, launch = (end + 2000) * step, 10 * step
        event("user_annotation", f"ProfilerStep#{step}", 1, begin, end + 2000)
        for number in (1, 2):
            event("cuda_runtime", "cudaLaunchKernel", 1, begin + 20 * number, 10, correlation=launch + number)
        event("cuda_runtime", "cudaDeviceSynchronize", 1, begin + 60, end - 50, correlation=launch + 3)
        event("kernel", "sgemm", 7, begin + 50, compute, correlation=launch + 1, device=device, stream=7)
        event("kernel", NCCL, 13, begin + 50 + compute, end - 50 - compute, correlation=launch + 2, device=device, stream=13, dtype="Float",
              **{"Collective name": "allreduce", "In msg nelems": 1000000, "Out msg nelems": 1000000, "Group size": RANKS,
                 "Process Group Name": "0", "Process Group Ranks": str(list(range(RANKS))), "Seq": step})
    return {"schemaVersion": 1, "host_name": f"gpu-node-{rank * HOSTS // RANKS}.corp", "traceEvents": events,
            "distributedInfo": {"backend": "nccl", "rank": rank, "world_size": RANKS}, "baseTimeNanoseconds": 1711964646000000000,
            "deviceProperties": [{"id": number, "name": "NVIDIA H100 80GB HBM3"} for number in range(RANKS // HOSTS)]}


def job_in(folder, slow):
    """Writes the files of a job whose slow rank computes for `slow` us longer than the others, which wait for it."""
    os.makedirs(folder)
    for rank in range(RANKS):
        compute = 4000 + rank + (slow if rank == SLOW else 0)
        write(folder, f"rank{rank}.pt.trace.json", json.dumps(rank_file(rank, compute, 5000 + slow)))
    return folder


def rows_of(text, title):
    """Returns the first cells of the rows of a table: from the line after its titles to the first sentence."""
    lines = text[text.index(title):].splitlines()[2:]
    return [line.split()[0] for line in lines[:next(i for i, line in enumerate(lines) if line.startswith("-"))]]


with tempfile.TemporaryDirectory() as folder:
    job, slower = job_in(os.path.join(folder, "a"), 3000), job_in(os.path.join(folder, "b"), 3500)

    text = quietly("replay", job).stdout.decode()
    check("replay is short", text.count("\n") < 120, text.count("\n"))
    rows = rows_of(text, "Where the time of a step goes")
    check("the spread and the slowest ranks", rows[:4] == ["min", "median", "max", str(SLOW)] and len(rows) == 8, rows)
    check("three rows", len(rows_of(quietly("replay", job, "--rows", "3").stdout.decode(), "Where the time of a step goes")) == 6)
    whole = quietly("replay", job, "--rows", "all").stdout.decode()
    check("every row", rows_of(whole, "Where the time of a step goes") == [str(rank) for rank in range(RANKS)])
    check("JSON has every rank", len(answer("replay", job)["breakdown"]) == RANKS)
    path = quietly("critical-path", job).stdout
    check("the job's path comes before those of single GPUs", 0 < path.index(b"in order of time") < path.index(b"Each GPU alone"), path)

    for limits, code in ((["2%"], 4), (["exposed=2%"], 4), (["launches=1%"], 0), (["gpu-idle=2%", "launches=0%"], 0), (["2%", "exposed=2%"], 4)):
        arguments = ["compare", job, slower, *(word for limit in limits for word in ("--fail-above", limit))]
        run, gates = quietly(*arguments), json.loads(quietly(*arguments, "--json").stdout)["gates"]
        failed = "; ".join(gate["sentence"] for gate in gates if gate["failed"] or (code == 5 and not gate["judged"]))
        expected = f"error: --fail-above {failed}\n" if failed else ""
        check(f"a gate of {limits} says why", run.returncode == code and run.stderr.decode() == expected, (run.returncode, run.stderr, expected))

    cluster = write(folder, "cluster.yaml", "hosts: 8\ndevices: 8\nnvlink: {bandwidth: 450GB/s}\nnic: {bandwidth: 400Gb/s}\n")
    for key in ("network.inside", "network.between", "network.bandwidth"):
        times = [answer("whatif", job, "--cluster", cluster, "--set", f"{key}={factor}x")["scenario"]["iteration_ns"]
                 for factor in (0.25, 0.5, 1, 1.3, 1.5, 2, 4, 16)]
        check(f"a larger {key} makes no step slower", times == sorted(times, reverse=True), times)
sys.exit(verdict())

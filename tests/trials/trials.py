#!/usr/bin/env python3
"""trials.py STEPSIM: dPRO trials, written here from the formats page, replay to the times on that page (6.2, 6.4, 6.5)
or to times computed by hand, for any clocks of the hosts. Expectations are in microseconds."""
import json
import os
import sys
import tempfile

import trial_files as trial

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "cli"))
import checks  # noqa: E402

def check(what, found, expected):
    checks.check(what, found == expected, f"{found!r}, expected {expected!r}")


def replay(files):
    """Returns the answer as JSON, and for every task (rank, name, number of its run) its start and end in us from the
    job's first task."""
    with tempfile.TemporaryDirectory() as folder:
        trial.write(files, folder)
        answer = checks.answer("replay", "trial", cwd=folder)
        checks.quietly("replay", "trial", "-o", "out.trace.json", cwd=folder).check_returncode()
        events = json.loads(checks.read(os.path.join(folder, "out.trace.json")))["traceEvents"]
        ranks = {e["pid"]: int(e["args"]["name"].split()[1]) for e in events
                 if e["name"] == "process_name" and e["args"]["name"].endswith(" replayed")}
        tasks, seen = {}, {}
        for event in sorted((e for e in events if e["ph"] == "X" and e["pid"] in ranks), key=lambda e: e["ts"]):
            name = (ranks[event["pid"]], event["name"])
            seen[name] = seen.get(name, -1) + 1
            tasks[(*name, seen[name])] = (event["ts"], event["ts"] + event["dur"])
        return answer, tasks


def check_job(what, answer, iteration, clocks, residual=0):
    check(what + " measured", answer["iteration"]["measured_ns"], iteration * 1000)
    check(what + " replayed", answer["iteration"]["replayed_ns"], iteration * 1000)
    check(what + " clocks", [(c["host"], c["offset_ns"], c["residual_ns"]) for c in answer["clock"]["hosts"]],
          [(host, ahead * 1000, residual * 1000 if i > 0 else 0) for i, (host, ahead) in enumerate(clocks)])
    check(what + " skipped", answer["ingest"]["skipped"], 0)


# Section 6.2: by (name, ring step), on both ranks. Horovod's copies of 1 us delay the first chunk of a tensor by 2 us.
GOLDEN_A = {"FW.m/a": (0, 1000), "FW.m/b": (1000, 3000), "BW.gradient_tape/m/b": (3000, 6000),
            "Comm.1.SEND.0_0_0_0": (6002, 7500), "Comm.1.RECV.0_0_0_0": (7500, 9000),
            "Comm.0.SEND.0_0_0_0": (9000, 10000), "Comm.1.SEND.0_0_1_0": (10000, 11500),
            "Comm.0.RECV.0_0_0_0": (11500, 12500), "Comm.1.RECV.0_0_1_0": (12500, 14000),
            "Comm.0.SEND.0_0_1_0": (14000, 15000), "Comm.0.RECV.0_0_1_0": (15000, 16000),
            "UPDATE_.SGD/update_b": (14000, 14500), "UPDATE_.SGD/update_a": (16000, 16250)}


def golden_a():
    """Rank 1's backward pass of a takes 3 ms and the other rank's 2 ms. The clocks agree."""
    for graph in (True, False):
        answer, tasks = replay(trial.nccl_trial(steps=2, slow=1000, clock=(0, 0), graph=graph))
        check_job("golden A", answer, 16250, [("host0", 0), ("host1", 0)])
        check("golden A unexplained", answer["unexplained_wait_ns"], 0)
        for k, shift in ((0, 0), (1, 16250)):
            for rank in (0, 1):
                backward = (6000 + shift, (9000 if rank else 8000) + shift)
                check("golden A BW.a", tasks[(rank, "BW.gradient_tape/m/a", k)], backward)
                for name, (start, end) in GOLDEN_A.items():
                    late = 2 if name == "Comm.0.SEND.0_0_0_0" else 0  # copying it in begins at 9000 on the late rank
                    check(f"golden A {name}, rank {rank}, step {k}", tasks[(rank, name, k)],
                          (start + late + shift, end + shift))


def golden_c():
    """Host 1's clock is 7 ms ahead; the steps end after 16.250 ms."""
    answer, tasks = replay(trial.nccl_trial())
    check_job("golden C", answer, 16250, [("host0", 0), ("host1", 7000)])
    check("golden C steps", sorted({s["step"] for s in answer["steps"]}), [1, 2, 3])
    check("golden C update", tasks[(1, "UPDATE_.SGD/update_a", 2)], (2 * 16250 + 16000, 3 * 16250))
    for clock in ((0, -123456), (5000, 0), (0, 86_400_000_000)):
        other, times = replay(trial.nccl_trial(clock=clock))
        check_job(f"clocks {clock}", other, 16250, [("host0", 0), ("host1", clock[1] - clock[0])])
        check(f"clocks {clock}: times", times, tasks)


def what_ifs():
    """With compute x 1.1, the 6 ms before the first release become 6.6, and the update of 0.25 becomes 0.275."""
    with tempfile.TemporaryDirectory() as folder:
        trial.write(trial.nccl_trial(), folder)
        answer = checks.answer("whatif", "trial", "--set", "compute{kind=operator}.scale=1.1", cwd=folder)
        check("compute x 1.1", answer["scenario"]["iteration_ns"], 16875 * 1000)


def fused():
    """3 ms of compute, 0.5 ms more on rank 2, 12 x 100 us of chunks, and an update of 0.3 ms. All wait for rank 2."""
    answer, tasks = replay(trial.fused_trial())
    # Host 0's ranks are ready 500 us before they see the agreement, so host 1 may have seen it up to 500 us earlier.
    check_job("fused", answer, 3500 + 1200 + 300, [("host0", 0), ("host1", 3000)], residual=500)
    check("fused unexplained", answer["unexplained_wait_ns"], 0)
    for rank in range(4):
        for piece in range(6):
            check(f"fused SEND {piece}", tasks[(rank, f"Comm.0+1.SEND.0_0_{piece}_0", 0)],
                  (3500 + 200 * piece, 3600 + 200 * piece))
    with tempfile.TemporaryDirectory() as folder:
        trial.write(trial.fused_trial(), folder)
        for scale, expected in ((0.8, 4500), (1.2, 5500)):  # rank 2's backward pass of 2.5 ms takes 2 or 3 ms
            setting = f"compute{{rank=2,name=BW.*}}.scale={scale}"
            found = checks.answer("whatif", "trial", "--set", setting, cwd=folder)
            check(f"fused, {setting}", found["scenario"]["iteration_ns"], expected * 1000)


# Section 6.4: by worker.
GOLDEN_B = {0: {"FW.x": (0, 1000), "BW.gradient_tape/x": (1000, 3000), "UPDATE_.SGD/x": (7010, 7110)},
            1: {"FW.x": (0, 1000), "BW.gradient_tape/x": (1000, 3400), "UPDATE_.SGD/x": (7410, 7510)}}


def golden_b():
    for clock, server in (((0, 0), 0), ((0, 900_000), -40_000), ((0, 0), 333)):
        what = f"golden B, clocks {clock}, {server}"
        answer, tasks = replay(trial.byteps_trial(steps=1, clock=clock, server_clock=server))
        check_job(what, answer, 7510, [("traces_0", 0), ("traces_1", clock[1]), ("server_0", server)])
        check(what + " unexplained", answer["unexplained_wait_ns"], 0)
        for worker, spans in GOLDEN_B.items():
            for name, span in spans.items():
                check(f"{what}: {name} of worker {worker}", tasks[(worker, name, 0)], span)
        for part, spans in trial.MESSAGES.items():
            for (message, worker), (start, length) in spans.items():
                check(f"{what}: {message} of partition {part} of worker {worker}",
                      tasks[(worker, f"Comm.t0~PART{part}.{message}", 0)], (start, start + length))
        for part, spans in trial.SERVER_WORK.items():
            for name, (start, length) in spans.items():
                check(f"{what}: {name} of partition {part}", tasks[(0, f"Comm.t0~PART{part}.{name}", 0)],
                      (start, start + length))
    three, _ = replay(trial.byteps_trial())
    check_job("golden B, three steps", three, 7510, [("traces_0", 0), ("traces_1", 0), ("server_0", 0)])
    plain, _ = replay({path: text for path, text in trial.byteps_trial(steps=1).items() if "server_t" not in path})
    check_job("golden B without the servers' file", plain, 7510, [("traces_0", 0), ("traces_1", 0), ("server_0", 0)])


def caches_change_nothing():
    files = trial.nccl_trial()
    whole, _ = replay(files)
    cache = trial.dumps({"traceEvents": [{"name": "host0.rank0->FW.m/a", "ph": "X", "ts": 0, "dur": 5, "pid": "host0.rank0",
                                          "tid": "operator0", "cat": "operator", "args": {"step": 0}}], "all_prefix": []})
    files.update({"trial/bps_trace_final.json": cache, "trial/host0/0/bps_trace_final.json": cache,
                  "trial/trail_dag.gml": trial.gml([("host0.rank0->FW.m/a", "host0.rank0->END")]),
                  "trial/statistic.txt": b"2,3,1,16.25\n__import__('os').system('touch evaluated')\n{}\n",
                  "trial/bps_cache.pickle": b"\x80\x04cos\nsystem\n(S'touch evaluated'\ntR."})
    cached, _ = replay(files)
    names = {d["name"] for d in cached["ingest"]["diagnostics"]}
    check("caches are named", {"trial_cache_not_used", "file_not_used"} <= names, True)
    for key in ("tasks", "edges", "steps", "iteration", "clock"):
        check(f"caches: {key}", cached[key], whole[key])


def names_and_inputs():
    """gradient_name2ID.json instead of the list, and batches that are loaded."""
    files = trial.nccl_trial(graph=False)
    for host in (0, 1):
        folder = f"trial/host{host}/0/"
        files[folder + "gradient_name2ID.json"] = trial.dumps({"HorovodAllreduce.1": 1, "HorovodAllreduce.0": 0})
        del files[folder + "gradient_name_list.json"]
        files[folder + "io.json"] = trial.dumps([{"name": "I/O.batch", "ph": "X", "cat": "I/O", "pid": "io", "tid": 0,
                                                  "ts": 1_000_000 + 7000 * host, "dur": 500, "args": {"step": 1}}])
    answer, tasks = replay(files)
    check_job("with inputs", answer, 16250, [("host0", 0), ("host1", 7000)])
    check("the batch", tasks[(1, "I/O.batch", 0)], (0, 500))


def horovod_timeline():
    """Two tensors, three steps of 10 ms. A broadcast before them does not belong to a step."""
    def event(pid, phase, at, name=None, **more):
        return {"ph": phase, "ts": at, "pid": pid, **({"name": name} if name else {}), **more}
    lines = ['[', json.dumps({"name": "process_name", "ph": "M", "pid": 0,
                              "args": {"start_time_since_epoch_in_micros": 1_700_000_000_000_000}}) + ","]
    for pid, name in enumerate(("allreduce.a", "allreduce.b", "broadcast.w"), 1):
        lines.append(json.dumps({"name": "process_name", "ph": "M", "pid": pid, "args": {"name": name}}) + ",")
        lines.append(json.dumps({"name": "process_sort_index", "ph": "M", "pid": pid, "args": {"sort_index": pid}}) + ",")
    events = [event(3, "B", 10, "NEGOTIATE_BROADCAST"), event(3, "X", 11, "0", dur=0), event(3, "E", 20),
              event(3, "B", 20, "BROADCAST"), event(3, "B", 20, "NCCL_BCAST"), event(3, "E", 90), event(3, "E", 90)]
    for k in range(3):
        for pid, ready in ((1, 3000), (2, 5000)):
            at = 1000 + 10_000 * k + ready
            events += [event(pid, "B", at, "NEGOTIATE_ALLREDUCE"), event(pid, "X", at, "0", dur=0), event(pid, "E", at + 100),
                       {"ph": "i", "name": "CYCLE_START", "ts": at + 50, "s": "g"},
                       event(pid, "B", at + 100, "ALLREDUCE"), event(pid, "B", at + 100, "QUEUE"), event(pid, "E", at + 200),
                       event(pid, "B", at + 200, "NCCL_ALLREDUCE"), event(pid, "E", at + 1200),
                       event(pid, "E", at + 1200, args={"dtype": "float32", "shape": "[1024]"})]
    lines.append(",".join(json.dumps(e) for e in events) + ",")  # several events per line, and the array is not closed
    answer, tasks = replay({"trial/timeline.json": "\n".join(lines).encode()})
    # The recording ends with the last release of the last step, so that step is not complete.
    check("timeline steps", [s["step"] for s in answer["steps"]], [0, 1])
    check("timeline iteration", answer["steps"][0]["measured_ns"], 10_000_000)
    check("timeline replayed", answer["iteration"]["replayed_ns"], answer["iteration"]["measured_ns"])
    check("timeline tasks", answer["tasks"], 3 * 2 * 4)  # a segment, a negotiation, the queue and the transfer
    check("timeline broadcast left out", any("BCAST" in name for _, name, _ in tasks), False)
    instants = [d["count"] for d in answer["ingest"]["diagnostics"] if d["name"] == "instant_event"]
    check("timeline instants", instants, [1 + 6 + 6])


def main():
    for part in (golden_a, golden_b, golden_c, what_ifs, fused, caches_change_nothing, names_and_inputs, horovod_timeline):
        part()
    return checks.verdict()


if __name__ == "__main__":
    sys.exit(main())

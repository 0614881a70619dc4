#!/usr/bin/env python3
"""calibrated_cluster.py STEPSIM SAMPLE: a replay on the cluster.yaml that calibrate wrote equals a replay that
calibrates by itself, and a slower cluster.yaml gives a slower replay."""
import json
import pathlib
import sys
import tempfile

from checks import quietly

sample = sys.argv[2]


def run(*arguments):
    done = quietly(*arguments, text=True)
    if done.returncode != 0:
        sys.exit(f"{arguments} ended with {done.returncode}: {done.stderr}")
    return done.stdout


def replay(trace, *arguments):
    return json.loads(run("replay", trace, "--network", "maxmin", "--json", *arguments))


def check_round_trip(trace, folder):
    path = str(pathlib.Path(folder) / "cluster.yaml")
    sentence = run("calibrate", trace, "-o", path).splitlines()[0]
    text = pathlib.Path(path).read_text()
    if "crc64" not in text or not text.startswith("# ") or not sentence.endswith("."):
        sys.exit(f"the file does not say where it comes from, or the report no sentence:\n{sentence}\n{text}")
    on_the_way, on_the_file = replay(trace), replay(trace, "--cluster", path)
    for key in ("iteration", "steps", "critical_path"):
        if on_the_way[key] != on_the_file[key]:
            sys.exit(f"{key} differs: {on_the_way[key]} calibrated on the way, {on_the_file[key]} from the file")
    for change in ("network.bandwidth=2x", "network.latency=20us"):
        answers = [json.loads(run("whatif", trace, "--set", change, "--json", *more)) for more in ([], ["--network", "maxmin"], ["--cluster", path, "--network", "maxmin"])]
        for key in ("baseline", "scenario", "measured"):
            if not answers[0][key] == answers[1][key] == answers[2][key]:
                sys.exit(f"{key} of {change} differs: {[answer[key] for answer in answers]}")
    if path not in [entry["path"] for entry in on_the_file["provenance"]["inputs"]]:
        sys.exit("the cluster's file is not among the inputs")


# 1 MB from host 0 to host 1 at 1 GB/s takes 1 ms plus 20 us of latency.
GRAPH = {
    "hosts": 2, "links": [{"bandwidth_Bps": 1e9, "latency_s": 2e-5}, {"bandwidth_Bps": 1e9, "latency_s": 2e-5}], "routes": {"0-1": [0], "1-0": [1]},
    "tasks": [{"id": 0, "kind": "transfer", "src": 0, "dst": 1, "bytes": 1000000, "after": []}],
}

with tempfile.TemporaryDirectory() as folder:
    graph = pathlib.Path(folder) / "graph.json"
    graph.write_text(json.dumps(GRAPH))
    check_round_trip(sample, folder)
    check_round_trip(str(graph), folder)

    # At 100 Mb/s it takes 80 ms, plus two links of 5 us.
    slow = pathlib.Path(folder) / "slow.yaml"
    slow.write_text("hosts: 2\nnic: {bandwidth: 100Mb/s, latency: 5us}\n")
    expected = {"its own cluster": (replay(str(graph)), 1_020_000), "cluster.yaml": (replay(str(graph), "--cluster", str(slow)), 80_010_000)}
    for what, (answer, time) in expected.items():
        if answer["iteration"]["replayed_ns"] != time:
            sys.exit(f"on {what} the replay takes {answer['iteration']['replayed_ns']} ns, expected {time}")
print("the cluster.yaml of calibrate replays as what it was made from")

#!/usr/bin/env python3
"""whatif_files.py STEPSIM SAMPLE: the files of `whatif -o`, by extension. Other programs can read each file, the files
agree, and no text of the user can be taken for a formula or markup."""
import csv
import json
import math
import os
import re
import sys
import tempfile

from checks import answer, check, quietly, read, verdict, write

SAMPLE = os.path.abspath(sys.argv[2])
SCENARIO = """name: "=1+1|<script>"
changes:
  - network: {bandwidth: 2x}
  - compute: {scale: 2}
"""


def whatif(folder, *arguments):
    return quietly("whatif", SAMPLE, "-s", "s.yaml", *arguments, cwd=folder)


def written(folder, name):
    run = whatif(folder, "-o", name)
    check(f"{name} is written", run.returncode == 0 and not run.stderr, run.stderr)
    return read(os.path.join(folder, name)).decode(), run.stdout.decode()


def json_file(folder):
    answer, printed = json.loads(written(folder, "out.json")[0]), json.loads(whatif(folder, "--json").stdout)
    baseline, scenario = answer["baseline"], answer["scenario"]
    check("the schema", answer["schema"] == "stepsim.whatif/1")
    check("the file and --json", all(answer[key] == printed[key] for key in answer if key != "provenance"))
    check("the change", math.isclose(scenario["change"], scenario["iteration_ns"] / baseline["iteration_ns"] - 1, abs_tol=1e-12))
    check("the error", math.isclose(baseline["error"], baseline["iteration_ns"] / answer["measured"]["iteration_ns"] - 1, abs_tol=1e-12))
    for end, side in (("low_ns", -1), ("high_ns", 1)):  # the rule in docs/internals/answers.md, "Ranges": "Together"
        factors = {source["source"]: source[end] / scenario["iteration_ns"] for source in scenario["interval"]}
        logs = {source: math.log(factor) for source, factor in factors.items()}
        of_steps = max((logs.pop(source) for source in ("steps", "model", "transient") if source in logs), key=lambda log: side * log)
        together = side * math.sqrt(of_steps**2 + sum(log**2 for log in logs.values()))
        as_measured = math.log(factors["model"]) + math.log(factors["steps"])
        log = max(together, as_measured, key=lambda log: side * log)
        check(f"the sources together are {end}", abs(math.exp(log) * scenario["iteration_ns"] - scenario[end]) <= 10, scenario)
    check("every source has a reason", all(source["reason"] for source in scenario["interval"]))
    for prediction in (baseline, scenario):
        check("what is broken down is the answer", prediction["breakdown"]["iteration_ns"] == prediction["iteration_ns"], prediction)
        path = prediction["critical_path"]
        check("the path's classes are its length", sum(v for k, v in path.items() if k.endswith("_ns") and k != "length_ns") == path["length_ns"], path)
    inputs = [entry["path"] for entry in answer["provenance"]["inputs"]]
    check("the scenario is an input", "s.yaml" in inputs and len(inputs) == len(set(inputs)), inputs)
    return answer


def yaml_files(folder):
    """.yaml is the scenario, which -s reads; .cluster.yaml is the predicted cluster, which --cluster reads."""
    sets = ["--set", r"compute{worker=1,name=BW\..*}.scale=1.5", "--set", "overlap.barriers=off"]
    for name, more in (("from-file.yaml", ["-s", "s.yaml"]), ("from-sets.yml", sets), ("from-both.yaml", ["-s", "s.yaml", *sets])):
        asked = json.loads(quietly("whatif", SAMPLE, *more, "-o", name, "--json", cwd=folder).stdout)
        back = json.loads(quietly("whatif", SAMPLE, "-s", name, "--json", cwd=folder).stdout or "{}")
        check(f"{name} is the same question", back.get("scenario") and back["changes"] == asked["changes"] and back["scenario"]["iteration_ns"] == asked["scenario"]["iteration_ns"], (asked["changes"], read(os.path.join(folder, name))))
    whatif(folder, "-o", "out.cluster.yaml")
    run = quietly("replay", SAMPLE, "--network", "maxmin", "--cluster", "out.cluster.yaml", cwd=folder)
    check(".cluster.yaml is a cluster", run.returncode == 0, run.stderr)


def csv_file(folder, answer):
    rows = list(csv.DictReader(written(folder, "out.csv")[0].splitlines()))
    table = {(row["part"], row["what"]): row for row in rows}
    for what, key in (("iteration", "iteration_ns"), ("low", "low_ns"), ("high", "high_ns")):
        row = table["answer", what]
        check(f"{what} in the rows", int(row["scenario_ns"]) == answer["scenario"][key] and int(row["baseline_ns"]) == answer["baseline"]["iteration_ns"])
        check(f"the ratio of {what}", math.isclose(float(row["ratio"]), int(row["scenario_ns"]) / int(row["baseline_ns"]), rel_tol=1e-12))
    for column in ("baseline_ns", "scenario_ns"):
        of = {what: int(row[column]) for (part, what), row in table.items() if part == "slowest rank"}
        check("exposed and hidden are communication", of["exposed transfer"] + of["hidden behind compute"] == of["communication"], of)
    # Of several steps, others may be typical of the scenario than of the baseline.
    check("step.csv is written", whatif(folder, "-o", "step.csv", "--steps", "6").returncode == 0)
    of_step = {(row["part"], row["what"]): row for row in csv.DictReader(read(os.path.join(folder, "step.csv")).decode().splitlines())}
    check("compute of one step is twice what it was", math.isclose(float(of_step["slowest rank", "compute"]["ratio"]), 2, rel_tol=1e-9))
    check("no cell is a formula", not [cell for row in rows for cell in row.values() if cell.lstrip()[:1] in tuple("=+-@")], rows)


def md_file(folder, answer):
    text, printed = written(folder, "out.md")
    lines = text.splitlines()
    check("the first line", lines[0].replace("\\|", "|").replace("&lt;", "<") == printed.splitlines()[0], lines[0])
    check("its number", f"{abs(answer['scenario']['change']) * 100:.1f} % {'less' if answer['scenario']['change'] < 0 else 'more'} than the" in lines[0], lines[0])
    check("no markup of the scenario's", "<script" not in text)
    columns = [len(re.findall(r"(?<!\\)\|", line)) if line.startswith("|") else 0 for line in lines]
    check("tables have whole rows", all(a == b for a, b in zip(columns, columns[1:]) if a and b))


def trace_file(folder):
    """Both replays are processes of one trace. With doubled compute one takes twice the other's time."""
    events = json.loads(written(folder, "out.trace.json")[0])["traceEvents"]
    names = {event["pid"]: event["args"]["name"] for event in events if event["name"] == "process_name"}
    check("a process for each rank and replay", sorted(n for n in names.values() if n.startswith("rank")) ==
          ["rank 0 baseline", "rank 0 scenario", "rank 1 baseline", "rank 1 scenario"], names)
    spans = [event for event in events if event["ph"] == "X"]
    check("no span is negative", all(span["dur"] >= 0 and span["ts"] >= 0 for span in spans))

    def spent(replay, category):
        return sum(span["dur"] for span in spans if names[span["pid"]].endswith(replay) and span["cat"] == category)
    check("compute took twice as long", math.isclose(spent("scenario", "operator"), 2 * spent("baseline", "operator"), rel_tol=1e-9))
    tasks = [sum(names[span["pid"]].endswith(replay) for span in spans) for replay in ("baseline", "scenario")]
    check("both have all tasks", tasks[0] == tasks[1] > 0, tasks)


def more_workers():
    """A worker that was not captured has no steps, so its iteration is not broken down."""
    scenario = answer("whatif", SAMPLE, "--set", "cluster.workers=3")["scenario"]
    check("of three workers too", scenario["breakdown"]["iteration_ns"] == scenario["iteration_ns"], scenario)


def refused(folder):
    for name in ("out.xml", "out"):
        run = whatif(folder, "-o", name)
        check(f"{name} is refused", run.returncode == 2 and run.stderr.startswith(f"error: -o '{name}'".encode()) and run.stderr.count(b"\n") == 1, run.stderr)
    check("and not written", not [name for name in os.listdir(folder) if name.endswith(("xml", "out"))])


def main():
    with tempfile.TemporaryDirectory() as folder:
        write(folder, "s.yaml", SCENARIO)
        answer = json_file(folder)
        yaml_files(folder)
        csv_file(folder, answer)
        md_file(folder, answer)
        trace_file(folder)
        more_workers()
        refused(folder)
    return verdict()


if __name__ == "__main__":
    sys.exit(main())

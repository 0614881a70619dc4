"""json_schema.py STEPSIM JOB TRACE CAPTURE PROFILE ALLOCATIONS: every --json answer matches the JSON Schema that
`stepsim --json-schema` prints. A schema that no command here answers with is a failure.
"""

import json
import sys
import tempfile

from checks import stepsim

sample, measured, capture_file, profile, allocations = sys.argv[2:7]

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "integer": int, "number": (int, float),
         "null": type(None)}


def is_of(value, name):
    return isinstance(value, TYPES[name]) and not (isinstance(value, bool) and name in ("integer", "number"))


def check(value, schema, where):
    """Yields the violations. Supports only the keywords of JSON Schema that our schema uses."""
    if "const" in schema and value != schema["const"]:
        yield f"{where}: {value!r} is not {schema['const']!r}"
    types = schema.get("type", [])
    types = [types] if isinstance(types, str) else types
    if types and not any(is_of(value, name) for name in types):
        yield f"{where}: {str(value)[:60]} is not of {types}"
        return
    if isinstance(value, list):
        for place, item in enumerate(value):
            yield from check(item, schema.get("items", {}), f"{where}[{place}]")
    if not isinstance(value, dict):
        return
    for name in schema.get("required", []):
        if name not in value:
            yield f"{where}: lacks {name}"
    others = schema.get("additionalProperties", True)
    for name, item in value.items():
        if name in schema.get("properties", {}):
            yield from check(item, schema["properties"][name], f"{where}.{name}")
        elif others is False:
            yield f"{where}: {name} is not in the schema"
        elif isinstance(others, dict):
            yield from check(item, others, f"{where}.{name}")


schemas = {each["title"]: each for each in json.loads(stepsim("--json-schema").stdout)["oneOf"]}
seen = set()


def answer(*arguments):
    ran = stepsim(*arguments, "--json", text=True)
    assert ran.stdout, f"{arguments}: {ran.stderr}"
    value = json.loads(ran.stdout)
    problems = list(check(value, schemas[value["schema"]], value["schema"]))
    assert not problems, f"{arguments}: {problems[:5]}"
    seen.add(value["schema"])


with tempfile.TemporaryDirectory() as folder:
    for capture in (sample, measured):
        for command in ("replay", "critical-path", "stats", "check", "tasks", "calibrate", "graph"):
            answer(command, capture)
        answer("whatif", capture, "--set", "compute.scale=0.5")
        answer("sweep", capture, "--set", "compute.scale=0.5,2")
        answer("advise", capture)
    for command in ("whatif", "sweep"):
        answer(command, allocations, "--set", "batch.scale=2,64" if command == "sweep" else "batch.scale=2")
    answer("plan", f"{sample}/../transformer", "--devices", "2,4", "--set", "comm.bucket_bytes=25MiB")
    answer("stats", f"{sample}/../pytorch-ddp", "--collectives")
    with open(f"{folder}/runs.csv", "w", encoding="utf-8") as runs:
        runs.write("model,gpus,step_ms,notes\n" + "".join(f"gpt --layers 1 --hidden 64 --heads 4 --device A100,{gpus},4,\n" for gpus in (1, 2, 3)))
    answer("calibrate", f"{folder}/runs.csv", "--measured")
    answer("model", "gpt", "--layers", "1", "--hidden", "64", "--heads", "4", "--device", "A100", "-o", f"{folder}/step.json")
    with open(f"{folder}/machine.yaml", "w", encoding="utf-8") as machine:
        machine.write("device: A100\nfactors: {calls: 2}\n")
    answer("whatif", f"{folder}/step.json", "--machine", f"{folder}/machine.yaml")
    answer("compare", sample, measured)
    answer("compare", sample, measured, sample)
    answer("convert", sample, "-o", f"{folder}/graph.json")
    answer("convert", sample, "--ranks", "0", "--comm-json", "-o", f"{folder}/comm.json")
    answer("convert", measured, "--select", "process=1", "-o", f"{folder}/cut.trace.json")
    answer("convert", measured, "--scrub", "-o", f"{folder}/scrubbed.json")
    answer("convert", measured, "-o", f"{folder}/a.stepsim")
    answer("convert", capture_file, "-o", f"{folder}/a.pt.trace.json")
    answer("replay", sample, "--step-num", "3", "-o", f"{folder}/synthetic.json")
    answer("timeline", profile)
    answer("scaling", profile, profile)
    answer("collect", sample, "--iter-time")
    answer("combine", f"{sample}/traces", "-o", f"{folder}/combined.json")
    answer("model", "gpt", "--layers", "2", "--hidden", "64", "--heads", "4", "--device", "A100", "-o", f"{folder}/step.json")

lacking = set(schemas) - seen
assert not lacking, f"no command printed {lacking}"

"""Every --json answer is as the JSON Schema says that `stepsim --json-schema` prints."""

import json
import sys
import tempfile

from checks import stepsim

sample, measured = sys.argv[2:4]

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "integer": int, "number": (int, float),
         "null": type(None)}


def is_of(value, name):
    return isinstance(value, TYPES[name]) and not (isinstance(value, bool) and name in ("integer", "number"))


def check(value, schema, where):
    """Yields what is wrong: only the words of JSON Schema that ours uses."""
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
    answer("compare", sample, measured)
    answer("compare", sample, measured, sample)
    answer("convert", sample, "-o", f"{folder}/graph.json")
    answer("collect", sample, "--iter-time")
    answer("combine", f"{sample}/traces", "-o", f"{folder}/combined.json")

lacking = {"stepsim.replay/1", "stepsim.critical_path/1", "stepsim.stats/1", "stepsim.check/1", "stepsim.tasks/1",
           "stepsim.calibrate/1", "stepsim.graph/1", "stepsim.whatif/1", "stepsim.sweep/1", "stepsim.advise/1",
           "stepsim.compare/1", "stepsim.compare_several/1", "stepsim.collect/1", "stepsim.combine/1"} - seen
assert not lacking, f"no command printed {lacking}"

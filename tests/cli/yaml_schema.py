"""yaml_schema.py STEPSIM SOURCE: the JSON Schemas of YAML files (`stepsim --json-schema KIND`) accept every such file of
the repository and every example of its documentation, and reject what the readers refuse, as far as a schema can know it.
Checked by python3-jsonschema.
"""
import glob
import json
import os
import re
import sys
import tempfile

from checks import check, one_line, stepsim, verdict

try:
    import jsonschema
    import yaml
except ImportError as missing:
    print(f"skipped: {missing}; install python3-jsonschema and python3-yaml")
    sys.exit(0)

SOURCE = sys.argv[2]
sys.path.insert(0, os.path.join(SOURCE, "tests/malformed"))
import cluster_cases  # noqa: E402
import job_cases  # noqa: E402
import scenario_cases  # noqa: E402
from case import Refused  # noqa: E402

KINDS = ("scenario", "job", "cluster", "machine", "ranges")

# Refused by a reader and accepted by the schema, because it depends on several values, on the capture, on the syntax of
# regular expressions or on bounds of quantities with units.
NOT_KNOWN = {
    "scenario": {"bandwidth-zero", "bandwidth-0x", "bandwidth-next-to-0x", "bandwidth-huge", "gradients-0x", "latency-of-hours",
                 "workers-a-billion", "exponential-below-one", "device-without-factor",
                 "device-without-kernels", "of-collectives", "remove-everything", "launch-without-devices", "copies-without-devices",
                 "sweep-none", "sweep-a-million-points", "sweep-a-trillion-points", "selects-nothing", "selects-no-name", "selects-messages", "ranks-backwards", "bytes-backwards", "pattern-open",
                 "pattern-with-reference", "pattern-that-explodes", "pattern-without-end", "sweep-bandwidth-0x",
                 "sweep-unknown-selector", "sweep-selector-without-value", "sweep-selector-of-nothing", "sweep-pattern-open"},
    "job": {"bandwidth-zero", "partition-huge"},
    "cluster": {"bandwidth-zero", "latency-of-years", "six-million-devices", "devices-apart", "nics-without-devices",
                "nvlink-without-devices", "override-unknown-host", "endpoint-unknown-host", "endpoint-number-too-large", "endpoint-no-device",
                "link-zero", "route-unknown-link", "route-to-nowhere", "route-twice", "climb-uneven", "relay-nowhere", "hosts-twice",
                "too-few-endpoints", "no-route"},
}


class Loader(yaml.SafeLoader):
    """Scalars as YAML 1.2 reads them, which editors use: `off` is text, 1e5 a number."""
    yaml_implicit_resolvers = {}


for tag, pattern, first in (("bool", "true|false", "tf"), ("int", "[-+]?[0-9]+", "-+0123456789"), ("null", "~|null|", ["~", "n", ""]),
                            ("float", r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?", "-+.0123456789")):
    Loader.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(f"^(?:{pattern})$"), list(first))
# PyYAML converts only numbers of YAML 1.1: 010 would be 8, and 1e5 is no number.
Loader.add_constructor("tag:yaml.org,2002:int", lambda loader, node: int(node.value))
Loader.add_constructor("tag:yaml.org,2002:float", lambda loader, node: float(node.value))

schemas = {kind: json.loads(stepsim("--json-schema", kind).stdout) for kind in KINDS}
validators = {kind: jsonschema.Draft202012Validator(schema) for kind, schema in schemas.items()}


def read(text):
    """Returns the content of a file, with keys as text: null for an empty one."""
    def with_text_keys(value):
        if isinstance(value, dict):
            return {str(key): with_text_keys(item) for key, item in value.items()}
        return [with_text_keys(item) for item in value] if isinstance(value, list) else value
    return with_text_keys(yaml.load(text, Loader))


def problems(kind, content):
    return [f"{'/'.join(map(str, error.absolute_path))}: {error.message[:200]}" for error in validators[kind].iter_errors(content)]


for kind, schema in schemas.items():
    jsonschema.Draft202012Validator.check_schema(schema)
    check(f"{kind}: the committed schema", open(f"{SOURCE}/scenarios/schemas/{kind}.schema.json").read() == stepsim("--json-schema", kind).stdout.decode(),
          "run docs/generate.py")
check("answers are the default", stepsim("--json-schema").stdout == stepsim("--json-schema", "answers").stdout)
check("an unknown kind", one_line(stepsim("--json-schema", "jobs"), 2) and b"did you mean 'job'?" in stepsim("--json-schema", "jobs").stderr)

# Every key of a schema has a text, which editors show.
for kind, schema in schemas.items():
    def texts(part):
        for entry in [*part.get("properties", {}).items(), *part.get("patternProperties", {}).items()]:
            yield entry
        for inner in [*part.values(), *(item for value in part.values() if isinstance(value, list) for item in value)]:
            if isinstance(inner, dict):
                yield from texts(inner)
    check(f"{kind}: texts", not (without := [key for key, value in texts(schema) if not {"description", "$ref"} & value.keys()]), without)

for kind, page in (("job", "job.md"), ("cluster", "cluster.md"), ("machine", "machine.md")):
    text = open(f"{SOURCE}/docs/reference/{page}").read()
    missing = [key for key in schemas[kind]["properties"] if not re.search(rf"\b{key}\b", text)]
    check(f"{page} has every key", not missing, missing)

# Files of the repository. Each names its schema.
accepted = 0
for path in sorted(glob.glob(f"{SOURCE}/scenarios/**/*.yaml", recursive=True)):
    text = open(path).read()
    named = re.match(r"# yaml-language-server: \$schema=(\S+/(\w+)\.schema\.json)\n#? ?", text)
    check(f"{path} names its schema", named and os.path.exists(os.path.join(os.path.dirname(path), named[1])), text[:60])
    if named:
        found = problems(named[2], read(text))
        check(path, not found, found)
        accepted += 1

# Examples of the documentation.
for path in sorted(glob.glob(f"{SOURCE}/docs/**/*.md", recursive=True)):
    for text in re.findall(r"```yaml\n(.*?)```", open(path).read(), re.S):
        content = read(text)
        kind = ("scenario" if {"changes", "sweep"} & content.keys() else "cluster" if "hosts" in content
                else "ranges" if "layers" in content else "machine" if "device" in content else "job")
        found = problems(kind, content)
        check(f"{path}: {text[:60]!r}", not found, found)
        accepted += 1

# What stepsim writes.
with tempfile.TemporaryDirectory() as folder:
    stepsim("calibrate", "--measured", f"{SOURCE}/tests/golden/data/measured-runs.csv", "-o", f"{folder}/machine.yaml")
    found = problems("machine", read(open(f"{folder}/machine.yaml").read()))
    check("machine.yaml of measured steps", not found, found)
    accepted += 1
    for sample in ("byteps-even", "pytorch-ddp"):
        stepsim("calibrate", f"{SOURCE}/scenarios/samples/{sample}", "-o", f"{folder}/cluster.yaml")
        found = problems("cluster", read(open(f"{folder}/cluster.yaml").read()))
        check(f"cluster.yaml of {sample}", not found, found)
        accepted += 1


def of_tests():
    """Yields kind, name, text and whether the reader refuses it: the inputs of the tests of malformed files."""
    for name, (text, _) in scenario_cases.CHANGES.items():
        yield "scenario", name, "changes:\n  - " + text + "\n", True
    for name, (text, *_) in scenario_cases.SWEEPS.items():
        yield "scenario", f"sweep-{name}", text, True
    for kind, cases, file in (("scenario", scenario_cases, "s.yaml"), ("job", job_cases, "job.yaml"), ("cluster", cluster_cases, "cluster.yaml")):
        for case in cases.cases():
            texts = [content for path, content in case.files.items() if path.split("/")[-1] == file]
            known = kind == "scenario" and isinstance(case.verdict, Refused)
            if texts and not known and not callable(texts[0]) and "set-" not in case.name:
                yield kind, case.name.removeprefix(f"{kind}-"), texts[0], isinstance(case.verdict, Refused)


rejected = dict.fromkeys(KINDS, 0)
unknown = {kind: set() for kind in KINDS}
for kind, name, text, refused in of_tests():
    if len(text) > 50_000 or (refused and re.search("file-missing|a-folder|alias|nested-", name)):
        continue  # not about the content
    try:
        content = read(text)
    except (yaml.YAMLError, TypeError, ValueError):
        continue  # not YAML: no schema is asked
    if content is None:
        continue
    found = problems(kind, content)
    if not refused:
        check(f"{kind} {name} is accepted", not found, found)
        accepted += 1
    elif found:
        rejected[kind] += 1
    else:
        unknown[kind].add(name)
        twice = "twice" in name  # PyYAML takes the last of equal keys
        check(f"{kind} {name} is rejected", twice or name in NOT_KNOWN[kind], text[:200])

for kind, names in NOT_KNOWN.items():
    check(f"{kind}: what the schema does not know", names <= unknown[kind], names - unknown[kind])

MISTAKES = {
    "scenario": ["nmae: x", "changes: [{network: {bandwidth: 25}}]", "changes: [{network: {latency: 5}}]", "changes: [{device: {to: Z80}}]",
                 "changes: [{netwrok: {bandwidth: 2x}}]", "changes: [{comm: {schedule: lifo}}]", "changes: [{compute: {select: {kind: kernal}}}]",
                 "changes: {network: {bandwidth: 2x}}", "sweep: {network.bandwith: [2x]}", "sweep: {network.bandwidth: 2x}"],
    "job": ["wokers: 2", "workers: two", "workers: 0", "partition_bytes: 4MX", "network: {bandwidth: 1000}", "schedule: lifo", "exact: perhaps",
            "network: fast", "measured_step: 530"],
    "cluster": ["hosts: 2", "hosts: 2\nnic: {latency: 1us}", "hosts: 2\nnic: {bandwidth: 25}", "hosts: 0\nnic: {bandwidth: 1Gb/s}",
                "hosts: 2\nnic: {bandwidth: 1Gb/s, duplex: both}", "hosts: 2\nnic: {bandwidth: 1Gb/s}\nlinks: [{bandwidth: 1Gb/s}]",
                "hosts: 2\nnic: {bandwidth: 1Gb/s}\nmessages: {sharing: unfair}", "hosts: 2\nnic: {bandwidth: 1Gb/s}\nswitches: 1"],
    "ranges": ["repeat: 50", "layers: {}", "layers: {a: {forwards: [b]}}", "warmup: 0\nlayers: {a: {forward: [b]}}", "layers: {a: {forward: b}}",
               "layers: {a: {forward: [{occurrence: 1}]}}", "layers: {a: {forward: ['b c']}}"],
}
for kind, texts in MISTAKES.items():
    for text in texts:
        check(f"{kind}: {text!r} is rejected", problems(kind, read(text)))
        rejected[kind] += 1

print(f"accepted {accepted} files and examples; rejected", ", ".join(f"{count} mistakes in {kind}" for kind, count in rejected.items()))
sys.exit(verdict())

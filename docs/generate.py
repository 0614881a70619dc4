#!/usr/bin/env python3
"""generate.py STEPSIM [--check]: writes what docs/ takes from the program: start/glossary.md, reference/lists.md, reference/json.md
and the pictures of samples in images/; and the schemas in scenarios/schemas/, and python/stepsim/fields.pyi. --check compares
instead, and ends with 1 if a file differs."""
import json
import pathlib
import re
import subprocess
import sys

DOCS = pathlib.Path(__file__).resolve().parent
PACKAGE = DOCS.parent / "python" / "stepsim"
sys.path.insert(0, str(PACKAGE))
import fields_stub  # noqa: E402
import meanings  # noqa: E402 (the module alone: the package needs its extension)

MADE = "<!-- Made by docs/generate.py from the program: do not edit. -->\n"
LISTS = ["device", "network model", "key of cluster.yaml", "collective", "server rule", "problem", "diagnostic"]  # the others have pages of their own

# What the names and types of members do not say.
NOTES = {
    "replay": ["`iteration.pace` is `host`, `device` or `both`, or null without steps of device work. A task graph was never measured: there "
               "measured_ns and the errors are null.",
               "`trust.perturbation` is the self-check; `trust.path_*` describe the waits on the critical path.",
               "`iteration_parts` do not overlap: compute, then what runs while nothing before it does. They sum to the iteration of the slowest rank.",
               "`in_the_long_run` is the step time when steps are repeated until they are steady; `limited_by` has the threads and streams whose tasks form "
               "the cycle that sets it, and the waiting between these tasks.",
               "With `--tasks`, `tasks_detail` has the start and end of every task."],
    "critical_path": ["The classes sum to length_ns. `gpus` and `workers` are each device and worker alone; empty for a job of one rank."],
    "whatif": ["`iteration_ns` is the answer and `low_ns` and `high_ns` its range. `in_the_long_run_ns` is the step time when steps are repeated until "
               "they are steady, `of_captured_steps_ns` that of the captured steps, which compares with what was measured. `limited_by` "
               "is what limits the former, as in the answer of replay.",
               "`low_change` and `high_change` are the range of `change`. `mean_effect` is the change of the mean step; it is there if the captured steps differ much.",
               "`memory` is the predicted peak of allocated memory on the device that is filled most, and whether that device has as much; null with "
               "`why_no_memory` if it is not known.",
               "`device_work` has an entry for each change of GPU work; `interference` one for each class of kernels that communication slows."],
    "sweep": ["A point that the capture cannot answer has `problem` in place of figures; `cannot_answer` says whether the capture or the question is the reason.",
              "`memory` of a point is as in the answer of whatif, and absent if it is not known."],
    "advise": ["`verdict` is gain, unsure, nothing or worse; `takes` is setting, code, hardware or limit. `low_change` and `high_change` are the range of `change`. "
               "`mean_effect` is the change of the mean step; it is there if the captured steps differ much, and then decides the verdict and the order."],
    "compare": ["`gate` is null without `--fail-above`; `gate.judged` is false if the captures do not compare, or if the noise hides whether B is slower; `gate.more_steps` of each capture would then be enough. `parts`, `rows` and `critical_path` are those of the first two."],
    "stats": ["Lists of what a trace does not have are empty. Curves have at most 256 points."],
    "collectives": ["The answer of `stats --collectives`. `bytes`, `algbw` and `busbw` are those of nccl-tests; `count` is the number of collectives.",
                    "`time_ns` is the median from the last arrival to the end, or the shortest time if `all_captured` is false; the other times then "
                    "include waits for ranks that were not captured.",
                    "`of_expected` is expected_ns / time_ns; `not_expected` says why there is none. `longest_expected_ns` is the end of the model's range of error. "
                    "`overlapped` counts collectives during which others of the same ranks moved bytes. `last_rank` arrived last most often: in `last_in` collectives.",
                    "`slow` has an entry for each layout with slow groups; `rank` or `host` is the only one that all of them share and no normal group has."],
}

SCHEMAS = ["scenario", "job", "cluster", "machine", "ranges"]

PICTURES = {
    "images/whatif.svg": "whatif scenarios/samples/pytorch-ddp --set network.bandwidth=2x",
    "images/sweep.svg": "sweep scenarios/samples/pytorch-ddp --set network.bandwidth=0.5x,1x,2x,4x --set comm.bucket_bytes=1MiB,4MiB,25MiB",
}


def output_of(stepsim, *words):
    return subprocess.run([stepsim, *words], check=True, capture_output=True, text=True, cwd=DOCS.parent).stdout


def answer_of(stepsim, *words):
    return json.loads(output_of(stepsim, *words))


def picture(stepsim, command):
    """Without the commit, which changes whenever the picture is committed."""
    return re.sub(r"(?<=<metadata>stepsim )[^:]*(?=:)", "", output_of(stepsim, *command.split(), "--quiet", "-o", "-.svg"))


def cell(text):
    return text.replace("|", "\\|").replace("<", "&lt;")


def glossary(kinds):
    terms = next(kind for kind in kinds if kind["name"] == "term")["topics"]
    page = ["# Glossary\n", MADE, f"{len(terms)} terms of reports, headings and columns; `stepsim help WORD` prints the same.\n"]
    for term in sorted(terms, key=lambda term: term["name"].lower()):
        page.append(f"## {term['name']}\n")
        if term["also"]:
            page.append(f"Also: {', '.join(term['also'])}\n")
        page += [f"{term['summary']} {term['text']}".strip() + "\n"]
        page += [f"* {cell(detail['label'])}: {cell(detail['text'])}\n" for detail in term["details"]]
        if term["picture"]:
            page.append(f"```text\n{term['picture'].rstrip()}\n```\n")
    return "\n".join(page)


def lists(kinds):
    page = ["# Models, devices, problems and diagnostics\n", MADE, "`stepsim help WORD` explains each entry.\n"]
    for name in LISTS:
        kind = next(kind for kind in kinds if kind["name"] == name)
        page.append(f"## {kind['plural'].capitalize()}\n\n{kind['summary']}.\n")
        labels = [label for label in dict.fromkeys(detail["label"] for topic in kind["topics"] for detail in topic["details"])
                  if label != "in a scenario"]
        page.append(f"| {name} | meaning |" + "".join(f" {label} |" for label in labels) + "\n" + "|---" * (2 + len(labels)) + "|")
        for topic in kind["topics"]:
            details = {detail["label"]: detail["text"] for detail in topic["details"]}
            meaning = f"{topic['summary']} {topic['text']}".strip()
            page.append(f"| `{topic['name']}` | {cell(meaning)} |" + "".join(f" {cell(details.get(label, ''))} |" for label in labels))
        page.append("")
    return "\n".join(page)


def type_of(schema):
    if "const" in schema:
        return f'`"{schema["const"]}"`'
    if "enum" in schema:
        return " or ".join(f"`{json.dumps(value)}`" for value in schema["enum"])
    if "oneOf" in schema or "anyOf" in schema:
        return " or ".join(dict.fromkeys(type_of(one) for one in schema.get("oneOf", schema.get("anyOf"))))
    kind = schema.get("type", "any")
    return " or ".join(kind) if isinstance(kind, list) else kind


def members(schema, path):
    """(path, type) of each member, those inside others after them."""
    for one in schema.get("oneOf", schema.get("anyOf", [])):
        yield from members(one, path)
    if "items" in schema:
        yield from members(schema["items"], f"{path}[]")
    required = set(schema.get("required", []))
    for name, member in schema.get("properties", {}).items():
        at = f"{path}.{name}" if path else name
        yield at, type_of(member) + ("" if name in required else ", optional")
        yield from members(member, at)


def definitions(kinds):
    """The definition of each term of the glossary under all of its names."""
    terms = next(kind for kind in kinds if kind["name"] == "term")["topics"]
    also = {name: term["summary"] for term in reversed(terms) for name in term["also"]}
    return {**also, **{term["name"]: term["summary"] for term in terms}}


def answers(schema, terms):
    page = ["# JSON answers\n", MADE, "`--json` prints one object, and `-o FILE.json` writes it. `stepsim --json-schema` prints a JSON Schema of all of them; it is "
            "installed as `share/stepsim/schema.json`. Times are whole nanoseconds (`_ns`), shares and errors are ratios. Members may be added; none is "
            "renamed. `provenance` names the version, the commit, the command and the inputs with their checksums.\n"]
    for answer in schema["oneOf"]:
        name = answer["title"].removeprefix("stepsim.").split("/")[0]
        page.append(f"## {answer['title']}\n")
        page += [f"* {note}" for note in NOTES.get(name, [])] + ([""] if name in NOTES else [])
        page.append("| member | type | meaning |\n|---|---|---|")
        for path, kind in dict(members(answer, "")).items():
            meaning = meanings.meaning_of(f"{name}.{path.replace('[]', '')}", terms)
            if meaning is None:
                sys.exit(f"{name}.{path} has no meaning; add it to python/stepsim/meanings.py, or to the glossary")
            unit = meanings.unit_of(path.split(".")[-1], kind.removesuffix(", optional"))
            page.append(f"| `{path}` | {cell(kind)} | {cell(meaning)}{unit and f' ({unit})'} |")
        page.append("")
    return "\n".join(page)


def main():
    stepsim, check = str(pathlib.Path(sys.argv[1]).resolve()), "--check" in sys.argv[2:]
    kinds = answer_of(stepsim, "help", "--json")["kinds"]
    schema = answer_of(stepsim, "--json-schema")
    pages = {"start/glossary.md": glossary(kinds), "reference/lists.md": lists(kinds), "reference/json.md": answers(schema, definitions(kinds))}
    pages = {name: re.sub(r"\n{3,}", "\n\n", text).rstrip() + "\n" for name, text in pages.items()}
    stale = []
    others = {f"../scenarios/schemas/{kind}.schema.json": output_of(stepsim, "--json-schema", kind) for kind in SCHEMAS}
    others["../python/stepsim/fields.pyi"] = fields_stub.stub(schema, (PACKAGE / "answers.py").read_text(encoding="utf-8"))
    for name, text in {**pages, **others, **{name: picture(stepsim, command) for name, command in PICTURES.items()}}.items():
        file = DOCS / name
        if not check:
            file.write_text(text, encoding="utf-8")
        elif not file.exists() or file.read_text(encoding="utf-8") != text:
            stale.append(name)
    for name in stale:
        print(f"docs/{name} is not what the program says: run docs/generate.py {stepsim}")
    return 1 if stale else 0


sys.exit(main())

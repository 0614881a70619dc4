#!/usr/bin/env python3
"""glossary.py STEPSIM ROOT: a reader who asks `stepsim help` for a heading of a report gets an answer.

The reports are those that the commands in tests/golden/*.cmd print, as Markdown. Each heading of a column is a name in
the glossary or is in PLAIN; each title of a section contains a term, or is in PLAIN_TITLES up to its first comma or
bracket."""
import glob
import json
import os
import re
import shlex
import sys

from checks import check, stepsim, verdict

ROOT = os.path.abspath(sys.argv[2])

PLAIN = """--set, A, B, about, bandwidth, calls, collectives, count, duration, file, for, format, highest, hosts, contents, data, needed for, kernels, largest,
    layer, longest, max, mean, mean A, mean B, median, min, module, name, per step of the slowest rank, on,
    operation, operator, operators, part, quantity, result, run, scaled by, shortest, size, smallest, stack, start, time, value, what"""
PLAIN_TITLES = """By layer, By module, By name, Best changes, Best changes combined, Changes, Compared, Files, Input, Modules, No effect,
    Not applicable to this job, Notes, Points without an answer, Runs, Slower, Stacks, The best changes explained,
    What is drawn, What you can ask, Where to look next, Why,
    Uncertain: the range includes no change, With other hardware, Not shortened by a faster CPU, cluster.yaml"""
NO_REPORT = ("help", "capture", "analyze", "convert", "combine", "collect", "schedule", "--help", "--version", "--json-schema")


def plain(text):
    return re.sub(r"[-_\s]+", " ", text.lower()).strip()


def glossary():
    kinds = json.loads(stepsim("help", "glossary", "--json").stdout)["kinds"]
    return {plain(name) for topic in kinds[0]["topics"] for name in [topic["name"], *topic["also"]]}


def reports():
    """Returns (command, its Markdown output) for the golden commands that succeed."""
    commands = set()
    for path in glob.glob(os.path.join(ROOT, "tests/golden/*.cmd")):
        with open(path, encoding="utf-8") as file:
            commands.update(line[2:].strip() for line in file if line.startswith("$ stepsim "))
    for command in sorted(commands):
        words = [word for word in shlex.split(command)[1:] if word not in ("--json", "--brief")]
        if words[0] in NO_REPORT or "--help" in words:
            continue
        if "-o" in words:
            del words[words.index("-o"):][:2]
        done = stepsim(*words, "-o", "-.md", cwd=ROOT, text=True)
        if done.returncode == 0:
            yield command, done.stdout


def is_setting(heading):
    """Whether the heading is a sweep's own: network.bandwidth, or a value of it."""
    return re.search(r"\w\.\w|^\d|\\", heading)


def listed(text):
    return {word.strip() for word in text.split(",")}


ASKED = """NVLink, MFU, FSDP, DDP, bf16, AMP, busbw, bucket_cap_mb, CUDA graph, torch.compile, TP, PP, OOM, Slurm, ZeRO, fp8, tf32, HBM, roofline,
    tensor parallel, checkpointing, Nsight, Perfetto, hook, pipeline bubble, straggler, NCCL, num_workers, InfiniBand, MoE, DeepSpeed, autocast"""


def field_words():
    """Words that engineers ask for have an answer, and the commands in the answers name what-ifs and commands that exist."""
    for word in sorted(listed(ASKED)):
        check(f"help answers '{word}'", stepsim("help", word).returncode == 0)
    (words,) = json.loads(stepsim("help", "words", "--json").stdout)["kinds"]
    for word in words["topics"]:
        for line in [detail["text"] for detail in word["details"] if detail["label"] == "command"]:
            parts = shlex.split(line)
            known = parts[1:] if parts[1] == "help" else [parts[1], "--help"]
            check(f"{word['name']}: '{line}' has a command and a topic that exist", stepsim(*known).returncode == 0)
            for key in re.findall(r"--set '?([a-z_]+)(?:\{[^}]*\})?(\.[a-z_]+)=", line):
                check(f"{word['name']}: {''.join(key)} is a parameter", stepsim("help", "".join(key)).returncode == 0)


def main():
    field_words()
    terms = glossary()
    terms_in_titles = [re.compile(rf"\b{re.escape(term)}\b") for term in terms if len(term) > 3]
    headings, titles = {}, {}
    for command, text in reports():
        lines = text.splitlines()
        for line, rule in zip(lines, lines[1:]):
            if re.fullmatch(r"\|( -+:? \|)+", rule):
                headings.update((cell.strip(), command) for cell in line.strip("|").split("|"))
        titles.update((found[1], command) for found in map(re.compile(r"\*\*(.+)\*\*").fullmatch, lines) if found)
    check("reports were found", len(headings) > 100 and len(titles) > 30, (len(headings), len(titles)))
    for heading, command in sorted(headings.items()):
        if heading and not is_setting(heading) and plain(heading) not in terms:
            check(f"the heading '{heading}' is in the glossary", heading in listed(PLAIN), command)
    for title, command in sorted(titles.items()):
        if not any(term.search(plain(title)) for term in terms_in_titles):
            check(f"the title '{title}' contains a term", re.split(r",| \(", title)[0] in listed(PLAIN_TITLES), command)
    explained = terms.intersection(map(plain, listed(PLAIN)))
    check("no plain heading is in the glossary", not explained, explained)
    return verdict()


sys.exit(main())

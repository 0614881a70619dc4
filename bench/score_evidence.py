#!/usr/bin/env python3
"""score_evidence.py STEPSIM SHARED [ADAPTER...]: asks every question of tests/truth/evidence, or those of the named adapters,
and writes docs/results/evidence-rows.csv (all rows), evidence-left-out.csv (rows that are not asked, by reason), evidence.csv
(the ledger), the page docs/internals/evidence.md with its charts, the table of the program's answers, and sentences of README.md.
score_evidence.py --check:
checks that the others are those of the rows.

The rows of other adapters stay as they are, and so do those of an adapter whose data are absent."""
import collections
import concurrent.futures
import csv
import importlib
import io
import math
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tarfile
import tempfile
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path += [str(ROOT / folder) for folder in ("tests/truth", "tests/truth/plans", "bench")]
import error_bars  # noqa: E402
import range_factors  # noqa: E402
from range_factors import quantile  # noqa: E402
from evidence import form  # noqa: E402

RESULTS = ROOT / "docs/results"
ROWS, LEFT_OUT, LEDGER, PAGE = RESULTS / "evidence-rows.csv", RESULTS / "evidence-left-out.csv", RESULTS / "evidence.csv", ROOT / "docs/internals/evidence.md"
MEASURED_ON = RESULTS / "evidence-commit.txt"  # the program that gave the answers
MACHINES = RESULTS / "machines.csv"  # score_machines.py makes it
NCCL = RESULTS / "nccl-left-out.csv"  # fit_nccl.py makes it
README, CHARTS = ROOT / "README.md", ROOT / "docs/images/evidence"
TABLE = ROOT / "scenarios/answer/evidence_table.cpp"
ADAPTERS = ["own_runs", "memory", "simumax", "azure", "hkbu", "low", "dle", "milabench", "lambdal", "plans",
            "published", "nemo", "collectives", "models", "kernels", "pairs", "production"]
FIGURES = ["rows", "sources", "refused", "bias", "q10", "q50", "q90", "mean error", "in range", "width", "peer"]
# A regime is a prefix of these fields of a row: the more, the finer.
FIELDS = ["base", "hosts", "mode", "model", "generation", "precision"]


# --- asking


def cases_of(names, at):
    """Returns the cases and the left-out rows of the adapters whose data are there."""
    cases, left_out = [], []
    for name in names:
        try:
            found = list(importlib.import_module(f"evidence.{name}").cases(at))
        except FileNotFoundError as fault:
            print(f"dev: evidence: {name} skipped: {fault.filename} is absent, so its rows stay as they are", file=sys.stderr)
            continue
        cases += [one for one in found if isinstance(one, form.Case)]
        left_out += [one for one in found if isinstance(one, form.LeftOut)]
    if unknown := {one.source for one in [*(case.row for case in cases), *left_out]} - form.sources().keys():
        sys.exit(f"dev: evidence: not in {form.SOURCES.name}: {' '.join(sorted(unknown))}")
    return cases, left_out


def answer(program, case):
    """Returns the row with its answer, or a LeftOut."""
    try:
        for name, value in case.ask(program)._asdict().items():
            setattr(case.row, name, value)
    except form.Refused as fault:
        case.row.refused = str(fault)[:160]
    except form.NotDescribed as fault:
        return form.LeftOut(case.row.source, case.row.question, str(fault))
    return case.row


def side_by_side(function, items):
    """Returns function(item) of all items in their order, and shows the progress."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        futures = [pool.submit(function, item) for item in items]
        try:
            for number, _ in enumerate(concurrent.futures.as_completed(futures), 1):
                if number % 50 == 0 or number == len(futures):
                    print(f"\rdev: evidence: {number} of {len(futures)}", end="\n" if number == len(futures) else "", file=sys.stderr, flush=True)
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    return [future.result() for future in futures]


# --- the ledger


def error(row):
    return row.predicted / row.measured - 1


def weights(rows):
    """Sources weigh equally, benchmarks weigh equally within a source, and so do the rows of a benchmark."""
    benchmarks = collections.Counter(row.source for row in {(row.source, row.benchmark): row for row in rows}.values())
    number = collections.Counter((row.source, row.benchmark) for row in rows)
    return [1 / (len(benchmarks) * benchmarks[row.source] * number[row.source, row.benchmark]) for row in rows]


def figures(rows):
    """Returns the columns FIGURES of a group of rows."""
    answered = [row for row in rows if not row.refused]
    found = {"rows": len(rows), "sources": len({row.source for row in rows}), "refused": len(rows) - len(answered)}
    if answered:
        shares, logarithms = weights(answered), [math.log(row.measured / row.predicted) for row in answered]
        found["bias"] = sum(map(lambda share, value: share * value, shares, logarithms))
        found |= {f"q{percent}": quantile(logarithms, shares, percent / 100) for percent in (10, 50, 90)}
        found["mean error"] = sum(share * abs(error(row)) for share, row in zip(shares, answered))
    ranged = [row for row in answered if row.low is not None]
    if ranged:
        shares = weights(ranged)
        found["in range"] = sum(share for share, row in zip(shares, ranged) if row.low <= row.measured <= row.high)
        found["width"] = quantile([(row.high - row.low) / row.measured for row in ranged], shares, 0.5)
    with_peer = [row for row in answered if row.peer is not None]
    if with_peer:
        found["peer"] = sum(share * abs(row.peer / row.measured - 1) for share, row in zip(weights(with_peer), with_peer))
    return {key: f"{value:.4f}" if isinstance(value, float) else str(value) for key, value in found.items()}


def once_each(rows):
    """Leaves out a row whose answer uses a measured step if the same question was asked without that."""
    plain = {(row.question, row.source, row.name) for row in rows if row.base not in form.USE_A_STEP}
    return [row for row in rows if row.base not in form.USE_A_STEP or (row.question, row.source, row.name) not in plain]


def groups(rows):
    """Yields (question, regime, source, rows) from coarse to fine."""
    for question in form.QUESTIONS:
        of_question = [row for row in rows if row.question == question]
        if not of_question:
            continue
        yield question, "", "", once_each(of_question)
        for source in sorted({row.source for row in of_question}):
            for base in form.BASES:
                if found := [row for row in of_question if (row.source, row.base) == (source, base)]:
                    yield question, base, source, found
        earlier = {""}
        for depth in range(1, len(FIELDS) + 1):
            regimes = collections.defaultdict(list)
            for row in of_question:
                regimes[", ".join(getattr(row, field) for field in FIELDS[:depth])].append(row)
            for regime, found in sorted(regimes.items()):
                yield question, regime, "", found


KEY = ["question", "regime", "source", "seen"]


def mean_errors(text):
    """Returns {key of a group: mean error} of the text of evidence.csv."""
    return {tuple(row[column] for column in KEY): row["mean error"] for row in csv.DictReader(io.StringIO(text)) if row["mean error"]}


def ledger(rows, before=None):
    """Returns the rows of evidence.csv: of each group those of seen and of unseen sources, and all if both exist. `before` are
    mean_errors() of another commit."""
    seen = {source: row["seen"] for source, row in form.sources().items()}
    table = []
    for question, regime, source, found in groups(rows):
        parts = {name: [row for row in found if seen[row.source] == value] for name, value in (("seen", "yes"), ("unseen", "no"))}
        if all(parts.values()):
            parts = {"all": found, **parts}
        table += [{"question": question, "regime": regime, "source": source, "seen": name, **figures(part)} for name, part in parts.items() if part]
    for row in table:
        row["before"] = (before or {}).get(tuple(row[column] for column in KEY), "")
    return table


def stored_before():
    """Returns {key of a group: mean error before} as evidence.csv has it."""
    return {tuple(row[column] for column in KEY): row["before"] for row in form.rows_of(LEDGER) if row.get("before")} if LEDGER.exists() else {}


def of_last_commit():
    """Returns the mean errors of the last commit; nothing outside of a checkout."""
    shown = subprocess.run(["git", "show", f"HEAD:{LEDGER.relative_to(ROOT)}"], cwd=ROOT, capture_output=True, text=True)
    return mean_errors(shown.stdout) if shown.returncode == 0 else {}


# --- the program's table

ABOUT_TABLE = """#include "scenarios/answer/evidence.h"

#include <array>

// Written by bench/score_evidence.py from docs/results/evidence-rows.csv: of steps and memory. Figures of each regime
// are those of the unseen sources or, without any, of the seen ones; factors are of all (bench/range_factors.py).
// Measured on {commit}.

namespace stepsim::scenarios {
namespace {

constexpr std::array kEvidence{
"""
ABOUT_TABLE_END = """};

// Findings of `check` with which answers about captures were further off than without (worse_findings()).
constexpr std::array<std::string_view, {number}> kWorseWith{{names}};

}  // namespace

std::span<const Evidence> evidence() { return kEvidence; }

std::span<const std::string_view> worse_findings() { return kWorseWith; }

}  // namespace stepsim::scenarios
"""


def worse_findings(rows):
    """Returns the findings with which answers about captured steps are at least half as far off again as others, in each of two
    sources or more, and both in five rows or more."""
    known = [row for row in rows if row.base == "captured" and row.mode in range_factors.STEPS and row.sources_low is not None and not row.refused]
    worse = []
    for name in sorted({finding for row in known for finding in row.findings.split(", ") if finding}):
        parts = collections.defaultdict(lambda: ([], []))
        for row in known:
            parts[row.question, row.source][name in row.findings.split(", ")].append(abs(error(row)))
        compared = [(without, found) for without, found in parts.values() if without and found]
        sources = {source for (_, source), (without, found) in parts.items() if without and found and statistics.mean(found) > 1.5 * statistics.mean(without)}
        if len(sources) > 1 and min(sum(map(len, part)) for part in zip(*compared)) >= 5:
            worse.append(name)
    return worse


def compiled(rows):
    """Returns the text of evidence_table.cpp."""
    factors = range_factors.Factors(rows)
    seen = {source: row["seen"] == "yes" for source, row in form.sources().items()}
    lines = []
    for question in form.QUESTIONS:
        of_question = [row for row in rows if row.question == question and row.mode in range_factors.STEPS and not row.refused]
        for depth in range(5):
            regimes = collections.defaultdict(list)
            for row in of_question if depth > 1 else once_each(of_question):
                regimes[(range_factors.devices(row), *(getattr(row, field) for field in FIELDS[:3]))[:depth]].append(row)
            for regime, found in sorted(regimes.items()):
                part = [row for row in found if not seen[row.source]] or found
                on, about = (*regime, "", "")[:2]
                factor = factors(question, on, "shapes" if about not in ("", "captured") else about)
                lines.append(line_of_table((question, *regime, *[""] * (4 - depth)), part, seen[part[0].source], factor, factors))
    steps = [row for row in rows if row.mode in range_factors.STEPS and not row.refused and row.question != "memory"]
    lines.append(line_of_table([""] * 5, [row for row in once_each(steps) if not seen[row.source]], False, factors("", "", ""), factors))
    worse = worse_findings(rows)
    end = ABOUT_TABLE_END.replace("{number}", str(len(worse))).replace("{names}", ", ".join(f'"{name}"' for name in worse))
    return ABOUT_TABLE.replace("{commit}", MEASURED_ON.read_text(encoding="utf-8").strip()) + "".join(lines) + end


def line_of_table(regime, rows, seen, factor, factors):
    """Returns a row of the table. The share in range is by factors that were found without the row's source."""
    figure = figures(rows)
    median = quantile([abs(error(row)) for row in rows], weights(rows), 0.5)
    names = ", ".join(f'"{name}"' for name in regime)
    ranged = [row for row in rows if range_factors.has_range(row)]
    held = sum(share * factors.holds(row) for share, row in zip(weights(ranged), ranged))
    in_range = f", {held:.2f}" if ranged else ""
    return (f"    Evidence{{{names}, {str(seen).lower()}, {figure['rows']}, {figure['sources']}, {float(figure['mean error']):.3f}, "
            f"{median:.3f}, {math.ceil(100 * factor - 1e-9) / 100:.2f}{in_range}}},\n")


# --- the page


def percent(text, digits=1, sign=""):
    return f"{100 * float(text):{sign}.{digits}f} %" if text else ""


def line(cells):
    return "| " + " | ".join(map(str, cells)) + " |"


def table_of(table, first):
    """Returns the lines of a table whose first column is first(row)."""
    text = [line(["", "rows", "sources", "refused", "bias", "10 to 90 %", "mean error", "before", "in range", "range"]), "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|"]
    for row in table:
        quantiles = f"{percent(row['q10'], 0, '+')} to {percent(row['q90'], 0, '+')}" if row.get("q10") else ""
        text.append(line([first(row), row["rows"], row["sources"], row["refused"], percent(row.get("bias"), 1, "+"), quantiles, percent(row.get("mean error")), percent(row.get("before")),
                          percent(row.get("in range"), 0), percent(row.get("width"), 0)]))
    return text


def chart_of(question):
    """Returns the file with the chart of a question."""
    return CHARTS / f"{question.replace(' ', '-')}.svg"


def by_source(table, question):
    return [row for row in table if row["question"] == question and row["source"]]


def by_regime(table, question):
    """Returns the rows by base, hosts, mode and kind of model."""
    return [row for row in table if row["question"] == question and row["regime"] and not row["source"] and row["regime"].count(", ") == 3]


def bars(rows, label):
    """Returns the bars of rows with an error, the longest first."""
    found = [error_bars.Bar(label(row), row["seen"], float(row["mean error"]), float(row["before"]) if row["before"] else None)
             for row in rows if "mean error" in row and row["seen"] in error_bars.COLOURS]
    return sorted(found, key=lambda bar: -bar.error)


def charts(table):
    """Returns {file: text} of the charts of all questions with an answer."""
    drawn = {}
    for question in dict.fromkeys(row["question"] for row in table):
        groups = [("By source", bars(by_source(table, question), lambda row: f"{row['source']}, {row['regime']}")),
                  ("By base, hosts, mode and kind of model", bars(by_regime(table, question), lambda row: row["regime"]))]
        if any(found for _, found in groups):
            drawn[chart_of(question)] = error_bars.svg(f"Mean error: {question}", groups)
    return drawn


ABOUT = """# Evidence

How far off answers are, by question, kind of answer and source. This page is made by `./dev score` from
[evidence-rows.csv](../results/evidence-rows.csv), which has each question with its measured and its predicted value;
[evidence.csv](../results/evidence.csv) has the same figures for finer regimes.

* A **source** is a publisher and a machine ([list](../../tests/truth/evidence/sources.csv)). It is **seen** if a constant
  of stepsim was fitted to it ([constants.csv](../results/constants.csv)), and **unseen** if none was. Constants that
  were fitted to a seen source are in all of its answers; they were not fitted again without it.
* Sources weigh equally, and so do the benchmarks (models, programs) of a source.
* **captured**: the question was asked about a recorded step. **modelled**: about a step that `stepsim model` wrote.
  **calibrated**: the same, on a machine that `stepsim calibrate` fitted to one measured step. **scaled**: the same as
  modelled, with all work multiplied so that one measured step of that machine is right. Calibrated and scaled answers
  are left out of the first table where the question was also asked without a measured step.
* **bias** is the mean of ln(measured / predicted): above 0, the measured time is longer. **10 to 90 %** are quantiles of
  the same. **mean error** is that of |predicted / measured - 1|; **before**: at the commit before, a black line in the
  charts. **in range**: measured values in the predicted range, without any tolerance. **range**: its median width, as a share of the measured value.
* A question that stepsim refuses is a row, and counts as **refused**."""


ONE_STEP = """## One measured step

`calibrate --measured` fits a machine to measured steps of it. Mean errors of the steps that it was not fitted to,
by `./dev score machines` ([machines.csv](../results/machines.csv),
[each step](../results/machines-backtest.csv)). **From one** and **from three**: the mean over three choices of one step, and
over two of three. **From the first** and **from the first three**: by data sheet, and fitted to those. **In range**: with the
first three.
"""


def of_machines():
    """Returns the lines of the table of machines.csv."""
    text = [line(["machine", "steps", "by data sheet", "from one", "from three", "from all others", "worst of these", "from the first", "from the first three", "in range"]),
            "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|"]
    for row in form.rows_of(MACHINES):
        firsts = (f"{percent(row[f'by data sheet, {first}'])} to {percent(row[f'from {first}'])}" for first in ("the first", "the first three"))
        text.append(line([row["machine"], row["steps"], *(percent(row[key]) for key in ("by data sheet", "from one", "from three", "from all others", "worst")), *firsts,
                          percent(row["in range"], 0)]))
    return text


def about_machines():
    """Returns the lines that say what the table of machines.csv shows."""
    rows = {row["machine"]: row for row in form.rows_of(MACHINES)}
    better = {key: sum(float(row[f"from {key}"]) < float(row["by data sheet"]) for row in rows.values()) for key in ("all others", "three", "one")}
    odd = rows["sailor-gh200"]
    text = (f"Fitted to all other steps, the mean error is lower than by data sheet on {better['all others']} of {len(rows)} machines; fitted to three, on {better['three']}; to one, on "
            f"{better['one']}. A few steps help where all steps are off alike (azure-h100), and mislead where they are not typical: the first step of sailor-gh200, a single sample, is "
            f"predicted too long and most others too short, so that the error of the others is {percent(odd['from the first'])} instead of {percent(odd['by data sheet, the first'])}. With so "
            "few choices, differences of a percentage point say little. How far factors may differ from 1 was chosen on these machines, except vtrain-a100-host: on a machine of which "
            "nothing was used, errors can be larger.")
    return textwrap.wrap(text, 120, break_long_words=False, break_on_hyphens=False)


def about_peers(table):
    """Returns the lines on others' errors in the same rows."""
    known = form.sources()
    found = [f"{row['source']} {percent(row['peer'])} ({known[row['source']]['peer']})" for row in table if row.get("peer") and row["regime"] not in form.USE_A_STEP]
    return ["", *textwrap.wrap(f"Mean errors of others on the same rows: {', '.join(found)}.", 120, break_long_words=False, break_on_hyphens=False)] if found else []


WITHOUT = """Constants of NCCL's times were also fitted without each system ([nccl-left-out.csv](../results/nccl-left-out.csv), made by
`bench/fit_nccl.py`). Mean errors of its collectives, as the program has them (seen) and so (unseen):
"""


def of_nccl():
    """Returns the lines of a table of nccl-left-out.csv by system; its rows weigh by their number."""
    systems = collections.defaultdict(list)
    for row in form.rows_of(NCCL):
        systems[row["system"]].append(row)
    columns = ["up to 1 MB", "left out, up to 1 MB", "above 1 MB", "left out, above 1 MB"]

    def mean(rows, column):
        known = [(int(row["rows"]), float(row[column].removesuffix(" %"))) for row in rows if row[column]]
        return f"{sum(number * value for number, value in known) / sum(number for number, _ in known):.0f} %" if known else ""
    return [line(["system", "rows", "up to 1 MB, seen", "unseen", "above 1 MB, seen", "unseen"]), "|---|---:|---:|---:|---:|---:|",
            *(line([system, sum(int(row["rows"]) for row in rows), *(mean(rows, column) for column in columns)]) for system, rows in systems.items())]


# What README says of each question: (its words, questions).
SUMMARY = [("another network", ["network rate"]), ("more ranks", ["ranks"]), ("other buckets", ["buckets and partitions"]), ("another GPU", ["device"]), ("another precision", ["precision"]),
           ("another batch", ["batch"]), ("parallel plans", ["data parallel", "tensor parallel", "pipeline", "ZeRO"]), ("peaks of memory", ["memory"]), ("collectives", ["collective"])]
BEGIN, END = "On measured rows of sources ", "([Evidence](docs/internals/evidence.md))."


def accuracy(rows):
    """README's sentences on accuracy: mean errors by question on unseen and on seen sources."""
    seen = {source: row["seen"] for source, row in form.sources().items()}

    def mean(questions, value):
        found = figures(once_each([row for row in rows if row.question in questions and seen[row.source] == value]))
        return percent(found["mean error"], 0) if "mean error" in found else None
    parts = [f"{words} {mean(questions, 'no')}" + (f" ({mean(questions, 'yes')})" if mean(questions, "yes") else "") for words, questions in SUMMARY]
    return (f"{BEGIN}to which **no constant was fitted**, predictions are off in the mean by (in brackets: sources to which some were): {', '.join(parts)}. "
            f"These are {len(rows):,} rows of {len({row.source for row in rows})} sources {END}")


def readme(rows):
    """README.md with the sentences of these rows."""
    before, found, rest = README.read_text(encoding="utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (found and end):
        sys.exit(f"dev: evidence: README.md has no sentences from '{BEGIN}' to '{END}'")
    return before + textwrap.fill(accuracy(rows), 120, break_long_words=False, break_on_hyphens=False) + after


ABOUT_RANGES = """## Ranges

A range is as wide as the replays of its sources make it, times a factor (in logarithms) that these rows give: the quantile of
what a row would have needed, sources weighing equally, at the lowest level that holds for 90 % of rows when each source is left
out in turn; with fewer than five sources, the 90 % quantile of the worst, and with fewer than three never less than 1; with fewer
than ten rows, that of the whole question if it is larger; with none, that of the question, or of all, a half more
([bench/range_factors.py](../../bench/range_factors.py)). **By sources**: shares of measured values in the range before it is
widened. **In range**: by factors that were found without the source, levels too. **Half-width**: median, in logarithms, before
and after. A collective is a part of a step, and not widened by itself.
"""
ABOUT_CAUTIONS = """**Cautions.** Of the answers about captured steps, so many have one (a finding of `check` that moves the answer, or a
kind of which most are off by more than 20 %):
"""


def of_ranges(rows):
    """Returns the lines on factors, coverage and cautions."""
    text = [ABOUT_RANGES, line(["question", "rows", "sources", "by sources", "in range", "half-width", "widened"]), "|---|---:|---:|---:|---:|---:|---:|"]
    for question, number, sources, before, after, narrow, wide in range_factors.checked(rows):
        text.append(line([question, number, sources, percent(before, 0), percent(after, 0), f"{narrow:.3f}", f"{wide:.3f}"]))
    factors = range_factors.Factors(rows)
    text += ["", "Factors by regime (sources in brackets):", ""]
    known = [f"{question}, {on}, {about} {factors(question, on, about):.2f} ({len(scores)})" for (question, on, about), scores in sorted(factors.of_regime.items())]
    text += [*textwrap.wrap("; ".join(known) + f"; where nothing was measured {factors('', '', ''):.2f}.", 120, break_long_words=False, break_on_hyphens=False), "", ABOUT_CAUTIONS]
    asked = [row for row in rows if row.base == "captured" and row.mode in range_factors.STEPS and range_factors.has_range(row) and row.question != "memory"]
    text += [line(["error", "answers", "with a caution", "if sources weigh equally"]), "|---|---:|---:|---:|"]
    for words, least, most in (("below 5 %", 0, 0.05), ("5 to 15 %", 0.05, 0.15), ("above 15 %", 0.15, math.inf), ("all", 0, math.inf)):
        part = [row for row in asked if least <= abs(error(row)) < most]
        cautioned = sum(bool(row.caution) for row in part)
        weighed = sum(share for share, row in zip(weights(part), part) if row.caution)
        text.append(line([words, len(part), f"{cautioned} ({cautioned / max(1, len(part)):.0%})", f"{weighed:.0%}"]))
    return text


NO_MODEL = "no configuration"


def not_asked(left_out):
    """Returns (publisher, question, reason, rows); models without a configuration are counted together."""
    number, known = collections.Counter(), form.sources()
    for row in left_out:
        number[known[row["source"]]["publisher"], row["question"], f"{NO_MODEL} of the model" if row["reason"].startswith(NO_MODEL) else row["reason"]] += int(row["rows"])
    return [(*key, count) for key, count in sorted(number.items())]


def page(table, left_out, rows, drawn):
    """Returns the page. `drawn` are the charts."""
    coarse = [row for row in table if not row["regime"] and not row["source"]]
    text = [ABOUT, "", "## By question", "", *table_of(coarse, lambda row: f"{row['question']}, {row['seen']}"), "", ONE_STEP, *of_machines(), "", *about_machines(), "", *of_ranges(rows)]
    for question in dict.fromkeys(row["question"] for row in coarse):
        of_sources = by_source(table, question)
        text += ["", f"## {question[0].upper()}{question[1:]}"]
        if chart_of(question) in drawn:
            text += ["", f"![Mean errors of the question {question}]({os.path.relpath(chart_of(question), PAGE.parent)})"]
        text += ["", "By source:", "", *table_of(of_sources, lambda row: f"{row['source']} ({row['seen']}), {row['regime']}"), *about_peers(of_sources), "",
                 "By base, hosts, mode and kind of model:", "", *table_of(by_regime(table, question), lambda row: f"{row['regime']}, {row['seen']}")]
        if question == "collective":
            text += ["", WITHOUT, *of_nccl()]
    text += ["", "## Not asked", "", "Rows of the data sets that are not asked, because stepsim cannot describe their model or their change, or because the row is in",
             "doubt ([all](../results/evidence-left-out.csv)):", "", line(["publisher", "question", "reason", "rows"]), "|---|---|---|---:|", *map(line, not_asked(left_out))]
    refusals = collections.Counter((row.source, row.question, row.refused) for row in rows if row.refused)
    text += ["", "## Refused", "", line(["source", "question", "reason", "rows"]), "|---|---|---|---:|",
             *(line([source, question, reason.replace("|", "\\|"), number]) for (source, question, reason), number in sorted(refusals.items()))]
    return "\n".join(text) + "\n"


# --- files


def stored():
    """Returns the rows and the left-out rows of docs/results."""
    return (form.read_rows(ROWS) if ROWS.exists() else []), (form.rows_of(LEFT_OUT) if LEFT_OUT.exists() else [])


def merged(rows, left_out):
    """Returns all rows and left-out rows: these, and the stored ones of other questions and sources."""
    number = collections.Counter()
    for one in left_out:
        number[one.source, one.question, one.reason] += one.rows
    new = {(row.source, row.question) for row in rows} | {(source, question) for source, question, _ in number}
    old_rows, old_left_out = stored()
    rows = [row for row in old_rows if (row.source, row.question) not in new] + rows
    counts = [row for row in old_left_out if (row["source"], row["question"]) not in new]
    counts += [{"source": source, "question": question, "reason": reason, "rows": str(count)} for (source, question, reason), count in number.items()]
    return sorted(rows, key=lambda row: (row.source, form.QUESTIONS.index(row.question), row.base)), sorted(counts, key=lambda row: (row["source"], row["question"], row["reason"]))


def write(rows, left_out):
    form.write_rows(ROWS, rows)
    LEFT_OUT.write_text(form.as_csv(["source", "question", "reason", "rows"], left_out), encoding="utf-8")
    write_ledger()


def made_of(rows, left_out, before):
    """Returns {file: text} of all that is made of the rows."""
    table = ledger(rows, before)
    drawn = charts(table)
    return {LEDGER: form.as_csv([*KEY, *FIGURES, "before"], table), PAGE: page(table, left_out, rows, drawn), README: readme(rows), TABLE: compiled(rows), **drawn}


def write_ledger():
    """Writes the ledger, the page and its charts of the rows in docs/results."""
    rows, left_out = stored()
    before = of_last_commit()
    CHARTS.mkdir(exist_ok=True)
    made = made_of(rows, left_out, before)
    for file, text in made.items():
        file.write_text(text, encoding="utf-8")
    for file in CHARTS.glob("*.svg"):
        if file not in made:
            file.unlink()


def faults():
    """Yields differences between the files, and rows that are not what the form says."""
    rows, left_out = stored()
    known = form.sources()
    for source in sorted({row.source for row in rows} | {row["source"] for row in left_out}):
        if source not in known:
            yield f"{source} is not in {form.SOURCES.name}"
    for key, number in collections.Counter(row.key for row in rows).items():
        if number > 1:
            yield f"{number} rows have the same name: {key}"
    constants = {row["constant"] for row in form.rows_of(RESULTS / "constants.csv")}
    for name, row in known.items():
        fitted = row["constants"].split()
        yield from (f"{form.SOURCES.name}: {name} names {constant}, which is not in constants.csv" for constant in fitted if constant not in constants)
        if (row["seen"] == "yes") != bool(fitted):
            yield f"{form.SOURCES.name}: {name} is seen if and only if constants were fitted to it"
    before = stored_before()
    made = made_of(rows, left_out, before)
    yield from (f"{file.name} is a chart of no question" for file in CHARTS.glob("*.svg") if file not in made)
    for file, text in made.items():
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            yield f"{os.path.relpath(file, ROOT)} is not what {ROWS.name} says: run ./dev score"


# --- the command


def command_line(usage, known):
    """Returns the program, SHARED and the given names, or all known names if none is given. With --check, prints the faults and exits."""
    if sys.argv[1:] == ["--check"]:
        found = list(faults())
        print(*found, f"{len(found)} faults", sep="\n")
        sys.exit(1 if found else 0)
    if len(sys.argv) < 3:
        sys.exit(usage)
    program, shared, *names = sys.argv[1:]
    if unknown := [name for name in names if name not in known]:
        sys.exit(f"dev: unknown name '{unknown[0]}'; there are: {' '.join(known)}")
    return os.path.abspath(program), pathlib.Path(shared).resolve(), names or list(known)


def until_interrupted(main):
    """Exits with what main() returns."""
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("\ndev: interrupted; nothing was written")


def unpack(folder):
    """Unpacks tests/truth/data into the folder."""
    for archive in (ROOT / "tests/truth/data").glob("*.tar.xz"):
        with tarfile.open(archive) as content:
            content.extractall(folder)


def main():
    program, shared, names = command_line(__doc__, ADAPTERS)
    with tempfile.TemporaryDirectory() as folder:
        at = form.At(shared, pathlib.Path(folder) / "measured")
        unpack(at.measured)
        cases, left_out = cases_of(names, at)
        asking = form.Program(program, folder)
        found = side_by_side(lambda case: answer(asking, case), cases)
    rows = [one for one in found if isinstance(one, form.Row)]
    if names == ADAPTERS:
        version = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
        MEASURED_ON.write_text(re.search("commit [0-9a-f]+", version)[0] + "\n", encoding="utf-8")
    write(*merged(rows, left_out + [one for one in found if isinstance(one, form.LeftOut)]))
    answered = [row for row in rows if not row.refused]
    mean = f", mean error {100 * statistics.mean(abs(error(row)) for row in answered):.1f} %" if answered else ""
    print(f"dev: evidence: {len(rows)} rows, {len(rows) - len(answered)} refused{mean}")


if __name__ == "__main__":
    until_interrupted(main)

#!/usr/bin/env python3
"""usage_errors.py STEPSIM: every wrong use ends with exit code 2, nothing but help on stdout, and one line on stderr
that quotes what was typed and, if there is one, suggests the right word."""
import sys

from checks import check, stepsim, verdict, within

# Arguments, and a part of the error line.
CASES = [
    ([], "no command given"),
    ([""], "unknown command ''"),
    (["reply"], "did you mean 'replay'"),
    (["replya", "x"], "did you mean 'replay'"),
    (["Replay", "x"], "did you mean 'replay'"),
    (["critical_path", "x"], "did you mean 'critical-path'"),
    (["critical-pth", "x"], "did you mean 'critical-path'"),
    (["covert", "x"], "did you mean 'convert'"),
    (["frobnicate"], "expected check, replay, stats, advise, whatif, sweep, plan, compare, critical-path, tasks, graph, calibrate, convert, model, combine, capture, timeline, scaling, schedule, collect or analyze"),
    (["whatiff", "x"], "unknown command 'whatiff'"),
    (["--json", "replay", "x"], "'--json' is not a command"),
    (["-x"], "'-x' is not a command"),
    (["--versoin"], "'--versoin' is not a command"),
    (["re\x1b[31mplay"], "'re\\x1b[31mplay'"),
    (["two\nlines"], "'two\\nlines'"),
    (["replay"], "TRACE is required"),
    (["replay", "--json"], "TRACE is required"),
    (["replay", ""], "TRACE is empty"),
    (["replay", "x", ""], "TRACE is empty"),
    (["critical-path"], "TRACE is required"),
    (["convert"], "TRACE is required"),
    (["convert", "x"], "convert needs -o OUT"),
    (["convert", "x", "-o"], "-o has no value; expected FILE"),
    (["convert", "x", "-o", ""], "-o is empty; expected FILE"),
    (["convert", "x", "-o", "out"], "out"),
    (["convert", "x", "-o", "out.jsn"], "out.jsn"),
    (["convert", "x", "-o", "a.json", "-o", "b.json"], "-o is given more than once"),
    (["replay", "x", "-o", "report.docx"], "report.docx"),
    (["replay", "x", "--jsn"], "did you mean '--json'"),
    (["replay", "x", "--json=yes"], "--json takes no value"),
    (["replay", "x", "--quite"], "did you mean '--quiet'"),
    (["replay", "x", "--task"], "did you mean '--tasks'"),
    (["critical-path", "x", "--tasks"], "unknown option '--tasks'"),
    (["replay", "x", "--threads"], "--threads has no value; expected N"),
    (["replay", "x", "--threads", "0"], "--threads: '0'"),
    (["replay", "x", "--threads", "-1"], "--threads: '-1'"),
    (["replay", "x", "--threads", "many"], "--threads: 'many'"),
    (["replay", "x", "--threads", "2.5"], "expected 1 to 1024"),
    (["replay", "x", "--threads", "1000000"], "expected 1 to 1024"),
    (["replay", "x", "--threads", "99999999999999999999"], "expected 1 to 1024"),
    (["replay", "x", "--threads", "2", "--threads", "3"], "--threads is given more than once"),
    (["replay", "x", "--thread", "2"], "did you mean '--threads'"),
    (["replay", "x", "--steps"], "--steps has no value; expected A-B"),
    (["replay", "x", "--steps", "6-4"], "--steps: '6-4'"),
    (["replay", "x", "--steps", "first"], "--steps: 'first'"),
    (["replay", "x", "--steps", "-3"], "--steps: '-3'"),
    (["replay", "x", "--steps", "1-2-3"], "expected A-B"),
    (["replay", "x", "--step", "1"], "did you mean '--steps'"),
    (["replay", "x", "--ranks", "a"], "--ranks: 'a'"),
    (["replay", "x", "--ranks", "1,,2"], "--ranks: '1,,2'"),
    (["replay", "x", "--ranks", "0-2000000000"], "at most 1000000"),
    (["replay", "x", "--ranks", "4294967296"], "--ranks: '4294967296'"),
    (["replay", "x", "--rank", "1"], "did you mean '--ranks'"),
    (["replay", "x", "--network", "recorded1"], "did you mean 'recorded'"),
    (["replay", "x", "--network", "carrier-pigeon"], "unknown --network model 'carrier-pigeon'; expected recorded"),
    (["replay", "x", "--network", "recorded", "--cluster", "c.yaml"], "--cluster has no effect with --network recorded"),
    (["replay", "x", "--cluster", ""], "--cluster is empty; expected FILE"),
    (["calibrate", "x", "--network", "maxmin"], "calibrate does not replay"),
    (["calibrate", "x", "-o", "cluster.jsn"], "-o 'cluster.jsn': unknown extension '.jsn'; did you mean '.json'? expected .json, .md, .csv, .xlsx, .sqlite, .parquet, .html, .yaml or .yml"),
    (["calibrate", "x", "-o", "cluster.trace.json"], "-o 'cluster.trace.json': calibrate has no timeline; expected .json, .md, .csv, .xlsx, .sqlite, .parquet, .html, .yaml or .yml"),
    (["replay", "x", "-o", "answer"], "-o 'answer' has no extension; expected .json"),
    (["replay", "x", "-o", "answer.gz"], "-o 'answer.gz' has no extension before .gz; expected .json"),
    (["replay", "x", "-o", "answer.jsn.gz"], "-o 'answer.jsn.gz': unknown extension '.jsn'; did you mean '.json'?"),
    (["replay", "x", "-o", "answer.xlsx.gz"], "-o 'answer.xlsx.gz': .gz does not go with .xlsx, which is packed as it is; expected .json"),
    (["replay", "x", "-o", "-", "--json"], "--json and -o '-' both write to standard output; expected one of them"),
    (["replay", "x", "-o", "c.yaml"], "replay has no cluster under --network recorded; expected another --network, or .json"),
    (["replay", "x", "--network", ""], "unknown --network model ''"),
    (["replay", "x", "--job"], "--job has no value; expected FILE"),
    (["replay", "x", "--job="], "--job has no value; expected FILE"),
    (["replay", "x", "--job", "a", "--job", "b"], "--job is given more than once"),
    (["replay", "x", "--jobs", "a"], "did you mean '--job'"),
    (["critical-path", "x", "--rows", "many"], "--rows: 'many'"),
    (["critical-path", "x", "--rows", "-1"], "expected a number or all"),
    (["advise", "x", "--rows", "many"], "--rows: 'many'"),
    (["check", "x", "--rows", "few"], "--rows: 'few'"),
    (["compare"], "TRACE is required"),
    (["compare", "x"], "compare needs two results, and one is given"),
    (["compare", "x", "y", "z", "--fail-above", "3%"], "--fail-above compares two results, and 3 are given"),
    (["compare", "-", "-"], "standard input can be read only once"),
    (["compare", "x", "y", "--by", "nme"], "unknown key of --by 'nme'; did you mean 'name'?"),
    (["compare", "x", "y", "--sort", "size"], "unknown key of --sort 'size'; expected difference, relative, name or total"),
    (["compare", "x", "y", "--fail-above", "3"], "--fail-above: '3' is not a percentage; expected for example 3%"),
    (["compare", "x", "y", "--fail-above", "-3%"], "--fail-above: '-3%' is not a percentage"),
    (["compare", "x", "y", "--fail-above", "nan%"], "--fail-above: 'nan%' is not a percentage"),
    (["compare", "x", "y", "--allow-noise"], "--allow-noise has no effect without --fail-above PERCENT"),
    (["compare", "x", "y", "--rows", "few"], "--rows: 'few'"),
    (["compare", "x", "y", "-o", "out.trace.json"], "-o 'out.trace.json': compare has no timeline"),
    (["whatif", "x", "--set", "tp.degree=2"], "'stepsim help not-modelled' lists what no what-if changes"),
    (["replay", "x", "--\x9b0m"], "\\u009b0m"),
    (["replay", "x", "--\udc9b0m"], "\\x9b0m"),
    (["replay", "x", "--threads", "\u202e1"], "'\\u202e1'"),
]


def problem_of(run, arguments, expected):
    """Returns what is wrong with the answer, or nothing."""
    error = run.stderr.decode("utf-8", "replace")
    if run.returncode != 2:
        return f"exit {run.returncode}, expected 2"
    if not (error.startswith("error: ") and error.endswith("\n") and error.count("\n") == 1):
        return "stderr is not one line that begins 'error: '"
    if any(ord(c) < 32 or 127 <= ord(c) < 160 or c in "\u202e\u2028" for c in error[:-1]):
        return "a control character on stderr"
    if arguments and run.stdout:
        return "something on stdout"
    if expected not in error:
        return f"expected {expected!r}"
    return None


for arguments, expected in CASES:
    run = stepsim(*(argument.encode("utf-8", "surrogateescape") for argument in arguments), preexec_fn=within(20))
    problem = problem_of(run, arguments, expected)
    check(f"stepsim {arguments}", problem is None, f"{problem}; stderr was {run.stderr!r}")
print(f"{len(CASES)} wrong uses")
sys.exit(verdict())

#!/usr/bin/env python3
"""analyze.py STEPSIM SAMPLE: every form of ByteProfile's analyze.py works as ByteProfile documents it.

Each form prints the equivalent stepsim command, and gives the same output. Mistakes are one-line errors."""
import os
import shutil
import sys
import tempfile

from checks import check, stepsim, verdict, write

SAMPLE = os.path.abspath(sys.argv[2])


FORMS = [  # what is typed, the equivalent command, files that it writes
    ("--option statistic --path job", "stats --sort name --head all -- job", []),
    ("--option statistic --path job --sort --head 5 --xlsx", "stats --sort mean --head 5 -o job/statistic.xlsx -- job", ["job/statistic.xlsx"]),
    ("--type statistic --path job --sort", "stats --sort mean --head all -- job", []),
    ("--option graph --path job/traces/0/0/dag.gml", "graph -o job/traces/0/0/dag.svg -- job/traces/0/0/dag.gml", ["job/traces/0/0/dag.svg"]),
    ("--option combine --path job/traces/0,job/traces/1", "combine -o job/traces/combined.json -- job/traces/0 job/traces/1", ["job/traces/combined.json"]),
    ("--option combine --path job/traces/0,job/traces/1 --filter Comm.layer0_weight", "combine --filter Comm.layer0_weight -o job/traces/combined.json -- job/traces/0 job/traces/1", ["job/traces/combined.json"]),
    ("--option compare --path job,other --sort --head 3 --xlsx", "compare --sort relative --head 3 -o job/compare.xlsx -- job other", ["job/compare.xlsx"]),
    ("--option compare --path job,other", "compare --sort name --head all -- job other", []),
    ("--option critical --path job", "critical-path -- job", []),
    ("--option critical --path job --pretty", "critical-path --brief -- job", []),
    ("--option replay --path job --step_num 2", "replay --step-num 2 -o synthetic.json -- job", ["synthetic.json"]),
    ("--option reproduce --path job --del_queue", "replay --step-num 1 --del-queue -o synthetic.json -- job", ["synthetic.json"]),
    ("--option replay --path job --sub_option smlt_delay_cmp --delay_ratio 2", "whatif --set compute.scale=2 -- job", []),
    ("--option collect --path job --sub_option iter_time", "collect --iter-time -- job", []),
    ("--option collect --path job", "collect --in-place -- job", []),
    ("--option collect --path job --sub_option xlsx", "stats -o job/statistic.xlsx -- job", ["job/statistic.xlsx"]),
    ("--option collect --path job --sub_option straggler", "replay -- job", []),
    ("--option 3dcompare --path job,other,job", "compare --by category --ignore-partitions -o job/3dcompare.svg -- job other job", ["job/3dcompare.svg"]),
]

MISTAKES = [  # what is typed, a part of the error line, exit code
    ("", "analyze needs --option; expected statistic, ", 2),
    ("--option statistc --path job", "unknown --option 'statistc'; did you mean 'statistic'?", 2),
    ("--option critical", "analyze needs --path", 2),
    ("--option graph --path job/traces/0/0/comm.json", "'job/traces/0/0/comm.json' is not one; expected a file that ends in .gml", 2),
    ("--option graph --path cycle.gml", "cycle.gml: the dependencies form a cycle: a -> b -> a", 1),
    ("--option statistic --path nowhere", "nowhere: no such file or folder", 1),
    ("--option combine --path job/traces/0,job/traces/1/0/comm.json", "expected only files or only folders", 2),
    ("--option compare --path job", "compare needs two results, and one is given", 2),
    ("--option collect --path job --sub_option itertime", "did you mean 'iter_time'?", 2),
]

CYCLE = 'graph [ directed 1 node [ id 0 label "a" ] node [ id 1 label "b" ] edge [ source 0 target 1 ] edge [ source 1 target 0 ] ]'


def hostile_paths():
    """A path is not parsed as an option, and its printed form is one line without control characters."""
    with tempfile.TemporaryDirectory() as folder:
        name = "a\x1b[2J\nb"
        for job in ("job", name, "-oother.csv"):
            shutil.copytree(SAMPLE, os.path.join(folder, job))
        before = sorted(os.listdir(folder))
        done = stepsim("analyze", "--option", "compare", "--path", "job,-oother.csv", cwd=folder, text=True)
        check("a path like an option is a path", done.returncode == 0 and "-oother.csv" in done.stdout, done)
        check("and writes nothing", sorted(os.listdir(folder)) == before, os.listdir(folder))
        for path in ("-ox.csv", "--json", "--help"):
            done = stepsim("analyze", "--option", "statistic", "--path", path, cwd=folder, text=True)
            check(f"{path} is not there", done.returncode == 1 and f"error: {path}: no such file" in done.stderr, done)
        done = stepsim("analyze", "--option", "critical", "--path", name, cwd=folder, text=True)
        check("control characters are shown", done.returncode == 0 and done.stderr == "stepsim critical-path -- 'a\\x1b[2J\\nb'\n", done)


def main():
    for typed, meant, files in FORMS:
        with tempfile.TemporaryDirectory() as folder:
            for name in ("job", "other"):
                shutil.copytree(SAMPLE, os.path.join(folder, name))
            done = stepsim("analyze", *typed.split(), cwd=folder, text=True)
            check(typed, done.returncode == 0, done.stderr)
            check(f"{typed}: says what it stands for", done.stderr.splitlines()[:1] == [f"stepsim {meant}"], done.stderr)
            for file in files:
                check(f"{typed}: writes {file}", any(os.path.exists(os.path.join(folder, place)) for place in (file, os.path.join("job", file))),
                      str(os.listdir(folder)) + str(os.listdir(os.path.join(folder, "job"))))
            if not files and meant != "collect --in-place -- job":
                check(f"{typed}: answers as that", done.stdout == stepsim(*meant.split(), cwd=folder, text=True).stdout)
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(SAMPLE, os.path.join(folder, "job"))
        write(folder, "cycle.gml", CYCLE)
        for typed, sentence, code in MISTAKES:
            done = stepsim("analyze", *typed.split(), cwd=folder, text=True)
            errors = [line for line in done.stderr.splitlines() if not line.startswith("stepsim ")]
            check(f"'{typed}' is one error", done.returncode == code and len(errors) == 1 and errors[0].startswith("error: "), done.stderr)
            check(f"'{typed}' says so", sentence in done.stderr, done.stderr)
    hostile_paths()
    return verdict()


if __name__ == "__main__":
    sys.exit(main())

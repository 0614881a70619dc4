#!/usr/bin/env python3
"""doc_commands.py STEPSIM ROOT: every command line of the documentation runs.

Command lines are those of stepsim in indented blocks, in ```sh blocks and in `backticks` of docs/**/*.md, README.md,
CONTRIBUTING.md and the READMEs of scenarios/. (```console blocks are whole outputs: tests/golden/run.py.) Each runs in
a folder of its own that holds the files it names, must end with 0 and leave the file of its -o. What a line leaves
open, a file or a word, is in FILES or WORDS; what is not there fails. A mere name, `stepsim replay`, has a help.
Lines that cannot run here are in NOT_RUN with the reason. Of `./dev VERB` only the verb is checked."""
import glob
import gzip
import os
import re
import shutil
import sys
import tarfile
import tempfile

import collect
from checks import STEPSIM, check, read, run, stepsim, verdict, write

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "trials"))
import trial_files  # noqa: E402

ROOT = os.path.abspath(sys.argv[2])
SAMPLE = os.path.join(ROOT, "scenarios/samples/byteps-even")
GPU = os.path.join(ROOT, "tests/golden/data/gpu_step.json")
OVERLAP = os.path.join(ROOT, "tests/golden/data/gpu_overlap.json")
MEASURED = os.path.abspath(sys.argv[3])  # the folder `truth` of the pages

WORDS = {  # patterns of what a line leaves open -> what stands there in the run
    r"TRACE\.\.\.": "TRACE",
    r"(?<=stepsim plan )CAPTURE": os.path.join(ROOT, "scenarios/samples/transformer"),
    r"\[options\]": "",
    r"[][]": "",  # all that may be left out is given
    r"-- (COMMAND|\./train|torchrun|python)\b.*": "-- true",
    r"\bCOMMAND\b": "replay",
    r"\b(WORD|NAME)\b": "polling",
    r"--(by|fold|sort) KEY\b": lambda found: {"by": "--by class", "fold": "--fold class", "sort": "--sort relative"}[found[1]],
    r"--sort ORDER\b": "--sort total",
    r"--(rows|head) N\b": lambda found: f"--{found[1]} 3",
    r"\bPERCENT\b": "3%",
    r"\bWHATIF\.PARAMETER=VALUE\b": "network.bandwidth=2x",
    r"-o OUT\b": "-o out.csv",
    r"/shared/": "shared/",
    r"\bbuild/release/bin/stepsim\b": "stepsim",
    r"\bRUN\b": "one.prof.json",
    r"\bRANGES\.yaml\b": "ranges.yaml",
}

NOT_RUN = {  # how a line begins -> why it cannot run here
    "- run: stepsim": "it is a step of a workflow in CI",
    "stepsim compare TRACES -s perf/slower-network.yaml": "it is a gate that the sample fails",
    "docker ": "it needs images from a registry",
    "stepsim capture --attach": "no program waits to be recorded; tests/capture/attach.py runs it",
    "python3 -m stepsim": "the package may not be installed; tests/python runs it",
    "for base in TRUTH/": "the measured runs are not in the repository, and there are many",
    "bench/fidelity.py": "the measured runs are not in the repository",
    "bench/device_kernels.py": "the measured kernels are not in the repository",
    "bench/device_products.py": "the measured products are not in the repository",
    "bench/launched_kernels.py": "the captures are not in the repository",
    "bench/captures.py": "the captures are not in the repository",
    "bench/commands.py": "it takes minutes",
    "bench/large_trace.py": "the captures are not in the repository",
    "bench/nccl_tables.py": "the measured collectives are not in the repository",
    "bench/thousands_of_ranks.py": "the captures are not in the repository",
}

# Stands for the launchers of docs/guides/cluster.md: each process gets the variables that the launcher would set.
LAUNCHERS = {
    "sbatch": 'for i in $(seq 0 15); do SLURM_ARRAY_TASK_ID=$i SLURM_ARRAY_TASK_COUNT=16 SLURM_ARRAY_TASK_MIN=0 '
              'SLURM_ARRAY_TASK_STEP=1 bash -c "$3" || exit; done',
    "srun": 'shift 2; for i in $(seq 0 15); do SLURM_PROCID=$i SLURM_NTASKS=16 "$@" || exit; done',
    "mpirun": 'shift 2; for i in $(seq 0 15); do OMPI_COMM_WORLD_RANK=$i OMPI_COMM_WORLD_SIZE=16 "$@" || exit; done',
    "parallel": 'line="$*"; for i in ${line##*::: }; do command="${line%% :::*}"; bash -c "${command//\\{\\}/$i}" || exit; done',
}


def copy_of(source):
    def make(target):
        (shutil.copytree if os.path.isdir(source) else shutil.copy)(source, target)
    return make


def trial_of(files):
    def make(target):
        trial_files.write({path.replace("trial/", "", 1): text for path, text in files().items()}, target)
    return make


def packed(source):
    def make(target):
        with gzip.open(target, "wb") as file:
            file.write(read(source))
    return make


def folder_of(source):
    def make(target):
        os.makedirs(target)
        shutil.copy(source, target)
    return make


def yaml_example(page, title):
    """The YAML example of a page that begins with this line."""
    def make(target):
        text = open(os.path.join(ROOT, page), encoding="utf-8").read()
        example = re.search(r"```yaml\n(" + re.escape(title) + r"\n.*?)```", text, re.DOTALL)[1]
        open(target, "w", encoding="utf-8").write(example)
    return make


def table_of_nccl_tests(ranks):
    """As all_reduce_perf prints it: sizes from 1 KiB to 64 MiB at 10 us + 2 (n - 1) / n bytes / (200 GB/s)."""
    def make(target):
        lines = ["#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong"]
        lines += [f"#  Rank  {rank} Group  0 Pid 1 on node device  {rank} [0x00] NVIDIA A100-SXM4-80GB" for rank in range(ranks)]
        for power in range(10, 27):
            size = 1 << power
            time = 10 + 2 * (ranks - 1) / ranks * size / 200e3
            rate = size / time / 1e3
            half = f"{time:.2f} {rate:.2f} {rate * 2 * (ranks - 1) / ranks:.2f} 0"
            lines.append(f" {size} {size // 4} float sum -1 {half} {half}")
        open(target, "w", encoding="utf-8").write("\n".join(lines) + "\n")
    return make


def answer_of(*arguments):
    def make(target):
        with open(target, "wb") as file:
            stepsim(*arguments, stdout=file).check_returncode()
    return make


def ranks_of(source):
    """The same execution trace for two ranks."""
    def make(target):
        os.makedirs(target)
        for rank in range(2):
            shutil.copy(source, os.path.join(target, f"workload.{rank}.et"))
    return make


def text_of(text):
    def make(target):
        with open(target, "w", encoding="utf-8") as file:
            file.write(text)
    return make


def member_of_archive(source):
    """A target "jobs.tar.gz/second" is what `source` is called in that archive."""
    def make(target):
        archive, member = os.path.split(target)
        os.rmdir(archive)
        with tarfile.open(archive, "w:gz") as packed_files:
            packed_files.add(source, member)
            packed_files.add(source, "another")
    return make


def parts(folder_and_pattern):
    folder, grid = os.path.dirname(folder_and_pattern), os.path.join(ROOT, "tests/golden/data/sweep_grid.yaml")
    for shard in range(4):
        stepsim("sweep", SAMPLE, "-s", grid, "--shard", f"{shard}/4", "-o", f"{folder}/part.{shard}").check_returncode()


def mxnet_folder(target):
    """A worker's folder with what ByteProfile's recorder for MXNet leaves, and what `collect` made of it."""
    collect.gpu_folder(os.path.join(target, "0", "0"))
    stepsim("collect", target, "--in-place").check_returncode()


def modelled_step(target):
    """A step as docs/guides/before-you-rent.md has it, of a small model."""
    stepsim("model", "llama", "--layers", "4", "--hidden", "256", "--heads", "8", "--intermediate", "704", "--sequence", "512",
            "--micro-batch", "2", "--device", "H100", "-o", target).check_returncode()


CONFIG = """{"model_type": "llama", "num_hidden_layers": 2, "hidden_size": 256, "num_attention_heads": 8, "intermediate_size": 704,
"vocab_size": 32000}"""
RUNS = "name,model,capture,set,micro_batch,step_s\n" + "".join(f"{batch} samples,gpt --layers 2 --hidden 256 --heads 4 --device H100,,,{batch},{batch / 1000}\n" for batch in (16, 32, 64))
LAYERS = "layer,micro_batch,tensor,forward,backward,update\n" + "".join(f"{layer},2,1,0.002,0.004,0.0005\n" for layer in range(4))

FILES = {  # the files that lines name, and how they come to be
    "TRACE": copy_of(SAMPLE), "TRACES": copy_of(SAMPLE), "A": copy_of(SAMPLE), "B": copy_of(SAMPLE), "PATH": copy_of(SAMPLE), "OUT": copy_of(SAMPLE),
    "run7": copy_of(SAMPLE), "perf/slower-network.yaml": yaml_example("docs/guides/compare.md", "name: half the network"),
    "before": copy_of(SAMPLE), "after": copy_of(SAMPLE), "runs/monday": copy_of(SAMPLE), "runs/tuesday": copy_of(SAMPLE),
    "scenarios/samples/byteps-even": copy_of(SAMPLE), "scenarios/samples/pytorch-ddp": copy_of(os.path.join(ROOT, "scenarios/samples/pytorch-ddp")), "new-trace/": copy_of(SAMPLE),
    "scenarios/samples/transformer": copy_of(os.path.join(ROOT, "scenarios/samples/transformer")),
    "traces": folder_of(os.path.join(ROOT, "tests/fuzz/corpus/capture_fuzz/ranges.capture")),
    "traces/attach-1": folder_of(os.path.join(ROOT, "tests/fuzz/corpus/capture_fuzz/ranges.capture")),
    "step.json": modelled_step, "config.json": text_of(CONFIG), "layers.csv": text_of(LAYERS),
    "runs.csv": text_of(RUNS), "machine.yaml": text_of("device: H100\nfactors: {kernels: 1.1}\n"), "predicted.json": answer_of("whatif", SAMPLE, "--set", "compute.scale=0.5", "--json"),
    "C": copy_of(SAMPLE), "mxnet/": mxnet_folder, "modules.json": copy_of(os.path.join(ROOT, "tests/golden/data/stats_step.json")),
    "operations.csv": copy_of(os.path.join(ROOT, "tests/golden/data/operations.csv")),
    "JOB": copy_of(GPU), "dag.gml": copy_of(os.path.join(SAMPLE, "traces/0/0/dag.gml")),
    "graph.gml": copy_of(os.path.join(SAMPLE, "traces/0/0/dag.gml")),
    "trace.json.gz": packed(OVERLAP),
    "trace.pt.trace.json.gz": packed(GPU), "monday.json.gz": packed(GPU), "tuesday.json.gz": packed(GPU),
    "traces/*.pt.trace.json.gz": lambda target: packed(GPU)(target.replace("*", "rank0")),
    "run/rank*.json.gz": lambda target: packed(GPU)(target.replace("*", "0")),
    "traces/rank3.json.gz": packed(GPU), "shared/run7": folder_of(GPU),
    "jobs.tar.gz/second": member_of_archive(SAMPLE),
    "traces/": folder_of(os.path.join(ROOT, "tests/golden/data/gpu_step.json")),
    "run/traces": copy_of(SAMPLE), "run/ddp": copy_of(os.path.join(ROOT, "scenarios/samples/pytorch-ddp")),
    "report.sqlite": copy_of(os.path.join(ROOT, "tests/fuzz/corpus/nsys_fuzz/two_ranks.sqlite")),
    "before.pt.trace.json.gz": packed(GPU), "after.pt.trace.json.gz": packed(GPU),
    "graph.json": copy_of(os.path.join(ROOT, "tests/golden/data/two_hosts.json")),
    "baseline.json": answer_of("replay", SAMPLE, "--json"),
    "scenario.yaml": copy_of(os.path.join(ROOT, "scenarios/library/half-the-network.yaml")),
    "grid.yaml": copy_of(os.path.join(ROOT, "tests/golden/data/sweep_grid.yaml")),
    "bandwidths.yaml": yaml_example("docs/guides/choose.md", "# bandwidths.yaml"),
    "all_reduce_2.txt": table_of_nccl_tests(2), "all_reduce_4.txt": table_of_nccl_tests(4),
    "part.*": parts,
    "TRIAL": trial_of(trial_files.nccl_trial), "timeline.json": copy_of(os.path.join(ROOT, "tests/fuzz/corpus/horovod_timeline_fuzz/open.json")),
    "workload/": ranks_of(os.path.join(ROOT, "tests/fuzz/corpus/chakra_fuzz/whole.et")),
    "et.json": copy_of(os.path.join(ROOT, "tests/fuzz/corpus/execution_trace_fuzz/flat.json")),
    "node-0.prof.json": copy_of(os.path.join(ROOT, "scenarios/samples/inline/two.prof.json")),
    "one.prof.json": copy_of(os.path.join(ROOT, "scenarios/samples/inline/one.prof.json")),
    "two.prof.json": copy_of(os.path.join(ROOT, "scenarios/samples/inline/two.prof.json")),
    "results/": copy_of(os.path.join(ROOT, "scenarios/samples/inline")),
    "prof.events": text_of("fprop\nbprop\n"),
    "ranges.yaml": copy_of(os.path.join(ROOT, "scenarios/samples/inline/ranges.yaml")),
    "v100s.yaml": text_of("hosts: 1\ndevices: {count: 8, model: V100}\nnic: {bandwidth: 100Gb/s}\nnvlink: {bandwidth: 150GB/s}\n"),
}


def pages():
    found = glob.glob(os.path.join(ROOT, "docs/**/*.md"), recursive=True) + glob.glob(os.path.join(ROOT, "scenarios/**/*.md"), recursive=True)
    return sorted(found) + [os.path.join(ROOT, name) for name in ("README.md", "CONTRIBUTING.md")]


def lines_of(text):
    """(number of the line, command line) of all blocks and `backticks` of a page, whatever they hold."""
    number = lambda at: text.count("\n", 0, at) + 1
    blank = lambda found: re.sub(r"[^\n]", " ", found[0])
    for block in re.finditer(r"^```(\w*)\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        if block[1] not in ("console", "yaml", "json"):
            for line in re.finditer(r".+", block[2]):
                yield number(block.start(2) + line.start()), line[0]
    text = re.sub(r"^```.*?^```", blank, text, flags=re.MULTILINE | re.DOTALL)
    for line in re.finditer(r"^    (?:\$ )?(.+)$", text, re.MULTILINE):
        yield number(line.start()), line[1]
    for code in re.finditer(r"`([^`]+)`", text):
        yield number(code.start()), " ".join(code[1].split())


def commands():
    """(place, command line) of all that call stepsim or ./dev, comments left out."""
    for page in pages():
        with open(page, encoding="utf-8") as file:
            text = file.read()
        for number, line in lines_of(text):
            command = re.split(r"\s+#|   ", line.strip())[0]
            if re.match(r"(import|from) stepsim\b", command):
                continue  # Python, which tests/python/test_guide.py runs
            if re.search(r"(^|[\s\"/])stepsim(?= |$)", command) and command != "stepsim" or command.startswith("./dev "):
                yield f"{os.path.relpath(page, ROOT)}:{number}", command


def filled(command):
    for pattern, text in WORDS.items():
        command = re.sub(pattern, text, command)
    return command.rstrip()


def make_files(command, folder):
    for name, make in FILES.items():
        if not re.search(r"(^|[\s='])" + re.escape(name) + r"($|[\s\"'])", command):
            continue
        target = os.path.join(folder, name.rstrip("/"))
        os.makedirs(os.path.dirname(target), exist_ok=True)
        # A question about devices needs a capture of one, and a drawing of SAMPLE's graph takes seconds.
        (copy_of(GPU) if name == "TRACE" and re.search(r"\b(device|launch)\.|^stepsim graph ", command) else make)(target)
    os.makedirs(os.path.join(folder, "shared/run7"), exist_ok=True)
    os.symlink(MEASURED, os.path.join(folder, "truth"))


def check_line(place, command, tools):
    line = filled(command)
    if re.fullmatch(r"stepsim [a-z-]+", line) and line != "stepsim help":  # a name in a sentence
        line += " --help"
    with tempfile.TemporaryDirectory() as folder:
        make_files(line, folder)
        environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"}
        done = run("bash", "-c", line, cwd=folder, env=environment)
        wrote = [name for name in re.findall(r"-o ([^\s\"]+)", line) if "{}" not in name]
        missing = [name for name in wrote if not os.path.exists(os.path.join(folder, name))]
    check(f"{place}: {command}", done.returncode == 0 and not missing,
          f"ran as '{line}', exit {done.returncode}, not written: {missing}\n{done.stderr.decode()}")


def make_tools(folder):
    os.symlink(STEPSIM, os.path.join(folder, "stepsim"))
    for name, script in LAUNCHERS.items():
        os.chmod(write(folder, name, f"#!/bin/bash\n{script}\n"), 0o755)


def verbs():
    with open(os.path.join(ROOT, "dev"), encoding="utf-8") as file:
        return set(re.findall(r"^  ([a-z-]+)", file.read().split("usage: ./dev")[1].split("\nTEXT\n")[0], re.MULTILINE))


def main():
    left, ran, known = set(NOT_RUN), set(), verbs()
    with tempfile.TemporaryDirectory() as tools:
        make_tools(tools)
        for place, command in commands():
            reason = next((start for start in NOT_RUN if command.startswith(start)), None)
            if reason is not None:
                left.discard(reason)
                print(f"not run: {place}: {command}: {NOT_RUN[reason]}")
            elif command.startswith("./dev "):
                check(f"{place}: {command}", command.split()[1] in known, f"./dev knows {sorted(known)}")
            elif command not in ran:
                ran.add(command)
                check_line(place, command, tools)
    check("NOT_RUN names no line that is gone", not left, left)
    check("the documentation has command lines", len(ran) > 30, len(ran))
    print(f"{len(ran)} command lines ran")
    return verdict()


sys.exit(main())

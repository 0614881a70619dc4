"""Steps of Llama, GPT-3 and Qwen3 that NVIDIA published with its frameworks (docs/results/published-nemo.csv)."""
import csv

from published_steps import PUBLISHED
from .form import HERE, Case, LeftOut, Row, Run, generation, step
from .plans import name_of, question, values

MODELS = {"GPT3-5B": "gpt --layers 24 --hidden 4096 --heads 32 --vocabulary 51200 --dropout off",
          "GPT3-20B": "gpt --layers 44 --hidden 6144 --heads 48 --vocabulary 51200 --dropout off",
          "GPT3-175B": "gpt --layers 96 --hidden 12288 --heads 96 --vocabulary 51200 --dropout off",
          "Llama2-7B": "llama --layers 32 --hidden 4096 --heads 32 --intermediate 11008",
          "Llama2-13B": "llama --layers 40 --hidden 5120 --heads 40 --intermediate 13824",
          "Llama2-70B": "llama --layers 80 --hidden 8192 --heads 64 --key-heads 8 --intermediate 28672",
          "Llama3-8B": "llama --layers 32 --hidden 4096 --heads 32 --key-heads 8 --intermediate 14336 --vocabulary 128256",
          "Llama3-70B": "llama --layers 80 --hidden 8192 --heads 64 --key-heads 8 --intermediate 28672 --vocabulary 128256",
          "Qwen3-30B-A3B": str(HERE / "qwen3-30b-a3b.json")}
# GPUs that NVLink connects, and the rate of a host's NICs: 400 Gb/s a GPU.
LINKED = {"H100": 8, "B200": 8, "GB200": 64}
NIC = "3200Gb/s"


def source(row):
    return f"nemo-{row['device'].lower()}"


def reason(row):
    """Returns why a row is not asked, or None."""
    if row["model"] not in MODELS:
        return "takes long: many microbatches of many layers" if row["model"].startswith("Qwen3") else "sliding windows, and experts with biases"
    return None


def run(row):
    tensor, pipeline, interleave, gpus = (int(row[key]) for key in ("tensor", "pipeline", "interleave", "gpus"))
    words = (*MODELS[row["model"]].split(), "--sequence", row["sequence"], "--micro-batch", row["micro_batch"], "--device", row["device"])
    settings = [f"parallel.data={gpus // (tensor * pipeline)}", f"parallel.micro_batch={row['micro_batch']}", f"parallel.global_batch={row['global_batch']}",
                f"parallel.zero={row['zero']}", f"parallel.recompute={row['recompute']}"]
    if gpus > 8:
        settings += [f"cluster.gpus_per_host={LINKED[row['device']]}", f"cluster.nic={NIC}"]
    if tensor > 1:
        settings += [f"parallel.tensor={tensor}", "parallel.sequence=true"]
    if pipeline > 1:
        settings += [f"parallel.pipeline={pipeline}", f"parallel.interleave={interleave}"]
    if row["expert"] != "1":
        settings.append(f"parallel.expert={row['expert']}")
    if row["precision"] != "bf16":
        settings.append(f"precision.recipe={'tensorwise' if row['precision'] == 'fp8' else row['precision']}")
    seconds = int(row["global_batch"]) * int(row["sequence"]) / gpus / float(row["tokens_per_s_of_gpu"])
    return Run(f"{row['model']} on {row['gpus']}, {name_of(values(settings))}, {row['precision']}, {row['release']}", words, tuple(settings), seconds)


def cases(_at):
    with open(PUBLISHED.parent / "published-nemo.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        asked = run(row) if row["model"] in MODELS else None
        if why := reason(row):
            yield LeftOut(source(row), "experts", why)
            continue
        hosts = "one" if int(row["gpus"]) <= LINKED[row["device"]] else "several"
        kind = "mixture of experts" if row["expert"] != "1" else "transformer"
        after = row["precision"] if row["precision"] == "bf16" else "fp8"
        yield Case(Row(question(values(asked.settings)), source(row), row["model"], asked.name, "modelled", "training", hosts, kind, generation(row["device"]), after, "s", asked.seconds),
                   lambda program, asked=asked: step(program.ask(asked)))

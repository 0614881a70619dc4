"""FSDP on hosts of 8 H100 over InfiniBand and TCP, and with other algorithms of NCCL (SHARED/truth/fabrics/azure)."""
from .form import Case, LeftOut, Row, rows_of, scale, step

SOURCE = "azure-h100"
MODELS = {"Qwen2.5-7B": "llama --layers 28 --hidden 3584 --heads 28 --key-heads 4 --intermediate 18944 --vocabulary 152064",
          "Qwen2.5-72B": "llama --layers 80 --hidden 8192 --heads 64 --key-heads 8 --intermediate 29568 --vocabulary 152064",
          "Mixtral-8x7B-v0.1": "mixtral --layers 32 --hidden 4096 --heads 32 --key-heads 8 --intermediate 14336 --vocabulary 32000 --experts 8 --experts-of-token 2"}
NIC = {"ib": "3136Gb/s", "tcp": "25.5Gb/s"}  # 392 and 3.19 GB/s a host, as nccl.csv measured
NOISE = {"fabric": 0.001, "algorithm": 0.03}  # pairs on one host, where the fabric is not used; README.md


def words(row):
    return (*MODELS[row["model"]].split(), "--sequence", row["sequence"], "--micro-batch", row["batch_per_gpu"], "--device", "H100")


def settings(row, fabric):
    gpus, batch = int(row["gpus"]), int(row["batch_per_gpu"])
    return [f"parallel.data={gpus}", "parallel.zero=3", "parallel.recompute=all", f"parallel.micro_batch={batch}", f"parallel.global_batch={batch * gpus}",
            "cluster.gpus_per_host=8", f"cluster.nic={NIC[fabric]}"]


def measured(row):
    return int(row["batch_per_gpu"]) * int(row["gpus"]) * int(row["sequence"]) / float(row["tokens_per_s"])


def of(row, question, base, name, value, unit, noise):
    kind = "mixture of experts" if "Mixtral" in row["model"] else "transformer"
    return Row(question, SOURCE, row["model"], name, base, "training", "one" if row["nodes"] == "1" else "several", kind, "Hopper", "bf16", unit, value, NOISE[noise])


def fabrics(at):
    bases = {}
    for row in rows_of(at.shared / "truth/fabrics/azure/fabric.csv"):
        base = bases.setdefault(row["model"], row)
        if row["nodes"] == "1" and row is not base:
            yield LeftOut(SOURCE, "network rate", "control: one host, the network is not used")
            continue
        question, name = "network rate" if row["fabric"] == "tcp" else "ZeRO", f"{row['model']}, {row['gpus']} GPUs, {row['fabric']}"

        def ask(program, row=row, more=()):
            return step(program.whatif(program.model(*words(row)), *settings(row, row["fabric"]), *more))

        def ask_scaled(program, row=row, base=base, ask=ask):
            return ask(program, row, scale(program, program.model(*words(base)), settings(base, base["fabric"]), measured(base)))

        yield Case(of(row, question, "modelled", name, measured(row), "s", "fabric"), ask)
        if row is not base:
            yield Case(of(row, question, "scaled", name, measured(row), "s", "fabric"), ask_scaled)


def algorithms(at):
    usual = {}
    for row in rows_of(at.shared / "truth/fabrics/azure/algorithm.csv"):
        key, algorithm = (row["model"], row["gpus"]), row["nccl_algo"].lower()
        if algorithm == "default":
            usual[key] = row
            continue

        def ask(program, row=row, algorithm=algorithm):
            capture, plan = program.model(*words(row)), settings(row, "ib")
            return step(program.whatif(capture, *plan, f"comm.algorithm={algorithm}")).over(step(program.whatif(capture, *plan)))

        ratio = measured(row) / measured(usual[key])
        yield Case(of(row, "algorithm", "modelled", f"{row['model']}, {row['gpus']} GPUs, {algorithm}", ratio, "ratio", "algorithm"), ask)


def cases(at):
    yield from fabrics(at)
    yield from algorithms(at)
    yield LeftOut(SOURCE, "straggler", "how much slower the slow GPU is is not stated", len(rows_of(at.shared / "truth/fabrics/azure/straggler.csv")))

"""FSDP on hosts of 8 H100 over InfiniBand and TCP, and with other algorithms of NCCL (SHARED/truth/fabrics/azure)."""
from .form import Case, LeftOut, Row, Run, rows_of, step

SOURCE = "azure-h100"
MODELS = {"Qwen2.5-7B": "llama --layers 28 --hidden 3584 --heads 28 --key-heads 4 --intermediate 18944 --vocabulary 152064",
          "Qwen2.5-72B": "llama --layers 80 --hidden 8192 --heads 64 --key-heads 8 --intermediate 29568 --vocabulary 152064",
          "Mixtral-8x7B-v0.1": "mixtral --layers 32 --hidden 4096 --heads 32 --key-heads 8 --intermediate 14336 --vocabulary 32000 --experts 8 --experts-of-token 2"}
NIC = {"ib": "3136Gb/s", "tcp": "25.5Gb/s"}  # 392 and 3.19 GB/s a host, as nccl.csv measured
NOISE = {"fabric": 0.001, "algorithm": 0.03}  # pairs on one host, where the fabric is not used; README.md


def run(row):
    gpus, batch, fabric = int(row["gpus"]), int(row["batch_per_gpu"]), row.get("fabric", "ib")
    words = (*MODELS[row["model"]].split(), "--sequence", row["sequence"], "--micro-batch", batch, "--device", "H100")
    settings = (f"parallel.data={gpus}", "parallel.zero=3", "parallel.recompute=all", f"parallel.micro_batch={batch}", f"parallel.global_batch={batch * gpus}",
                "cluster.gpus_per_host=8", f"cluster.nic={NIC[fabric]}")
    return Run(f"{row['model']}, {gpus} GPUs, {fabric}", words, settings, batch * gpus * int(row["sequence"]) / float(row["tokens_per_s"]))


def of(row, question, base, name, value, unit, noise):
    kind = "mixture of experts" if "Mixtral" in row["model"] else "transformer"
    return Row(question, SOURCE, row["model"], name, base, "training", "one" if row["nodes"] == "1" else "several", kind, "Hopper", "bf16", unit, value, NOISE[noise])


def fabric_rows(at):
    """Yields the rows, the first of the same model, and whether a row is a control."""
    firsts = {}
    for row in rows_of(at.shared / "truth/fabrics/azure/fabric.csv"):
        first = firsts.setdefault(row["model"], row)
        yield row, first, row["nodes"] == "1" and row is not first


def machines(at):
    """Returns the measured steps of each machine."""
    return {SOURCE: [run(row) for row, _, is_control in fabric_rows(at) if not is_control]}


def fabrics(at):
    for row, first, is_control in fabric_rows(at):
        if is_control:
            yield LeftOut(SOURCE, "network rate", "control: one host, the network is not used")
            continue
        question, asked = "network rate" if row["fabric"] == "tcp" else "ZeRO", run(row)
        yield Case(of(row, question, "modelled", asked.name, asked.seconds, "s", "fabric"), lambda program, asked=asked: step(program.ask(asked)))
        if row is not first:
            yield Case(of(row, question, "calibrated", asked.name, asked.seconds, "s", "fabric"), lambda program, asked=asked, first=run(first): step(program.ask(asked, first)))


def algorithms(at):
    usual = {}
    for row in rows_of(at.shared / "truth/fabrics/azure/algorithm.csv"):
        key, algorithm, asked = (row["model"], row["gpus"]), row["nccl_algo"].lower(), run(row)
        if algorithm == "default":
            usual[key] = asked
            continue

        def ask(program, asked=asked, algorithm=algorithm):
            changed = asked._replace(settings=(*asked.settings, f"comm.algorithm={algorithm}"))
            return step(program.ask(changed)).over(step(program.ask(asked)))

        ratio = asked.seconds / usual[key].seconds
        yield Case(of(row, "algorithm", "modelled", f"{row['model']}, {row['gpus']} GPUs, {algorithm}", ratio, "ratio", "algorithm"), ask)


def cases(at):
    yield from fabrics(at)
    yield from algorithms(at)
    yield LeftOut(SOURCE, "straggler", "how much slower the slow GPU is is not stated", len(rows_of(at.shared / "truth/fabrics/azure/straggler.csv")))

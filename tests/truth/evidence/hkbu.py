"""Data-parallel BERT and ResNet-50 on 10 Gb Ethernet, 100 Gb TCP and 100 Gb RDMA, 4 to 32 GPUs (SHARED/truth/fabrics/hkbu). The step of
one GPU is given, and so are the rates of links that the largest model shows with one all-reduce after the backward pass."""
from .described import Described
from .form import Case, LeftOut, Row, Run, rows_of, step

SOURCE = "hkbu-2080ti"
FILE = "truth/fabrics/hkbu/all.csv"
# The parameters and products of BERT; stepsim knows the configuration as GPT's.
BERT = {"BERT-Large": "--layers 24 --hidden 1024 --heads 16 --micro-batch 8", "BERT-Base": "--layers 12 --hidden 768 --heads 12 --micro-batch 64"}
DEVICE = "RTX 2080 Ti"
INSIDE = "5.8GB/s"  # the rate by data sheet of a link that carries 4.58 GB/s, which four GPUs on one host show
BUCKETS = {"BSP-A2A": "2GB", "WFBP-A2A": "1B"}  # one all-reduce after the backward pass, and one for each tensor
REASONS = {"PS": "parameter servers of a modelled step", "ByteScheduler": "ByteScheduler's partitions and priorities", "MG-WFBP": "how MG-WFBP merges tensors is not stated"}


class Links:
    def __init__(self, rows):
        self.model = max(row["model"] for row in rows if row["model"] in BERT)
        self.between = {row["network"]: row["bsp_ring_gb_s"] for row in rows if (row["model"], row["method"], row["gpus"]) == (self.model, "BSP-A2A", "8")}

    def show(self, row):
        """Whether the rates are those of this row."""
        return (row["model"], row["method"]) == (self.model, "BSP-A2A") and row["gpus"] in ("4", "8")


def reason(*rows):
    """Returns why rows are not asked, or None."""
    for row in rows:
        if row["model"] not in (*BERT, "ResNet-50"):
            return f"no configuration of {row['model']}"
        if row["method"] not in BUCKETS:
            return next(text for part, text in REASONS.items() if part in row["method"])
    return None


def settings(row, links):
    return (f"parallel.data={row['gpus']}", f"comm.bucket_bytes={BUCKETS[row['method']]}", "cluster.gpus_per_host=4", f"cluster.nic={links.between[row['network']]}GB/s",
            f"cluster.inside={INSIDE}")


def run(row, links):
    """Returns the run of a row of BERT."""
    words = ("gpt", *BERT[row["model"]].split(), "--vocabulary", 30522, "--sequence", 64, "--precision", "fp32", "--attention", "math", "--device", DEVICE)
    return Run(f"{row['model']}, {row['network']}, {row['method']}, {row['gpus']} GPUs", words, settings(row, links), float(row["step_ms"]) / 1e3)


def machines(at):
    """Returns the measured steps of each machine, without those that show the rates of its links."""
    rows = rows_of(at.shared / FILE)
    links = Links(rows)
    return {SOURCE: [run(row, links) for row in rows if row["model"] in BERT and not reason(row) and not links.show(row)]}


def pairs(at, rows):
    """Yields (question, row before, row after, measured ratio, noise, doubt)."""
    found = {(row["model"], row["network"], row["method"], row["gpus"]): row for row in rows}
    for pair in rows_of(at.shared / "truth/fabrics/hkbu/fabric.csv"):
        before, after = (found[pair["model"], pair[side], pair["method"], pair["gpus"]] for side in ("base", "to"))
        yield "network rate", before, after, pair, pair["doubt"]
    for pair in rows_of(at.shared / "truth/fabrics/hkbu/scale.csv"):
        before, after = (found[pair["model"], pair["network"], pair["method"], pair[side]] for side in ("base_gpus", "gpus"))
        yield "ranks", before, after, pair, ""
    for pair in rows_of(at.shared / "truth/fabrics/hkbu/method.csv"):
        before, after = (found[pair["model"], pair["network"], pair[side], pair["gpus"]] for side in ("base", "to"))
        yield "buckets and partitions", before, after, pair, ""


def cases(at):
    rows = rows_of(at.shared / FILE)
    links = Links(rows)

    def ask(program, row):
        one = float(row["one_gpu_ms"]) / 1e3
        if row["model"] not in BERT:
            return Described(at, "resnet50", DEVICE, row["batch_per_gpu"]).scaled(program, "fp32", one, *settings(row, links))
        asked = run(row, links)
        capture = program.model(*asked.words)
        factor = f"{one / step(program.whatif(capture)).predicted:.6g}"
        return step(program.whatif(capture, *asked.settings, f"compute.scale={factor}", f"host.scale={factor}"))

    for question, before, after, pair, doubt in pairs(at, rows):
        why = reason(before, after) or doubt or ("the link's rate is that of this row" if links.show(before) and links.show(after) else None)
        if why:
            yield LeftOut(SOURCE, question, why)
            continue
        changed = next(key for key in ("network", "method", "gpus") if before[key] != after[key])
        name = f"{after['model']}, {after['network']}, {after['method']}, {after['gpus']} GPUs, from {before[changed]}"
        noise = (float(pair["base_spread_pct"] or 0) + float(pair["new_spread_pct"] or 0)) / 100
        hosts = "one" if after["hosts"] == "1" else "several"
        kind, devices = ("transformer", "Turing") if after["model"] in BERT else ("convolutions", "Hopper to Turing")
        yield Case(Row(question, SOURCE, after["model"], name, "scaled", "training", hosts, kind, devices, "fp32", "ratio", float(pair["ratio"]), noise),
                   lambda program, before=before, after=after: ask(program, after).over(ask(program, before)))

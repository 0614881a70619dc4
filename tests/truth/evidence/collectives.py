"""Collectives of nccl-tests and of loops of PyTorch, from data sheets (SHARED/truth/cluster/nccl, SHARED/truth/gpu/tables,
SHARED/truth/fabrics/azure), and all-reduces of 2n hosts from a table of n hosts (SHARED/truth/cluster/alps)."""
import glob
import gzip
import re

import nccl_tables
from .form import Answer, Case, LeftOut, Row, rows_of

THIN = 4  # a payload counts if it is that many times the last one
SMALLEST = 4096
# System: device, generation, links inside a host.
SYSTEMS = {"a100_sxm": ("A100", "Ampere", "nvlink: {bandwidth: 300GB/s, latency: 300ns}"), "h100_sxm": ("H100", "Hopper", "nvlink: {bandwidth: 450GB/s, latency: 300ns}"),
           "b200_sxm": ("B200", "Blackwell", "nvlink: {bandwidth: 900GB/s, latency: 300ns}"), "l40s": ("L40S", "Ada", "pcie: {bandwidth: 32GB/s, latency: 500ns}")}
# Nodes of PyTorch's loops and of all-reduces that others published: system, source.
NODES = {"a100_dgx": ("a100_sxm", "vidur-a100-dgx"), "a100_8": ("a100_sxm", "mleng-a100"), "b200_8": ("b200_sxm", "mleng-b200")}
SOURCES = {"a100_sxm": "aiconfigurator-a100-sxm-80gb", "h100_sxm": "aiconfigurator-h100-sxm", "b200_sxm": "aiconfigurator-b200", "l40s": "aiconfigurator-l40s"}
ALPS_NICS = "cluster.nic=800Gb/s"  # four of 200 Gb/s a host


def thinned(rows):
    """Takes rows (bytes, us) of growing payloads."""
    last = 0
    for size, us in sorted(rows):
        if size >= max(SMALLEST, last * THIN):
            last = size
            yield size, us


def cluster(system, hosts, per_host, nics=None, nic="400Gb/s"):
    device, _, link = SYSTEMS[system]
    lines = [f"hosts: {hosts}", f"devices: {{count: {per_host}, model: {device}}}", f"nic: {{bandwidth: {nic}, latency: 2us}}"]
    return "\n".join(lines + [f"nics: {nics}"] * bool(nics) + [link] * (per_host > 1)) + "\n"


def file_of(program, name, text):
    def write():
        file = program.folder / f"{name}.yaml"
        file.write_text(text, encoding="utf-8")
        return file
    return program.once(("cluster", text), write)


def ask(program, name, size, operation, hosts, per_host, text, *settings):
    """Returns the time of a collective in us on the cluster that is described by the text."""
    folder = program.folder / re.sub(r"\W+", "-", f"{name}-{size}")
    folder.mkdir(exist_ok=True)
    files = list(nccl_tables.capture(folder, hosts * per_host, size // 2 * 2, operation, per_host))
    # An answer has a range only if something changes. A host that is 0.1 % faster does not change collectives.
    found = program.whatif(folder, *(settings or ("host.scale=0.999",)), options=("--network", "maxmin", "--cluster", file_of(program, folder.name, text)))
    for file in files:
        file.unlink()
    predicted, low, high = nccl_tables.time_of(found["scenario"])
    return Answer(predicted, low, high, low, high)  # a source is not widened


def case(source, name, base, operation, hosts, generation, size, us, noise, function):
    return Case(Row("collective", source, operation, f"{name}, {size} B", base, "collective", "one" if hosts == 1 else "several", "above 1 MB" if size > 1 << 20 else "up to 1 MB",
                    generation, "fp16", "us", us, noise), function)


def from_sheets(source, name, operation, system, hosts, per_host, rows, noise=None, **links):
    text = cluster(system, hosts, per_host, **links)
    for size, us in rows:
        yield case(source, name, "modelled", operation, hosts, SYSTEMS[system][1], size, us, noise,
                   lambda program, size=size: ask(program, f"{source} {name}", size, operation, hosts, per_host, text))


def one_host(folder):
    groups = {}
    for row in rows_of(folder / "one-host.csv"):
        version = [int(part) for part in re.findall(r"\d+", row["version"])]
        groups.setdefault((row["system"], row["op"], int(row["num_gpus"])), []).append((version, int(row["message_size"]) * 2, float(row["latency_ms"]) * 1e3))
    newest = {system: max(version for key, rows in groups.items() if key[0] == system for version, *_ in rows) for system, *_ in groups}
    for (system, operation, ranks), rows in groups.items():
        if system in SOURCES and operation in nccl_tables.KERNELS:
            yield from from_sheets(SOURCES[system], f"{operation} of {ranks}", operation, system, 1, ranks,
                                   thinned([(size, us) for version, size, us in rows if version == newest[system]]))


def many_hosts(folder):
    groups = {}
    for row in rows_of(folder / "many-hosts.csv"):
        key = row["source"], row["op"], int(row["hosts"]), int(row["gpus_per_host"]), row["nic_gbps"], row["nics"]
        groups.setdefault(key, []).append((int(row["bytes"]), float(row["time_us"])))
    for (source, operation, hosts, per_host, gbps, nics), rows in groups.items():
        yield from from_sheets(source, f"{operation} of {hosts} x {per_host}", operation, "h100_sxm", hosts, per_host, thinned(rows), nics=nics, nic=f"{gbps}Gb/s")


def loops(shared):
    for node, by_ranks in nccl_tables.measured(shared).items():
        if node in NODES:
            system, source = NODES[node]
            for ranks, rows in by_ranks.items():
                yield from from_sheets(source, f"all_reduce of {ranks} in {node}", "all_reduce", system, 1, ranks, thinned(rows))


def azure(folder):
    rows = rows_of(folder / "nccl.csv")
    for row in rows:
        hosts, rate = int(row["nodes"]), float(row["busbw_gb_s"])
        if row["note"].startswith("per GPU"):
            yield LeftOut("azure-h100", "collective", "its unit is in doubt")
        elif hosts > 16:
            yield LeftOut("azure-h100", "collective", "more than 128 ranks: takes long")
        else:
            ranks, size = 8 * hosts, int(row["bytes"])
            rates = [float(one["busbw_gb_s"]) for one in rows if one["nodes"] == row["nodes"] and one["bytes"] == row["bytes"]]
            us = size * 2 * (ranks - 1) / ranks / rate / 1e3
            yield from from_sheets("azure-h100", f"all_reduce of {hosts} x 8, {row['setting']}", "all_reduce", "h100_sxm", hosts, 8, [(size, us)],
                                   noise=max(rates) / min(rates) - 1, nics=8)


def alps_rows(text):
    """Returns (bytes, us) of nccl-tests' output, whose lines begin with a label."""
    rows = [line.split()[1:] for line in text.splitlines()]
    return [(int(row[0]), float(row[5])) for row in rows if len(row) >= 13 and row[0].isdigit()]


def alps(folder):
    tables = {}
    for name in glob.glob(f"{folder}/job-n-*.out.gz"):
        hosts = int(re.findall(r"\d+", name.rsplit("/", 1)[1])[1])
        with gzip.open(name, "rt", encoding="utf-8") as file:
            tables[hosts] = file.read()
    for hosts in sorted(tables):
        if 2 * hosts not in tables:
            continue

        def calibrated(program, hosts=hosts):
            table, made = program.folder / f"alps-{hosts}.txt", program.folder / f"alps-{hosts}.yaml"
            table.write_text(tables[hosts], encoding="utf-8")
            program.run("calibrate", "--nccl-tests", table, "-o", made)
            return made.read_text(encoding="utf-8")

        def asked(program, size, hosts=hosts, calibrated=calibrated):
            text = program.once(("alps", hosts), lambda: calibrated(program))
            nics = (ALPS_NICS,) if hosts == 1 else ()  # the table of one host says nothing about them
            return ask(program, f"alps {hosts}", size, "all_reduce", hosts, 4, text, f"cluster.workers={8 * hosts}", *nics)

        for size, us in thinned(alps_rows(tables[2 * hosts])):
            yield case("alps-gh200", f"all_reduce of {2 * hosts} x 4 from the table of {hosts} x 4", "captured", "all_reduce", 2 * hosts, "Hopper", size, us, None,
                       lambda program, size=size, asked=asked: asked(program, size))


def cases(at):
    yield from one_host(at.shared / "truth/cluster/nccl")
    yield from many_hosts(at.shared / "truth/cluster/nccl")
    yield from loops(at.shared)
    yield from azure(at.shared / "truth/fabrics/azure")
    yield from alps(at.shared / "truth/cluster/alps")

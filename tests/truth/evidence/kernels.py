"""Single kernels on another device and with other numbers of tokens (SHARED/truth/gpu/tables, SHARED/truth/cluster/gemm.csv),
as bench/device_kernels.py and bench/device_products.py ask for them."""
import itertools
import json

import device_kernels
import device_products
from .form import Answer, Case, Row, generation, rows_of

EACH = 10  # kernels of a class and pair of devices, taken evenly
PUBLISHERS = {"vidur": "vidur", "llmservingsim-v0": "llmservingsim", "llmservingsim": "llmservingsim", "eleuther-sizing": "eleuther", "aiconfigurator": "aiconfigurator"}


def source(row):
    return f"{PUBLISHERS[row['source']]}-{row['device'].lower().replace(' ', '-')}"


def sampled(rows):
    return rows if len(rows) <= EACH else [rows[number * len(rows) // EACH] for number in range(EACH)]


def shape(row):
    return "x".join(str(row[key]) for key in ("tokens", "k", "n", "width") if row.get(key))


def ask(program, before, change):
    def write():
        file = program.folder / f"kernel-{abs(hash(tuple(before.values())))}.json"
        file.write_text(json.dumps(device_kernels.capture_of(before)), encoding="utf-8")
        return file
    answer = program.whatif(program.once(("kernel", *before.values()), write), change)
    return Answer(sum(kind["after_ns"] for kind in answer["device_work"][-1]["classes"]) / 1e3)


def case(kind, before, after, change):
    question = "device" if change.startswith("device") else "batch"
    name = f"{after['source']} {after.get('model', '')} {after['op']} {shape(before)} on {before['device']}, {change}"
    return Case(Row(question, source(after), kind, name, "captured", "kernel", "one", kind, generation(before["device"], after["device"]), after["dtype"], "us",
                    float(after["measured_us"])), lambda program: ask(program, before, change))


def tables(folder):
    groups = {}
    for name in ("gemm.csv", "elementwise.csv"):
        for _, before, after, change in device_kernels.questions(rows_of(folder / name)):
            kind = device_kernels.kind_of(before)
            groups.setdefault((kind, before["source"], before["device"], after["device"], change.split("=")[0]), []).append((kind, before, after, change))
    for group in groups.values():
        yield from itertools.starmap(case, sampled(group))


def products(file):
    found = device_products.products(file)
    for a, b in itertools.permutations(found, 2):
        shared = sorted(found[a].keys() & found[b].keys())
        by_group = {}
        for one in shared:
            by_group.setdefault(device_products.operands(a, b, one), []).append(one)
        for group, shapes in by_group.items():
            for one in sampled(shapes):
                before, after = ({**found[device][one], "source": "aiconfigurator", "device": device} for device in (a, b))
                yield case(f"product, operands {group}", before, after, f"device.to={b}")


def cases(at):
    yield from tables(at.shared / "truth/gpu/tables")
    yield from products(at.shared / "truth/cluster/gemm.csv")

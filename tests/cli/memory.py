#!/usr/bin/env python3
"""memory.py STEPSIM: the memory of modelled steps follows from the model, whatever the number of tokens; plans for a
device whose memory is not known have no best one."""
import sys
import tempfile

from checks import answer, check, quietly, verdict

LAYERS, HIDDEN, HEADS, INTERMEDIATE, VOCABULARY = 4, 256, 8, 512, 4096


def model(folder, name, sequence, key_heads, *options, device="H100"):
    quietly("model", "llama", "--layers", str(LAYERS), "--hidden", str(HIDDEN), "--heads", str(HEADS), "--key-heads", str(key_heads), "--intermediate", str(INTERMEDIATE),
            "--vocabulary", str(VOCABULARY), "--sequence", str(sequence), "--device", device, *options, "-o", name, cwd=folder)
    return name


def memory(folder, step, *settings):
    return answer("whatif", step, *[word for setting in settings for word in ("--set", setting)], cwd=folder)["memory"]


def any_number_of_tokens(folder):
    """A parameter has 2 bytes, and 12 of states. With 256 tokens, logits have the sizes of the table of words."""
    for key_heads in (8, 2):
        layer = HIDDEN * (2 * HIDDEN + 2 * key_heads * HIDDEN // HEADS) + 3 * HIDDEN * INTERMEDIATE + 2 * HIDDEN
        parameters = LAYERS * layer + 2 * VOCABULARY * HIDDEN + HIDDEN
        for sequence in (255, 256, 257, 4096):
            need = memory(folder, model(folder, "step.json", sequence, key_heads), "compute.scale=1.5")
            found = [need[key] for key in ("parameters_bytes", "optimizer_bytes")]
            rounded_up = [one - size * parameters in (0, 1) for one, size in zip(found, (2, 12))]
            check(f"{sequence} tokens and {key_heads} key heads", all(rounded_up), (found, parameters))


def casts(folder):
    step = model(folder, "step.json", 512, 8)
    before = memory(folder, step, "compute.scale=1.5")
    for precision in ("bf16", "fp8"):
        after = memory(folder, step, f"precision.to={precision}")
        check(f"a step in bf16 keeps its activations with {precision}", after == before, (before, after))


def one_statement(folder):
    text = quietly("whatif", model(folder, "step.json", 512, 8), "--set", "batch.scale=16", cwd=folder).stdout.decode()
    check("a batch whose memory is known is not assumed to fit", "suffice" in text and "assumed to fit" not in text, text)


def plans(folder):
    question = ("--devices", "2", "--set", "parallel.zero=0", "--set", "parallel.recompute=none", "--set", "parallel.sequence=false")
    for device, names in (("V100", "`V100 SXM2 16GB` or `V100 SXM2 32GB`"), ("B200", "")):
        step = model(folder, "step.json", 512, 8, *(["--precision", "fp16"] if device == "V100" else []), device=device)
        text = quietly("plan", step, *question, cwd=folder).stdout.decode()
        found = answer("plan", step, *question, cwd=folder)
        if names:
            check("the first line says what to give", text.splitlines()[0].startswith("Capacity of ") and f"not known: give {names} as device.to" in text.splitlines()[0], text[:300])
            check("and no plan is the best", found["best"] is None and found["plans"] and "* " not in text and "best" not in text.splitlines()[0], text)
            found = answer("plan", step, *question, "--set", "device.to=V100 SXM2 32GB", cwd=folder)
            check("until it is given", found["best"]["memory"]["capacity_bytes"] == 32 << 30, found["best"])
        else:
            check("the best plan fits", found["best"]["memory"]["capacity_bytes"] == 180 << 30 and found["best"]["memory"]["fits"] == "yes", found["best"])


with tempfile.TemporaryDirectory() as place:
    any_number_of_tokens(place)
    casts(place)
    one_statement(place)
    plans(place)
sys.exit(verdict())

"""BERT, as the adapters of tables of others describe it. They ask for the ratio of two steps."""
from .form import step

SIZES = {"base": ("--layers", 12, "--hidden", 768, "--heads", 12), "large": ("--layers", 24, "--hidden", 1024, "--heads", 16)}


def capture(program, size, device, sequence, batch):
    """Returns a step in fp32."""
    return program.model("bert", *SIZES[size], "--sequence", sequence, "--micro-batch", batch, "--device", device, "--precision", "fp32")


def precision(name):
    """Returns the setting for one of the names fp32, tf32 and those of 16 bits."""
    return () if name == "fp32" else ("precision.to=tf32",) if name == "tf32" else ("precision.to=fp16",)


def ratio(program, file, before, after):
    return step(program.whatif(file, *after)).over(step(program.whatif(file, *before)))


def batch_scale(before, after):
    return () if before == after else (f"batch.scale={int(after) / int(before):g}",)


def per_sample(answer, before, after):
    return answer.times(int(before) / int(after))

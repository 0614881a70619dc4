"""Models of tables of others, as stepsim can describe them: BERT by its configuration, ResNet-50 by our own capture of it on an
H100. The adapters ask for ratios of two steps."""
from .form import generation, step

BERT = {"bert base": ("--layers", 12, "--hidden", 768, "--heads", 12), "bert large": ("--layers", 24, "--hidden", 1024, "--heads", 16)}
RESNET, CAPTURED_ON, CAPTURED_BATCH = "resnet50", "H100", 64
PRECISIONS = {"fp32": (), "tf32": ("precision.to=tf32",)}  # both steps are in fp32; all else is 16 bits


class Described:
    """A model on a device, with so many samples. `attention` is that of its program, as `stepsim model --attention` takes it."""

    def __init__(self, at, model, device, batch, sequence=None, attention="flash"):
        self.model, self.device, self.batch, self.sequence, self.attention = model, device, int(batch), sequence, attention
        self.base = at.measured / "gpu/resnet-b64/base"

    @property
    def kind(self):
        return "transformer" if self.model in BERT else "convolutions"

    @property
    def base_kind(self):
        return "modelled" if self.model in BERT else "captured"

    def generation(self, after=None):
        return generation(self.device if self.model in BERT else CAPTURED_ON, after or self.device)

    def step(self, program, precision="fp32", *settings, batch=None, device=None):
        """Asks for a step with these settings, on another device or with other samples."""
        batch, settings = int(batch or self.batch), [*PRECISIONS.get(precision, ("precision.to=fp16",)), *settings]
        if self.model in BERT:
            capture, options = program.model("bert", *BERT[self.model], "--sequence", self.sequence, "--micro-batch", self.batch, "--device", self.device, "--precision", "fp32", "--attention", self.attention), ()
            captured = self.batch
        else:
            capture, options, captured = self.base / "traces", ("--job", self.base / "job.yaml"), CAPTURED_BATCH
            device = device or self.device
        settings += [f"batch.scale={batch / captured:.6g}"] * (batch != captured)
        settings += [f"device.to={device}"] * (device is not None and device != CAPTURED_ON)
        return step(program.whatif(capture, *settings, options=options))

    def scaled(self, program, precision, measured, *settings):
        """Asks for a step with these settings over one without, after all work is multiplied so that this step is as measured."""
        factor = f"{measured / self.step(program, precision).predicted:.6g}"
        used = f"compute.scale={factor}", f"host.scale={factor}"
        return self.step(program, precision, *used, *settings).over(self.step(program, precision, *used))

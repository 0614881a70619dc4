"""Records the steps of a PyTorch program from inside, for `stepsim capture --torch` (docs/capture-torch.md).

Works with every Python from 3.7 and every torch from 1.11, and imports torch only once the program does. Nothing here may
stop the program: what goes wrong is a warning on standard error, and recording ends.
"""


def start(variables):
    """Has steps recorded once this process loads torch. `variables` say what (settings.py)."""
    from . import imports, recorder, settings, steps

    asked = settings.from_variables(variables)
    recording = recorder.Recorder(asked)
    counter = steps.StepCounter(recording.step_ended, asked.step_call)
    imports.when_loaded("torch", lambda torch: recording.attach(torch, counter))
    module = counter.module_of_call()
    if module and module != "__main__":
        imports.when_loaded(module, lambda _: counter.find_call())

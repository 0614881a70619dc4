"""Records the steps of a PyTorch program from inside, for `stepsim capture --torch` (docs/guides/record.md).

Works with Python 3.7 and torch 1.11 or later. Imports torch only after the program has imported it. Nothing here may
stop the program: an error causes a warning on standard error and ends the recording.
"""


def start(variables):
    """Starts recording steps when this process loads torch. `variables` contain the settings (settings.py)."""
    from . import imports, recorder, settings, steps

    asked = settings.from_variables(variables)
    recording = recorder.Recorder(asked)
    counter = steps.StepCounter(recording.step_ended, asked.step_call)
    imports.when_loaded("torch", lambda torch: recording.attach(torch, counter))
    module = counter.module_of_call()
    if module and module != "__main__":
        imports.when_loaded(module, lambda _: counter.find_call())

"""Reads the settings from the variables that `stepsim capture --torch` sets (model/wire/environment.h)."""
import collections

from .schedule import Schedule

OPTIONS = ("with_flops", "profile_memory", "with_stack", "with_modules")

Settings = collections.namedtuple("Settings", "directory run schedule ranks step_call options execution_trace")

# The variables of the launchers; capture/session/settings.cpp reads the same ones.
LAUNCHERS = (("RANK", "WORLD_SIZE"), ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"), ("PMI_RANK", "PMI_SIZE"),
             ("SLURM_PROCID", "SLURM_NTASKS"))


def from_variables(variables):
    def number(name, otherwise):
        text = variables.get("STEPSIM_CAPTURE_" + name, "")
        return int(text) if text.isdigit() else otherwise

    schedule = Schedule(skip_first=number("SKIP_FIRST", 0), wait=number("WAIT", 10), warm_up=number("WARMUP", 1),
                        active=max(1, number("ACTIVE", 3)), repeat=number("REPEAT", 1))
    asked = variables.get("STEPSIM_CAPTURE_TORCH_OPTIONS", "").split(",")
    return Settings(directory=variables["STEPSIM_CAPTURE_DIR"], run=variables.get("STEPSIM_CAPTURE_RUN", ""),
                    schedule=schedule, ranks=variables.get("STEPSIM_CAPTURE_RANKS", ""),
                    step_call=variables.get("STEPSIM_CAPTURE_STEP_CALL", ""),
                    options=tuple(option for option in OPTIONS if option in asked),
                    execution_trace="with_execution_trace" in asked)


def names_rank(ranks, rank):
    """Returns whether a list such as "0,4-7" contains `rank`. An empty list contains all ranks."""
    if not ranks:
        return True
    for item in ranks.split(","):
        first, _, last = item.partition("-")
        if int(first) <= rank <= int(last or first):
            return True
    return False


def launched_as(variables):
    """Returns (rank, world size) from the launcher's variables; each is None if it is not set."""
    for rank, world in LAUNCHERS:
        if variables.get(rank, "").isdigit():
            size = variables.get(world, "")
            return int(variables[rank]), int(size) if size.isdigit() else None
    return None, None

"""Writes Chrome traces in Kineto's format, for a torch that was built without Kineto (such as Debian's). Such a torch
records operators with shapes and threads, but exports neither shapes, annotations nor ranks."""
import json
import os

_USER_SCOPE = 7
_MEMORY = "[memory]"


def write_trace(path, results, options, distributed, torch_version):
    """Writes the profiler's records, one event per line. `results` is kineto_results of
    torch.autograd.profiler.profile; `distributed` is written as distributedInfo unless it is None."""
    start_us = results.trace_start_us()
    base_us = start_us - start_us % 1000000
    head = {"schemaVersion": 1, "deviceProperties": [], "record_shapes": 1,
            "trace_writer": "stepsim capture --torch, by torch %s without Kineto" % torch_version,
            "displayTimeUnit": "ms", "baseTimeNanoseconds": base_us * 1000}
    head.update((option, 1) for option in options)
    if distributed is not None:
        head["distributedInfo"] = distributed
    process = os.getpid()
    with open(path, "w", encoding="utf-8") as file:
        file.write(json.dumps(head)[:-1] + ', "traceEvents": [\n')
        name = {"ph": "M", "name": "process_name", "pid": process, "tid": 0, "args": {"name": "python"}}
        file.write(json.dumps(name))
        for event in results.events():
            file.write(",\n" + json.dumps(_record(event, process, base_us)))
        file.write("\n]}\n")


def _record(event, process, base_us):
    place = {"name": event.name(), "pid": process, "tid": event.start_thread_id(), "ts": event.start_us() - base_us}
    if event.name() == _MEMORY:
        device = {"Device Type": int(event.device_type()), "Device Id": event.device_index(), "Bytes": event.nbytes()}
        return dict(place, ph="i", s="t", cat="cpu_instant_event", args=device)
    arguments = {"External id": event.correlation_id()}
    if event.shapes():
        arguments["Input Dims"] = event.shapes()
        arguments["Input type"] = event.dtypes()
    if event.sequence_nr() >= 0:
        arguments["Sequence number"] = event.sequence_nr()
        arguments["Fwd thread id"] = event.fwd_thread_id()
    if event.flops() > 0:
        arguments["flops"] = event.flops()
    if event.stack():
        arguments["Call stack"] = ";".join(event.stack())
    kind = "user_annotation" if event.scope() == _USER_SCOPE else "cpu_op"
    return dict(place, ph="X", cat=kind, dur=event.duration_us(), args=arguments)

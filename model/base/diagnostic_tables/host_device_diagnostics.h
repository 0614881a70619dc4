#ifndef STEPSIM_MODEL_BASE_DIAGNOSTIC_TABLES_HOST_DEVICE_DIAGNOSTICS_H
#define STEPSIM_MODEL_BASE_DIAGNOSTIC_TABLES_HOST_DEVICE_DIAGNOSTICS_H

#include <array>

#include "model/base/diagnostic.h"

namespace stepsim {

/// Of host threads, device streams and collectives, once their records are read: what had to be inferred or could not
/// be found (docs/stitching.md).
inline constexpr auto kHostDeviceDiagnostics = std::to_array<Diagnostic>({
    {"unmatched_collective", Severity::kNotice,
     "a collective that no other rank has keeps its recorded duration: pass the traces of all ranks",
     "Its recorded duration includes the wait for the other ranks, which no what-if can shorten then."},
    {"collective_ends_disagree", Severity::kDataLoss,
     "collectives that should be one do not end together: pass complete traces of all ranks, of the same steps of one "
     "run",
     "These collectives keep their recorded durations, waiting included, and the ranks do not wait for each other in "
     "them."},
    {"ranks_not_merged", Severity::kDataLoss,
     "more than a fifth of the collectives do not end together, so ranks do not wait for each other in the replay: "
     "pass "
     "traces of one run",
     "Each rank is replayed on its own. What-ifs on one rank or on the network do not reach the others."},
    {"time_out_of_range", Severity::kDataLoss,
     "events more than 73 years before or 146 years after 1970 are left out: their times cannot be compared",
     "The work of these events is missing from the replay.", "Set the clock of the host, and record again."},
    {"overlapping_steps", Severity::kNotice,
     "step marks that begin before the one before has ended: an iteration is from begin to begin",
     "Measured and replayed steps are counted in the same way, so their error is not affected; work may count for the "
     "step beside its own.",
     "Call the profiler's step() once an iteration, by one thread."},
    {"launches_without_device_work", Severity::kDataLoss,
     "kernels were launched, but none is in the capture, so all times are the host's: record with "
     "ProfilerActivity.CUDA, and see that no other tool holds CUPTI",
     "The replay knows the host's work only. It cannot answer what kernels, devices or collectives would do."},
    {"instant_host_event", Severity::kInfo,
     "host events of no length become no tasks: what they launched keeps its place",
     "None: they take no time, and what they launched is replayed."},
    {"waited_for_room", Severity::kInfo,
     "device work that began when work of another stream left room for it on the device",
     "The replay keeps this order: such work begins in the tail of the other work, and scales with it."},
    {"framework_stream_wait", Severity::kInfo,
     "waits between streams that the framework's calls imply: record with enable_cuda_sync_events=True (nsys: "
     "--cuda-event-trace=true) to see all",
     "Little: these rules find the waits that PyTorch itself makes. Waits that the user's own code makes may be "
     "missing."},
    {"inferred_stream_wait", Severity::kNotice,
     "waits between streams that were inferred from times: record with enable_cuda_sync_events=True (nsys: "
     "--cuda-event-trace=true) to have them "
     "recorded",
     "The replay of what was captured stays close to it. In a what-if, a wait that was inferred wrongly, or missed, "
     "lets "
     "work begin too late or too early."},
    {"unresolved_sync_event", Severity::kNotice,
     "cuda_sync events that name a call, stream or record the capture lacks: with CUDA 12.9 or later, record with a "
     "Kineto that includes pytorch/kineto#1552",
     "These waits are inferred from times instead, with the same doubts as inferred_stream_wait."},
    {"inferred_host_wait", Severity::kNotice,
     "waits of host calls that were inferred from times: record with enable_cuda_sync_events=True (nsys: "
     "--cuda-event-trace=true) to have them "
     "recorded",
     "The replay of what was captured stays close to it. In a what-if, a wait that was inferred wrongly, or missed, "
     "lets "
     "the host go on too late or too early."},
    {"polling", Severity::kNotice,
     "silences of host threads that end with device work again and again: the thread is taken to poll for it",
     "In a what-if the host goes on when that device work ends. If the thread was busy with something else instead, "
     "its "
     "time is then too short or too long."},
    {"full_launch_queue", Severity::kInfo,
     "launches that waited for room in the launch queue: there the device, not the host, limits the step",
     "The replay has this wait as one for the device, so a faster device shortens it."},
    {"unexplained_blocking_call", Severity::kNotice,
     "synchronising calls that took long although no recorded device work ended in them: their time counts as the "
     "host's",
     "A what-if that changes device work does not shorten these calls, although in truth it may.",
     "Record all that the device does (CPU and CUDA activities, communication of other libraries included)."},
    {"unmatched_host_collective", Severity::kNotice,
     "host collectives whose submitting call was not recorded: start the capture a step earlier",
     "The collective may begin before what submits it, so a what-if that delays that work does not delay the "
     "collective."},
    {"device_work_without_launch", Severity::kNotice,
     "device work whose launching call was not recorded: record CPU and CUDA activities together",
     "It waits for the work before it on its stream only, so a slower or faster host does not move it."},
});

}  // namespace stepsim

#endif

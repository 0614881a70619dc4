#ifndef STEPSIM_MODEL_BASE_DIAGNOSTIC_TABLES_CAPTURE_DIAGNOSTICS_H
#define STEPSIM_MODEL_BASE_DIAGNOSTIC_TABLES_CAPTURE_DIAGNOSTICS_H

#include <array>

#include "model/base/diagnostic.h"

namespace stepsim {

/// Of files that stepsim capture wrote.
inline constexpr auto kCaptureDiagnostics = std::to_array<Diagnostic>({
    {"capture_not_closed", Severity::kNotice,
     "the captured program ended without closing its capture, as by kill -9 or _exit; what had been written until then "
     "is used",
     "What was recorded last is missing. The place is that of the last whole block; the words in brackets say when the "
     "last event in the file ended."},
    {"damaged_block", Severity::kDataLoss, "a block whose checksum is wrong is left out: copy the file again",
     "The events of the block are missing from the replay, and later ones may have lost their names."},
    {"missing_block", Severity::kDataLoss, "blocks that were written are not in the file: copy the file again",
     "Their events are missing from the replay, and later ones may have lost their names."},
    {"unusable_record", Severity::kDataLoss, "a record that cannot be is left out: capture again",
     "The event is missing from the replay."},
    {"records_lost_by_cupti", Severity::kDataLoss,
     "CUPTI had no room for records and dropped them: capture fewer steps, or with a larger --buffer-mb",
     "Kernels, copies or calls are missing, so steps may come out shorter than they were."},
    {"records_lost_by_writer", Severity::kDataLoss,
     "records came faster than the disk took them, and were dropped: capture with a larger --buffer-mb, or to a faster "
     "disk (--dir)",
     "Kernels, copies or calls are missing, so steps may come out shorter than they were."},
    {"name_lost", Severity::kDataLoss, "the block that named these kernels or calls is lost",
     "They are replayed, but cannot be selected by name, and collectives are not known as such."},
    {"steps_from_launches", Severity::kNotice,
     "no step was marked, so steps are where the launches of kernels repeat themselves: call stepsim_mark_step(), or "
     "pass --step-range",
     "A step may begin in the middle of what the program calls one. Iteration times hold all the same."},
    {"no_steps_marked", Severity::kNotice,
     "no step was marked: call stepsim_mark_step() once an iteration, or name an NVTX range by --step-range",
     "All of the capture counts as one step, with what came before and after training in it."},
    {"capture_blocked", Severity::kDataLoss, "nothing could be recorded: the words in brackets say why",
     "The file has no work of the device."},
    {"nccl_events_lost", Severity::kDataLoss,
     "more events of NCCL were in progress at once than there was room for: capture with a larger --buffer-mb",
     "Steps of NCCL's proxy, channels or collectives are missing from stats; kernels are not."},
    {"nccl_events_unfinished", Severity::kNotice,
     "NCCL ended a communicator without ending these events, as it does where it is aborted", "They are left out."},
    {"nccl_without_kernel", Severity::kNotice,
     "what NCCL launched could not be joined to a kernel: CUPTI recorded none of that thread, or NCCL was called from "
     "a "
     "callback of CUDA, as it is in CUDA graphs",
     "The kernels, if they are there, are matched between ranks by their names, and their sizes are not known."},
});

}  // namespace stepsim

#endif

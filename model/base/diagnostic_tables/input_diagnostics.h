#ifndef STEPSIM_MODEL_BASE_DIAGNOSTIC_TABLES_INPUT_DIAGNOSTICS_H
#define STEPSIM_MODEL_BASE_DIAGNOSTIC_TABLES_INPUT_DIAGNOSTICS_H

#include <array>

#include "model/base/diagnostics.h"

namespace stepsim {

/// Of files, folders, archives and JSON, whatever the format.
inline constexpr auto kFileDiagnostics = std::to_array<Diagnostic>({
    {"file_not_used", Severity::kInfo, "files of no known trace format beside the traces",
     "None, if the file is no trace of this job. A trace in an unknown format is missing from the replay.",
     "'stepsim help formats' lists what is read. To have an error instead of this note, name the file as TRACE."},
    {"own_export_not_used", Severity::kNotice,
     "what stepsim wrote is no capture of the job: move it away, or name it as TRACE to read it",
     "None: only the captures of the folder are replayed, not the answers that lie beside them."},
    {"archive_not_opened", Severity::kNotice,
     "an archive in a folder is not opened, as it may hold the files beside it: name it as TRACE",
     "What only the archive holds is missing from the replay, whole ranks perhaps."},
    {"damaged_archive", Severity::kDataLoss, "the archive is damaged or cut: what came before is used, copy it again",
     "Files behind the damage are missing from the replay, whole ranks perhaps; what waited for them waits for "
     "nothing."},
    {"member_not_used", Severity::kNotice,
     "only plain files of an archive are read: make it anew without links and special files",
     "What the link or special file stands for is missing from the replay."},
    {"special_file_not_used", Severity::kNotice,
     "links and special files in a folder are not followed: name them as TRACE",
     "What the link leads to is missing from the replay."},
    {"same_file_again", Severity::kInfo, "a file that is named twice or has two names is read once",
     "None: the file counts once."},
    {"folder_without_events", Severity::kNotice,
     "a dag.gml or a name list without comm.json or operators beside it tells nothing",
     "The GPU of this folder is missing from the replay.",
     "Put its comm.json, or its trace of operators, into the same folder."},
    {"bad_record", Severity::kDataLoss, "an event that is not valid JSON is left out: repair it or record again",
     "What the event did, and what waited for it, is missing from the replay."},
    {"bad_member", Severity::kDataLoss, "a top-level member that is not valid JSON is left out",
     "What the member tells of the run, such as its rank, device or base time, is taken as not recorded."},
    {"odd_json", Severity::kNotice, "text that is not strict JSON, but whose meaning is clear, was used",
     "None, if the meaning was clear: what was read is replayed as usual."},
    {"member_ignored", Severity::kNotice, "the file has more top-level members than a trace has; they are ignored",
     "None for the events. What the ignored members tell of the run is taken as not recorded."},
    {"trailing_text", Severity::kNotice, "text behind the end of the trace is ignored: was another file appended?",
     "If another trace was appended, it is missing from the replay.", "Split the file into one file a trace."},
    {"truncated_file", Severity::kDataLoss,
     "the file is cut off; all that is whole before the cut is used: let the profiler finish writing, or copy the file "
     "again",
     "What came behind the cut is missing: the last step is shorter or set aside, other ranks may wait for nothing, "
     "and "
     "gradients in a cut list have no names."},
    {"damaged_gzip", Severity::kDataLoss, "the gzip data is damaged or cut behind the trace: copy the file again",
     "The trace itself was whole, but its checksum could not be checked: values in it may be damaged, too."},
    {"hosts_numbered_too_high", Severity::kNotice,
     "a network model needs host numbers below 1000000: number the hosts from 0",
     "The task graph is replayed with its times as given, without links: no network model can be asked of it."},
    {"edge_contradicted", Severity::kNotice,
     "tasks were recorded to start before work that they depend on had ended: clocks of host and device may disagree",
     "The replay starts such a task only when that work has ended, so it may be later than recorded. The error of the "
     "replay shows by how much."},
});

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
    {"repeated_block", Severity::kDataLoss,
     "a block whose number came before is left out: a file holds one capture, and that once",
     "Nothing is missing if the file was put together from one capture. Another one's events are missing: give it as a "
     "file of its own."},
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

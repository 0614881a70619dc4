#ifndef STEPSIM_MODEL_BASE_DIAGNOSTIC_TABLES_INPUT_DIAGNOSTICS_H
#define STEPSIM_MODEL_BASE_DIAGNOSTIC_TABLES_INPUT_DIAGNOSTICS_H

#include <array>

#include "model/base/diagnostics.h"

namespace stepsim {

/// Diagnostics for files, folders, archives and JSON in any format.
inline constexpr auto kFileDiagnostics = std::to_array<Diagnostic>({
    {"file_not_used", Severity::kInfo, "files in no known trace format next to the traces",
     "None if the file is not a trace of this job. A trace in an unknown format is missing from the replay.",
     "See 'stepsim help formats'. To get an error instead of this note, name the file as TRACE."},
    {"own_export_not_used", Severity::kNotice,
     "files that stepsim wrote are not read as captures: move them away, or name them as TRACE",
     "None: only the captures of the folder are replayed, not the answers next to them."},
    {"broken_table_row", Severity::kNotice,
     "rows of a table of nccl-tests whose algbw is not the size divided by the time: run it without NCCL_DEBUG",
     "These sizes are missing from the measured times, which are interpolated there."},
    {"table_without_hosts", Severity::kNotice,
     "a table of nccl-tests does not name the hosts of its ranks: they are assumed to share one",
     "If the ranks ran on several hosts, links between hosts are taken for links within one.",
     "Add a line such as '# hosts 2' above the table."},
    {"unreadable_operation", Severity::kDataLoss,
     "rows of a table of operations without a number where one is needed are skipped: write the table again",
     "The operation is missing from the replay, so a step may come out shorter than it was."},
    {"archive_not_opened", Severity::kNotice,
     "an archive in a folder is not opened, because it may contain the files next to it: name it as TRACE",
     "Files that are only in the archive are missing from the replay, possibly whole ranks."},
    {"damaged_part", Severity::kDataLoss,
     "a part of a job in a folder is left out, because it is damaged or another version of stepsim wrote it: convert "
     "its traces again",
     "Its ranks are missing from the replay.", "To get an error instead of this note, name the part as TRACE."},
    {"damaged_archive", Severity::kDataLoss,
     "the archive is damaged or truncated; the part before is used: copy it again",
     "Files after the damage are missing from the replay, possibly whole ranks; tasks that waited for them do not "
     "wait."},
    {"member_not_used", Severity::kNotice,
     "only regular files of an archive are read: create it without links and special files",
     "The target of the link or special file is missing from the replay."},
    {"special_file_not_used", Severity::kNotice,
     "links and special files in a folder are not followed: name them as TRACE",
     "The target of the link is missing from the replay."},
    {"same_file_again", Severity::kInfo, "a file that is named twice or has two names is read once",
     "None: the file counts once."},
    {"folder_without_events", Severity::kNotice,
     "a dag.gml or a name list is not used without comm.json or operators next to it",
     "The GPU of this folder is missing from the replay.",
     "Put its comm.json, or its trace of operators, into the same folder."},
    {"bad_record", Severity::kDataLoss, "an event that is not valid JSON is left out: repair it or record again",
     "The work of the event is missing from the replay, and no task waits for it."},
    {"bad_member", Severity::kDataLoss, "a top-level member that is not valid JSON is left out",
     "Facts in this member, such as rank, device or base time, count as not recorded."},
    {"odd_json", Severity::kNotice, "text that is not strict JSON but unambiguous was used", "None."},
    {"member_ignored", Severity::kNotice, "the file has more top-level members than a trace has; they are ignored",
     "None for the events. Facts in the ignored members count as not recorded."},
    {"trailing_text", Severity::kNotice, "text after the end of the trace is ignored: was another file appended?",
     "If another trace was appended, it is missing from the replay.", "Split the file into one file per trace."},
    {"truncated_file", Severity::kDataLoss,
     "the file is truncated; the complete events before the end are used: let the profiler finish writing, or copy the "
     "file again",
     "The rest is missing: the last step is shorter or set aside, other ranks may not wait for this one, and gradients "
     "missing from a list have no names."},
    {"damaged_gzip", Severity::kDataLoss, "the gzip data is damaged or truncated after the trace: copy the file again",
     "The trace itself is complete, but its checksum could not be verified: values in it may be damaged, too."},
    {"hosts_numbered_too_high", Severity::kNotice,
     "a network model needs host numbers below 1000000: number the hosts from 0",
     "The task graph is replayed with its given times, without links; network models cannot be used."},
    {"several_processes", Severity::kNotice,
     "the file has the events of several processes: each is replayed as a rank, numbered in the order of the file",
     "If the processes have other ranks, their numbers are wrong, and collectives that name their ranks may not match.",
     "Give the files of the processes instead."},
    {"edge_contradicted", Severity::kNotice,
     "recorded tasks start before the end of work that they depend on: the clocks of CPU and GPU may disagree",
     "The replay starts such a task after that work, so it may be later than recorded. The error of the replay shows "
     "by how much."},
});

/// Diagnostics for files written by stepsim capture.
inline constexpr auto kCaptureDiagnostics = std::to_array<Diagnostic>({
    {"capture_not_closed", Severity::kNotice,
     "the program ended without closing its capture (kill -9 or _exit); everything that was written before is used",
     "The last records are missing. The place is the end of the last complete block; the text in brackets states when "
     "the last event in the file ended."},
    {"damaged_block", Severity::kDataLoss, "a block with a wrong checksum is skipped: copy the file again",
     "The events of the block are missing from the replay, and later ones may have lost their names."},
    {"missing_block", Severity::kDataLoss, "blocks that were written are not in the file: copy the file again",
     "Their events are missing from the replay, and later ones may have lost their names."},
    {"repeated_block", Severity::kDataLoss,
     "a block with a repeated number is skipped: a file contains one capture, once",
     "None if the file contains one capture. Events of a second capture are missing: give it as a separate file."},
    {"unusable_record", Severity::kDataLoss, "an invalid record is skipped: capture again",
     "The event is missing from the replay."},
    {"records_lost_by_cupti", Severity::kDataLoss,
     "CUPTI ran out of buffers and dropped records: capture fewer steps, or use a larger --buffer-mb",
     "Kernels, copies or calls are missing, so steps may come out shorter than they were."},
    {"records_lost_by_writer", Severity::kDataLoss,
     "records came faster than the disk could write and were dropped: use a larger --buffer-mb, or a faster disk "
     "(--dir)",
     "Kernels, copies or calls are missing, so steps may come out shorter than they were."},
    {"name_lost", Severity::kDataLoss, "the block that named these kernels or calls is lost",
     "They are replayed, but cannot be selected by name, and collectives are not recognised."},
    {"steps_from_launches", Severity::kNotice,
     "no step was marked; steps were found from repeated kernel launches: call stepsim_mark_step(), or give "
     "--step-range",
     "A step may begin in the middle of a step of the program. Iteration times are still right."},
    {"no_steps_marked", Severity::kNotice,
     "no step was marked: call stepsim_mark_step() once per iteration, or name an NVTX range with --step-range",
     "The whole capture counts as one step, including work before and after training."},
    {"capture_blocked", Severity::kDataLoss, "nothing could be recorded: see the reason in brackets",
     "The file has no GPU work."},
    {"capture_incomplete", Severity::kDataLoss, "a part could not be recorded: see the reason in brackets",
     "These records are missing, and what depends on them is inferred or missing, too."},
    {"capture_not_written", Severity::kDataLoss,
     "the capture could not be written to its end: see the reason in brackets; use another disk (--dir) or record less",
     "Everything after the failed write is missing. What was written before is used."},
    {"nccl_events_lost", Severity::kDataLoss,
     "too many NCCL events were in progress at once: capture with a larger --buffer-mb",
     "Steps of NCCL's proxy, channels or collectives are missing from stats; kernels are not."},
    {"nccl_events_unfinished", Severity::kNotice,
     "NCCL closed a communicator without ending these events, as after an abort", "They are left out."},
    {"nccl_without_kernel", Severity::kNotice,
     "an NCCL launch was not matched to a kernel: CUPTI recorded no kernel of that thread, or NCCL was called from a "
     "CUDA callback, as in CUDA graphs",
     "These kernels are matched between ranks by name, and their sizes are unknown."},
});

}  // namespace stepsim

#endif

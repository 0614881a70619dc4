#ifndef STEPSIM_MODEL_BASE_DIAGNOSTIC_TABLES_OTHER_PROFILER_DIAGNOSTICS_H
#define STEPSIM_MODEL_BASE_DIAGNOSTIC_TABLES_OTHER_PROFILER_DIAGNOSTICS_H

#include <array>

#include "model/base/diagnostic.h"

namespace stepsim {

/// Of Nsight Systems' databases, torch.autograd.profiler's exports, TensorFlow's timelines and inline profilers.
inline constexpr auto kOtherProfilerDiagnostics = std::to_array<Diagnostic>({
    {"missing table: CUPTI_ACTIVITY_KIND_KERNEL", Severity::kNotice,
     "no kernel is in the export: record with nsys profile --trace=cuda,nvtx, and export all of it",
     "The replay has no kernels: what-ifs of the device have nothing to change."},
    {"missing table: CUPTI_ACTIVITY_KIND_RUNTIME", Severity::kNotice,
     "no call of CUDA is in the export, so what launched the kernels, and when, is not known: record with nsys profile "
     "--trace=cuda,nvtx",
     "Kernels begin when they were recorded to begin, whatever the host does: a what-if of the host moves nothing."},
    {"missing table: CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", Severity::kNotice,
     "what calls and streams waited for is not in the export, and is inferred from times: record with nsys profile "
     "--trace=cuda,nvtx --cuda-event-trace=true",
     "A wait may be tied to other work than it was for, which a what-if then moves wrongly."},
    {"missing table: NVTX_EVENTS", Severity::kNotice,
     "no NVTX range is in the export, so there are no operators, and no steps: mark each step with "
     "torch.cuda.nvtx.range('step N'), and record with nsys profile --trace=cuda,nvtx",
     "All of the capture counts as one step, with what came before and after training in it."},
    {"missing table: StringIds", Severity::kNotice, "the export holds no names: export again",
     "Nothing can be selected by name, and collectives are not known as such."},
    {"missing table: TARGET_INFO_SESSION_START_TIME", Severity::kNotice,
     "when the session began is not in the export, so its times cannot be compared with those of others: export all "
     "tables",
     "None for one export. Clocks of several are aligned by collectives alone."},
    {"missing column:", Severity::kDataLoss,
     "without this column nothing of its table can be used: export again, with nsys export --type sqlite of a version "
     "that writes it",
     "All rows of the table are missing from the replay.", "", true},
    {"column not written:", Severity::kNotice, "the version of Nsight Systems that exported this did not write it",
     "What the column would tell, such as how a kernel was launched, is taken as not recorded.", "", true},
    {"bad_row", Severity::kDataLoss, "a row of the database cannot be used: export again",
     "The work of the row is missing from the replay, so a step may come out shorter than it was."},
    {"whole_graphs", Severity::kNotice,
     "CUDA graphs were recorded as a whole, so each is one kernel here: record with nsys profile "
     "--cuda-graph-trace=node to see the kernels in them",
     "A graph takes the time that it took, but what-ifs of kernels by name or class do not reach into it."},
    {"event_not_recorded", Severity::kNotice,
     "waits for CUDA events whose records are not in the export: what they waited for is inferred from times: record "
     "with nsys profile --cuda-event-trace=true",
     "A wait may be tied to other work than it was for, which a what-if then moves wrongly."},
    {"open_range", Severity::kNotice, "NVTX ranges that had not ended when the recording did are left out",
     "A step whose range is open is not counted as a step."},
    {"steps_from_ranges", Severity::kInfo, "NVTX ranges whose names say that they are steps count as such",
     "Steps begin and end with these ranges. If they are something else, iteration times are those of something else.",
     "Mark steps by torch.cuda.nvtx.range('step N')."},
    {"nsys_warning", Severity::kNotice,
     "Nsight Systems warned while it recorded: its report's diagnostics summary has all of them",
     "Events may be missing or late. The words in brackets are those of the first warning."},
    {"process_not_used", Severity::kInfo,
     "processes that did not work on a device, beside those that did, are no ranks",
     "None, if they did nothing that a step waits for."},
    {"log_not_read", Severity::kDataLoss,
     "what was written last may lie in the log beside the database (*-wal), which is not read: open and close it with "
     "sqlite3 first",
     "Events in the log are missing from the replay."},
    {"device_not_recorded", Severity::kDataLoss,
     "operators of CUDA ran, but no work of a device is in the capture, so all times are the host's: record with "
     "torch.profiler, or with use_cuda=True",
     "Kernels are not replayed: what-ifs of the device have nothing to change."},
    {"spans_between_events", Severity::kNotice,
     "device work is known as spans of operators, which hold the gaps between their kernels too, and all of a device "
     "counts as one stream: record with torch.profiler",
     "Device time is too long by the gaps, and kernels of several streams stand one after the other."},
    {"rows_of_operators", Severity::kNotice,
     "a timeline does not name threads: operators that stand in one row count as run by one thread",
     "Operators of one row wait for each other in the replay, which they may not have done."},
    {"bad_range", Severity::kDataLoss,
     "a range of the inline profile has no name or no measured time: see whether its label is stopped as often as it "
     "is "
     "started",
     "The range is missing from tables and charts."},
    {"bad_sample", Severity::kDataLoss,
     "measured times that are no number, negative or longer than a day are left out: see whether ranges are stopped on "
     "the stream on which they are started",
     "Means are of the other measurements."},
    {"uneven_samples", Severity::kNotice,
     "ranges were measured unlike many times, as early versions of HugeCTR's profiler do on several streams",
     "The mean of one range is less sure than that of another: the table has the counts."},
    {"no_range_offsets", Severity::kNotice,
     "the profile does not say when ranges began in their iterations, as in HugeCTR's first version",
     "There are lengths and no timeline: 'scaling' and 'stats' use them.",
     "Record with capture/inline.h, or a later version of HugeCTR."},
});

}  // namespace stepsim

#endif

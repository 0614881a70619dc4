#ifndef STEPSIM_MODEL_BASE_DIAGNOSTIC_TABLES_PROFILER_DIAGNOSTICS_H
#define STEPSIM_MODEL_BASE_DIAGNOSTIC_TABLES_PROFILER_DIAGNOSTICS_H

#include <array>

#include "model/base/diagnostics.h"

namespace stepsim {

/// Diagnostics for the records of PyTorch's profiler.
inline constexpr auto kKinetoDiagnostics = std::to_array<Diagnostic>({
    {"no_timestamp", Severity::kDataLoss,
     "the profiler recorded no time for an event, which is skipped: record again, or update the driver",
     "The event's work is missing from the replay, so a step may come out shorter than it was."},
    {"absurd_duration", Severity::kDataLoss,
     "an event with an impossible time or of more than 7 days is skipped: record again",
     "The event's work is missing from the replay, so a step may come out shorter than it was."},
    {"no_duration", Severity::kNotice, "an event without \"dur\" counts as 0 ns long",
     "The event takes no time in the replay; its real time appears as idle or unexplained."},
    {"negative_duration", Severity::kNotice, "an event with a negative duration counts as 0 ns long, as in Kineto",
     "The event takes no time in the replay; its real time appears as idle or unexplained."},
    {"element_type_assumed", Severity::kInfo,
     "the element type of a tensor list is not recorded: 4 bytes per element are assumed",
     "The size of a collective may be off by a factor of 2 or 4; this matters only if the network is changed.",
     "Collectives that record their type (NCCL's, by record_param_comms) do not need this."},
    {"not used:", Severity::kInfo, "a replay does not need these records",
     "None: flows, counters, marks and Python frames are not work of their own.", "", true},
    {"unknown category", Severity::kDataLoss,
     "events of an unknown category are skipped: their work is not in the replay",
     "The work of these events is missing. The share in brackets states how much of the capture they cover.",
     "None in the capture. Report the category to stepsim's developers with a few of its events.", true},
    {"events without a category", Severity::kDataLoss,
     "events of an unknown category are skipped: their work is not in the replay",
     "The work of these events is missing. The share in brackets states how much of the capture they cover.",
     "PyTorch's profiler gives every event a category (\"cat\"): use its file as it was written."},
    {"sampled_operators", Severity::kDataLoss,
     "operator numbers have gaps: the capture is a sample, or events were removed later, so dependencies are missing: "
     "record all operators",
     "Do not trust the replay or any what-if: most of the step's work is missing."},
    {"bad_base_time", Severity::kDataLoss, "baseTimeNanoseconds does not fit the events' times and is ignored",
     "None for one rank. The clocks of several ranks are aligned only by their collectives."},
});

/// Diagnostics for Nsight Systems databases, torch.autograd.profiler exports, TensorFlow timelines and inline
/// profilers.
inline constexpr auto kOtherProfilerDiagnostics = std::to_array<Diagnostic>({
    {"missing table: CUPTI_ACTIVITY_KIND_KERNEL", Severity::kNotice,
     "the export has no kernels: record with nsys profile --trace=cuda,nvtx, and export all tables",
     "The replay has no kernels, so what-ifs of the device have no effect."},
    {"missing table: CUPTI_ACTIVITY_KIND_RUNTIME", Severity::kNotice,
     "the export has no CUDA calls, so launches of kernels are unknown: record with nsys profile --trace=cuda,nvtx",
     "Kernels start at their recorded times, so what-ifs of the CPU have no effect."},
    {"missing table: CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", Severity::kNotice,
     "the export has no synchronisation events; waits are inferred from times: record with nsys profile "
     "--trace=cuda,nvtx --cuda-event-trace=true",
     "A wait may be attributed to the wrong work, and then a what-if moves it wrongly."},
    {"missing table: NVTX_EVENTS", Severity::kNotice,
     "the export has no NVTX ranges, so no operators and no steps: mark each step with torch.cuda.nvtx.range('step "
     "N'), and record with nsys profile --trace=cuda,nvtx",
     "The whole capture counts as one step, including work before and after training."},
    {"missing table: StringIds", Severity::kNotice, "the export has no names: export again",
     "Nothing can be selected by name, and collectives are not recognised."},
    {"missing table: TARGET_INFO_SESSION_START_TIME", Severity::kNotice,
     "the export has no start time of the session, so it cannot be aligned with others: export all tables",
     "None for one export. The clocks of several are aligned only by collectives."},
    {"missing column:", Severity::kDataLoss,
     "the table cannot be used without this column: export again with a version of nsys that writes it",
     "All rows of the table are missing from the replay.", "", true},
    {"column not written:", Severity::kNotice, "the Nsight Systems version of this export did not write it",
     "The facts in this column, such as how a kernel was launched, count as not recorded.", "", true},
    {"bad_row", Severity::kDataLoss, "a row of the database cannot be used: export again",
     "The work of the row is missing from the replay, so a step may come out shorter than it was."},
    {"whole_graphs", Severity::kNotice,
     "each CUDA graph was recorded as one kernel: record with nsys profile --cuda-graph-trace=node to see the kernels "
     "in it",
     "A graph keeps its recorded time, and what-ifs cannot select the kernels in it."},
    {"event_not_recorded", Severity::kNotice,
     "waits for CUDA events that are not in the export are inferred from times: record with nsys profile "
     "--cuda-event-trace=true",
     "A wait may be attributed to the wrong work, and then a what-if moves it wrongly."},
    {"open_range", Severity::kNotice, "NVTX ranges that had not ended when the recording did are left out",
     "A step whose range is open is not counted as a step."},
    {"steps_from_ranges", Severity::kInfo, "ranges that are named like steps count as steps",
     "Steps begin and end with these ranges. If the ranges are not steps, iteration times are wrong.",
     "Mark steps by the profiler's step(), or by torch.cuda.nvtx.range('step N')."},
    {"nsys_warning", Severity::kNotice,
     "Nsight Systems reported warnings while recording: see the diagnostics summary of its report",
     "Events may be missing or late. The first warning is in brackets."},
    {"process_not_used", Severity::kInfo,
     "processes without device work are not ranks, because other processes have some",
     "None if no step waits for them."},
    {"log_not_read", Severity::kDataLoss,
     "the last records may be in the log next to the database (*-wal), which is not read: open and close the database "
     "with sqlite3 first",
     "Events in the log are missing from the replay."},
    {"device_not_recorded", Severity::kDataLoss,
     "CUDA operators ran, but the capture has no device work, so all times are those of the CPU: record with "
     "torch.profiler, or with use_cuda=True",
     "Kernels are not replayed, so what-ifs of the device have no effect."},
    {"spans_between_events", Severity::kNotice,
     "device work is recorded per operator, gaps between kernels included, and a device counts as one stream: record "
     "with torch.profiler",
     "Device time is too long by the gaps, and kernels of several streams run one after another."},
    {"rows_of_operators", Severity::kNotice,
     "a timeline does not name threads: operators in one row count as one thread",
     "Operators of one row wait for each other in the replay, although they may not have done so."},
    {"bad_range", Severity::kDataLoss,
     "a range of the inline profile has no name or no measured time: check that each start of its label has a stop",
     "The range is missing from tables and charts."},
    {"bad_sample", Severity::kDataLoss,
     "invalid, negative or too long (over a day) measured times are skipped: check that ranges stop on the stream on "
     "which they start",
     "Means are of the other measurements."},
    {"uneven_samples", Severity::kNotice,
     "ranges were measured a different number of times, as by early versions of HugeCTR's profiler on several streams",
     "Some means are less certain than others; the table lists the counts."},
    {"no_range_offsets", Severity::kNotice, "the profile has no start times of ranges, as in HugeCTR's first version",
     "Only durations are known, no timeline; use 'scaling' and 'stats'.",
     "Record with capture/inline.h, or a later version of HugeCTR."},
});

/// Diagnostics for Chakra's and PyTorch's execution traces.
inline constexpr auto kExecutionTraceDiagnostics = std::to_array<Diagnostic>({
    {"bad_node", Severity::kDataLoss, "a node that cannot be decoded is left out: write or convert the trace again",
     "The work of the node is missing from the replay, and dependent nodes do not wait for it."},
    {"node_id_again", Severity::kDataLoss,
     "several nodes have the same id; the first is used: write or convert the trace again",
     "The work of the others is missing from the replay."},
    {"host_or_device_assumed", Severity::kNotice,
     "nodes without is_cpu_op are assumed to be device work: write the attribute, or use a newer converter",
     "None if they are device work. Some versions of mlcommons/chakra's et_feeder treat them as CPU work; then CPU and "
     "device times of the replay are wrong."},
    {"unknown_dependency", Severity::kNotice,
     "dependencies on missing nodes are ignored: converters drop nodes without work",
     "None if the nodes did no work; otherwise tasks that waited for them may start too early."},
    {"control_dependencies_not_used", Severity::kNotice,
     "all control dependencies of the file are ignored, because they form a cycle with data dependencies: they name "
     "the operator around a node, not one that must end before it",
     "Nodes wait only for their data dependencies. If these are incomplete, a node may start too early."},
    {"nodes_without_duration", Severity::kNotice,
     "nodes with neither a duration nor a known computation take no time: add a torch.profiler trace of the same run",
     "The replay is too short by the time of these nodes."},
    {"communication_order_differs", Severity::kNotice,
     "ranks communicate in different orders, so their communication is not serialised",
     "Collectives and messages of a rank may run in parallel and share the network, although they really queued."},
    {"collectives_differ", Severity::kDataLoss,
     "the same collective differs in operation or size between ranks: give the traces of one run",
     "These collectives keep their own durations, and ranks do not wait for each other in them."},
    {"unmatched_message", Severity::kNotice,
     "a send has no receive, or a receive no send: give the traces of all ranks",
     "It keeps its recorded duration and waits for no rank."},
    {"unmodelled_operator", Severity::kNotice,
     "operators whose work does not follow from their shapes take no time: add a torch.profiler trace of the same run",
     "The modelled time is too short by the time of these operators."},
    {"data_stream_wait", Severity::kInfo, "waits between streams that follow from tensors in an execution trace",
     "None: such work starts as soon as its inputs have been written, in what-ifs too."},
    {"operators_not_joined", Severity::kInfo, "operators of an execution trace do not match the torch.profiler trace",
     "Their tensors and shapes from the execution trace are not used."},
    {"execution_trace_not_joined", Severity::kNotice,
     "an execution trace without a matching torch.profiler trace is not used: record both in one run",
     "None for the replay, which uses the torch.profiler traces."},
});

}  // namespace stepsim

#endif

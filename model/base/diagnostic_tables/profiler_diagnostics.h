#ifndef STEPSIM_MODEL_BASE_DIAGNOSTIC_TABLES_PROFILER_DIAGNOSTICS_H
#define STEPSIM_MODEL_BASE_DIAGNOSTIC_TABLES_PROFILER_DIAGNOSTICS_H

#include <array>

#include "model/base/diagnostics.h"

namespace stepsim {

/// Of the records of PyTorch's profiler.
inline constexpr auto kKinetoDiagnostics = std::to_array<Diagnostic>({
    {"no_timestamp", Severity::kDataLoss,
     "the profiler had no time for an event, which is left out: record again, or update the driver",
     "The event's work is missing from the replay, so a step may come out shorter than it was."},
    {"absurd_duration", Severity::kDataLoss,
     "an event is recorded as longer than 7 days, or as no time at all, and left out: record again",
     "The event's work is missing from the replay, so a step may come out shorter than it was."},
    {"no_duration", Severity::kNotice, "an event without \"dur\" counts as 0 ns long",
     "The event takes no time in the replay, which shows the time that it really took as idle or unexplained."},
    {"negative_duration", Severity::kNotice, "an event with a negative duration counts as 0 ns long, as in Kineto",
     "The event takes no time in the replay, which shows the time that it really took as idle or unexplained."},
    {"element_type_assumed", Severity::kInfo,
     "an operator on a list of tensors does not name their type: 4 bytes an element",
     "The size of a collective may be off by a factor of 2 or 4, which matters only where the network is changed.",
     "Collectives that record their type (NCCL's, by record_param_comms) do not need this."},
    {"not used:", Severity::kInfo, "a replay does not need these records",
     "None: flows, counters, marks and Python frames take no time of a host or a device of their own.", "", true},
    {"unknown category", Severity::kDataLoss,
     "stepsim does not know this category, and leaves its events out: what they did is not in the replay",
     "The work of these events is missing. The share of the span in brackets says how much time they cover.",
     "Nothing in the capture: stepsim must learn the category. Report it with a few of its events.", true},
    {"events without a category", Severity::kDataLoss,
     "stepsim does not know this category, and leaves its events out: what they did is not in the replay",
     "The work of these events is missing. The share of the span in brackets says how much time they cover.",
     "PyTorch's profiler gives every event a category (\"cat\"): use its file as it was written."},
    {"sampled_operators", Severity::kDataLoss,
     "the numbers of the operators have gaps: the capture is a sample, or was thinned out later, and what waits for "
     "the "
     "missing work waits for nothing here: record all of it",
     "Neither the replay nor any what-if can be trusted: most of the step's work is not there."},
    {"bad_base_time", Severity::kDataLoss, "baseTimeNanoseconds does not fit the events' times and is ignored",
     "None for one rank. Several ranks cannot be put on one clock by it, only by their collectives."},
});

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
    {"steps_from_ranges", Severity::kInfo, "ranges whose names say that they are steps count as such",
     "Steps begin and end with these ranges. If they are something else, iteration times are those of something else.",
     "Mark steps by the profiler's step(), or by torch.cuda.nvtx.range('step N')."},
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

/// Of Chakra's and PyTorch's execution traces.
inline constexpr auto kExecutionTraceDiagnostics = std::to_array<Diagnostic>({
    {"bad_node", Severity::kDataLoss, "a node that cannot be decoded is left out: write or convert the trace again",
     "The work of the node is missing from the replay, and what depends on it does not wait for it."},
    {"node_id_again", Severity::kDataLoss,
     "of several nodes with one id the first is used: write or convert the trace again",
     "The work of the others is missing from the replay."},
    {"host_or_device_assumed", Severity::kNotice,
     "nodes that do not say is_cpu_op are taken for work of the device: write the attribute, or convert the trace with "
     "a "
     "newer converter",
     "None, if they are device work. mlcommons/chakra's et_feeder takes them for host work in some versions; then host "
     "and device of the replay differ from the job's."},
    {"unknown_dependency", Severity::kNotice,
     "dependencies on nodes that the file does not hold are left out: converters drop nodes that do no work",
     "None, if the nodes did no work. Else what waited for them may begin too early."},
    {"control_dependencies_not_used", Severity::kNotice,
     "control dependencies that form a cycle with the data dependencies are left out, all of the file: they name the "
     "operator around a node and not one that has to end before it",
     "Nodes wait for their data dependencies only. Where these do not say all, a node may begin too early."},
    {"nodes_without_duration", Severity::kNotice,
     "nodes that say neither how long they took nor what they compute take no time: join the trace with one of "
     "torch.profiler",
     "The replay is shorter by what these nodes took."},
    {"communication_order_differs", Severity::kNotice,
     "ranks do not communicate in the same order, so communication is not kept one at a time",
     "Collectives and messages of a rank may run side by side, and share the network, where in truth they queued."},
    {"collectives_differ", Severity::kDataLoss,
     "collectives that should be one differ in operation or size between ranks: pass the traces of one run",
     "These collectives keep their own durations, and ranks do not wait for each other in them."},
    {"unmatched_message", Severity::kNotice,
     "a send without its receive, or a receive without its send: pass the traces of all ranks",
     "It takes the duration that its node has, and waits for nobody."},
    {"unmodelled_operator", Severity::kNotice,
     "operators whose shapes do not say what they have to do take no time: join the trace with one of torch.profiler",
     "The modelled time is too short by what these operators take."},
    {"data_stream_wait", Severity::kInfo, "waits between streams that the tensors in an execution trace show",
     "None: such work starts as soon as its inputs have been written, in what-ifs too."},
    {"operators_not_joined", Severity::kInfo,
     "operators of an execution trace that are no events of the trace of torch.profiler, or not as often",
     "What the execution trace tells of them, their tensors and shapes, is not used."},
    {"execution_trace_not_joined", Severity::kNotice,
     "an execution trace that belongs to no trace of torch.profiler of the input is not used: record both in one run",
     "None for the replay, which has all from the traces of torch.profiler."},
});

}  // namespace stepsim

#endif

#ifndef STEPSIM_MODEL_BASE_DIAGNOSTIC_TABLES_STITCH_DIAGNOSTICS_H
#define STEPSIM_MODEL_BASE_DIAGNOSTIC_TABLES_STITCH_DIAGNOSTICS_H

#include <array>

#include "model/base/diagnostics.h"

namespace stepsim {

/// Diagnostics about host threads, device streams and collectives: facts that had to be inferred from their records,
/// and facts that could not be found (docs/internals/stitching.md).
inline constexpr auto kHostDeviceDiagnostics = std::to_array<Diagnostic>({
    {"unmatched_collective", Severity::kNotice,
     "a collective was found on one rank only and keeps its recorded duration: give the traces of all ranks",
     "Its recorded duration includes the wait for other ranks, and no what-if can shorten that wait."},
    {"collective_ends_disagree", Severity::kDataLoss,
     "the same collective ends at different times on its ranks: give complete traces of all ranks, of the same steps "
     "of one run",
     "These collectives keep their recorded durations, waiting included, and the ranks do not wait for each other in "
     "them."},
    {"rooted_ends_apart", Severity::kNotice,
     "some ranks ended broadcasts, rooted reductions, gathers or scatters long before others: no action needed",
     "The shortest part counts as the transfer, the rest as waiting of unknown cause that no what-if can shorten. A "
     "rank that only sends need not wait for the others."},
    {"ranks_not_merged", Severity::kDataLoss,
     "more than a fifth of the collectives end at different times on their ranks, so ranks do not wait for each other "
     "in the replay: give traces of one run",
     "Each rank is replayed on its own. What-ifs of one rank or of the network do not affect other ranks."},
    {"time_out_of_range", Severity::kDataLoss,
     "events more than 73 years before or 146 years after 1970 are left out: their times cannot be compared",
     "The work of these events is missing from the replay.", "Set the clock of the host, and record again."},
    {"mistimed_device_work", Severity::kDataLoss,
     "device work was recorded before its launch, or long after later work of its stream, and is left out: the clock "
     "of "
     "the device jumped",
     "The steps that launched this work are set aside. If no whole step is left, no what-if is answered.",
     "Record again; a newer driver or CUPTI may help."},
    {"device_work_cut_short", Severity::kNotice,
     "device work was recorded until after later work of its stream, or after a wait for the device: its end is taken "
     "from those",
     "This work takes less time in the replay than was recorded for it.",
     "Record again; a newer driver or CUPTI may help."},
    {"overlapping_device_work", Severity::kNotice,
     "device work overlaps earlier work of its stream: a stream runs one after the other, except kernels that are "
     "launched as dependent ones",
     "The work is replayed as recorded, side by side. The kernels of the stream then take more time in all than the "
     "stream was busy."},
    {"ambiguous_launch", Severity::kNotice,
     "the work of several launching calls has one correlation, so it is not known which of them launched which work",
     "The work waits for the last call before it with that correlation. Where that is the wrong one, a faster CPU "
     "changes too much or too little.",
     "If the file was merged from several processes, give the files of the processes instead."},
    {"deep_annotation", Severity::kNotice,
     "annotations with more than 64 others around them are not applied to the work in them",
     "What-ifs cannot select work by these annotations. All other answers are the same."},
    {"overlapping_steps", Severity::kNotice, "step marks overlap: an iteration is counted from start to start",
     "The replay error is not affected; work may count for a neighbouring step.",
     "Call the profiler's step() once per iteration, from one thread."},
    {"launches_without_device_work", Severity::kDataLoss,
     "kernels were launched, but the capture has none, so all times are those of the CPU: record with "
     "ProfilerActivity.CUDA, and run no other tool that uses CUPTI",
     "The replay has only CPU work; what-ifs of kernels, devices and collectives are not possible."},
    {"graphs_without_work", Severity::kDataLoss,
     "launches of CUDA graphs have no device work: their kernels were not recorded",
     "The work of these graphs is missing from the replay, and waits for it count as waiting of unknown cause or as "
     "CPU "
     "work.",
     "Record with a newer CUPTI, or without CUDA graphs; with nsys use --cuda-graph-trace=node."},
    {"device_work_outside_steps", Severity::kNotice,
     "marked steps contain less than half of the device time, so the whole capture counts as one step: mark each "
     "iteration, and start recording before the first",
     "An iteration is the whole recording, including work before and after training."},
    {"lost_kernels", Severity::kDataLoss,
     "kernels are missing, compared with their launches or with the other steps: let the profiler finish writing, or "
     "copy the file again",
     "A step that lacks more than 1 % of its kernels is set aside. If no whole step is left, no what-if is answered."},
    {"instant_host_event", Severity::kInfo,
     "CPU events without duration are not tasks; work that they launched keeps its place",
     "None: they take no time, and the work that they launched is replayed."},
    {"waited_for_room", Severity::kInfo, "device work that started when work of another stream left room on the device",
     "The replay keeps this order: such work begins in the tail of the other work, and scales with it."},
    {"framework_stream_wait", Severity::kInfo,
     "waits between streams were derived from framework calls: record with enable_cuda_sync_events=True (nsys: "
     "--cuda-event-trace=true) to see all",
     "Small: the waits of PyTorch itself are found; waits in user code may be missing."},
    {"inferred_stream_wait", Severity::kNotice,
     "waits between streams were inferred from times: record with enable_cuda_sync_events=True (nsys: "
     "--cuda-event-trace=true) to have them recorded",
     "The replay itself is hardly affected. In a what-if, work may start too late or too early if a wait was inferred "
     "wrongly or missed."},
    {"unresolved_sync_event", Severity::kNotice,
     "cuda_sync events refer to a call, stream or record that is not in the capture: with CUDA 12.9 or later, use a "
     "Kineto that includes pytorch/kineto#1552",
     "These waits are inferred from times instead; see inferred_stream_wait."},
    {"inferred_host_wait", Severity::kNotice,
     "waits of CPU calls were inferred from times: record with enable_cuda_sync_events=True (nsys: "
     "--cuda-event-trace=true) to have them recorded",
     "The replay itself is hardly affected. In a what-if, the CPU may continue too late or too early if a wait was "
     "inferred wrongly or missed."},
    {"polling", Severity::kNotice,
     "CPU threads repeatedly have gaps that end with device work: they are assumed to poll for it",
     "In a what-if the CPU continues when that device work ends. If the thread was busy with something else, its time "
     "is too short or too long."},
    {"full_launch_queue", Severity::kInfo,
     "launches waited for room in the launch queue: there the GPU limits the step, not the CPU",
     "The replay treats this as waiting for the GPU, so a faster GPU shortens it."},
    {"unexplained_blocking_call", Severity::kNotice,
     "synchronising calls returned long after the last recorded device work had ended: this time is unexplained "
     "waiting",
     "No what-if shortens this waiting, although a faster device really might.",
     "Record all device work (CPU and CUDA activities, communication of other libraries included). Of a while node in "
     "a "
     "CUDA graph, profilers record only the first iteration."},
    {"unmatched_host_collective", Severity::kNotice,
     "the calls that submit these CPU collectives were not recorded: start the capture a step earlier",
     "A what-if that delays the submitting work does not delay the collective."},
    {"device_work_without_launch", Severity::kNotice,
     "the launching calls of this device work were not recorded: record CPU and CUDA activities together",
     "It waits only for earlier work of its stream, so what-ifs of the CPU do not move it."},
});

/// Diagnostics for BytePS and ByteProfile: comm.json, operator traces, dag.gml, gradient lists and the jobs built from
/// them.
inline constexpr auto kParameterServerDiagnostics = std::to_array<Diagnostic>({
    {"not_a_span", Severity::kDataLoss,
     "events with another phase are skipped: stages and operators are complete events (ph X), operators also pairs of "
     "B and E",
     "The work of this event is missing from the replay."},
    {"not_a_stage", Severity::kDataLoss, "events of comm.json are named Comm.<tensor>.<stage>",
     "The event is left out. If it was communication, it takes no time in the replay."},
    {"bad_time", Severity::kDataLoss, "an event needs ts and dur in microseconds, from 0 on; record again",
     "The event is left out: a stage or an operator is missing from the replay."},
    {"bad_partition_key", Severity::kDataLoss, "a tid is neither \"total\" nor a partition key in decimal",
     "The stage is left out: a partition is not sent, or not pulled, in the replay."},
    {"unknown_stage", Severity::kDataLoss, "the text after the last dot is not one of BytePS's 12 stages",
     "The stage is left out of its partition's chain, and takes no time in the replay."},
    {"instant_event", Severity::kInfo, "instant and debug events carry no work and are left out", "None."},
    {"unknown_operator", Severity::kDataLoss,
     "operators are named FW.<op>, BW.<op>, UPDATE, STEP, OUTPUT, I/O or Comm.<tensor>",
     "The event is left out: its compute is missing from the replay."},
    {"unmatched_begin", Severity::kDataLoss, "a B event needs its E event; the recording was cut",
     "The operator is left out: its compute is missing from the replay.",
     "Record one more step than needed, and stop between steps."},
    {"unmatched_end", Severity::kDataLoss, "an E event needs its B event on the same row",
     "The operator is left out: its compute is missing from the replay.",
     "Start recording between steps; merged files must keep pid and tid."},
    {"second_graph", Severity::kDataLoss, "a dag.gml holds one graph; split the file",
     "Dependencies of the further graphs are missing from the replay."},
    {"node_without_id", Severity::kDataLoss, "give every node an integer id",
     "The operator's dependencies are missing from the replay."},
    {"duplicate_node", Severity::kDataLoss, "give each node a unique id",
     "All dependencies go to the first node of this id."},
    {"edge_without_ends", Severity::kDataLoss, "give every edge an integer source and target",
     "This dependency is missing from the replay: an operator or a tensor may begin too early."},
    {"edge_to_unknown_node", Severity::kDataLoss,
     "an edge names a node that is not in the graph; write the graph again",
     "This dependency is missing from the replay: an operator or a tensor may begin too early."},
    {"edge_to_next_iteration", Severity::kInfo,
     "edges from UPDATE or STEP to FW lead to the next iteration and are ignored",
     "None: the graph of one iteration has no such edge."},
    {"gradient_without_name", Severity::kDataLoss, "every line begins with the gradient's name",
     "The gradient of this number keeps its number as name, so the operator that makes it may not be found."},
    {"unknown_tensor_size", Severity::kDataLoss, "write shape=(a, b) and a numpy dtype such as float32",
     "The tensor's size is not known from this list; what-ifs on partitions have to take it from its transfers."},
    {"clock_unmatched", Severity::kNotice,
     "a worker shares no key with the first one, so its clock is not aligned: record comm.json on every worker",
     "The worker keeps its own clock: if that is wrong, its pushes appear early or late relative to the others."},
    {"operator_without_step", Severity::kNotice,
     "operators without args.step are assigned to the step of the operator before them",
     "At the boundary of two steps, an operator may count for the wrong one."},
    {"partition_outside_steps", Severity::kDataLoss,
     "partitions that belong to no recorded step are left out: record operators and communication over the same steps",
     "This communication is missing from the replay. Steps with operators are replayed completely."},
    {"incomplete_step", Severity::kNotice, "incomplete steps are replayed but not compared: record whole steps",
     "The step has no measured time to compare with, so the replay is tested on fewer steps."},
    {"duplicate_record", Severity::kNotice, "a stage is recorded twice: one of the two records is used",
     "None if both records describe the same transfer."},
    {"release_by_time", Severity::kNotice,
     "the operator that computes a gradient is unknown; the last one that ended before sending is assumed: record "
     "dag.gml, or inputs (args.inputN) of the operators",
     "In a what-if, a gradient may be sent too late or too early if its operator was guessed wrongly."},
    {"dependency_against_time", Severity::kNotice,
     "a dependency suggested by names is ignored, because the recorded times show the reverse order",
     "If the dependency was real and the times are wrong, the later task may begin too early."},
    {"dependency_cycle", Severity::kDataLoss,
     "dependencies form a cycle; those that contradict recorded times are ignored",
     "Tasks of the cycle may begin too early in a what-if.", "Record dag.gml and traces in one run."},
});

/// Diagnostics for dPRO trials and Horovod timelines.
inline constexpr auto kTrialDiagnostics = std::to_array<Diagnostic>({
    {"trial_cache_not_used", Severity::kInfo,
     "files that dPRO derived from a trial are not read; the recorded files are used",
     "None: the files that dPRO derived contain no additional facts."},
    {"horovod_row_without_name", Severity::kDataLoss,
     "events are in a row without a process_name event: is the beginning of the timeline missing?",
     "Horovod's work for this tensor is missing from the replay."},
    {"negotiation_recorded_twice", Severity::kInfo,
     "Sync events state when all ranks had agreed, so NEGOTIATE events are not used",
     "None: both describe the same wait."},
    {"bad_chunk", Severity::kDataLoss,
     "chunks are named <operation>.<tensor>.SEND or .RECV, with loopId, channelId, chunkId and sliceId in args",
     "The chunk is left out: part of an all-reduce takes no time in the replay."},
    {"chunk_outside_rounds", Severity::kDataLoss,
     "a chunk is in no all-reduce of a recorded step: record comm.json and comm_detail.json together",
     "The chunk is left out: part of an all-reduce takes no time in the replay."},
    {"chunk_without_peer", Severity::kNotice,
     "a received chunk has no sent chunk, or the reverse: record comm_detail.json on each rank",
     "The receiver does not wait for the sender of this chunk, so a late sender delays no rank in a what-if."},
    {"round_without_peers", Severity::kNotice,
     "a reduction with the same tensors was not found on all ranks in the same step",
     "The ranks do not wait for each other in this reduction, so a late rank delays no other in a what-if."},
    {"broken_ring", Severity::kNotice,
     "nccl_rank_graph.json describes no ring over all ranks: each rank is assumed to send to the next higher one",
     "Dependencies between ranks may be wrong, so that a late rank delays the wrong one in a what-if."},
    {"bad_hop", Severity::kNotice, "hops of a ring are written as 3[3000] -> 0[2000] [receive] via NET/Socket/0",
     "The hop is not known from this file; another rank's may have it."},
    {"tree_not_modelled", Severity::kNotice,
     "nccl_rank_graph.json describes trees and no ring: reductions over a tree are not modelled by chunk",
     "Chunks keep their recorded order on each rank, and no rank waits for a chunk of another."},
    {"operator_not_in_graph", Severity::kNotice,
     "operators in neither dag.gml nor metadata.json are classified as forward, backward or update by type and name",
     "They wait only for the previous operator of their GPU."},
    {"bad_message", Severity::kDataLoss,
     "messages are named <tensor>.PUSH, .PULL or, of a partition, <tensor>~PART<k>.PUSH, in rows called "
     "'worker_0 -> server_1'",
     "The message is left out: a partition is not sent, or not answered, in the replay."},
    {"message_outside_steps", Severity::kDataLoss, "a message is in no push or pull of a recorded step",
     "The message is skipped: that part of the transfer takes no time in the replay."},
    {"bad_server_work", Severity::kDataLoss,
     "a server's work is named <tensor>.COPY_FIRST, .SUM or .COPY_MERGED, in rows called server_<number>",
     "The work is skipped: pulls that waited for it wait less in the replay."},
    {"server_work_without_pushes", Severity::kDataLoss, "a server worked on a partition without a recorded push",
     "The work is skipped: pulls that waited for it wait less in the replay."},
    {"bad_key_line", Severity::kDataLoss,
     "a line of key_dict.txt is a tensor, a colon and its keys with blanks between them",
     "The number of partitions of this tensor is taken from its messages."},
    {"worker_without_folder", Severity::kDataLoss,
     "no folder ends in _<worker> for the worker of these messages: put the worker's folder into the trial",
     "The worker's operators are missing from the replay, and its messages with them."},
});

}  // namespace stepsim

#endif

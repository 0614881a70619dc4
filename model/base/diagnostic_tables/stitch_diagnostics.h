#ifndef STEPSIM_MODEL_BASE_DIAGNOSTIC_TABLES_STITCH_DIAGNOSTICS_H
#define STEPSIM_MODEL_BASE_DIAGNOSTIC_TABLES_STITCH_DIAGNOSTICS_H

#include <array>

#include "model/base/diagnostics.h"

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
    {"rooted_ends_apart", Severity::kNotice,
     "broadcasts, reductions to one rank, gathers and scatters in which some ranks ended long before others: no action "
     "is needed",
     "Their shortest part is the transfer; what others took longer is waiting of unknown cause, which no what-if can "
     "shorten. A rank that only sends need not wait for the others."},
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
    {"device_work_outside_steps", Severity::kNotice,
     "marked steps hold less than half of the device's time, so all of the capture counts as one step: mark each "
     "iteration, and record from before the first",
     "An iteration is what was recorded in all. What comes before and after training counts as a part of it."},
    {"lost_kernels", Severity::kDataLoss,
     "kernels are missing, by their launches or, in a file that is cut off, by the other steps: let the profiler "
     "finish writing, or copy the file again",
     "A step that lacks more than 1 % of its kernels is set aside. If no whole step is left, no what-if is answered."},
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

/// Of BytePS and ByteProfile: comm.json, traces of operators, dag.gml and gradient lists, and the jobs made of them.
inline constexpr auto kParameterServerDiagnostics = std::to_array<Diagnostic>({
    {"not_a_span", Severity::kDataLoss,
     "an event of another phase is left out: stages and operators are complete events (ph X), operators also B and E "
     "pairs",
     "The work of this event is missing from the replay."},
    {"not_a_stage", Severity::kDataLoss, "events of comm.json are named Comm.<tensor>.<stage>",
     "The event is left out. If it was communication, it takes no time in the replay."},
    {"bad_time", Severity::kDataLoss, "an event needs ts and dur in microseconds, from 0 on; record again",
     "The event is left out: a stage or an operator is missing from the replay."},
    {"bad_partition_key", Severity::kDataLoss, "tid is \"total\" or the partition's key in decimal",
     "The stage is left out: a partition is not sent, or not pulled, in the replay."},
    {"unknown_stage", Severity::kDataLoss, "the text after the last dot is not one of BytePS's 12 stages",
     "The stage is left out of its partition's chain, and takes no time in the replay."},
    {"instant_event", Severity::kInfo, "instant and debug events carry no work and are left out", "None."},
    {"unknown_operator", Severity::kDataLoss,
     "operators are named FW.<op>, BW.<op>, UPDATE, STEP, OUTPUT, I/O or Comm.<tensor>",
     "The event is left out: its compute is missing from the replay."},
    {"unmatched_begin", Severity::kDataLoss, "a B event needs its E event; the recording was cut",
     "The operator is left out: its compute is missing from the replay.",
     "Record a step more than is needed, and stop between steps."},
    {"unmatched_end", Severity::kDataLoss, "an E event needs its B event on the same row",
     "The operator is left out: its compute is missing from the replay.",
     "Start recording between steps; merged files must keep pid and tid."},
    {"second_graph", Severity::kDataLoss, "a dag.gml holds one graph; split the file",
     "Dependencies of the further graphs are missing from the replay."},
    {"node_without_id", Severity::kDataLoss, "give every node an integer id",
     "The operator's dependencies are missing from the replay."},
    {"duplicate_node", Severity::kDataLoss, "give every node an id of its own",
     "Dependencies go to the first node of this id, and the others have none."},
    {"edge_without_ends", Severity::kDataLoss, "give every edge an integer source and target",
     "This dependency is missing from the replay: an operator or a tensor may begin too early."},
    {"edge_to_unknown_node", Severity::kDataLoss, "the graph names a node it does not hold; write it again",
     "This dependency is missing from the replay: an operator or a tensor may begin too early."},
    {"edge_to_next_iteration", Severity::kInfo,
     "an edge from UPDATE or STEP to FW leads to the next iteration, and a graph shows one",
     "None: the graph of one iteration has no such edge."},
    {"gradient_without_name", Severity::kDataLoss, "every line begins with the gradient's name",
     "The gradient of this number keeps its number as name, so the operator that makes it may not be found."},
    {"unknown_tensor_size", Severity::kDataLoss, "write shape=(a, b) and a numpy dtype such as float32",
     "The tensor's size is not known from this list; what-ifs on partitions have to take it from its transfers."},
    {"clock_unmatched", Severity::kNotice,
     "a worker shares no key with the first one, so its clock is not aligned: record comm.json on every worker",
     "The worker keeps its own clock: if that is off, its pushes seem early or late by as much beside the others'."},
    {"operator_without_step", Severity::kNotice,
     "operators without args.step are taken to belong to the step of the operator before them",
     "At the border of two steps, an operator may count for the wrong one."},
    {"partition_outside_steps", Severity::kDataLoss,
     "partitions that belong to no recorded step are left out: record operators and communication over the same steps",
     "This communication is missing from the replay. Steps that have operators are replayed whole."},
    {"incomplete_step", Severity::kNotice,
     "a step that the capture cut is replayed but not compared: record whole steps",
     "The step has no measured time to be compared with, so fewer steps say how far the replay can be trusted."},
    {"duplicate_record", Severity::kNotice, "a stage is recorded twice: one of the two records is used",
     "None, if both records are of one transfer."},
    {"release_by_time", Severity::kNotice,
     "no operator is known to make a gradient, so the one that ended last before it was sent is taken: record dag.gml, "
     "or inputs (args.inputN) of the operators",
     "In a what-if, a gradient may be sent too late or too early where its operator was guessed wrongly."},
    {"dependency_against_time", Severity::kNotice,
     "a dependency that names suggest is left out, because the recorded times show the reverse order",
     "If the dependency was real and the times are wrong, the later task may begin too early."},
    {"dependency_cycle", Severity::kDataLoss,
     "the recording contradicts itself, and dependencies form a cycle: those of them that run against recorded time "
     "are "
     "left out",
     "Tasks of the cycle may begin too early in a what-if.", "Record dag.gml and traces in one run."},
});

/// Of dPRO trials and of Horovod's timelines.
inline constexpr auto kTrialDiagnostics = std::to_array<Diagnostic>({
    {"trial_cache_not_used", Severity::kInfo,
     "what dPRO made of a trial is not read: the trial is read from the files that were recorded",
     "None: traces, graphs and averages that dPRO left in the folder say nothing that its inputs do not."},
    {"horovod_row_without_name", Severity::kDataLoss,
     "events are in a row that no process_name event names: is the beginning of the timeline missing?",
     "What Horovod did for this tensor is missing from the replay."},
    {"negotiation_recorded_twice", Severity::kInfo,
     "a trial's Sync events say when all ranks had agreed, so NEGOTIATE events beside them are not used",
     "None: both are of the same wait."},
    {"bad_chunk", Severity::kDataLoss,
     "chunks are named <operation>.<tensor>.SEND or .RECV, with loopId, channelId, chunkId and sliceId in args",
     "The chunk is left out: part of an all-reduce takes no time in the replay."},
    {"chunk_outside_rounds", Severity::kDataLoss,
     "a chunk belongs to no all-reduce that was recorded in a step: record comm.json and comm_detail.json together",
     "The chunk is left out: part of an all-reduce takes no time in the replay."},
    {"chunk_without_peer", Severity::kNotice,
     "a chunk that was received has no chunk that was sent, or the other way round: record comm_detail.json on every "
     "rank",
     "The receiver does not wait for the sender of this chunk, so a late sender holds nobody up in a what-if."},
    {"round_without_peers", Severity::kNotice,
     "a reduction was not found on all ranks in the same step, with the same tensors in it",
     "The ranks do not wait for each other in this reduction, so a late rank holds nobody up in a what-if."},
    {"broken_ring", Severity::kNotice,
     "nccl_rank_graph.json describes no ring over all ranks: they are taken to send to the next one each, in the order "
     "of their numbers",
     "Which rank waits for which may be wrong, so that a late rank holds up the wrong one in a what-if."},
    {"bad_hop", Severity::kNotice, "hops of a ring are written as 3[3000] -> 0[2000] [receive] via NET/Socket/0",
     "The hop is not known from this file; another rank's may have it."},
    {"tree_not_modelled", Severity::kNotice,
     "nccl_rank_graph.json describes trees and no ring: reductions over a tree are not modelled by chunk",
     "Chunks keep their recorded order on each rank, and no rank waits for another one's chunk."},
    {"operator_not_in_graph", Severity::kNotice,
     "operators that are neither in dag.gml nor in metadata.json are told forward, backward and update by their types "
     "and names",
     "They wait for what ran before them on their GPU, and for nothing else."},
    {"bad_message", Severity::kDataLoss,
     "messages are named <tensor>.PUSH, .PULL or, of a partition, <tensor>~PART<k>.PUSH, in rows called "
     "'worker_0 -> server_1'",
     "The message is left out: a partition is not sent, or not answered, in the replay."},
    {"message_outside_steps", Severity::kDataLoss, "a message belongs to no push and pull that was recorded in a step",
     "The message is left out: part of a partition's way to the server and back takes no time in the replay."},
    {"bad_server_work", Severity::kDataLoss,
     "a server's work is named <tensor>.COPY_FIRST, .SUM or .COPY_MERGED, in rows called server_<number>",
     "The work is left out: pulls that waited for it wait less in the replay."},
    {"server_work_without_pushes", Severity::kDataLoss,
     "a server worked on a partition of which no push was recorded in a step",
     "The work is left out: pulls that waited for it wait less in the replay."},
    {"bad_key_line", Severity::kDataLoss,
     "a line of key_dict.txt is a tensor, a colon and its keys with blanks between them",
     "The number of partitions of this tensor is known from its messages alone."},
    {"worker_without_folder", Severity::kDataLoss,
     "messages of a worker without a folder whose name ends in _<worker>: put the worker's folder into the trial",
     "The worker's operators are missing from the replay, and its messages with them."},
});

}  // namespace stepsim

#endif

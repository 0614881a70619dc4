#ifndef STEPSIM_MODEL_BASE_DIAGNOSTIC_TABLES_TRIAL_DIAGNOSTICS_H
#define STEPSIM_MODEL_BASE_DIAGNOSTIC_TABLES_TRIAL_DIAGNOSTICS_H

#include <array>

#include "model/base/diagnostic.h"

namespace stepsim {

/// Of dPRO trials and of Horovod's timelines.
inline constexpr auto kTrialDiagnostics = std::to_array<Diagnostic>({
    {"trial_cache_not_used", Severity::kInfo,
     "what dPRO made of a trial is not read: the trial is read from the files that were recorded",
     "None: traces, graphs and averages that dPRO left in the folder say nothing that its inputs do not."},
    {"horovod_row_without_name", Severity::kDataLoss,
     "events stand in a row that no process_name event names: is the beginning of the timeline missing?",
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

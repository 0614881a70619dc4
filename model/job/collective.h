#ifndef STEPSIM_MODEL_JOB_COLLECTIVE_H
#define STEPSIM_MODEL_JOB_COLLECTIVE_H

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/base/id.h"
#include "model/base/units.h"

namespace stepsim {

/// The operation of a collective.
enum class CollectiveOp : std::uint8_t {
  kUnknown,  ///< only its recorded duration is known
  kAllReduce,
  kReduceScatter,
  kAllGather,
  kAllToAll,
  kBroadcast,
  kReduce,
  kSendRecv,  ///< point to point: two members, the root sends
  kBarrier,   ///< a barrier, which has no payload
};

/// An operation under the names that libraries and programs use for it.
struct NamedOperation {
  std::string_view word;  ///< name in lower case, without '_': "allgather"
  std::string_view name;  ///< name in nccl-tests and cluster.yaml: "all_gather"
  CollectiveOp op = CollectiveOp::kUnknown;
  bool of_one_part = false;  ///< NCCL's calls count one rank's part of the data, not all of it
};

/// All names. A word comes before the shorter words that it contains. Gathers and scatters, in which one root does all
/// the work, have no CollectiveOp.
inline constexpr NamedOperation kOperations[] = {
    {"sendrecv", "sendrecv", CollectiveOp::kSendRecv},
    {"reducescatter", "reduce_scatter", CollectiveOp::kReduceScatter, true},
    {"allreduce", "all_reduce", CollectiveOp::kAllReduce},
    {"allgather", "all_gather", CollectiveOp::kAllGather, true},
    {"alltoall", "alltoall", CollectiveOp::kAllToAll, true},
    {"broadcast", "broadcast", CollectiveOp::kBroadcast},
    {"gather", "gather", CollectiveOp::kUnknown, true},
    {"scatter", "scatter", CollectiveOp::kUnknown, true},
    {"barrier", "barrier", CollectiveOp::kBarrier},
    {"send", "send", CollectiveOp::kSendRecv},
    {"recv", "recv", CollectiveOp::kSendRecv},
    {"reduce", "reduce", CollectiveOp::kReduce},
};

/// Returns the first entry of kOperations with this operation; an entry without names for kUnknown.
[[nodiscard]] NamedOperation named_operation(CollectiveOp op) noexcept;

/// Finds an operation by the name that c10d ("_allgather_base_"), gloo ("all_gather") or NCCL ("AllGather") uses.
/// Returns null if the name contains no operation.
[[nodiscard]] const NamedOperation* find_operation(std::string_view name);

/// True if NCCL's function of this name ("AllGather", "ncclAllGather") counts one rank's part of the data.
/// Source: NCCL's API reference, "Collective Communication Functions".
[[nodiscard]] bool nccl_counts_one_part(std::string_view function);

/// How a collective's bytes travel: an entry of a registry in model/cost/collective/algorithm.h.
struct CollectiveModel;

/// Ranks that communicate with each other: a process group of PyTorch, a communicator of NCCL.
struct Group {
  std::string name{};         ///< name in the trace; may be empty
  std::uint32_t size = 0;     ///< number of ranks
  std::vector<Rank> ranks{};  ///< its ranks in ascending order; empty if only their number is known
  /// For each of `ranks`, the index in `ranks` of the one that it is a copy of; its own index if it is none. A copy has
  /// no tasks: it arrives and ends with the rank that it copies (model/rewrite/ranks.h). Empty if no rank is a copy.
  std::vector<std::uint32_t> copy_of{};
  friend auto operator<=>(const Group&, const Group&) = default;
};

using GroupId = Id<struct GroupTag>;

/// The operation and data of a rendezvous (the tasks of one collective or message, which wait for each other), as far
/// as known.
struct Collective {
  CollectiveOp op = CollectiveOp::kUnknown;
  const CollectiveModel* algorithm =
      nullptr;  ///< algorithm; null = the one that the library would choose (docs/internals/models.md)
  /// The whole payload in bytes. For all-reduce, broadcast and reduce: the buffer of one member. For all-gather and
  /// reduce-scatter: the larger of the buffers before and after it, which is n times the other. For all-to-all:
  /// everything one member sends, including to itself. For a send: the message. 0 = not known; recorded durations are
  /// used.
  Bytes bytes{};
  std::uint32_t root = 0;  ///< index of the root in the group, for broadcast, reduce and send
  /// For a message: bytes still in the transport's buffers when the sender's call returns. The sender continues when
  /// all other bytes have arrived.
  Bytes buffered{};
  /// The ranks that take part, of which some may not have been captured (model/job/group.h). If invalid, they are those
  /// of the rendezvous' members.
  GroupId group{};
  /// True if it is known to carry activations or their gradients, so that its payload grows with the samples.
  bool of_activations = false;
};

/// A measured time of a collective that ran alone: one line of nccl-tests.
struct TimedCollective {
  CollectiveOp op = CollectiveOp::kAllReduce;
  std::uint32_t ranks = 2;
  std::uint32_t hosts = 1;  ///< number of hosts; at most `ranks`
  std::string device;       ///< name given by the driver; may be empty
  Bytes bytes{};            ///< payload, as in Collective::bytes; above 0
  Duration time{};          ///< measured time; above 0
};

/// The operations that can have tables of measured times, in a fixed order.
inline constexpr CollectiveOp kMeasuredOps[] = {CollectiveOp::kAllReduce, CollectiveOp::kReduceScatter,
                                                CollectiveOp::kAllGather, CollectiveOp::kBroadcast,
                                                CollectiveOp::kReduce,    CollectiveOp::kAllToAll};

/// The times of one operation among a number of ranks, by size: a table of nccl-tests, or measured in a capture. Used
/// by the collective model `nccl` (model/cost/collective/nccl_times.h).
struct MeasuredCollective {
  CollectiveOp op = CollectiveOp::kAllReduce;
  std::uint32_t ranks = 2;
  std::uint32_t hosts = 1;  ///< number of hosts the ranks were on
  Bandwidth link;           ///< rate of the cluster's links during the measurement, as the model sees them
  Bandwidth bandwidth;      ///< bus bandwidth that the model assumes for large sizes over links with this rate
  std::vector<std::pair<Bytes, Duration>> times;  ///< sorted by payload (Collective::bytes); at least one
  friend bool operator==(const MeasuredCollective&, const MeasuredCollective&) = default;
};

}  // namespace stepsim

#endif

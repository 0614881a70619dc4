#ifndef STEPSIM_MODEL_JOB_COLLECTIVE_H
#define STEPSIM_MODEL_JOB_COLLECTIVE_H

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "model/base/units.h"

namespace stepsim {

/// What a collective does for its members.
enum class CollectiveOp : std::uint8_t {
  kUnknown,  ///< only its recorded duration is known
  kAllReduce,
  kReduceScatter,
  kAllGather,
  kAllToAll,
  kBroadcast,
  kReduce,
  kSendRecv,  ///< point to point: two members, the root sends
  kBarrier,   ///< no payload
};

/// How a collective's bytes travel: an entry of a registry in model/cost/collective/algorithm.h.
struct CollectiveModel;

/// Where one member alone was captured, the others are assumed to take part, in groups of up to this
/// many. Larger groups keep their recorded duration: simulating them costs more than it shows.
inline constexpr std::uint32_t kMostAbsentMembers = 64;

/// What a rendezvous transfers, as far as it is known.
struct Collective {
  CollectiveOp op = CollectiveOp::kUnknown;
  const CollectiveModel* algorithm = nullptr;  ///< null: what the library would take (docs/models.md)
  /// The whole payload: of an all-reduce, broadcast or reduce the buffer of one member; of an
  /// all-gather or reduce-scatter the buffer before or after it that is n times the other; of
  /// an all-to-all what one member sends, to itself included; of a send the message. 0: not
  /// known, and recorded durations hold.
  Bytes bytes{};
  std::uint32_t root = 0;  ///< broadcast, reduce, send: place in the group
  /// Of a message: what the transport's buffers hold when the sender's call returns. The sender
  /// goes on when all but this has arrived.
  Bytes buffered{};
  /// How many take part, where the rendezvous does not have them all because their ranks were
  /// not captured; else 0.
  std::uint32_t members = 0;
};

/// One measured time of a collective that had the machine to itself: a line of nccl-tests.
struct TimedCollective {
  CollectiveOp op = CollectiveOp::kAllReduce;
  std::uint32_t ranks = 2;
  std::uint32_t hosts = 1;  ///< at most ranks
  std::string device;       ///< as the driver names it; may be empty
  Bytes bytes{};            ///< as Collective::bytes; above 0
  Duration time{};          ///< above 0
};

/// The ops of NCCL, as nccl-tests and cluster.yaml name them: "all_reduce"; empty for others.
[[nodiscard]] constexpr const char* name_of(CollectiveOp op) noexcept {
  switch (op) {
    case CollectiveOp::kAllReduce: return "all_reduce";
    case CollectiveOp::kReduceScatter: return "reduce_scatter";
    case CollectiveOp::kAllGather: return "all_gather";
    case CollectiveOp::kBroadcast: return "broadcast";
    case CollectiveOp::kReduce: return "reduce";
    default: return "";
  }
}

/// All that have a name, in a fixed order.
inline constexpr CollectiveOp kNamedOps[] = {CollectiveOp::kAllReduce, CollectiveOp::kReduceScatter,
                                             CollectiveOp::kAllGather, CollectiveOp::kBroadcast, CollectiveOp::kReduce};

/// What one operation takes among some ranks, by size: a table of nccl-tests, or what a capture shows. The collective
/// model `nccl` goes by it (model/cost/collective/nccl_times.h).
struct MeasuredCollective {
  CollectiveOp op = CollectiveOp::kAllReduce;
  std::uint32_t ranks = 2;
  std::uint32_t hosts = 1;  ///< that the ranks were on
  Bandwidth link;           ///< what the links of the cluster carried then, as the model sees them
  Bandwidth bandwidth;      ///< the bus bandwidth that the model takes for large sizes over such links
  std::vector<std::pair<Bytes, Duration>> times;  ///< by payload (Collective::bytes), ascending; at least one
  friend bool operator==(const MeasuredCollective&, const MeasuredCollective&) = default;
};

}  // namespace stepsim

#endif

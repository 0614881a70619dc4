#ifndef STEPSIM_MODEL_JOB_COLLECTIVE_H
#define STEPSIM_MODEL_JOB_COLLECTIVE_H

#include <cstdint>

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

}  // namespace stepsim

#endif

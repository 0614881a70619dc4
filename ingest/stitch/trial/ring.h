#ifndef STEPSIM_INGEST_STITCH_TRIAL_RING_H
#define STEPSIM_INGEST_STITCH_TRIAL_RING_H

#include <cstdint>
#include <map>
#include <vector>

#include "ingest/stitch/parameter_server/gpu_parts.h"
#include "model/base/assumption.h"
#include "model/base/diagnostics.h"

namespace stepsim::ingest {

/// Which rank sends to which in each channel of NCCL's rings. Ranks are places in the job's list of GPUs.
class Rings {
 public:
  /// Puts together what the GPUs' nccl_rank_graph.json say. A channel whose hops are no ring over all GPUs is counted
  /// as broken_ring; it, and a channel of which no file speaks, is taken as the ring in the order of the ranks, which
  /// the assumptions state. O(hops log hops).
  Rings(const std::vector<GpuParts>& gpus, Diagnostics& diagnostics, Assumptions& assumptions);

  /// The rank that sends to `rank` in a channel.
  [[nodiscard]] std::size_t sender_to(std::size_t rank, std::int32_t channel) const;
  /// Trees were described and no ring: who sends to whom is not known.
  [[nodiscard]] bool unknown() const noexcept { return unknown_; }

 private:
  std::size_t ranks_;
  std::map<std::int32_t, std::vector<std::size_t>> senders_;  // by channel, then receiver
  bool unknown_ = false;
};

}  // namespace stepsim::ingest

#endif

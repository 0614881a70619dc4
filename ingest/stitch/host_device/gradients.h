#ifndef STEPSIM_INGEST_STITCH_HOST_DEVICE_GRADIENTS_H
#define STEPSIM_INGEST_STITCH_HOST_DEVICE_GRADIENTS_H

#include <cstdint>
#include <vector>

#include "ingest/stitch/assembly.h"
#include "ingest/stitch/host_device/host_thread.h"

namespace stepsim::ingest {

/// When a gradient is complete, and on which thread.
struct GradientMark {
  Time ready;
  std::uint32_t thread = 0;  ///< index into RankEvents::threads
  Bytes bytes{};             ///< 0 without the shapes of operators
};

/// Finds a rank's gradients, by time, and cuts the threads where they are complete: at the end of the
/// operator around AccumulateGrad, because the framework's hooks, which copy a gradient into its
/// bucket and hand over a full bucket, run inside that operator. Without shapes there are no cuts, because nothing
/// tells what is handed over. O(events + gradients log gradients).
[[nodiscard]] std::vector<GradientMark> find_gradients(const RankEvents& events, std::vector<HostThread>& threads);

/// Enters them in assembly.gradients, once `threads` have their tasks.
void add_gradients(const std::vector<GradientMark>& gradients, const std::vector<HostThread>& threads,
                   Assembly& assembly);

}  // namespace stepsim::ingest

#endif

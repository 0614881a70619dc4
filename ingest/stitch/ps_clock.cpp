#include "ingest/stitch/ps_clock.h"

namespace stepsim::ingest {

std::vector<HostClock> align_worker_clocks(const std::vector<GpuPlan>& gpus, Diagnostics& /*diagnostics*/) {
  std::vector<HostClock> clocks;
  for (const GpuPlan& plan : gpus) {
    while (clocks.size() <= plan.worker) clocks.push_back({plan.host, {}, {}, 0});
  }
  return clocks;
}

}  // namespace stepsim::ingest

#include "sim/report/slowing.h"

#include <fmt/format.h>

#include "model/base/text.h"
#include "sim/report/table.h"

namespace stepsim::sim {

std::string to_text(const Slowing& slowing) {
  return fmt::format(
      "recorded, an iteration takes {}; a step takes {} when nobody records it (measured_step of job.yaml): {}",
      stepsim::to_text(slowing.recorded), stepsim::to_text(slowing.free),
      slowing.is_seen() ? fmt::format("the profiler slows this job by {}", percent(slowing.share()))
                        : fmt::format("{}, no more than recorded steps differ (the shortest takes {})",
                                      signed_percent(slowing.share()), stepsim::to_text(slowing.shortest)));
}

}  // namespace stepsim::sim

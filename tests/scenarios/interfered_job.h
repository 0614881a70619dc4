#ifndef STEPSIM_TESTS_SCENARIOS_INTERFERED_JOB_H
#define STEPSIM_TESTS_SCENARIOS_INTERFERED_JOB_H

#include <cstddef>
#include <vector>

#include "model/job/recording.h"

namespace stepsim::testing {

/// A data-parallel job with known interference: on one rank's device, kernels take `factor` times as long while a
/// collective runs. Steps differ in how late their collectives are submitted, so kernels that overlap communication in
/// one step are alone in another. The runs come from a small separate simulation without stepsim's engine.
struct InterferedJob {
  double factor = 1.4;
  Duration collective{6'000'000};  ///< of each, with the captured network
  std::vector<Duration> late{Duration{0}, Duration{9'000'000}, Duration{18'000'000}};  ///< submission delay, by step
  std::size_t kernels = 120;  ///< in a step's backward pass; alone, kernel k takes 300 us plus k times 2 us
  std::vector<std::size_t> buckets{15, 55};  ///< the kernels whose gradients complete a bucket

  /// Returns a recorded run. In each step the optimizer follows the backward pass and the last collective.
  [[nodiscard]] Capture capture() const;
  /// Returns the time from the start of the first kernel to the end of the last one.
  [[nodiscard]] Duration length() const;
};

}  // namespace stepsim::testing

#endif

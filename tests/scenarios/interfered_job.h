#ifndef STEPSIM_TESTS_SCENARIOS_INTERFERED_JOB_H
#define STEPSIM_TESTS_SCENARIOS_INTERFERED_JOB_H

#include <cstddef>
#include <vector>

#include "model/job/recording.h"

namespace stepsim::testing {

/// A data-parallel job of which the truth is known: one rank's device, whose kernels take `factor` times as long while
/// a collective runs beside them. Steps differ in how late their collectives are submitted, so kernels that run beside
/// communication in one step are alone in another. Its runs are made by a small simulation of its own, which follows
/// the work that is left from event to event, and knows nothing of stepsim's engine.
struct InterferedJob {
  double factor = 1.4;
  Duration collective{6'000'000};  ///< each of them, at the captured network
  std::vector<Duration> late{Duration{0}, Duration{9'000'000}, Duration{18'000'000}};  ///< by step: of its submissions
  std::size_t kernels = 120;  ///< of a step's backward pass; kernel k takes 300 us and k times 2 us alone
  std::vector<std::size_t> buckets{15, 55};  ///< the kernels whose gradients complete one

  /// A run, recorded. After the backward pass and the last collective comes the optimizer, then the next step.
  [[nodiscard]] Capture capture() const;
  /// How long a run takes from the first kernel's start to the last one's end.
  [[nodiscard]] Duration length() const;
};

}  // namespace stepsim::testing

#endif

#ifndef STEPSIM_TESTS_SIM_COMPARE_SIDES_H
#define STEPSIM_TESTS_SIM_COMPARE_SIDES_H

#include <utility>
#include <vector>

#include "sim/compare/side.h"

namespace stepsim::testing {

/// Returns a side whose iteration takes `iteration` ns. `steps` are the durations of its steps in ns.
inline sim::Side side(std::int64_t iteration, const std::vector<std::int64_t>& steps = {}) {
  sim::Side made{.name = "a.json", .what = "measured", .iteration = Duration{iteration}, .ranks = 1};
  for (const std::int64_t step : steps) made.steps.emplace_back(step);
  return made;
}

inline sim::WorkGroup kernel(std::string name, std::int64_t time, double count = 1) {
  return {.name = std::move(name), .kind = "kernel", .kernel_class = "gemm", .count = count, .time = Duration{time}};
}

}  // namespace stepsim::testing

#endif

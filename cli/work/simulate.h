#ifndef STEPSIM_CLI_WORK_SIMULATE_H
#define STEPSIM_CLI_WORK_SIMULATE_H

#include <cstddef>
#include <cstdint>

#include "cli/work/work.h"

namespace stepsim::cli {

/// Iterations that do one captured step again and again, and their replay.
struct Simulated {
  std::int64_t repeated = 0;  ///< the captured step's number
  Capture capture;
  sim::Timeline timeline;
};

/// Simulates `count` iterations of the typical step of a replay, under the same models. Throws what
/// with_repeated_step() throws.
[[nodiscard]] Simulated simulate_steps(const Replayed& replayed, std::size_t count, const CommonOptions& options,
                                       const Session& session);

}  // namespace stepsim::cli

#endif

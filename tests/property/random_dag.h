#ifndef STEPSIM_TESTS_PROPERTY_RANDOM_DAG_H
#define STEPSIM_TESTS_PROPERTY_RANDOM_DAG_H

#include <cstdint>
#include <random>

#include "model/job/dag.h"
#include "sim/engine/machine.h"

namespace stepsim::testing {

/// STEPSIM_TEST_SEED if set, else 1. Printed by the test that uses it.
[[nodiscard]] std::uint32_t test_seed();

struct RandomDagShape {
  int most_tasks = 40;
  bool fifo_lanes = true;  ///< half of the lanes
  /// Some of those run several tasks at once, go by priority, or have credit, which most of their tasks get back: from
  /// themselves, or from one that waits for them.
  bool all_queues = false;
  bool rendezvous = true;
  bool rendezvous_on_fifo_lanes = true;
  bool lags = true;
  std::int64_t shortest = 0;  ///< duration of a task
  std::int64_t scale = 1;     ///< every duration and lag is multiplied by it
  /// Half of the lanes carry messages between three endpoints, a collective is an operation on
  /// up to 99 bytes (or one of which only the durations are known).
  bool messages = false;
  bool idle_fifo_lane = false;  ///< one more lane, without tasks: the engine then needs its event queue
};

/// A small dag in which times tie often: durations of 0 to 5. The same generator state gives
/// the same dag for any `scale`.
[[nodiscard]] Dag random_dag(std::mt19937& generator, const RandomDagShape& shape);

/// Some sources start late.
[[nodiscard]] sim::Machine random_machine(std::mt19937& generator, const Dag& dag, std::int64_t scale = 1);

}  // namespace stepsim::testing

#endif

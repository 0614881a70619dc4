#ifndef STEPSIM_TESTS_PROPERTY_RANDOM_DAG_H
#define STEPSIM_TESTS_PROPERTY_RANDOM_DAG_H

#include <cstdint>
#include <random>

#include "model/job/dag.h"
#include "sim/engine/machine.h"

namespace stepsim::testing {

/// Returns STEPSIM_TEST_SEED if set, else 1. The test that uses it prints it.
[[nodiscard]] std::uint32_t test_seed();

struct RandomDagShape {
  int most_tasks = 40;
  bool fifo_lanes = true;  ///< half of the lanes are FIFO
  /// Some of those lanes run several tasks at the same time, order tasks by priority, or have credit. Most of their
  /// tasks return their credit, or a task that waits for them does.
  bool all_queues = false;
  bool rendezvous = true;
  bool rendezvous_on_fifo_lanes = true;
  bool lags = true;
  std::int64_t shortest = 0;  ///< shortest duration of a task
  std::int64_t scale = 1;     ///< every duration and lag is multiplied by it
  /// Half of the lanes carry messages between three endpoints. A collective is an operation on up to 99 bytes, or one
  /// of which only the durations are known.
  bool messages = false;
  bool idle_fifo_lane = false;  ///< adds a lane without tasks, for which the engine needs its event queue
};

/// Returns a small dag with durations of 0 to 5, so that times are often equal. The same generator state gives the
/// same dag for any `scale`.
[[nodiscard]] Dag random_dag(std::mt19937& generator, const RandomDagShape& shape);

/// Returns a machine in which some sources start late.
[[nodiscard]] sim::Machine random_machine(std::mt19937& generator, const Dag& dag, std::int64_t scale = 1);

}  // namespace stepsim::testing

#endif

#ifndef STEPSIM_TESTS_PROPERTY_RANDOM_DAG_H
#define STEPSIM_TESTS_PROPERTY_RANDOM_DAG_H

#include <cstdint>
#include <random>

#include "model/job/dag.h"
#include "sim/engine/machine.h"

namespace stepsim::testing {

/// Returns the environment variable STEPSIM_TEST_SEED. If it is not set, returns 1, or in nightly tests a number made
/// from the time, which is printed. Each test prints the seed when it fails.
[[nodiscard]] std::uint32_t test_seed();

struct RandomDagShape {
  int most_tasks = 40;
  bool fifo_lanes = true;  ///< half of the lanes are FIFO
  /// Some FIFO lanes run several tasks at the same time, order tasks by priority, or have credit. The credit of most
  /// tasks is returned by the task itself or by one that waits for it.
  bool all_queues = false;
  bool rendezvous = true;
  bool rendezvous_on_fifo_lanes = true;
  bool lags = true;
  std::int64_t shortest = 0;  ///< shortest duration of a task
  std::int64_t scale = 1;     ///< every duration and lag is multiplied by it
  /// Half of the lanes carry messages between three endpoints. A collective either is an operation on up to 99 bytes,
  /// or has an unknown operation and known durations.
  bool messages = false;
  bool idle_fifo_lane = false;  ///< adds a lane without tasks, for which the engine needs its event queue
};

/// Returns a small dag with durations of 0 to 5 times `scale` nanoseconds, so that times are often equal. Except for
/// these times, the dag is the same for any `scale`.
[[nodiscard]] Dag random_dag(std::mt19937& generator, const RandomDagShape& shape);

/// Returns a machine for `dag` in which some tasks without predecessors start late.
[[nodiscard]] sim::Machine random_machine(std::mt19937& generator, const Dag& dag, std::int64_t scale = 1);

}  // namespace stepsim::testing

#endif

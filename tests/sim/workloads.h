#ifndef STEPSIM_TESTS_SIM_WORKLOADS_H
#define STEPSIM_TESTS_SIM_WORKLOADS_H

#include <cstdint>

#include "model/dag_builder.h"

/// The workloads of ../shared/oracles/README.md, with a recorded duration for each message.
namespace stepsim::testing {

struct RingShape {
  int ranks = 64;
  int all_reduces = 1;
  Duration message{1000};
  Duration slow_sender{};    ///< added to the messages of rank 0
  std::uint32_t jitter = 0;  ///< std::mt19937 % jitter is added to every message; 0 = none
  LaneOrder order = LaneOrder::kEdges;
};

/// `all_reduces` ring all-reduces one after the other: in each of 2 (ranks - 1) rounds every
/// rank sends one message, after its message of the round before and the one it received.
[[nodiscard]] DagBuilder ring_builder(const RingShape& shape);
[[nodiscard]] Dag ring_workload(const RingShape& shape);

struct TrainShape {
  int ranks = 64;
  int layers = 10;
  int iterations = 1;
  Duration message{1000};
  Duration forward{50'000};     ///< a layer's, plus jitter
  Duration backward{100'000};   ///< a layer's, plus jitter
  std::uint32_t jitter = 5000;  ///< rng() % jitter is added to every compute; 0 = none
  LaneOrder order = LaneOrder::kEdges;
};

/// Forward and backward chains a rank, and a ring all-reduce a layer, last layer first.
[[nodiscard]] DagBuilder train_builder(const TrainShape& shape);
[[nodiscard]] Dag train_workload(const TrainShape& shape);

}  // namespace stepsim::testing

#endif

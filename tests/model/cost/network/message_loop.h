#ifndef STEPSIM_TESTS_MODEL_COST_NETWORK_MESSAGE_LOOP_H
#define STEPSIM_TESTS_MODEL_COST_NETWORK_MESSAGE_LOOP_H

#include <cstdint>
#include <vector>

#include "model/cost/network/network.h"
#include "model/job/dag.h"

namespace stepsim::testing {

/// A message that is not part of a graph.
struct Sending {
  EndpointId from;
  EndpointId to;
  std::int64_t bytes = 0;
  std::int64_t at = 0;  ///< ns
  Latency latency = Latency::kFirst;
};

/// Sends all messages over a network of `model` and returns their passages. The id of a message is its index in
/// `sendings`.
[[nodiscard]] std::vector<Passage> send_all(const NetworkModel& model, const Cluster& cluster,
                                            const std::vector<Sending>& sendings);

/// Returns when each task of `dag` ends under `model`. This is the simplest possible loop, for tests of network models
/// without the engine. Tasks on lanes with endpoints are messages. Lanes with LaneOrder::kFifo run one other task at a
/// time, in order of readiness.
[[nodiscard]] std::vector<Time> finishes(const NetworkModel& model, const Cluster& cluster, const Dag& dag);

/// Returns the latest of finishes().
[[nodiscard]] std::int64_t makespan_ns(const NetworkModel& model, const Cluster& cluster, const Dag& dag);

}  // namespace stepsim::testing

#endif

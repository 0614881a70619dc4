#ifndef STEPSIM_TESTS_MODEL_COST_NETWORK_MESSAGE_LOOP_H
#define STEPSIM_TESTS_MODEL_COST_NETWORK_MESSAGE_LOOP_H

#include <cstdint>
#include <vector>

#include "model/cost/network/network.h"
#include "model/job/dag.h"

namespace stepsim::testing {

/// A message to send, without a task graph.
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
/// without the engine. Tasks on lanes with endpoints are messages. A lane with LaneOrder::kFifo and without endpoints
/// runs one task at a time, in the order in which tasks become ready.
[[nodiscard]] std::vector<Time> finishes(const NetworkModel& model, const Cluster& cluster, const Dag& dag);

/// Returns when the last task of `dag` ends under `model`, in nanoseconds.
[[nodiscard]] std::int64_t makespan_ns(const NetworkModel& model, const Cluster& cluster, const Dag& dag);

}  // namespace stepsim::testing

#endif

#ifndef STEPSIM_TESTS_MODEL_COST_NETWORK_MESSAGE_LOOP_H
#define STEPSIM_TESTS_MODEL_COST_NETWORK_MESSAGE_LOOP_H

#include <cstdint>
#include <vector>

#include "model/cost/network/network.h"
#include "model/job/dag.h"

namespace stepsim::testing {

/// A message on its own, without a graph.
struct Sending {
  EndpointId from;
  EndpointId to;
  std::int64_t bytes = 0;
  std::int64_t at = 0;  ///< ns
  Latency latency = Latency::kFirst;
};

/// Sends them all over a network of `model`, and gives their passages. The ids of messages are
/// their places in `sendings`.
[[nodiscard]] std::vector<Passage> send_all(const NetworkModel& model, const Cluster& cluster,
                                            const std::vector<Sending>& sendings);

/// When each task of `dag` ends under `model`: the simplest loop that can tell, for tests of
/// network models without the engine. Tasks on lanes with endpoints are messages; on lanes of
/// LaneOrder::kFifo one other task runs at a time, in order of readiness.
[[nodiscard]] std::vector<Time> finishes(const NetworkModel& model, const Cluster& cluster, const Dag& dag);

/// The latest of finishes().
[[nodiscard]] std::int64_t makespan_ns(const NetworkModel& model, const Cluster& cluster, const Dag& dag);

}  // namespace stepsim::testing

#endif

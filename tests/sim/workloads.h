#ifndef STEPSIM_TESTS_SIM_WORKLOADS_H
#define STEPSIM_TESTS_SIM_WORKLOADS_H

#include <cstdint>

#include "model/job/cluster.h"
#include "model/job/dag_builder.h"

/// Makes the workloads of docs/internals/test-data.md, with a recorded duration for each message. Messages are tasks
/// between endpoints of `oracle_cluster`, so a network model can time them too. The edge from a message to the sender's
/// next one has the kind kStream.
namespace stepsim::testing {

struct RingShape {
  int ranks = 64;
  int all_reduces = 1;
  Duration message{1000};
  Bytes bytes{};
  Duration slow_sender{};    ///< added to the messages of rank 0
  std::uint32_t jitter = 0;  ///< std::mt19937 % jitter is added to every message; 0 means none
  LaneOrder order = LaneOrder::kEdges;
};

/// Makes `all_reduces` ring all-reduces, one after the other. In each of 2 (ranks - 1) rounds every rank sends one
/// message, after its own and the received message of the previous round.
[[nodiscard]] DagBuilder ring_builder(const RingShape& shape);
[[nodiscard]] Dag ring_workload(const RingShape& shape);

struct TrainShape {
  int ranks = 64;
  int layers = 10;
  int iterations = 1;
  Duration message{1000};
  Bytes bytes{};
  Duration forward{50'000};     ///< per layer, plus jitter
  Duration backward{100'000};   ///< per layer, plus jitter
  std::uint32_t jitter = 5000;  ///< rng() % jitter is added to every compute task; 0 means none
  LaneOrder order = LaneOrder::kEdges;
};

/// Makes training iterations. Each rank has a chain of forward tasks and one of backward tasks. Each layer has a ring
/// all-reduce after its backward task; the last layer's comes first.
[[nodiscard]] DagBuilder train_builder(const TrainShape& shape);
[[nodiscard]] Dag train_workload(const TrainShape& shape);

struct ParameterServerShape {
  int workers = 64;
  int servers = 8;
  int layers = 50;
  int partitions = 3;  ///< per layer
  int iterations = 1;
  Bytes bytes{};  ///< per partition
  Duration message{1000};
  Duration forward{50'000};
  Duration backward{100'000};
  Duration sum{3000};
  std::uint32_t jitter = 5000;
  int in_flight = 0;  ///< each push waits for the same worker's push this many before it, pulls likewise; 0: no wait
  LaneOrder server_order = LaneOrder::kEdges;  ///< kFifo: one sum at a time
};

/// Makes training iterations with parameter servers. Each worker has a chain of forward tasks and one of backward
/// tasks. Each partition, last layer first, has a push per worker, a sum on the server, and a pull per worker. Workers
/// are the first endpoints, followed by the servers.
[[nodiscard]] DagBuilder parameter_server_builder(const ParameterServerShape& shape);
[[nodiscard]] Dag parameter_server_workload(const ParameterServerShape& shape);

/// Returns the hosts of the workloads, each with a full-duplex NIC (12.5 GB/s and 1 us per direction) on one switch.
[[nodiscard]] Cluster oracle_cluster(int hosts);
/// Returns a cluster with the parameters for which LogGOPSim's totals were computed: L = 1000 ns, o = 200 ns, g = 0, G
/// = 1 ns per byte.
[[nodiscard]] Cluster log_gp_cluster(int hosts);

}  // namespace stepsim::testing

#endif

#ifndef STEPSIM_TESTS_SIM_WORKLOADS_H
#define STEPSIM_TESTS_SIM_WORKLOADS_H

#include <cstdint>

#include "model/job/cluster.h"
#include "model/job/dag_builder.h"

/// The workloads of docs/test-data.md, with a recorded duration for each message. Messages are tasks between endpoints
/// of `oracle_cluster`, so a network model can time them too. An edge from a message to the next one of its sender has
/// the kind kStream.
namespace stepsim::testing {

struct RingShape {
  int ranks = 64;
  int all_reduces = 1;
  Duration message{1000};
  Bytes bytes{};
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
  Bytes bytes{};
  Duration forward{50'000};     ///< a layer's, plus jitter
  Duration backward{100'000};   ///< a layer's, plus jitter
  std::uint32_t jitter = 5000;  ///< rng() % jitter is added to every compute; 0 = none
  LaneOrder order = LaneOrder::kEdges;
};

/// Forward and backward chains a rank, and a ring all-reduce a layer, last layer first.
[[nodiscard]] DagBuilder train_builder(const TrainShape& shape);
[[nodiscard]] Dag train_workload(const TrainShape& shape);

struct ParameterServerShape {
  int workers = 64;
  int servers = 8;
  int layers = 50;
  int partitions = 3;  ///< a layer's
  int iterations = 1;
  Bytes bytes{};  ///< a partition's
  Duration message{1000};
  Duration forward{50'000};
  Duration backward{100'000};
  Duration sum{3000};
  std::uint32_t jitter = 5000;
  int in_flight = 0;  ///< a push waits for that worker's push this many before, and a pull likewise; 0 = for none
  LaneOrder server_order = LaneOrder::kEdges;  ///< kFifo: one sum at a time
};

/// Chains of layers as above a worker; a push a worker, a sum on the server, a pull a worker for
/// each partition, last layer first. Workers are endpoints 0 and up, then come the servers.
[[nodiscard]] DagBuilder parameter_server_builder(const ParameterServerShape& shape);
[[nodiscard]] Dag parameter_server_workload(const ParameterServerShape& shape);

/// The hosts of the workloads: one full-duplex NIC each, 12.5 GB/s and 1 us each way, on one switch.
[[nodiscard]] Cluster oracle_cluster(int hosts);
/// The hosts for LogGOPSim's totals: L = 1000 ns, o = 200 ns, g = 0, G = 1 ns per byte.
[[nodiscard]] Cluster log_gp_cluster(int hosts);

}  // namespace stepsim::testing

#endif

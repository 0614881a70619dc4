#include <gtest/gtest.h>

#include <algorithm>

#include "model/cost/network/network.h"
#include "model/job/topology.h"
#include "sim/engine/engine.h"
#include "tests/sim/dag_maker.h"

/// Shows that under fair sharing more bandwidth may make a step slower: messages that arrive earlier take bandwidth
/// from more important ones (after Graham 1969, Bounds on multiprocessing timing anomalies).
namespace stepsim::sim {
namespace {

using stepsim::testing::DagMaker;

TaskId message(DagMaker& maker, std::size_t from, std::size_t to, std::int64_t bytes, TaskId after) {
  const LaneId lane = maker.builder.add_lane({.kind = LaneKind::kLink, .from = EndpointId{from}, .to = EndpointId{to}});
  const TaskId task = maker.builder.add_task(
      {.kind = TaskKind::kTransfer, .name = maker.builder.intern("message"), .lane = lane, .bytes = Bytes{bytes}});
  if (after.valid()) maker.builder.add_edge(after, task, EdgeKind::kData);
  return task;
}

/// Returns the time of this job: host 3 sends 2,000 bytes to host 4, after which hosts 1 and 2 send 10,000 bytes each
/// to host 0. From 1,000 ns on, host 5 sends 1,000 bytes to host 0, which then computes for 100,000 ns.
Duration makespan(double bytes_per_nanosecond) {
  DagMaker maker;
  const TaskId first = message(maker, 3, 4, 2000, {});
  message(maker, 1, 0, 10'000, first);
  message(maker, 2, 0, 10'000, first);
  const TaskId wait = maker.task(maker.lane(5), 1000);
  maker.task(maker.lane(0), 100'000, {message(maker, 5, 0, 1000, wait)});
  const Dag dag = maker.build();
  const Cluster cluster = star(6, {.bandwidth = Bandwidth::from_bytes_per_second(bytes_per_nanosecond * 1e9)});
  Machine machine{dag};
  machine.set_network(*find_network_model("maxmin"), cluster);
  const Timeline timeline = replay(dag, machine);
  return *std::max_element(timeline.finish.begin(), timeline.finish.end()) - Time{};
}

TEST(BandwidthAnomalyTest, TwiceTheBandwidthCanMakeAStepSlowerWhereMessagesShareALink) {
  // At 1 byte per nanosecond, hosts 1 and 2 begin to send at 2,000 ns, when host 5's message has just arrived.
  EXPECT_EQ(makespan(1), Duration{2000 + 100'000});
  // At 2 bytes per nanosecond, hosts 1 and 2 begin to send at 1,000 ns, like host 5. Its message gets a third of the
  // link into host 0, so its bytes take 1,500 ns.
  EXPECT_EQ(makespan(2), Duration{1000 + 1500 + 100'000});
}

}  // namespace
}  // namespace stepsim::sim

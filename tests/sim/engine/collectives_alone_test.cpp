#include "sim/engine/collectives_alone.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "model/base/units.h"
#include "model/job/dag_builder.h"
#include "model/job/topology.h"

namespace stepsim::sim {
namespace {

using ::testing::ElementsAre;

constexpr double kRate = 1e9;  // a byte per nanosecond
constexpr Duration kLatency{5'000};

Cluster hosts(std::size_t count, double rate = kRate) {
  return star(count, {.name = {}, .bandwidth = Bandwidth::from_bytes_per_second(rate), .latency = kLatency});
}

/// Makes a dag in which each rank runs the collectives one after the other, without other work between them.
Dag collectives_of(Rank ranks, const std::vector<Collective>& collectives, const std::vector<Group>& groups = {}) {
  DagBuilder builder;
  builder.groups() = groups;
  const NameId name = builder.intern("collective");
  std::vector<LaneId> lanes;
  lanes.reserve(static_cast<std::size_t>(ranks));
  for (Rank rank = 0; rank < ranks; ++rank) lanes.push_back(builder.add_lane({.rank = rank}));
  std::vector<TaskId> last(lanes.size());
  for (const Collective& collective : collectives) {
    const RendezvousId rendezvous = builder.add_rendezvous(collective);
    for (std::size_t rank = 0; rank < lanes.size(); ++rank) {
      const TaskId task = builder.add_task(
          {.kind = TaskKind::kCollective, .name = name, .lane = lanes[rank], .duration = Duration{77}});
      if (last[rank].valid()) builder.add_edge(last[rank], task, EdgeKind::kProgram);
      builder.join(rendezvous, task);
      last[rank] = task;
    }
  }
  return std::move(builder).build().dag;
}

std::vector<Duration> alone(const Dag& dag, const Cluster& cluster) {
  return collectives_alone(dag, *find_network_model("maxmin"), cluster);
}

TEST(CollectivesAloneTest, EachTakesItsClosedForm) {
  const Dag dag = collectives_of(4, {{.op = CollectiveOp::kAllReduce, .bytes = Bytes{4'000'000}},
                                     {.op = CollectiveOp::kAllGather, .bytes = Bytes{8'000'000}},
                                     {.op = CollectiveOp::kAllReduce, .bytes = Bytes{4'000'000}}});
  // A ring of four ranks has 2 * 3 rounds with a quarter of 4 MB for an all-reduce, and 3 rounds with a quarter of 8 MB
  // for an all-gather. Each round has the latency of two links.
  const Duration all_reduce = 6 * (2 * kLatency + Duration{1'000'000});
  const Duration all_gather = 3 * (2 * kLatency + Duration{2'000'000});
  EXPECT_THAT(alone(dag, hosts(4)), ElementsAre(all_reduce, all_gather, all_reduce));
}

TEST(CollectivesAloneTest, WhatKeepsItsRecordedTimeTakesNone) {
  const Dag dag = collectives_of(2, {{}, {.op = CollectiveOp::kAllReduce}});
  EXPECT_THAT(alone(dag, hosts(2)), ElementsAre(Duration{}, Duration{}));
}

TEST(CollectivesAloneTest, OthersOfALoneMemberComeWithIt) {
  const Dag dag = collectives_of(1, {{.op = CollectiveOp::kAllReduce, .bytes = Bytes{4'000'000}, .group = GroupId{0}}},
                                 {{.size = 4}});
  EXPECT_THAT(alone(dag, hosts(4)), ElementsAre(6 * (2 * kLatency + Duration{1'000'000})));
}

TEST(CollectivesAloneTest, EndsWhereTimeDoes) {
  const Dag dag = collectives_of(2, {{.op = CollectiveOp::kAllReduce, .bytes = Bytes{1'000'000'000'000'000'000}}});
  EXPECT_THAT(alone(dag, hosts(2, 1)), ElementsAre(kEndOfTime - Time{}));
}

TEST(CollectivesAloneTest, NoneIsNoTime) { EXPECT_THAT(alone(Dag{}, hosts(2)), ::testing::IsEmpty()); }

}  // namespace
}  // namespace stepsim::sim

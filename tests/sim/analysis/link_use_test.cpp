#include "sim/analysis/activity.h"

#include <gtest/gtest.h>

#include <utility>

#include "model/cost/network/network.h"
#include "model/job/dag_builder.h"
#include "model/job/topology.h"
#include "sim/engine/engine.h"

namespace stepsim::sim {
namespace {

/// Returns the use of the links if each of `senders` hosts sends 1000 bytes to the last host, all at the same time. A
/// byte takes a nanosecond.
std::vector<LinkUse> use_by(std::size_t senders) {
  DagBuilder builder;
  for (std::size_t i = 0; i < senders; ++i) {
    const LaneId lane = builder.add_lane({.name = "link", .from = EndpointId{i}, .to = EndpointId{senders}});
    builder.add_task({.kind = TaskKind::kTransfer, .name = builder.intern("m"), .lane = lane, .bytes = Bytes{1000}});
  }
  Capture capture;
  capture.dag = std::move(builder).build().dag;
  const Cluster cluster = star(senders + 1, {.bandwidth = Bandwidth::from_bytes_per_second(1e9)});
  Machine machine(capture.dag);
  machine.set_network(*find_network_model("maxmin"), cluster);
  return link_use(capture, replay(capture.dag, machine), cluster);
}

TEST(LinkUseTest, AMessageAloneQueuesNowhere) {
  const std::vector<LinkUse> uses = use_by(1);
  ASSERT_EQ(uses.size(), 4U);  // each of two hosts has a link in each direction
  EXPECT_EQ(uses[0].busy, 1);
  EXPECT_EQ(uses[3].busy, 1);
  EXPECT_EQ(uses[1].busy, 0);
  for (const LinkUse& use : uses) EXPECT_EQ(use.queueing, Duration{});
}

TEST(LinkUseTest, MessagesThatShareALinkTakeLongerByWhatTheOthersTake) {
  // Three messages share a link, so each takes three times as long, 2000 ns more than alone.
  const std::vector<LinkUse> uses = use_by(3);
  EXPECT_EQ(uses[7].queueing, Duration{6000});  // the link into the last host
  EXPECT_EQ(uses[0].queueing, Duration{2000});  // the link out of the first host
  EXPECT_EQ(uses[7].busy, 1);
}

}  // namespace
}  // namespace stepsim::sim

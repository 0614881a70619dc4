// Tests the times of a few messages in each network model against the model's formula, and properties of all models.

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>

#include "model/cost/collective/algorithm.h"
#include "model/cost/network/network.h"
#include "model/job/dag_builder.h"
#include "model/job/topology.h"
#include "tests/model/cost/network/message_loop.h"

namespace stepsim {
namespace {

using testing::send_all;
using testing::Sending;

constexpr EndpointId kA{0};
constexpr EndpointId kB{1};
constexpr EndpointId kC{2};
constexpr std::int64_t kForever = std::int64_t{146} * 365 * 24 * 3600 * 1'000'000'000;

/// Returns three hosts on a switch. A link moves a byte per nanosecond and has a latency of 50 ns in each direction.
/// Each message has an overhead of 7 ns.
Cluster small_cluster() {
  Cluster cluster = star(3, {.bandwidth = Bandwidth::from_bytes_per_second(1e9), .latency = Duration{50}});
  cluster.network.set(kMessageOverhead, Duration{7});
  return cluster;
}

std::int64_t count(std::optional<Time> time) { return time.value().time_since_epoch().count(); }

std::vector<std::int64_t> arrivals(std::string_view model, const Cluster& cluster,
                                   const std::vector<Sending>& sendings) {
  std::vector<std::int64_t> times;
  for (const Passage& one : send_all(*find_network_model(model), cluster, sendings))
    times.push_back(count(one.arrived));
  return times;
}

using Times = std::vector<std::int64_t>;

class EveryNetworkModel : public ::testing::TestWithParam<std::string> {
 protected:
  [[nodiscard]] static const NetworkModel& model() { return *find_network_model(GetParam()); }
};

TEST_P(EveryNetworkModel, SaysWhatItIs) {
  for (const std::string_view text :
       {model().summary, model().formula, model().source, model().ignores, model().otherwise}) {
    EXPECT_FALSE(text.empty());
  }
}

TEST_P(EveryNetworkModel, AMessageAloneTakesOverheadLatencyAndItsBytes) {
  // The overhead is 7 ns, the latency of two links 100 ns, and 1000 bytes take 1000 ns. In loggp the first byte takes
  // no time.
  const std::int64_t expected = GetParam() == "loggp" ? 1106 : 1107;
  EXPECT_EQ(arrivals(GetParam(), small_cluster(), {{kA, kB, 1000}}), Times{expected});
}

TEST_P(EveryNetworkModel, WhereLatencyComesMakesNoDifferenceToAMessageAlone) {
  EXPECT_EQ(arrivals(GetParam(), small_cluster(), {{kA, kB, 1000, 0, Latency::kLast}}),
            arrivals(GetParam(), small_cluster(), {{kA, kB, 1000, 0, Latency::kFirst}}));
}

TEST_P(EveryNetworkModel, EveryMessageLeavesBeforeItArrives) {
  std::vector<Sending> sendings;
  for (std::size_t i = 0; i < 100; ++i) {
    const auto latency = i % 2 == 0 ? Latency::kFirst : Latency::kLast;
    sendings.push_back({EndpointId{i % 3}, EndpointId{(i + 1) % 3}, static_cast<std::int64_t>(i * 37 % 500),
                        static_cast<std::int64_t>(i / 5), latency});
  }
  const auto passages = send_all(model(), small_cluster(), sendings);
  for (std::size_t i = 0; i < sendings.size(); ++i) {
    EXPECT_GE(count(passages[i].sent), sendings[i].at) << i;
    EXPECT_GE(count(passages[i].arrived), count(passages[i].sent)) << i;
  }
}

TEST_P(EveryNetworkModel, AMessageWithinAnEndpointTakesTheOverheadAlone) {
  EXPECT_EQ(arrivals(GetParam(), small_cluster(), {{kA, kA, 1'000'000}}), Times{7});
}

TEST_P(EveryNetworkModel, AMessageWithoutBytesTakesOverheadAndLatency) {
  EXPECT_EQ(arrivals(GetParam(), small_cluster(), {{kA, kB, 0}}), Times{107});
}

TEST_P(EveryNetworkModel, NothingTakesLessThanNoTime) {
  Cluster cluster = star(2, {.bandwidth = Bandwidth::from_bytes_per_second(1e18)});
  EXPECT_LE(arrivals(GetParam(), cluster, {{kA, kB, 1000}}).front(), 1);
}

TEST_P(EveryNetworkModel, TimesEndAfter146Years) {
  Cluster cluster = star(2, {.bandwidth = Bandwidth::from_bytes_per_second(1e-9), .latency = Duration{kForever}});
  const Times times = arrivals(GetParam(), cluster, {{kA, kB, 1'000'000}, {kA, kB, 1'000'000, kForever}});
  for (const std::int64_t time : times) EXPECT_GE(time, kForever);
}

TEST_P(EveryNetworkModel, TheSameCallsGiveTheSameTimes) {
  std::vector<Sending> sendings;
  for (std::size_t i = 0; i < 200; ++i) {
    sendings.push_back({EndpointId{i * i % 3}, EndpointId{(i * i + 1) % 3}, static_cast<std::int64_t>(i * 91 % 777),
                        static_cast<std::int64_t>(i / 7 * 50)});
  }
  EXPECT_EQ(arrivals(GetParam(), small_cluster(), sendings), arrivals(GetParam(), small_cluster(), sendings));
}

TEST_P(EveryNetworkModel, ChannelsHaveOneIdForEqualEnds) {
  const Cluster cluster = small_cluster();
  const std::unique_ptr<Network> network = model().make(cluster);
  const ChannelId there = network->channel(kA, kB, Latency::kFirst);
  EXPECT_EQ(network->channel(kA, kB, Latency::kFirst), there);
  EXPECT_NE(network->channel(kB, kA, Latency::kFirst), there);
  EXPECT_NE(network->channel(kA, kB, Latency::kLast), there);
}

TEST_P(EveryNetworkModel, TheTimeOfAMessageAloneIsKnownBeforeItStarts) {
  const Cluster cluster = small_cluster();
  const std::unique_ptr<Network> network = model().make(cluster);
  for (const Latency latency : {Latency::kFirst, Latency::kLast}) {
    for (const std::int64_t bytes : {0, 1, 1000}) {
      const auto alone = network->alone(network->channel(kA, kB, latency), Bytes{bytes});
      if (GetParam() == "loggp") {
        EXPECT_FALSE(alone) << "a message that has arrived may still delay the next one";
        continue;
      }
      ASSERT_TRUE(alone);
      EXPECT_EQ(Times{alone->count()}, arrivals(GetParam(), cluster, {{kA, kB, bytes, 0, latency}}));
    }
  }
  EXPECT_EQ(network->is_idle(Time{}), GetParam() != "loggp") << "no message was handed over; loggp does not tell";
}

std::vector<std::string> models_that_time_messages() {
  std::vector<std::string> names;
  for (const NetworkModel* const model : network_models()) {
    if (model->make != nullptr) names.emplace_back(model->name);
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(Models, EveryNetworkModel, ::testing::ValuesIn(models_that_time_messages()));

TEST(AlphaBetaTest, MessagesDoNotHoldEachOtherUp) {
  EXPECT_EQ(arrivals("alpha_beta", small_cluster(), {{kA, kB, 1000}, {kA, kB, 1000}, {kC, kB, 1000}}),
            (Times{1107, 1107, 1107}));
}

TEST(AlphaBetaTest, TheNarrowestLinksGoodputCounts) {
  Cluster cluster = small_cluster();
  cluster.links[3].efficiency = 0.5;  // the link into B
  EXPECT_EQ(arrivals("alpha_beta", cluster, {{kA, kB, 1000}}), Times{2107});
}

TEST(FifoTest, ALinkCarriesOneMessageAtATime) {
  // Both messages leave A. The second one follows 1000 ns later, when the first has left A's link.
  EXPECT_EQ(arrivals("fifo", small_cluster(), {{kA, kB, 1000}, {kA, kC, 1000}}), (Times{1107, 2107}));
}

TEST(FifoTest, TheFirstHeadToReachALinkGoesFirst) {
  // C's message starts 10 ns after A's message and waits for the link into B.
  EXPECT_EQ(arrivals("fifo", small_cluster(), {{kA, kB, 1000}, {kC, kB, 1000, 10}}), (Times{1107, 2107}));
}

TEST(FifoTest, ASmallMessageWaitsBehindALargeOne) {
  EXPECT_EQ(arrivals("fifo", small_cluster(), {{kA, kB, 1'000'000}, {kA, kC, 1}}), (Times{1'000'107, 1'000'108}));
}

TEST(FifoTest, TheTailFollowsAsFastAsTheSlowestLinkLetsIt) {
  // The bytes take 1000 ns on the link out of A and 4000 ns on the link into B, so the message takes 7 + 50 + 4000 + 50
  // ns. It takes as long if the link out of A is the slow one.
  Cluster cluster = small_cluster();
  cluster.links[3].bandwidth = Bandwidth::from_bytes_per_second(0.25e9);
  EXPECT_EQ(arrivals("fifo", cluster, {{kA, kB, 1000}}), Times{4107});
  cluster = small_cluster();
  cluster.links[0].bandwidth = Bandwidth::from_bytes_per_second(0.25e9);
  EXPECT_EQ(arrivals("fifo", cluster, {{kA, kB, 1000}}), Times{4107});
}

TEST(FifoTest, TheSenderGoesOnWhenTheBytesHaveLeft) {
  const auto passages = send_all(*find_network_model("fifo"), small_cluster(), {{kA, kB, 10}});
  EXPECT_EQ(count(passages.front().sent), 17);
  EXPECT_EQ(count(passages.front().arrived), 117);
}

/// Returns a cluster with LogGP's parameters L = 100 ns, o = 20 ns, g = 5 ns and G = 1 ns per byte.
Cluster log_gp_cluster() {
  Cluster cluster = small_cluster();
  cluster.network = {};
  cluster.network.set_value(*find_network_parameter("loggp.o"), Duration{20});
  cluster.network.set_value(*find_network_parameter("loggp.g"), Duration{5});
  return cluster;
}

TEST(LogGPTest, AMessageTakesTwoOverheadsLatencyAndTheBytesBehindTheFirst) {
  // A message of B bytes takes o + L + (B - 1) G + o. The sender continues after the first o.
  const auto passages = send_all(*find_network_model("loggp"), log_gp_cluster(), {{kA, kB, 1000}});
  EXPECT_EQ(count(passages.front().sent), 20);
  EXPECT_EQ(count(passages.front().arrived), 20 + 100 + 999 + 20);
}

TEST(LogGPTest, TheNicIsBusyForTheGapAndTheBytes) {
  // The second message starts after g + (B - 1) G = 1004 ns.
  EXPECT_EQ(arrivals("loggp", log_gp_cluster(), {{kA, kB, 1000}, {kA, kC, 1000}}), (Times{1139, 2143}));
}

TEST(LogGPTest, SmallMessagesWaitForTheProcessor) {
  // A message of one byte occupies the NIC for 5 ns and the processor for 20 ns.
  EXPECT_EQ(arrivals("loggp", log_gp_cluster(), {{kA, kB, 1}, {kA, kC, 1}}), (Times{140, 160}));
}

TEST(LogGPTest, AReceiverTakesOneMessageAfterTheOther) {
  // The first bytes of both messages arrive at 120 ns. The first message occupies B's processor until 120 + 20 + 999 =
  // 1139 ns.
  EXPECT_EQ(arrivals("loggp", log_gp_cluster(), {{kA, kB, 1000}, {kC, kB, 1000}}), (Times{1139, 2158}));
}

TEST(LogGPTest, AReceiverTakesWhatArrivesFirst) {
  // C's message starts first, so B receives it first. A's message of 10 bytes must wait, although it could have arrived
  // long before the last byte of C's message.
  EXPECT_EQ(arrivals("loggp", log_gp_cluster(), {{kA, kB, 10, 1}, {kC, kB, 1000}}), (Times{1139 + 29, 1139}));
}

TEST(MaxMinTest, MessagesShareALinkFairly) {
  // Each of the two messages of 1000 bytes gets half a byte per nanosecond of the link into B: 7 + 100 + 2000 ns.
  EXPECT_EQ(arrivals("maxmin", small_cluster(), {{kA, kB, 1000}, {kC, kB, 1000}}), (Times{2107, 2107}));
}

TEST(MaxMinTest, WhatIsLeftMovesFasterWhenAnotherHasEnded) {
  // At 1107 ns both messages have moved 500 bytes. The remaining 500 of the larger one then have the link alone.
  EXPECT_EQ(arrivals("maxmin", small_cluster(), {{kA, kB, 500}, {kC, kB, 1000}}), (Times{1107, 1607}));
}

TEST(MaxMinTest, MessagesOfOneChannelEndInOrderOfTheirBytes) {
  // Three messages share the link. After overhead and latency (107 ns), the shortest ends after 3 * 100 ns, the next
  // one 2 * 100 ns later, and the longest 100 ns after that.
  EXPECT_EQ(arrivals("maxmin", small_cluster(), {{kA, kB, 300}, {kA, kB, 100}, {kA, kB, 200}}),
            (Times{107 + 600, 107 + 300, 107 + 500}));
}

TEST(MaxMinTest, LatencyFirstUsesNoLinkMeanwhile) {
  // The second message has a latency of 1000 ns, during which the bytes of the first move alone: 7 + 100 + 500 ns. Its
  // own bytes move only after that.
  Cluster cluster = small_cluster();
  cluster.links[4].latency = Duration{950};  // the link out of C
  EXPECT_EQ(arrivals("maxmin", cluster, {{kA, kB, 500}, {kC, kB, 500}}), (Times{607, 1507}));
}

TEST(MaxMinTest, LatencyLastLetsTheNextMessageFollowAtOnce) {
  const auto passages = send_all(*find_network_model("maxmin"), small_cluster(),
                                 {{kA, kB, 500, 0, Latency::kLast}, {kA, kB, 500, 507, Latency::kLast}});
  EXPECT_EQ(count(passages[0].sent), 507);
  EXPECT_EQ(count(passages[0].arrived), 607);
  EXPECT_EQ(count(passages[1].sent), 507 + 507);
  EXPECT_EQ(count(passages[1].arrived), 507 + 607);
}

TEST(MaxMinTest, AHundredThousandMessagesOfOneChannelTakeAsLongAsTheirBytes) {
  const std::vector<Sending> sendings(100'000, {kA, kB, 10});
  const Times times = arrivals("maxmin", small_cluster(), sendings);
  EXPECT_EQ(*std::min_element(times.begin(), times.end()), 107 + 1'000'000);
  EXPECT_EQ(*std::max_element(times.begin(), times.end()), 107 + 1'000'000);
}

/// A collective of `size` ranks, of which one was captured.
Dag lone_collective(std::uint32_t size, std::string_view algorithm) {
  DagBuilder builder;
  const RendezvousId rendezvous = builder.add_rendezvous({.op = CollectiveOp::kAllReduce,
                                                          .algorithm = find_collective_model(algorithm),
                                                          .bytes = Bytes{1},
                                                          .group = builder.add_group({.size = size})});
  builder.join(rendezvous, builder.add_task({.name = builder.intern("x"), .lane = builder.add_lane({})}));
  return std::move(builder).build().dag;
}

TEST(AbsentMembersTest, LargeGroupsAreSimulatedIfTheirCollectivesAreTimedAsAWhole) {
  for (const CollectiveModel* const model : collective_models()) {
    EXPECT_TRUE(can_simulate_members(lone_collective(kMostAbsentMembers, model->name), RendezvousId{0}));
    EXPECT_EQ(can_simulate_members(lone_collective(kMostAbsentMembers + 1, model->name), RendezvousId{0}),
              model->name == "nccl")
        << model->name;
  }
}

/// Returns a capture with one collective of two ranks, on a lane that may be a link.
Capture capture_with(CollectiveOp op, Bytes bytes, std::uint32_t size, const Lane& lane = {}) {
  DagBuilder builder;
  const RendezvousId rendezvous =
      builder.add_rendezvous({.op = op, .bytes = bytes, .group = builder.add_group({.size = size})});
  const LaneId lane_id = builder.add_lane(Lane{lane});
  builder.join(rendezvous,
               builder.add_task({.kind = TaskKind::kCollective, .name = builder.intern("x"), .lane = lane_id}));
  builder.add_task({.kind = TaskKind::kCollective, .name = builder.intern("alone"), .lane = lane_id});
  Capture capture;
  capture.dag = std::move(builder).build().dag;
  return capture;
}

TEST(CaptureQuestionsTest, LinksAreUsedByMessagesOfKnownSize) {
  EXPECT_TRUE(uses_links(capture_with(CollectiveOp::kAllReduce, Bytes{1}, 2)));
  EXPECT_TRUE(uses_links(capture_with(CollectiveOp::kSendRecv, Bytes{1}, 2)));
  EXPECT_TRUE(uses_links(capture_with(CollectiveOp::kAllReduce, Bytes{1}, 1)));
  EXPECT_FALSE(uses_links(capture_with(CollectiveOp::kAllReduce, Bytes{0}, 2)));
  EXPECT_TRUE(
      uses_links(capture_with(CollectiveOp::kAllReduce, Bytes{0}, 2, {.from = EndpointId{0}, .to = EndpointId{1}})));
}

TEST(CaptureQuestionsTest, ACollectiveIsSizedIfItMovesBytesBetweenSeveralRanks) {
  EXPECT_TRUE(has_sized_collectives(capture_with(CollectiveOp::kAllReduce, Bytes{1}, 2)));
  EXPECT_FALSE(has_sized_collectives(capture_with(CollectiveOp::kAllReduce, Bytes{0}, 2)));
  EXPECT_FALSE(has_sized_collectives(capture_with(CollectiveOp::kAllReduce, Bytes{1}, 1)));
  EXPECT_FALSE(has_sized_collectives(capture_with(CollectiveOp::kUnknown, Bytes{1}, 2)));
  EXPECT_FALSE(has_sized_collectives(capture_with(CollectiveOp::kSendRecv, Bytes{1}, 2)));
}

TEST(CaptureQuestionsTest, ATaskKeepsItsRecordedTimeIfNothingCanBeSimulated) {
  const NetworkModel& recorded = *find_network_model("recorded");
  const NetworkModel& simulated = *find_network_model("alpha_beta");
  const Capture sized = capture_with(CollectiveOp::kAllReduce, Bytes{1}, 2);
  EXPECT_TRUE(keeps_recorded_time(sized, TaskId{0}, recorded));
  EXPECT_FALSE(keeps_recorded_time(sized, TaskId{0}, simulated));
  EXPECT_TRUE(keeps_recorded_time(sized, TaskId{1}, simulated)) << "it has no counterpart";
  EXPECT_TRUE(keeps_recorded_time(capture_with(CollectiveOp::kAllReduce, Bytes{0}, 2), TaskId{0}, simulated));
  EXPECT_TRUE(keeps_recorded_time(capture_with(CollectiveOp::kUnknown, Bytes{1}, 2), TaskId{0}, simulated));
  EXPECT_FALSE(keeps_recorded_time(capture_with(CollectiveOp::kBarrier, Bytes{0}, 2), TaskId{0}, simulated));
}

TEST(CaptureQuestionsTest, CopiesBetweenDevicesCrossALinkAndKeepTheirRecordedTime) {
  DagBuilder builder;
  const LaneId lane = builder.add_lane({.kind = LaneKind::kStream});
  for (const char* const name : {"Memcpy PtoP (Device -> Device)", "Memcpy DtoD (Device -> Device)", "Memcpy HtoD"})
    builder.add_task({.kind = TaskKind::kCopy, .name = builder.intern(name), .lane = lane});
  builder.add_task({.kind = TaskKind::kKernel, .name = builder.intern("gemm"), .lane = lane});
  Capture capture;
  capture.dag = std::move(builder).build().dag;
  EXPECT_TRUE(has_transfers(capture));
  for (const TaskId task : capture.dag.tasks()) {
    EXPECT_EQ(crosses_link(capture.dag, task), task == TaskId{0});
    EXPECT_EQ(keeps_recorded_time(capture, task, *find_network_model("maxmin")), task == TaskId{0});
  }
  EXPECT_TRUE(has_transfers(capture_with(CollectiveOp::kUnknown, Bytes{}, 2)));
  EXPECT_FALSE(has_transfers(Capture{}));
}

TEST(CaptureQuestionsTest, LoneCollectivesAreThoseWithoutAllTheirMembers) {
  // The rendezvous has one of its two members, and the other task has no rendezvous.
  EXPECT_EQ(lone_collectives(capture_with(CollectiveOp::kAllReduce, Bytes{1}, 2)), 2U);
  EXPECT_EQ(lone_collectives(capture_with(CollectiveOp::kAllReduce, Bytes{1}, 1)), 1U);
}

}  // namespace
}  // namespace stepsim

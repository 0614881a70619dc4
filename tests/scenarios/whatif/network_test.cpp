// Tests one message between two computations. A step takes their times, the latency, and the time of the bytes at the
// link's rate.

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "model/job/dag_builder.h"
#include "sim/analysis/summary.h"
#include "tests/model/rewrite/data_parallel_job.h"
#include "tests/model/rewrite/parameter_server/workload_maker.h"
#include "tests/scenarios/question.h"

namespace stepsim::testing::network_test {
namespace {

using std::chrono::microseconds;

constexpr Duration kBefore = microseconds{100};
constexpr Duration kAfter = microseconds{2000};
constexpr Duration kLatency = microseconds{20};  // two links of 10 us
constexpr Duration kWire = microseconds{1000};   // 1 MB at 1 GB/s

/// Returns a job in which `senders` hosts send 1 MB each to one more host at the same time. That host computes after
/// the message of the first sender has arrived.
Question message_question(std::size_t senders = 1) {
  DagBuilder builder;
  TaskId first;
  for (std::size_t sender = 0; sender < senders; ++sender) {
    const LaneId host = builder.add_lane({.name = "host"});
    const LaneId link = builder.add_lane({.name = "link", .from = EndpointId{sender}, .to = EndpointId{senders}});
    const TaskId before =
        builder.add_task({.kind = TaskKind::kOperator, .name = builder.intern("c"), .lane = host, .duration = kBefore});
    const TaskId message = builder.add_task(
        {.kind = TaskKind::kTransfer, .name = builder.intern("m"), .lane = link, .bytes = Bytes{1'000'000}});
    builder.add_edge(before, message, EdgeKind::kData);
    if (sender == 0) first = message;
  }
  const LaneId receiver = builder.add_lane({.name = "receiver"});
  const TaskId after = builder.add_task(
      {.kind = TaskKind::kOperator, .name = builder.intern("c"), .lane = receiver, .duration = kAfter});
  builder.add_edge(first, after, EdgeKind::kData);
  Capture capture;
  capture.dag = std::move(builder).build().dag;
  return Question(std::move(capture), switch_of(static_cast<std::uint32_t>(senders) + 1, 1e9, microseconds{10}),
                  "maxmin");
}

TEST(NetworkWhatIf, BandwidthIsScaledOrSet) {
  const Question question = message_question();
  EXPECT_EQ(question.iteration(), kBefore + kLatency + kWire + kAfter);
  EXPECT_EQ(question.iteration({"network.bandwidth=2x"}), kBefore + kLatency + kWire / 2 + kAfter);
  EXPECT_EQ(question.iteration({"network.bandwidth=0.25x"}), kBefore + kLatency + kWire * 4 + kAfter);
  EXPECT_EQ(question.iteration({"network.bandwidth=4Gb/s"}), kBefore + kLatency + kWire * 2 + kAfter);
  EXPECT_EQ(question.iteration({"network.bandwidth=4x", "network.bandwidth=0.5x"}),
            question.iteration({"network.bandwidth=2x"}));
}

/// Returns a job in which rank 0 sends 1 MB to rank 1 and continues when all but 400 kB have been sent. The rest is in
/// a buffer.
Question pipeline_question() {
  DagBuilder builder;
  const RendezvousId message = builder.add_rendezvous(
      {.op = CollectiveOp::kSendRecv, .bytes = Bytes{1'000'000}, .root = 0, .buffered = Bytes{400'000}});
  for (const Rank rank : {0, 1}) {
    const LaneId lane = builder.add_lane({.name = "host", .rank = rank});
    const auto add = [&](TaskKind kind, Duration duration) {
      return builder.add_task({.kind = kind, .name = builder.intern("t"), .lane = lane, .duration = duration});
    };
    const TaskId call = add(TaskKind::kCollective, microseconds{1});
    builder.join(message, call);
    const TaskId after = add(TaskKind::kOperator, rank == 0 ? microseconds{9000} : microseconds{1});
    builder.add_edge(call, after, EdgeKind::kProgram);
  }
  Capture capture;
  capture.dag = std::move(builder).build().dag;
  return Question(std::move(capture), switch_of(2, 1e9, microseconds{10}), "maxmin");
}

TEST(NetworkWhatIf, WhatASendLeavesInItsBuffersGrowsWithTheRate) {
  const Question question = pipeline_question();
  EXPECT_EQ(question.iteration(), kLatency + microseconds{600} + microseconds{9000});
  // At twice the rate 800 kB remain buffered, so rank 0 waits only for 200 kB.
  EXPECT_EQ(question.iteration({"network.bandwidth=2x"}), kLatency + microseconds{100} + microseconds{9000});
  // At half the rate 200 kB remain buffered, so rank 0 waits for 800 kB.
  EXPECT_EQ(question.iteration({"network.bandwidth=0.5x"}), kLatency + microseconds{1600} + microseconds{9000});
  // At ten times the rate the whole message is buffered.
  EXPECT_EQ(question.iteration({"network.bandwidth=10x"}), kLatency + microseconds{9000});
  EXPECT_EQ(question.iteration({"network.bandwidth=4x", "network.bandwidth=0.5x"}),
            question.iteration({"network.bandwidth=2x"}));
}

TEST(NetworkWhatIf, WhatASendLeavesInItsBuffersIsCommunicationUntilItHasArrived) {
  const Question question = pipeline_question();
  // The sender continues earlier. What is buffered follows the rest of the message, with a latency of its own.
  for (const auto& [factor, wire] : {std::pair{"1x", 1000}, std::pair{"10x", 100}, std::pair{"0.25x", 4000}}) {
    const auto found = question.predicted({std::string("network.bandwidth=") + factor});
    const sim::Summary summary = sim::summarize(*found.graph, found.timeline);
    for (const sim::RankBreakdown& rank : summary.ranks)
      EXPECT_EQ(rank.communication, kLatency * 2 + microseconds{wire}) << factor << " of rank " << rank.rank;
  }
}

TEST(NetworkWhatIf, WhatIsBufferedDoesNotDependOnWhichQuestionIsAskedFirst) {
  // The rate grows from 1 to 4 GB/s, or only from 2 to 4 GB/s: 1.6 MB or 800 kB remain buffered.
  const Duration all = kLatency + microseconds{9000};
  const Duration most = all + microseconds{50};
  const Question one_first = pipeline_question();
  EXPECT_EQ(one_first.iteration({"network.bandwidth=4GB/s"}), all);
  EXPECT_EQ(one_first.iteration({"cluster.nic=2GB/s", "network.bandwidth=4GB/s"}), most);
  const Question other_first = pipeline_question();
  EXPECT_EQ(other_first.iteration({"cluster.nic=2GB/s", "network.bandwidth=4GB/s"}), most);
  EXPECT_EQ(other_first.iteration({"network.bandwidth=4GB/s"}), all);
}

TEST(NetworkWhatIf, LatencyAppliesToEveryLinkOfTheRoute) {
  const Question question = message_question();
  EXPECT_EQ(question.iteration({"network.latency=3x"}), kBefore + kLatency * 3 + kWire + kAfter);
  EXPECT_EQ(question.iteration({"network.latency=50us"}), kBefore + microseconds{100} + kWire + kAfter);
  EXPECT_EQ(question.iteration({"network.latency=0us"}), kBefore + kWire + kAfter);
}

TEST(NetworkWhatIf, OverheadAppliesToEveryMessage) {
  EXPECT_EQ(message_question().iteration({"network.overhead=70us"}),
            kBefore + microseconds{70} + kLatency + kWire + kAfter);
}

TEST(NetworkWhatIf, EfficiencyIsTheShareOfPayload) {
  EXPECT_EQ(message_question().iteration({"network.efficiency=0.8"}), kBefore + kLatency + kWire * 5 / 4 + kAfter);
}

TEST(NetworkWhatIf, SharingDividesALinkAmongItsSenders) {
  const Question question = message_question(2);
  EXPECT_EQ(question.iteration({"network.sharing=fair"}), kBefore + kLatency + kWire * 2 + kAfter);
  EXPECT_EQ(question.iteration({"network.sharing=serial"}), kBefore + kLatency + kWire + kAfter);
  // The first sender has weight 1 and the second 0.5, so the first message gets two thirds of the link.
  EXPECT_EQ(question.iteration({"network.sharing=0.5"}), kBefore + kLatency + kWire * 3 / 2 + kAfter);
}

/// Returns a data-parallel job with four ranks on a switch with 1 GB/s.
Question ring_question() {
  return Question(DataParallelJob{.ranks = 4}.capture(), switch_of(4, 1e9, microseconds{10}), "maxmin");
}

TEST(NetworkWhatIf, OneSlowNicSlowsTheWholeRing) {
  const Question question = ring_question();
  const auto ring = [&](const std::string& set) { return question.iteration({"comm.algorithm=ring", set}); };
  // DataParallelJob computes for 41 ms. Only its last bucket, 2.6 MB, is not hidden: six rounds with a quarter of it
  // each, at half the rate.
  EXPECT_EQ(ring("network{rank=2}.bandwidth=0.5x"), microseconds{41'000} + (kLatency + microseconds{1300}) * 6);
  EXPECT_EQ(ring("network{rank=2}.bandwidth=4Gb/s"), ring("network{rank=2}.bandwidth=0.5x"));
  EXPECT_EQ(ring("network{rank=2}.bandwidth=0.5x"), ring("network.bandwidth=0.5x"));
}

TEST(NetworkWhatIf, OneFastNicAmongOthersIsNoGain) {
  const Question question = ring_question();
  EXPECT_EQ(question.iteration({"comm.algorithm=ring", "network{rank=2}.bandwidth=2x"}),
            question.iteration({"comm.algorithm=ring"}));
  EXPECT_EQ(question.iteration({"network{rank=1}.bandwidth=1x", "network{rank=3}.latency=1x"}), question.iteration());
}

TEST(NetworkWhatIf, OfAPartTakesNoParametersOfTheWhole) {
  EXPECT_NE(problem_of(ring_question(), {"network{rank=1}.overhead=5us"}).find("applies to the whole network"),
            std::string::npos);
  EXPECT_NE(problem_of(ring_question(), {"network{kind=host}.bandwidth=2x"}).find("no collective and no message"),
            std::string::npos);
  EXPECT_NE(problem_of(message_question(), {"network{rank=7}.bandwidth=2x"}).find("matches none"), std::string::npos);
}

TEST(NetworkWhatIf, TheCapturedValuesChangeNothing) {
  const Question question = message_question(2);
  for (const char* const set : {"network.bandwidth=8Gb/s", "network.latency=10us", "network.overhead=0us",
                                "network.efficiency=1", "network.sharing=fair"}) {
    EXPECT_EQ(question.iteration({set}), question.iteration()) << set;
  }
}

}  // namespace
}  // namespace stepsim::testing::network_test

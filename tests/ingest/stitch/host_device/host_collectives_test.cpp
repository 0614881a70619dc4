// Tests what the collectives of PyTorch traces transfer, who waits for them, and when gradients are complete.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "model/cost/collective/algorithm.h"
#include "model/job/group.h"
#include "tests/ingest/stitched.h"
#include "tests/ingest/trace_maker.h"

namespace stepsim::ingest {
namespace {

using testing::edge;
using testing::find;
using testing::stitched;
using testing::TraceMaker;
using testing::us;

/// Builds a rank whose only work is a host collective on its main thread.
HostDeviceTrace host_rank(const std::string& name, std::int64_t bytes, double arrival = 100) {
  TraceMaker maker;
  const std::uint32_t event = maker.add(EventKind::kAnnotation, name, maker.thread("1"), arrival, 500 - arrival);
  maker.detail(event).bytes = Bytes{bytes};
  return maker.trace;
}

/// Builds a rank with one NCCL kernel whose metadata names operation, size and group.
HostDeviceTrace nccl_rank(const std::string& kernel, const std::string& operation, std::int64_t bytes,
                          const std::string& group) {
  TraceMaker maker;
  maker.add(EventKind::kRuntimeCall, "cudaLaunchKernel", maker.thread("1"), 0, 5, 1);
  const std::uint32_t event = maker.add(EventKind::kKernel, kernel, maker.stream(14), 100, 400, 1);
  EventDetail detail;
  detail.bytes = Bytes{bytes};
  if (!operation.empty()) detail.collective = maker.text(operation);
  detail.group = maker.group(group);
  maker.detail(event) = detail;
  return maker.trace;
}

/// Builds a rank that launches NCCL kernels without metadata under one annotation of the framework, which has the size
/// of the collective. PyTorch before 2.1 recorded them in this way.
HostDeviceTrace annotated_rank(const std::string& kernel, const std::string& annotation, std::int64_t bytes,
                               int kernels = 1) {
  TraceMaker maker;
  const std::uint32_t mark = maker.add(EventKind::kAnnotation, annotation, maker.thread("1"), 0, 90);
  maker.detail(mark).bytes = Bytes{bytes};
  for (int k = 0; k < kernels; ++k) {
    maker.add(EventKind::kRuntimeCall, "cudaLaunchKernel", maker.thread("1"), 10 + 20 * k, 5, k);
    maker.add(EventKind::kKernel, kernel, maker.stream(14), 100 + 400 * k, 400, k);
  }
  return maker.trace;
}

Collective only_collective(const Capture& capture) {
  EXPECT_EQ(capture.dag.rendezvous_count(), 1U);
  return capture.dag.rendezvous_count() == 1 ? capture.dag.collective(RendezvousId{0}) : Collective{};
}

TEST(PayloadTest, AnnotationDescribesAKernelWithoutMetadata) {
  const std::string kernel = "ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclWorkElem)";
  const HostDeviceTrace rank = annotated_rank(kernel, "nccl:all_to_all", 24'576);
  const Collective collective = only_collective(stitched({rank, rank}));

  EXPECT_EQ(collective.op, CollectiveOp::kAllToAll);
  EXPECT_EQ(collective.bytes, Bytes{24'576});
}

TEST(PayloadTest, AnnotationHasOneMembersPartOfAnAllGather) {
  const HostDeviceTrace rank = annotated_rank("ncclKernel_AllGather_RING_LL(x)", "nccl:_all_gather_base", 1'000);
  EXPECT_EQ(only_collective(stitched({rank, rank, rank})).bytes, Bytes{3'000});
}

TEST(PayloadTest, AnnotationOfSeveralKernelsDescribesNone) {
  const HostDeviceTrace rank = annotated_rank("ncclKernel_AllReduce_RING_LL(x)", "nccl:all_reduce", 1'000, 2);
  const Capture capture = stitched({rank, rank});
  ASSERT_EQ(capture.dag.rendezvous_count(), 2U);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(capture.dag.collective(RendezvousId{i}).bytes, Bytes{0});
}

TEST(PayloadTest, GlooSaysOperationAndSizeOfAnAllReduce) {
  const Collective collective =
      only_collective(stitched({host_rank("gloo:all_reduce", 4096), host_rank("gloo:all_reduce", 4096)}));

  EXPECT_EQ(collective.op, CollectiveOp::kAllReduce);
  EXPECT_EQ(collective.bytes, Bytes{4096});
}

TEST(PayloadTest, GlooSaysOneMembersPartOfAnAllGather) {
  const HostDeviceTrace rank = host_rank("gloo:all_gather", 4096);
  const Collective collective = only_collective(stitched({rank, rank, rank}));

  EXPECT_EQ(collective.op, CollectiveOp::kAllGather);
  EXPECT_EQ(collective.bytes, Bytes{std::int64_t{3} * 4096});
}

TEST(PayloadTest, RootOfAMessageIsItsSender) {
  const Collective forward = only_collective(stitched({host_rank("gloo:send", 64), host_rank("gloo:recv", 64)}));
  const Collective backward = only_collective(stitched({host_rank("gloo:recv", 64), host_rank("gloo:send", 64)}));

  EXPECT_EQ(forward.op, CollectiveOp::kSendRecv);
  EXPECT_EQ(forward.root, 0U);
  EXPECT_EQ(backward.root, 1U);
}

TEST(PayloadTest, MetadataHasTheWholeSizeAndNcclChoosesTheAlgorithm) {
  const auto job = [](const std::string& kernel, std::int64_t bytes) {
    const HostDeviceTrace rank = nccl_rank(kernel, "_allgather_base", bytes, "[0, 1]");
    return only_collective(stitched({rank, rank}));
  };

  const Collective ring = job("ncclDevKernel_AllGather_RING_LL(ncclDevComm*)", 1 << 20);
  EXPECT_EQ(ring.op, CollectiveOp::kAllGather);
  EXPECT_EQ(ring.bytes, Bytes{1 << 20});
  EXPECT_EQ(ring.algorithm, find_collective_model("nccl"));
  // The algorithm in the kernel's name need not be the one that ran.
  EXPECT_EQ(job("ncclDevKernel_AllReduce_Sum_f32_TREE_LL", 4096).algorithm, find_collective_model("nccl"));
}

TEST(PayloadTest, RanksThatTheGroupListsTakePartAlthoughTheyWereNotCaptured) {
  const HostDeviceTrace rank = nccl_rank("ncclDevKernel_AllReduce_Sum_f32_RING_LL", "allreduce", 4096, "[0, 1, 2, 3]");
  const Capture capture = stitched({rank, rank});

  const Collective collective = only_collective(capture);
  EXPECT_EQ(collective.bytes, Bytes{4096});
  EXPECT_EQ(capture.dag.group(collective.group), (Group{"", 4, {0, 1, 2, 3}}));
  EXPECT_TRUE(knows_members(capture.dag, RendezvousId{0}));
}

TEST(PayloadTest, CollectivesWithMembersThatAreNotKnownKeepTheirRecordedTime) {
  const HostDeviceTrace rank = nccl_rank("ncclDevKernel_AllReduce_Sum_f32_RING_LL", "allreduce", 4096, "[0, 1, ?, ?]");
  const Capture capture = stitched({rank, rank});

  EXPECT_EQ(only_collective(capture).bytes, Bytes{});
  EXPECT_TRUE(std::any_of(capture.assumptions.begin(), capture.assumptions.end(), [](const Assumption& assumption) {
    return assumption.sentence.find("1 of 1 collectives") != std::string::npos;
  })) << "the report says that a network model leaves it alone";
}

TEST(PayloadTest, ReasonsWhyACollectiveKeepsItsTimeAreCountedSeparately) {
  const std::string kernel = "ncclDevKernel_AllReduce_Sum_f32_RING_LL";
  const auto reasons = [](const HostDeviceTrace& rank) {
    const Capture capture = stitched({rank, rank});
    std::vector<std::string> keys;
    for (const Assumption& assumption : capture.assumptions) {
      if (assumption.sentence.find("of 1 collectives") != std::string::npos) keys.push_back(assumption.id);
    }
    return keys;
  };
  using Keys = std::vector<std::string>;
  EXPECT_EQ(reasons(nccl_rank(kernel, "allreduce", 4096, "[0, 1]")), Keys{});
  EXPECT_EQ(reasons(nccl_rank(kernel, "allreduce", 0, "[0, 1]")), Keys{"unsized_collectives"});
  EXPECT_EQ(reasons(nccl_rank(kernel, "allreduce", 4096, "[0, 1, ?, ?]")), Keys{"absent_members"});
  EXPECT_EQ(reasons(nccl_rank(kernel, "allreduce", 0, "[0, 1, ?, ?]")),
            (Keys{"unsized_collectives", "absent_members"}));
}

TEST(PayloadTest, PartOfTheOnlyRankStandsForAllMembers) {
  const std::string kernel = "ncclDevKernel_AllReduce_Sum_f32_RING_LL";
  const Capture capture = stitched({nccl_rank(kernel, "allreduce", 4096, "[0, 8, 16, 24]")});
  const Collective collective = only_collective(capture);

  EXPECT_EQ(collective.op, CollectiveOp::kAllReduce);
  EXPECT_EQ(collective.bytes, Bytes{4096});
  EXPECT_EQ(capture.dag.group(collective.group), (Group{"", 4, {0, 8, 16, 24}}));
}

TEST(PayloadTest, JobOfOneRankHasNoCollectives) {
  EXPECT_EQ(stitched({host_rank("gloo:all_reduce", 4096)}).dag.rendezvous_count(), 0U);
  EXPECT_EQ(stitched({host_rank("gloo:send", 4096)}).dag.rendezvous_count(), 0U);
}

TEST(PayloadTest, KernelOfUnknownOperationKeepsItsRecordedTime) {
  const HostDeviceTrace rank = nccl_rank("ncclDevKernel_SendRecv(ncclDevComm*)", "", 4096, "[0, 1]");

  EXPECT_EQ(only_collective(stitched({rank, rank})).op, CollectiveOp::kUnknown);
}

TEST(PayloadTest, SenderThatReturnsEarlyLeftTheRestInBuffers) {
  // Both arrive at 100 us. The sender returns after 300 us, and the receiver after 400 us. So a quarter of the 4000
  // bytes was still in buffers when the sender returned.
  HostDeviceTrace sender = host_rank("gloo:send", 4000);
  sender.duration.set(0, us(300));

  EXPECT_EQ(only_collective(stitched({sender, host_rank("gloo:recv", 4000)})).buffered, Bytes{1000});
  EXPECT_EQ(only_collective(stitched({host_rank("gloo:recv", 4000), sender})).buffered, Bytes{1000});
}

/// Builds a rank whose main thread works for 200 us, submits a collective, records nothing until `woken`, and works
/// again. The collective's thread closes its annotation at `closed`. Times are in microseconds.
Capture waiting_rank(double woken, double closed) {
  TraceMaker maker;
  const TrackId main = maker.thread("1");
  maker.add(EventKind::kOp, "backward", main, 0, 200);
  maker.add(EventKind::kOp, "c10d::allreduce_", main, 200, 20);
  maker.add(EventKind::kAnnotation, "gloo:all_reduce", maker.thread("2"), 215, closed - 215);
  maker.add(EventKind::kOp, "optimizer", main, woken, 50);
  maker.add(EventKind::kOp, "last", main, 60'000, 50);
  return stitched({maker.trace});
}

TEST(HostCollectiveWaitTest, CollectiveThatIsClosedLateEndsWhereTheMainThreadGoesOn) {
  const Capture capture = waiting_rank(20'000, 20'900);

  const TaskId collective = find(capture, "gloo:all_reduce");
  EXPECT_EQ(capture.recording.finish[collective.index()], Time{us(20'000)});
  ASSERT_TRUE(edge(capture, collective, find(capture, "optimizer")).has_value());
  EXPECT_EQ(edge(capture, collective, find(capture, "optimizer"))->kind, EdgeKind::kHandOff);
}

TEST(HostCollectiveWaitTest, CollectiveThatGoesOnForLongIsNotWaitedFor) {
  const Capture capture = waiting_rank(20'000, 40'000);

  const TaskId collective = find(capture, "gloo:all_reduce");
  EXPECT_EQ(capture.recording.finish[collective.index()], Time{us(40'000)});
  EXPECT_FALSE(edge(capture, collective, find(capture, "optimizer")).has_value());
}

/// Builds a rank whose main thread records nothing for 3 ms. During that time another thread makes 20 launches of 5 us,
/// one every `pitch_us`. No operator of either thread was recorded.
Capture launching_beside(double pitch_us) {
  TraceMaker maker;
  const TrackId main = maker.thread("1");
  const TrackId other = maker.thread("2");
  const TrackId stream = maker.stream(7);
  maker.add(EventKind::kRuntimeCall, "hipLaunchKernel", main, 0, 10, 0);
  maker.add(EventKind::kKernel, "forward", stream, 20, 50, 0);
  for (int i = 1; i <= 20; ++i) {
    const double begin = 100 + (i - 1) * pitch_us;
    maker.add(EventKind::kRuntimeCall, "hipLaunchKernel", other, begin, 5, i);
    maker.add(EventKind::kKernel, "backward", stream, begin + 20, 10, i);
  }
  maker.add(EventKind::kRuntimeCall, "hipDeviceSynchronize", main, 3010, 5, 50);
  return stitched({maker.trace});
}

TEST(HostCollectiveWaitTest, ThreadThatLaunchesWithoutAPauseWorksForTheSilentMainThread) {
  const Capture capture = launching_beside(99);
  const TaskId first = find(capture, "hipLaunchKernel", 100);
  ASSERT_TRUE(first.valid());
  EXPECT_EQ(capture.recording.unexplained.size(), 0U);
}

TEST(HostCollectiveWaitTest, ThreadThatLaunchesNowAndThenDoesNot) {
  EXPECT_NE(launching_beside(140).recording.unexplained.size(), 0U);
}

TEST(GradientTest, GradientIsCompleteWhenTheHooksOfItsAccumulationHaveRun) {
  constexpr const char* kAround = "autograd::engine::evaluate_function: torch::autograd::AccumulateGrad";
  TraceMaker maker;
  const TrackId main = maker.thread("1");
  for (const int begin : {100, 500}) {
    maker.add(EventKind::kOp, "backward", main, begin - 100, 100);
    maker.add(EventKind::kOp, kAround, main, begin, 200);
    const std::uint32_t event = maker.add(EventKind::kOp, "torch::autograd::AccumulateGrad", main, begin + 10, 80);
    maker.detail(event).bytes = Bytes{begin};
    maker.add(EventKind::kOp, "aten::div_", main, begin + 95, 60);
  }

  const Capture capture = stitched({maker.trace});

  ASSERT_EQ(capture.gradients.size(), 2U);
  EXPECT_EQ(capture.gradients[0].bytes, Bytes{100});
  EXPECT_EQ(capture.recording.finish[capture.gradients[0].ready.index()], Time{us(300)});
  EXPECT_EQ(capture.gradients[1].bytes, Bytes{500});
  EXPECT_EQ(capture.recording.finish[capture.gradients[1].ready.index()], Time{us(700)});
}

/// Builds a main thread with `silences` short operators and long gaps (silences) between them, and `threads` other
/// threads. Each other thread has one short operator near the end or, if `collectives`, one collective that runs
/// throughout.
HostDeviceTrace silent_rank(int silences, int threads, bool collectives) {
  constexpr double kPeriod = 20'000;
  TraceMaker maker;
  const TrackId main = maker.thread("1");
  for (int i = 0; i < silences; ++i) maker.add(EventKind::kOp, "aten::mm", main, kPeriod * i, 10);
  const double end = kPeriod * silences;
  for (int t = 0; t < threads; ++t) {
    const TrackId row = maker.thread(std::to_string(10 + t));
    if (collectives) {
      maker.add(EventKind::kAnnotation, "gloo:all_reduce", row, 1 + t, end);
    } else {
      maker.add(EventKind::kOp, "aten::add", row, end - 30, 10);
    }
  }
  return std::move(maker.trace);
}

TEST(SilencesTest, StayBesideThousandsOfThreadsOrRunningCollectives) {
  for (const bool collectives : {false, true}) {
    HostDeviceTrace trace = silent_rank(60'000, 12'000, collectives);
    std::vector<HostDeviceTrace> ranks;
    ranks.push_back(std::move(trace));
    EXPECT_GT(stitched(std::move(ranks)).dag.task_count(), 60'000U) << (collectives ? "collectives" : "threads");
  }
}

}  // namespace
}  // namespace stepsim::ingest

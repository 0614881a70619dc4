#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/parts/collective_calls.h"
#include "ingest/stitch/host_device/rank_events.h"
#include "tests/ingest/stitched.h"
#include "tests/ingest/trace_maker.h"

namespace stepsim::ingest {
namespace {

using testing::find;
using testing::stitched;
using testing::TraceMaker;
using testing::us;

constexpr std::string_view kNccl = "ncclDevKernel_AllReduce_Sum_f32_RING_LL";
constexpr std::string_view kPeerCopy = "Memcpy PtoP (Device -> Device)";

/// Builds traces with a call of a collective from 0 to 100 us.
class CallMaker : public TraceMaker {
 public:
  explicit CallMaker(const std::string& operation = "allreduce", const std::string& group = "[0, 1]") {
    call = add(EventKind::kOp, std::string(kRecordedCall), main, 0, 100);
    EventDetail known;
    known.bytes = Bytes{4096};
    known.sequence = 7;
    known.collective = text(operation);
    known.group = this->group(group);
    detail(call) = known;
  }

  /// Adds device work from `begin` for 100 us, and the call that launches it.
  std::uint32_t work(EventKind kind, std::string_view name, double called, double begin, std::int64_t correlation,
                     std::int64_t stream_number = 14) {
    add(EventKind::kRuntimeCall, "cudaLaunchKernel", main, called, 5, correlation);
    return add(kind, std::string(name), stream(stream_number), begin, 100, correlation);
  }

  [[nodiscard]] bool is_described(std::uint32_t event) const { return trace.detail[event] == trace.detail[call]; }

  std::uint32_t call = 0;
  TrackId main = thread("1");
};

TEST(CollectiveCallsTest, AKernelGetsTheArgumentsOfTheCallThatLaunchedIt) {
  CallMaker maker;
  const std::uint32_t inside = maker.work(EventKind::kKernel, kNccl, 10, 200, 1);
  const std::uint32_t other = maker.work(EventKind::kKernel, "gemm", 110, 320, 2, 7);
  join_collectives(maker.trace);
  EXPECT_TRUE(maker.is_described(inside));
  EXPECT_FALSE(maker.is_described(other));

  const Capture capture = stitched({maker.trace, maker.trace});
  ASSERT_EQ(capture.dag.rendezvous_count(), 1U);
  EXPECT_EQ(capture.dag.collective(RendezvousId{0}).op, CollectiveOp::kAllReduce);
  EXPECT_EQ(capture.dag.collective(RendezvousId{0}).bytes, Bytes{4096});
}

TEST(CollectiveCallsTest, ANumberThatIsUsedAgainBelongsToTheLastCallBeforeTheWork) {
  CallMaker maker;
  const std::uint32_t inside = maker.work(EventKind::kKernel, kNccl, 10, 200, 1);
  const std::uint32_t later = maker.work(EventKind::kKernel, kNccl, 1'000, 1'100, 1);
  join_collectives(maker.trace);
  EXPECT_TRUE(maker.is_described(inside));
  EXPECT_FALSE(maker.is_described(later));
}

TEST(CollectiveCallsTest, WhateverMovesTheBytesIsTheCollective) {
  const auto described = [](const std::vector<std::pair<EventKind, std::string_view>>& works, bool directly = true,
                            const std::string& group = "[0, 1]") {
    CallMaker maker("allgather", group);
    if (!directly) maker.add(EventKind::kOp, "aten::copy_", maker.main, 5, 90);
    std::vector<bool> found;
    std::vector<std::uint32_t> events;
    for (const auto& [kind, name] : works) {
      const auto place = static_cast<std::int64_t>(events.size());
      const auto times = static_cast<double>(place);
      events.push_back(maker.work(kind, name, 10 + 10 * times, 200 + 100 * times, place));
    }
    join_collectives(maker.trace);
    found.reserve(events.size());
    for (const std::uint32_t event : events) found.push_back(maker.is_described(event));
    return found;
  };
  using enum EventKind;
  constexpr std::string_view kToHost = "Memcpy DtoH (Device -> Pinned)";
  using Found = std::vector<bool>;
  EXPECT_EQ(described({{kMemcpy, kPeerCopy}, {kMemcpy, kPeerCopy}}), (Found{true, true}));
  EXPECT_EQ(described({{kMemcpy, "Memcpy DtoD (Device -> Device)"}}), (Found{true}));
  EXPECT_EQ(described({{kKernel, kNccl}, {kMemcpy, kPeerCopy}}), (Found{true, false}));
  EXPECT_EQ(described({{kKernel, "push_to_peer"}}), (Found{true}));
  EXPECT_EQ(described({{kKernel, "push_to_peer"}, {kKernel, kNccl}}), (Found{false, true}));
  EXPECT_EQ(described({{kMemcpy, kToHost}, {kMemset, "Memset"}}), (Found{false, false}));
  EXPECT_EQ(described({{kMemcpy, kPeerCopy}, {kKernel, "elementwise"}}, false), (Found{false, false}));
  EXPECT_EQ(described({{kKernel, kNccl}}, false), (Found{true}));
  EXPECT_EQ(described({{kMemcpy, kPeerCopy}}, true, "[3]"), (Found{false})) << "a group of one rank sends nothing";
}

TEST(CollectiveCallsTest, ACallThatOnlyWaitsLaunchesNoCollective) {
  CallMaker maker("wait");
  const std::uint32_t inside = maker.work(EventKind::kKernel, kNccl, 10, 200, 1);
  join_collectives(maker.trace);
  EXPECT_FALSE(maker.is_described(inside));
}

TEST(CollectiveCallsTest, ACopyBetweenDevicesIsACollective) {
  CallMaker maker("_allgather_base");
  maker.work(EventKind::kMemcpy, kPeerCopy, 10, 200, 1);
  join_collectives(maker.trace);
  const Capture capture = stitched({maker.trace, maker.trace});
  ASSERT_EQ(capture.dag.rendezvous_count(), 1U);
  EXPECT_EQ(capture.dag.collective(RendezvousId{0}).op, CollectiveOp::kAllGather);
  EXPECT_EQ(capture.dag.collective(RendezvousId{0}).bytes, Bytes{4096});
  EXPECT_EQ(capture.dag.kind(find(capture, kPeerCopy)), TaskKind::kCollective);
}

TEST(CollectiveCallsTest, KernelsOfOneCallAreOneCollective) {
  for (const std::int64_t second_stream : {14, 15}) {
    CallMaker maker;
    maker.add(EventKind::kAnnotation, "ProfilerStep#1", maker.main, 0, 1'000);
    maker.work(EventKind::kKernel, kNccl, 10, 200, 1);
    maker.work(EventKind::kKernel, kNccl, 20, 310, 2, second_stream);
    join_collectives(maker.trace);
    const Capture capture = stitched({maker.trace, maker.trace});
    ASSERT_EQ(capture.dag.rendezvous_count(), 1U);
    EXPECT_EQ(capture.dag.collective(RendezvousId{0}).bytes, Bytes{4096});
    const TaskId task = find(capture, kNccl);
    EXPECT_EQ(capture.recording.start[task.index()], Time{us(200)});
    EXPECT_EQ(capture.recording.finish[task.index()], Time{us(410)});
    EXPECT_EQ(capture.dag.duration(task), us(210));
    EXPECT_EQ(capture.diagnostics.count_of("lost_kernels"), 0U) << "the second launch has its kernel";
  }
}

TEST(CollectiveCallsTest, KernelsWithOtherWorkInBetweenStaySeparate) {
  CallMaker maker;
  maker.work(EventKind::kKernel, kNccl, 10, 200, 1);
  maker.work(EventKind::kKernel, kNccl, 20, 500, 2);
  maker.work(EventKind::kKernel, "gemm", 200, 350, 3);
  join_collectives(maker.trace);
  EXPECT_EQ(arrange(maker.trace).ops.size(), 3U);
}

}  // namespace
}  // namespace stepsim::ingest

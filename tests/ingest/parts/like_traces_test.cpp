#include "ingest/parts/like_traces.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>

#include "tests/ingest/trace_maker.h"

namespace stepsim::ingest {
namespace {

using testing::TraceMaker;

/// Returns a trace of three kernels, of which the second takes `length` and all begin `later`.
HostDeviceTrace trace_of(double length, double later) {
  TraceMaker maker;
  for (int k = 0; k < 3; ++k)
    maker.add(EventKind::kKernel, "gemm", maker.stream(7), later + k * 10'000, k == 1 ? length : 5, k);
  return std::move(maker.trace);
}

TEST(LikeTracesTest, TracesThatDifferAreNotComparedThoughTheyHaveEquallyManyEvents) {
  LikeTraces like;
  for (int rank = 0; rank < 1'000; ++rank) {
    HostDeviceTrace trace = trace_of(4'000 + rank, 0);
    EXPECT_EQ(like.share(trace).later, Duration{});
  }
  for (int rank = 0; rank < 1'000; ++rank) {
    HostDeviceTrace trace = trace_of(5, 0);
    trace.texts.push_back("group " + std::to_string(rank));
    EXPECT_EQ(like.share(trace).later, Duration{});
  }
  EXPECT_EQ(like.compared(), 0U);
}

TEST(LikeTracesTest, EachTraceIsComparedWithOneThatIsLikeIt) {
  constexpr std::size_t kRanks = 1'000;
  constexpr std::size_t kClasses = 10;
  LikeTraces like;
  for (std::size_t rank = 0; rank < kRanks; ++rank) {
    HostDeviceTrace trace = trace_of(static_cast<double>(rank % kClasses), static_cast<double>(rank));
    const SharedEvents shared = like.share(trace);
    EXPECT_EQ(shared.later, Duration{static_cast<std::int64_t>(1'000 * (rank - rank % kClasses))});
  }
  EXPECT_EQ(like.compared(), kRanks - kClasses);
}

}  // namespace
}  // namespace stepsim::ingest

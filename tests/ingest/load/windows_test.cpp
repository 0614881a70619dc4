#include "ingest/load/job_parts.h"

#include <gtest/gtest.h>

#include "tests/ingest/trace_maker.h"

namespace stepsim::ingest {
namespace {

using testing::TraceMaker;

/// Returns a trace of process 1 on host "h". Its call at `begin_us` launches a kernel that ends 120 us after
/// `begin_us`.
RankTrace window(double begin_us, const std::string& file, std::optional<std::int64_t> rank = std::nullopt) {
  TraceMaker maker;
  maker.add(EventKind::kRuntimeCall, "cudaLaunchKernel", maker.thread("1"), begin_us, 10, 5);
  maker.add(EventKind::kKernel, "kernel of " + file, maker.stream(7), begin_us + 20, 100, 5);
  maker.trace.host_name = "h";
  maker.trace.rank = rank;
  return {std::move(maker.trace), file, 0};
}

TEST(WindowsTest, TracesOfOneProcessThatFollowEachOtherBecomeOneWithoutThePause) {
  std::vector<RankTrace> traces{window(5000, "late"), window(1000, "early")};
  Assembly assembly;
  join_windows(traces, assembly);
  ASSERT_EQ(traces.size(), 1U);
  EXPECT_EQ(traces[0].file, "early");
  const HostDeviceTrace& trace = traces[0].trace;
  ASSERT_EQ(trace.size(), 4U);
  EXPECT_EQ(trace.start[2], Time{Duration{1'120'000}});  // the end of the first window, in ns
  EXPECT_EQ(trace.text(trace.name[3]), "kernel of late");
  EXPECT_EQ(trace.track[2], trace.track[0]);
  EXPECT_NE(trace.correlation[2], trace.correlation[0]) << "the profiler may count from the start again";
  EXPECT_EQ(trace.correlation[2], trace.correlation[3]);
  ASSERT_EQ(trace.windows.size(), 2U);
  EXPECT_EQ(trace.windows[1].first, trace.windows[0].second);
  EXPECT_EQ(assembly.assumptions.size(), 1U);
}

TEST(WindowsTest, KernelsKeepTheirLaunches) {
  std::vector<RankTrace> traces{window(1000, "early"), window(5000, "late")};
  for (std::size_t i = 0; i < traces.size(); ++i) {
    traces[i].trace.launches = {{.blocks = 10 + i, .threads = 64, .registers = 16, .shared_memory = 0}};
    traces[i].trace.launch_of = {{1, 0}};
  }
  Assembly assembly;
  join_windows(traces, assembly);
  const HostDeviceTrace& trace = traces.at(0).trace;
  ASSERT_EQ(trace.launch_of.size(), 2U);
  for (const auto& [event, which] : trace.launch_of)
    EXPECT_EQ(trace.launches[which].blocks, event == 1 ? 10U : 11U) << trace.text(trace.name[event]);
  EXPECT_EQ(trace.launch_of[1].first, 3U);
}

TEST(WindowsTest, TracesThatOverlapAreRanks) {
  std::vector<RankTrace> traces{window(1000, "a"), window(1100, "b")};
  Assembly assembly;
  join_windows(traces, assembly);
  EXPECT_EQ(traces.size(), 2U);
  EXPECT_TRUE(assembly.assumptions.empty());
}

TEST(WindowsTest, TracesThatNameDifferentRanksAreRanks) {
  std::vector<RankTrace> traces{window(1000, "a", 0), window(5000, "b", 1)};
  Assembly assembly;
  join_windows(traces, assembly);
  EXPECT_EQ(traces.size(), 2U);
}

TEST(WindowsTest, RanksStayTogether) {
  std::vector<RankTrace> traces{window(1000, "a0", 0), window(1200, "b0", 1), window(5000, "a1", 0),
                                window(5300, "b1", 1)};
  Assembly assembly;
  join_windows(traces, assembly);
  ASSERT_EQ(traces.size(), 2U);
  // The pause that is removed is from 1320 us, the end of the last rank's first window, to 5000 us.
  EXPECT_EQ(traces[0].trace.start[2], Time{Duration{1'320'000}});
  EXPECT_EQ(traces[1].trace.start[2], Time{Duration{1'620'000}});
}

}  // namespace
}  // namespace stepsim::ingest

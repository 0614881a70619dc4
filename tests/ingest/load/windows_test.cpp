#include "ingest/load/job_parts.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ingest/parts/process_groups.h"
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
  EXPECT_EQ(trace.windows[1].begin, trace.windows[0].end);
  EXPECT_EQ(assembly.assumptions.size(), 1U);
}

TEST(WindowsTest, KernelsKeepTheirLaunches) {
  std::vector<RankTrace> traces{window(1000, "early"), window(5000, "late")};
  for (std::size_t i = 0; i < traces.size(); ++i) {
    traces[i].trace.launches = {{.blocks = 10 + i, .threads = 64, .registers = 16, .shared_memory = 0}};
    traces[i].trace.launch_of.set(1, 0);
  }
  Assembly assembly;
  join_windows(traces, assembly);
  const HostDeviceTrace& trace = traces.at(0).trace;
  EXPECT_EQ(trace.launches.at(trace.launch_of[1]).blocks, 10U);
  EXPECT_EQ(trace.launches.at(trace.launch_of[3]).blocks, 11U);
  EXPECT_EQ(trace.launch_of[2], HostDeviceTrace::kNone);
}

/// Returns window() with a row of each list of a trace, whose times are 10, 20, ... us after `begin_us`. `tag`
/// distinguishes its texts and values.
RankTrace full_window(double begin_us, const std::string& tag, std::int64_t value) {
  TraceMaker maker;
  maker.text("only in " + tag);  // so that equal texts have other numbers in the two traces
  const TrackId thread = maker.thread(tag);
  const TrackId stream = maker.stream(7);
  const std::uint32_t call = maker.add(EventKind::kRuntimeCall, "cudaLaunchKernel", thread, begin_us, 5, 5);
  const std::uint32_t kernel = maker.add(EventKind::kKernel, "ncclDevKernel", stream, begin_us + 20, 100, 5);
  EventDetail& detail = maker.detail(kernel);
  detail.collective = maker.text("allreduce");
  detail.group = maker.group({.name = maker.text("group of " + tag),
                              .size = static_cast<std::uint32_t>(value),
                              .ranks = {},
                              .own = 1,
                              .nodes = 3});
  detail.dtype = maker.text("Float");
  detail.wait_correlation = 5;
  const auto at = [&](std::int64_t later_us) {
    return Time{Duration{(static_cast<std::int64_t>(begin_us) + later_us) * 1000}};
  };
  HostDeviceTrace& trace = maker.trace;
  trace.host_name = "h";
  trace.modules = {{thread, maker.text("module of " + tag), at(10), Duration{value}}};
  trace.python = {{thread, maker.text("function of " + tag), at(20), Duration{value}}};
  trace.memory = {{at(30), thread, static_cast<std::uint64_t>(value), 0, Bytes{value}, Bytes{value}, Bytes{value}}};
  trace.overheads = {{maker.text("overhead of " + tag), at(40), Duration{value}}};
  trace.transports.emplace_back().group = tag;
  trace.operators.emplace_back().name = "operator of " + tag;
  trace.operator_of.set(call, 0);
  trace.launches = {{.blocks = static_cast<std::uint64_t>(value), .threads = 1, .registers = 1, .shared_memory = 1}};
  trace.launch_of.set(kernel, 0);
  trace.steps = {{call, value}};
  trace.flops_of = {{call, static_cast<double>(value)}};
  trace.hand_overs = {{call, kernel}};
  trace.storage_uses = {{kernel, true, value}};
  trace.collective_calls = {{call, true, value}};
  return {std::move(trace), tag, 0};
}

TEST(WindowsTest, WhatBelongsToTheSecondWindowIsInItsPlaceAndTime) {
  std::vector<RankTrace> traces{full_window(1000, "early", 11), full_window(5000, "late", 12)};
  Assembly assembly;
  join_windows(traces, assembly);
  ASSERT_EQ(traces.size(), 1U);
  const HostDeviceTrace& trace = traces[0].trace;
  ASSERT_EQ(trace.size(), 4U);
  // The first window ends at 1,120 us, so the second moves from 5,000 us to there.
  const auto at = [](std::int64_t later_us) { return Time{Duration{(1120 + later_us) * 1000}}; };
  EXPECT_EQ(trace.start[2], at(0));
  EXPECT_EQ(trace.duration[2], Duration{5'000});
  EXPECT_EQ(trace.kind[3], EventKind::kKernel);
  const TrackId thread = trace.track[2];
  EXPECT_EQ(trace.tracks[thread.index()].thread, "late");
  EXPECT_EQ(trace.track[3], trace.track[1]);  // the stream is in both

  ASSERT_EQ(trace.modules.size(), 2U);
  EXPECT_EQ(trace.modules[0].begin, Time{Duration{1'010'000}});
  EXPECT_EQ(trace.modules[1].begin, at(10));
  EXPECT_EQ(trace.modules[1].length, Duration{12});
  EXPECT_EQ(trace.modules[1].track, thread);
  EXPECT_EQ(trace.text(trace.modules[1].name), "module of late");
  ASSERT_EQ(trace.python.size(), 2U);
  EXPECT_EQ(trace.python[1].begin, at(20));
  EXPECT_EQ(trace.python[1].track, thread);
  EXPECT_EQ(trace.text(trace.python[1].name), "function of late");
  ASSERT_EQ(trace.memory.size(), 2U);
  EXPECT_EQ(trace.memory[1].time, at(30));
  EXPECT_EQ(trace.memory[1].track, thread);
  EXPECT_EQ(trace.memory[1].block, 12U);
  ASSERT_EQ(trace.overheads.size(), 2U);
  EXPECT_EQ(trace.overheads[1].start, at(40));
  EXPECT_EQ(trace.overheads[1].length, Duration{12});
  EXPECT_EQ(trace.text(trace.overheads[1].kind), "overhead of late");

  ASSERT_EQ(trace.groups.size(), 2U);
  EXPECT_EQ(trace.groups[1].size, 12U);
  ASSERT_EQ(trace.transports.size(), 2U);
  EXPECT_EQ(trace.transports[1].group, "late");
  ASSERT_NE(trace.detail_of(3), nullptr);
  const EventDetail& detail = *trace.detail_of(3);
  EXPECT_EQ(trace.text(detail.collective), "allreduce");
  EXPECT_EQ(key_of(trace, detail.group), "group of late");
  EXPECT_EQ(trace.text(detail.dtype), "Float");
  EXPECT_EQ(detail.wait_correlation, trace.correlation[2]);
  EXPECT_EQ(key_of(trace, trace.detail_of(1)->group), "group of early");

  EXPECT_EQ(trace.operators.at(trace.operator_of[2]).name, "operator of late");
  EXPECT_EQ(trace.launches.at(trace.launch_of[3]).blocks, 12U);
  EXPECT_EQ(trace.steps.at(1).event, 2U);
  EXPECT_EQ(trace.steps.at(1).number, 12);
  EXPECT_EQ(trace.flops_of.at(1).event, 2U);
  EXPECT_EQ(trace.flops_of.at(1).count, 12.0);
  EXPECT_EQ(trace.hand_overs.at(1).from, 2U);
  EXPECT_EQ(trace.hand_overs.at(1).to, 3U);
  ASSERT_EQ(trace.storage_uses.size(), 2U);
  EXPECT_EQ(trace.storage_uses[1].event, 3U);
  EXPECT_EQ(trace.storage_uses[1].storage, 12);
  ASSERT_EQ(trace.collective_calls.size(), 2U);
  EXPECT_EQ(trace.collective_calls[1].event, 2U);
  EXPECT_EQ(trace.collective_calls[1].sequence, 12);
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

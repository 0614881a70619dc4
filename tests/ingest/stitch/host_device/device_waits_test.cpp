#include "ingest/stitch/host_device/device_waits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "ingest/stitch/host_device/device_wait_passes.h"
#include "ingest/stitch/host_device/rank_events.h"
#include "tests/ingest/trace_maker.h"

namespace stepsim::ingest {
namespace {

using ::testing::ElementsAreArray;
using ::testing::SizeIs;
using testing::TraceMaker;

TEST(StreamOrderTest, WorkThatRunsInParallelIsOnRowsOfItsOwnAtMostSixteen) {
  // Twenty kernels that all run from 1,000 us on: the first 16 get the rows 0 to 15, and the others share the last row.
  TraceMaker maker;
  std::vector<std::uint32_t> rows;
  for (std::uint32_t i = 0; i < 20; ++i) {
    maker.add(EventKind::kKernel, "kernel", maker.stream(7), 10.0 * i, 2'000);
    rows.push_back(i < 16 ? i : 15);
  }
  RankEvents events = arrange(maker.trace);
  EXPECT_THAT(order_streams(events).row, ElementsAreArray(rows));
}

TEST(StreamOrderTest, WorkThatFollowsOtherWorkIsOnTheFirstRowThatIsFree) {
  // From 100 us on, row 0 is free again. An overlap of 1 us is an error of the clock.
  TraceMaker maker;
  for (const double begin : {0.0, 50.0, 99.0, 150.0})
    maker.add(EventKind::kKernel, "kernel", maker.stream(7), begin, 100);
  RankEvents events = arrange(maker.trace);
  EXPECT_THAT(order_streams(events).row, ElementsAreArray({0, 1, 0, 1}));
  EXPECT_EQ(events.ops[0].end, Time{Duration{99'000}});
}

/// Returns the ops for which a device-wide synchronisation waited, whose end was recorded, after a launch on each of
/// this many streams. Fails the test if the waited-for work is not known.
std::vector<std::uint32_t> awaited_of(int streams) {
  TraceMaker maker;
  const TrackId thread = maker.thread("1");
  for (int i = 0; i < streams; ++i) {
    maker.add(EventKind::kRuntimeCall, "cudaLaunchKernel", thread, 10 * i, 5, i);
    maker.add(EventKind::kKernel, "kernel", maker.stream(100 + i), 10 * i + 6, 2'000, i);
  }
  const std::uint32_t call = maker.add(EventKind::kRuntimeCall, "cudaDeviceSynchronize", thread, 1'000, 2'000, 1'000);
  maker.wait(SyncKind::kDevice, maker.stream(-1), 1'001, 1'998, 1'000);
  const RankEvents events = arrange(maker.trace);
  const SyncEvents syncs = read_sync_events(events);
  EXPECT_EQ(syncs.unresolved, 0U);
  const std::vector<std::uint32_t>* const awaited = syncs.awaited_by(call);
  return awaited == nullptr ? std::vector<std::uint32_t>{} : *awaited;
}

TEST(SyncEventsTest, ADeviceWideSynchronisationWaitsForTheLastWorkOfUpToSixtyFourStreams) {
  EXPECT_THAT(awaited_of(1), SizeIs(1));
  EXPECT_THAT(awaited_of(64), SizeIs(64));
  EXPECT_THAT(awaited_of(65), SizeIs(0));
}

}  // namespace
}  // namespace stepsim::ingest

#include "sim/stats/memory_use.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/sim/stats/measured_maker.h"

namespace stepsim::testing {
namespace {

using sim::CopyUse;

/// Adds a copy that moves `bytes`.
void copy(MeasuredMaker& maker, LaneId lane, const std::string& name, std::int64_t begin, std::int64_t end,
          std::int64_t bytes) {
  maker.add(lane, TaskKind::kCopy, name, begin, end);
  maker.dag.builder.task(TaskId{maker.dag.builder.task_count() - 1}).bytes = Bytes{bytes};
}

TEST(CopyUseTest, SizesAndRates) {
  MeasuredMaker maker;
  const LaneId stream = maker.stream(0, 0, "stream 7");
  copy(maker, stream, "HtoD", 0, 1'000, 4'000);
  copy(maker, stream, "HtoD", 2'000, 2'500, 1'000);
  copy(maker, stream, "DtoH", 3'000, 3'000, 64);
  maker.add(stream, TaskKind::kCopy, "of unknown size", 4'000, 5'000);
  maker.add(stream, TaskKind::kKernel, "gemm", 5'000, 6'000);
  const Capture capture = maker.make();
  const std::vector<CopyUse> use = sim::copy_use(sim::measured_work(capture, {}));
  ASSERT_EQ(use.size(), 2U);
  EXPECT_EQ(use[0].name, "HtoD");
  EXPECT_EQ(use[0].count, 2U);
  EXPECT_EQ(use[0].total, Bytes{5'000});
  EXPECT_EQ(use[0].smallest, Bytes{1'000});
  EXPECT_EQ(use[0].median, Bytes{2'500});
  EXPECT_EQ(use[0].largest, Bytes{4'000});
  EXPECT_DOUBLE_EQ(use[0].rate(), 5'000 / 1'500e-9);
  EXPECT_DOUBLE_EQ(use[0].highest_rate, 4'000 / 1'000e-9);
  EXPECT_EQ(use[1].name, "DtoH");
  EXPECT_EQ(use[1].rate(), 0);  // the copy took no time
}

/// Other work began before the end of the copy, so stitching split the copy into two tasks. The last one has the copy's
/// size.
TEST(CopyUseTest, ACopyOfTwoTasksIsOne) {
  MeasuredMaker maker;
  const LaneId stream = maker.stream(0, 0, "stream 7");
  const TaskId first = maker.add(stream, TaskKind::kCopy, "HtoD", 0, 600);
  copy(maker, stream, "HtoD", 600, 1'000, 4'000);
  const TaskId last{maker.dag.builder.task_count() - 1};
  const Capture capture = maker.make();
  const auto part = [&](TaskId task, bool whole) {
    return TraceDetails::RecordedTask{maker.dag.new_id(task), Time{}, Time{Duration{1'000}}, whole};
  };
  TraceDetails details;
  details.tasks = {part(first, true), part(last, false)};
  const std::vector<CopyUse> use = sim::copy_use(sim::measured_work(capture, details));
  ASSERT_EQ(use.size(), 1U);
  EXPECT_EQ(use[0].count, 1U);
  EXPECT_EQ(use[0].total, Bytes{4'000});
  EXPECT_EQ(use[0].time, Duration{1'000});
}

TEST(CopyUseTest, TheCurveMovesWhatWasMoved) {
  MeasuredMaker maker;
  const LaneId stream = maker.stream(0, 0, "stream 7");
  const LaneId beside = maker.stream(0, 0, "stream 9");
  copy(maker, stream, "HtoD", 0, 100'000, 1'000'000);
  copy(maker, beside, "HtoD", 50'000, 150'000, 500'000);
  const Capture capture = maker.make();
  const CopyUse use = sim::copy_use(sim::measured_work(capture, {})).front();
  ASSERT_LE(use.curve.size(), CopyUse::kMostPoints + 1);
  double moved = 0;
  double highest = 0;
  for (std::size_t i = 0; i + 1 < use.curve.size(); ++i) {
    const auto width = static_cast<double>((use.curve[i + 1].time - use.curve[i].time).count());
    moved += use.curve[i].bytes_per_second * width * 1e-9;
    highest = std::max(highest, use.curve[i].bytes_per_second);
  }
  EXPECT_EQ(use.curve.back().bytes_per_second, 0);
  EXPECT_NEAR(moved, 1'500'000, 1);
  EXPECT_NEAR(highest, 15e9, 1e3);  // two copies at the same time, of 10 and 5 bytes per nanosecond
}

}  // namespace
}  // namespace stepsim::testing

#include "sim/profile/range_summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/base/error.h"
#include "sim/profile/scaling.h"
#include "sim/profile/timeline_document.h"
#include "tests/thrown_by.h"

namespace stepsim::sim {
namespace {

using stepsim::testing::thrown_by;

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

std::vector<Duration> nanoseconds(std::initializer_list<std::int64_t> times) { return {times.begin(), times.end()}; }

std::optional<Duration> mean(std::initializer_list<std::int64_t> times, RangeMean which) {
  return mean_of({times.begin(), times.end()}, which);
}

/// The times are 1 to 9 ns and a stall of 1000 ns. The median is (5 + 6) / 2 rounded down. The trimmed mean is that of
/// 3 to 8, and the arithmetic mean is (45 + 1000) / 10 rounded down. The first decile (kEarly) of ten values is the
/// smallest.
TEST(RangeMeanTest, StallsMoveTheArithmeticMeanOnly) {
  const std::initializer_list<std::int64_t> times{1000, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  EXPECT_EQ(mean(times, RangeMean::kMedian), Duration{5});
  EXPECT_EQ(mean(times, RangeMean::kTrimmed), Duration{5});  // 33 / 6, rounded down
  EXPECT_EQ(mean(times, RangeMean::kArithmetic), Duration{104});
  EXPECT_EQ(mean(times, RangeMean::kEarly), Duration{1});
}

/// Of the 21 values 0 to 20, two are less than the first decile.
TEST(RangeMeanTest, ATenthIsLessThanTheFirstDecile) {
  std::vector<Duration> times;
  for (int i = 20; i >= 0; --i) times.emplace_back(i);
  EXPECT_EQ(mean_of(times, RangeMean::kEarly), Duration{2});
}

TEST(RangeMeanTest, OfNothingThereIsNone) { EXPECT_EQ(mean({}, RangeMean::kTrimmed), std::nullopt); }

/// The sum of 200,000 days in nanoseconds does not fit in 63 bits, but the mean is still a day.
TEST(RangeMeanTest, LongSumsDoNotOverflow) {
  constexpr Duration kDay{86'400'000'000'000};
  EXPECT_EQ(mean_of(std::vector<Duration>(200'000, kDay), RangeMean::kArithmetic), kDay);
}

MeasuredRange range(std::string name, std::string layer, std::int64_t length, std::int64_t begin, std::int64_t start,
                    std::int64_t end, std::int32_t device = 0) {
  return {.name = std::move(name),
          .layer = std::move(layer),
          .device = device,
          .stream = static_cast<std::uint32_t>(device),
          .start_index = start,
          .end_index = end,
          .lengths = nanoseconds({length, length, 100 * length}),
          .offsets = nanoseconds({begin, begin, begin + 1'000'000})};
}

ProfiledRun run_of(std::vector<MeasuredRange> ranges, std::string name = "run") {
  return {.name = std::move(name),
          .processes = {{.file = "f",
                         .host = "node",
                         .iterations = nanoseconds({1000, 1000, 9000}),
                         .streams = {"0x1", "0x2"},
                         .ranges = std::move(ranges)}}};
}

TEST(RangeSummaryTest, RangesInOthersAreToldByTheOrderOfStartsAndStops) {
  const ProfiledRun run = run_of({range("inner", "l", 10, 30, 1, 2), range("outer", "l", 100, 20, 0, 5),
                                  range("deep", "l", 5, 31, 3, 4), range("after", "l", 7, 200, 6, 7)});
  const std::vector<RangeSummary> found = summaries_of(run, {});
  ASSERT_THAT(found, SizeIs(4));
  EXPECT_EQ(found[0].label, "l.outer");
  EXPECT_EQ(found[0].depth, 0U);
  EXPECT_EQ(found[1].label, "l.inner");
  EXPECT_EQ(found[1].depth, 1U);
  EXPECT_EQ(found[2].label, "l.deep");
  EXPECT_EQ(found[2].depth, 1U);
  EXPECT_EQ(found[3].depth, 0U);
  EXPECT_EQ(found[1].length, Duration{10});
  EXPECT_EQ(found[1].begin, Duration{30});
  EXPECT_EQ(iteration_of(run, RangeMean::kMedian), Duration{1000});
}

TEST(RangeSummaryTest, WithoutLayersOccurrencesTellRangesApart) {
  RangeProfile profile{.ranges = {range("a", "", 1, 0, 0, 1), range("a", "", 1, 0, 2, 3), range("b", "", 1, 0, 4, 5),
                                  range("c", "High_Level", 1, 0, 6, 7)}};
  profile.ranges[1].occurrence = 1;
  EXPECT_THAT(labels_of(profile), ElementsAre("a#0", "a#1", "b", "c"));
}

/// In the order of the code, b comes after a. But b ends at 11 ns, before a begins at 500 ns.
TEST(RangeSummaryTest, BeginsAgainstTheOrderOfTheCodeAreCounted) {
  const ProfiledRun run = run_of({range("a", "l", 1, 500, 0, 1), range("b", "l", 1, 10, 2, 3),
                                  range("c", "l", 1, 600, 4, 5), range("d", "l", 1, 20, 0, 1, 1)});
  const OrderCheck order = order_of(run, summaries_of(run, {}));
  EXPECT_EQ(order.contradicted, 1U);  // only b, because d is on another stream
  EXPECT_EQ(order.all, 4U);
}

/// fc takes 100 and 140 ns on two devices, which is 120 ns on average and 140 ns at most. The range inside it counts
/// only if it is selected.
TEST(ScalingTest, LabelsAddUpOverStreams) {
  const std::vector<ProfiledRun> runs{
      run_of({range("fc", "l", 100, 0, 0, 3), range("fc.gemm", "l", 60, 10, 1, 2), range("fc", "l", 140, 0, 4, 5, 1)}),
      run_of({range("fc", "l", 50, 0, 0, 1), range("sync", "l", 30, 60, 2, 3)}, "half")};
  const Scaling scaling = scaling_of(runs, {}, RangeMean::kMedian);
  EXPECT_THAT(scaling.labels, ElementsAre("l.fc", "l.sync"));
  ASSERT_THAT(scaling.runs, SizeIs(2));
  EXPECT_EQ(scaling.runs[0].devices, 2U);
  EXPECT_EQ(scaling.runs[0].average, Duration{120});
  EXPECT_EQ(scaling.runs[0].most, Duration{140});
  EXPECT_EQ(scaling.runs[0].costs.at(0).where, "node, device 1");
  EXPECT_EQ(scaling.runs[1].average, Duration{80});
  EXPECT_EQ(scaling_of(runs, {"l.fc.gemm"}, RangeMean::kMedian).runs[0].average, Duration{60});
  EXPECT_EQ(scaling_of(runs, {"l"}, RangeMean::kMedian).runs[0].average, Duration{180});
}

/// Returns a run on `devices` devices, with an iteration of `nanoseconds`.
ProfiledRun run_on(std::int32_t devices, std::int64_t nanoseconds, const std::string& name) {
  std::vector<MeasuredRange> ranges;
  ranges.reserve(static_cast<std::size_t>(devices));
  for (std::int32_t device = 0; device < devices; ++device) ranges.push_back(range("fc", "l", 1, 0, 0, 1, device));
  ProfiledRun run = run_of(std::move(ranges), name);
  run.processes[0].streams.assign(static_cast<std::size_t>(devices), "s");
  run.processes[0].iterations = {Duration{nanoseconds}};
  return run;
}

/// The base is the run with the fewest devices, wherever it is in the list: 2 devices take 1200 ns. With weak scaling,
/// the ideal is 1200 ns for any number of devices, so 1500 ns on 8 devices are an efficiency of 1200 / 1500 = 0.8. With
/// strong scaling, the ideal is 1200 * 2 / 3 = 800 ns on 3 devices and 1200 * 2 / 8 = 300 ns on 8.
TEST(ScalingTest, IdealsCountFromTheSmallestRun) {
  const std::vector<ProfiledRun> runs{run_on(8, 1500, "eight"), run_on(2, 1200, "two"), run_on(3, 1000, "three")};
  const Scaling weak = scaling_of(runs, {}, RangeMean::kMedian, Ideal::kWeak);
  EXPECT_EQ(weak.smallest, 1U);
  for (const ScalingRun& run : weak.runs) EXPECT_EQ(run.ideal, Duration{1200});
  EXPECT_DOUBLE_EQ(weak.runs[0].efficiency.value(), 1200.0 / 1500.0);
  EXPECT_DOUBLE_EQ(weak.runs[1].efficiency.value(), 1.0);
  const Scaling strong = scaling_of(runs, {}, RangeMean::kMedian, Ideal::kStrong);
  EXPECT_EQ(strong.runs[0].ideal, Duration{1200 * 2 / 8});
  EXPECT_EQ(strong.runs[1].ideal, Duration{1200});
  EXPECT_EQ(strong.runs[2].ideal, Duration{1200 * 2 / 3});
  EXPECT_DOUBLE_EQ(strong.runs[0].efficiency.value(), 300.0 / 1500.0);
  EXPECT_DOUBLE_EQ(strong.runs[2].efficiency.value(), 800.0 / 1000.0);
  const BarChart chart = chart_of(strong);
  EXPECT_THAT(chart.line, HasSubstr("ideal (strong scaling)"));
  for (std::size_t row = 0; row < chart.rows.size(); ++row) EXPECT_EQ(chart.rows[row].mark, strong.runs[row / 3].ideal);
}

TEST(ScalingTest, WithoutAnIdealThereIsNone) {
  const Scaling scaling = scaling_of({run_on(1, 10, "one")}, {}, RangeMean::kMedian);
  EXPECT_EQ(scaling.runs[0].ideal, std::nullopt);
  EXPECT_EQ(scaling.runs[0].efficiency, std::nullopt);
  const BarChart chart = chart_of(scaling);
  EXPECT_EQ(chart.line, "");
  EXPECT_EQ(chart.rows[0].mark, std::nullopt);
}

/// A year times 300 devices exceeds 2^63 nanoseconds, but the time per device does not.
TEST(ScalingTest, IdealsDoNotOverflow) {
  constexpr std::int64_t kYear = 365LL * 86'400'000'000'000;
  const Scaling scaling =
      scaling_of({run_on(300, kYear, "a"), run_on(301, kYear, "b")}, {}, RangeMean::kMedian, Ideal::kStrong);
  EXPECT_EQ(scaling.runs[1].ideal, Duration{kYear / 301 * 300 + kYear % 301 * 300 / 301});
}

/// Only runs that measured whole iterations can be the base of ideals.
TEST(ScalingTest, IdealsNeedIterations) {
  ProfiledRun without = run_on(1, 10, "without");
  without.processes[0].iterations.clear();
  const Scaling scaling = scaling_of({without, run_on(2, 100, "two")}, {}, RangeMean::kMedian, Ideal::kStrong);
  EXPECT_EQ(scaling.smallest, 1U);
  EXPECT_EQ(scaling.runs[0].ideal, Duration{200});
  EXPECT_EQ(scaling.runs[0].efficiency, std::nullopt);
  EXPECT_THROW(static_cast<void>(scaling_of({without}, {}, RangeMean::kMedian, Ideal::kWeak)), CannotAnswer);
}

TEST(ScalingTest, AnUnknownLabelNamesTheNearest) {
  EXPECT_THAT(thrown_by<UsageError>(
                  [&] { return scaling_of({run_of({range("fc", "l", 1, 0, 0, 1)})}, {"l.fd"}, RangeMean::kMedian); }),
              HasSubstr("did you mean 'l.fc'?"));
}

/// A bar is drawn below the bar that contains it, and below a bar that it partly overlaps. Other bars are on the first
/// level.
TEST(RangeTimelineTest, OverlappingBarsLieBelowEachOther) {
  const ProfiledRun run = run_of({range("outer", "l", 100, 0, 0, 3), range("inner", "l", 20, 10, 1, 2),
                                  range("chance", "l", 30, 90, 4, 5), range("after", "l", 5, 200, 6, 7)});
  const Diagnostics none;
  const BarChart chart = chart_of({.run = run, .means = {}, .ranges = summaries_of(run, {}), .diagnostics = none});
  ASSERT_THAT(chart.rows, SizeIs(2));  // the iteration and one stream
  EXPECT_EQ(chart.rows[0].bars.at(0).length, Duration{1000});
  std::vector<std::uint32_t> levels;
  for (const BarChart::Bar& bar : chart.rows[1].bars) levels.push_back(bar.level);
  EXPECT_THAT(levels, ElementsAre(0, 1, 1, 0));
}

}  // namespace
}  // namespace stepsim::sim

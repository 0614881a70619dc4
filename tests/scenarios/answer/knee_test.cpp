#include "scenarios/answer/knee.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace stepsim::scenarios {
namespace {

using ::testing::Eq;
using ::testing::IsEmpty;
using ::testing::Optional;
using ::testing::SizeIs;

std::vector<Outcome> outcomes_of(const std::vector<int>& times) {
  std::vector<Outcome> outcomes;
  outcomes.reserve(times.size());
  for (const int time : times) {
    outcomes.push_back(time > 0 ? Outcome{Range<Duration>{Duration{time}, Duration{time}, Duration{time}}, {}}
                                : Outcome{std::nullopt, "cannot be had"});
  }
  return outcomes;
}

std::vector<Knee> knees_on(const std::vector<std::string>& values, const std::vector<int>& times) {
  return knees({.axes = {{"a.b", values}}}, outcomes_of(times));
}

TEST(BestPointTest, IsTheFirstOfTheShortest) {
  EXPECT_THAT(best_point(outcomes_of({300, 100, 0, 100})), Optional(Eq(1U)));
  EXPECT_EQ(best_point(outcomes_of({0, 0})), std::nullopt);
}

TEST(BestPointTest, IsNoneThatDoesNotFitIfAnotherMayFit) {
  std::vector<Outcome> outcomes = outcomes_of({100, 200, 300});
  const auto needs = [](std::int64_t gib) {
    const Bytes size{gib << 30};
    return MemoryNeed{.peak = {size, size, size}, .capacity = Bytes{std::int64_t{40} << 30}};
  };
  outcomes[0].memory = needs(50);
  outcomes[1].memory = needs(39);
  outcomes[2].memory = needs(10);
  EXPECT_THAT(best_point(outcomes), Optional(Eq(1U)));  // may not fit, but is not known not to
  for (Outcome& outcome : outcomes) outcome.memory = needs(50);
  EXPECT_THAT(best_point(outcomes), Optional(Eq(0U)));
}

/// Returns outcomes with these iteration times and numbers of workers.
std::vector<Outcome> of_workers(const std::vector<int>& times, const std::vector<std::uint32_t>& workers) {
  std::vector<Outcome> outcomes = outcomes_of(times);
  for (std::size_t i = 0; i < outcomes.size(); ++i) outcomes[i].workers = workers[i];
  return outcomes;
}

TEST(BestPointTest, OfDifferentWorkGetsMostDone) {
  // The points process 1 / 100, 2 / 110 and 4 / 300 batches per nanosecond, so the second is the best.
  EXPECT_THAT(best_point(of_workers({100, 110, 300}, {1, 2, 4})), Optional(Eq(1U)));
  std::vector<Outcome> outcomes = of_workers({100, 110, 300}, {1, 1, 1});
  outcomes[2].batches = 4;
  EXPECT_THAT(best_point(outcomes), Optional(Eq(2U)));
}

TEST(KneeTest, OfWorkersIsThatOfAWorkersThroughput) {
  const auto found =
      knees({.axes = {{"cluster.workers", {"1", "2", "4", "8"}}}}, of_workers({100, 103, 105, 150}, {1, 2, 4, 8}));
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_TRUE(found[0].of_workers);
  EXPECT_FALSE(found[0].upwards);
  EXPECT_EQ(found[0].value.mid, "4");
}

TEST(KneeTest, OfBatchesIsThatOfATimeForABatch) {
  std::vector<Outcome> outcomes = outcomes_of({60, 100, 190, 370});  // 120, 100, 95 and 92.5 ns per batch
  for (std::size_t i = 0; i < outcomes.size(); ++i) outcomes[i].batches = 0.5 * static_cast<double>(1U << i);
  const auto found = knees({.axes = {{"batch.scale", {"0.5", "1", "2", "4"}}}}, outcomes);
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].value.mid, "2");
  EXPECT_TRUE(found[0].upwards);
}

TEST(KneeTest, IsTheSmallestValueBeyondWhichAllAreWithinFivePercent) {
  const auto found = knees_on({"1x", "2x", "4x", "8x"}, {400, 200, 105, 100});
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].value.mid, "4x");
  EXPECT_TRUE(found[0].upwards);
  EXPECT_FALSE(found[0].whole_axis);
  EXPECT_THAT(knees_on({"1x", "2x", "4x", "8x"}, {400, 200, 106, 100}), IsEmpty());  // 8x saves 6 % compared to 4x
}

TEST(KneeTest, ValuesAreOrderedBySizeWhateverTheirUnits) {
  const auto found = knees_on({"1MiB", "512KiB", "2MB", "3000000B"}, {110, 200, 104, 100});
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].value.mid, "2MB");
}

TEST(KneeTest, ForALatencyIsTheLargestValueThatIsSmallEnough) {
  const auto found = knees_on({"1us", "10us", "100us", "1ms"}, {100, 101, 104, 150});
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].value.mid, "100us");
  EXPECT_FALSE(found[0].upwards);
}

TEST(KneeTest, AnAxisThatBuysNothingIsFlat) {
  const auto found = knees_on({"1x", "2x", "4x"}, {102, 101, 100});
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_TRUE(found[0].whole_axis);
}

TEST(KneeTest, ABestBetweenTwoWorseEndsIsNoKnee) {
  EXPECT_THAT(knees_on({"64KiB", "256KiB", "1MiB", "4MiB"}, {200, 100, 100, 200}), IsEmpty());
}

TEST(KneeTest, WordsMixedUnitsSingleValuesAndMissingPointsHaveNone) {
  EXPECT_THAT(knees_on({"fifo", "priority"}, {100, 100}), IsEmpty());
  EXPECT_THAT(knees_on({"1x", "25Gb/s"}, {100, 100}), IsEmpty());
  EXPECT_THAT(knees_on({"1x"}, {100}), IsEmpty());
  EXPECT_THAT(knees_on({"1x", "2x", "4x"}, {100, 0, 100}), IsEmpty());
}

/// Returns why the only axis has no knee, or nothing if it has one.
std::optional<NoKnee> reason_without_knee(const std::vector<std::string>& values, const std::vector<int>& times) {
  const auto found = axes_without_knee({.axes = {{"a.b", values}}}, outcomes_of(times));
  return found.empty() ? std::nullopt : std::optional(found.front().why);
}

TEST(NoKneeTest, AnAxisWithAKneeIsNotNamed) {
  EXPECT_EQ(reason_without_knee({"1x", "2x", "4x", "8x"}, {400, 200, 105, 100}), std::nullopt);
  EXPECT_EQ(reason_without_knee({"1x", "2x"}, {100, 100}), std::nullopt);
}

TEST(NoKneeTest, TheLastValueOfAMonotoneAxisStillBuys) {
  EXPECT_EQ(reason_without_knee({"1x", "2x", "4x"}, {400, 200, 100}), NoKnee::kLastBuys);
  EXPECT_EQ(reason_without_knee({"1us", "10us", "100us"}, {100, 200, 400}), NoKnee::kLastBuys);
  EXPECT_EQ(reason_without_knee({"4x", "1x", "2x"}, {100, 400, 200}), NoKnee::kLastBuys);  // the order does not matter
}

TEST(NoKneeTest, TheBestMayBeBetweenWorseValues) {
  EXPECT_EQ(reason_without_knee({"64KiB", "256KiB", "1MiB"}, {200, 100, 200}), NoKnee::kBestBetween);
}

TEST(NoKneeTest, ALineMayGoUpAndDown) {
  EXPECT_EQ(reason_without_knee({"1x", "2x", "4x"}, {100, 200, 100}), NoKnee::kUneven);
  EXPECT_EQ(reason_without_knee({"1x", "2x", "4x", "8x"}, {200, 100, 200, 104}), NoKnee::kUneven);
}

TEST(NoKneeTest, WordsSingleValuesAndMissingPointsAreTold) {
  EXPECT_EQ(reason_without_knee({"fifo", "priority"}, {100, 200}), NoKnee::kNoOrder);
  EXPECT_EQ(reason_without_knee({"1x", "25Gb/s"}, {100, 200}), NoKnee::kNoOrder);
  EXPECT_EQ(reason_without_knee({"1x"}, {100}), NoKnee::kOneValue);
  EXPECT_EQ(reason_without_knee({"1x", "2x", "4x"}, {100, 0, 100}), NoKnee::kMissing);
}

TEST(NoKneeTest, NamesTheBestValueOfEachAxis) {
  const Points points{.axes = {{"n.b", {"1x", "2x"}}, {"c.p", {"1", "2", "3"}}}};
  const auto found = axes_without_knee(points, outcomes_of({300, 200, 300, 200, 100, 200}));
  ASSERT_THAT(found, SizeIs(2));
  EXPECT_EQ(found[0].why, NoKnee::kLastBuys);
  EXPECT_EQ(found[0].best, "2x");
  EXPECT_EQ(found[1].why, NoKnee::kBestBetween);
  EXPECT_EQ(found[1].best, "2");
}

TEST(NoKneeTest, WithoutAnyAnswerThereIsNothingToExplain) {
  EXPECT_THAT(axes_without_knee({.axes = {{"a.b", {"1x", "2x"}}}}, outcomes_of({0, 0})), IsEmpty());
}

TEST(KneeTest, LiesOnTheLineThroughTheBestPoint) {
  // The first axis has the rows 1x, 2x, 4x, and the second the columns 1, 2, 3. The best point, 100, is in row 4x and
  // column 2. The first axis is judged along column 2, where 2x is within 5 % of the best point, so its knee is 2x. The
  // second axis is judged along row 4x, where the other points are far worse, so it has no knee.
  const Points points{.axes = {{"n.b", {"1x", "2x", "4x"}}, {"c.p", {"1", "2", "3"}}}};
  const auto found = knees(points, outcomes_of({500, 300, 500, 500, 104, 500, 400, 100, 300}));
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].axis, 0U);
  EXPECT_EQ(found[0].value.mid, "2x");
}

TEST(KneeTest, OfCertainPointsHasNoRange) {
  const auto found = knees_on({"1x", "2x", "4x", "8x"}, {400, 200, 105, 100});
  EXPECT_EQ(found[0].value.low, "4x");
  EXPECT_EQ(found[0].value.high, "4x");
}

TEST(KneeTest, HasTheRangeThatItsPointsAllow) {
  // With the low end of each point, 4x takes 103 ns and the best point 98 ns, more than 5 % less, so the knee is 8x.
  // With the high ends, 4x takes 111 ns, within 5 % of 106 ns. 2x is much slower in both cases.
  std::vector<Outcome> outcomes = outcomes_of({400, 200, 105, 100, 100});
  for (Outcome& outcome : outcomes) {
    outcome.iteration->low = outcome.iteration->mid - Duration{2};
    outcome.iteration->high = outcome.iteration->mid + Duration{6};
  }
  const auto found = knees({.axes = {{"a.b", {"1x", "2x", "4x", "8x", "16x"}}}}, outcomes);
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].value.mid, "4x");
  EXPECT_EQ(found[0].value.low, "4x");
  EXPECT_EQ(found[0].value.high, "8x");
}

TEST(KneeTest, HasNoRangeIfItsPointIsCloseToTheBestWhereverInItsRange) {
  // 8x takes at most 105 ns, within 5 % of the best points, which certainly take 100 ns. 4x is much slower.
  std::vector<Outcome> outcomes = outcomes_of({800, 400, 200, 102, 100, 100});
  outcomes[3].iteration->low = Duration{100};
  outcomes[3].iteration->high = Duration{105};
  const auto found = knees({.axes = {{"a.b", {"1x", "2x", "4x", "8x", "16x", "32x"}}}}, outcomes);
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].value.low, "8x");
  EXPECT_EQ(found[0].value.high, "8x");
}

}  // namespace
}  // namespace stepsim::scenarios

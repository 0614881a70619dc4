// Tests collectives that keep their recorded times because the calibrated links do not reproduce the capture.
#include "scenarios/answer/recorded_collectives.h"
#include "model/job/topology.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "scenarios/answer/interval.h"
#include "scenarios/answer/learn_from_capture.h"
#include "tests/model/rewrite/data_parallel_job.h"
#include "tests/scenarios/sample_questions.h"

namespace stepsim::scenarios {
namespace {

using std::chrono::microseconds;
using stepsim::testing::Question;

// A step of DataParallelJob computes for 40 ms, reduces its second bucket of 2.6 MB, and runs its optimizer for 1 ms.
// Its all-reduces took a nanosecond per byte.
constexpr microseconds kStep{40'000 + 2'600 + 1'000};

/// Returns a DataParallelJob on links with `times` the rate at which its all-reduces were recorded.
Question question(double times) {
  return Question(
      stepsim::testing::DataParallelJob{}.capture(),
      star(2, {.name = {}, .bandwidth = Bandwidth::from_bytes_per_second(times * 1e9), .latency = Duration{}}),
      "maxmin");
}

bool prefer(const Question& asked) {
  ReplayMeter meter;
  return prefer_recorded_collectives(asked.builder(), meter);
}

Range<Duration> range(const Question& asked, const std::string& set) {
  Scenario scenario;
  add_set(scenario, set);
  Plan plan = asked.predictor().plan();
  for (const Change& change : scenario.changes) change.apply(plan);
  ReplayMeter meter;
  const Prediction baseline = asked.predictor().predict(asked.predictor().plan());
  return interval_of(asked.predictor(), plan, baseline, asked.predictor().predict(plan), meter);
}

TEST(RecordedCollectivesTest, LinksThatFitAreKept) {
  EXPECT_FALSE(prefer(question(1)));
  // The captured step takes 40 ms of compute, 2.6 ms for the all-reduce and 1 ms for the optimizer, which is 43.6 ms.
  // With links of 1.3 times the recorded rate, the predicted step takes 40 + 2.6 / 1.3 + 1 = 43.0 ms. An error of 1.4 %
  // is usual for a correct model, so the links are kept.
  EXPECT_FALSE(prefer(question(1.3)));
}

TEST(RecordedCollectivesTest, LinksThatMissTheCaptureGiveWay) {
  const Question asked = question(4);
  EXPECT_EQ(asked.iteration(), microseconds(40'000 + 2'600 / 4 + 1'000)) << "4.5 % too short";
  ASSERT_TRUE(prefer(asked));
  EXPECT_EQ(asked.iteration(), kStep);
  EXPECT_EQ(asked.iteration({"network.bandwidth=1x"}), kStep);
  const Assumptions assumptions = asked.predictor().plan().assumptions;
  EXPECT_TRUE(std::any_of(assumptions.begin(), assumptions.end(),
                          [](const Assumption& one) { return one.id == "recorded_collectives"; }));
}

TEST(RecordedCollectivesTest, WhatLinksDoNotExplainStays) {
  const Question asked = question(4);
  ASSERT_TRUE(prefer(asked));
  // The links have four times the recorded rate, so the model explains only a quarter of the recorded time of a
  // collective. Only that quarter changes with the bandwidth.
  EXPECT_EQ(asked.iteration({"network.bandwidth=2x"}), kStep - microseconds(2'600 / 8));
  EXPECT_EQ(asked.iteration({"network.bandwidth=0.5x"}), kStep + microseconds(2'600 / 4));
}

TEST(RecordedCollectivesTest, WhatLinksExplainAndMoreScales) {
  const Question asked = question(0.25);  // these links take four times the recorded time
  ASSERT_TRUE(prefer(asked));
  EXPECT_EQ(asked.iteration({"network.bandwidth=2x"}), kStep - microseconds(2'600 / 2));
}

TEST(RecordedCollectivesTest, TheRangeHoldsThatAllOfItScales) {
  const Question asked = question(4);
  ASSERT_TRUE(prefer(asked));
  EXPECT_LE(range(asked, "network.bandwidth=2x").low, kStep - microseconds(2'600 / 2));
  const Range<Duration> neutral = range(asked, "network.bandwidth=1x");
  EXPECT_TRUE(std::none_of(neutral.sources.begin(), neutral.sources.end(),
                           [](const RangeSource<Duration>& source) { return source.name == "collectives"; }));
}

TEST(RecordedCollectivesTest, OthersTakeTheModelsTimesAsThoseDid) {
  const Question asked = question(4);
  ASSERT_TRUE(prefer(asked));
  // The change puts all 6.6 MB into one bucket, for which no time was recorded. The recorded buckets took four times as
  // long as the model says, so the model's time for the new bucket is multiplied by four, too.
  EXPECT_EQ(asked.iteration({"comm.bucket_bytes=1GB"}), microseconds(40'000 + 6'600 + 1'000));
  EXPECT_EQ(asked.iteration({"comm.bucket_bytes=1GB", "network.bandwidth=2x"}), microseconds(40'000 + 3'300 + 1'000));
}

TEST(RecordedCollectivesTest, MoreRanksChangeThemAsTheModelSays) {
  const Question asked = Question(
      stepsim::testing::DataParallelJob{}.capture(),
      star(4, {.name = {}, .bandwidth = Bandwidth::from_bytes_per_second(4e9), .latency = Duration{}}), "maxmin");
  ASSERT_TRUE(prefer(asked));
  // In a ring of four ranks each sends 2 * 3/4 of the payload, in a ring of two 2 * 1/2. So the quarter of the recorded
  // time that the model explains grows by half.
  EXPECT_EQ(asked.iteration({"cluster.workers=4"}), kStep + microseconds(2'600 / 8));
}

TEST(RecordedCollectivesTest, ParameterServersHaveNone) {
  EXPECT_FALSE(prefer(stepsim::testing::parameter_server_question()));
  EXPECT_FALSE(prefer(stepsim::testing::streams_question())) << "as recorded already";
}

}  // namespace
}  // namespace stepsim::scenarios

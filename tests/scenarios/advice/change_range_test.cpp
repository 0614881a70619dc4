#include "scenarios/advice/proposals.h"

#include <gtest/gtest.h>

#include "tests/scenarios/sample_questions.h"

namespace stepsim::scenarios {
namespace {

using std::chrono::microseconds;

constexpr double kClose = 1e-9;

/// Predictions of 200 us as captured and 100 us after a change, on a graph without steps.
struct Pair {
  Prediction captured;
  Prediction changed;
  Pair() {
    const auto graph = std::make_shared<const Capture>();
    for (Prediction* const one : {&captured, &changed}) one->graph = graph;
    captured.iteration = captured.in_the_long_run = microseconds{200};
    changed.iteration = changed.in_the_long_run = microseconds{100};
  }
};

AnswerInterval with(IntervalSource source) { return {microseconds{50}, microseconds{200}, {std::move(source)}}; }

TEST(ChangeRangeTest, WithoutSourcesAChangeHasNoWidth) {
  const Pair pair;
  const Factors range = change_range(pair.captured, pair.changed, {});
  EXPECT_EQ(range.least, 1);
  EXPECT_EQ(range.most, 1);
}

TEST(ChangeRangeTest, WhatIsAboutTheCapturedStepsCancels) {
  const Pair pair;
  const Factors range =
      change_range(pair.captured, pair.changed, with({"steps", "", microseconds{50}, microseconds{200}, true}));
  EXPECT_EQ(range.least, 1);
  EXPECT_EQ(range.most, 1);
}

TEST(ChangeRangeTest, OtherSourcesStay) {
  const Pair pair;
  const Factors range =
      change_range(pair.captured, pair.changed, with({"sharing", "", microseconds{80}, microseconds{150}}));
  EXPECT_NEAR(range.least, 0.8, kClose);
  EXPECT_NEAR(range.most, 1.5, kClose);
}

TEST(ChangeRangeTest, WithoutTheProfilerBothAreShorter) {
  // The profiler takes 40 us of the captured iteration. Without it, the change saves 60 of 160 us instead of 100 of 200
  // us, a ratio 0.75 times as large.
  const Pair pair;
  const Factors range =
      change_range(pair.captured, pair.changed,
                   with({kProfilerSource, "", microseconds{60}, microseconds{100}, true, false, microseconds{160}}));
  EXPECT_NEAR(range.least, 0.75, kClose);
  EXPECT_EQ(range.most, 1);
}

TEST(ChangeRangeTest, WhatFollowsAtOnceMayChangeByMore) {
  // In the long run the captured iteration takes 160 us, so the change saves 100 of 160 us instead of 100 of 200 us, a
  // ratio 1.25 times as large.
  Pair pair;
  pair.captured.in_the_long_run = microseconds{160};
  const Factors range = change_range(pair.captured, pair.changed, {});
  EXPECT_EQ(range.least, 1);
  EXPECT_NEAR(range.most, 1.25, kClose);
}

TEST(ChangeRangeTest, AChangeOfOneStepReachesFromNoneToItsOwn) {
  // sample_capture has two steps of 210 us, which compute for 150 us each. Without its compute the first step takes 60
  // us.
  const auto question = stepsim::testing::streams_question();
  const Prediction captured = question.predicted(std::initializer_list<std::string>{});
  const Prediction changed = question.predicted({std::string("compute{step=10}.scale=0")});
  const Factors range = change_range(captured, changed, {});
  const double change =
      static_cast<double>(changed.iteration.count()) / static_cast<double>(captured.iteration.count());
  EXPECT_NEAR(range.least * change, 60.0 / 210.0, 1e-6);
  EXPECT_NEAR(range.most * change, 1, 1e-6);
}

}  // namespace
}  // namespace stepsim::scenarios

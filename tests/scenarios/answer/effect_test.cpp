#include "scenarios/answer/effect.h"

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

Range<Duration> with(RangeSource<Duration> source) {
  return {microseconds{50}, microseconds{100}, microseconds{200}, {std::move(source)}};
}

TEST(EffectTest, WithoutSourcesAChangeHasNoWidth) {
  const Pair pair;
  const Effect effect = effect_of(pair.captured, pair.changed, {});
  EXPECT_EQ(effect.typical.mid, -0.5);
  EXPECT_EQ(effect.typical.low, -0.5);
  EXPECT_EQ(effect.typical.high, -0.5);
  EXPECT_EQ(effect.mean.mid, -0.5) << "no step is in both";
  EXPECT_EQ(widest_source(effect.typical), "");
}

TEST(EffectTest, WhatIsAboutTheCapturedStepsCancels) {
  const Pair pair;
  const Effect effect =
      effect_of(pair.captured, pair.changed, with({"steps", "", microseconds{50}, microseconds{200}}));
  EXPECT_EQ(effect.typical.low, -0.5);
  EXPECT_EQ(effect.typical.high, -0.5);
}

TEST(EffectTest, ASourceGivesWhatItSaysOfTheChange) {
  const Pair pair;
  const Effect effect = effect_of(pair.captured, pair.changed,
                                  with({"sharing", "of links", microseconds{80}, microseconds{150}, {0.8, 1.5}}));
  EXPECT_NEAR(effect.typical.low, 0.5 * 0.8 - 1, kClose);
  EXPECT_NEAR(effect.typical.high, 0.5 * 1.5 - 1, kClose);
  EXPECT_EQ(widest_source(effect.typical), "'sharing': of links");
  EXPECT_FALSE(may_be_none(effect.typical));
}

TEST(EffectTest, BothAreWidenedLikeTheAnswer) {
  const Pair pair;
  Range<Duration> range = with({"sharing", "of links", microseconds{80}, microseconds{150}, {0.8, 1.5}});
  range.factor = 2;
  const Effect effect = effect_of(pair.captured, pair.changed, range);
  for (const Range<double>& change : {effect.typical, effect.mean}) {
    EXPECT_NEAR(change.low, 0.5 * 0.8 * 0.8 - 1, kClose);
    EXPECT_NEAR(change.high, 0.5 * 1.5 * 1.5 - 1, kClose);
  }
}

TEST(EffectTest, WhatFollowsAtOnceMayChangeByMore) {
  // In the long run the captured iteration takes 160 us, so the change saves 100 of 160 us instead of 100 of 200 us, a
  // ratio 1.25 times as large.
  Pair pair;
  pair.captured.in_the_long_run = microseconds{160};
  const Effect effect = effect_of(pair.captured, pair.changed, {});
  EXPECT_EQ(effect.typical.low, -0.5);
  EXPECT_NEAR(effect.typical.high, 0.5 * 1.25 - 1, kClose);
  EXPECT_EQ(widest_source(effect.typical), "in the long run, it is -37.5 %");
}

TEST(EffectTest, AChangeOfOneOfTwoEqualStepsReachesFromNoneToHalfOfItsOwn) {
  // sample_capture has two steps of 210 us, which compute for 150 us each. Without its compute the first step takes 60
  // us. Steps of one length count as often as they occur.
  const auto question = stepsim::testing::streams_question();
  const Prediction captured = question.predicted(std::initializer_list<std::string>{});
  const Prediction changed = question.predicted({std::string("compute{step=10}.scale=0")});
  const Effect effect = effect_of(captured, changed, {});
  EXPECT_NEAR(effect.typical.low, (60.0 + 210.0) / 420.0 - 1, 1e-6);
  EXPECT_NEAR(effect.typical.high, 0, 1e-6);
  EXPECT_NEAR(effect.mean.mid, (60.0 + 210.0) / 420.0 - 1, 1e-6);
}

}  // namespace
}  // namespace stepsim::scenarios

#include "sim/compare/difference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/base/error.h"
#include "tests/sim/compare/sides.h"

namespace stepsim::sim {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::side;
using ::testing::StartsWith;

Gate gate(const Side& a, const Side& b, double limit, AllowNoise allow_noise = AllowNoise::kNo) {
  return gate_of(difference_of(a, b, By::kName, RowOrder::kDifference), limit, allow_noise);
}

/// Returns a side with a hundred steps: half take `spread` ns more than `iteration`, and half take `spread` ns less.
Side around(std::int64_t iteration, std::int64_t spread) {
  std::vector<std::int64_t> steps(100, iteration + spread);
  for (std::size_t i = 1; i < steps.size(); i += 2) steps[i] = iteration - spread;
  return side(iteration, steps);
}

TEST(GateTest, FailsBeyondTheLimitAndTheNoise) {
  // The steps are 10 per mille longer or shorter than the iteration, so their variance is 10 * 10 * 100 / 99. The
  // variance of the median of 100 steps is that times pi/2 / 100, and the difference of two medians has twice this
  // variance. With Student's t of 1.97, the noise is 1.97 * sqrt(2 * pi/2 * 100 * 100 / 99 / 100) = 3.5 per mille. Only
  // a difference above 3 % plus this noise fails: 3.4 % fails, and 3.3 % is not known to be above the limit.
  EXPECT_TRUE(gate(around(1'000'000, 10'000), around(1'020'000, 10'000), 0.03).judged);
  EXPECT_FALSE(gate(around(1'000'000, 10'000), around(1'020'000, 10'000), 0.03).failed);
  EXPECT_FALSE(gate(around(1'000'000, 10'000), around(1'033'000, 10'000), 0.03).failed);
  EXPECT_FALSE(gate(around(1'000'000, 10'000), around(1'033'000, 10'000), 0.03).judged);
  EXPECT_TRUE(gate(around(1'000'000, 10'000), around(1'034'000, 10'000), 0.03).failed);
  EXPECT_TRUE(gate(around(1'000'000, 10'000), around(1'080'000, 10'000), 0.03).failed);
}

TEST(GateTest, ExactlyTheLimitPasses) {
  EXPECT_FALSE(gate(side(1000, {1000, 1000}), side(1030, {1030, 1030}), 0.03).failed);
}

TEST(GateTest, FasterPasses) {
  const Gate passed = gate(around(1'000'000, 10'000), around(500'000, 10'000), 0);
  EXPECT_FALSE(passed.failed);
  EXPECT_THAT(passed.sentence, StartsWith("passed: B is 50.0 % faster than A"));
}

TEST(GateTest, AnIterationThatTakesNoTimeCannotBeJudged) {
  const Side none = around(0, 0);
  const Side some = around(1'000'000, 10'000);
  EXPECT_EQ(gate(none, some, 0.03).sentence, "cannot judge: a step of A takes no time");
  EXPECT_EQ(gate(some, none, 0.03).sentence, "cannot judge: a step of B takes no time");
  for (const Gate& judged : {gate(none, some, 0.03), gate(some, none, 0.03), gate(none, none, 0.03)}) {
    EXPECT_FALSE(judged.judged);
    EXPECT_FALSE(judged.failed);
  }
}

TEST(GateTest, WithoutKnownNoiseTheDifferenceDecides) {
  const Gate failed = gate(side(1000, {1000}), side(1031, {1031}), 0.03);
  EXPECT_TRUE(failed.failed);
  EXPECT_THAT(failed.sentence, HasSubstr("noise is not known"));
  const Gate unknown = gate(side(1000, {1000}), side(1030, {1030}), 0.03);
  EXPECT_FALSE(unknown.failed);
  EXPECT_FALSE(unknown.judged);
  EXPECT_THAT(unknown.sentence, HasSubstr("the noise is not known"));
  EXPECT_TRUE(gate(side(1000, {1000}), side(1030, {1030}), 0.03, AllowNoise::kYes).judged);
}

TEST(GateTest, TheSentenceSaysThatNoiseSavedIt) {
  EXPECT_THAT(gate(around(1'000'000, 10'000), around(1'033'000, 10'000), 0.03, AllowNoise::kYes).sentence,
              AllOf(StartsWith("passed: B is 3.3 % slower"), HasSubstr("within the noise")));
}

TEST(GateTest, NoiseAboveTheLimitIsNotJudged) {
  // With 100 steps a side, the noise is 1.97 * sqrt(2 * pi/2 * 140^2 / 99) = 50 per mille: above the limit of 30. It
  // falls with the square root of the number of steps, and Student's t falls to 1.965 for 550 degrees of freedom:
  // 1.965^2 * pi * 140^2 / 30^2 = 264 steps.
  const Side a = around(1'000'000, 140'000);
  const Side b = around(1'010'000, 140'000);
  const Gate blind = gate(a, b, 0.03);
  EXPECT_FALSE(blind.judged);
  EXPECT_FALSE(blind.failed);
  EXPECT_THAT(blind.sentence, AllOf(StartsWith("cannot judge: B is 1.0 % slower than A; the limit is 3.0 %"),
                                    HasSubstr("more steps per capture to resolve 3.0 %")));
  ASSERT_TRUE(blind.more_steps);
  EXPECT_NEAR(static_cast<double>(*blind.more_steps), 264 + 2 - 100, 3);
  EXPECT_LE(*noise_of_difference(a, b, *blind.more_steps), Duration{30'000});
  EXPECT_GT(*noise_of_difference(a, b, *blind.more_steps - 1), Duration{30'000});

  const Gate allowed = gate(a, b, 0.03, AllowNoise::kYes);
  EXPECT_TRUE(allowed.judged);
  EXPECT_THAT(allowed.sentence, StartsWith("passed: "));
}

TEST(GateTest, MuchFasterOrSlowerIsJudgedDespiteNoise) {
  EXPECT_TRUE(gate(around(1'000'000, 140'000), around(1'100'000, 140'000), 0.03).failed);
  EXPECT_TRUE(gate(around(1'000'000, 140'000), around(900'000, 140'000), 0.03).judged);
}

TEST(GateTest, NoNumberOfStepsResolvesALimitOfZero) {
  const Gate blind = gate(around(1'000'000, 10'000), around(1'000'000, 10'000), 0);
  EXPECT_FALSE(blind.judged);
  EXPECT_EQ(blind.more_steps, std::nullopt);
  EXPECT_THAT(blind.sentence, HasSubstr("use a larger limit"));
}

TEST(GateTest, APassSaysThatTheNoiseCouldHideMore) {
  // In the first comparison the noise is 0.35 %, and the difference of 2 % plus the noise is below the limit of 3 %. In
  // the second comparison the noise is 76 % of 1000 ns: Student's t for two degrees of freedom, 4.30, times the
  // standard error of the difference, 177 ns.
  EXPECT_THAT(gate(around(1'000'000, 10'000), around(1'020'000, 10'000), 0.03).sentence,
              AllOf(StartsWith("passed: B is 2.0 % slower"), Not(HasSubstr("noise"))));
  const Gate wide = gate(side(1000, {900, 1100}), side(1000, {900, 1100}), 0.03, AllowNoise::kYes);
  EXPECT_FALSE(wide.failed);
  EXPECT_THAT(wide.sentence, AllOf(StartsWith("passed: B is as fast as A; the limit is 3.0 %"),
                                   HasSubstr("could hide more than that")));
}

/// Returns a recording of a job without step marks, in which one kernel ran `count` times and another 10 times.
Side window(double count) {
  Side made = side(1000);
  made.job = JobKind{.has_device_work = true, .devices = {"A100"}};
  made.work = {testing::kernel("gemm", 1000, count), testing::kernel("copy", 10, 10)};
  return made;
}

Side stepped(JobKind job) {
  Side made = side(1000, {1000, 1000});
  job.marks_steps = true;
  made.job = job;
  return made;
}

/// Returns why the gate refuses to compare the sides, or an empty text if it compares them.
std::string obstacle(const Side& a, const Side& b) {
  const Gate made = gate(a, b, 0.03, AllowNoise::kYes);
  EXPECT_FALSE(made.failed && !made.judged);
  return made.judged ? std::string() : made.sentence;
}

TEST(GateTest, WindowsAreJudgedOnlyForTheSameWork) {
  EXPECT_EQ(obstacle(window(100), window(100)), "");
  EXPECT_EQ(obstacle(window(100), window(99)), "");  // 1 of 110 tasks differs
  // 11 of 110 tasks differ
  EXPECT_THAT(obstacle(window(100), window(89)), HasSubstr("10.0 % of the tasks in the two windows"));
  EXPECT_THAT(obstacle(window(100), stepped(*window(1).job)), HasSubstr("B marks steps and A does not"));
}

TEST(GateTest, JobsOfOtherKindsAreNotJudged) {
  const JobKind a100{.has_device_work = true, .devices = {"A100"}};
  EXPECT_EQ(obstacle(stepped(a100), stepped(a100)), "");
  EXPECT_EQ(obstacle(stepped(a100), stepped({.has_device_work = true})), "");  // an unknown device matches any device
  EXPECT_THAT(obstacle(stepped(a100), stepped({.has_device_work = true, .devices = {"V100"}})),
              HasSubstr("A ran on A100 and B on V100"));
  EXPECT_THAT(obstacle(stepped(a100), stepped({})), HasSubstr("A has work of accelerators and B has none"));
  EXPECT_THAT(obstacle(stepped({.has_servers = true}), stepped({})), HasSubstr("A has parameter servers"));
}

TEST(GateTest, WhatIsLostIsNotJudged) {
  Side cut = side(1000, {1000, 1000});
  cut.loss = "lost at least 3 kernels, and has no whole step";
  EXPECT_THAT(obstacle(side(1000, {1000, 1000}), cut), HasSubstr("B lost at least 3 kernels"));
}

TEST(GateTest, ASideWithoutIterationsIsRefused) {
  Side tasks = side(0);
  tasks.iteration.reset();
  EXPECT_THROW((void)gate(tasks, side(1), 0.03), UsageError);
}

/// Returns a side with two steps of 1,000 ns, and a gauge with these values in them.
Side gauged(Gauge gauge, std::int64_t first, std::int64_t second) {
  Side made = side(1000, {1000, 1000});
  made.gauges[gauge] = {Duration{first}, Duration{second}};
  return made;
}

Gate gauge_gate(Gauge gauge, const Side& a, const Side& b, double limit) {
  return gate_of(difference_of(a, b, By::kName, RowOrder::kDifference), limit, AllowNoise::kNo, gauge);
}

TEST(GateTest, AGaugeOfTimeIsAShareOfTheStep) {
  for (const Gauge gauge : {Gauge::kExposed, Gauge::kGpuIdle}) {
    const Side a = gauged(gauge, 0, 0);
    EXPECT_FALSE(gauge_gate(gauge, a, gauged(gauge, 30, 30), 0.03).failed);
    EXPECT_TRUE(gauge_gate(gauge, a, gauged(gauge, 31, 31), 0.03).failed);
    EXPECT_TRUE(gauge_gate(gauge, gauged(gauge, 31, 31), a, 0).judged);
    EXPECT_FALSE(gauge_gate(gauge, a, gauged(gauge, 0, 100), 0.03).judged);
    EXPECT_THAT(gauge_gate(gauge, a, side(1000, {1000, 1000}), 0.03).sentence,
                HasSubstr("cannot judge: B shows no steps with work of accelerators"));
  }
  EXPECT_THAT(
      gauge_gate(Gauge::kExposed, gauged(Gauge::kExposed, 10, 10), gauged(Gauge::kExposed, 50, 50), 0.03).sentence,
      StartsWith("exposed: failed: B's communication is exposed for 40 ns longer than A's (+4.0 % of A's step time); "
                 "the limit is 3.0 %"));
}

TEST(GateTest, LaunchesAreComparedWithLaunches) {
  const Side a = gauged(Gauge::kLaunches, 200, 200);
  EXPECT_FALSE(gauge_gate(Gauge::kLaunches, a, gauged(Gauge::kLaunches, 202, 202), 0.01).failed);
  EXPECT_TRUE(gauge_gate(Gauge::kLaunches, a, gauged(Gauge::kLaunches, 203, 203), 0.01).failed);
  EXPECT_FALSE(gauge_gate(Gauge::kLaunches, gauged(Gauge::kLaunches, 0, 0), a, 0.01).judged);
}

}  // namespace
}  // namespace stepsim::sim

#include "scenarios/answer/baseline.h"

#include <gtest/gtest.h>

#include <chrono>
#include <vector>

#include "scenarios/answer/why.h"

namespace stepsim::scenarios {
namespace {

using std::chrono::milliseconds;

TEST(WithRangeTest, NamesTheUnitOnceWhereItIsTheSame) {
  EXPECT_EQ(with_range(milliseconds{251}, milliseconds{243}, milliseconds{259}), "251.0 ms (243.0 to 259.0 ms)");
  EXPECT_EQ(with_range(milliseconds{706}, milliseconds{683}, milliseconds{2000}), "706.0 ms (683.0 ms to 2 s)");
  EXPECT_EQ(with_range(milliseconds{5}, milliseconds{5}, milliseconds{5}), "5 ms");
}

TEST(AgainstBaselineTest, IsAPercentageAMultipleOrThatItIsTheSame) {
  EXPECT_EQ(against_baseline(milliseconds{25}, milliseconds{100}), "75.0 % less than the baseline's 100 ms");
  EXPECT_EQ(against_baseline(milliseconds{208}, milliseconds{100}), "108.0 % more than the baseline's 100 ms");
  EXPECT_EQ(against_baseline(milliseconds{1099}, milliseconds{100}), "999.0 % more than the baseline's 100 ms");
  EXPECT_EQ(against_baseline(milliseconds{6600}, milliseconds{100}), "66x the baseline's 100 ms");
  EXPECT_EQ(against_baseline(milliseconds{100}, milliseconds{100}), "the same as the baseline's 100 ms");
  EXPECT_EQ(against_baseline(Duration{100'010'000}, milliseconds{100}), "less than 0.1 % from the baseline's 100 ms");
  EXPECT_EQ(against_baseline(milliseconds{1}, Duration{}), "and the baseline takes no time") << "no share of nothing";
}

TEST(TrustTextTest, SaysBothStepTimesWhereTheyDiffer) {
  const Baseline baseline{.iteration = std::chrono::microseconds{120'400},
                          .of_captured_steps = std::chrono::microseconds{117'600},
                          .as_captured = std::chrono::microseconds{117'600},
                          .measured = std::chrono::microseconds{116'800}};
  EXPECT_EQ(trust_text(baseline, {}),
            "Without changes, a step takes 120.4 ms in the long run; the captured steps alone take 117.6 ms (measured "
            "116.8 ms, +0.7 %).");
  EXPECT_EQ(trust_text({milliseconds{5}, milliseconds{5}, milliseconds{5}, milliseconds{5}}, {}),
            "The captured step of 5 ms is reproduced exactly because no part of it was modelled; see the self-check of "
            "'stepsim replay'.");
}

TEST(TrustTextTest, SaysTheStepAsCapturedAndAsTheJobRuns) {
  EXPECT_EQ(trust_text({milliseconds{40}, milliseconds{40}, milliseconds{51}, milliseconds{50}}, {}),
            "The captured step of 50 ms is predicted with an error of +2.0 %. As the job runs, without the profiler, a "
            "step takes 40 ms.");
}

TEST(LargestChangeTest, IsThePartThatChangedMostInTheSameDirection) {
  const std::vector<ComparedTime> times{{"iteration", "step time", false, milliseconds{100}, milliseconds{60}},
                                        {"communication", "communication", false, milliseconds{80}, milliseconds{10}},
                                        {"exposed transfer", "exposed", true, milliseconds{50}, milliseconds{20}},
                                        {"host", "host", false, milliseconds{40}, milliseconds{99}},
                                        {"idle", "idle", false, milliseconds{30}, milliseconds{5}}};
  ASSERT_NE(largest_change(times), nullptr);
  EXPECT_EQ(largest_change(times)->id, "exposed transfer");
  const std::vector<ComparedTime> longer{{"iteration", "step time", false, milliseconds{60}, milliseconds{100}},
                                         {"compute", "compute", false, milliseconds{50}, milliseconds{20}}};
  EXPECT_EQ(largest_change(longer), nullptr);
}

}  // namespace
}  // namespace stepsim::scenarios

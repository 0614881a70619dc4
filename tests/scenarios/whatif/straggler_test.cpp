#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "model/base/error.h"
#include "tests/nightly.h"
#include "tests/scenarios/sample_questions.h"
#include "tests/sim/dag_maker.h"

namespace stepsim::testing {
namespace {

using std::chrono::microseconds;

constexpr double kBase = 1e6;

/// Returns how many tasks are slowed: enough for a mean within 1 % of the standard deviation.
std::size_t tasks() { return samples(20'000); }

/// Returns a job of one rank with tasks() operators of a millisecond each, one after the other.
Question many_operators() {
  DagMaker maker;
  const LaneId lane = maker.lane(0);
  TaskId last = maker.task(lane, 1'000'000, {}, "op", TaskKind::kOperator);
  for (std::size_t i = 1; i < tasks(); ++i) last = maker.task(lane, 1'000'000, {last}, "op", TaskKind::kOperator);
  Capture capture;
  capture.dag = maker.build();
  return Question(std::move(capture));
}

/// Returns the factors by which the what-if `straggler` with these values slows each task.
std::vector<double> factors(const std::string& values) {
  static const Question question = many_operators();
  const scenarios::Prediction prediction =
      question.predicted(std::string_view("changes: [{straggler: {each: task, " + values + "}}]"));
  std::vector<double> drawn;
  for (std::size_t i = 0; i < prediction.timeline.size(); ++i) {
    const Duration duration = prediction.timeline.finish[i] - prediction.timeline.start[i];
    drawn.push_back(static_cast<double>(duration.count()) / kBase);
  }
  return drawn;
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double deviation(const std::vector<double>& values) {
  const double middle = mean(values);
  double sum = 0;
  for (const double value : values) sum += (value - middle) * (value - middle);
  return std::sqrt(sum / static_cast<double>(values.size()));
}

/// Returns four times the standard error of the mean of tasks() draws, which have the standard deviation `of`.
double tolerance(double of) { return 4 * of / std::sqrt(static_cast<double>(tasks())); }

TEST(StragglerWhatIf, OneSlowRankIsWaitedFor) {
  // In each step rank 0 computes for 100 us and rank 1 for 150 us. Another 60 us follow, which are not compute.
  EXPECT_EQ(streams_question().iteration({"straggler{rank=0}.factor=2"}), microseconds{200 + 60});
  EXPECT_EQ(streams_question().iteration({"straggler{rank=1}.factor=2"}), microseconds{300 + 60});
}

TEST(StragglerWhatIf, ARanksStepIsSlowAsAWholeOrNotAtAll) {
  const Question question = data_parallel_question();
  const scenarios::Prediction slow =
      question.predicted(std::string_view("changes: [{straggler: {factor: 2, share: 0.5, seed: 3}}]"));
  const Capture& graph = *slow.graph;
  for (std::size_t i = 0; i < graph.dag.task_count(); ++i) {
    if (graph.dag.kind(TaskId{i}) != TaskKind::kHost) continue;
    for (std::size_t j = 0; j < i; ++j) {
      if (graph.dag.kind(TaskId{j}) != TaskKind::kHost || graph.recording.step[i] != graph.recording.step[j]) continue;
      const Duration a = slow.timeline.finish[i] - slow.timeline.start[i];
      const Duration b = slow.timeline.finish[j] - slow.timeline.start[j];
      EXPECT_EQ(a == graph.dag.duration(TaskId{i}), b == graph.dag.duration(TaskId{j}));
    }
  }
}

TEST(StragglerWhatIf, NormalFactorsHaveTheirMeanAndSpread) {
  const std::vector<double> drawn = factors("factor: 2, distribution: normal, spread: 0.3");
  EXPECT_NEAR(mean(drawn), 2, tolerance(0.3));
  EXPECT_NEAR(deviation(drawn), 0.3, tolerance(0.3));
}

TEST(StragglerWhatIf, NormalFactorsThatAreCutAtZeroKeepTheirMean) {
  // The mean is 2/3 of the standard deviation, so a quarter of the draws would be below 0. If these were set to 0
  // without a correction, the mean would be 1.23.
  const std::vector<double> drawn = factors("factor: 1, distribution: normal, spread: 1.5");
  EXPECT_EQ(*std::min_element(drawn.begin(), drawn.end()), 0);
  EXPECT_NEAR(mean(drawn), 1, tolerance(1.5));
  EXPECT_EQ(mean(factors("factor: 0, distribution: normal, spread: 1")), 0);
}

TEST(StragglerWhatIf, LogNormalFactorsHaveTheirMeanAndTheirLogarithmsTheSpread) {
  std::vector<double> drawn = factors("factor: 1.5, distribution: lognormal, spread: 0.4");
  EXPECT_NEAR(mean(drawn), 1.5, tolerance(1.5 * std::sqrt(std::exp(0.16) - 1)));
  for (double& factor : drawn) factor = std::log(factor);
  EXPECT_NEAR(deviation(drawn), 0.4, tolerance(0.4));
}

TEST(StragglerWhatIf, ExponentialFactorsAreAtLeastOneAndHaveTheirMean) {
  const std::vector<double> drawn = factors("factor: 1.25, distribution: exponential");
  EXPECT_GE(*std::min_element(drawn.begin(), drawn.end()), 1);
  EXPECT_NEAR(mean(drawn), 1.25, tolerance(0.25));
  EXPECT_NEAR(deviation(drawn), 0.25, 2 * tolerance(0.25));  // heavy tails (kurtosis 9) double the error
}

TEST(StragglerWhatIf, SlowsTheGivenShare) {
  const std::vector<double> drawn = factors("factor: 3, share: 0.2");
  const auto slow = std::count(drawn.begin(), drawn.end(), 3.0);
  EXPECT_EQ(slow + std::count(drawn.begin(), drawn.end(), 1.0), static_cast<std::ptrdiff_t>(tasks()));
  EXPECT_NEAR(static_cast<double>(slow) / static_cast<double>(tasks()), 0.2, tolerance(std::sqrt(0.2 * 0.8)));
}

TEST(StragglerWhatIf, OnlyTheSeedDecides) {
  const std::string values = "factor: 2, distribution: normal, spread: 0.3, seed: ";
  EXPECT_EQ(factors(values + "5"), factors(values + "5"));
  EXPECT_NE(factors(values + "5"), factors(values + "6"));
}

TEST(StragglerWhatIf, RefusesExponentialFactorsBelowOne) {
  EXPECT_THAT([] { (void)factors("factor: 0.5, distribution: exponential"); },
              ::testing::ThrowsMessage<InputError>(::testing::HasSubstr("expected 'factor' from 1")));
}

}  // namespace
}  // namespace stepsim::testing

// Tests network changes for captures that do not record what their collectives transfer.

#include <gtest/gtest.h>

#include "model/base/error.h"
#include "scenarios/answer/interval.h"
#include "tests/scenarios/gpu_job.h"

namespace stepsim::testing {
namespace {

constexpr Duration us(std::int64_t count) { return Duration{count * 1000}; }

constexpr Duration kCall = us(1);
constexpr Duration kKernel = us(300);
constexpr Duration kTransfer = us(120);

/// Returns a job of a single rank with one kernel and one collective, one after the other on the device.
Question lone_rank() {
  GpuJob job;
  job.launch("gemm", TaskKind::kKernel, kCall, kKernel);
  job.launch("ncclKernel_AllReduce", TaskKind::kCollective, kCall, kTransfer);
  return std::move(job).question();
}

scenarios::Range<Duration> interval(const Question& question, const std::string& set) {
  scenarios::Scenario scenario;
  scenarios::add_set(scenario, set);
  scenarios::Plan plan = question.predictor().plan();
  scenario.changes.front().apply(plan);
  const scenarios::Prediction baseline = question.predictor().predict(question.predictor().plan());
  const scenarios::Prediction predicted = question.predictor().predict(plan);
  scenarios::ReplayMeter meter;
  return scenarios::interval_of(question.predictor(), plan, baseline, predicted, meter);
}

const scenarios::RangeSource<Duration>* find(const scenarios::Range<Duration>& interval, std::string_view name) {
  for (const scenarios::RangeSource<Duration>& source : interval.sources)
    if (source.name == name) return &source;
  return nullptr;
}

TEST(RecordedTransfers, AreDividedByTheFactorOfTheBandwidth) {
  const Question question = lone_rank();
  EXPECT_EQ(question.iteration(), kCall + kKernel + kTransfer);
  EXPECT_EQ(question.iteration({"network.bandwidth=2x"}), kCall + kKernel + kTransfer / 2);
  EXPECT_EQ(question.iteration({"network.bandwidth=0.25x"}), kCall + kKernel + kTransfer * 4);
  EXPECT_EQ(question.iteration({"network.bandwidth=2x", "network.bandwidth=0.5x"}), question.iteration());
}

TEST(RecordedTransfers, MayAlsoKeepTheirTime) {
  const Question question = lone_rank();
  const auto faster = interval(question, "network.bandwidth=2x");
  const scenarios::RangeSource<Duration>* const source = find(faster, "transfers");
  ASSERT_NE(source, nullptr);
  EXPECT_EQ(source->low, question.iteration({"network.bandwidth=2x"}));
  EXPECT_EQ(source->high, question.iteration());
  const auto slower = interval(question, "network.bandwidth=0.5x");
  ASSERT_NE(find(slower, "transfers"), nullptr);
  EXPECT_EQ(find(slower, "transfers")->low, question.iteration());
  EXPECT_EQ(find(interval(question, "network.bandwidth=1x"), "transfers"), nullptr);
}

TEST(RecordedTransfers, RefuseRatesLatenciesAndSharing) {
  const Question question = lone_rank();
  for (const char* const set : {"network.bandwidth=25Gb/s", "network.latency=2x", "network.sharing=fair"})
    EXPECT_THROW((void)question.predicted({set}), InputError) << set;
}

TEST(RecordedTransfers, OfAJobWithoutCollectivesCannotBeChanged) {
  GpuJob job;
  job.launch("gemm", TaskKind::kKernel, kCall, kKernel);
  EXPECT_THROW((void)std::move(job).question().predicted({"network.bandwidth=2x"}), InputError);
}

}  // namespace
}  // namespace stepsim::testing

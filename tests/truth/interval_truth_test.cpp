// Fewer servers than workers: contention that the captured run of the group did not show. Every measured run
// must lie in its answer's interval (3 % grace), and no interval may be wider than a factor of 2.2.

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "ingest/load.h"
#include "model/calibration/calibration.h"
#include "scenarios/interval.h"
#include "scenarios/scenario.h"

namespace stepsim::scenarios {
namespace {

const std::filesystem::path kTruth = std::filesystem::path(STEPSIM_SOURCE_DIR) / ".." / "shared" / "truth" / "byteps";

/// A run of measured-contended.csv and what it changes of the captured one.
struct MeasuredRun {
  std::string group;
  std::string change;
  double seconds = 0;
};

AnswerInterval answer(const MeasuredRun& run) {
  const std::filesystem::path base = kTruth / run.group / "base";
  const Capture capture = ingest::load({(base / "traces").string()}, {.job_file = (base / "job.yaml").string()});
  Predictor predictor(capture, calibrate(capture).cluster, *find_network_model("maxmin"));
  Scenario scenario;
  add_set(scenario, run.change);
  Plan plan = predictor.plan();
  for (const Change& change : scenario.changes) change.apply(plan);
  return interval_of(predictor, plan, predictor.predict(predictor.plan()), predictor.predict(plan));
}

class ContendedRun : public ::testing::TestWithParam<MeasuredRun> {};

TEST_P(ContendedRun, IsMeasuredWithinItsInterval) {
  const MeasuredRun& run = GetParam();
  if (!std::filesystem::exists(kTruth / run.group)) GTEST_SKIP() << kTruth.string() << " is absent";
  const AnswerInterval interval = answer(run);
  const double low = static_cast<double>(interval.low.count()) * 1e-9;
  const double high = static_cast<double>(interval.high.count()) * 1e-9;
  EXPECT_LE(low * 0.97, run.seconds);
  EXPECT_GE(high * 1.03, run.seconds);
  EXPECT_LE(high, low * 2.2);
}

INSTANTIATE_TEST_SUITE_P(Truth, ContendedRun,
                         ::testing::Values(MeasuredRun{"byteps-even", "cluster.servers=1", 0.683811},
                                           MeasuredRun{"byteps-even", "cluster.workers=3", 0.687774},
                                           MeasuredRun{"byteps-vgg", "cluster.servers=1", 1.3187}));

}  // namespace
}  // namespace stepsim::scenarios

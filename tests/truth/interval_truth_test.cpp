// Tests intervals for runs with fewer servers than workers. The captured run of the group does not show the contention
// of these runs. Every measured run must lie within the interval of its answer (with a tolerance of 3 %), and no
// interval may be wider than a factor of 2.2.

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "ingest/load/load.h"
#include "model/calibration/calibration.h"
#include "scenarios/answer/interval.h"
#include "scenarios/question/scenario.h"
#include "tests/source_folder.h"
#include "tests/truth/measured_runs.h"

namespace stepsim::testing {
namespace {

using scenarios::Range;

/// A group of runs of truth/byteps, with a predictor for its captured run.
class MeasuredGroup {
 public:
  explicit MeasuredGroup(std::filesystem::path folder)
      : folder_(std::move(folder)),
        base_(base_of(measured_runs(folder_ / "measured.csv"))),
        capture_(
            ingest::load({(folder_ / "base/traces").string()}, {.job_file = (folder_ / "base/job.yaml").string()})),
        predictor_(capture_, calibrate(capture_).cluster, *find_network_model("maxmin")) {}

  [[nodiscard]] Range<Duration> answer(const MeasuredRun& run) {
    scenarios::Scenario scenario;
    for (const std::string& set : sets(run)) add_set(scenario, set);
    scenarios::Plan plan = predictor_.plan();
    for (const scenarios::Change& change : scenario.changes) change.apply(plan);
    scenarios::ReplayMeter meter;
    return interval_of(predictor_, plan, predictor_.predict(predictor_.plan()), predictor_.predict(plan), meter);
  }

  /// Returns the changes that turn the captured run into `run`.
  [[nodiscard]] std::vector<std::string> sets(const MeasuredRun& run) const {
    std::vector<std::string> sets;
    for (const char* const setting : {"workers", "servers"}) {
      if (run.at(setting) != base_.at(setting))
        sets.push_back(std::string("cluster.") + setting + "=" + run.at(setting));
    }
    for (const char* const same : {"rate", "partition", "slow", "gpus"}) EXPECT_EQ(run.at(same), base_.at(same));
    return sets;
  }

 private:
  std::filesystem::path folder_;
  MeasuredRun base_;
  Capture capture_;
  scenarios::Predictor predictor_;
};

std::string text_of(const MeasuredRun& run) {
  return run.at("model") + ", " + run.at("workers") + " workers, " + run.at("servers") + " servers";
}

TEST(ContendedRuns, AreMeasuredWithinTheirIntervals) {
  std::size_t runs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(measured_folder() / "byteps")) {
    const std::vector<MeasuredRun> contended = measured_runs(entry.path() / "measured-contended.csv");
    if (contended.empty()) continue;
    MeasuredGroup group(entry.path());
    for (const MeasuredRun& run : contended) {
      const Range<Duration> interval = group.answer(run);
      const double low = static_cast<double>(interval.low.count()) * 1e-9;
      const double high = static_cast<double>(interval.high.count()) * 1e-9;
      EXPECT_LE(low * 0.97, number(run, "median_step_s")) << text_of(run);
      EXPECT_GE(high * 1.03, number(run, "median_step_s")) << text_of(run);
      EXPECT_LE(high, low * 2.2) << text_of(run);
      ++runs;
    }
  }
  EXPECT_GE(runs, 3U);
}

}  // namespace
}  // namespace stepsim::testing

// Predicts every measured run of truth/ps and truth/byteps (docs/internals/test-data.md) from the captured run of its
// group. The graph is rebuilt with the run's settings, links are calibrated, and the network model is max-min.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "ingest/load/load.h"
#include "model/calibration/calibration.h"
#include "model/cost/network/network.h"
#include "model/rewrite/parameter_server/build.h"
#include "sim/analysis/summary.h"
#include "sim/engine/engine.h"
#include "tests/source_folder.h"
#include "tests/truth/measured_runs.h"

namespace stepsim::parameter_server_truth_test {
namespace {

using testing::MeasuredRun;

/// The captured run of a group, with the links that were calibrated from it.
struct Base {
  Capture capture;
  Cluster cluster;
};

Base load_base(const std::filesystem::path& group) {
  Base base;
  base.capture = ingest::load({(group / "base/traces").string()}, {.job_file = (group / "base/job.yaml").string()});
  base.cluster = calibrate(base.capture).cluster;
  return base;
}

/// Returns the settings of a run, from its row in measured.csv.
PsOptions options_of(const MeasuredRun& row, const Base& base) {
  PsOptions options = as_captured(*base.capture.parameter_server);
  Job& job = options.job;
  job.workers = static_cast<std::uint32_t>(std::stoul(row.at("workers")));
  job.servers = static_cast<std::uint32_t>(std::stoul(row.at("servers")));
  job.partition_bytes = Bytes{std::stoll(row.at("partition"))};
  if (row.contains("control")) job.control = row.at("control") == "first" ? Control::kFirst : Control::kInline;
  if (row.contains("barrier")) job.barrier = row.at("barrier") == "cross" ? Barrier::kCross : Barrier::kGlobal;
  if (row.contains("schedule")) job.schedule = row.at("schedule") == "priority" ? Schedule::kPriority : Schedule::kFifo;
  if (row.contains("credit")) job.credit_bytes = Bytes{std::stoll(row.at("credit"))};
  for (const std::string& factor : testing::split(row.at("slow"), ' '))
    options.compute_scale.push_back(std::stod(factor));
  return options;
}

double predicted(const MeasuredRun& row, double base_rate, const Base& base) {
  const PsOptions options = options_of(row, base);
  const Job& captured = base.capture.parameter_server->job;
  Cluster cluster = with_places(base.cluster, {captured.workers.value_or(1), captured.servers.value_or(1)},
                                {*options.job.workers, *options.job.servers});
  for (Link& link : cluster.links) {
    const double factor = std::stod(row.at("rate")) / base_rate;
    link.bandwidth = Bandwidth::from_bytes_per_second(link.bandwidth.bytes_per_second() * factor);
  }
  const Capture job = build_parameter_server(base.capture, options, cluster);
  sim::Machine machine = sim::Machine::as_recorded(job);
  machine.set_network(*find_network_model("maxmin"), *job.cluster);
  const sim::Summary summary = sim::summarize(job, sim::replay(job.dag, machine));
  return static_cast<double>(summary.iteration.replayed.count()) * 1e-9;
}

struct Errors {
  std::vector<double> base;
  std::vector<double> all;
};

std::string text_of(const MeasuredRun& row) {
  std::string text;
  for (const char* column :
       {"workers", "servers", "rate", "partition", "control", "barrier", "schedule", "credit", "slow"}) {
    if (row.contains(column)) text += std::string(column) + " " + row.at(column) + "  ";
  }
  return text;
}

Errors errors_of(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> groups(std::filesystem::directory_iterator(folder), {});
  std::sort(groups.begin(), groups.end());
  Errors errors;
  for (const std::filesystem::path& group : groups) {
    if (!std::filesystem::exists(group / "measured.csv")) continue;
    const Base base = load_base(group);
    const std::vector<MeasuredRun> rows = testing::measured_runs(group / "measured.csv");
    const double rate = testing::number(testing::base_of(rows), "rate");
    for (const MeasuredRun& row : rows) {
      const double measured = std::stod(row.at("median_step_s"));
      const double error = predicted(row, rate, base) / measured - 1;
      std::printf("%-17s %-90s measured %.4f  error %+.1f %%\n", group.filename().c_str(), text_of(row).c_str(),
                  measured, 100 * error);
      errors.all.push_back(std::abs(error));
      if (row.at("is_base") == "1") errors.base.push_back(std::abs(error));
    }
  }
  return errors;
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double worst(const std::vector<double>& values) { return *std::max_element(values.begin(), values.end()); }

TEST(PsTruth, RunsOfTheProgramArePredictedFromTheCapturedOne) {
  const Errors errors = errors_of(measured_folder() / "ps");
  ASSERT_EQ(errors.base.size(), 6U);
  EXPECT_LE(mean(errors.base), 0.025);
  EXPECT_LE(worst(errors.base), 0.06);
  EXPECT_LE(mean(errors.all), 0.02);
  EXPECT_LE(worst(errors.all), 0.08);
}

TEST(PsTruth, RunsOfBytePsArePredictedFromTheCapturedOne) {
  const Errors errors = errors_of(measured_folder() / "byteps");
  ASSERT_EQ(errors.base.size(), 4U);
  EXPECT_LE(mean(errors.base), 0.025);
  EXPECT_LE(worst(errors.base), 0.06);
  EXPECT_LE(mean(errors.all), 0.03);
  EXPECT_LE(worst(errors.all), 0.12);
}

}  // namespace
}  // namespace stepsim::parameter_server_truth_test

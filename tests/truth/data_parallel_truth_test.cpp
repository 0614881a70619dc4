// Predicts the measured runs of ddp and fsdp (tests/truth/data) from the base capture of each group, under the max-min
// network model with links fitted to that capture.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "ingest/load/load.h"
#include "model/calibration/calibration.h"
#include "model/job/topology.h"
#include "model/rewrite/buckets.h"
#include "model/rewrite/data_parallel.h"
#include "model/rewrite/ranks.h"
#include "sim/analysis/summary.h"
#include "sim/engine/engine.h"
#include "sim/engine/machine.h"
#include "tests/source_folder.h"
#include "tests/truth/measured_runs.h"

namespace stepsim {
namespace {

using testing::MeasuredRun;
using testing::number;

/// Returns the runs of a group. The first one is the base, which was captured.
std::vector<MeasuredRun> runs_of(const std::filesystem::path& group) {
  std::vector<MeasuredRun> runs = testing::measured_runs(group / "measured.csv");
  std::stable_sort(runs.begin(), runs.end(),
                   [](const MeasuredRun& a, const MeasuredRun& b) { return a.at("is_base") > b.at("is_base"); });
  return runs;
}

/// The base capture of a group of runs. It can be replayed with another network, other buckets or other ranks.
class MeasuredGroup {
 public:
  explicit MeasuredGroup(const std::string& name, const std::string& traces = "base/traces")
      : folder_(measured_folder() / name), runs_(runs_of(folder_)) {
    const Capture recorded =
        ingest::load({(folder_ / traces).string()}, {.job_file = (folder_ / "base/job.yaml").string()});
    calibration_ = calibrate(recorded);
    capture_ = under_models(recorded);
  }

  [[nodiscard]] const std::vector<MeasuredRun>& runs() const { return runs_; }

  [[nodiscard]] double predicted_seconds(const MeasuredRun& run) const {
    const MeasuredRun& base = runs_.front();
    Capture job = capture_;
    Cluster cluster = calibration_.cluster;
    if (run.at("bucket") != base.at("bucket"))
      job = with_buckets(job, Bytes{std::llround(number(run, "bucket") * 1'048'576)});
    if (run.at("workers") != base.at("workers")) {
      const std::size_t ranks = std::stoul(run.at("workers"));
      job = with_ranks(job, ranks, every_rank);
      cluster = star(ranks, cluster.links.front());
      cluster.network = calibration_.cluster.network;
    }
    const double scale = number(run, "rate") / number(base, "rate");
    for (Link& link : cluster.links)
      link.bandwidth = Bandwidth::from_bytes_per_second(link.bandwidth.bytes_per_second() * scale);
    return replayed_seconds(job, cluster);
  }

  /// Returns the relative errors of the predicted runs. If `relative`, the predictions are first scaled so that the
  /// base run has no error.
  [[nodiscard]] std::vector<double> errors(bool relative) const {
    const double correction =
        relative ? number(runs_.front(), "median_step_s") / predicted_seconds(runs_.front()) : 1.0;
    std::vector<double> out;
    for (const MeasuredRun& run : runs_)
      out.push_back(std::abs(correction * predicted_seconds(run) / number(run, "median_step_s") - 1));
    return out;
  }

 private:
  static double replayed_seconds(const Capture& job, const Cluster& cluster) {
    sim::Machine machine = sim::Machine::as_recorded(job);
    machine.set_network(*find_network_model("maxmin"), cluster);
    const sim::Summary summary = sim::summarize(job, sim::replay(job.dag, machine));
    return static_cast<double>(summary.iteration.replayed.count()) * 1e-9;
  }

  std::filesystem::path folder_;
  std::vector<MeasuredRun> runs_;
  Calibration calibration_;
  Capture capture_;
};

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double worst(const std::vector<double>& values) { return *std::max_element(values.begin(), values.end()); }

TEST(DataParallelTruthTest, BaseRunsReplayUnderTheirCalibratedNetwork) {
  std::vector<double> errors;
  for (const char* const name : {"ddp/ddp-even", "ddp/ddp-skewed", "ddp/pipe-2", "fsdp/fsdp-even"}) {
    const MeasuredGroup group(name);
    errors.push_back(
        std::abs(group.predicted_seconds(group.runs().front()) / number(group.runs().front(), "median_step_s") - 1));
    EXPECT_LE(errors.back(), 0.06) << name;
  }
  EXPECT_LE(mean(errors), 0.025);
}

TEST(DataParallelTruthTest, OtherRatesBucketsAndRanksArePredicted) {
  std::vector<double> errors;
  for (const char* const name : {"ddp/ddp-even", "ddp/ddp-skewed", "ddp/pipe-2"}) {
    const std::vector<double> of_group = MeasuredGroup(name).errors(false);
    EXPECT_LE(worst(of_group), 0.05) << name;
    errors.insert(errors.end(), of_group.begin(), of_group.end());
  }
  EXPECT_EQ(errors.size(), 30U);
  EXPECT_LE(mean(errors), 0.015);
}

TEST(DataParallelTruthTest, OneCapturedRankStandsForAll) {
  for (const char* const name : {"ddp/ddp-even", "ddp/ddp-skewed"}) {
    const MeasuredGroup group(name, "base/traces/rank0.pt.trace.json.gz");
    EXPECT_LE(worst(group.errors(false)), 0.05) << name;
  }
}

TEST(DataParallelTruthTest, NcclJobOfAllRanksReplaysOnTheLinksThatItShows) {
  // The job's kernels do not record sizes, but the framework's annotations around their launches do. A link in a host
  // with eight V100s has between 10 and 150 GB/s (NVLink 2, one way).
  const auto folder = shared_folder() / "traces/kineto/dlrm-8ranks";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no " << folder;
  const Capture capture = under_models(ingest::load({folder.string()}, {}));
  for (std::size_t i = 0; i < capture.dag.rendezvous_count(); ++i)
    EXPECT_GT(capture.dag.collective(RendezvousId{i}).bytes, Bytes{}) << i;
  const Calibration calibration = calibrate(capture);
  EXPECT_GT(calibration.cluster.links.front().bandwidth.bytes_per_second(), 10e9);
  EXPECT_LT(calibration.cluster.links.front().bandwidth.bytes_per_second(), 150e9);

  sim::Machine machine = sim::Machine::as_recorded(capture);
  machine.set_network(*find_network_model("maxmin"), calibration.cluster);
  const sim::Summary summary = sim::summarize(capture, sim::replay(capture.dag, machine));
  EXPECT_LE(summary.iteration.worst_abs_error, 0.01);
}

TEST(DataParallelTruthTest, AStepOverASlowNetworkIsNoShorterThanItsTransfers) {
  // In the recording, a step kept the host busy for 221 ms and its all-reduces took 12 ms, so the host did not wait for
  // them. With a hundredth of the bandwidth it does. A transfer then takes 100 times as long, or the time of its bytes
  // on the calibrated link if that is shorter: some were recorded faster than the link that fits them all.
  const auto file = shared_folder() / "traces/kineto/ddp-a100-rank0of2.json.gz";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "no " << file;
  const Capture capture = under_models(ingest::load({file.string()}, {}));
  Cluster cluster = calibrate(capture).cluster;
  for (Link& link : cluster.links)
    link.bandwidth = Bandwidth::from_bytes_per_second(link.bandwidth.bytes_per_second() / 100);
  double a_step = 0;  // seconds; the capture has three steps
  for (std::size_t i = 0; i < capture.dag.rendezvous_count(); ++i) {
    const Dag& dag = capture.dag;
    // A ring of two ranks sends each byte of an all-reduce once in each direction.
    const double on_link = static_cast<double>(dag.collective(RendezvousId{i}).bytes.count()) /
                           cluster.links.front().goodput().bytes_per_second();
    const TaskId kernel = dag.members(RendezvousId{i}).front();
    a_step += std::min(on_link, 100 * static_cast<double>(dag.duration(kernel).count()) * 1e-9) / 3;
  }

  sim::Machine machine = sim::Machine::as_recorded(capture);
  machine.set_network(*find_network_model("maxmin"), cluster);
  const Duration iteration = sim::replayed_iteration(capture, sim::replay(capture.dag, machine));
  EXPECT_GT(a_step, 1.0);
  EXPECT_GE(static_cast<double>(iteration.count()) * 1e-9, 0.99 * a_step);
}

TEST(DataParallelTruthTest, ChangesOfAShardedJobsNetworkArePredicted) {
  // The profiler slows the captured run by 5 %, so the test compares changes, not times.
  const std::vector<double> errors = MeasuredGroup("fsdp/fsdp-even").errors(true);

  EXPECT_EQ(errors.size(), 6U);
  EXPECT_LE(mean(errors), 0.05);
}

}  // namespace
}  // namespace stepsim

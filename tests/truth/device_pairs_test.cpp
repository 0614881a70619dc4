// Tests device models on captures of the same neural network on H100 and MI300X (device-pairs,
// docs/internals/test-data.md). docs/internals/fidelity.md has the errors; bench/device_pairs.cpp prints them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "ingest/load/load.h"
#include "model/cost/device/device_fit.h"
#include "model/cost/device/roofline.h"
#include "tests/source_folder.h"

namespace stepsim::device_pairs_test {
namespace {

const std::filesystem::path kFolder = shared_folder() / "traces/kineto";

Capture load(const std::string& name) { return ingest::load({(kFolder / (name + ".json.gz")).string()}, {}); }

/// Returns the busy time of the device work whose operators were recorded. That work is the same on both devices.
double busy(const Capture& capture, const std::vector<Duration>& durations) {
  Duration sum{};
  for (const OperatorTable::Use& use : capture.operators.uses) sum += durations[use.task.index()];
  return static_cast<double>(sum.count());
}

ScaledDurations as_recorded(const Capture& capture) {
  return scaled_durations(capture, [](const DeviceWork&) { return Scaled{}; });
}

ScaledDurations fitted(const Capture& from, const DeviceFit& fit) {
  return scaled_durations(from, [&fit](const DeviceWork& work) { return scaled_by_fit(work, fit); });
}

double measured(const Capture& capture) { return busy(capture, as_recorded(capture).duration); }

double by_roofline(const Capture& from, const Capture& to) {
  const auto scale = [&](const DeviceWork& work) {
    return roofline_scaled(work, *accelerator_of(from), *accelerator_of(to));
  };
  return busy(from, scaled_durations(from, scale).duration);
}

double by_fit(const Capture& from, const DeviceFit& fit) { return busy(from, fitted(from, fit).duration); }

class DevicePairsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(kFolder)) GTEST_SKIP() << kFolder << " is absent: there are no captures to predict";
  }
};

const std::vector<std::string> kModels{"device-pairs/Qwen_Qwen1.5-0.5B-Chat",
                                       "device-pairs/gaunernst_bert-small-uncased"};

TEST_F(DevicePairsTest, EveryKernelThatACallLaunchedHasItsOperator) {
  for (const std::string& model : kModels) {
    for (const char* const device : {"-h100", "-mi300"}) {
      const Capture capture = load(model + device);
      // Only work with a recorded launch is counted. Other device work belongs to the previous step.
      std::vector<bool> launched(capture.dag.task_count(), false);
      for (std::size_t i = 0; i < capture.dag.edge_count(); ++i) {
        const EdgeId edge{i};
        if (capture.dag.edge_kind(edge) == EdgeKind::kLaunch) launched[capture.dag.target(edge).index()] = true;
      }
      const auto count = static_cast<std::size_t>(std::count(launched.begin(), launched.end(), true));
      EXPECT_GE(capture.operators.uses.size(), count * 99 / 100) << model << device;
    }
  }
}

TEST_F(DevicePairsTest, UnclassedKernelsAreFewInEveryCapture) {
  std::size_t captures = 0;
  for (const auto& file : std::filesystem::recursive_directory_iterator(kFolder)) {
    if (!file.is_regular_file()) continue;
    const Capture capture = ingest::load({file.path().string()}, {});
    const ScaledShare share = as_recorded(capture).share;
    if (share.total().before < Duration{1'000'000}) continue;  // a test of the profiler that runs no neural network
    const Duration unknown = share.named[static_cast<std::size_t>(KernelClass::kUnknown)].before;
    // Sorting, scanning and index arithmetic have no kernel class. They take up to a tenth of the time of a recommender
    // model.
    EXPECT_LE(static_cast<double>(unknown.count()), 0.1 * static_cast<double>(share.total().before.count()))
        << file.path();
    ++captures;
  }
  EXPECT_GE(captures, 20U);
}

TEST_F(DevicePairsTest, RooflineIsNearerThanTakingTheRecordedTime) {
  // A prediction must not be farther from the measured time than the time on the other device is. bert-small takes a
  // quarter longer on an MI300X than on an H100.
  for (const std::string& model : kModels) {
    const Capture h100 = load(model + "-h100");
    const Capture mi300 = load(model + "-mi300");
    for (const auto& [from, to] : {std::pair{&h100, &mi300}, std::pair{&mi300, &h100}}) {
      const double truth = measured(*to);
      EXPECT_LE(std::abs(by_roofline(*from, *to) - truth), std::abs(measured(*from) - truth)) << model;
    }
  }
}

/// Returns the largest factor by which the fit changes the duration of any piece of device work.
double largest_growth(const Capture& from, const DeviceFit& fit) {
  const std::vector<Duration> durations = fitted(from, fit).duration;
  double largest = 0;
  for (const OperatorTable::Use& use : from.operators.uses) {
    const Duration recorded = from.dag.duration(use.task);
    if (recorded > Duration{}) {
      largest = std::max(
          largest, static_cast<double>(durations[use.task.index()].count()) / static_cast<double>(recorded.count()));
    }
  }
  return largest;
}

TEST_F(DevicePairsTest, FitReproducesItsOwnPairWithinItsResidual) {
  for (const std::string& model : kModels) {
    const Capture h100 = load(model + "-h100");
    const Capture mi300 = load(model + "-mi300");
    for (const auto& [from, to] : {std::pair{&h100, &mi300}, std::pair{&mi300, &h100}}) {
      const DeviceFit fit = fit_devices(*from, *to);
      EXPECT_GE(fit.matched, fit.unmatched) << model;
      // Matched calls with predicted times p and measured times m are off by |sum of (p - m)| <= sum of |p - m| =
      // residual * sum of m. A call without a match is off by its whole predicted or measured time. Rounding adds up to
      // a nanosecond for each piece of work.
      const double truth = measured(*to);
      const double recorded = measured(*from);
      const double bound = fit.residual * fit.matched_to * truth + (1 - fit.matched_to) * truth +
                           (1 - fit.matched_from) * recorded * largest_growth(*from, fit) +
                           static_cast<double>(from->operators.uses.size());
      EXPECT_LE(std::abs(by_fit(*from, fit) - truth), bound) << model;
      EXPECT_LE(bound, 0.3 * truth) << model << ": the bound is too weak to test anything";
    }
  }
}

TEST_F(DevicePairsTest, FitOfOneModelAnswersForTheOther) {
  for (std::size_t m = 0; m < kModels.size(); ++m) {
    const std::string& held_out = kModels[m];
    const std::string& seen = kModels[1 - m];
    const Capture h100 = load(held_out + "-h100");
    const double truth = measured(load(held_out + "-mi300"));
    const double predicted = by_fit(h100, fit_devices(load(seen + "-h100"), load(seen + "-mi300")));
    // The errors are at most 8 % (docs/internals/fidelity.md). An error of twice that means that the model has changed.
    EXPECT_NEAR(predicted / truth, 1, 0.16) << held_out;
  }
}

}  // namespace
}  // namespace stepsim::device_pairs_test

#ifndef STEPSIM_SCENARIOS_CALIBRATION_MACHINE_FIT_H
#define STEPSIM_SCENARIOS_CALIBRATION_MACHINE_FIT_H

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/calibration/measured_machine.h"
#include "scenarios/answer/predict.h"
#include "scenarios/calibration/measured_runs.h"

namespace stepsim::scenarios {

/// A measured step and the predictor of its capture.
struct RunToFit {
  const MeasuredRun* run = nullptr;
  Predictor* predictor = nullptr;
};

/// A measured step and its predictions.
struct FittedRun {
  std::string name;
  std::uint32_t line = 0;  ///< in the file
  Duration measured{};
  Duration by_data_sheet{};               ///< predicted without factors
  Duration fitted{};                      ///< predicted with the factors of all runs
  std::optional<Duration> from_others{};  ///< predicted with the factors of the other runs; absent if there are none
};

/// A line that could not be used.
struct RefusedRun {
  std::string name;
  std::uint32_t line = 0;
  std::string problem;
};

/// A machine that was fitted to measured steps.
struct MachineFit {
  std::string file;  ///< of the runs
  MeasuredMachine machine;
  std::vector<FittedRun> runs;
  std::vector<RefusedRun> refused;
  std::vector<std::string> unused;  ///< columns that were not used
  /// By MachinePart: the share of the steps that it takes in the mean, which says how well the runs determine it.
  std::array<double, kMachineParts> shares{};
};

struct MachineFitOptions {
  int threads = 1;
  const std::atomic<bool>* stop = nullptr;
  /// Called with the number of predictions made and their expected total. Never called concurrently.
  std::function<void(std::uint64_t done, std::uint64_t total)> progress{};
};

/// Fits the factors of a machine to measured steps, by the logarithms of measured over predicted time. The factors are
/// those of fit_with_prior(): each starts at 1 and moves as far as the steps need it. Where steps do not tell parts
/// apart, those that the models know least move most. The derivatives are those of replays, made twice: at the data
/// sheet's rates, and at the factors that follow. Each step is also predicted with the factors of the others.
///
/// Runs that cannot be predicted are `refused`. Throws InputError at the first run if all are, and if the runs are not
/// all on the same known accelerator. 17 predictions for each run; the result does not depend on options.threads.
[[nodiscard]] MachineFit fit_machine(const std::string& file, std::span<const RunToFit> runs,
                                     const MachineFitOptions& options);

}  // namespace stepsim::scenarios

#endif

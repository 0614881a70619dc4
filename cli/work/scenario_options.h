#ifndef STEPSIM_CLI_WORK_SCENARIO_OPTIONS_H
#define STEPSIM_CLI_WORK_SCENARIO_OPTIONS_H

#include <functional>
#include <memory>
#include <optional>

#include "cli/program/options.h"
#include "cli/work/work.h"
#include "scenarios/answer/predict.h"
#include "scenarios/question/scenario.h"

namespace CLI {
class App;
}

namespace stepsim::cli {

/// Declares -s FILE and --set TEXT... on `app`. Once `app` has parsed, the returned function
/// reads the scenario and appends the sets. Throws InputError, UsageError.
[[nodiscard]] std::function<scenarios::Scenario()> add_scenario_options(CLI::App& app);

/// The file that a scenario was read from; null if there is only what --set says.
[[nodiscard]] const std::string* file_of(const scenarios::Scenario& scenario) noexcept;

/// A capture that what-ifs can be asked of. Does not move: the predictor refers to the capture.
struct Asked {
  Capture capture;
  std::optional<Calibration> calibration;  ///< where no cluster was given
  const NetworkModel* network = nullptr;
  std::unique_ptr<scenarios::Predictor> predictor;
};

/// Loads the traces: for the network model asked for, else for maxmin where the capture, its
/// job.yaml or --cluster says how fast the links are, else as recorded. The scenario's file is
/// an input like the traces.
[[nodiscard]] std::unique_ptr<Asked> load_for_what_ifs(const CommonOptions& options,
                                                       const scenarios::Scenario& scenario, const Session& session);

/// Calls `work`. What cannot be had of a --set is wrong usage, as it is when it is read.
void with_set_errors(const std::function<void()>& work);

}  // namespace stepsim::cli

#endif

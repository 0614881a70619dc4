#ifndef STEPSIM_CLI_WORK_WHAT_IF_SESSION_H
#define STEPSIM_CLI_WORK_WHAT_IF_SESSION_H

#include <memory>
#include <optional>
#include <vector>

#include "cli/program/options.h"
#include "cli/work/work.h"
#include "scenarios/answer/predict.h"
#include "scenarios/question/scenario.h"

namespace stepsim::cli {

/// A capture and the predictor that answers what-ifs about it. It cannot be moved, because the predictor refers to the
/// capture.
struct WhatIfSession {
  Capture capture;
  std::optional<Calibration> calibration;  ///< set if no cluster was given
  const NetworkModel* network = nullptr;
  std::unique_ptr<scenarios::Predictor> predictor;
};

/// Loads the traces, and prepares predictions with the network model of --network. Without --network, uses maxmin if
/// the capture, its job.yaml or --cluster describes the links, otherwise recorded times. With a Host, returns what an
/// earlier call prepared, if possible.
[[nodiscard]] std::shared_ptr<WhatIfSession> load_for_what_ifs(const CommonOptions& options,
                                                               const scenarios::Scenario& scenario,
                                                               const Session& session);

/// Returns the files that an answer about `scenario` is made from: the capture's, the scenario's, and those of traces
/// that its changes name (these are read now). Throws UsageError if -o is one of them, and what reading throws.
[[nodiscard]] std::vector<InputFile> inputs_of(const WhatIfSession& what_if, const scenarios::Scenario& scenario,
                                               const CommonOptions& options);

}  // namespace stepsim::cli

#endif

#ifndef STEPSIM_CLI_WORK_WHAT_IF_SESSION_H
#define STEPSIM_CLI_WORK_WHAT_IF_SESSION_H

#include <memory>
#include <optional>

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
/// the capture, its job.yaml or --cluster describes the links, otherwise recorded times. Adds the scenario's file to
/// the capture's inputs.
[[nodiscard]] std::unique_ptr<WhatIfSession> load_for_what_ifs(const CommonOptions& options,
                                                               const scenarios::Scenario& scenario,
                                                               const Session& session);

}  // namespace stepsim::cli

#endif

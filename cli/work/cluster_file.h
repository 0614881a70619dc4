#ifndef STEPSIM_CLI_WORK_CLUSTER_FILE_H
#define STEPSIM_CLI_WORK_CLUSTER_FILE_H

#include <optional>

#include "cli/program/options.h"
#include "cli/work/work.h"
#include "scenarios/answer/predict.h"
#include "scenarios/answer/replay_meter.h"

namespace stepsim::cli {

/// What the job ran on, if the user, the input or calibration says so. Throws InputError where the user named a cluster
/// or a model that the capture has no use for.
[[nodiscard]] std::optional<Hardware> known_hardware(Capture& capture, const CommonOptions& options);

/// What replays of the capture show of its calibrated links: how they are shared and, if `may_prefer_recorded`, whether
/// collectives keep their recorded times.
void learn_links(scenarios::Predictor& predictor, Calibration& calibration, bool may_prefer_recorded,
                 scenarios::ReplayMeter& meter);

/// Adds to `predictor`, whose cluster is the file of --cluster, what that file alone does to the captured iteration, as
/// the assumption kClusterFile (sim/report/headline.h): else the difference would look like the model's error, in
/// the first line and in ranges. Takes two replays, and those of learn_links().
void state_cluster_file(Capture& capture, const CommonOptions& options, scenarios::ReplayMeter& meter,
                        scenarios::Predictor& predictor);

}  // namespace stepsim::cli

#endif

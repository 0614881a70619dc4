#ifndef STEPSIM_CLI_WORK_MODELLED_H
#define STEPSIM_CLI_WORK_MODELLED_H

#include "cli/program/options.h"
#include "model/job/recording.h"

namespace stepsim::cli {

/// Where the input says what runs and not how long: durations as modelled on the device that --cluster names. Other
/// captures stay as they are. Throws CannotAnswer with the option that is missing if nothing times the device work, or
/// the communication.
void model_missing_times(Capture& capture, const CommonOptions& options);

}  // namespace stepsim::cli

#endif

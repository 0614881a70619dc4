#ifndef STEPSIM_SCENARIOS_ANSWER_REFIT_SHARING_H
#define STEPSIM_SCENARIOS_ANSWER_REFIT_SHARING_H

#include "scenarios/answer/predict.h"
#include "scenarios/answer/replay_meter.h"

namespace stepsim::scenarios {

/// Corrects how senders share a link (kSharing, model/cost/network/maxmin.h) where calibration's value misses the
/// captured iteration by more than a correct model would: by more than 3 %, and by more than the captured steps differ.
/// The capture is replayed with fair, half and serial sharing and two values between; the value with the smallest error
/// becomes the assumption, if it halves the error, and all that come close to it are in the range of every answer. If
/// none does, sharing is not what is wrong: nothing changes but that it no longer counts as known.
/// For clusters that were calibrated; what a user says stays. Replays the capture once, or six times. True if
/// calibration's value no longer holds. Throws what predict() throws.
bool refit_sharing(Predictor& predictor, ReplayMeter& meter);

}  // namespace stepsim::scenarios

#endif

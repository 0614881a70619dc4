#ifndef STEPSIM_SCENARIOS_ANSWER_PREFER_RECORDED_H
#define STEPSIM_SCENARIOS_ANSWER_PREFER_RECORDED_H

#include <string_view>

#include "scenarios/answer/predict.h"
#include "scenarios/answer/replay_meter.h"

namespace stepsim::scenarios {

/// The id of the assumption that collectives keep recorded times.
inline constexpr std::string_view kRecordedCollectives = "recorded_collectives";

/// Lets collectives keep their recorded times, as scenarios/answer/recorded_collectives.h says, where links that were
/// calibrated from the capture miss its iteration by more than a correct model would (usual_error_of_capture()), and
/// recorded times at least halve that error. Not for parameter servers, nor where messages go between ranks
/// outside collectives. For clusters that were calibrated; what a user says stays. Replays the capture once, or
/// twice. True if it did. Throws what predict() throws.
bool prefer_recorded_collectives(Predictor& predictor, ReplayMeter& meter);

}  // namespace stepsim::scenarios

#endif

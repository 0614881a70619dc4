#ifndef STEPSIM_MODEL_JOB_PARAMETER_SERVER_TASK_NAMES_H
#define STEPSIM_MODEL_JOB_PARAMETER_SERVER_TASK_NAMES_H

#include <string_view>

namespace stepsim {

/// The lane of the instants at which all that is last of a tensor has ended. No event recorded them.
inline constexpr std::string_view kGatheredLane = "gathered";
/// Ends the name of the part of a push that follows its arrival: the way back of the acknowledgement.
inline constexpr std::string_view kAcknowledgementSuffix = ".ack";

}  // namespace stepsim

#endif

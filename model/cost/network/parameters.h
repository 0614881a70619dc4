#ifndef STEPSIM_MODEL_COST_NETWORK_PARAMETERS_H
#define STEPSIM_MODEL_COST_NETWORK_PARAMETERS_H

#include <span>
#include <string_view>

#include "model/base/units.h"
#include "model/job/network_parameters.h"

namespace stepsim {

/// What every model adds before a message moves.
extern const NetworkParameterOf<Duration> kMessageOverhead;
/// What passes between the last arrival at a collective and its first message.
extern const NetworkParameterOf<Duration> kCollectiveOverhead;

/// As CollectivePlace::side (model/cost/collective/algorithm.h). Not in cluster.yaml: only the interval of an answer
/// sets it.
extern const NetworkParameterOf<double> kCollectiveSide;
/// Cluster::measured is of the capture at hand, whose replay shows how well it fits. Not in cluster.yaml: only
/// calibration sets it.
extern const NetworkParameterOf<bool> kMeasuredInCapture;

/// All that a cluster can give: those above, then those of each network model, in the order of the
/// registry; those with a key of two parts ("loggp.o") last, so that parts of a map follow each other.
[[nodiscard]] std::span<const NetworkParameter* const> network_parameters();

/// Null if there is no such key.
[[nodiscard]] const NetworkParameter* find_network_parameter(std::string_view key);

/// "loggp.o" in its two parts; the first is empty for a key of one.
struct ParameterKey {
  std::string_view map;
  std::string_view name;
};
[[nodiscard]] ParameterKey parts_of_key(const NetworkParameter& parameter) noexcept;

}  // namespace stepsim

#endif

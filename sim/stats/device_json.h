#ifndef STEPSIM_SIM_STATS_DEVICE_JSON_H
#define STEPSIM_SIM_STATS_DEVICE_JSON_H

#include "sim/stats/statistics.h"

namespace stepsim::sim {

class JsonWriter;

/// The members that say how devices were fed and filled: streams, launches, copies, sequences, occupancy.
void write_device_members(JsonWriter& json, const Statistics& input);

}  // namespace stepsim::sim

#endif

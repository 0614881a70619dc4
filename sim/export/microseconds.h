#ifndef STEPSIM_SIM_EXPORT_MICROSECONDS_H
#define STEPSIM_SIM_EXPORT_MICROSECONDS_H

#include <string>

#include "model/base/units.h"

namespace stepsim::sim {

/// "12.345": a time as Chrome traces have it, exact to the nanosecond.
[[nodiscard]] std::string microseconds(Duration duration);

}  // namespace stepsim::sim

#endif

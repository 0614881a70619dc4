#ifndef STEPSIM_SIM_OUTPUT_MACHINE_YAML_H
#define STEPSIM_SIM_OUTPUT_MACHINE_YAML_H

#include <string>

#include "model/calibration/measured_machine.h"

namespace stepsim::sim {

/// Returns the machine as machine.yaml. Reading it back gives the same machine, with factors and errors in four digits
/// after the point.
[[nodiscard]] std::string machine_yaml(const MeasuredMachine& machine);

}  // namespace stepsim::sim

#endif

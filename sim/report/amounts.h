#ifndef STEPSIM_SIM_REPORT_AMOUNTS_H
#define STEPSIM_SIM_REPORT_AMOUNTS_H

#include <string>
#include <string_view>

#include "model/base/units.h"
#include "sim/report/table.h"

/// Large numbers as people read them.
namespace stepsim::sim {

/// "1.25 TFLOP", "310.00 MFLOP": three places are enough to compare. Precondition: `number` is not negative.
[[nodiscard]] std::string scaled(double number, std::string_view unit);

[[nodiscard]] Cell bytes_cell(Bytes bytes);
/// A number of things a second; "-" if it is 0.
[[nodiscard]] Cell rate_cell(double rate, std::string_view unit);
/// "1.53".
[[nodiscard]] Cell decimal_cell(double number);

}  // namespace stepsim::sim

#endif

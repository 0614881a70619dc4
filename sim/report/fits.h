#ifndef STEPSIM_SIM_REPORT_FITS_H
#define STEPSIM_SIM_REPORT_FITS_H

#include <vector>

#include "model/calibration/calibration.h"
#include "sim/report/table.h"

namespace stepsim::sim {

class JsonWriter;

/// What calibration fitted: its value, from how many samples, how far they are off and what they are.
[[nodiscard]] Table fit_table(const std::vector<Fit>& fits);

/// The member "fits" of the object that is open.
void write_fits(JsonWriter& json, const std::vector<Fit>& fits);

}  // namespace stepsim::sim

#endif

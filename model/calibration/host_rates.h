#ifndef STEPSIM_MODEL_CALIBRATION_HOST_RATES_H
#define STEPSIM_MODEL_CALIBRATION_HOST_RATES_H

#include "model/calibration/calibration.h"

namespace stepsim {

/// What a device trace shows of its host, where `result` does not know it yet: the time a
/// kernel launch takes on the host, and copies between host and device by their bytes. Adds a
/// Fit for each.
void fit_host_rates(const Capture& capture, Calibration& result);

}  // namespace stepsim

#endif

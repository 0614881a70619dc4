#ifndef STEPSIM_MODEL_CALIBRATION_HOST_RATES_H
#define STEPSIM_MODEL_CALIBRATION_HOST_RATES_H

#include "model/calibration/calibration.h"

namespace stepsim {

/// Adds to `result` what a device trace shows of its host, where that is not known yet: the time that
/// a kernel launch takes on the host, and the rates of copies between host and device. Adds a Fit
/// for each.
void fit_host_rates(const Capture& capture, Calibration& result);

}  // namespace stepsim

#endif

#ifndef STEPSIM_SCENARIOS_ANSWER_INTERFERENCE_H
#define STEPSIM_SCENARIOS_ANSWER_INTERFERENCE_H

#include "scenarios/answer/predict.h"

/// Kernels slow while communication runs beside them, so a change that moves communication changes their durations. By
/// how much is found in the capture (model/calibration/interference.h) or not at all.
namespace stepsim::scenarios {

/// Has `predictor` slow kernels by the communication beside them, where the capture is evidence of by how much; else,
/// or if not `wanted`, durations stay as captured. What is done is an assumption of every plan of a capture that
/// communicates. Replays the capture once, at most. Not safe beside other calls. Throws what predict() throws.
void learn_interference(Predictor& predictor, bool wanted, const sim::EngineOptions& options);

}  // namespace stepsim::scenarios

#endif

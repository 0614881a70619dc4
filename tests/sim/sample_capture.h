#ifndef STEPSIM_TESTS_SIM_SAMPLE_CAPTURE_H
#define STEPSIM_TESTS_SIM_SAMPLE_CAPTURE_H

#include "model/job/recording.h"
#include "tests/sim/dag_maker.h"

namespace stepsim::testing {

/// Returns a capture with two ranks of two steps each. In a step, rank r computes for 100 + 50 r us on its stream. Then
/// both ranks take part in a collective of 30 us. Then the thread of each rank waits 20 us without a recorded reason
/// and works 10 us on the host. The recording starts at 1,000 us, and every step after the first is recorded `late`
/// later.
///
/// So rank 1 arrives last at every collective, 50 us after rank 0, and a step takes 150 + 30 + 20 + 10 us = 210 us in
/// the replay.
[[nodiscard]] Capture sample_capture(Duration late = {});

}  // namespace stepsim::testing

#endif

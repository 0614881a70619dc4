#ifndef STEPSIM_SIM_REPORT_CAUTIONS_H
#define STEPSIM_SIM_REPORT_CAUTIONS_H

#include <string>

#include "model/job/recording.h"

/// What a reader must know of a capture before any figure, of whichever command. Both are one sentence, or empty.
namespace stepsim::sim {

/// That the capture is not what it looks like: without its device work, a sample, captures that nothing
/// ties, or that what it cannot say was guessed because there is no job.yaml.
[[nodiscard]] std::string warning_of(const Capture& capture);

/// Which parts of the input could not be used. Refers to replay's section "Input".
[[nodiscard]] std::string caution_of(const Diagnostics& diagnostics);

}  // namespace stepsim::sim

#endif

#ifndef STEPSIM_SIM_EXPORT_SVG_BARS_H
#define STEPSIM_SIM_EXPORT_SVG_BARS_H

#include "sim/export/exporter.h"

namespace stepsim::sim {

/// The bars of an answer: rows with an axis of time, and below them what the colours mean. Precondition: there are
/// bars.
void draw_bars(const Answer& answer, OutputFile& out);

}  // namespace stepsim::sim

#endif

#ifndef STEPSIM_SIM_EXPORT_SVG_PLOT_H
#define STEPSIM_SIM_EXPORT_SVG_PLOT_H

#include "sim/export/exporter.h"

namespace stepsim::sim {

/// The lines of a document's plot with the range of each point as a bar. Precondition: it has a plot.
void draw_plot(const Answer& answer, OutputFile& out);

}  // namespace stepsim::sim

#endif

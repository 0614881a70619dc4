#ifndef STEPSIM_SIM_EXPORT_SVG_TIMELINE_H
#define STEPSIM_SIM_EXPORT_SVG_TIMELINE_H

#include "sim/export/exporter.h"

namespace stepsim::sim {

/// The replays of an answer: a row a track, tasks coloured by class, the critical path's with a line below them. Tasks
/// that are narrower than a pixel are drawn together. Precondition: there is a replay.
void draw_timeline(const Answer& answer, OutputFile& out);

}  // namespace stepsim::sim

#endif

#ifndef STEPSIM_SIM_EXPORT_PICTURE_PICTURES_H
#define STEPSIM_SIM_EXPORT_PICTURE_PICTURES_H

#include "sim/export/exporter.h"

namespace stepsim::sim {

/// The bars of an answer: rows with an axis of time, and below them what the colours mean. Precondition: there are
/// bars.
void draw_bars(const Answer& answer, OutputFile& out);

/// The graph of an answer as Graphviz lays it out: nodes coloured by class, the critical path in bold. Throws what
/// layout_of() throws. Precondition: there is a graph.
void draw_graph(const Answer& answer, OutputFile& out);

/// The lines of a document's plot with the range of each point as a bar. Precondition: it has a plot.
void draw_plot(const Answer& answer, OutputFile& out);

/// The replays of an answer: a row a track, tasks coloured by class, the critical path's with a line below them. Tasks
/// that are narrower than a pixel are drawn together. Precondition: there is a replay.
void draw_timeline(const Answer& answer, OutputFile& out);

}  // namespace stepsim::sim

#endif

#ifndef STEPSIM_SIM_EXPORT_SVG_GRAPH_H
#define STEPSIM_SIM_EXPORT_SVG_GRAPH_H

#include "sim/export/exporter.h"

namespace stepsim::sim {

/// The graph of an answer as Graphviz lays it out: nodes coloured by class, the critical path in bold. Throws what
/// layout_of() throws. Precondition: there is a graph.
void draw_graph(const Answer& answer, OutputFile& out);

}  // namespace stepsim::sim

#endif

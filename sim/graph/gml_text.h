#ifndef STEPSIM_SIM_GRAPH_GML_TEXT_H
#define STEPSIM_SIM_GRAPH_GML_TEXT_H

#include <string>
#include <string_view>

#include "sim/graph/graph.h"

namespace stepsim::sim {

/// The dependencies of a graph as networkx reads and writes GML, with the names of ByteProfile and dPRO:
/// "rank0->FW.conv1", and "rank0->FW.conv1~>2" for the second node of that name, because labels have to differ. A
/// node's attributes are avg (the mean of its tasks in milliseconds, as theirs), tasks, time_ms and critical (1 or 0);
/// an edge's are edges and critical. Meetings of collectives and turns on a lane are no dependencies and are left out.
/// `creator` is named in the first line. O(nodes + edges).
[[nodiscard]] std::string gml_text(const Graph& graph, std::string_view creator);

}  // namespace stepsim::sim

#endif

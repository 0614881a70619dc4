#ifndef STEPSIM_SIM_GRAPH_GRAPH_TEXT_H
#define STEPSIM_SIM_GRAPH_GRAPH_TEXT_H

#include <string>
#include <string_view>
#include <vector>

#include "sim/graph/graph.h"

namespace stepsim::sim {

/// The lines that a picture shows in a node: its name, then its rank, its tasks and their time.
[[nodiscard]] std::vector<std::string> label_of(const Graph::Node& node);

/// The colour of a class of time: those of Okabe and Ito, which all readers tell apart.
[[nodiscard]] std::string_view colour_of(PathClass part) noexcept;

/// The colour of text on it.
[[nodiscard]] std::string_view ink_on(PathClass part) noexcept;

/// The graph in Graphviz's language: nodes n0, n1, ... from above to below, the critical path in bold, meetings of
/// collectives dotted. Names are quoted and shown safe (model/base/text.h). `comment` becomes a comment, if it is not
/// empty. O(nodes + edges).
[[nodiscard]] std::string dot_text(const Graph& graph, std::string_view comment = {});

/// The dependencies of a graph as networkx reads and writes GML, with the names of ByteProfile and dPRO:
/// "rank0->FW.conv1", and "rank0->FW.conv1~>2" for the second node of that name, because labels have to differ. A
/// node's attributes are avg (the mean of its tasks in milliseconds, as theirs), tasks, time_ms and critical (1 or 0);
/// an edge's are edges and critical. Meetings of collectives and turns on a lane are no dependencies and are left out.
/// `creator` is named in the first line. O(nodes + edges).
[[nodiscard]] std::string gml_text(const Graph& graph, std::string_view creator);

}  // namespace stepsim::sim

#endif

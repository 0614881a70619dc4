#ifndef STEPSIM_SIM_GRAPH_GRAPH_TEXT_H
#define STEPSIM_SIM_GRAPH_GRAPH_TEXT_H

#include <atomic>
#include <string>
#include <string_view>
#include <vector>

#include "sim/graph/graph.h"
#include "sim/output/run_program.h"

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

/// Where Graphviz puts a graph: in layers, from above to below. Lengths are pixels, from the upper left corner.
struct Layout {
  struct Point {
    double x = 0;
    double y = 0;
  };
  struct Box {
    Point centre;
    double width = 0;
    double height = 0;
  };
  double width = 0;
  double height = 0;
  std::vector<Box> nodes;                 ///< by Graph::nodes
  std::vector<std::vector<Point>> edges;  ///< by Graph::edges: Bezier curves in a row, 3 n + 1 points
};

/// Throws UsageError, which says what to do, if Graphviz is not there or the graph has more nodes or edges than a
/// picture can show.
void refuse_without_layout();
void refuse_too_large(const Graph& graph);

/// Asks Graphviz's program dot, which has a minute. Throws as the two above, OutputError if dot fails, takes longer or
/// prints nonsense, and Interrupted if `stop` is set while dot works.
[[nodiscard]] Layout layout_of(const Graph& graph, const std::atomic<bool>* stop = nullptr);

/// The same with another limit, for tests.
[[nodiscard]] Layout layout_of(const Graph& graph, const ProgramLimits& limits);

/// What `dot -Tplain` printed for `graph`: every node and edge is placed, and every length is that of a picture.
/// Lines about other things are skipped. Throws OutputError if it is anything else. For tests.
[[nodiscard]] Layout parse_plain_layout(std::string_view text, const Graph& graph);

}  // namespace stepsim::sim

#endif

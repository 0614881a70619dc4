#ifndef STEPSIM_SIM_GRAPH_LAYOUT_H
#define STEPSIM_SIM_GRAPH_LAYOUT_H

#include <vector>

#include "sim/graph/graph.h"

namespace stepsim::sim {

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

/// Asks Graphviz's program dot. Throws as the two above, and OutputError if dot fails.
[[nodiscard]] Layout layout_of(const Graph& graph);

/// What `dot -Tplain` printed for `graph`; lines that are not understood are skipped. For tests.
[[nodiscard]] Layout parse_plain_layout(std::string_view text, const Graph& graph);

}  // namespace stepsim::sim

#endif

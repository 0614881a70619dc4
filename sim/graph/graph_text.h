#ifndef STEPSIM_SIM_GRAPH_GRAPH_TEXT_H
#define STEPSIM_SIM_GRAPH_GRAPH_TEXT_H

#include <atomic>
#include <string>
#include <string_view>
#include <vector>

#include "sim/graph/graph.h"
#include "sim/output/run_program.h"

namespace stepsim::sim {

/// Returns the lines of a node's label: its name, then its rank, its tasks and their time.
[[nodiscard]] std::vector<std::string> label_of(const Graph::Node& node);

/// Returns the graph in Graphviz's DOT language: nodes n0, n1, ... from top to bottom, the critical path in bold, edges
/// of collectives dotted. Names are quoted and escaped (model/base/text.h). `comment` is added as a comment if it is
/// not empty. O(nodes + edges).
[[nodiscard]] std::string dot_text(const Graph& graph, std::string_view comment = {});

/// Returns the graph's dependencies as GML for networkx, with the names of ByteProfile and dPRO: "rank0->FW.conv1", and
/// "rank0->FW.conv1~>2" for the second node of that name, because labels must be unique. A node's attributes are avg
/// (the mean of its tasks in milliseconds, as in those tools), tasks, time_ms and critical (1 or 0); an edge's are
/// edges and critical. Edges of kinds other than Graph::Link::kDependency are left out. The first line names `creator`.
/// O(nodes + edges).
[[nodiscard]] std::string gml_text(const Graph& graph, std::string_view creator);

/// Graphviz's layout of a graph, in layers from top to bottom. Lengths are pixels from the upper left corner.
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
  std::vector<Box> nodes;                 ///< boxes of Graph::nodes, in the same order
  std::vector<std::vector<Point>> edges;  ///< one for each of Graph::edges: connected Bezier curves, 3 n + 1 points
};

/// The first function throws UsageError with advice if Graphviz is not installed, the second one if the graph has too
/// many nodes or edges for a picture.
void refuse_without_layout();
void refuse_too_large(const Graph& graph);

/// Runs Graphviz's program dot, for at most a minute of processor time. Throws what refuse_without_layout() and
/// refuse_too_large() throw. Also throws OutputError if dot fails, takes longer or prints something unexpected, and
/// Interrupted if `stop` is set while dot works.
[[nodiscard]] Layout layout_of(const Graph& graph, const std::atomic<bool>* stop = nullptr);

/// Like the other layout_of(), but runs dot within the given limits. For tests.
[[nodiscard]] Layout layout_of(const Graph& graph, const ProgramLimits& limits);

/// Parses the output of `dot -Tplain` for `graph`. Throws OutputError unless every node and edge has a position and
/// every length is plausible. Skips lines about other things. Exposed for tests.
[[nodiscard]] Layout parse_plain_layout(std::string_view text, const Graph& graph);

}  // namespace stepsim::sim

#endif

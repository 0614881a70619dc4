#include "sim/graph/gml_text.h"

#include <fmt/format.h>

#include <unordered_map>

#include "model/base/quoted.h"

namespace stepsim::sim {
namespace {

constexpr double kNanosecondsAMillisecond = 1e6;

double milliseconds(Duration duration) { return static_cast<double>(duration.count()) / kNanosecondsAMillisecond; }

}  // namespace

std::string gml_text(const Graph& graph, std::string_view creator) {
  std::string text = fmt::format("Creator {}\ngraph [\n  directed 1\n", gml_quoted(creator));
  std::unordered_map<std::string, std::size_t> uses;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const Graph::Node& node = graph.nodes[i];
    std::string label = node.rank ? fmt::format("rank{}->{}", *node.rank, node.name) : node.name;
    if (const std::size_t use = ++uses[label]; use > 1) label += fmt::format("~>{}", use);
    text += fmt::format(
        "  node [\n    id {}\n    label {}\n    avg {:#}\n    tasks {}\n    time_ms {:#}\n    critical {}\n  ]\n", i,
        gml_quoted(label), milliseconds(node.time) / static_cast<double>(node.tasks), node.tasks,
        milliseconds(node.time), node.critical ? 1 : 0);
  }
  for (const Graph::Edge& edge : graph.edges) {
    if (edge.link != Graph::Link::kDependency) continue;
    text += fmt::format("  edge [\n    source {}\n    target {}\n    edges {}\n    critical {}\n  ]\n", edge.from,
                        edge.to, edge.edges, edge.critical ? 1 : 0);
  }
  return text + "]\n";
}

}  // namespace stepsim::sim

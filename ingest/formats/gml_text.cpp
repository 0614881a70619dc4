#include "ingest/formats/gml_text.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "model/base/number.h"
#include "model/base/quoted.h"

namespace stepsim::ingest {
namespace {

/// networkx writes larger integers as texts.
bool is_bare_number(std::string_view value) {
  if (parse_number<std::int32_t>(value)) return true;
  if (value == "NAN" || value == "+INF" || value == "-INF") return true;
  const auto number = parse_number<double>(value);
  return number && std::isfinite(*number) && value.find('.') != std::string_view::npos;
}

}  // namespace

std::string gml_text(const OperatorGraph& graph) {
  std::string out = "graph [\n  directed 1\n";
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const OperatorGraph::Node& node = graph.nodes[i];
    out += fmt::format("  node [\n    id {}\n    label {}\n", i, gml_quoted(node.label));
    for (const OperatorGraph::Attribute& attribute : node.attributes)
      out += fmt::format("    {} {}\n", attribute.key,
                         is_bare_number(attribute.value) ? attribute.value : gml_quoted(attribute.value));
    out += "  ]\n";
  }
  std::vector<OperatorGraph::Edge> edges = graph.edges;
  std::stable_sort(edges.begin(), edges.end(), [](const auto& a, const auto& b) { return a.source < b.source; });
  for (const OperatorGraph::Edge& edge : edges)
    out += fmt::format("  edge [\n    source {}\n    target {}\n  ]\n", edge.source, edge.target);
  return out + "]\n";
}

}  // namespace stepsim::ingest

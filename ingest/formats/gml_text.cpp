#include "ingest/formats/gml_text.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "model/base/number.h"
#include "model/base/text.h"

namespace stepsim::ingest {
namespace {

/// networkx writes larger integers as texts.
bool is_bare_number(std::string_view value) {
  if (parse_number<std::int32_t>(value)) return true;
  if (value == "NAN" || value == "+INF" || value == "-INF") return true;
  const auto number = parse_number<double>(value);
  return number && std::isfinite(*number) && value.find('.') != std::string_view::npos;
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const Character character = decode_utf8(text);
    const bool plain =
        character.code >= 0x20 && character.code < 0x7F && character.code != '"' && character.code != '&';
    if (plain) {
      out += text.front();
    } else {
      out += fmt::format("&#{};", character.valid ? static_cast<std::uint32_t>(character.code) : 0xFFFDU);
    }
    text.remove_prefix(character.length);
  }
  return out + '"';
}

}  // namespace

std::string gml_text(const OperatorGraph& graph) {
  std::string out = "graph [\n  directed 1\n";
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const OperatorGraph::Node& node = graph.nodes[i];
    out += fmt::format("  node [\n    id {}\n    label {}\n", i, quoted(node.label));
    for (const OperatorGraph::Attribute& attribute : node.attributes)
      out += fmt::format("    {} {}\n", attribute.key,
                         is_bare_number(attribute.value) ? attribute.value : quoted(attribute.value));
    out += "  ]\n";
  }
  std::vector<OperatorGraph::Edge> edges = graph.edges;
  std::stable_sort(edges.begin(), edges.end(), [](const auto& a, const auto& b) { return a.source < b.source; });
  for (const OperatorGraph::Edge& edge : edges)
    out += fmt::format("  edge [\n    source {}\n    target {}\n  ]\n", edge.source, edge.target);
  return out + "]\n";
}

}  // namespace stepsim::ingest

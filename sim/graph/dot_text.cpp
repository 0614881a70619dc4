#include "sim/graph/dot_text.h"

#include <fmt/format.h>

#include <array>

#include "model/base/text.h"

namespace stepsim::sim {
namespace {

constexpr std::size_t kLongestName = 40;

/// Graphviz takes a backslash for the begin of an escape.
std::string escaped(std::string_view text) {
  std::string made;
  for (const char c : text) {
    if (c == '"' || c == '\\') made += '\\';
    made += c;
  }
  return made;
}

std::string escaped(const std::vector<std::string>& lines) {
  std::string made;
  for (const std::string& line : lines) {
    if (!made.empty()) made += "\\n";
    made += escaped(line);
  }
  return made;
}

std::string node_line(const Graph::Node& node, std::size_t number) {
  return fmt::format("  n{} [label=\"{}\", tooltip=\"{}\", fillcolor=\"{}\", fontcolor=\"{}\"{}];\n", number,
                     escaped(label_of(node)), escaped(shown(node.name)), colour_of(node.part), ink_on(node.part),
                     node.critical ? ", penwidth=3" : "");
}

std::string edge_line(const Graph::Edge& edge) {
  std::string style;
  switch (edge.link) {
    case Graph::Link::kDependency: break;
    case Graph::Link::kMeeting: style = ", style=dotted, dir=none, constraint=false"; break;
    case Graph::Link::kTurn: style = ", style=dashed, constraint=false"; break;
  }
  return fmt::format("  n{} -> n{} [weight={}{}{}];\n", edge.from, edge.to, edge.critical ? 8 : 1,
                     edge.critical ? ", penwidth=3, color=\"#000000\"" : "", style);
}

}  // namespace

std::string_view colour_of(PathClass part) noexcept {
  static constexpr std::array<std::string_view, kPathClassCount> kColours{"#0072b2", "#d55e00", "#009e73",
                                                                          "#56b4e9", "#e69f00", "#f0e442"};
  return kColours[static_cast<std::size_t>(part)];
}

std::string_view ink_on(PathClass part) noexcept { return part == PathClass::kCompute ? "#ffffff" : "#111111"; }

std::vector<std::string> label_of(const Graph::Node& node) {
  std::string below;
  const auto add = [&below](const std::string& text) { below += (below.empty() ? "" : ", ") + text; };
  if (node.rank) add(fmt::format("rank {}", *node.rank));
  if (node.tasks > 1) add(counted(node.tasks, "task"));
  if (node.time > Duration{}) add(stepsim::to_text(node.time));
  std::vector<std::string> lines{shown(node.name, kLongestName)};
  if (!below.empty()) lines.push_back(below);
  return lines;
}

std::string dot_text(const Graph& graph, std::string_view comment) {
  std::string text;
  if (!comment.empty()) text += fmt::format("// {}\n", shown(comment, comment.size()));
  text +=
      "digraph steps {\n  graph [rankdir=TB, ranksep=0.35, nodesep=0.2];\n"
      "  node [shape=box, style=filled, fontname=\"Helvetica\", fontsize=10];\n"
      "  edge [color=\"#888888\", arrowsize=0.6];\n";
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) text += node_line(graph.nodes[i], i);
  for (const Graph::Edge& edge : graph.edges) text += edge_line(edge);
  return text + "}\n";
}

}  // namespace stepsim::sim

#include "sim/graph/graph_text.h"

#include <fmt/format.h>

#include <array>
#include <unordered_map>

#include "model/base/quoted.h"
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
  if (node.rank) add_item(below, fmt::format("rank {}", *node.rank));
  if (node.tasks > 1) add_item(below, counted(node.tasks, "task"));
  if (node.time > Duration{}) add_item(below, stepsim::to_text(node.time));
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

#include "sim/graph/graph_text.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "model/base/error.h"
#include "model/base/number.h"
#include "model/base/quoted.h"
#include "model/base/text.h"
#include "sim/output/run_program.h"

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

constexpr const char* kProgram = "dot";
constexpr std::size_t kMostNodes = 2'000;
constexpr std::size_t kMostEdges = 10'000;
constexpr double kPixelsAnInch = 96;

/// The words of a line, which blanks divide.
class Words {
 public:
  explicit Words(std::string_view line) : rest_(line) {}

  std::string_view next() {
    const std::size_t begin = std::min(rest_.find_first_not_of(' '), rest_.size());
    const std::size_t end = std::min(rest_.find(' ', begin), rest_.size());
    const std::string_view word = rest_.substr(begin, end - begin);
    rest_.remove_prefix(end);
    return word;
  }
  [[nodiscard]] bool empty() const { return rest_.find_first_not_of(' ') == std::string_view::npos; }
  /// A length in inches; 0 where there is none.
  double length() {
    const double inches = parse_number<double>(next()).value_or(0);
    return std::isfinite(inches) ? inches * kPixelsAnInch : 0;
  }
  /// Of "n17", 17; nothing if that is no node.
  std::optional<std::size_t> node(std::size_t nodes) {
    std::string_view word = next();
    if (!word.starts_with('n')) return std::nullopt;
    word.remove_prefix(1);
    const auto number = parse_number<std::size_t>(word);
    return number && *number < nodes ? number : std::nullopt;
  }

 private:
  std::string_view rest_;
};

}  // namespace

std::string_view colour_of(PathClass part) noexcept {
  static constexpr std::array<std::string_view, kPathClassCount> kColours{"#0072b2", "#d55e00", "#009e73", "#56b4e9",
                                                                          "#e69f00", "#f0e442", "#cc79a7"};
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

void refuse_without_layout() {
  if (has_program(kProgram)) return;
  throw UsageError(
      "a picture of a graph is laid out by Graphviz, whose program dot is not installed (Debian: apt install "
      "graphviz); expected that, or -o FILE.dot, .gml or .json");
}

void refuse_too_large(const Graph& graph) {
  if (graph.nodes.size() <= kMostNodes && graph.edges.size() <= kMostEdges) return;
  throw UsageError(
      fmt::format("a picture of {} nodes and {} edges cannot be read, and is laid out for {} and {} at "
                  "most; expected --fold name, layer, class, lane or rank, --steps, --ranks, or -o "
                  "FILE.dot, .gml or .json",
                  graph.nodes.size(), graph.edges.size(), kMostNodes, kMostEdges));
}

Layout parse_plain_layout(std::string_view text, const Graph& graph) {
  Layout layout{.nodes = std::vector<Layout::Box>(graph.nodes.size()),
                .edges = std::vector<std::vector<Layout::Point>>(graph.edges.size())};
  std::map<std::pair<std::size_t, std::size_t>, std::vector<std::size_t>> edges;  // those still to come, the last first
  for (std::size_t i = graph.edges.size(); i-- > 0;) edges[{graph.edges[i].from, graph.edges[i].to}].push_back(i);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    Words words(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::string_view what = words.next();
    // Graphviz counts from below.
    const auto point = [&words, &layout] {
      const double x = words.length();
      return Layout::Point{x, layout.height - words.length()};
    };
    if (what == "graph") {
      words.next();
      layout.width = words.length();
      layout.height = words.length();
    } else if (what == "node") {
      const auto node = words.node(graph.nodes.size());
      if (!node) continue;
      layout.nodes[*node].centre = point();
      layout.nodes[*node].width = words.length();
      layout.nodes[*node].height = words.length();
    } else if (what == "edge") {
      const auto from = words.node(graph.nodes.size());
      const auto to = words.node(graph.nodes.size());
      const auto known = from && to ? edges.find({*from, *to}) : edges.end();
      if (known == edges.end() || known->second.empty()) continue;
      std::vector<Layout::Point>& points = layout.edges[known->second.back()];
      known->second.pop_back();
      const std::size_t count = parse_number<std::size_t>(words.next()).value_or(0);
      for (std::size_t i = 0; i < count && !words.empty(); ++i) points.push_back(point());
    }
  }
  return layout;
}

Layout layout_of(const Graph& graph) {
  refuse_without_layout();
  refuse_too_large(graph);
  // The limits keep graphs with many crossings from taking minutes.
  return parse_plain_layout(
      run_program({kProgram, "-Tplain", "-Gnslimit=4", "-Gnslimit1=4", "-Gmclimit=0.5"}, dot_text(graph)), graph);
}

}  // namespace stepsim::sim

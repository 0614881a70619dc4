#include "sim/graph/graph_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "model/base/error.h"
#include "model/base/number.h"
#include "model/base/text.h"
#include "sim/report/class_style.h"

namespace stepsim::sim {
namespace {

constexpr std::size_t kLongestName = 40;

/// Escapes quotes, and backslashes, which start an escape sequence in Graphviz.
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
                     escaped(label_of(node)), escaped(shown(node.name)), style_of(node.part).colour,
                     style_of(node.part).ink, node.critical ? ", penwidth=3" : "");
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

/// The longest plausible length in dot's output, in inches. 2,000 nodes next to each other need less.
constexpr double kMostInches = 20'000;
/// Maximum size of dot's output, in bytes. Real layouts have at most 2 MB.
constexpr std::size_t kMostBytes = 100'000'000;
constexpr std::chrono::seconds kMostProcessorTime{60};
constexpr std::string_view kAdvice =
    "--fold name, layer, class, lane or rank, --steps, --ranks, or -o FILE.dot, .gml or .json";

/// The words of a line, separated by blanks.
class Words {
 public:
  explicit Words(std::string_view line) : line_(line), rest_(line) {}

  std::string_view next() {
    const std::size_t begin = std::min(rest_.find_first_not_of(' '), rest_.size());
    const std::size_t end = std::min(rest_.find(' ', begin), rest_.size());
    const std::string_view word = rest_.substr(begin, end - begin);
    rest_.remove_prefix(end);
    return word;
  }
  /// Reads a length in inches and returns pixels.
  double length() {
    const std::optional<double> inches = parse_number<double>(next());
    if (!inches || !(std::abs(*inches) <= kMostInches)) fail();  // also rejects NaN
    return *inches * kPixelsAnInch;
  }
  std::size_t count() {
    const std::optional<std::size_t> number = parse_number<std::size_t>(next());
    if (!number) fail();
    return *number;
  }
  /// Returns 17 for "n17"; nothing if the word is not a node.
  std::optional<std::size_t> node(std::size_t nodes) {
    std::string_view word = next();
    if (!word.starts_with('n')) return std::nullopt;
    word.remove_prefix(1);
    const auto number = parse_number<std::size_t>(word);
    return number && *number < nodes ? number : std::nullopt;
  }
  [[noreturn]] void fail() const {
    throw OutputError(
        fmt::format("{} printed '{}'; expected a line of a layout in inches", kProgram, shown(line_, 80)));
  }

 private:
  std::string_view line_;
  std::string_view rest_;
};

/// Reads the lines of `dot -Tplain`; the last one is "stop".
class PlainLayout {
 public:
  explicit PlainLayout(const Graph& graph)
      : placed_(graph.nodes.size(), false),
        layout_{.nodes = std::vector<Layout::Box>(graph.nodes.size()),
                .edges = std::vector<std::vector<Layout::Point>>(graph.edges.size())} {
    for (std::size_t i = graph.edges.size(); i-- > 0;) edges_[{graph.edges[i].from, graph.edges[i].to}].push_back(i);
  }

  void read(Words words) {
    const std::string_view what = words.next();
    if (what == "graph") {
      static_cast<void>(words.next());
      layout_.width = words.length();
      layout_.height = words.length();
    } else if (what == "node") {
      read_node(words);
    } else if (what == "edge") {
      read_edge(words);
    } else if (what == "stop") {
      whole_ = true;
    }
  }

  Layout take() {
    const auto placed = static_cast<std::size_t>(std::count(placed_.begin(), placed_.end(), true));
    if (whole_ && placed == placed_.size() && drawn_ == layout_.edges.size()) return std::move(layout_);
    throw OutputError(fmt::format("{} placed {} of {} nodes and {} of {} edges; expected all of them", kProgram, placed,
                                  placed_.size(), drawn_, layout_.edges.size()));
  }

 private:
  /// Reads a point. Graphviz measures y from the bottom. Edges may leave the picture by a few inches; a point further
  /// away than the picture's size is an error.
  Layout::Point point(Words& words) const {
    const double x = words.length();
    const double y = layout_.height - words.length();
    const double size = layout_.width + layout_.height;
    if (std::max({-x, x - layout_.width, -y, y - layout_.height}) > size) words.fail();
    return {x, y};
  }
  void read_node(Words& words) {
    const auto node = words.node(placed_.size());
    if (!node) return;
    Layout::Box& box = layout_.nodes[*node];
    box.centre = point(words);
    box.width = words.length();
    box.height = words.length();
    if (box.width < 0 || box.height < 0) words.fail();
    placed_[*node] = true;
  }
  void read_edge(Words& words) {
    const auto from = words.node(placed_.size());
    const auto to = words.node(placed_.size());
    const auto known = from && to ? edges_.find({*from, *to}) : edges_.end();
    if (known == edges_.end() || known->second.empty()) return;
    std::vector<Layout::Point>& points = layout_.edges[known->second.back()];
    known->second.pop_back();
    const std::size_t count = words.count();
    if (count % 3 != 1) words.fail();
    while (points.size() < count) points.push_back(point(words));  // point() throws at the end of the line
    ++drawn_;
  }

  /// Numbers of the edges that have no position yet, by the nodes that they connect; the last edge comes first.
  std::map<std::pair<std::size_t, std::size_t>, std::vector<std::size_t>> edges_;
  std::vector<bool> placed_;
  std::size_t drawn_ = 0;
  bool whole_ = false;
  Layout layout_;
};

}  // namespace

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
  throw UsageError(fmt::format(
      "a picture of {} nodes and {} edges cannot be read, and is laid out for {} and {} at most; expected {}",
      graph.nodes.size(), graph.edges.size(), kMostNodes, kMostEdges, kAdvice));
}

Layout parse_plain_layout(std::string_view text, const Graph& graph) {
  PlainLayout layout(graph);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    layout.read(Words(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return layout.take();
}

Layout layout_of(const Graph& graph, const ProgramLimits& limits) {
  refuse_without_layout();
  refuse_too_large(graph);
  // These limits of Graphviz prevent most graphs with many crossings from taking minutes.
  const std::vector<std::string> command{kProgram, "-Tplain", "-Gnslimit=4", "-Gnslimit1=4", "-Gmclimit=0.5"};
  return parse_plain_layout(run_program(command, dot_text(graph), limits), graph);
}

Layout layout_of(const Graph& graph, const std::atomic<bool>* stop) {
  return layout_of(graph, {.processor_time = kMostProcessorTime, .bytes = kMostBytes, .advice = kAdvice, .stop = stop});
}

}  // namespace stepsim::sim
